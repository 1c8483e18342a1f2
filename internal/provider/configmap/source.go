package configmap

import (
	"context"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
)

var managerType = types.ObjectType{
	AttrTypes: map[string]attr.Type{"manager": types.StringType, "operation": types.StringType, "time": types.StringType},
}

func managersAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Writers of the ConfigMap according to its `managedFields`, which do not record removals. " +
			"Null if there is no ConfigMap.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"manager":   attributes.Computed("Name of the field manager."),
			"operation": attributes.Computed("`Update`, or `Apply` for server-side apply."),
			"time":      attributes.Computed("Time of its last write to any field: RFC 3339, in seconds, UTC."),
		}},
	}
}

// managersOf is the value of managersAttribute.
func managersOf(o *eval.Snapshot) types.List {
	if !o.Exists() {
		return types.ListNull(managerType)
	}
	all := []attr.Value{}
	for _, w := range o.Writers() {
		at := types.StringNull()
		if !w.Time.IsZero() {
			at = types.StringValue(w.Time.Format(time.RFC3339))
		}
		all = append(all, types.ObjectValueMust(managerType.AttrTypes, map[string]attr.Value{
			"manager": types.StringValue(w.Manager), "operation": types.StringValue(w.Operation), "time": at,
		}))
	}
	return types.ListValueMust(managerType, all)
}

// mapSeen converts a map. It is null without a ConfigMap, and only then.
func mapSeen(o *eval.Snapshot, of map[string]string) types.Map {
	if !o.Exists() {
		return types.MapNull(types.StringType)
	}
	all := map[string]string{} // not null
	maps.Copy(all, of)
	return resource.MapOf(all)
}

// NewConfigMapSource is the data source cas_configmap.
func NewConfigMapSource() datasource.DataSource {
	return resource.NewSource[wholeSource]("configmap", eval.ConfigMap, wholeSourceSchema)
}

// wholeSource is its schema as Go values.
type wholeSource struct {
	resource.Found

	ID          types.String `tfsdk:"id"`
	Data        types.Map    `tfsdk:"data"`
	BinaryData  types.Map    `tfsdk:"binary_data"`
	Labels      types.Map    `tfsdk:"labels"`
	Annotations types.Map    `tfsdk:"annotations"`
	Immutable   types.Bool   `tfsdk:"immutable"`
	Managers    types.List   `tfsdk:"managers"`
}

func wholeSourceSchema(context.Context) schema.Schema {
	const use = ", for `expected_resource_version_wo`"
	return attributes.OfFound("Reads a ConfigMap, or says that it does not exist.", eval.ConfigMap,
		"Whether the ConfigMap exists.", use, map[string]schema.Attribute{
			"id":          attributes.Computed("`namespace/name`, for example `shop/settings`."),
			"data":        attributes.FoundMap(eval.ConfigMap, "Keys with text, and their values."),
			"binary_data": attributes.FoundMap(eval.ConfigMap, "Keys with bytes, and their values in base64."),
			"labels":      attributes.FoundMap(eval.ConfigMap, "Labels of the ConfigMap."),
			"annotations": attributes.FoundMap(eval.ConfigMap, "Annotations of the ConfigMap."),
			"immutable": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the API server refuses changes of the values. Null if there is no ConfigMap.",
			},
			"managers": managersAttribute(),
		})
}

func (m *wholeSource) Fill(_ context.Context, seen *eval.Snapshot, about message.Subject) diag.Diagnostics {
	m.Managers, m.ID = managersOf(seen), types.StringValue(about.ID.Ref.String())
	texts, others := resource.MapsOf(seen.Entries())
	m.Data, m.BinaryData = mapSeen(seen, texts), mapSeen(seen, others)
	m.Labels, m.Annotations = mapSeen(seen, seen.Labels()), mapSeen(seen, seen.Annotations())
	if seen.Exists() {
		m.Immutable = types.BoolValue(seen.Immutable())
	}
	return nil
}

// NewEntrySource is the data source cas_configmap_entry.
func NewEntrySource() datasource.DataSource {
	return resource.NewSource[entrySource]("configmap_entry", eval.ConfigMap, entrySourceSchema)
}

// entrySource is its schema as Go values.
type entrySource struct {
	resource.FoundEntry

	Managers types.List `tfsdk:"managers"`
}

func entrySourceSchema(context.Context) schema.Schema {
	const use = ", for `expected_resource_version_wo`, also if only the key is absent"
	return attributes.OfFoundEntry("Reads one key of a ConfigMap, or says that it does not exist.", eval.ConfigMap, use,
		" or holds binary data", " or holds text", map[string]schema.Attribute{
			"managers": managersAttribute(),
		})
}

func (m *entrySource) Fill(_ context.Context, seen *eval.Snapshot, about message.Subject) diag.Diagnostics {
	m.Managers = managersOf(seen)
	m.Value, m.ValueBase64 = resource.ValuesOf(seen.Value(about.ID.Key))
	return nil
}
