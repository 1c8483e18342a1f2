package attributes

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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
			Optional: true, Validators: []validator.String{ValidTimeout(), NotWith("expected_resource_version")},
			MarkdownDescription: fmt.Sprintf("Maximum time to wait for the %s and for the expected values, such as `2m`. The action writes as soon as they match. "+
				"The time comes on top of the timeout. The plan warns if the action would have to wait. Needs the verb `watch`. Default: no wait.", noun),
		},
		"field_manager": fieldManager(""),
		"hide_values":   schema.BoolAttribute{Optional: true, MarkdownDescription: Hide("").MarkdownDescription},
		"timeouts":      Timeout("invoke", "an invocation, and of the check at plan"),
	}
	maps.Copy(all, own)
	return all
}
