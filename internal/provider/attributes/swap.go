package attributes

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Swap is the attributes of an action that swaps parts of an object, of which noun is the name: its own, and those that all such actions share.
func Swap(noun string, own map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"expected_resource_version": schema.StringAttribute{
			Optional: true, Validators: []validator.String{ValidResourceVersion()},
			MarkdownDescription: fmt.Sprintf("Version that the %s must have before the write, such as the `resource_version` of a data source. This "+
				"provider's writes in the same apply may have raised it since.", noun),
		},
		"wait_for_match": schema.StringAttribute{
			Optional: true, Validators: []validator.String{ValidTimeout(), stringvalidator.ConflictsWith(path.MatchRoot("expected_resource_version"))},
			MarkdownDescription: fmt.Sprintf("Maximum time to wait for the %s and for the expected values, such as `2m`. The action writes as soon as they match. "+
				"The time comes on top of the timeout. The plan warns if the action would have to wait. Needs the verb `watch`. Default: no wait.", noun),
		},
		"field_manager": schema.StringAttribute{
			Optional: true, Validators: ValidFieldManager(),
			MarkdownDescription: "Name of this writer in `managedFields`. Default: the provider's `field_manager`.",
		},
		"hide_values": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Show lengths and SHA-256 digests instead of values in diagnostics, also where they quote the API server. A provider cannot " +
				"see Terraform's `sensitive` marks, so set it if values are sensitive. Default: `false`.",
		},
		"timeouts": schema.SingleNestedAttribute{
			Optional: true, CustomType: timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"invoke": types.StringType}}},
			Attributes: map[string]schema.Attribute{"invoke": schema.StringAttribute{
				Optional: true, Validators: []validator.String{ValidTimeout()},
				MarkdownDescription: "Time limit of an invocation, and of the check at plan, such as `30s` or `2m`. Default: `1m`.",
			}},
		},
	}
	maps.Copy(all, own)
	return all
}
