package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewData is cas_configmap_data, a resource of many keys. A change of keys is an update of it, and no replace.
func NewData() resource.Resource { return dataType.New() }

var dataType = adapter.NewData[dataModel]("configmap_data", cas.ConfigMap, dataSchema, "kubernetes_config_map_v1_data")

// dataModel is the resource's schema as Go values.
type dataModel struct {
	adapter.DataAttributes
	dataMaps

	HideValues   types.Bool `tfsdk:"hide_values"`
	PreviousData types.Map  `tfsdk:"previous_data"`
}

func dataSchema(ctx context.Context) schema.Schema {
	of := func(values validator.String) []validator.Map {
		return []validator.Map{mapvalidator.KeysAre(attributes.ValidKey(cas.ConfigMap)), mapvalidator.ValueStringsAre(values)}
	}
	return schema.Schema{
		MarkdownDescription: "Writes several keys of an existing ConfigMap in one atomic request, all or none, only if every key holds " +
			"its expected value.",
		Attributes: attributes.OfData(ctx, cas.ConfigMap, "shop/settings:color,version", map[string]schema.Attribute{
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
			"deletion_policy": attributes.Policy("What happens to the keys on destroy, and to a key that you remove from the configuration. `release` (default) removes the keys "+
				"that this resource created, and leaves those that existed before, were imported, adopted or moved, or that somebody else changed since, unless "+
				"`on_drift` says otherwise; the plan lists what stays. `delete` removes them, even if they existed before Terraform. "+
				"`restore` puts back their values from before the first write (or from the import or adoption). `abandon` leaves them as they are.",
				terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon),
			"on_drift": attributes.OnDrift("What an update does if somebody else changed or removed one of the keys after the last apply. `warning` (default) warns " +
				"at plan and overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. To overwrite it without a " +
				"warning or an error, set the key's expectation to what it holds now."),
			"hide_values": attributes.Hide("previous_data"),

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
				diags.Append(diagnose.TitleMissingValue.Problem(path.Root(attribute).AtMapKey(key),
					"must not be null; to remove the key, leave it out"))
			}
		}
	}
	if !m.Data.IsUnknown() && !m.BinaryData.IsUnknown() && len(m.keys()) == 0 {
		diags.Append(diagnose.TitleMissingKeys.Problem(path.Root("data"), "there must be at least one key in data or binary_data"))
	}
	return append(diags, m.validate()...)
}

// SetDefaults implements [adapter.KeysModel].
func (m *dataModel) SetDefaults(of terms.Defaults) {
	m.DataAttributes.SetDefaults(of)
	m.HideValues = types.BoolValue(false)
}

// Configure does nothing: a plan has all that Claim needs.
func (*dataModel) Configure(*dataModel) {}

// SetID implements [adapter.KeysModel].
func (m *dataModel) SetID() { m.SetKeys(m.keys()) }

// TakeOver implements [adapter.DataModel].
func (m *dataModel) TakeOver(texts map[string]string) map[string]cas.Entry {
	m.Data = adapter.MapOf(texts)
	m.SetID()
	return m.values()
}

// Claim translates the maps to a claim.
func (m *dataModel) Claim(run *claim.Run) *claim.Claim {
	c := m.NewClaim(m.Ref().String(), m.values(), m.expected())
	keyed, valued := !m.Data.IsUnknown() && !m.BinaryData.IsUnknown(), adapter.AllKnown(m.Data, m.BinaryData)
	c.Known = claim.Known{
		Place: m.RefKnown(), Keys: keyed, Values: valued, Change: valued,
		All: adapter.AllKnown(m.Data, m.BinaryData, m.ExpectedData, m.ExpectedBinaryData) && adapter.Known(m.ConflictScope, m.DeletionPolicy) &&
			!m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, run.Hides(m.HideValues)) }
	return c
}

func (m *dataModel) about(op terms.Operation, hide bool) diagnose.Subject {
	s := m.Subject(op, diagnose.HideIf(hide), `Apply deletion_policy = "abandon" to the resource that gives the key up. Then set adopt_existing = true or `+
		"expected_data in the one that takes it over.")
	m.describe(&s)
	return s
}

// SetPrevious stores the replaced texts.
func (m *dataModel) SetPrevious(previous map[string]cas.Entry, run *claim.Run) {
	m.PreviousData = types.MapNull(types.StringType)
	if previous == nil || run.Hides(m.HideValues) { // nobody marks what it replaced as sensitive
		return
	}
	texts := map[string]attr.Value{}
	for key, e := range previous {
		texts[key] = types.StringNull()
		if text, ok := e.Text(); ok {
			texts[key] = types.StringValue(text)
		}
	}
	m.PreviousData = types.MapValueMust(types.StringType, texts)
}

// KeepPrevious implements [adapter.KeysModel].
func (m *dataModel) KeepPrevious(state *dataModel, run *claim.Run) {
	m.PreviousData = state.PreviousData
	switch {
	case m.PreviousData.IsNull():
	case m.HideValues.IsUnknown():
		m.PreviousData = types.MapUnknown(types.StringType)
	case run.Hides(m.HideValues):
		m.PreviousData = types.MapNull(types.StringType)
	}
}

// Refresh stores the keys that exist. The resource exists as long as its ConfigMap does, whatever keys vanish.
func (m *dataModel) Refresh(seen *claim.Seen) bool {
	had, live := m.values(), map[string]cas.Entry{}
	for _, key := range seen.Keys {
		live[key] = seen.Entry(key)
		if was, has := had[key]; has && live[key].Holds(was) {
			live[key] = was
		}
	}
	texts, others := adapter.MapsOf(live) // without absent ones
	m.Data, m.BinaryData = mapLike(m.Data, texts), mapLike(m.BinaryData, others)
	return seen.Exists()
}

// mapLike is null if there are no values. But an empty map stays one: the configuration may say {}.
func mapLike(was types.Map, values map[string]string) types.Map {
	switch {
	case len(values) > 0:
		return adapter.MapOf(values)
	case len(was.Elements()) == 0 && !was.IsUnknown():
		return was
	default:
		return types.MapNull(types.StringType)
	}
}
