package claim

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Drift is a value that another writer set after the last apply. The baseline is the digest of the value that the API
// server stored then. An update that would overwrite drift is refused, or warns if on_drift permits it. An update to the
// live value accepts drift: it sends nothing, and moves the baseline.

// drift compares the values of the prior state with the baseline. overwritten has the fields that the plan would
// overwrite; accepted reports whether the plan has the live value of a field.
func (ch *Change) drift() (overwritten []diagnose.Drift, accepted bool) {
	for _, key := range ch.Plan.Keys() {
		live, value := ch.Prior.Values[key], ch.Plan.Values[key]
		switch {
		case !ch.Memory.isDrift(key, live):
		case !value.IsAnything() && ch.Memory.same(key, value, live):
			accepted = true
		case live.IsAbsent(): // what is missing is created again: nothing is overwritten
		case !ch.acknowledges(key):
			d := diagnose.Drift{Key: key, Found: live, ToWrite: value}
			if former, isKept := ch.Memory.Replaced[key]; isKept {
				d.Written = &former
			}
			overwritten = append(overwritten, d)
		}
	}
	return overwritten, accepted
}

// AcceptsDrift reports whether an update that writes nothing has to be planned: to move the baseline, or to forget a key that vanished and
// that the plan no longer names.
func (ch *Change) AcceptsDrift() bool {
	if !ch.Plan.Known.Values {
		return false
	}
	for key := range ch.Memory.Written {
		_, names := ch.Plan.Values[key]
		_, has := ch.Prior.Values[key]
		if !names && !has {
			return true
		}
	}
	_, accepted := ch.drift()
	return accepted
}

// checkDrift judges the drift that an update would overwrite, at plan and again at apply.
func (ch *Change) checkDrift(ctx context.Context) diag.Diagnostics {
	if !ch.about.Wait.IsNull() { // the update waits for drift to change, and never overwrites it
		return nil
	}
	overwritten, _ := ch.drift()
	overwritten = slices.DeleteFunc(overwritten, ch.keeps)
	return ch.Run.drifted(ctx, ch.Plan.OnDrift, overwritten, ch.about)
}

// checkKept warns of drift in a Secret that a plan leaves as it is: no plan shows its values.
func (ch *Change) checkKept(ctx context.Context) diag.Diagnostics {
	if !ch.Plan.IsSecret() || !ch.Run.Checks() || ch.Run.IsApply(ctx) {
		return nil
	}
	drift, _ := ch.drift()
	drift = slices.DeleteFunc(drift, func(d diagnose.Drift) bool { return !ch.keeps(d) })
	if len(drift) == 0 {
		return nil
	}
	return diag.Diagnostics{ch.about.DriftKept(drift, ch.Run.writers(ctx, ch.about))}
}

// writers is an object as it is now, for the names of its writers: no request right after a refresh. Without it a message has a fact less.
func (r *Run) writers(ctx context.Context, about diagnose.Subject) *eval.Snapshot {
	live, err := r.Engine.Observe(ctx, about.ID.Ref, about.APIVersion, cas.Fresh)
	if err != nil {
		return nil
	}
	return live
}

// removalDrift is the on_drift of the removal in a replace: the plan's, and "overwrite" if the plan overwrites no drift.
func (ch *Change) removalDrift() string {
	if overwritten, _ := ch.drift(); len(overwritten) == 0 {
		return terms.DriftOverwrite
	}
	return ch.Plan.OnDrift
}

// drifted makes the diagnostic of drift that a write overwrites.
func (r *Run) drifted(ctx context.Context, onDrift string, overwritten []diagnose.Drift, about diagnose.Subject) diag.Diagnostics {
	if len(overwritten) == 0 || onDrift == "" { // on_drift is not known yet: the apply judges
		return nil
	}
	if onDrift == terms.DriftOverwrite {
		return diag.Diagnostics{about.DriftOverwritten(overwritten, r.writers(ctx, about))}
	}
	return diag.Diagnostics{about.DriftRefused(overwritten, r.writers(ctx, about))}
}
