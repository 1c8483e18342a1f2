// Package source has the data sources of ConfigMaps. They say what is there; resources are package configmap's.
package source

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// source links a data source to the configured provider.
type source struct {
	adapter.Connection
}

// Configure implements [datasource.DataSourceWithConfigure].
func (s *source) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	resp.Diagnostics.Append(s.Connect(req.ProviderData)...)
}

// sourceModel holds the attributes that all data sources share.
type sourceModel struct {
	Namespace       types.String   `tfsdk:"namespace"`
	Name            types.String   `tfsdk:"name"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`
	Exists          types.Bool     `tfsdk:"exists"`
	UID             types.String   `tfsdk:"uid"`
	ResourceVersion types.String   `tfsdk:"resource_version"`
	Managers        types.List     `tfsdk:"managers"`
}

// sourceAttributes is the schema of sourceModel, with others added.
func sourceAttributes(ctx context.Context, exists, resourceVersion string, others map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"namespace": schema.StringAttribute{
			Optional: true, Computed: true, Validators: []validator.String{attributes.ValidNamespace()},
			MarkdownDescription: "Namespace of the ConfigMap. Default: `default`.",
		},
		"name": schema.StringAttribute{
			Required: true, Validators: []validator.String{attributes.ValidName(cas.ConfigMap)},
			MarkdownDescription: "Name of the ConfigMap. It need not exist.",
		},
		"timeouts":         readTimeoutsAttribute(ctx),
		"exists":           schema.BoolAttribute{Computed: true, MarkdownDescription: exists},
		"uid":              schema.StringAttribute{Computed: true, MarkdownDescription: "`metadata.uid` of the ConfigMap. Null if there is no ConfigMap."},
		"resource_version": schema.StringAttribute{Computed: true, MarkdownDescription: resourceVersion},
		"managers":         managersAttribute(),
	}
	maps.Copy(all, others)
	return all
}

// sourceCodec makes the codec of a data source's schema when it is first needed.
func sourceCodec[M any](d datasource.DataSource) func() *codec.Codec[M] {
	return sync.OnceValue(func() *codec.Codec[M] {
		var resp datasource.SchemaResponse
		d.Schema(context.Background(), datasource.SchemaRequest{}, &resp)
		return codec.New[M](context.Background(), resp.Schema.Type())
	})
}

// observe reads the ConfigMap and fills in the model. If the provider's configuration is unknown and the client allows it, the framework has
// deferred the read already.
func (s *source) observe(ctx context.Context, m *sourceModel, key string) (*cas.Observation, diag.Diagnostics) {
	timeout, diags := m.Timeouts.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() {
		return nil, diags
	}
	if m.Namespace.IsNull() { // data sources have no defaults of their own
		m.Namespace = types.StringValue(terms.DefaultNamespace)
	}
	id := terms.EntryID{Ref: cas.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}, Key: key}
	seen, diags := s.Look(ctx, id, "data source", diagnose.HideIf(s.Run.Hides(types.BoolNull())), timeout)
	if diags.HasError() {
		return nil, diags
	}
	m.UID, m.ResourceVersion = versionOf(seen)
	m.Managers = managersOf(seen)
	return seen, nil
}

func readTimeoutsAttribute(ctx context.Context) schema.Attribute {
	attribute := timeouts.AttributesWithOpts(ctx, timeouts.Opts{ReadDescription: "Time limit of the read, such as `30s` or `2m`. Default: `1m`."})
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

// versionOf gives the uid and resourceVersion, null without a ConfigMap.
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
		MarkdownDescription: "Writers of the ConfigMap according to its `managedFields`, which do not record removals. Null if there is no " +
			"ConfigMap.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"manager":   schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the field manager."},
			"operation": schema.StringAttribute{Computed: true, MarkdownDescription: "`Update`, or `Apply` for server-side apply."},
			"time": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Time of its last write to any field: RFC 3339, in seconds, UTC.",
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

// mapSeen converts a map. It is null without a ConfigMap, and only then.
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
