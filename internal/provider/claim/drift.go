package claim

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Drift is a value that somebody else changed after the last apply. The baseline is the digest of what the API server stored then; without
// one there is no drift. An update that would overwrite drift warns or is refused, as on_drift says. An update that writes what is there
// already accepts it: it writes nothing to the cluster, and moves the baseline.

// drift compares keys with the baseline. overwritten has those that the claim would overwrite; accepted reports whether it accepts a key.
func (c *Claim) drift(held *Claim, kept kept) (overwritten []diagnose.Drift, accepted bool) {
	for _, key := range c.Keys() {
		live, value := held.Values[key], c.Values[key]
		switch {
		case !kept.foreign(key, live):
		case kept.same(key, value, live):
			accepted = true
		case !c.acknowledges(held, kept, key):
			overwritten = append(overwritten, diagnose.Drift{Kind: diagnose.PartKey, Key: key, Found: live, ToWrite: value})
		}
	}
	return overwritten, accepted
}

// acknowledges reports whether the claim names another expectation of a key than the last apply did. The write checks that it holds. No
// state has the expectation of a Secret's key, so that one that holds counts: a plan that writes nothing checks none.
func (c *Claim) acknowledges(held *Claim, kept kept, key string) bool {
	want, named := c.Expected[key]
	if c.IsSecret() {
		return named && kept.same(key, want, held.Values[key])
	}
	was, had := held.Expected[key]
	return named && (!had || !want.Holds(was))
}

// AcceptsDrift reports whether an update that writes nothing has to be planned: to move the baseline, or to forget a key that vanished and
// that the claim no longer names.
func (c *Claim) AcceptsDrift(ctx context.Context, held *Claim, private privateReader) (bool, diag.Diagnostics) {
	if !c.Known.Values {
		return false, nil
	}
	kept, diags := getKept(ctx, private, held.Ref.Kind)
	for key := range kept.written {
		_, names := c.Values[key]
		_, has := held.Values[key]
		if !names && !has {
			return true, diags
		}
	}
	_, accepted := c.drift(held, kept)
	return accepted && c.OnDrift != terms.DriftOff, diags
}

// checkDrift judges the drift that an update would overwrite, at plan and again at apply.
func (r *Run) checkDrift(ctx context.Context, c, held *Claim, about diagnose.Subject, private privateReader) diag.Diagnostics {
	kept, diags := getKept(ctx, private, held.Ref.Kind)
	overwritten, _ := c.drift(held, kept)
	overwritten = slices.DeleteFunc(overwritten, func(d diagnose.Drift) bool { return c.keepsValue(held, d.Key) })
	if !about.Wait.IsNull() { // what it waits for is drift
		overwritten = slices.DeleteFunc(overwritten, func(d diagnose.Drift) bool { _, waits := c.Expected[d.Key]; return waits })
	}
	diags.Append(r.drifted(ctx, c.OnDrift, overwritten, about, held.Policy == terms.PolicyAbandon)...)
	return diags
}

// checkKept warns of drift in keys of a Secret that an update leaves as they are: no plan shows their values.
func (r *Run) checkKept(ctx context.Context, c, held *Claim, private privateReader) diag.Diagnostics {
	if !c.IsSecret() || c.OnDrift == terms.DriftOff || r.isApply(ctx) {
		return nil
	}
	kept, diags := getKept(ctx, private, held.Ref.Kind)
	drift, _ := c.drift(held, kept)
	drift = slices.DeleteFunc(drift, func(d diagnose.Drift) bool { return !c.keepsValue(held, d.Key) })
	return append(diags, r.driftKept(ctx, drift, c.About(terms.OpUpdate))...)
}

// driftKept makes the warning of drift that a plan leaves as it is.
func (r *Run) driftKept(ctx context.Context, drift []diagnose.Drift, about diagnose.Subject) diag.Diagnostics {
	if len(drift) == 0 {
		return nil
	}
	return diag.Diagnostics{r.planned(ctx, about).DriftKept(drift, r.writers(ctx, about))}
}

// writers is an object as it is now, for the names of its writers: no request right after a refresh. Without it a message has a fact less.
func (r *Run) writers(ctx context.Context, about diagnose.Subject) *cas.Observation {
	live, err := r.Engine.Observe(ctx, about.ID.Ref, cas.Fresh)
	if err != nil {
		return nil
	}
	return live
}

// removalDrift is the on_drift that the removal of a replace goes by: the plan's, and "off" if the plan accepts what is there.
func (c *Claim) removalDrift(ctx context.Context, held *Claim, private privateReader) (string, diag.Diagnostics) {
	kept, diags := getKept(ctx, private, held.Ref.Kind)
	if overwritten, _ := c.drift(held, kept); len(overwritten) == 0 {
		return terms.DriftOff, diags
	}
	return c.OnDrift, diags
}

// drifted makes the diagnostic of drift that a write overwrites.
// canDestroy says that a destroy would go ahead.
func (r *Run) drifted(
	ctx context.Context, onDrift string, overwritten []diagnose.Drift, about diagnose.Subject, canDestroy bool,
) diag.Diagnostics {
	if len(overwritten) == 0 || onDrift == terms.DriftOff {
		return nil
	}
	if onDrift == terms.DriftError {
		return diag.Diagnostics{about.DriftRefused(overwritten, r.writers(ctx, about), canDestroy)}
	}
	return diag.Diagnostics{about.DriftOverwritten(overwritten, r.writers(ctx, about))}
}

// wholePart is one of the parts of a whole ConfigMap.
type wholePart struct {
	name, kind string // in private state, and of a key in diagnostics
	entries    map[string]cas.Entry
}

func wholeParts(c diagnose.Content) []wholePart {
	return []wholePart{
		{"data", diagnose.PartKey, c.Data},
		{"binary_data", diagnose.PartKey, c.BinaryData},
		{"labels", diagnose.PartLabel, c.Labels},
		{"annotations", diagnose.PartAnnotation, c.Annotations},
		{"immutable", "Attribute", map[string]cas.Entry{"immutable": cas.Text(strconv.FormatBool(c.Immutable))}},
	}
}

// ignored are the keys of the part that are left to others.
func (p wholePart) ignored(by terms.IgnoredMetadata) terms.IgnoredKeys {
	switch p.name {
	case "labels":
		return by.Labels
	case "annotations":
		return by.Annotations
	default:
		return terms.IgnoredKeys{}
	}
}

// wholeBaseline has the digests of the parts that a resource manages.
type wholeBaseline map[string]digests

func baselineOf(sealer sealer, content diagnose.Content) wholeBaseline {
	b := wholeBaseline{}
	for _, part := range wholeParts(content) {
		if part.entries == nil {
			continue
		}
		b[part.name] = digests{}
		for key, e := range part.entries {
			b[part.name][key] = sealer.digest(e)
		}
	}
	return b
}

// has reports whether a key of a managed part holds what the baseline says. What is not in the baseline is absent.
func (b wholeBaseline) has(sealer sealer, part, key string, live cas.Entry) bool {
	digest, ok := b[part][key]
	return b[part] != nil && (ok && sealer.digest(live) == digest || !ok && live.IsAbsent())
}

// wholeDrift compares what a resource manages of a ConfigMap with the baseline, as Claim.drift does. Added and removed keys count. A nil plan
// is that of a removal, which overwrites what is there.
func (r *Run) wholeDrift(
	ctx context.Context, kind cas.Kind, held diagnose.Content, plan *diagnose.Content, private privateReader,
) (overwritten []diagnose.Drift, accepted bool, diags diag.Diagnostics) {
	baseline, _, diags := getPrivate[wholeBaseline](ctx, private, privateWritten)
	sealer, more := getSealer(ctx, private, kind)
	diags.Append(more...)
	inDoubt, _, more := getPrivate[[]wholeBaseline](ctx, private, privateInDoubt)
	diags.Append(more...)
	ours := slices.Concat(inDoubt, []wholeBaseline{baseline})
	planned := make([]wholePart, len(wholeParts(held)))
	if plan != nil {
		planned = wholeParts(*plan)
	}
	for i, part := range wholeParts(held) {
		if baseline[part.name] == nil || part.entries == nil || plan != nil && planned[i].entries == nil {
			continue
		}
		keys := slices.AppendSeq(slices.Collect(maps.Keys(part.entries)), maps.Keys(baseline[part.name]))
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			live, value := part.entries[key], planned[i].entries[key]
			switch {
			case slices.ContainsFunc(ours, func(b wholeBaseline) bool { return b.has(sealer, part.name, key, live) }):
			case value.IsAbsent() && part.ignored(r.Ignored).Match(key): // an update leaves it alone
			case value.Holds(live):
				accepted = true
			default:
				overwritten = append(overwritten, diagnose.Drift{Kind: part.kind, Key: key, Found: live, ToWrite: value})
			}
		}
	}
	return overwritten, accepted, diags
}

// SetBaseline records what the API server stored of a whole ConfigMap.
func SetBaseline(ctx context.Context, private Private, kind cas.Kind, stored diagnose.Content) diag.Diagnostics {
	return MoveBaseline(ctx, private, kind, diagnose.Content{}, stored, stored)
}

// MoveBaseline is SetBaseline after an update. What the update left as it was, and not as it is planned, keeps its baseline: a value of a
// Secret that somebody else changed stays drift.
func MoveBaseline(ctx context.Context, private Private, kind cas.Kind, was, plan, stored diagnose.Content) diag.Diagnostics {
	_, diags := instance(ctx, private)
	sealer, more := getSealer(ctx, private, kind)
	diags.Append(more...)
	diags.Append(sealer.set(ctx, private)...)
	before, _, more := getPrivate[wholeBaseline](ctx, private, privateWritten)
	diags.Append(more...)
	now := baselineOf(sealer, stored)
	for key, e := range stored.BinaryData {
		if digest, has := before["binary_data"][key]; has && e.Holds(was.BinaryData[key]) && !e.Holds(plan.BinaryData[key]) {
			now["binary_data"][key] = digest
		}
	}
	diags.Append(setPrivate(ctx, private, privateWritten, now)...)
	return append(diags, private.SetKey(ctx, privateInDoubt, nil)...)
}

// OwnsValues reports whether a resource of a whole Secret had its values at the last write or import.
func OwnsValues(ctx context.Context, private privateReader) (bool, diag.Diagnostics) {
	baseline, _, diags := getPrivate[wholeBaseline](ctx, private, privateWritten)
	return baseline["binary_data"] != nil, diags
}

// NoteWholeDoubt is noteDoubt for an update of a whole ConfigMap.
func NoteWholeDoubt(ctx context.Context, private Private, kind cas.Kind, plan diagnose.Content, err error) diag.Diagnostics {
	var unknown *cas.UnknownError
	if !errors.As(err, &unknown) {
		return nil
	}
	inDoubt, _, diags := getPrivate[[]wholeBaseline](ctx, private, privateInDoubt)
	sealer, more := getSealer(ctx, private, kind)
	diags.Append(more...)
	return append(diags, setPrivate(ctx, private, privateInDoubt, append(inDoubt, baselineOf(sealer, plan)))...)
}

// SettleWhole moves the baseline if a ConfigMap is found to hold what a write of unknown outcome was to leave.
func SettleWhole(ctx context.Context, private Private, kind cas.Kind, found diagnose.Content) diag.Diagnostics {
	inDoubt, _, diags := getPrivate[[]wholeBaseline](ctx, private, privateInDoubt)
	sealer, more := getSealer(ctx, private, kind)
	diags.Append(more...)
	for _, b := range inDoubt {
		now := baselineOf(sealer, found)
		maps.DeleteFunc(now, func(part string, _ digests) bool { return b[part] == nil }) // of a Secret, what the write left to others
		if maps.EqualFunc(b, now, maps.Equal[digests, digests]) {
			return append(diags, setPrivate(ctx, private, privateWritten, now)...)
		}
	}
	return diags
}

// AcceptsWholeDrift reports whether an update that writes nothing has to be planned, to move the baseline.
func (r *Run) AcceptsWholeDrift(
	ctx context.Context, kind cas.Kind, onDrift string, held, plan diagnose.Content, private privateReader,
) (bool, diag.Diagnostics) {
	if onDrift == terms.DriftOff {
		return false, nil
	}
	_, accepted, diags := r.wholeDrift(ctx, kind, held, &plan, private)
	return accepted, diags
}

// WholeRemovalDrift is the on_drift that the removal of a replace goes by: the plan's, and "off" if the plan accepts what is there.
func (r *Run) WholeRemovalDrift(
	ctx context.Context, kind cas.Kind, onDrift string, held, plan diagnose.Content, private privateReader,
) (string, diag.Diagnostics) {
	overwritten, _, diags := r.wholeDrift(ctx, kind, held, &plan, private)
	if len(overwritten) == 0 {
		return terms.DriftOff, diags
	}
	return onDrift, diags
}

// PlanWholeDrift is CheckWholeDrift at plan.
func (r *Run) PlanWholeDrift(
	ctx context.Context, onDrift string, held, plan diagnose.Content, about diagnose.Subject, private privateReader,
) diag.Diagnostics {
	if !r.Checks() || r.isApply(ctx) {
		return nil
	}
	return r.CheckWholeDrift(ctx, onDrift, held, &plan, r.planned(ctx, about), private)
}

// PlanWholeKept warns of drift in a Secret that a plan leaves as it is: writes has what is there instead of what is planned.
func (r *Run) PlanWholeKept(
	ctx context.Context, onDrift string, held, plan, writes diagnose.Content, about diagnose.Subject, private privateReader,
) diag.Diagnostics {
	if about.ID.Kind != cas.Secret || onDrift == terms.DriftOff || !r.Checks() || r.isApply(ctx) {
		return nil
	}
	drift, _, diags := r.wholeDrift(ctx, about.ID.Kind, held, &plan, private)
	drift = slices.DeleteFunc(drift, func(d diagnose.Drift) bool {
		return d.Kind != diagnose.PartKey || !writes.BinaryData[d.Key].Holds(d.Found)
	})
	return append(diags, r.driftKept(ctx, drift, about)...)
}

// CheckWholeDrift judges the drift that an update of a whole ConfigMap would overwrite. A nil plan is that of a removal.
func (r *Run) CheckWholeDrift(
	ctx context.Context, onDrift string, held diagnose.Content, plan *diagnose.Content, about diagnose.Subject, private privateReader,
) diag.Diagnostics {
	overwritten, _, diags := r.wholeDrift(ctx, about.ID.Kind, held, plan, private)
	return append(diags, r.drifted(ctx, onDrift, overwritten, about, false)...)
}
