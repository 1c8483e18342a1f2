package resource

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// setDefaults puts the provider's defaults into a plan where the configuration sets nothing.
func (t *Type) setDefaults(req *fwresource.ModifyPlanRequest, resp *fwresource.ModifyPlanResponse) {
	var plan, config map[string]tftypes.Value
	if req.Plan.Raw.IsNull() || req.Plan.Raw.As(&plan) != nil || req.Config.Raw.As(&config) != nil {
		return
	}
	defaults := t.defaults()
	follows := func(name string) bool {
		given, configured := config[name]
		return configured && given.IsNull() && !defaults.Of(name).IsNull()
	}
	for name := range plan {
		if follows(name) {
			value := defaults.Of(name).ValueString()
			resp.Diagnostics.Append(t.refuses(name, value)...)
			plan[name] = tftypes.NewValue(tftypes.String, value)
		}
	}
	if wait, has := config["wait_for_match"]; has && !wait.IsNull() {
		narrow, scope := terms.ScopeKey, textOf(plan[terms.ConflictScope])
		if t.IsOfFields {
			narrow = terms.ScopeField
		}
		if follows(terms.ConflictScope) && defaults.Gives(terms.ConflictScope) && scope.ValueString() != narrow {
			resp.Diagnostics.Append(diagnose.TitleInvalidAttributeCombination.Problem(path.Root("wait_for_match"), fmt.Sprintf(
				"the provider's defaults have conflict_scope = %q, with which the write that it waits for is a conflict; set conflict_scope = %q on this resource",
				scope.ValueString(), narrow)))
		} else {
			resp.Diagnostics.Append(attributes.NotWaiting(narrow, scope)...)
		}
	}
	req.Plan.Raw = tftypes.NewValue(req.Plan.Raw.Type(), plan)
	resp.Plan.Raw = req.Plan.Raw
}

// refuses returns the error for a default that the resource cannot have. A Secret has no original values to restore.
func (t *Type) refuses(name, value string) diag.Diagnostics {
	if t.Kind != eval.Secret && !t.IsWhole || name != terms.DeletionPolicy || value != terms.PolicyRestore {
		return nil
	}
	which := "a resource of a Secret cannot have: nothing keeps what its keys held first"
	if t.IsWhole {
		which = "a resource of a whole object cannot have"
	}
	return diag.Diagnostics{diagnose.TitleInvalidProviderArgument.At(path.Root(name), fmt.Sprintf(
		"The provider's defaults have %s = %q, which %s. Set %s on this resource.", name, value, which, name))}
}

// defaults are the provider's.
func (t *Type) defaults() (d terms.Defaults) {
	if t.Run != nil {
		d = t.Run.Defaults
	}
	if t.IsOfFields {
		d = d.OfFields()
	}
	return d
}

// textOf is a text of a plan.
func textOf(v tftypes.Value) types.String {
	var text *string
	switch {
	case !v.IsKnown():
		return types.StringUnknown()
	case v.As(&text) != nil || text == nil:
		return types.StringNull()
	}
	return types.StringValue(*text)
}
