package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// ValidateConfig checks what the maps must be together. What each holds by itself, the schema checks.
func (*configMapDataResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	m, diags := dataCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	invalid := func(at path.Path, title diagnose.ErrorTitle, problem string) {
		resp.Diagnostics.Append(title.At(at, fmt.Sprintf("Attribute %s: %s.", at, problem)))
	}
	for attribute, of := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData} {
		for key, v := range of.Elements() {
			if v.IsNull() {
				invalid(path.Root(attribute).AtMapKey(key), diagnose.TitleMissingValue, "must not be null; a key that is left out is removed")
			}
		}
	}
	if !m.Data.IsUnknown() && !m.BinaryData.IsUnknown() && len(m.keys()) == 0 {
		invalid(path.Root("data"), diagnose.TitleMissingKeys, "there must be at least one key in data or binary_data")
	}
	for _, key := range inBoth(m.Data, m.BinaryData) {
		invalid(path.Root("binary_data").AtMapKey(key), diagnose.TitleKeyInBothMaps, "the key is in data too, and must be in one of the two")
	}
	for _, key := range inBoth(m.ExpectedData, m.ExpectedBinaryData) {
		invalid(path.Root("expected_binary_data").AtMapKey(key), diagnose.TitleKeyInBothMaps, "the key is in expected_data too, and must be in one of the two")
	}

	size, largest, attribute := 0, cas.Entry{}, path.Empty()
	for name, of := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData} {
		for key, v := range of.Elements() {
			e := entryFrom(stringOf(v), types.StringNull())
			if name == "binary_data" {
				e = entryFrom(types.StringNull(), stringOf(v))
			}
			size += e.Size()
			if at := path.Root(name).AtMapKey(key); e.Size() > largest.Size() || e.Size() == largest.Size() && at.String() < attribute.String() {
				largest, attribute = e, at
			}
		}
	}
	if size > cas.MaxSize && largest.Size() <= cas.MaxSize { // the schema refuses a larger one
		invalid(attribute, diagnose.TitleValuesTooLarge, fmt.Sprintf("is the largest, with %d bytes, of values that hold %d bytes; the values of a "+
			"ConfigMap may have %d together", largest.Size(), size, cas.MaxSize))
	}
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
