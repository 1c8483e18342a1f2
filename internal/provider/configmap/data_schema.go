package configmap

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

func (*dataResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"namespace": identityschema.StringAttribute{
				OptionalForImport: true,
				Description:       "Namespace of the ConfigMap. Default: \"default\".",
			},
			"name": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Name of the ConfigMap.",
			},
			"keys": identityschema.ListAttribute{
				ElementType:       types.StringType,
				OptionalForImport: true,
				Description:       "Keys in the ConfigMap. Default: all that it has.",
			},
		},
	}
}

func (*dataResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	of := func(values validator.String) []validator.Map {
		return []validator.Map{mapvalidator.KeysAre(attributes.ValidKey()), mapvalidator.ValueStringsAre(values)}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Several keys of an existing ConfigMap, written by compare-and-swap in one atomic request: all of them, while " +
			"every key, and by default the whole ConfigMap, is what the plan saw, or none.",
		Attributes: map[string]schema.Attribute{
			"namespace": attributes.Namespace(),
			"name": schema.StringAttribute{
				Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}, Validators: []validator.String{attributes.ValidName()},
				MarkdownDescription: "Name of the ConfigMap, which must exist when the keys are written. A change replaces the resource.",
			},
			"data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidValueSize()),
				MarkdownDescription: "Text that keys shall hold, in `data`. At least one key must be given here or in `binary_data`, and none in both. " +
					"What is not named is left alone; a key that is named no longer goes by `deletion_policy`.",
			},
			"binary_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidBase64()),
				MarkdownDescription: "Bytes that keys shall hold, in `binaryData`, as canonical standard base64. A key moves between the two maps in " +
					"one atomic request.",
			},
			"expected_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidValueSize()),
				MarkdownDescription: "Text that keys must hold, in `data`, for a write to happen; null for a key that must be absent. A key of `data` " +
					"or `binary_data` that is not named must be absent on create, and on update hold what the state says. A key that is named here " +
					"alone is a guard: compared, and never written. A plan that has no write to make checks nothing, and a key that is not " +
					"written is not held to its expectation, so it may stay in the configuration after the swap.",
			},
			"expected_binary_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidBase64()),
				MarkdownDescription: "Bytes that keys must hold, in `binaryData`, as canonical standard base64, as with `expected_data`. A key must be " +
					"named in one of the two at most.",
			},
			"expected_resource_version_wo": attributes.Pin(),
			"conflict_scope": attributes.Scope("What counts as a conflict on update and delete. `object` (default): any change to the ConfigMap since the " +
				"plan that this apply did not make itself. `key`: only a change to one of these keys, or to one that is expected to hold something."),
			"wait_for_match": attributes.Wait(path.MatchRoot("expected_resource_version_wo")),
			"adopt_existing": attributes.Flag(
				"Whether a key that already holds its value is taken over without a write, instead of an error. Default: `false`."),
			"deletion_policy": attributes.Policy("What destroying does with the keys, and an update with one that is named no longer: `delete` (default) " +
				"them, `restore` what each held before this resource first wrote it (after an import or adoption, what was found), or `abandon` " +
				"them as they are."),
			"on_drift": attributes.OnDrift("What an update does if somebody else changed one of the keys after the last apply, or removed it: `warning` (default) overwrites the " +
				"change and warns at plan, `error` refuses, `off` overwrites it without a word. `error` also refuses to remove a changed key. A new " +
				"expectation of a key acknowledges its change."),
			"field_manager": attributes.FieldManager(),
			"hide_values":   attributes.Hide("previous_data"),
			"timeouts":      attributes.Timeouts(ctx),

			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name:key1,key2`, with the keys in order.",
			},
			"resource_version": attributes.ResourceVersion(),
			"uid":              attributes.UID(),
			"previous_data": schema.MapAttribute{
				ElementType: types.StringType, Computed: true,
				MarkdownDescription: "Text that each key held that the last write wrote or removed, as findAndModify returns the pre-image: null for one " +
					"that was absent or held binary data. Null where this resource has not written yet, as after an import.",
			},
		},
	}
}

// ValidateConfig checks what the maps must be together. What each holds by itself, the schema checks.
func (*dataResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
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
				invalid(path.Root(attribute).AtMapKey(key), diagnose.TitleMissingValue, "must not be null; to remove the key, leave it out")
			}
		}
	}
	if !m.Data.IsUnknown() && !m.BinaryData.IsUnknown() && len(m.keys()) == 0 {
		invalid(path.Root("data"), diagnose.TitleMissingKeys, "there must be at least one key in data or binary_data")
	}
	for _, key := range inBoth(m.Data, m.BinaryData) {
		invalid(path.Root("binary_data").AtMapKey(key), diagnose.TitleKeyInBothMaps, "the key must not be in data as well")
	}
	for _, key := range inBoth(m.ExpectedData, m.ExpectedBinaryData) {
		invalid(path.Root("expected_binary_data").AtMapKey(key), diagnose.TitleKeyInBothMaps, "the key must not be in expected_data as well")
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
		invalid(attribute, diagnose.TitleValuesTooLarge, fmt.Sprintf("is the largest value, with %d bytes; all values have %d bytes together, and must have at most "+
			"%d", largest.Size(), size, cas.MaxSize))
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
