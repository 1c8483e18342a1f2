package attributes

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Wait is wait_for_match, which requires conflict_scope = "key". The paths are those of attributes that name a version.
func Wait(kind cas.Kind, versions ...path.Expression) schema.StringAttribute {
	validators := []validator.String{ValidTimeout(), waits{}}
	if len(versions) > 0 {
		validators = append(validators, stringvalidator.ConflictsWith(versions...))
	}
	return schema.StringAttribute{
		Optional: true, Validators: validators,
		MarkdownDescription: fmt.Sprintf("Maximum time that an apply waits for the %s and for the expected values, such as `2m`. It writes as soon as they "+
			"match. The time comes on top of the operation's timeout. The plan warns if the apply would have to wait. Needs "+
			"`conflict_scope = \"key\"` and the verb `watch`, and excludes `on_drift = \"error\"`. Default: no wait.", kind),
	}
}

// waits demands of the attributes beside wait_for_match that they let it wait for another's write.
type waits struct{}

var _ validator.String = waits{}

// Description implements [validator.Describer].
func (waits) Description(context.Context) string {
	return `conflict_scope must be "key", and on_drift must not be "error"`
}

// MarkdownDescription implements [validator.Describer].
func (w waits) MarkdownDescription(ctx context.Context) string { return w.Description(ctx) }

// ValidateString implements [validator.String].
func (waits) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() {
		return
	}
	var scope, drift types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("conflict_scope"), &scope)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("on_drift"), &drift)...)
	if scope.IsNull() { // the plan has the provider's default
		scope = types.StringUnknown()
	}
	for _, problem := range WaitProblems(scope, drift) {
		resp.Diagnostics.Append(diagnose.TitleInvalidAttributeCombination.At(req.Path, fmt.Sprintf("Attribute %s: %s", req.Path, problem)))
	}
}

// WaitProblems says what of a conflict_scope and an on_drift does not go with wait_for_match.
func WaitProblems(scope, drift types.String) (problems []string) {
	if !scope.IsUnknown() && scope.ValueString() != terms.ScopeKey && scope.ValueString() != terms.ScopeField {
		problems = append(problems, fmt.Sprintf("conflict_scope must be %q, or the write that it waits for is a conflict.", terms.ScopeKey))
	}
	if drift.ValueString() == terms.DriftError {
		problems = append(problems, fmt.Sprintf("on_drift must not be %q, because the write that it waits for counts as drift.", terms.DriftError))
	}
	return problems
}
