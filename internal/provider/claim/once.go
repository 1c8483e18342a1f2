package claim

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanSwap makes the checks that Invoke makes, except for keys that this plan itself changes before the swap is made. If isKnown is false, not all of
// the claim is known yet, and nothing is checked.
func (r *Run) PlanSwap(ctx context.Context, c *Claim, isKnown bool, timeout time.Duration) diag.Diagnostics {
	t := decide.Swap(&c.Claim)
	r.registry.planSwap(t)
	if !isKnown || !r.Checks() || r.registry.isCreated(c.Ref) || len(t.Keys) == 0 {
		return nil
	}
	return r.checkWithin(ctx, r.about(c, terms.OpInvoke).Of(t), timeout, func(ctx context.Context) error {
		_, err := r.Engine.Check(ctx, t, r.CheckMode())
		return err
	})
}

// PlanTake checks whether a number can be taken.
func (r *Run) PlanTake(ctx context.Context, counter cas.Counter, limits timeouts.Value, about diagnose.Subject) diag.Diagnostics {
	return r.planComputed(ctx, counter.Computed(), counters, limits, about)
}

// Take takes a number, which nobody else gets.
func (r *Run) Take(ctx context.Context, counter cas.Counter, timeout time.Duration, about diagnose.Subject) (int64, diag.Diagnostics) {
	var taken cas.Taken
	diags, _ := r.compute(ctx, counter.Computed(), counters, timeout, about, func(ctx context.Context) (err error) {
		taken, err = r.Engine.Take(ctx, counter)
		return err
	})
	if !diags.HasError() && taken.Stored != taken.Sent {
		diags.Append(about.NumberNotKept(taken))
	}
	return taken.Number, diags
}

// PlanTaken records that a planned instance has a number of a counter, and takes none.
func (r *Run) PlanTaken(ctx context.Context, counter cas.Counter, about diagnose.Subject) diag.Diagnostics {
	return r.planUse(ctx, counter.Ref, computing(counter.Key, false), token(counters), about)
}

// computing returns the use of a computed key by an instance. writes says whether the instance writes the key.
func computing(key string, writes bool) use {
	u := use{owns: []string{key}, values: map[string]eval.Value{key: eval.Text("")}}
	if writes {
		u.writes = u.owns
	}
	return u
}

// planComputed checks whether a key can be computed, and records that the plan computes it. who is a token that several
// instances share if they compute the key in the same way.
func (r *Run) planComputed(ctx context.Context, c cas.Computed, who string, limits timeouts.Value, about diagnose.Subject) diag.Diagnostics {
	diags := r.planUse(ctx, c.Ref, computing(c.Key, true), token(who), about)
	if diags.HasError() {
		return diags
	}
	return append(diags, r.check(ctx, about, limits, func(ctx context.Context) error {
		return r.Engine.CheckCompute(ctx, c, r.CheckMode())
	})...)
}

// compute sends what computes a key, unless a call that is not one of them has written the key in this apply. Its error is that of send.
func (r *Run) compute(
	ctx context.Context, c cas.Computed, who string, timeout time.Duration, about diagnose.Subject, send func(context.Context) error,
) (diag.Diagnostics, error) {
	if !r.Configured() {
		return diag.Diagnostics{NotConfigured()}, nil
	}
	r.writes.Add(1)
	about.Writes = r.writes.Load
	if about.Op != terms.OpDelete { // a removal takes no key
		if twice := r.registry.take(c.Ref, []string{c.Key}, who); len(twice) > 0 {
			err := &diagnose.WrittenTwiceError{Keys: twice}
			return diag.Diagnostics{about.Diagnose(err)}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+c.Wait)
	defer cancel()
	err := send(ctx)
	if err == nil {
		return nil, nil
	}
	return diag.Diagnostics{about.Diagnose(r.located(ctx, about.APIVersion, err))}, err
}

// Invoke writes the keys of the claim of an action, which has no state, and reports its progress with say. A conflict has
// written nothing.
func (r *Run) Invoke(ctx context.Context, c *Claim, wait types.String, timeout time.Duration, say func(format string, args ...any), diags *diag.Diagnostics) {
	if limit := wait.ValueString(); limit != "" {
		say("Waiting up to %s for the expected state of %s", limit, c.Ref)
	} else {
		say("Comparing %s with the expected state", c.Ref)
	}
	if !r.Configured() {
		diags.Append(NotConfigured())
		return
	}
	t := decide.Swap(&c.Claim)
	about := r.about(c, terms.OpInvoke)
	result, err := r.commit(ctx, t, about, timeout)
	if diags.Append(report(t, result, err, about)...); diags.HasError() {
		return
	}
	replaced, version := decide.Replaced(t, decide.Result(result)), result.After.Version().ResourceVersion
	if replaced == nil {
		say("%s is as expected at resourceVersion %s; nothing to write", c.Ref, version)
		return
	}
	var wrote, removed []string
	for _, key := range c.Keys() {
		was, touched := replaced[key]
		name, _ := diagnose.NameOf(key)
		switch value := c.Values[key]; {
		case !touched, value == was:
		case value.IsAbsent():
			removed = append(removed, name)
		default:
			wrote = append(wrote, name)
		}
	}
	for _, done := range []struct {
		what, where string
		keys        []string
	}{{"Removed", "from", removed}, {"Wrote", "to", wrote}} {
		if len(done.keys) > 0 {
			say("%s %s %s %s, now at resourceVersion %s", done.what, strings.Join(done.keys, ", "), done.where, c.Ref, version)
		}
	}
}
