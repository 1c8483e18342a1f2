package object

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
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

// NewSwap is the action cas_object_swap.
func NewSwap() action.Action { return &swapAction{} }

// swapAction is cas_object_swap. It has no state: what a field must hold comes from its configuration alone.
type swapAction struct {
	adapter.Connection
}

// swapModel is the action's schema as Go values.
type swapModel struct {
	APIVersion              types.String   `tfsdk:"api_version"`
	Kind                    types.String   `tfsdk:"kind"`
	Namespace               types.String   `tfsdk:"namespace"`
	Name                    types.String   `tfsdk:"name"`
	Fields                  types.Dynamic  `tfsdk:"fields"`
	ExpectedFields          types.Dynamic  `tfsdk:"expected_fields"`
	ExpectedResourceVersion types.String   `tfsdk:"expected_resource_version"`
	WaitForMatch            types.String   `tfsdk:"wait_for_match"`
	FieldManager            types.String   `tfsdk:"field_manager"`
	HideValues              types.Bool     `tfsdk:"hide_values"`
	Timeouts                timeouts.Value `tfsdk:"timeouts"`
}

var swapCodec = codec.Of[swapModel](swapSchema)

// Metadata implements [action.Action].
func (*swapAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_object_swap"
}

// Schema implements [action.Action].
func (*swapAction) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = swapSchema(ctx)
}

func swapSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Swaps fields of an existing object of any kind in one atomic request, all or none, only if every field holds its expected value. " +
			"An action has no state. Needs Terraform 1.14.",
		Attributes: attributes.Swap("object", map[string]schema.Attribute{
			"api_version": schema.StringAttribute{
				Required: true, Validators: []validator.String{validAPIVersion()},
				MarkdownDescription: "Version of the API in which paths are read, such as `v1` or `apps/v1`.",
			},
			"kind": schema.StringAttribute{Required: true, Validators: []validator.String{validKind()}, MarkdownDescription: "Kind of the object, such as `Deployment`."},
			"namespace": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attributes.ValidNamespace()},
				MarkdownDescription: "Namespace of the object. Required for kinds that have namespaces, and none for others.",
			},
			"name": schema.StringAttribute{
				Required: true, Validators: []validator.String{validName()}, MarkdownDescription: "Name of the object. It must exist before the swap.",
			},
			"fields": schema.DynamicAttribute{
				Optional: true, MarkdownDescription: "Values to write, by path: any JSON value; null to remove the field, which needs an expectation. Other fields stay as they are.",
			},
			"expected_fields": schema.DynamicAttribute{
				Optional: true,
				MarkdownDescription: "Values that fields must hold before the write, by path, as the API server stores them; null if the field must be absent. A field of `fields` that is " +
					"not here must be absent, or already hold the value to write. A field that is only here is a guard: the request compares it and never writes it.",
			},
		}),
	}
}

// fieldsOf are the attributes as the resource has them.
func (m *swapModel) fieldsOf() *fieldsModel {
	of := &fieldsModel{APIVersion: m.APIVersion, ObjectKind: m.Kind, Fields: m.Fields, ExpectedFields: m.ExpectedFields, HideValues: m.HideValues}
	of.Namespace, of.Name, of.FieldManager, of.WaitForMatch = m.Namespace, m.Name, m.FieldManager, m.WaitForMatch
	of.SetKind()
	return of
}

// ValidateConfig checks what the schema does not.
func (*swapAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	m, diags := swapCodec().Decode(ctx, req.Config.Raw)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	of := m.fieldsOf()
	resp.Diagnostics.Append(of.validateFields()...)
	fields, _ := of.fields()
	expected, _ := of.expected()
	if !fields.isNamed || !expected.isNamed || resp.Diagnostics.HasError() {
		return
	}
	if len(fields.entries) == 0 && len(expected.entries) == 0 {
		resp.Diagnostics.Append(invalidAt(path.Root("fields"), diagnose.TitleMissingKeys, "there must be at least one field in fields or expected_fields"))
	}
	for key, e := range fields.entries {
		if _, expects := expected.entries[key]; fields.isKnown && e.IsAbsent() && !expects {
			resp.Diagnostics.Append(invalidAt(fields.at(key), diagnose.TitleInvalidAttributeCombination, "null removes the field, so expected_fields must name it, too"))
		}
	}
}

// Configure implements [action.ActionWithConfigure].
func (a *swapAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	resp.Diagnostics.Append(a.Connect(req.ProviderData)...)
}

// claim translates the action to a claim.
func (m *swapModel) claim(run *claim.Run) *claim.Claim {
	of := m.fieldsOf()
	c := of.Claim(run)
	c.Pin = m.ExpectedResourceVersion
	about := c.About
	c.About = func(op terms.Operation) diagnose.Subject {
		s := about(op)
		s.Noun, s.Wait, s.ImportID = "swap", m.WaitForMatch, nil
		s.Ways = diagnose.Ways{Missing: "If this run creates the object, trigger the action after that. Otherwise create it first."}
		return s
	}
	return c
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
	if !resp.Diagnostics.HasError() && adapter.Known(m.APIVersion, m.Kind, m.Namespace, m.Name) {
		resp.Diagnostics.Append(a.Run.PlanSwap(ctx, m.claim(a.Run), isKnown, timeout)...)
	}
}

// Invoke implements [action.Action].
func (a *swapAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	m, diags := swapCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := m.Timeouts.Invoke(ctx, terms.DefaultTimeout)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := interrupted.Context(ctx)
	defer cancel()
	say := func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
	a.Run.Invoke(ctx, m.claim(a.Run), m.WaitForMatch, timeout, say, &resp.Diagnostics)
}
