package claim

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Run holds a configured provider's engine and settings, and the registry of its reads and plans so far. All resources of the provider share it.
// A nil Run is a provider that was not configured; Configured, Checks, FieldManagerOr and Hides accept it.
type Run struct {
	Engine       *cas.Engine // nil while the provider's configuration is not known
	FieldManager string
	HideValues   bool
	PlanCheck    terms.PlanCheck
	Rehearsal    cas.CheckMode // of a plan's checks
	Defaults     terms.Defaults

	registry registry
	pools    pools
	writes   atomic.Int64 // calls of this run that write
	readers  sync.Map     // of pools, by terms.EntryID
}

// Configured reports whether the cluster is known.
func (r *Run) Configured() bool { return r != nil && r.Engine != nil }

// Checks reports whether plans are checked.
func (r *Run) Checks() bool { return r.Configured() && r.PlanCheck != terms.PlanCheckOff }

// applying reports whether this process has written already: then it is applying. Before its first write, an apply looks like a plan.
func (r *Run) applying() bool { return r.Engine != nil && r.Engine.HasWritten() }

// NotConfigured is the error of a write while the cluster is unknown.
func NotConfigured() diag.Diagnostic {
	return diagnose.TitleProviderNotConfigured.With(diagnose.Detail("The provider's configuration is not known yet. Nothing was written.", nil,
		"Apply what it depends on first, with -target. Then run terraform apply again."))
}

// FieldManagerOr gives the resource's field manager, or else the provider's.
func (r *Run) FieldManagerOr(named types.String) string {
	if manager := named.ValueString(); manager != "" || r == nil {
		return manager
	}
	return r.FieldManager
}

// about returns the subject of diagnostics about an operation.
func (r *Run) about(c *Claim, op terms.Operation) diagnose.Subject {
	about := c.About(op)
	about.Manager, about.Writes = c.FieldManager, r.writes.Load
	return about
}

// Hides reports whether diagnostics about a resource with this hide_values show digests only.
func (r *Run) Hides(own types.Bool) bool {
	return own.ValueBool() || own.IsUnknown() || r != nil && r.HideValues
}

type deferralKey struct{}

// Planning returns the context of a plan's checks. Terraform plans a change again when it applies it, and nothing says so.
// Deferrals are a hint: only an apply of Terraform accepts them, unless the user allows them in a plan. OpenTofu gives no
// hint. The hint decides about texts, about warnings and checks that the write makes as well, and about the error of an
// apply that would replace an object although its plan did not, which Terraform itself refuses. If the create of a
// replacement refuses, and not its plan, Terraform puts back the object that create_before_destroy deposed.
func (r *Run) Planning(ctx context.Context, req *resource.ModifyPlanRequest) context.Context {
	return context.WithValue(ctx, deferralKey{}, req.ClientCapabilities.DeferralAllowed)
}

// IsApply reports whether a plan's check seems to be made for an apply.
func (r *Run) IsApply(ctx context.Context) bool {
	isHinted, _ := ctx.Value(deferralKey{}).(bool)
	return isHinted || r.applying()
}

// CheckMode says whether plan checks send a dry run. While applying they do not: the write itself follows.
func (r *Run) CheckMode() cas.CheckMode {
	if r.applying() {
		return cas.ReadOnly
	}
	return r.Rehearsal
}

// check makes a check of a plan, within the read timeout. ask asks the engine.
func (r *Run) check(ctx context.Context, about diagnose.Subject, limits timeouts.Value, ask func(context.Context) error) diag.Diagnostics {
	timeout, diags := limits.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() || !r.Checks() {
		return diags
	}
	return append(diags, r.checkWithin(ctx, about, timeout, ask)...)
}

func (r *Run) checkWithin(ctx context.Context, about diagnose.Subject, timeout time.Duration, ask func(context.Context) error) (diags diag.Diagnostics) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := ask(ctx)
	notFound, isMissing := errors.AsType[*eval.NotFoundError](err)
	switch {
	case err == nil:
	case isMissing && about.Op == terms.OpCreate && r.registry.isCreated(notFound.Ref): // it is made in the same run
	case !about.Wait.IsNull() && cas.MayYetHold(err):
		diags.Append(about.NotYet(err))
	default:
		diags.Append(r.atPlan(ctx, about).Diagnose(r.located(ctx, about.APIVersion, err)))
	}
	return diags
}

// located adds to the error of a missing object which API server was asked, the names that exist there, and whether the namespace exists.
func (r *Run) located(ctx context.Context, apiVersion string, err error) error {
	if e, ok := errors.AsType[*eval.NoNamespaceError](err); ok {
		return &diagnose.MissingError{Err: err, Missing: r.missing(ctx, e.Ref, apiVersion)}
	}
	if e, ok := errors.AsType[*eval.NotFoundError](err); ok {
		return &diagnose.MissingError{Err: err, Missing: r.missing(ctx, e.Ref, apiVersion)}
	}
	return err
}

// missing returns the facts about a missing object, as far as the role permits the reads.
func (r *Run) missing(ctx context.Context, ref eval.Ref, apiVersion string) diagnose.Missing {
	missing := diagnose.Missing{Host: r.Engine.Host()}
	if missing.Namespace = r.Engine.LacksNamespace(ctx, ref.Namespace); missing.Namespace {
		ref, apiVersion = eval.Ref{Kind: eval.KindOf("", "Namespace")}, "v1"
	}
	missing.Names = r.Engine.Names(ctx, ref, apiVersion)
	return missing
}

// NothingThere is for an import of an object, or of a key, that does not exist.
func (r *Run) NothingThere(ctx context.Context, about diagnose.Subject, seen *eval.Snapshot) diag.Diagnostic {
	if seen.Exists() {
		return about.NothingThere(seen, diagnose.Missing{})
	}
	return about.NothingThere(seen, r.missing(ctx, about.ID.Ref, about.APIVersion))
}

// atPlan is the subject of diagnostics about a plan's check.
func (r *Run) atPlan(ctx context.Context, about diagnose.Subject) diagnose.Subject {
	about.Plan, about.Writes = r.PlanCheck, r.writes.Load
	about.Replanned = r.IsApply(ctx)
	about.Rehearsed = r.CheckMode() == cas.DryRun
	return about
}

// is reports whether an error is one of a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
