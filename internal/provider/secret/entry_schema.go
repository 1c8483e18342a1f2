package secret

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (*entryResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes one key of an existing Secret only if it holds the expected value, in one atomic request. No value is stored in the " +
			"state or the plan.",
		Attributes: attributes.OfKeys(ctx, cas.Secret, map[string]schema.Attribute{
			"key":              attributes.Key(cas.Secret),
			"value_wo":         writeOnlyText("Text to write. Set exactly one of `value_wo` and `value_base64_wo`."),
			"value_base64_wo":  writeOnlyText("Bytes to write, in standard base64."),
			"value_wo_version": revision("`value_wo` or `value_base64_wo`", ""),
			"expected_value_wo": writeOnlyText("Text that the key must hold before the write. Without it, a create requires the key to be absent, and an update " +
				"requires the Secret to be unchanged since the plan. With `conflict_scope = \"key\"`, an update requires this attribute. Do not take it from the ephemeral resource " +
				"`cas_secret_entry`, which reads the key again at apply and so expects whatever is there."),
			"expected_value_base64_wo": writeOnlyText("Bytes that the key must hold before the write, in standard base64."),
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update. `object` (default): any change to the Secret that this " +
				"apply did not make. `key`: only a change to this key, which then needs `expected_value_wo`. For a delete, any change to the Secret is a " +
				"conflict, since the state has no value to compare."),
			"adopt_existing": attributes.Flag(
				"Take over a key that already holds the value, without a write. Otherwise this is an error. Default: `false`."),
			"deletion_policy": attributes.Policy("What happens to the key on destroy. `delete` (default) removes it, even if it existed before Terraform. `abandon` "+
				"leaves it as it is.", terms.PolicyDelete, terms.PolicyAbandon),
			"on_drift": attributes.OnDrift("What to do if somebody else changed the key after the last apply. `warning` (default) warns at plan, and an update " +
				"overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. An `expected_value_wo` that holds " +
				"acknowledges the change. If the key is gone, the plan creates it again."),
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name/key`, for example `shop/database/password`.",
			},
		}),
	}
}

// Validate checks the write-only attributes. Validators of the framework would point at them.
func (m *entryModel) Validate() (diags diag.Diagnostics) {
	const at = "value_wo_version"
	if m.ValueWO.IsNull() && m.ValueBase64WO.IsNull() {
		diags.Append(invalid(diagnose.TitleInvalidAttributeCombination, at, "value_wo", "set either value_wo or value_base64_wo"))
	}
	for name, both := range map[string][2]types.String{
		"value": {m.ValueWO, m.ValueBase64WO}, "expected_value": {m.ExpectedValueWO, m.ExpectedValueBase64WO},
	} {
		textual, encoded := name+"_wo", name+"_base64_wo"
		named := textual
		if both[0].IsNull() {
			named = encoded
		}
		if !both[0].IsNull() && !both[1].IsNull() {
			diags.Append(invalid(diagnose.TitleInvalidAttributeCombination, at, textual, "must not be set together with "+encoded))
		} else if title, problem := valueProblem(both[0], both[1]); problem != "" {
			diags.Append(invalid(title, at, named, problem))
		}
	}
	return diags
}
