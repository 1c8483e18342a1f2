package provider

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// connection is what every resource has of the provider.
type connection struct {
	data *providerData
}

// Configure implements [resource.ResourceWithConfigure].
func (c *connection) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*providerData); ok {
		c.data = data
	}
}

// configured tells whether the cluster is known: it is not while the provider's configuration is unknown.
func (c *connection) configured() bool { return c.data != nil && c.data.engine != nil }

// notConfigured is what a write gets where the cluster is not known.
func notConfigured() diag.Diagnostic {
	return diagnose.TitleProviderNotConfigured.With("The provider's configuration is not known, so nothing was written.")
}

// fieldManager is the one that a resource names, or the provider's.
func (c *connection) fieldManager(named types.String) string {
	if manager := named.ValueString(); manager != "" {
		return manager
	}
	return c.data.fieldManager
}

// hides tells whether diagnostics about what has this hide_value or hide_values show digests only.
func (c *connection) hides(own types.Bool) bool {
	return own.ValueBool() || own.IsUnknown() || c.data != nil && c.data.hideValues
}

// commit writes, for at most as long as the timeout says, and warns where admission changed what is written. With a
// wait_for_match it waits as well, so much longer, where what must hold does not yet.
func (c *connection) commit(ctx context.Context, t *cas.Txn, about diagnose.Subject, timeout time.Duration) (cas.TxnResult, diag.Diagnostics) {
	var diags diag.Diagnostics
	if !c.configured() {
		diags.Append(notConfigured())
		return cas.TxnResult{}, diags
	}
	wait := attributes.WaitFor(about.Wait)
	ctx, cancel := context.WithTimeout(ctx, timeout+wait)
	defer cancel()
	commit := c.data.engine.Commit
	if wait > 0 {
		commit = func(ctx context.Context, t *cas.Txn) (cas.TxnResult, error) {
			return c.data.engine.CommitWithin(ctx, t, wait)
		}
	}
	result, err := commit(ctx, t)
	if err != nil {
		diags.Append(about.Of(t).Diagnose(err))
		return result, diags
	}
	var changed []diagnose.KeyChange
	for _, k := range t.Keys {
		stored := result.After.Entry(k.Key)
		if _, touched := result.Previous[k.Key]; touched && result.Wrote && !k.IsGuard && !stored.Holds(k.New) {
			changed = append(changed, diagnose.KeyChange{Key: k.Key, Sent: k.New, Stored: stored})
		}
	}
	if len(changed) > 0 {
		diags.Append(about.ChangedByAdmission(changed))
	}
	return result, diags
}

// checkTxn is a plan's check of what commit is to write.
func (c *connection) checkTxn(ctx context.Context, t *cas.Txn, about diagnose.Subject, limits timeouts.Value) diag.Diagnostics {
	timeout, diags := limits.Read(ctx, terms.DefaultTimeout)
	diags.Append(c.check(ctx, about.Of(t), timeout, func(ctx context.Context) error {
		_, err := c.data.engine.Check(ctx, t, c.rehearsal())
		return err
	})...)
	return diags
}

// check is a plan's check: look asks the engine, for as long as a read may take.
func (c *connection) check(ctx context.Context, s diagnose.Subject, timeout time.Duration, look func(context.Context) error) diag.Diagnostics {
	if !c.configured() || c.data.planCheck == terms.PlanCheckOff {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := look(ctx); err != nil {
		var notFound *cas.NotFoundError
		if errors.As(err, &notFound) && s.Op == terms.OpCreate && c.data.creations.has(notFound.Ref) {
			return nil // it is made in the same run
		}
		if !s.Wait.IsNull() && cas.MayYetHold(err) {
			return diag.Diagnostics{s.NotYet(err)}
		}
		return diag.Diagnostics{c.softened(c.planned(s).Diagnose(err))}
	}
	return nil
}

// planned is the subject of a plan's check.
func (c *connection) planned(s diagnose.Subject) diagnose.Subject {
	s.Planning, s.Limit = c.data.planCheck == terms.PlanCheckError, terms.OpRead
	s.Rehearsed = c.rehearsal() == cas.DryRun
	return s
}

// softened makes a failed check of a plan what plan_check says it is.
func (c *connection) softened(d diag.Diagnostic) diag.Diagnostic {
	if c.data.planCheck != terms.PlanCheckWarning || d.Severity() != diag.SeverityError {
		return d
	}
	if at, ok := d.(diag.DiagnosticWithPath); ok {
		return diagnose.WarningTitle(d.Summary()).At(at.Path(), d.Detail())
	}
	return diagnose.WarningTitle(d.Summary()).With(d.Detail())
}

// rehearsal is whether the checks of a plan send what is to be written as a dry run. Where this process is known to be
// applying they do not: the write itself follows. The first one of an apply cannot be told from a plan.
func (c *connection) rehearsal() cas.CheckMode {
	if c.data.swapped() {
		return cas.ReadOnly
	}
	return c.data.rehearsal
}
