package diagnose

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Drift is a value that somebody else changed after the last apply.
type Drift struct {
	Kind, Key      string // "Key", and its name
	Found, ToWrite cas.Entry
}

// DriftOverwritten warns of drift that an update overwrites. live is nil if it is not known.
func (s Subject) DriftOverwritten(drift []Drift, live *cas.Observation) diag.Diagnostic {
	s.Planning = false // a warning already
	return WarningValueChangedSinceLastApply.With(s.detail(s.drifted(drift)+" This update overwrites the change.", s.driftFacts(drift, live),
		`To stop instead of overwriting, set on_drift = "error".`))
}

// DriftRefused is for drift that an update must not overwrite.
func (s Subject) DriftRefused(drift []Drift, live *cas.Observation) diag.Diagnostic {
	return TitleValueChangedSinceLastApply.With(s.detail(s.drifted(drift)+" on_drift = \"error\" does not let an update overwrite the change.",
		s.driftFacts(drift, live), `To overwrite it, set on_drift = "warning" for one apply.`))
}

// RemovalRefused is for a removal of keys that somebody else changed, if on_drift does not let it.
func (s Subject) RemovalRefused(changed []KeyValue) diag.Diagnostic {
	n := len(changed)
	var facts []string
	for _, c := range changed {
		facts = append(append(facts, s.keyLine(c.Key)...), "Live: "+renderOne(c.Live, s.Hide))
	}
	return TitleValueChangedSinceLastApply.With(s.detail(
		words(n, "The key does", "The keys do")+` not hold what this resource last wrote, and on_drift = "error" does not let a removal remove the change.`, facts,
		fmt.Sprintf("To leave %s, apply deletion_policy = %q with what %s as %s; to remove %s, apply on_drift = %q. Then destroy.",
			words(n, "the key as it is", "the keys as they are"), terms.PolicyAbandon, words(n, "the key holds", "the keys hold"),
			s.Number("value", "data"), words(n, "it", "them"), terms.DriftWarning)))
}

func (s Subject) drifted(drift []Drift) string {
	return words(len(drift), "Somebody changed "+drift[0].Key, fmt.Sprintf("Somebody changed %d values", len(drift))) + " after the last apply."
}

func (s Subject) driftFacts(drift []Drift, live *cas.Observation) (facts []string) {
	for _, d := range drift {
		found, planned := renderPair(d.Found, d.ToWrite, s.Hide)
		if s.ID.Key == "" {
			facts = append(facts, d.Kind+": "+d.Key)
		}
		facts = append(facts, "Found: "+found, "To write: "+planned)
	}
	return facts
}

// KeyWrittenTwice is for keys that another instance is planned to write as well.
func (s Subject) KeyWrittenTwice(keys []string) diag.Diagnostic {
	at := path.Root("key")
	if s.Several != nil {
		at = s.valuePath(keys[0])
	}
	return TitleKeyWrittenTwice.At(at, s.detail("Two resources write the same key in this run.", s.keyLine(keys...), "Keep one of them."))
}

// ExistedBefore warns of the removal of keys that were there before Terraform.
func (s Subject) ExistedBefore(keys []string) diag.Diagnostic {
	s.Planning = false
	return WarningKeyExistedBeforeTerraform.At(path.Root("deletion_policy"), s.detail(
		words(len(keys), "The key existed", "Keys existed")+" before this resource wrote it. Destroying deletes it.", s.keyLine(keys...),
		fmt.Sprintf("To put back the first value instead, apply deletion_policy = %q before.", terms.PolicyRestore)))
}
