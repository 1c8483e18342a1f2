package source

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewAllocationsSource is the data source cas_configmap_allocations.
func NewAllocationsSource() datasource.DataSource {
	return newSource("configmap_allocations", allocationsSchema, allocationsCodec)
}

// allocationsModel is the data source's schema as Go values.
type allocationsModel struct {
	sourceModel
	adapter.Ranges

	Key       types.String `tfsdk:"key"`
	Taken     types.List   `tfsdk:"taken"`
	Free      types.Int64  `tfsdk:"free"`
	Claimants types.Map    `tfsdk:"claimants"`

	pool *pool.Pool `tfsdk:"-"`
	err  error      `tfsdk:"-"`
}

var allocationsCodec = codec.Of[allocationsModel](allocationsSchema)

var (
	memberType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"value": types.StringType, "claimant": types.StringType, "id": types.StringType, "since": types.StringType,
	}}
	valuesType = types.ListType{ElemType: types.StringType}
)

// About is the key.
func (m *allocationsModel) About() string { return m.Key.ValueString() }

// Fill implements [adapter.FoundModel].
func (m *allocationsModel) Fill(seen *cas.Observation) {
	m.Managers = managersOf(seen)
	live := seen.Entry(m.Key.ValueString())
	m.Exists = types.BoolValue(!live.IsAbsent())
	m.Taken, m.Claimants, m.pool = types.ListNull(memberType), types.MapNull(valuesType), &pool.Pool{}
	text, isText := live.Text()
	switch {
	case isText:
		m.pool, m.err = pool.Parse(text)
	case !live.IsAbsent():
		m.err = pool.NotText()
	}
	if m.err != nil {
		return
	}
	taken, values := []attr.Value{}, map[string][]string{}
	for _, each := range m.pool.Members() {
		taken = append(taken, types.ObjectValueMust(memberType.AttrTypes, map[string]attr.Value{
			"value": types.StringValue(each.Value), "claimant": textOrNull(each.Claimant), "id": textOrNull(each.ID), "since": textOrNull(each.Since),
		}))
		values[each.Claimant] = append(values[each.Claimant], each.Value)
	}
	claimants := map[string]attr.Value{}
	for name, all := range values {
		claimants[name] = adapter.ListOf(all)
	}
	m.Taken, m.Claimants = types.ListValueMust(memberType, taken), types.MapValueMust(valuesType, claimants)
}

// Wrong says that a key holds no pool, or that a range is none.
func (m *allocationsModel) Wrong(ctx context.Context, id terms.EntryID, hide diagnose.Hiding) diag.Diagnostics {
	if m.err != nil {
		return diag.Diagnostics{diagnose.Allocating(id, terms.OpRead, hide).Diagnose(m.err)}
	}
	from, diags := m.Range(ctx)
	if m.Free = types.Int64Null(); from != nil && !diags.HasError() {
		m.Free = types.Int64Value(from.Free(m.pool))
	}
	return diags
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func allocationsSchema(context.Context) schema.Schema {
	ranges := adapter.RangeAttributes(
		"Range of numbers to count as `free`, as in `cas_configmap_allocation`. Set at most one of `numbers`, `cidr` and `names`.",
		"Prefixes to count as `free`.",
		"Names to count as `free`.",
		[]validator.Object{objectvalidator.ConflictsWith(path.MatchRoot("cidr"), path.MatchRoot("names"))},
		[]validator.Object{objectvalidator.ConflictsWith(path.MatchRoot("names"))})
	return schema.Schema{
		MarkdownDescription: "Reads the pool that one key of a ConfigMap holds: what is taken, by whom, and how much is free.",
		Attributes: sourceAttributes(
			"Whether the key exists. `false` if the ConfigMap does not exist. The pool is empty then.",
			"`resourceVersion` of the ConfigMap. Null if there is no ConfigMap.",
			map[string]schema.Attribute{
				"key": schema.StringAttribute{
					Required: true, Validators: []validator.String{attributes.ValidKey(cas.ConfigMap)}, MarkdownDescription: "Key that holds the pool.",
				},
				"numbers": ranges["numbers"], "cidr": ranges["cidr"], "names": ranges["names"],
				"taken": schema.ListNestedAttribute{
					Computed: true, MarkdownDescription: "All allocations, in the order of their values: numbers, then prefixes, then names.",
					NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
						"value":    schema.StringAttribute{Computed: true, MarkdownDescription: "What was taken."},
						"claimant": schema.StringAttribute{Computed: true, MarkdownDescription: "Who uses it. Null if the pool does not say so."},
						"id":       schema.StringAttribute{Computed: true, MarkdownDescription: "`id` of the allocation. Null if it was written by hand."},
						"since":    schema.StringAttribute{Computed: true, MarkdownDescription: "When it was taken: RFC 3339, UTC. Null if the pool does not say so."},
					}},
				},
				"free": schema.Int64Attribute{
					Computed: true, MarkdownDescription: "How many values of the range are free, 9223372036854775807 at most. Null without `numbers`, `cidr` or `names`.",
				},
				"claimants": schema.MapAttribute{
					Computed: true, ElementType: valuesType,
					MarkdownDescription: "The values of each claimant. Those of none are under the empty name.",
				},
			}),
	}
}
