package claim

import (
	"slices"
	"sync"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// registry records what this run has read and planned so far, of all resources. Terraform may run instances in any order, so two of them must not
// write the same key, nor one write what another removes, nor two create one object. The zero value is ready.
type registry struct {
	mu        sync.Mutex
	keys      map[terms.EntryID]keyUse
	creations map[cas.Ref]owner
	reads     map[string]reading // by token of the instance
	count     int                // of reads
}

// keyUse is what instances are planned to do with a key.
type keyUse struct {
	isRemoved, isWritten bool
	owner                // the first instance that writes it
}

// owner is an instance that is planned to write or to create something.
type owner struct {
	token
	reads int // of instances, before that plan
}

// reading is the last read of an instance.
type reading struct {
	number    int
	isPlanned bool // since
}

// tokenLength is short, 40 bits: tokens are compared only where one run has several instances of one key or ConfigMap.
const tokenLength = 8

// token tells a resource instance from others. An empty text tells nothing.
type token struct {
	text  string
	isNew bool
}

// isOther reports whether the token is that of another instance than the owner. The creation of a tainted resource gets a new token each time it is
// planned: with -minimal-refresh before a read, and again after it. The caller holds the lock.
func (g *registry) isOther(o owner, t token) bool {
	isAgain := o.isNew && t.isNew && g.unplanned(o.reads)
	return o.text != "" && t.text != "" && o.text != t.text && !isAgain
}

// unplanned reports whether an instance was read after the first few reads, and is not planned since. It counts as planned then.
func (g *registry) unplanned(first int) bool {
	for t, last := range g.reads {
		if last.number > first && !last.isPlanned {
			g.reads[t] = reading{last.number, true}
			return true
		}
	}
	return false
}

// noteRead records that an instance was read.
func (g *registry) noteRead(t token) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reads == nil {
		g.reads = map[string]reading{}
	}
	g.count++
	g.reads[t.text] = reading{number: g.count}
}

// notePlan records that an instance is planned, and reports whether it was read before. One without a token cannot be told apart, and counts as read.
func (g *registry) notePlan(t token) (wasRead bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last, wasRead := g.reads[t.text]
	if wasRead {
		last.isPlanned = true
		g.reads[t.text] = last
	}
	return wasRead || t.text == ""
}

// removes records keys that an instance removes, and gives those that another one writes.
func (g *registry) removes(ref cas.Ref, keys []string) (moving []string) {
	g.update(ref, keys, func(key string, k *keyUse) {
		if k.isRemoved = true; k.isWritten {
			moving = append(moving, key)
		}
	})
	return moving
}

// writes records keys that an instance writes, and gives those that another one removes, and those that another one writes.
func (g *registry) writes(ref cas.Ref, keys []string, writer token) (moving, twice []string) {
	g.update(ref, keys, func(key string, k *keyUse) {
		if k.isRemoved {
			moving = append(moving, key)
		}
		if k.isWritten && g.isOther(k.owner, writer) {
			twice = append(twice, key)
		}
		if !k.isWritten {
			k.isWritten, k.owner = true, owner{writer, g.count}
		}
	})
	return moving, twice
}

func (g *registry) update(ref cas.Ref, keys []string, change func(key string, k *keyUse)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.keys == nil {
		g.keys = map[terms.EntryID]keyUse{}
	}
	for _, key := range slices.Sorted(slices.Values(keys)) {
		id := terms.EntryID{Ref: ref, Key: key}
		for other, k := range g.keys { // a part of the field, or what it is a part of
			if other.Ref == ref && other.Key != key && cas.Overlap(other.Key, key) {
				change(key, &k)
			}
		}
		k := g.keys[id]
		change(key, &k)
		g.keys[id] = k
	}
}

// swaps records the keys that a swap writes. It takes keys out of the swap that the plan changes: by a resource, or by a swap that was planned
// before, such as that of a lock before the one that unlocks. It does not make the swap an owner: a resource may write the key as well.
func (g *registry) swaps(t *cas.Txn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.keys == nil {
		g.keys = map[terms.EntryID]keyUse{}
	}
	t.Keys = slices.DeleteFunc(t.Keys, func(k cas.KeySwap) bool {
		id := terms.EntryID{Ref: t.Ref, Key: k.Key}
		use, isUsed := g.keys[id]
		if !k.IsGuard {
			g.keys[id] = use
		}
		return isUsed
	})
}

// creates records the creation of an object, and reports whether another instance creates the same one.
func (g *registry) creates(ref cas.Ref, creator token) (twice bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.creations == nil {
		g.creations = map[cas.Ref]owner{}
	}
	if first, ok := g.creations[ref]; ok {
		return g.isOther(first, creator)
	}
	g.creations[ref] = owner{creator, g.count}
	return false
}

// isCreated reports whether the plan creates an object. Keys in it cannot be checked yet, and need no warning.
func (g *registry) isCreated(ref cas.Ref) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.creations[ref]
	return ok
}
