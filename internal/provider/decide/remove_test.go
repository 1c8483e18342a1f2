package decide

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// removalTable has the action for each path that a resource releases. Rows are the live value compared with the value
// that the resource wrote, and the original. Columns are deletion_policy, and on_drift if it matters.
const removalTable = `
live       original | release        restore        delete/error     delete/overwrite  abandon
vanished   unknown  | done           done           done             done              done
vanished   absent   | done           done           done             done              done
vanished   present  | done           done           done             done              done
removed    unknown  | done           done           done             done              done
removed    absent   | done           done           done             done              done
removed    present  | done           restore        done             done              done
written    unknown  | keep-unknown   keep-unknown   remove           remove            keep
written    absent   | remove         remove         remove           remove            keep
written    present  | keep-existing  restore        remove-existing  remove-existing   keep
changed    unknown  | keep-changed   keep-changed   refuse           remove-changed    keep
changed    absent   | keep-changed   keep-changed   refuse           remove-changed    keep
changed    present  | keep-changed   keep-changed   refuse           remove-changed    keep
`

func TestDecideRemoval(t *testing.T) {
	t.Parallel()
	live := map[string]struct{ isPresent, isWritten bool }{
		"vanished": {false, false}, "removed": {false, true}, "written": {true, true}, "changed": {true, false},
	}
	origins := map[string]*eval.Value{"absent": {}, "present": new(eval.Text("0"))}
	lines := strings.Split(strings.TrimSpace(removalTable), "\n")
	_, head, _ := strings.Cut(lines[0], "|")
	columns := strings.Fields(head)
	cells := 0
	for _, line := range lines[1:] {
		row, actions, _ := strings.Cut(line, "|")
		state := strings.Fields(row)
		for i, want := range strings.Fields(actions) {
			policy, onDrift, isNamed := strings.Cut(columns[i], "/")
			ways := []string{onDrift}
			if !isNamed {
				ways = []string{terms.DriftError, "overwrite"}
			}
			for _, onDrift := range ways {
				cells++
				l := live[state[0]]
				got := decideRemoval(policy, onDrift, l.isPresent, l.isWritten, origins[state[1]])
				if string(got) != want {
					t.Errorf("deletion_policy %s, on_drift %s, %s: %s, want %s", policy, onDrift, row, got, want)
				}
			}
		}
	}
	if cells != 12*4*2 {
		t.Errorf("%d cells", cells)
	}
}

// A plan that does not know the policy yet plans for the most that the apply may write: computed values are unknown
// then.
func TestDecideRemovalBeforeThePolicyIsKnown(t *testing.T) {
	t.Parallel()
	for _, first := range []*eval.Value{nil, {}, new(eval.Text("0"))} {
		for _, isWritten := range []bool{false, true} {
			if got := decideRemoval("", "", true, isWritten, first); !got.writes() {
				t.Errorf("original %v, written: %t: %s", first, isWritten, got)
			}
		}
	}
	if got := decideRemoval("", "", false, true, new(eval.Text("0"))); !got.writes() {
		t.Errorf("a field that the resource removed: %s", got)
	}
}

// Given a state with foo = "1"; when a removal is planned on a read and applied later; then the note of the plan has
// what the apply compares with.
func TestRemove(t *testing.T) {
	t.Parallel()
	known := memoryOf(texts("foo", "1"), map[string]eval.Value{"foo": {}})
	for name, test := range map[string]struct {
		prior  func(*Claim)
		live   map[string]string // that the plan reads
		memory func(*Memory)
		taken  []string
		skips  bool   // no plan reads the object
		plan   string // the removals of the plan, and its note
		want   string // of the apply
	}{
		"unchanged": {
			live: map[string]string{"foo": "1"},
			plan: "remove foo; notes foo", want: "foo: 1 -> absent",
		},
		"unchanged, object scope": {
			prior: func(c *Claim) { c.Scope = terms.ScopeObject }, live: map[string]string{"foo": "1"},
			plan: "remove foo; notes foo", want: "at u/7; foo: 1 -> absent",
		},
		"changed": {
			live: map[string]string{"foo": "other"},
			plan: "keep-changed foo; notes foo; keeps foo; asks again", want: "",
		},
		"changed, delete": {
			prior: func(c *Claim) { c.Policy = terms.PolicyDelete }, live: map[string]string{"foo": "other"},
			plan: "refuse foo; notes foo; asks again; refused", want: "foo: other -> absent",
		},
		"changed, delete, overwrite": {
			prior: func(c *Claim) { c.Policy, c.OnDrift = terms.PolicyDelete, terms.DriftOverwrite },
			live:  map[string]string{"foo": "other"},
			plan:  "remove-changed foo; notes foo; asks again", want: "foo: other -> absent",
		},
		"missing": {live: map[string]string{}, plan: "done foo", want: ""},
		"restore": {
			prior: func(c *Claim) { c.Policy = terms.PolicyRestore }, live: map[string]string{"foo": "1"},
			memory: func(m *Memory) { m.Originals = texts("foo", "0") },
			plan:   "restore foo; notes foo; keeps foo", want: "foo: 1 -> 0 or adopt",
		},
		"restore, put back already": {
			prior: func(c *Claim) { c.Policy = terms.PolicyRestore }, live: map[string]string{"foo": "0"},
			memory: func(m *Memory) { m.Originals = texts("foo", "0") },
			plan:   "keep-changed foo; notes foo; keeps foo; asks again", want: "",
		},
		"recreated object": { // its content is the original
			prior: func(c *Claim) { c.Policy, c.Version.UID = terms.PolicyRestore, "former" },
			live:  map[string]string{"foo": "1"}, plan: "restore foo; notes foo; keeps foo", want: "foo: 1 -> 1 or adopt",
		},
		"abandon": {
			prior: func(c *Claim) { c.Policy = terms.PolicyAbandon }, skips: true,
			plan: "keep foo; notes foo; keeps foo", want: "",
		},
		"without a plan": { // of create_before_destroy
			skips: true, memory: func(m *Memory) { m.Kind = eval.ConfigMap }, want: "foo: 1 -> absent",
		},
		"without a plan, object scope, no version": {
			prior: func(c *Claim) { c.Scope, c.Version = terms.ScopeObject, eval.Version{} }, skips: true,
			want: "foo: 1 -> absent; version-unknown",
		},
		"taken by another instance": {
			live: map[string]string{"foo": "1"}, taken: []string{"foo"}, plan: "remove foo; notes foo", want: "",
		},
		"needed by the creation that replaces it": {
			skips: true, want: "tainted",
			memory: func(m *Memory) { m.Plan.Needs = &NeedsNote{ID: "shop/settings/foo", Keys: []string{"foo"}} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prior, m := stateOf(test.prior), known
			if test.memory != nil {
				test.memory(&m)
			}
			if test.plan != "" {
				var seen *eval.Snapshot
				if !test.skips {
					seen = reads("u", test.live)
				}
				p := PlanRemove(prior, m, seen)
				lines := append(showRemovals(p.Removals), showNote(p.Memory.Plan.Removal)...)
				if p.DependsOnOthers {
					lines = append(lines, "asks again")
				}
				if p.IsRefused() {
					lines = append(lines, "refused")
				}
				if got := strings.Join(lines, "; "); got != test.plan {
					t.Errorf("plan: %s, want %s", got, test.plan)
				}
				m = p.Memory
			}
			d := Remove(prior, m, test.taken)
			if got := show(d.Txn, d.Findings); got != test.want {
				t.Errorf("apply: %s, want %s", got, test.want)
			}
		})
	}
}

// Given a Secret; when the plan of a removal reads it; then neither its note nor the memory has a value.
func TestRemoveOfASecretKeepsNoValue(t *testing.T) {
	t.Parallel()
	prior := stateOf(asSecret)
	var m Memory
	inSecret("1", "1")(&m)
	p := PlanRemove(prior, m, secretWith(map[string]string{"foo": "1"}))
	if got := p.Memory.Plan.Removal.Entries["foo"]; got != eval.Anything() {
		t.Errorf("the note has %v", got)
	}
	d := Remove(prior, p.Memory, nil)
	if got := show(d.Txn, d.Findings); got != "at u/7" {
		t.Errorf("a key of unknown original: %s", got)
	}
}

// Given a plan that reported what stays; then its removal does not report it again. The note of a whole object has its policy.
func TestRemovalNote(t *testing.T) {
	t.Parallel()
	prior := stateOf(nil)
	m := memoryOf(texts("foo", "1"), map[string]eval.Value{"foo": {}})
	p := PlanRemove(prior, m, reads("u", map[string]string{"foo": "1"}))
	if Remove(prior, m, nil).IsReported || !Remove(prior, p.Memory, nil).IsReported {
		t.Error("whether the plan reported")
	}
	whole := stateOf(func(c *Claim) { c.Whole = &Whole{} })
	if was, is := removalNote(prior, nil).Policy, removalNote(whole, nil).Policy; was != "" || is != terms.PolicyRelease {
		t.Errorf("policies %q and %q", was, is)
	}
}

// Given a creation that needs one of two keys; then a removal of that key is refused, and a removal of the other key is not.
func TestRemoveOfANeededKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{"foo": 1, "bar": 0} {
		prior := stateOf(nil)
		m := memoryOf(texts("foo", "1"), map[string]eval.Value{"foo": {}})
		m.Plan.Needs = &NeedsNote{ID: prior.ID, Keys: []string{key}}
		if d := Remove(prior, m, nil); len(d.Findings) != want {
			t.Errorf("%s: %v", key, d.Findings)
		}
	}
}

// Given a whole object; when entries are not as the resource wrote them; then they matter to its removal, except with
// deletion_policy abandon.
func TestRemoveObject(t *testing.T) {
	t.Parallel()
	c := stateOf(func(c *Claim) { c.Whole = &Whole{Maps: []string{eval.DataKey}} })
	m := memoryOf(texts("foo", "1"), nil)
	others := func(key string, isDeleted bool) *Others {
		return &Others{Keys: []string{key}, IsDrift: true, IsDeleted: isDeleted}
	}
	for name, test := range map[string]struct {
		live   map[string]string
		policy string
		want   *Others
	}{
		"own":              {map[string]string{"foo": "1"}, terms.PolicyRelease, nil},
		"another":          {map[string]string{"foo": "1", "bar": "2"}, terms.PolicyRelease, others("bar", false)},
		"changed":          {map[string]string{"foo": "2"}, terms.PolicyRelease, others("foo", false)},
		"changed, delete":  {map[string]string{"foo": "2"}, terms.PolicyDelete, others("foo", true)},
		"changed, abandon": {map[string]string{"foo": "2"}, terms.PolicyAbandon, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, RemoveObject(c, test.policy, m, reads("u", test.live))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A destroy writes the paths that the resource added, whatever they contain now. It is refused only for drift, with
// deletion_policy delete, or for entries of others in a whole object.
func TestRemovableAndRefused(t *testing.T) {
	t.Parallel()
	whole := func(c *Claim) { c.Whole = &Whole{Maps: []string{eval.DataKey}} }
	for name, test := range map[string]struct {
		change    func(*Claim)
		baseline  map[string]eval.Value
		removable int
		refuses   bool
	}{
		"as written":          {nil, texts("foo", "1"), 1, false},
		"drift":               {nil, texts("foo", "0"), 1, false},
		"drift, delete":       {func(c *Claim) { c.Policy = terms.PolicyDelete }, texts("foo", "0"), 1, true},
		"abandon":             {func(c *Claim) { c.Policy = terms.PolicyAbandon }, texts("foo", "1"), 0, false},
		"whole":               {whole, texts("foo", "1"), 0, false},
		"whole, of others":    {whole, texts("bar", "1"), 0, true},
		"whole, all, of many": {func(c *Claim) { whole(c); c.Policy = terms.PolicyDelete }, texts("bar", "1"), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prior, m := stateOf(test.change), memoryOf(test.baseline, map[string]eval.Value{"foo": {}})
			if got := Removable(prior, m); len(got) != test.removable {
				t.Errorf("removable: %v", got)
			}
			if got := RefusesDestroy(prior, m); got != test.refuses {
				t.Errorf("refuses: %t", got)
			}
		})
	}
}

// The note of a replacement keeps drift only if there is drift.
func TestNoteReplacement(t *testing.T) {
	t.Parallel()
	prior, plan := stateOf(nil), stateOf(nil)
	m := memoryOf(texts("foo", "1"), map[string]eval.Value{"foo": {}})
	for hasDrift, want := range map[bool]string{true: terms.DriftError, false: terms.DriftOverwrite} {
		note := NoteReplacement(plan, prior, m, hasDrift).Plan.Removal
		if note.OnDrift != want || note.ID != prior.ID || note.Version() != prior.Version || len(note.Keys) != 1 {
			t.Errorf("drift %t: %+v", hasDrift, note)
		}
	}
}
