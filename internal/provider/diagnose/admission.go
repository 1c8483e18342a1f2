package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// KeyChange is what became of a key.
type KeyChange struct {
	Key          string
	Sent, Stored cas.Entry
}

// ChangedByAdmission warns of values that the cluster's admission changed.
func (s Subject) ChangedByAdmission(changed []KeyChange) diag.Diagnostic {
	var facts []Fact
	var keys []string
	for _, c := range changed {
		keys = append(keys, c.Key)
		facts = append(append(facts, s.keyFact(c.Key)...), s.compare("Sent", c.Sent, "Stored", c.Stored)...)
	}
	who, next := "Admission", fmt.Sprintf("Change the admission policy, or set %s to what it stores.", root(s.Value))
	if s.APIVersion != "" && slices.ContainsFunc(changed, func(c KeyChange) bool { return c.Sent.IsAbsent() }) { // nothing tells which
		who, next = "Admission, or a default of the API server,", "A default counts as removed. Otherwise: "+next
	}
	return s.tell(WarningValueChangedByAdmission, s.Keys[keys[0]].Value,
		fmt.Sprintf("%s changed %s while %s written.", who, enumerate(keys), number(len(keys), "it was", "they were")), facts, next)
}

// NumberNotKept is for a number that was taken for nothing.
func (s Subject) NumberNotKept(taken cas.Taken) diag.Diagnostic {
	return s.tell(TitleNumberChangedByAdmission, path.Root("key"),
		"Admission changed "+s.ID.Key+" while a number was taken, so another resource may get the same number. It is not used.",
		append([]Fact{{"Number", s.figure(taken.Number)}}, s.compare("Sent", taken.Sent, "Stored", taken.Stored)...),
		"Exclude the key from the admission policy, set it to a free number, then apply again.")
}

// figure shows a number that came from the key.
func (s Subject) figure(n int64) string { return renderOne(cas.Text(strconv.FormatInt(n, 10)), s.Hide) }

// Admitted warns where what was stored is not what was planned.
func (s Subject) Admitted(plan, stored Content) diag.Diagnostics {
	for _, entries := range []map[string]cas.Entry{stored["data"], stored["binary_data"]} {
		// Of keys only those that are planned: an entry may have come with the same write.
		maps.DeleteFunc(entries, func(key string, _ cas.Entry) bool {
			return plan["data"][key].IsAbsent() && plan["binary_data"][key].IsAbsent()
		})
	}
	facts := s.differences(plan, stored, "Sent", "Stored", nil)
	if facts == nil {
		return nil
	}
	next := "Change the admission policy"
	if slices.ContainsFunc(facts, func(f Fact) bool { return f.Name == PartKey }) {
		next += ", or set the keys to what it stores"
	}
	if slices.ContainsFunc(facts, func(f Fact) bool { return f.Name == PartLabel || f.Name == PartAnnotation }) {
		next += ", or leave labels and annotations to it by the provider's ignore_labels and ignore_annotations"
	}
	return diag.Diagnostics{s.tell(WarningConfigMapChangedByAdmission, path.Empty(), "Admission changed the ConfigMap while it was written.", facts, next+".")}
}
