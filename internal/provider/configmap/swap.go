package configmap

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
	"github.com/terraform-cas/terraform-provider-cas/internal/serve/interrupted"
)

var (
	_ action.ActionWithConfigure      = (*swapAction)(nil)
	_ action.ActionWithModifyPlan     = (*swapAction)(nil)
	_ action.ActionWithValidateConfig = (*swapAction)(nil)
)

// NewSwap is the action cas_configmap_swap.
func NewSwap() action.Action { return &swapAction{} }

// swapAction is cas_configmap_swap. It has no state: what a key must hold comes from its configuration alone.
type swapAction struct {
	adapter.Connection
}

// swapModel is the action's schema as Go values.
type swapModel struct {
	dataMaps

	Namespace               types.String   `tfsdk:"namespace"`
	Name                    types.String   `tfsdk:"name"`
	ExpectedResourceVersion types.String   `tfsdk:"expected_resource_version"`
	WaitForMatch            types.String   `tfsdk:"wait_for_match"`
	FieldManager            types.String   `tfsdk:"field_manager"`
	HideValues              types.Bool     `tfsdk:"hide_values"`
	Timeouts                timeouts.Value `tfsdk:"timeouts"`
}

var swapCodec = codec.Of[swapModel](func(ctx context.Context) attr.Type {
	var resp action.SchemaResponse
	(&swapAction{}).Schema(ctx, action.SchemaRequest{}, &resp)
	return resp.Schema.Type()
})

func (*swapAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap_swap"
}

// Configure implements [action.ActionWithConfigure].
func (a *swapAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	resp.Diagnostics.Append(a.Connect(req.ProviderData)...)
}

func (m *swapModel) ref() cas.Ref {
	return cas.Ref{Namespace: namespaceOr(m.Namespace), Name: m.Name.ValueString()}
}

// namespaceOr is the namespace, or the default one: actions and lists have no defaults of their own.
func namespaceOr(named types.String) string {
	return cmp.Or(named.ValueString(), terms.DefaultNamespace)
}

// claim translates the action to a claim.
func (m *swapModel) claim(run *claim.Run) *claim.Claim {
	return &claim.Claim{
		Ref: m.ref(), Values: m.values(), Expected: m.expected(),
		Pin: m.ExpectedResourceVersion, FieldManager: m.FieldManager,
		About: func(op terms.Operation) diagnose.Subject { return m.about(op, run.Hides(m.HideValues)) },
	}
}

func (m *swapModel) about(op terms.Operation, hide bool) diagnose.Subject {
	s := diagnose.Subject{
		ID: terms.EntryID{Ref: m.ref()}, Noun: "swap", Op: op, Limit: op, Hide: diagnose.HideIf(hide), Wait: m.WaitForMatch,
		Ways: diagnose.Ways{Missing: "If this run creates the ConfigMap, trigger the action after that. Otherwise create it first."},
	}
	m.describe(&s)
	return s
}

// ModifyPlan makes the checks of an invocation at plan.
func (a *swapAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.Run == nil {
		return
	}
	m, diags := swapCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	isKnown, timeout := req.Config.Raw.IsFullyKnown(), terms.DefaultTimeout
	if isKnown {
		timeout, diags = m.Timeouts.Invoke(ctx, timeout)
		resp.Diagnostics.Append(diags...)
	}
	if !resp.Diagnostics.HasError() && adapter.Known(m.Namespace, m.Name) {
		resp.Diagnostics.Append(a.Run.PlanSwap(ctx, m.claim(a.Run), isKnown, timeout)...)
	}
}

// Invoke implements [action.Action].
func (a *swapAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	m, diags := swapCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := m.Timeouts.Invoke(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	say := func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
	c := m.claim(a.Run)
	if wait := m.WaitForMatch.ValueString(); wait != "" {
		say("Waiting up to %s for the expected state of %s", wait, c.Ref)
	} else {
		say("Comparing %s with the expected state", c.Ref)
	}
	ctx, cancel := interrupted.Context(ctx)
	defer cancel()
	written, diags := a.Run.Swap(ctx, c, timeout)
	resp.Diagnostics.Append(diags...)
	switch {
	case diags.HasError():
	case written.Previous == nil:
		say("%s is as expected at resourceVersion %s; nothing to write", c.Ref, written.Version.ResourceVersion)
	default:
		var wrote, removed []string
		for _, key := range c.Keys() {
			was, touched := written.Previous[key]
			switch value := c.Values[key]; {
			case !touched, value == was:
			case value.IsAbsent():
				removed = append(removed, key)
			default:
				wrote = append(wrote, key)
			}
		}
		for _, done := range []struct {
			what, where string
			keys        []string
		}{{"Removed", "from", removed}, {"Wrote", "to", wrote}} {
			if len(done.keys) > 0 {
				say("%s %s %s %s, now at resourceVersion %s", done.what, strings.Join(done.keys, ", "), done.where, c.Ref, written.Version.ResourceVersion)
			}
		}
	}
}
