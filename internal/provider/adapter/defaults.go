package adapter

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// setDefaults puts the provider's defaults into a plan, where the configuration gives nothing. The framework keeps there what the state has. So does
// this, while a default is not known and nothing else changes; an update is to know it when it is applied.
func (t *Type) setDefaults(req *resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, config map[string]tftypes.Value
	if req.Plan.Raw.IsNull() || req.Plan.Raw.As(&plan) != nil || req.Config.Raw.As(&config) != nil {
		return
	}
	var state map[string]tftypes.Value
	if !req.State.Raw.IsNull() && req.State.Raw.As(&state) != nil {
		return
	}
	var open []string // follow a default that is not known
	for name := range plan {
		value, has := t.defaults().Of(name)
		given, configured := config[name]
		switch {
		case !has || !configured || !given.IsNull():
		case value.IsUnknown():
			open = append(open, name)
			if plan[name] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue); state != nil {
				plan[name] = state[name]
			}
		default:
			resp.Diagnostics.Append(t.refuses(name, value.ValueString())...)
			plan[name] = tftypes.NewValue(tftypes.String, value.ValueString())
		}
	}
	raw := tftypes.NewValue(req.Plan.Raw.Type(), plan)
	if len(open) > 0 && !raw.Equal(req.State.Raw) {
		for _, name := range open {
			plan[name] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		}
		raw = tftypes.NewValue(req.Plan.Raw.Type(), plan)
	}
	if wait, has := config["wait_for_match"]; has && !wait.IsNull() {
		narrow := terms.ScopeKey
		if t.IsOfFields {
			narrow = terms.ScopeField
		}
		resp.Diagnostics.Append(attributes.NotWaiting(narrow, textOf(plan[terms.ConflictScope]))...)
	}
	req.Plan.Raw, resp.Plan.Raw = raw, raw
}

// refuses says of a default that the resource cannot have it. A Secret has no first values to put back.
func (t *Type) refuses(name, value string) diag.Diagnostics {
	if t.Kind != cas.Secret || name != terms.DeletionPolicy || value != terms.PolicyRestore {
		return nil
	}
	return diag.Diagnostics{diagnose.TitleInvalidProviderArgument.At(path.Root(name), fmt.Sprintf(
		"The provider's defaults have %s = %q, which a resource of a Secret cannot have: nothing keeps what its keys held first. Set %s on this resource.", name, value, name))}
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
