package configmap

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
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

var swapCodec = codec.Of[swapModel](swapSchema)

// Schema implements [action.Action].
func (*swapAction) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = swapSchema(ctx)
}

func swapSchema(_ context.Context) schema.Schema {
	of := func(values validator.String, description string) schema.MapAttribute {
		return schema.MapAttribute{
			ElementType: types.StringType, Optional: true, MarkdownDescription: description,
			Validators: []validator.Map{mapvalidator.KeysAre(attributes.ValidKey(cas.ConfigMap)), mapvalidator.ValueStringsAre(values)},
		}
	}
	return schema.Schema{
		MarkdownDescription: "Swaps keys of an existing ConfigMap in one atomic request, all or none, only if every key holds its expected value. " +
			"An action has no state. Needs Terraform 1.14.",
		Attributes: attributes.Swap("ConfigMap", map[string]schema.Attribute{
			"namespace": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attributes.ValidNamespace()},
				MarkdownDescription: "Namespace of the ConfigMap. Default: `default`.",
			},
			"name": schema.StringAttribute{
				Required: true, Validators: []validator.String{attributes.ValidName(cas.ConfigMap)},
				MarkdownDescription: "Name of the ConfigMap. It must exist before the swap.",
			},
			"data": of(attributes.ValidValueSize(), "Text to write, by key; null to remove the key, which needs an expectation. Other keys stay as they are."),
			"binary_data": of(attributes.ValidBase64(), "Bytes to write to `binaryData`, by key, in standard base64; null to remove the key. No key may be in "+
				"both maps."),
			"expected_data": of(attributes.ValidValueSize(), "Text that each key must hold before the write; null if the key must be absent. A key of `data` "+
				"or `binary_data` that is not listed here must be absent, or already hold the value to write. A key that is listed only here is a guard: the "+
				"request compares it and never writes it."),
			"expected_binary_data": of(attributes.ValidBase64(), "Bytes that each key must hold before the write, in standard base64. Works like "+
				"`expected_data`. No key may be in both."),
		}),
	}
}

// ValidateConfig checks what the maps must be together. What each holds by itself, the schema checks.
func (*swapAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	m, diags := swapCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(m.validate()...)
	for _, of := range []types.Map{m.Data, m.BinaryData, m.ExpectedData, m.ExpectedBinaryData} {
		if of.IsUnknown() {
			return
		}
	}
	expected := m.expected()
	if len(expected) == 0 && len(m.keys()) == 0 {
		resp.Diagnostics.Append(invalidAt(path.Root("data"), diagnose.TitleMissingKeys,
			"there must be at least one key in data, binary_data, expected_data or expected_binary_data"))
	}
	for attribute, of := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData} {
		for key, v := range of.Elements() {
			if _, expects := expected[key]; v.IsNull() && !expects {
				resp.Diagnostics.Append(invalidAt(path.Root(attribute).AtMapKey(key), diagnose.TitleInvalidAttributeCombination,
					"null removes the key, so expected_data or expected_binary_data must name it, too"))
			}
		}
	}
}

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
	ctx, cancel := interrupted.Context(ctx)
	defer cancel()
	a.Run.Invoke(ctx, m.claim(a.Run), m.WaitForMatch, timeout, say, &resp.Diagnostics)
}
