package message

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// DriftOverwritten warns of drift that an update overwrites. live is nil if it is not known.
func (s Subject) DriftOverwritten(drift []decide.Drift, live *eval.Snapshot) diag.Diagnostic {
	return s.warn(ValueChangedSinceLastApply, path.Empty(),
		s.drifted(drift, live)+" This update overwrites "+them(drift)+".", s.driftFacts(drift, live),
		fmt.Sprintf("To keep %s, %s; to stop instead of overwriting, set on_drift = %q.", them(drift), s.keepDrift(drift),
			terms.DriftError))
}

// DriftKept warns of drift that an update of a Secret leaves as it is.
func (s Subject) DriftKept(drift []decide.Drift, live *eval.Snapshot) diag.Diagnostic {
	return s.warn(ValueChangedSinceLastApply, path.Empty(), s.drifted(drift, live)+" This plan leaves "+them(drift)+
		number(len(namesOf(drift)), " as it is", " as they are")+", unless it replaces the resource.",
		s.driftFacts(drift, live),
		fmt.Sprintf("To keep what is there, set %s to it. To write %s again, set on_drift = %q and change %s.",
			root(s.Value), root(s.Value), terms.DriftOverwrite, s.Revision))
}

// DriftRefused is for drift that an update must not overwrite.
func (s Subject) DriftRefused(drift []decide.Drift, live *eval.Snapshot) diag.Diagnostic {
	acknowledge, paths := "", s.Keys[drift[0].Key]
	if len(drift) == 1 && len(paths.Expected.Steps()) > 0 && (paths.Want == nil || !paths.Want.Matches(drift[0].Found)) {
		acknowledge = s.set(paths.Expected, drift[0].Key, drift[0].Found) + ", or "
	}
	next := fmt.Sprintf("To keep %[1]s, %[2]s; to overwrite %[1]s, %[3]sset on_drift = %[4]q for one apply.",
		them(drift), s.keepDrift(drift), acknowledge, terms.DriftOverwrite)
	isSealed := func(d decide.Drift) bool { return d.Key == eval.ImmutableKey && d.Found == eval.Bool(true) }
	if slices.ContainsFunc(drift, isSealed) {
		next = fmt.Sprintf("The %[3]s is immutable now, so an update cannot overwrite %[1]s. To keep %[1]s, %[2]s.",
			them(drift), s.keepDrift(drift), s.ID.Kind)
	}
	return s.refuse(ValueChangedSinceLastApply, path.Empty(), s.protected(drift, live), s.driftFacts(drift, live),
		s.orDestroy(next))
}

// RemovalRefused is for a removal of keys that another writer changed. seen is the read that found their values; nil if
// the values come from the state.
func (s Subject) RemovalRefused(drift []decide.Drift, seen *eval.Snapshot) diag.Diagnostic {
	it := them(drift)
	live := map[string]eval.Value{}
	for _, d := range drift {
		live[d.Key] = d.Found
	}
	next := fmt.Sprintf("To remove %[1]s, apply on_drift = %[2]q%[5]s, then plan this again; to leave %[1]s in place, "+
		"%[3]s and deletion_policy = %[4]q, apply, then plan this again.",
		it, terms.DriftOverwrite, s.keepDrift(drift), terms.PolicyAbandon, s.withoutExpectations(live))
	if s.Op == terms.OpUpdate { // whose own arguments count
		next = fmt.Sprintf("To remove %[1]s, set on_drift = %[2]q; to leave %[1]s in place, set deletion_policy = %[3]q.",
			it, terms.DriftOverwrite, terms.PolicyAbandon)
	}
	return s.refuse(ValueChangedSinceLastApply, path.Empty(), s.protected(drift, seen), s.changedFacts(drift, seen), next)
}

// drifted says who changed what. live is nil if it is not known.
func (s Subject) drifted(drift []decide.Drift, live *eval.Snapshot) string {
	who := "Somebody else"
	isOfAnother := func(d decide.Drift) bool { return !s.isOurs(d, live) }
	if s.Manager != "" && live != nil && !slices.ContainsFunc(drift, isOfAnother) {
		who = "Another resource that uses this provider, in this configuration or another one,"
	}
	return who + " changed " + enumerate(namesOf(drift)) + " after the last apply."
}

// isOurs reports whether a key is owned by the resource's own field manager alone.
func (s Subject) isOurs(d decide.Drift, live *eval.Snapshot) bool {
	writers := live.Owners(d.Key)
	return !d.Found.IsAbsent() && len(writers) > 0 &&
		!slices.ContainsFunc(writers, func(w eval.Writer) bool { return w.Manager != s.Manager })
}

func (s Subject) protected(drift []decide.Drift, live *eval.Snapshot) string {
	return s.drifted(drift, live) + fmt.Sprintf(" on_drift = %q protects %s.", terms.DriftError, them(drift))
}

func them(drift []decide.Drift) string { return number(len(namesOf(drift)), "it", "them") }

func namesOf(drift []decide.Drift) []string {
	names := make([]string, len(drift))
	for i, d := range drift {
		names[i] = d.Key
	}
	return slices.Compact(names)
}

// keepDrift says how to make the configuration say what is there.
func (s Subject) keepDrift(drift []decide.Drift) string {
	d := drift[0]
	paths := s.Keys[d.Key]
	if len(paths.Value.Steps()) == 0 && s.isWhole() { // an entry of others
		paths.Value = s.Value.AtMapKey(d.Key)
	}
	switch {
	case len(drift) > 1 || len(paths.Value.Steps()) == 0:
		return "set " + s.attributesOf(drift) + " to what " + s.holder()
	case d.Found.IsAbsent():
		return fmt.Sprintf("remove the %s from %s", s.part(), root(paths.Value))
	default:
		return s.set(paths.Value, d.Key, d.Found)
	}
}

// attributesOf returns the attributes that give the values that drifted.
func (s Subject) attributesOf(drift []decide.Drift) string {
	names := []string{}
	for _, d := range drift {
		at := s.Keys[d.Key].Value
		if len(at.Steps()) == 0 {
			at = s.Value
		}
		if name := root(attributeFor(at, cmp.Or(d.Found, d.ToWrite))); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return enumerate(names)
}

func (s Subject) driftFacts(drift []decide.Drift, live *eval.Snapshot) (facts []Fact) {
	for i, d := range drift {
		facts = append(facts, s.keyFact(d.Key)...)
		if i >= mostDifferences { // all are named
			continue
		}
		of := s.forKey(d.Key)
		if d.Written != nil && of.Hide != ShowNothing {
			facts = append(facts, Fact{"Last written", renderOne(*d.Written, of.Hide)})
		}
		facts = append(facts, of.compare("Found", d.Found, "To write", d.ToWrite)...)
		if !d.Found.IsAbsent() && live != nil {
			facts = append(facts, s.changedBy(live.Owners(d.Key))...)
		}
	}
	return facts
}

// NotStoredAsSent warns of values that the API server stored differently. Only admission changes a key of a
// ConfigMap or a Secret. A field may also be read-only, unknown, or have a default, and no response shows which.
func (s Subject) NotStoredAsSent(changed []decide.KeyChange) diag.Diagnostic {
	var facts []Fact
	var keys []string
	for _, c := range changed {
		keys = append(keys, c.Key)
		facts = append(append(facts, s.keyFact(c.Key)...), s.forKey(c.Key).compare("Sent", c.Sent, "Stored", c.Stored)...)
	}
	correct := fmt.Sprintf("set %s to what it stores.", root(s.Value))
	if at := s.Keys[keys[0]].Value; len(changed) == 1 && len(at.Steps()) > 0 {
		correct = s.set(at, keys[0], changed[0].Stored) + "."
	}
	next := "An admission policy or webhook changed the value. Change the policy, or " + correct
	if s.APIVersion != "" {
		next = "The API server may ignore or drop such a field, or a policy may set it. Correct the path, or " + correct
		if slices.ContainsFunc(changed, func(c decide.KeyChange) bool { return c.Sent.IsAbsent() }) {
			next = "A default counts as removed. " + next
		}
	}
	return s.warn(ValueNotStoredAsSent, s.Keys[keys[0]].Value, fmt.Sprintf("The API server did not store %s as %s sent.",
		enumerate(keys), number(len(keys), "it was", "they were")), facts, next)
}

// holder returns the words for what holds the values that a configuration could take over.
func (s Subject) holder() string {
	if s.isWhole() {
		return fmt.Sprintf("the %s holds", s.ID.Kind)
	}
	return fmt.Sprintf("the %ss hold", s.part())
}
