package secret

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (*dataResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = adapter.DataIdentitySchema(cas.Secret)
}

func writeOnlyMap(description string) schema.MapAttribute {
	return schema.MapAttribute{ElementType: types.StringType, Optional: true, WriteOnly: true, MarkdownDescription: description + writeOnly}
}

func (*dataResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes several keys of an existing Secret in one atomic request, all or none, only if every key holds its expected value. " +
			"No value is stored in the state or the plan.",
		Attributes: attributes.OfKeys(ctx, cas.Secret, map[string]schema.Attribute{
			"data_wo": writeOnlyMap("Text to write, by key. Set at least one key here or in `binary_data_wo`, and no key in both. The resource ignores " +
				"other keys. If you remove a key from the map, `deletion_policy` applies to it at once."),
			"binary_data_wo":  writeOnlyMap("Bytes to write, by key, in standard base64."),
			"data_wo_version": revision("`data_wo` and `binary_data_wo`", "Keys that you add to the maps, and keys that vanished, are written anyway. "),
			"expected_data_wo": writeOnlyMap("Text that each key must hold before the write; null if the key must be absent. For a key of `data_wo` that is " +
				"not listed here, a create requires the key to be absent, and an update requires the Secret to be unchanged since the plan. With " +
				"`conflict_scope = \"key\"`, an update requires every key to be listed. A key that is listed only here is a guard: the request compares it " +
				"and never writes it."),
			"expected_binary_data_wo": writeOnlyMap("Bytes that each key must hold before the write, in standard base64. Works like `expected_data_wo`."),
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update. `object` (default): any change to the Secret that this " +
				"apply did not make. `key`: only a change to one of these keys or guards, which then need `expected_data_wo`. For the removal of a key, " +
				"any change to the Secret is a conflict, since the state has no value to compare."),
			"adopt_existing": attributes.Flag(
				"Take over keys that already hold their values, without a write. Otherwise this is an error. Default: `false`."),
			"deletion_policy": attributes.Policy("What happens to the keys on destroy, and to a key that you remove from the configuration. `delete` (default) "+
				"removes them, even if they existed before Terraform. `abandon` leaves them as they are.", terms.PolicyDelete, terms.PolicyAbandon),
			"on_drift": attributes.OnDrift("What to do if somebody else changed one of the keys after the last apply. `warning` (default) warns at plan, and an " +
				"update overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. An expectation that holds " +
				"acknowledges the change. If a key is gone, the plan creates it again."),
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name:key1,key2` with the keys sorted, for example `shop/database:password,user`.",
			},
			"keys": schema.ListAttribute{
				ElementType: types.StringType, Computed: true, MarkdownDescription: "Keys that this resource has in the Secret, sorted.",
			},
		}),
	}
}

// ValidateConfig checks the write-only maps. Validators of the framework would point at them.
func (*dataResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	m, diags := dataCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	const at = "data_wo_version"
	resp.Diagnostics.Append(invalidMaps(at, "data_wo", "binary_data_wo", m.DataWO, m.BinaryDataWO, true)...)
	resp.Diagnostics.Append(invalidMaps(at, "expected_data_wo", "expected_binary_data_wo", m.ExpectedDataWO, m.ExpectedBinaryDataWO, false)...)
	if !m.DataWO.IsUnknown() && !m.BinaryDataWO.IsUnknown() && len(m.DataWO.Elements())+len(m.BinaryDataWO.Elements()) == 0 {
		resp.Diagnostics.Append(invalid(diagnose.TitleMissingKeys, at, "data_wo", "there must be at least one key in data_wo or binary_data_wo"))
	}
}

// invalidMaps checks what a map of text and one of base64 hold, alone and together. Where they say what to write, no value is null.
func invalidMaps(at, textName, encodedName string, textual, encoded types.Map, writes bool) (diags diag.Diagnostics) {
	size := 0
	for name, of := range map[string]types.Map{textName: textual, encodedName: encoded} {
		for _, key := range slices.Sorted(maps.Keys(of.Elements())) {
			attribute, v := fmt.Sprintf("%s[%q]", name, key), stringOf(of.Elements()[key])
			text, base64 := v, types.StringNull()
			if name == encodedName {
				text, base64 = base64, v
			}
			title, problem := valueProblem(text, base64)
			_, inBoth := textual.Elements()[key]
			switch problems := terms.KeyProblems(key); {
			case len(problems) > 0:
				diags = append(diags, invalid(diagnose.TitleInvalidConfigMapKey.Of(cas.Secret), at, attribute, problems[0]))
			case writes && v.IsNull():
				diags = append(diags, invalid(diagnose.TitleMissingValue, at, attribute, "must not be null; to remove the key, leave it out"))
			case name == encodedName && inBoth:
				diags = append(diags, invalid(diagnose.TitleKeyInBothMaps, at, attribute, "the key must not be in "+textName+" as well"))
			case problem != "":
				diags = append(diags, invalid(title, at, attribute, problem))
			}
			size += entryFrom(text, base64).Size()
		}
	}
	if writes && size > cas.MaxSize && len(diags) == 0 {
		diags = append(diags, invalid(diagnose.TitleValuesTooLarge, at, textName, fmt.Sprintf("all values together must have at most %d bytes", cas.MaxSize)))
	}
	return diags
}
