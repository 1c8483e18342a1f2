package configmap

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (*dataResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	of := func(values validator.String) []validator.Map {
		return []validator.Map{mapvalidator.KeysAre(attributes.ValidKey(cas.ConfigMap)), mapvalidator.ValueStringsAre(values)}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes several keys of an existing ConfigMap in one atomic request, all or none, only if every key holds " +
			"its expected value.",
		Attributes: attributes.OfKeys(ctx, cas.ConfigMap, map[string]schema.Attribute{
			"data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidValueSize()),
				MarkdownDescription: "Text to write, by key. Set at least one key here or in `binary_data`, and no key in both. The resource ignores other " +
					"keys. If you remove a key from the map, `deletion_policy` applies to it.",
			},
			"binary_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidBase64()),
				MarkdownDescription: "Bytes to write to `binaryData`, by key, in standard base64. One atomic request moves a key between the two maps.",
			},
			"expected_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidValueSize()),
				MarkdownDescription: "Text that keys must hold before the write, by key; null if the key must be absent. A key of `data` or `binary_data` " +
					"that is not here must be absent on create, and hold the value in the state on update. A key that is only here is a guard: the " +
					"request compares it and never writes it. A plan without a write checks nothing, and a key that is not written is not " +
					"compared with its expectation, so both can stay in the configuration after the swap.",
			},
			"expected_binary_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidBase64()),
				MarkdownDescription: "Bytes that keys must hold before the write, by key, in standard base64. Works like `expected_data`. No key may be in both.",
			},
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update or a delete, and from Terraform 1.16 for a " +
				"create. `object` (default): any change to the ConfigMap that this apply did not make. `key`: only a change to one of these keys or guards."),
			"adopt_existing": attributes.Flag(
				"Take over keys that already hold their values, without a write. Otherwise this is an error. Default: `false`."),
			"deletion_policy": attributes.Policy("What happens to the keys on destroy, and to a key that you remove from the configuration. `delete` (default) "+
				"removes them, even if they existed before Terraform. `restore` puts back their values from before the first write (or from the import or "+
				"adoption). `abandon` leaves them as they are.",
				terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon),
			"on_drift": attributes.OnDrift("What an update does if somebody else changed or removed one of the keys after the last apply. `warning` (default) warns " +
				"at plan and overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. A new expectation of a key " +
				"acknowledges its change."),
			"hide_values": attributes.Hide("previous_data"),

			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name:key1,key2` with the keys sorted, for example `shop/settings:color,version`.",
			},
			"previous_data": schema.MapAttribute{
				ElementType: types.StringType, Computed: true,
				MarkdownDescription: "Text that the last write replaced or removed, by key; null for a key that was absent or held binary data. Null as a " +
					"whole if this resource has not written yet (for example after an import), or with `hide_values`.",
			},
		}),
	}
}

// Validate checks what the maps must be together. What each holds by itself, the schema checks.
func (m *dataModel) Validate() (diags diag.Diagnostics) {
	for attribute, of := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData} {
		for key, v := range of.Elements() {
			if v.IsNull() {
				diags.Append(invalidAt(path.Root(attribute).AtMapKey(key), diagnose.TitleMissingValue,
					"must not be null; to remove the key, leave it out"))
			}
		}
	}
	if !m.Data.IsUnknown() && !m.BinaryData.IsUnknown() && len(m.keys()) == 0 {
		diags.Append(invalidAt(path.Root("data"), diagnose.TitleMissingKeys, "there must be at least one key in data or binary_data"))
	}
	return append(diags, m.validate()...)
}

func invalidAt(at path.Path, title diagnose.ErrorTitle, problem string) diag.Diagnostic {
	return title.At(at, fmt.Sprintf("Attribute %s: %s.", at, problem))
}

// validate refuses keys that are in both maps of a kind, and values that are too large together.
func (m *dataMaps) validate() (diags diag.Diagnostics) {
	for _, key := range inBoth(m.Data, m.BinaryData) {
		diags.Append(invalidAt(path.Root("binary_data").AtMapKey(key), diagnose.TitleKeyInBothMaps, "the key must not be in data as well"))
	}
	for _, key := range inBoth(m.ExpectedData, m.ExpectedBinaryData) {
		diags.Append(invalidAt(path.Root("expected_binary_data").AtMapKey(key), diagnose.TitleKeyInBothMaps,
			"the key must not be in expected_data as well"))
	}

	size, largest, attribute := 0, cas.Entry{}, path.Empty()
	null := types.MapNull(types.StringType)
	for name, of := range map[string]map[string]cas.Entry{
		"data": adapter.EntriesFrom(cas.ConfigMap, m.Data, null), "binary_data": adapter.EntriesFrom(cas.ConfigMap, null, m.BinaryData),
	} {
		for key, e := range of {
			size += e.Size()
			if at := path.Root(name).AtMapKey(key); e.Size() > largest.Size() || e.Size() == largest.Size() && at.String() < attribute.String() {
				largest, attribute = e, at
			}
		}
	}
	if size > cas.MaxSize && largest.Size() <= cas.MaxSize { // the schema refuses a larger one
		diags.Append(invalidAt(attribute, diagnose.TitleValuesTooLarge, fmt.Sprintf(
			"the values must have at most %d bytes together, not %d; this is the largest, with %d", cas.MaxSize, size, largest.Size())))
	}
	return diags
}

// inBoth gives the keys that both maps name.
func inBoth(a, b types.Map) (keys []string) {
	of := b.Elements()
	for _, key := range keysIn(a) {
		if _, both := of[key]; both {
			keys = append(keys, key)
		}
	}
	return keys
}
