package configmap

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// source is what every data source has of the provider.
type source struct {
	connection
}

// Configure implements [datasource.DataSourceWithConfigure].
func (s *source) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	resp.Diagnostics.Append(s.connect(req.ProviderData)...)
}

// observe reads the ConfigMap. What was read before is never good enough: what depends on it may be judged by it. Where the provider's
// configuration is not known and the client allows it, the framework has deferred the read already.
func (s *source) observe(ctx context.Context, id terms.EntryID, limit timeouts.Value) (*cas.Observation, diag.Diagnostics) {
	timeout, diags := limit.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() {
		return nil, diags
	}
	if !s.run.Configured() {
		return nil, diag.Diagnostics{diagnose.TitleProviderNotConfigured.With(
			"The provider's configuration is not known, so nothing was read. Give the data source depends_on of what makes it known.")}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	seen, err := s.run.Engine.Observe(ctx, id.Ref, 0)
	if err != nil {
		diags.Append(diagnose.Subject{
			ID: id, Op: terms.OpRead, Expected: path.Empty(), Value: path.Empty(), Hide: s.run.Hides(types.BoolNull()), Limit: terms.OpRead,
		}.Diagnose(err))
	}
	return seen, diags
}

func readTimeoutsAttribute(ctx context.Context) schema.Attribute {
	attribute := timeouts.AttributesWithOpts(ctx, timeouts.Opts{ReadDescription: "How long the read may take, such as `30s` or `2m`. Default: `1m`."})
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		for name, each := range nested.Attributes {
			if s, ok := each.(schema.StringAttribute); ok {
				s.Validators = []validator.String{attributes.ValidTimeout()}
				nested.Attributes[name] = s
			}
		}
	}
	return attribute
}

func namespaceArgument() schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Validators: []validator.String{attributes.ValidNamespace()},
		MarkdownDescription: "Namespace of the ConfigMap. Default: `default`.",
	}
}

// namespaceOf is what is configured, or the default: data sources have no defaults of their own.
func namespaceOf(configured types.String) types.String {
	if configured.IsNull() {
		return types.StringValue(terms.DefaultNamespace)
	}
	return configured
}

// versionOf is the uid and the resourceVersion that were seen, null where there was no ConfigMap.
func versionOf(o *cas.Observation) (uid, resourceVersion types.String) {
	if !o.Exists() {
		return types.StringNull(), types.StringNull()
	}
	v := o.Version()
	return types.StringValue(v.UID), types.StringValue(v.ResourceVersion)
}

var managerType = map[string]attr.Type{"manager": types.StringType, "operation": types.StringType, "time": types.StringType}

func managersAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Who has written to the ConfigMap, as far as its `managedFields` tell: a removal leaves no trace there. Null where " +
			"there is no ConfigMap.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"manager":   schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the field manager."},
			"operation": schema.StringAttribute{Computed: true, MarkdownDescription: "`Update`, or `Apply` for server-side apply."},
			"time": schema.StringAttribute{
				Computed: true, MarkdownDescription: "When it last wrote, to any field: RFC 3339, in seconds, UTC.",
			},
		}},
	}
}

// managersOf is the value of managersAttribute.
func managersOf(o *cas.Observation) types.List {
	element := types.ObjectType{AttrTypes: managerType}
	if !o.Exists() {
		return types.ListNull(element)
	}
	all := []attr.Value{}
	for _, w := range o.Writers() {
		at := types.StringNull()
		if !w.Time.IsZero() {
			at = types.StringValue(w.Time.Format(time.RFC3339))
		}
		all = append(all, types.ObjectValueMust(managerType, map[string]attr.Value{
			"manager": types.StringValue(w.Manager), "operation": types.StringValue(w.Operation), "time": at,
		}))
	}
	return types.ListValueMust(element, all)
}

// mapSeen is null where there was no ConfigMap, and never else.
func mapSeen(o *cas.Observation, of map[string]string) types.Map {
	if !o.Exists() {
		return types.MapNull(types.StringType)
	}
	elements := make(map[string]attr.Value, len(of))
	for k, v := range of {
		elements[k] = types.StringValue(v)
	}
	return types.MapValueMust(types.StringType, elements)
}
