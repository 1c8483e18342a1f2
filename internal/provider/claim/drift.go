package claim

import (
	"context"
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
func (c *Claim) drift(held *Claim, baseline digests) (overwritten []diagnose.Drift, accepted bool) {
	for _, key := range c.Keys() {
		digest, known := baseline[key]
		live, value := held.Values[key], c.Values[key]
		switch {
		case !known || live.Digest() == digest:
		case value.Holds(live):
			accepted = true
		case !c.acknowledges(held, key):
			overwritten = append(overwritten, diagnose.Drift{Kind: "Key", Key: key, Found: live, ToWrite: value})
		}
	}
	return overwritten, accepted
}

// acknowledges reports whether the claim names another expectation of a key than the last apply did. The write checks that it holds.
func (c *Claim) acknowledges(held *Claim, key string) bool {
	want, named := c.Expected[key]
	was, had := held.Expected[key]
	return named && (!had || !want.Holds(was))
}

// AcceptsDrift reports whether an update that writes nothing has to be planned, to move the baseline.
func (c *Claim) AcceptsDrift(ctx context.Context, held *Claim, private privateReader) (bool, diag.Diagnostics) {
	if c.OnDrift == terms.DriftOff || !c.Known.Values {
		return false, nil
	}
	baseline, _, diags := getPrivate[digests](ctx, private, privateWritten)
	_, accepted := c.drift(held, baseline)
	return accepted, diags
}

// checkDrift judges the drift that an update would overwrite, at plan and again at apply.
func (r *Run) checkDrift(ctx context.Context, c, held *Claim, about diagnose.Subject, private privateReader) diag.Diagnostics {
	if waitFor(about.Wait) > 0 || about.Wait.IsUnknown() {
		return nil // it waits for drift
	}
	baseline, _, diags := getPrivate[digests](ctx, private, privateWritten)
	overwritten, _ := c.drift(held, baseline)
	diags.Append(r.drifted(ctx, c.OnDrift, overwritten, about)...)
	return diags
}

// drifted makes the diagnostic of drift that a write overwrites. It reads the object to name the writer: no request right after a refresh.
func (r *Run) drifted(ctx context.Context, onDrift string, overwritten []diagnose.Drift, about diagnose.Subject) diag.Diagnostics {
	if len(overwritten) == 0 || onDrift == terms.DriftOff {
		return nil
	}
	live, err := r.Engine.Observe(ctx, about.ID.Ref, cas.Fresh)
	if err != nil {
		live = nil // without it the message has a fact less
	}
	if onDrift == terms.DriftError {
		return diag.Diagnostics{about.DriftRefused(overwritten, live)}
	}
	return diag.Diagnostics{about.DriftOverwritten(overwritten, live)}
}

// wholePart is one of the parts of a whole ConfigMap.
type wholePart struct {
	name, kind string // in private state, and of a key in diagnostics
	entries    map[string]cas.Entry
}

func wholeParts(c diagnose.Content) []wholePart {
	return []wholePart{
		{"data", "Key", c.Data}, {"binary_data", "Key", c.BinaryData}, {"labels", "Label", c.Labels}, {"annotations", "Annotation", c.Annotations},
		{"immutable", "Attribute", map[string]cas.Entry{"immutable": cas.Text(strconv.FormatBool(c.Immutable))}},
	}
}

// wholeBaseline has the digests of the parts that a resource manages.
type wholeBaseline = map[string]digests

// wholeDrift compares what a resource manages of a ConfigMap with the baseline, as Claim.drift does. Added and removed keys count. A nil plan
// is that of a removal.
func wholeDrift(baseline wholeBaseline, held diagnose.Content, plan *diagnose.Content) (overwritten []diagnose.Drift, accepted bool) {
	planned := make([]wholePart, len(wholeParts(held)))
	if plan != nil {
		planned = wholeParts(*plan)
	}
	for i, part := range wholeParts(held) {
		if baseline[part.name] == nil || part.entries == nil || plan != nil && planned[i].entries == nil {
			continue
		}
		was := maps.Clone(baseline[part.name])
		for key := range part.entries {
			if _, has := was[key]; !has {
				was[key] = cas.Entry{}.Digest()
			}
		}
		for _, key := range slices.Sorted(maps.Keys(was)) {
			live, value := part.entries[key], planned[i].entries[key]
			switch {
			case live.Digest() == was[key]:
			case value.Holds(live):
				accepted = true
			default:
				overwritten = append(overwritten, diagnose.Drift{Kind: part.kind, Key: key, Found: live, ToWrite: value})
			}
		}
	}
	return overwritten, accepted
}

// SetBaseline records what the API server stored of a whole ConfigMap.
func SetBaseline(ctx context.Context, private privateWriter, stored diagnose.Content) diag.Diagnostics {
	baseline := wholeBaseline{}
	for _, part := range wholeParts(stored) {
		if part.entries == nil {
			continue
		}
		baseline[part.name] = digests{}
		for key, e := range part.entries {
			baseline[part.name][key] = e.Digest()
		}
	}
	return setPrivate(ctx, private, privateWritten, baseline)
}

// AcceptsWholeDrift reports whether an update that writes nothing has to be planned, to move the baseline.
func AcceptsWholeDrift(ctx context.Context, onDrift string, held, plan diagnose.Content, private privateReader) (bool, diag.Diagnostics) {
	if onDrift == terms.DriftOff {
		return false, nil
	}
	baseline, _, diags := getPrivate[wholeBaseline](ctx, private, privateWritten)
	_, accepted := wholeDrift(baseline, held, &plan)
	return accepted, diags
}

// PlanWholeDrift is CheckWholeDrift at plan.
func (r *Run) PlanWholeDrift(
	ctx context.Context, onDrift string, held, plan diagnose.Content, about diagnose.Subject, private privateReader,
) diag.Diagnostics {
	if !r.Checks() || r.applying() {
		return nil
	}
	return r.softenedAll(r.CheckWholeDrift(ctx, onDrift, held, &plan, r.planned(about), private))
}

// CheckWholeDrift judges the drift that an update of a whole ConfigMap would overwrite. A nil plan is that of a removal.
func (r *Run) CheckWholeDrift(
	ctx context.Context, onDrift string, held diagnose.Content, plan *diagnose.Content, about diagnose.Subject, private privateReader,
) diag.Diagnostics {
	baseline, _, diags := getPrivate[wholeBaseline](ctx, private, privateWritten)
	overwritten, _ := wholeDrift(baseline, held, plan)
	diags.Append(r.drifted(ctx, onDrift, overwritten, about)...)
	return diags
}
