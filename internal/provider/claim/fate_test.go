package claim

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// What becomes of a key that a resource lets go. Rows are what it held before the resource had it, and what it holds now; columns are deletion_policy and, where
// that matters, on_drift. "warns" says that the plan tells it.
const fatesTable = `
first      now       | release          delete/overwrite delete/error     restore          abandon
nothing    nothing   | removed          removed          removed          removed          stays
nothing    removed   | removed          removed          removed          removed          stays
nothing    own       | removed          removed          removed          removed          stays
nothing    changed   | stays:warns      removed:warns    refused          refused          stays
nothing    not-known | stays:warns      removed:warns    removed:warns    stays:warns      stays
something  nothing   | stays            removed          removed          stays            stays
something  removed   | stays            removed          removed          put-back         stays
something  own       | stays:warns      removed:warns    removed:warns    put-back         stays
something  changed   | stays:warns      removed:warns    refused          refused          stays
something  original  | stays:warns      removed:warns    refused          put-back         stays
something  not-known | stays:warns      removed:warns    removed:warns    stays:warns      stays
not-known  nothing   | stays            removed          removed          stays            stays
not-known  removed   | stays            removed          removed          stays            stays
not-known  own       | stays:warns      removed          removed          stays:warns      stays
not-known  changed   | stays:warns      removed:warns    refused          stays:warns      stays
not-known  not-known | stays:warns      removed:warns    removed:warns    stays:warns      stays
`

// In words of the table.
var words = map[fate]string{
	removed: "removed", removedChanged: "removed:warns", removedOlder: "removed:warns", removedPerhaps: "removed:warns", putBack: "put-back", stays: "stays",
	staysChanged: "stays:warns", staysOlder: "stays:warns", staysUnknown: "stays:warns", refusedChanged: "refused",
}

func TestFates(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(fatesTable), "\n")
	_, head, _ := strings.Cut(lines[0], "|")
	columns := strings.Fields(head)
	cells := 0
	for _, line := range lines[1:] {
		row, of, _ := strings.Cut(line, "|")
		given := strings.Fields(row)
		first, found := origin(strings.ReplaceAll(given[0], "-", " ")), finding(strings.ReplaceAll(given[1], "-", " "))
		for i, want := range strings.Fields(of) {
			policy, drift, one := strings.Cut(columns[i], "/")
			drifts := []string{drift}
			if !one {
				drifts = []string{"overwrite", "error"}
			}
			for _, onDrift := range drifts {
				cells++
				if got := words[fateOf(policy, onDrift, first, found)]; got != want {
					t.Errorf("deletion_policy %s, on_drift %s, first %s, now %s: %s, want %s", policy, onDrift, first, found, got, want)
				}
			}
		}
	}
	if cells != 16*4*2 {
		t.Errorf("%d cells", cells)
	}
}

// A policy or an on_drift that the plan does not know yet plans for the most that the apply may write: what is computed is unknown then.
func TestFatesThatAreNotKnownYet(t *testing.T) {
	t.Parallel()
	for _, first := range []origin{heldNothing, heldSomething, notKnown} {
		for _, found := range []finding{findsNothing, findsRemoved, findsOwn, findsChanged, findsOriginal, findsNotKnown} {
			if got := fateOf("", "", first, found); !got.writes() {
				t.Errorf("first %s, now %s: %s", first, found, got)
			}
		}
	}
}

// Given keys that are created, found, moved and changed; when an update names none of them any more; then it writes those that do not stay, and the fates of all
// are known.
func TestKeysThatAnUpdateLetsGo(t *testing.T) {
	t.Parallel()
	m := &Memory{kind: cas.ConfigMap, First: map[string]cas.Entry{"created": {}, "changed": {}, "found": cas.Text("0")}, Written: digests{partKeys: {}}}
	was := map[string]cas.Entry{}
	for _, key := range []string{"created", "changed", "found", "moved"} {
		was[key] = cas.Text("1")
		m.Written[partKeys][key] = m.digest(was[key])
	}
	was["changed"] = cas.Text("foreign")
	for policy, want := range map[string][]string{
		"release": {"created"}, "delete": {"changed", "created", "found", "moved"}, "restore": {"changed", "created", "found"}, "abandon": nil,
	} {
		wantDropped(t, was, policy, m, want)
	}
}

// wantDropped checks which keys of a claim an update that names none of them drops, by a policy.
func wantDropped(t *testing.T, was map[string]cas.Entry, policy string, m *Memory, want []string) {
	t.Helper()
	ch := &Change{
		Prior:  &Claim{Values: was, Revision: types.Int64Null()},
		Plan:   &Claim{Policy: policy, OnDrift: "error", Known: Known{Keys: true}},
		Memory: m,
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(ch.dropped(ch.Prior)))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", policy, diff)
	}
	if ch.Writes() != (len(want) > 0) {
		t.Errorf("%s: writes: %t", policy, ch.Writes())
	}
}

// What the resource has removed, an update puts back by restore alone. A policy that is not known yet may be that one.
func TestFieldThatAnUpdateMayPutBack(t *testing.T) {
	t.Parallel()
	m := &Memory{kind: cas.ConfigMap, First: map[string]cas.Entry{"removed": cas.Text("0"), "vanished": cas.Text("0")}, Written: digests{partKeys: {}}}
	m.Written[partKeys]["removed"], m.Written[partKeys]["vanished"] = m.digest(cas.Entry{}), m.digest(cas.Text("1"))
	for policy, want := range map[string][]string{"restore": {"removed"}, "": {"removed"}, "release": nil, "delete": nil, "abandon": nil} {
		wantDropped(t, map[string]cas.Entry{"removed": {}, "vanished": {}}, policy, m, want)
	}
}
