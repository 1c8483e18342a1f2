package eval_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

// world is the whole history of one object. A chain knows a part of it.
type world struct {
	versions []worldVersion
	noted    []noted // what this process read or wrote, in that order
	uid, n   int
}

type worldVersion struct {
	eval.Version
	// follows: a write of this process, conditional on the version before it, and known to be applied.
	follows bool
}

// noted is a version when this process first knew of it, with the keys that it wrote there; or keys that it took over.
type noted struct {
	version eval.Version
	keys    []string
}

func (w *world) now() eval.Version { return w.versions[len(w.versions)-1].Version }

func (w *world) add(follows bool) eval.Version {
	w.n++
	v := eval.Version{UID: "u" + strconv.Itoa(w.uid), ResourceVersion: strconv.Itoa(w.n)}
	w.versions = append(w.versions, worldVersion{v, follows})
	return v
}

// note takes down that keys were written at a version, or none.
func (w *world) note(v eval.Version, keys ...string) {
	at := slices.IndexFunc(w.noted, func(n noted) bool { return n.version == v })
	if at < 0 {
		w.noted = append(w.noted, noted{v, keys})
		return
	}
	w.noted[at].keys = append(w.noted[at].keys, keys...)
}

// leads reports whether every version from v to the one that this process knows as the newest is our own doing.
func (w *world) leads(v, head eval.Version) bool {
	to := slices.IndexFunc(w.versions, func(x worldVersion) bool { return x.Version == head })
	for ; to >= 0; to-- {
		if w.versions[to].Version == v {
			return true
		}
		if !w.versions[to].follows {
			return false
		}
	}
	return false
}

// WroteSince reports whether the key was noted later than the version or, where that was never noted, at a later version.
func (w *world) WroteSince(key string, v eval.Version) bool {
	seen, wrote := -1, -1
	var at, head eval.Version
	for i, n := range w.noted {
		if n.version != (eval.Version{}) {
			head = n.version
		}
		if n.version == v {
			seen = i
		}
		if slices.Contains(n.keys, key) {
			wrote, at = i, head
		}
	}
	if seen >= 0 || wrote < 0 {
		return wrote > seen
	}
	position := func(v eval.Version) int {
		return slices.IndexFunc(w.versions, func(x worldVersion) bool { return x.Version == v })
	}
	return v.UID != at.UID || position(v) < position(at)
}

// FuzzLineage tells a chain what a committer would of all that happens to an object, and asks it about every version
// that there ever was.
func FuzzLineage(f *testing.F) {
	evaltest.Seeds(f, 500)
	keys := []string{"a", "b", "c"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := evaltest.Choices(bytes)
		var l eval.Chain
		w := &world{}
		w.add(false)
		var head eval.Version // the newest that this process knows; zero while it knows of none
		knows := func(v eval.Version, written ...string) {
			head = v
			w.note(v, written...)
		}
		read := func() {
			l.RecordRead(w.now())
			knows(w.now())
		}
		for step := 0; c.More() && step < 60; step++ { // each asks about all that came before it
			key := keys[c.Pick(len(keys))]
			switch c.Pick(10) {
			case 0:
				read()
			case 1, 2:
				w.add(false) // by another writer
			case 3:
				w.uid++ // deleted and made again
				w.add(false)
			case 4, 5: // a merge patch on the snapshot
				base := head
				if base != w.now() { // refused, or the snapshot is not known
					read()
					continue
				}
				to := w.add(true)
				if c.Coin() { // its response was lost; reads found the write, and a later one of another writer
					if c.Coin() {
						w.add(false)
					}
					l.RecordWrite(base, to, key)
					knows(to, key)
					read()
					continue
				}
				l.RecordWrite(base, to, key)
				knows(to, key)
			case 6: // one that changed nothing
				if head == w.now() {
					l.RecordWrite(head, head, key)
					knows(head, key)
				}
			case 7: // a write whose response was lost, and other writes since
				if head == (eval.Version{}) {
					continue
				}
				to := w.add(false)
				l.RecordWrite(to, to, key)
				knows(to, key)
			case 8, 9:
				if c.Coin() { // a write of unknown outcome
					w.add(false)
					continue
				}
				if head != (eval.Version{}) {
					l.RecordAdoption(key)
					w.noted = append(w.noted, noted{keys: []string{key}})
				}
			}
			if head == (eval.Version{}) {
				continue
			}
			for _, v := range w.versions {
				if got, want := l.LeadsFrom(v.Version), w.leads(v.Version, head); got != want {
					t.Fatalf("%+v: leads from %v to %v: %t, want %t", w.versions, v.Version, head, got, want)
				}
				if v.UID == head.UID {
					if got, want := l.LeadsFrom(eval.Version{ResourceVersion: v.ResourceVersion}), w.leads(v.Version, head); got != want {
						t.Fatalf("%+v: leads from %v of any uid to %v: %t, want %t", w.versions, v.Version, head, got, want)
					}
				}
				for _, key := range keys {
					if got, want := l.WroteSince(key, v.Version), w.WroteSince(key, v.Version); got != want {
						t.Fatalf("%+v: wrote %s since %v: %t, want %t", w.noted, key, v.Version, got, want)
					}
				}
			}
			for _, key := range keys {
				if got, want := l.WroteSince(key, eval.Version{}), w.WroteSince(key, eval.Version{UID: "never", ResourceVersion: "seen"}); got != want {
					t.Fatalf("%+v: ever wrote %s: %t, want %t", w.noted, key, got, want)
				}
			}
		}
	})
}
