package decide

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given a state with foo = "1", which the resource wrote over "0"; when a refresh reads the object; then the memory
// shows what is drift.
func TestRead(t *testing.T) {
	t.Parallel()
	type result struct {
		Keys      []string
		Lacks     bool
		Drift     []string // keys that are drift after the refresh
		Replaced  map[string]eval.Value
		Originals map[string]eval.Value
	}
	foo, zero := []string{"foo"}, texts("foo", "0")
	for name, test := range map[string]struct {
		state  func(*Claim)
		memory func(*Memory)
		uid    string
		live   map[string]string
		want   result
	}{
		"unchanged": {live: map[string]string{"foo": "1"}, want: result{Keys: foo, Originals: zero}},
		"drift": {
			live: map[string]string{"foo": "2"},
			want: result{Keys: foo, Drift: foo, Replaced: texts("foo", "1"), Originals: zero},
		},
		"drift since an earlier refresh": {
			state: func(c *Claim) { c.Values = texts("foo", "2") }, memory: func(m *Memory) { m.Replaced = texts("foo", "1") },
			live: map[string]string{"foo": "3"},
			want: result{Keys: foo, Drift: foo, Replaced: texts("foo", "1"), Originals: zero},
		},
		"changed back": {
			state: func(c *Claim) { c.Values = texts("foo", "2") }, memory: func(m *Memory) { m.Replaced = texts("foo", "1") },
			live: map[string]string{"foo": "1"}, want: result{Keys: foo, Originals: zero},
		},
		"missing": {
			live: map[string]string{},
			want: result{Keys: foo, Lacks: true, Drift: foo, Replaced: texts("foo", "1"), Originals: zero},
		},
		"missing, as the resource removed it": {
			state: func(c *Claim) { c.Values = map[string]eval.Value{"foo": {}} },
			memory: func(m *Memory) {
				*m = memoryOf(map[string]eval.Value{"foo": {}}, zero)
			},
			live: map[string]string{}, want: result{Keys: foo, Originals: zero},
		},
		"missing since an earlier refresh, and back": {
			state: func(c *Claim) { c.Values = nil },
			live:  map[string]string{"foo": "2"}, want: result{Keys: foo, Drift: foo, Originals: zero},
		},
		"recreated": {
			uid: "another", live: map[string]string{"foo": "1"}, want: result{Keys: foo, Originals: texts("foo", "1")},
		},
		"private state was lost": {
			memory: func(m *Memory) { *m = Memory{} },
			live:   map[string]string{"foo": "2"}, want: result{Keys: foo, Drift: foo, Replaced: texts("foo", "1")},
		},
		"imported": {
			state:  func(c *Claim) { c.Values = nil },
			memory: func(m *Memory) { *m = Memory{Import: []string{"foo", "bar"}} },
			live:   map[string]string{"foo": "1"}, want: result{Keys: []string{"bar", "foo"}, Lacks: true},
		},
		"imported, all keys": {
			state:  func(c *Claim) { c.Values = nil },
			memory: func(m *Memory) { *m = Memory{Import: []string{}} },
			live:   map[string]string{"foo": "1", "bar": "2"}, want: result{Keys: []string{"bar", "foo"}},
		},
		"entry of another writer": {
			state: func(c *Claim) { c.Whole = &Whole{Maps: []string{eval.DataKey}} },
			live:  map[string]string{"foo": "1", "other": "2"},
			want:  result{Keys: []string{"foo", "other"}, Drift: []string{"other"}, Originals: zero},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, uid := memoryOf(texts("foo", "1"), zero), "u"
			if test.memory != nil {
				test.memory(&m)
			}
			if test.uid != "" {
				uid = test.uid
			}
			was := maps.Clone(m.Baseline)
			seen := reads(uid, test.live)
			d := Read(stateOf(test.state), m, seen)
			got := result{Keys: d.Keys, Lacks: d.Lacks, Originals: d.Memory.Originals}
			for _, key := range d.Keys {
				if d.Memory.isDrift(key, seen.Value(key)) {
					got.Drift = append(got.Drift, key)
				}
			}
			if len(d.Memory.Replaced) > 0 {
				got.Replaced = d.Memory.Replaced
			}
			if diff := cmp.Diff(test.want, got, cmp.Comparer(func(a, b eval.Value) bool { return a == b })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !maps.Equal(was, m.Baseline) {
				t.Error("the argument has changed")
			}
		})
	}
}

// The first object without a key is no object that vanished: a refresh of a whole object asks again before the state
// drops it.
func TestReadOfAVanishedObject(t *testing.T) {
	t.Parallel()
	c := stateOf(func(c *Claim) { c.Whole, c.Values = &Whole{}, nil })
	if d := Read(c, Memory{}, &eval.Snapshot{}); !d.Lacks {
		t.Error("no fresh read confirms that the object is missing")
	}
}

// Given a Secret that another writer changed; then the refresh shows drift although the state has no value.
func TestReadOfASecret(t *testing.T) {
	t.Parallel()
	var m Memory
	inSecret("1", "1")(&m)
	for value, isDrift := range map[string]bool{"1": false, "2": true} {
		d := Read(stateOf(asSecret), m, secretWith(map[string]string{"foo": value}))
		if got := d.Memory.isDrift("foo", eval.Anything()); got != isDrift {
			t.Errorf("drift of %s: %t", value, got)
		}
	}
}

// Given a stored form of a field; when a refresh finds another value; then the form no longer counts as written.
func TestReadOfAStoredForm(t *testing.T) {
	t.Parallel()
	m := memoryOf(texts("foo", "1"), nil)
	m.Forms = texts("foo", "1")
	for value, isKept := range map[string]bool{"1": true, "2": false} {
		if d := Read(stateOf(nil), m, reads("u", map[string]string{"foo": value})); (d.Memory.Forms != nil) != isKept {
			t.Errorf("after %s: %v", value, d.Memory.Forms)
		}
	}
}
