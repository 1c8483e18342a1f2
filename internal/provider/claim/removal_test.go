package claim

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	lines := strings.Split(strings.TrimSpace(removalTable), "\n")
	_, head, _ := strings.Cut(lines[0], "|")
	columns := strings.Fields(head)
	cells := 0
	for _, line := range lines[1:] {
		row, actions, _ := strings.Cut(line, "|")
		given := strings.Fields(row)
		for i, want := range strings.Fields(actions) {
			policy, onDrift, isNamed := strings.Cut(columns[i], "/")
			ways := []string{onDrift}
			if !isNamed {
				ways = []string{terms.DriftError, "overwrite"}
			}
			for _, onDrift := range ways {
				cells++
				l := live[given[0]]
				got := decideRemoval(policy, onDrift, l.isPresent, l.isWritten, original(given[1]))
				if string(got) != want {
					t.Errorf("deletion_policy %s, on_drift %s, %s, original %s: %s, want %s", policy, onDrift, given[0], given[1], got, want)
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
	for _, first := range []original{originalUnknown, originalAbsent, originalPresent} {
		for _, isWritten := range []bool{false, true} {
			if got := decideRemoval("", "", true, isWritten, first); !got.writes() {
				t.Errorf("original %s, written: %t: %s", first, isWritten, got)
			}
		}
	}
	if got := decideRemoval("", "", false, true, originalPresent); !got.writes() {
		t.Errorf("a field that the resource removed: %s", got)
	}
}

// Given keys that the resource created, adopted and moved, and one that another writer changed; when an update names
// none of them; then it writes only the keys that do not stay.
func TestKeysThatAnUpdateReleases(t *testing.T) {
	t.Parallel()
	m := &Memory{kind: eval.ConfigMap, First: map[string]eval.Value{"created": {}, "changed": {}, "found": eval.Text("0")}, Written: map[string]string{}}
	was := map[string]eval.Value{}
	for _, key := range []string{"created", "changed", "found", "moved"} {
		was[key] = eval.Text("1")
		m.Written[key] = m.digest(was[key])
	}
	was["changed"] = eval.Text("foreign")
	for policy, want := range map[string][]string{
		"release": {"created"}, "delete": {"changed", "created", "found", "moved"}, "restore": {"created", "found"}, "abandon": nil,
	} {
		wantDropped(t, was, policy, m, want)
	}
}

// wantDropped checks which keys of a claim an update that names none of them drops, by a policy.
func wantDropped(t *testing.T, was map[string]eval.Value, policy string, m *Memory, want []string) {
	t.Helper()
	ch := &Change{
		Prior:  &Claim{Values: was, Revision: types.Int64Null()},
		Plan:   &Claim{Policy: policy, OnDrift: "warning", Known: Known{Keys: true}},
		Memory: m,
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(ch.dropped()))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", policy, diff)
	}
	if ch.Writes() != (len(want) > 0) {
		t.Errorf("%s: writes: %t", policy, ch.Writes())
	}
}

// An update puts a field back that the resource removed, only with restore. A policy that is not known yet may be
// that one.
func TestFieldThatAnUpdateMayPutBack(t *testing.T) {
	t.Parallel()
	m := &Memory{kind: eval.ConfigMap, First: map[string]eval.Value{"removed": eval.Text("0"), "vanished": eval.Text("0")}, Written: map[string]string{}}
	m.Written["removed"], m.Written["vanished"] = m.digest(eval.Value{}), m.digest(eval.Text("1"))
	for policy, want := range map[string][]string{"restore": {"removed"}, "": {"removed"}, "release": nil, "delete": nil, "abandon": nil} {
		wantDropped(t, map[string]eval.Value{"removed": {}, "vanished": {}}, policy, m, want)
	}
}
