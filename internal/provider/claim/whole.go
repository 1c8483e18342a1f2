package claim

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Whole is what a resource asks for of a whole object.
type Whole struct {
	Content diagnose.Content
	Keeps   map[string]cas.Entry                    // of the plan of a Secret whose values have not changed: the keys, with what is there
	Found   func(*cas.Observation) diagnose.Content // of a state: what it manages of an observation
	Ignored terms.IgnoredMetadata
}

// part is one of the parts of an object, and what is claimed of it. Entries are nil where it is left to others.
type part struct {
	name, noun string // in memory, and of a field in diagnostics
	entries    map[string]cas.Entry
	ignored    terms.IgnoredKeys // fields that an update leaves alone where it does not name them
}

// parts are the parts that the claim is about, in the same order for all claims of a resource.
func (c *Claim) parts() []part {
	if c.Whole == nil {
		return []part{{name: partKeys, noun: diagnose.PartKey, entries: c.Values}}
	}
	return partsOf(c.Whole.Content, c.Whole.Ignored)
}

func partsOf(of diagnose.Content, ignored terms.IgnoredMetadata) []part {
	return []part{
		{name: partData, noun: diagnose.PartKey, entries: of.Data},
		{name: partBinaryData, noun: diagnose.PartKey, entries: of.BinaryData},
		{name: partLabels, noun: diagnose.PartLabel, entries: of.Labels, ignored: ignored.Labels},
		{name: partAnnotations, noun: diagnose.PartAnnotation, entries: of.Annotations, ignored: ignored.Annotations},
		{name: partImmutable, noun: "Attribute", entries: map[string]cas.Entry{"immutable": cas.Text(strconv.FormatBool(of.Immutable))}},
	}
}

// AccountWhole takes what the API server stored of a whole object for the baseline, and ends all doubt.
func (m *Memory) AccountWhole(stored diagnose.Content) {
	m.newToken()
	m.Written, m.Doubts = m.digestsOf(partsOf(stored, terms.IgnoredMetadata{})), nil
}

// MoveBaseline is AccountWhole after an update. What the update left as it was, and not as it is planned, keeps its baseline: a value of a
// Secret that somebody else changed stays drift.
func (m *Memory) MoveBaseline(was, plan, stored diagnose.Content) {
	before := m.Written[partBinaryData]
	m.AccountWhole(stored)
	for key, e := range stored.BinaryData {
		if digest, has := before[key]; has && e.Holds(was.BinaryData[key]) && !e.Holds(plan.BinaryData[key]) {
			m.Written[partBinaryData][key] = digest
		}
	}
}

// OwnsValues reports whether a resource of a whole Secret had its values at the last write or import.
func (m *Memory) OwnsValues() bool { return m.Written[partBinaryData] != nil }

// DoubtWhole notes what an update of a whole object may leave, if its outcome is unknown.
func (m *Memory) DoubtWhole(err error, plan diagnose.Content) {
	left := m.digestsOf(partsOf(plan, terms.IgnoredMetadata{}))
	for name, all := range left { // what it was to remove
		for key := range m.Written[name] {
			if _, stays := all[key]; !stays {
				all[key] = m.digest(cas.Entry{})
			}
		}
	}
	m.doubtOf(err, left)
}

// RefreshWhole takes in what a refresh found of what the state manages.
func (m *Memory) RefreshWhole(at cas.Version, found diagnose.Content) {
	live := map[string]map[string]cas.Entry{}
	for _, p := range partsOf(found, terms.IgnoredMetadata{}) {
		live[p.name] = p.entries
	}
	m.clearDoubts(at, func(part, key string) (cas.Entry, bool) { return live[part][key], live[part] != nil })
}

// PlanCreateWhole checks a creation at plan. After the removal of a replace it checks nothing: the old object still exists. It records the
// object, so that keys planned in it cause no warning, and refuses one that another resource of the plan creates.
func (r *Run) PlanCreateWhole(
	ctx context.Context, ref cas.Ref, limits timeouts.Value, about diagnose.Subject, m *Memory, look func(context.Context) error,
) diag.Diagnostics {
	isTwice := r.registry.creates(ref, m.newToken())
	if m.removalOf(ref.String()) != nil {
		return nil
	}
	if isTwice && !r.isApply(ctx) && r.PlanCheck != terms.PlanCheckOff {
		return diag.Diagnostics{r.atPlan(ctx, about).CreatedTwice()}
	}
	return r.Check(ctx, about, limits, look)
}

// PlanKeysWhole records the keys that an update of a whole ConfigMap writes and removes, and refuses those that another resource of the
// plan writes or removes. A creation is not recorded: it may give keys their first values, for entries that depend on it.
func (r *Run) PlanKeysWhole(ctx context.Context, t *cas.Txn, about diagnose.Subject, m *Memory) diag.Diagnostics {
	var writes, removes []string
	for _, k := range t.Keys {
		if k.New.IsAbsent() {
			removes = append(removes, k.Key)
		} else {
			writes = append(writes, k.Key)
		}
	}
	return r.planKeys(ctx, t.Ref, use{writes, writes, removes}, m.token(), about)
}

// PlanDriftWhole judges, at plan, the drift that an update or a replace of a whole object overwrites.
func (r *Run) PlanDriftWhole(ctx context.Context, ch *Change) diag.Diagnostics {
	if !r.Checks() || r.isApply(ctx) {
		return nil
	}
	ch.about = r.atPlan(ctx, ch.Plan.About(terms.OpUpdate))
	return r.checkDrift(ctx, ch)
}

// PlanKeptWhole warns of the drift in a Secret that an update leaves as it is.
func (r *Run) PlanKeptWhole(ctx context.Context, ch *Change) diag.Diagnostics {
	ch.about = r.atPlan(ctx, ch.Plan.About(terms.OpUpdate))
	return r.checkKept(ctx, ch)
}

// CheckDriftWhole judges, at apply, the drift that an update of a whole object overwrites.
func (r *Run) CheckDriftWhole(ctx context.Context, ch *Change) diag.Diagnostics {
	ch.about = ch.Plan.About(terms.OpUpdate)
	return r.checkDrift(ctx, ch)
}

// planDeleteWhole is planDelete for a whole object: it notes the version. If it notes nothing, the removal compares with the prior state.
func (r *Run) planDeleteWhole(ctx context.Context, ch *Change) diag.Diagnostics {
	prior := ch.Prior
	var drift diag.Diagnostics
	diags := r.Check(ctx, ch.about, prior.Timeouts, func(ctx context.Context) error {
		seen, err := r.Engine.Observe(ctx, prior.Ref, cas.Fresh)
		if err != nil || !seen.Exists() {
			return err
		}
		ch.Memory.Removal = &removalNote{ID: prior.ID, UID: seen.Version().UID, ResourceVersion: seen.Version().ResourceVersion, OnDrift: prior.OnDrift}
		if drift = r.removesDrift(ctx, ch, seen); len(drift) > 0 {
			return nil
		}
		if r.CheckMode(ctx) == cas.DryRun {
			_, err = r.Engine.CheckRemove(ctx, &cas.Removal{Ref: prior.Ref, At: []cas.Version{seen.Version()}}, cas.DryRun)
		}
		return err
	})
	return append(diags, drift...)
}

// removesDrift refuses to remove what somebody else changed, if on_drift says so. A removal overwrites nothing that it could warn of.
func (r *Run) removesDrift(ctx context.Context, ch *Change, seen *cas.Observation) diag.Diagnostics {
	if ch.Prior.OnDrift != terms.DriftError || !seen.Exists() {
		return nil
	}
	found, whole := *ch.Prior, *ch.Prior.Whole
	found.Whole, whole.Content = &whole, whole.Found(seen)
	overwritten, _ := (&Change{Prior: &found, Memory: ch.Memory}).drift()
	return r.drifted(ctx, terms.DriftError, overwritten, ch.about, false)
}

// deleteWhole deletes the object if it is still at the version. It judges drift again, in case plan_check let the plan pass.
func (r *Run) deleteWhole(ctx context.Context, ch *Change, at cas.Version) diag.Diagnostics {
	prior := ch.Prior
	if prior.OnDrift == terms.DriftError {
		seen, err := r.Engine.Observe(ctx, prior.Ref, cas.Fresh)
		if err != nil {
			return diag.Diagnostics{ch.about.Diagnose(err)}
		}
		if diags := r.removesDrift(ctx, ch, seen); diags.HasError() {
			return diags
		}
	}
	if _, err := r.Engine.Remove(ctx, &cas.Removal{Ref: prior.Ref, At: []cas.Version{at}}); err != nil {
		return diag.Diagnostics{ch.about.Diagnose(err)}
	}
	return nil
}
