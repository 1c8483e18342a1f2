package decide

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Given a state with foo = "1", which the resource created; when a plan differs; then the update writes the
// difference, on the condition that the keys are as in the state.
func TestUpdate(t *testing.T) {
	t.Parallel()
	two := func(c *Claim) { c.Values = texts("foo", "2") }
	drops := func(c *Claim) { c.Values = texts("bar", "1") }
	both := func(c *Claim) { c.Values = texts("bar", "1", "foo", "1") }
	drifted := func(m *Memory) { *m = memoryOf(texts("foo", "0"), nil) }
	for name, test := range map[string]struct {
		prior, plan func(*Claim)
		memory      func(*Memory)
		want        string
	}{
		"unchanged": {want: "nothing"},
		"changed":   {plan: two, want: "foo: 1 -> 2"},
		"changed, object scope": {
			plan: func(c *Claim) { two(c); c.Scope = terms.ScopeObject }, want: "at u/7; foo: 1 -> 2",
		},
		"changed, with a version": {
			plan: func(c *Claim) { two(c); c.Required.Version = "9" }, want: "at /9; foo: 1 -> 2",
		},
		"changed, version not known": { // after a move
			prior: func(c *Claim) { c.Version = eval.Version{} }, plan: two, want: "foo: 1 -> 2; version-unknown",
		},
		"new key": {plan: both, want: "bar: absent -> 1 or reject; foo: 1"},
		"new key, adopt": {
			plan: func(c *Claim) { both(c); c.Adopt = true }, want: "bar: absent -> 1 or adopt; foo: 1",
		},
		"missing field": { // the state has it as null
			prior: func(c *Claim) { c.Values = map[string]eval.Value{"foo": {}} }, plan: two, want: "foo: absent -> 2 or reject",
		},
		"missing field, adopt": {
			prior: func(c *Claim) { c.Values = map[string]eval.Value{"foo": {}} },
			plan:  func(c *Claim) { two(c); c.Adopt = true }, want: "foo: absent -> 2 or adopt",
		},
		"new expectation without a change": {
			plan: func(c *Claim) { c.Expected = texts("foo", "0") }, want: "nothing",
		},
		"new expectation": {
			plan: func(c *Claim) { two(c); c.Expected = texts("foo", "0") }, want: "foo: 0 -> 2",
		},
		"guard": {plan: func(c *Claim) { two(c); c.Expected = texts("bar", "0") }, want: "bar: 0; foo: 1 -> 2"},

		"dropped, release": {prior: both, plan: drops, want: "bar: 1; foo: 1 -> absent or adopt; remove foo"},
		"dropped, release, existed before": {
			prior: both, plan: drops, memory: func(m *Memory) { m.Originals = texts("foo", "0") },
			want: "nothing; keep-existing foo",
		},
		"dropped, restore": {
			prior: both, plan: func(c *Claim) { drops(c); c.Policy = terms.PolicyRestore },
			memory: func(m *Memory) { m.Originals = texts("foo", "0") }, want: "bar: 1; foo: 1 -> 0 or adopt; restore foo",
		},
		"dropped, delete, existed before": {
			prior: both, plan: func(c *Claim) { drops(c); c.Policy = terms.PolicyDelete },
			memory: func(m *Memory) { m.Originals = texts("foo", "0") },
			want:   "bar: 1; foo: 1 -> absent or adopt; remove-existing foo",
		},
		"dropped, delete, drift": {
			prior: both, plan: func(c *Claim) { drops(c); c.Policy = terms.PolicyDelete }, memory: drifted,
			want: "bar: 1; foo: 1 -> absent or adopt; refuse foo",
		},
		"dropped, delete, drift, overwrite": {
			prior: both, plan: func(c *Claim) { drops(c); c.Policy, c.OnDrift = terms.PolicyDelete, terms.DriftOverwrite },
			memory: drifted, want: "bar: 1; foo: 1 -> absent or adopt; remove-changed foo",
		},
		"dropped, abandon": {
			prior: both, plan: func(c *Claim) { drops(c); c.Policy = terms.PolicyAbandon }, want: "nothing; keep foo",
		},
		"dropped, removed by the resource, restore": {
			prior: func(c *Claim) { c.Values["bar"], c.Values["foo"] = eval.Text("1"), eval.Value{} },
			plan:  func(c *Claim) { drops(c); c.Policy = terms.PolicyRestore },
			memory: func(m *Memory) {
				*m = memoryOf(map[string]eval.Value{"foo": {}}, texts("foo", "0"))
			},
			want: "bar: 1; foo: absent -> 0 or adopt; restore foo",
		},
		"dropped, found by the import of a whole object": {
			prior: both, plan: drops, memory: func(m *Memory) { m.Unnamed = []string{"foo"} }, want: "nothing",
		},

		"drift": {plan: two, memory: drifted, want: "foo: 1 -> 2; overwrites foo: 1 -> 2"},
		"drift, the former value is known": {
			plan: two, memory: func(m *Memory) { drifted(m); m.Replaced = texts("foo", "0") },
			want: "foo: 1 -> 2; overwrites foo: 1 -> 2 (written 0)",
		},
		"drift, accepted": {memory: drifted, want: "nothing; accepts drift"},
		"drift, new expectation": {
			plan: func(c *Claim) { two(c); c.Expected = texts("foo", "1") }, memory: drifted, want: "foo: 1 -> 2",
		},
		"drift, former expectation": {
			prior: func(c *Claim) { c.Expected = texts("foo", "1") },
			plan:  func(c *Claim) { two(c); c.Expected = texts("foo", "1") }, memory: drifted,
			want: "foo: 1 -> 2; overwrites foo: 1 -> 2",
		},
		"drift, waiting": { // for the key to be absent, as before a create
			plan: func(c *Claim) { two(c); c.Waits = true }, memory: drifted,
			want: "foo: absent -> 2; overwrites foo: 1 -> 2",
		},
		"missing": { // created again
			prior: func(c *Claim) { c.Values = nil }, want: "foo: absent -> 1 or reject",
		},
		"missing and dropped": {
			prior: func(c *Claim) { c.Values = texts("bar", "1") }, plan: drops, want: "nothing; accepts drift",
		},
		"missing entry of another writer": { // a refresh had found it in a whole object
			prior: func(c *Claim) { c.Values = texts("bar", "1") }, plan: drops,
			memory: func(m *Memory) { *m = memoryOf(map[string]eval.Value{"foo": {}, "bar": eval.Text("1")}, nil) },
			want:   "nothing",
		},

		"secret, same revision": {prior: asSecret, plan: asSecret, memory: inSecret("1", "1"), want: "nothing"},
		"secret, new revision": {
			prior: asSecret, plan: revised("2"), memory: inSecret("1", "1"),
			want: "foo: anything -> 2; expectation-missing foo",
		},
		"secret, new revision, object scope": {
			prior: asSecret, plan: func(c *Claim) { revised("2")(c); c.Scope = terms.ScopeObject }, memory: inSecret("1", "1"),
			want: "at u/7; foo: anything -> 2",
		},
		"secret, new revision, drift": {
			prior: asSecret, plan: func(c *Claim) { revised("2")(c); c.Scope = terms.ScopeObject }, memory: inSecret("1", "0"),
			want: "at u/7; foo: anything -> 2; overwrites foo: anything -> 2",
		},
		"secret, same revision, drift": {
			prior: asSecret, plan: asSecret, memory: inSecret("1", "0"), want: "nothing; leaves foo: anything -> anything",
		},

		"another API version": {
			prior: inVersion("apps/v1beta1"), plan: inVersion("apps/v1"), want: "nothing",
		},
		"another API version, changed": {
			prior: inVersion("apps/v1beta1"), plan: func(c *Claim) { inVersion("apps/v1")(c); two(c) }, want: "foo: 1 -> 2",
		},
		"another API version, stored form": { // which says nothing in another version
			prior: inVersion("apps/v1beta1"), plan: func(c *Claim) { inVersion("apps/v1")(c); two(c) },
			memory: func(m *Memory) { m.Forms = texts("foo", "1") }, want: "at u/7; foo: anything -> 2",
		},
		"another API version, dropped": {
			prior: func(c *Claim) { inVersion("apps/v1beta1")(c); both(c) },
			plan:  func(c *Claim) { inVersion("apps/v1")(c); drops(c) },
			want:  "bar: 1; foo: 1 -> absent or adopt; tangled foo; remove foo",
		},

		"immutable": {
			prior: immutable, plan: func(c *Claim) { immutable(c); c.Values["foo"] = eval.Text("2") },
			want: "immutable: true; foo: 1 -> 2; replaces data",
		},
		"immutable, unchanged": {prior: immutable, plan: immutable, want: "nothing"},
		"no longer immutable": {
			prior: immutable, plan: func(c *Claim) { immutable(c); c.Values[eval.ImmutableKey] = eval.Value{} },
			want: "immutable: true -> absent; foo: 1; replaces immutable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := memoryOf(texts("foo", "1"), map[string]eval.Value{"foo": {}})
			if test.memory != nil {
				test.memory(&m)
			}
			d := Update(stateOf(test.plan), stateOf(test.prior), m)
			lines := []string{"nothing"}
			if d.Txn != nil {
				lines[0] = strings.ReplaceAll(show(d.Txn, d.Findings), eval.ImmutableKey, "immutable")
			}
			lines = append(lines, showRemovals(d.Released)...)
			lines = append(lines, showDrift("overwrites", d.Overwrites)...)
			lines = append(lines, showDrift("leaves", d.Leaves)...)
			if d.AcceptsDrift {
				lines = append(lines, "accepts drift")
			}
			if len(d.Replaces) > 0 {
				lines = append(lines, "replaces "+strings.Join(d.Replaces, ","))
			}
			if got := strings.Join(lines, "; "); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

// inSecret returns the memory of a Secret whose key was written as one value, and read as another.
func inSecret(written, found string) func(*Memory) {
	return func(m *Memory) {
		*m = Memory{Kind: eval.Secret, Tags: Tags{Key: []byte("key")}}
		m.Baseline = map[string]string{"foo": m.digest(eval.Binary([]byte(written)))}
		m.Tags.Found = map[string]string{"foo": m.digest(eval.Binary([]byte(found)))}
	}
}

// revised makes a claim one of a plan of a Secret with another revision and value.
func revised(value string) func(*Claim) {
	return func(c *Claim) {
		asSecret(c)
		c.Revision, c.Values = "2", map[string]eval.Value{"foo": eval.Binary([]byte(value))}
	}
}

func inVersion(apiVersion string) func(*Claim) {
	return func(c *Claim) {
		c.Ref.Kind, c.APIVersion = eval.KindOf("apps", "Deployment"), apiVersion
		c.Configured = c.Values
	}
}

func immutable(c *Claim) {
	c.Whole, c.Values[eval.ImmutableKey] = &Whole{Maps: []string{eval.DataKey}}, eval.Bool(true)
}

// An apply that does not know the values of its plan decides like the plan.
func TestUpdateOfUnknownKeys(t *testing.T) {
	t.Parallel()
	plan := stateOf(func(c *Claim) { c.Values, c.Known = nil, Known{Place: true} })
	if d := Update(plan, stateOf(nil), Memory{}); d.Txn != nil || len(d.Released) > 0 || d.AcceptsDrift {
		t.Errorf("%s, releases %v", show(d.Txn, d.Findings), d.Released)
	}
}

// A plan that does not know the policy yet may put a field back: computed values are unknown then.
func TestUpdateBeforeThePolicyIsKnown(t *testing.T) {
	t.Parallel()
	prior := stateOf(func(c *Claim) { c.Values = map[string]eval.Value{"removed": {}, "vanished": {}} })
	plan := stateOf(func(c *Claim) { c.Values, c.Policy = map[string]eval.Value{}, "" })
	written := map[string]eval.Value{"removed": {}, "vanished": eval.Text("1")}
	d := Update(plan, prior, memoryOf(written, texts("removed", "0", "vanished", "0")))
	if got := show(d.Txn, d.Findings); got != "removed: absent -> absent or adopt" || d.Dropped != nil {
		t.Errorf("%s, drops %v", got, d.Dropped)
	}
}

// Given an object in two API versions; then a field that only the former one has is lacking.
func TestLacking(t *testing.T) {
	t.Parallel()
	prior, plan := stateOf(inVersion("v1beta1")), stateOf(inVersion("v1"))
	had, has := reads("u", map[string]string{"foo": "1"}), reads("u", nil)
	if got := Lacking(plan, prior, had, has); len(got) != 1 || got[0] != "foo" {
		t.Errorf("lacks %v", got)
	}
	if got := Lacking(plan, prior, had, had); len(got) > 0 {
		t.Errorf("lacks %v", got)
	}
}
