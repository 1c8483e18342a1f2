package resource

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// SwapAttributes are the attributes that all actions share.
type SwapAttributes struct {
	Named

	ExpectedResourceVersion types.String `tfsdk:"expected_resource_version"`
	WaitForMatch            types.String `tfsdk:"wait_for_match"`
	FieldManager            types.String `tfsdk:"field_manager"`
	HideValues              types.Bool   `tfsdk:"hide_values"`
	Timeouts                types.Object `tfsdk:"timeouts"`
}

// Shared are the attributes themselves.
func (m *SwapAttributes) Shared() *SwapAttributes { return m }

// SwapModel is the model of an action that swaps parts of an object.
type SwapModel[M any] interface {
	*M
	Shared() *SwapAttributes
	// Validate says what is wrong with a configuration.
	Validate() diag.Diagnostics
	// At are the attributes that say where the object is.
	At() []types.String
	// Claim translates the action to a claim, without what all actions share.
	Claim() *claim.Claim
}

// swap implements the actions. An action has no state: what a key must hold comes from its configuration alone.
type swap[M any, P SwapModel[M]] struct{ Modeled[M] }

// NewSwap is an action.
func NewSwap[M any, P SwapModel[M]](name string, kind eval.Kind, definition func(context.Context) schema.Schema) interface {
	action.ActionWithConfigure
	action.ActionWithModifyPlan
	action.ActionWithValidateConfig
} {
	return &swap[M, P]{NewModeled[M](name, kind, definition)}
}

func (s *swap[M, P]) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + s.Name
}

func (s *swap[M, P]) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	Describe(ctx, s.Definition, &resp.Schema.MarkdownDescription, &resp.Schema.Attributes)
}

func (s *swap[M, P]) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	resp.Diagnostics.Append(s.Connect(req.ProviderData)...)
}

func (s *swap[M, P]) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	if m := P(s.Decode(ctx, req.Config.Raw, &resp.Diagnostics)); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(m.Validate()...)
	}
}

// claim translates a model to a claim.
func (s *swap[M, P]) claim(m P) *claim.Claim {
	of, c := m.Shared(), m.Claim()
	c.Required, c.FieldManager = requiredOf(of.ExpectedResourceVersion), s.Run.FieldManagerOr(of.FieldManager)
	about := c.About
	c.About = func(op terms.Operation) diagnose.Subject {
		a := about(op)
		a.Noun, a.ImportID, a.Op = "swap", nil, op
		a.Wait, a.Hide = of.WaitForMatch, diagnose.HideIf(s.Run.Hides(of.HideValues))
		a.Ways = diagnose.Ways{Missing: fmt.Sprintf("If this run creates the %s, trigger the action after that. Otherwise create it first.", s.Kind)}
		return a
	}
	return c
}

// ModifyPlan makes the checks of an invocation at plan.
func (s *swap[M, P]) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if s.Run == nil {
		return
	}
	m := P(s.Decode(ctx, req.Config.Raw, &resp.Diagnostics))
	timeout, diags := attributes.Limit(ctx, m.Shared().Timeouts)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() && Known(m.At()...) {
		resp.Diagnostics.Append(s.Run.PlanSwap(ctx, s.claim(m), req.Config.Raw.IsFullyKnown(), timeout)...)
	}
}

func (s *swap[M, P]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	m := P(s.Decode(ctx, req.Config.Raw, &resp.Diagnostics))
	timeout, diags := attributes.Limit(ctx, m.Shared().Timeouts)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	say := func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
	s.Run.Invoke(ctx, s.claim(m), m.Shared().WaitForMatch, timeout, say, &resp.Diagnostics)
}
