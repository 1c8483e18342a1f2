package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
)

// NewAllocationsSource is the data source cas_configmap_allocations.
func NewAllocationsSource() datasource.DataSource {
	return resource.NewSource[allocations]("configmap_allocations", eval.ConfigMap, allocationsSchema)
}

// allocations is its schema as Go values.
type allocations struct {
	resource.FoundKey
	Ranges

	Taken     types.List  `tfsdk:"taken"`
	Free      types.Int64 `tfsdk:"free"`
	Claimants types.Map   `tfsdk:"claimants"`
	Managers  types.List  `tfsdk:"managers"`
}

var (
	memberType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"value": types.StringType, "claimant": types.StringType, "id": types.StringType, "since": types.StringType,
	}}
	valuesType = types.ListType{ElemType: types.StringType}
)

// Fill implements [resource.FoundModel]. It is an error that a key holds no pool, or that a range is none.
func (m *allocations) Fill(ctx context.Context, seen *eval.Snapshot, about message.Subject) diag.Diagnostics {
	live, taken, err := seen.Value(about.ID.Key), &pool.Pool{}, error(nil)
	if text, isText := live.Text(); isText {
		taken, err = pool.Parse(text)
	} else if !live.IsAbsent() {
		err = pool.NotText()
	}
	if err != nil {
		return diag.Diagnostics{about.Diagnose(err)}
	}
	members, values := []attr.Value{}, map[string][]string{}
	for _, each := range taken.Members() {
		members = append(members, types.ObjectValueMust(memberType.AttrTypes, map[string]attr.Value{
			"value": types.StringValue(each.Value), "claimant": resource.TextOf(each.Claimant), "id": resource.TextOf(each.ID),
			"since": resource.TextOf(each.Since),
		}))
		values[each.Claimant] = append(values[each.Claimant], each.Value)
	}
	claimants := map[string]attr.Value{}
	for name, all := range values {
		claimants[name] = resource.ListOf(all)
	}
	m.Managers = managersOf(seen)
	m.Taken, m.Claimants = types.ListValueMust(memberType, members), types.MapValueMust(valuesType, claimants)
	from, diags := m.Range(ctx)
	if from != nil && !diags.HasError() {
		m.Free = types.Int64Value(from.Free(taken))
	}
	return diags
}

func allocationsSchema(context.Context) schema.Schema {
	all := RangeAttributes(
		"Range of numbers to count as `free`, as in `cas_configmap_allocation`. Set at most one of `numbers`, "+
			"`cidr` and `names`.",
		"Prefixes to count as `free`.",
		"Names to count as `free`.",
		[]validator.Object{objectvalidator.ConflictsWith(path.MatchRoot("cidr"), path.MatchRoot("names"))},
		[]validator.Object{objectvalidator.ConflictsWith(path.MatchRoot("names"))})
	all["key"] = attributes.Required("Key that holds the pool.", attributes.ValidKey(eval.ConfigMap))
	all["taken"] = schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "All allocations, in the order of their values: numbers, then prefixes, then names.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"value":    attributes.Computed("What was taken."),
			"claimant": attributes.Computed("Who uses it. Null if the pool does not say so."),
			"id":       attributes.Computed("`id` of the allocation. Null if it was written by hand."),
			"since":    attributes.Computed("When it was taken: RFC 3339, UTC. Null if the pool does not say so."),
		}},
	}
	all["free"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "How many values of the range are free, 9223372036854775807 at most. Null " +
			"without `numbers`, `cidr` or `names`.",
	}
	all["claimants"] = schema.MapAttribute{
		Computed: true, ElementType: valuesType,
		MarkdownDescription: "The values of each claimant. Those of none are under the empty name.",
	}
	all["managers"] = managersAttribute()
	return attributes.OfFound("Reads the pool that one key of a ConfigMap holds: what is taken, by whom, and how "+
		"much is free.", eval.ConfigMap,
		"Whether the key exists. `false` if the ConfigMap does not exist. The pool is empty then.", "", all)
}
