package attributes

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Wait is wait_for_match, which requires conflict_scope = "key". The paths are those of attributes that name a version.
func Wait(versions ...path.Expression) schema.StringAttribute {
	validators := []validator.String{ValidTimeout(), keyScoped{}}
	if len(versions) > 0 {
		validators = append(validators, stringvalidator.ConflictsWith(versions...))
	}
	return schema.StringAttribute{
		Optional: true, Validators: validators,
		MarkdownDescription: "How long a create or update waits, when it is applied, for what must hold before it writes, such as `2m`: " +
			"where a key does not hold what it must, or there is no ConfigMap yet. It watches, and writes as soon as everything holds. The time " +
			"comes on top of the operation's timeout, and the plan warns where it would refuse. Needs `conflict_scope = \"key\"` and the verb " +
			"`watch`. Default: it does not wait.",
	}
}

// keyScoped demands conflict_scope = "key" beside an attribute.
type keyScoped struct{}

var _ validator.String = keyScoped{}

// Description implements [validator.Describer].
func (keyScoped) Description(context.Context) string { return `conflict_scope must be "key"` }

// MarkdownDescription implements [validator.Describer].
func (k keyScoped) MarkdownDescription(ctx context.Context) string { return k.Description(ctx) }

// ValidateString implements [validator.String].
func (keyScoped) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() {
		return
	}
	var scope types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("conflict_scope"), &scope)...)
	if !scope.IsUnknown() && scope.ValueString() != terms.ScopeKey {
		resp.Diagnostics.Append(diagnose.TitleInvalidAttributeCombination.At(req.Path, fmt.Sprintf(
			"Attribute %s: conflict_scope must be %q. Otherwise the write that it waits for is a conflict.", req.Path, terms.ScopeKey)))
	}
}
