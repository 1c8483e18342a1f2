package decide

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given a plan of foo = "1" that no state has; then its transaction adopts, refuses or overwrites what the key
// contains.
func TestCreate(t *testing.T) {
	t.Parallel()
	version := func(c *Claim) { c.Required = Required{Version: "5"} }
	chain := &eval.Chain{}
	for name, test := range map[string]struct {
		plan                 func(*Claim)
		want                 string
		absent, other, equal string // the verdict on a key that is absent, has another value, or has the value
	}{
		"plain": {want: "foo: absent -> 1 or reject", absent: "write", other: "refuse", equal: "refuse"},
		"adopt": {
			plan: func(c *Claim) { c.Adopt = true },
			want: "foo: absent -> 1 or adopt", absent: "write", other: "refuse", equal: "adopt",
		},
		"expects another value": {
			plan: func(c *Claim) { c.Expected = texts("foo", "0") },
			want: "foo: 0 -> 1 or reject", absent: "refuse", other: "write", equal: "refuse",
		},
		"expects its own value": {
			plan: func(c *Claim) { c.Expected = texts("foo", "1") },
			want: "foo: 1 -> 1 or adopt", absent: "refuse", other: "refuse", equal: "adopt",
		},
		"expects another key": {
			plan: func(c *Claim) { c.Expected = texts("guard", "on") },
			want: "foo: absent -> 1 or reject; guard: on", absent: "refuse", other: "refuse", equal: "refuse",
		},
		"requires a version": {
			plan: version,
			want: "at /5; foo: anything -> 1 or adopt", absent: "refuse", other: "refuse", equal: "refuse",
		},
		"requires a version and a value": {
			plan: func(c *Claim) { version(c); c.Expected = texts("foo", "0") },
			want: "at /5; foo: 0 -> 1 or adopt", absent: "refuse", other: "refuse", equal: "refuse",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Create(stateOf(test.plan), nil)
			if got := show(d.Txn, d.Findings); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			for want, data := range map[*string]map[string]string{
				&test.absent: {}, &test.other: {"foo": "0"}, &test.equal: {"foo": "1"},
			} {
				action := eval.Evaluate(d.Txn, reads("u", data), nil, chain).Action
				verdict := map[eval.Action]string{eval.Write: "write", eval.NoOp: "adopt", eval.Refuse: "refuse"}[action]
				if verdict != *want {
					t.Errorf("on %v: %s, want %s", data, verdict, *want)
				}
			}
		})
	}
}

// The values of a Secret decide like those of a ConfigMap: the create knows them.
func TestCreateInASecret(t *testing.T) {
	t.Parallel()
	plan := stateOf(func(c *Claim) {
		asSecret(c)
		c.Values = map[string]eval.Value{"foo": eval.Binary([]byte("1"))}
	})
	d := Create(plan, nil)
	if got := show(d.Txn, nil); got != "foo: absent -> 1 or reject" || plan.MayPermit() {
		t.Errorf("%s, permits %t", got, plan.MayPermit())
	}
}

// Given a removal that comes first in a replacement; when the creation needs or finds the keys that the removal
// changes or keeps; then the creation would fail.
func TestCreateAfterARemoval(t *testing.T) {
	t.Parallel()
	removed, kept := RemovalNote{Keys: []string{"foo"}}, RemovalNote{Keys: []string{"foo"}, Keeps: []string{"foo"}}
	for name, test := range map[string]struct {
		plan    func(*Claim)
		removal RemovalNote
		want    string
	}{
		"removed":               {nil, removed, ""},
		"another key":           {nil, RemovalNote{Keys: []string{"bar"}}, "foo: absent -> 1 or reject"},
		"adopted":               {func(c *Claim) { c.Adopt = true }, removed, "replaces-adopted foo"},
		"expected":              {func(c *Claim) { c.Expected = texts("foo", "0") }, removed, "replaces-expected foo"},
		"kept":                  {nil, kept, "replaces-kept foo"},
		"kept, but a version":   {func(c *Claim) { c.Required.Version = "5" }, kept, "at /5"},
		"kept, maybe a version": {func(c *Claim) { c.Required.IsUnknown = true }, kept, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Create(stateOf(test.plan), &test.removal)
			if got := show(d.Txn, d.Findings); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// Given a plan that requires a version; then its check lists the values that it replaces without an expectation.
func TestPermitted(t *testing.T) {
	t.Parallel()
	plan := stateOf(func(c *Claim) { c.Required.Version, c.Values = "7", texts("a", "1", "b", "2", "c", "3") })
	values := Permitted(&Claim{}, Create(plan, nil).Txn, reads("u", map[string]string{"a": "1", "b": "0"}))
	if len(values) != 1 || values[0] != (Drift{Key: "b", Found: eval.Text("0"), ToWrite: eval.Text("2")}) {
		t.Errorf("permitted: %v", values)
	}
}

func TestMayPermit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*Claim)
		want   bool
	}{
		"a version":                 {func(c *Claim) { c.Required.Version = "7" }, true},
		"no version":                {nil, false},
		"a version of a Secret":     {func(c *Claim) { asSecret(c); c.Required.Version = "7" }, false},
		"a version, a whole Secret": {func(c *Claim) { asSecret(c); c.Required.Version, c.Whole = "7", &Whole{} }, true},
		"no version, a whole one":   {func(c *Claim) { c.Whole = &Whole{} }, false},
	} {
		if got := stateOf(test.change).MayPermit(); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A swap of an action overwrites only the values that its configuration names.
func TestSwap(t *testing.T) {
	t.Parallel()
	c := stateOf(func(c *Claim) {
		c.Values, c.Expected = texts("bar", "2", "foo", "2"), texts("foo", "1", "guard", "3")
		c.Required.Version = "7"
	})
	if got := show(Swap(c), nil); got != "at /7; bar: absent -> 2 or adopt; foo: 1 -> 2; guard: 3" {
		t.Errorf("%s", got)
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	c := stateOf(func(c *Claim) {
		c.Whole = &Whole{GenerateName: "settings-"}
		c.Values = texts("foo", "1", eval.LabelKey("team"), "a", eval.AnnotationKey("note"), "b")
		c.Values[eval.ImmutableKey] = eval.Bool(true)
	})
	n := Object(c, settings)
	if n.GenerateName != "settings-" || len(n.Entries) != 1 || n.Entries["foo"] != eval.Text("1") || n.Immutable == nil ||
		len(n.Labels) != 1 || n.Labels["team"] != "a" || len(n.Annotations) != 1 || n.Annotations["note"] != "b" {
		t.Errorf("%+v", n)
	}
}
