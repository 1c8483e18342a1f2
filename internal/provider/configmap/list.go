package configmap

import (
	"context"
	"fmt"
	"iter"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/list/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// listModel holds the attributes that all lists share.
type listModel struct {
	Namespace     types.String   `tfsdk:"namespace"`
	LabelSelector types.String   `tfsdk:"label_selector"`
	FieldSelector types.String   `tfsdk:"field_selector"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`
}

// listAttributes is the schema of listModel, with others added. Not all go with a selector.
func listAttributes(others map[string]schema.Attribute, selectors ...validator.String) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"namespace": schema.StringAttribute{
			Optional: true, Validators: []validator.String{attributes.ValidNamespace()},
			MarkdownDescription: "Namespace of the ConfigMaps. Default: `default`.",
		},
		"label_selector": schema.StringAttribute{
			Optional: true, Validators: append(selectors, attributes.Rule("a label selector", diagnose.TitleInvalidSelector, func(s string) []string {
				_, err := labels.Parse(s)
				return selectorProblems("app=shop", err)
			})),
			MarkdownDescription: "Selects ConfigMaps by their labels, as `kubectl --selector` does, for example `app=shop,tier!=test`. Default: all.",
		},
		"field_selector": schema.StringAttribute{
			Optional: true, Validators: append(selectors, attributes.Rule("a field selector", diagnose.TitleInvalidSelector, func(s string) []string {
				_, err := fields.ParseSelector(s)
				return selectorProblems("metadata.name=settings", err)
			})),
			MarkdownDescription: "Selects ConfigMaps by their fields, as `kubectl --field-selector` does. The API server knows `metadata.name` and " +
				"`metadata.namespace` of ConfigMaps. Default: all.",
		},
		"timeouts": schema.SingleNestedAttribute{
			Optional: true, CustomType: timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"list": types.StringType}}},
			Attributes: map[string]schema.Attribute{"list": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attributes.ValidTimeout()},
				MarkdownDescription: "Time limit of the list, such as `30s` or `2m`. Default: `1m`.",
			}},
		},
	}
	maps.Copy(all, others)
	return all
}

func selectorProblems(example string, err error) []string {
	if err == nil {
		return nil
	}
	return []string{fmt.Sprintf("must be a selector such as %s: %v", example, err)}
}

// listCodec is the codec of a list's schema.
func listCodec[M any](l list.ListResource) func() *codec.Codec[M] {
	return codec.Of[M](func(ctx context.Context) attr.Type {
		var resp list.ListResourceSchemaResponse
		l.ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &resp)
		return resp.Schema.Type()
	})
}

// selection is what the engine lists.
func (m *listModel) selection() cas.Selection {
	return cas.Selection{Namespace: namespaceOr(m.Namespace), Labels: m.LabelSelector.ValueString(), Fields: m.FieldSelector.ValueString()}
}

// stream streams the results that the function of makes of each object, at most as many as Terraform asks for. A failure is the last result.
func stream(
	ctx context.Context, run *claim.Run, req list.ListRequest, m *listModel, about diagnose.Subject,
	found func(context.Context) iter.Seq2[cas.Listed, error], of func(cas.Listed) iter.Seq[list.ListResult],
) iter.Seq[list.ListResult] {
	timeout, diags := m.Timeouts.List(ctx, terms.DefaultTimeout)
	if !run.Configured() {
		diags.Append(diagnose.TitleProviderNotConfigured.With(diagnose.Detail(
			"The provider's configuration is not known yet. Nothing was listed.", nil, "Give the provider's arguments values that are known.")))
	}
	if diags.HasError() {
		return list.ListResultsStreamDiagnostics(diags)
	}
	about.Op, about.Limit, about.Hide = terms.OpList, terms.OpList, diagnose.HideIf(run.Hides(types.BoolNull()))
	return func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		left := req.Limit
		for each, err := range found(ctx) {
			if err != nil {
				push(list.ListResult{Diagnostics: diag.Diagnostics{about.Diagnose(err)}})
				return
			}
			for result := range of(each) {
				if !push(result) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}
