package secret

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewData is cas_secret_data, a resource of many keys.
func NewData() resource.Resource { return dataType.New() }

var dataType = adapter.NewData[dataModel]("secret_data", cas.Secret, dataSchema, "kubernetes_secret_v1_data")

// dataModel is the resource's schema as Go values.
type dataModel struct {
	adapter.DataAttributes
	sealed[dataModel]

	DataWO               types.Map   `tfsdk:"data_wo"`
	BinaryDataWO         types.Map   `tfsdk:"binary_data_wo"`
	DataWOVersion        types.Int64 `tfsdk:"data_wo_version"`
	ExpectedDataWO       types.Map   `tfsdk:"expected_data_wo"`
	ExpectedBinaryDataWO types.Map   `tfsdk:"expected_binary_data_wo"`
	Keys                 types.List  `tfsdk:"keys"`
}

func dataSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Writes several keys of an existing Secret in one atomic request, all or none, only if every key holds its expected value. " +
			"No value is stored in the state or the plan.",
		Attributes: attributes.OfData(ctx, cas.Secret, "shop/database:password,user", map[string]schema.Attribute{
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
			"deletion_policy": attributes.Policy("What happens to the keys on destroy, and to a key that you remove from the configuration. `release` (default) removes the keys "+
				"that this resource created, and leaves those that existed before, were imported, adopted or moved, or that somebody else changed since, unless "+
				"`on_drift` says otherwise; the plan lists what stays. `delete` removes them, even if they existed before Terraform. "+
				"`abandon` leaves them as they are.",
				terms.PolicyDelete, terms.PolicyAbandon),
			"on_drift": attributes.OnDrift("What to do if somebody else changed one of the keys after the last apply. `warning` (default) warns at plan, and an " +
				"update overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. To overwrite it without a warning or " +
				"an error, set the key's expectation to what it holds now. If a key is gone, the plan creates it again."),
			"keys": schema.ListAttribute{
				ElementType: types.StringType, Computed: true, MarkdownDescription: "Keys that this resource has in the Secret, sorted.",
			},
		}),
	}
}

// Validate checks the write-only maps. Validators of the framework would point at them.
func (m *dataModel) Validate() (diags diag.Diagnostics) {
	const at = "data_wo_version"
	diags.Append(invalidMaps(at, "data_wo", "binary_data_wo", m.DataWO, m.BinaryDataWO, true)...)
	diags.Append(invalidMaps(at, "expected_data_wo", "expected_binary_data_wo", m.ExpectedDataWO, m.ExpectedBinaryDataWO, false)...)
	if !m.DataWO.IsUnknown() && !m.BinaryDataWO.IsUnknown() && len(m.DataWO.Elements())+len(m.BinaryDataWO.Elements()) == 0 {
		diags.Append(invalid(diagnose.TitleMissingKeys, at, "data_wo", "there must be at least one key in data_wo or binary_data_wo"))
	}
	return diags
}

// values and expected are what the configuration gives.
func (m *dataModel) values() map[string]cas.Entry {
	return adapter.EntriesFrom(cas.Secret, m.DataWO, m.BinaryDataWO)
}

func (m *dataModel) expected() map[string]cas.Entry {
	return adapter.EntriesFrom(cas.Secret, m.ExpectedDataWO, m.ExpectedBinaryDataWO)
}

// SetID implements [adapter.KeysModel]. The keys are those that the configuration names or, without one, the state.
func (m *dataModel) SetID() {
	keys := adapter.KeysOf(m.Keys)
	if m.config != nil {
		keys = slices.Sorted(maps.Keys(m.config.values()))
	}
	m.SetKeys(keys)
}

// SetKeys makes the id of keys, and keeps them.
func (m *dataModel) SetKeys(keys []string) {
	m.DataAttributes.SetKeys(keys)
	m.Keys = adapter.ListOf(keys)
}

// Import implements [adapter.KeysModel].
func (m *dataModel) Import(ctx context.Context, req resource.ImportStateRequest) ([]string, diag.Diagnostics) {
	keys, diags := m.DataAttributes.Import(ctx, req)
	m.SetKeys(keys)
	return keys, diags
}

// TakeOver implements [adapter.DataModel]. The values tell drift, and are not kept.
func (m *dataModel) TakeOver(texts map[string]string) map[string]cas.Entry {
	values := adapter.EntriesFrom(cas.Secret, adapter.MapOf(texts), types.MapNull(types.StringType))
	m.SetKeys(slices.Sorted(maps.Keys(values)))
	return values
}

// PlanWrite implements [adapter.KeysModel]. The apply may get other keys from an ephemeral map.
func (m *dataModel) PlanWrite() {
	m.DataAttributes.PlanWrite()
	m.ID, m.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
}

// Claim translates the maps to a claim.
func (m *dataModel) Claim(*claim.Run) *claim.Claim {
	values, expected := map[string]cas.Entry{}, map[string]cas.Entry{}
	for _, key := range adapter.KeysOf(m.Keys) {
		values[key] = cas.Anything()
	}
	keyed, valued, expects := true, true, true
	if w := m.config; w != nil {
		values, expected = w.values(), w.expected()
		keyed = !w.DataWO.IsUnknown() && !w.BinaryDataWO.IsUnknown()
		valued, expects = adapter.AllKnown(w.DataWO, w.BinaryDataWO), adapter.AllKnown(w.ExpectedDataWO, w.ExpectedBinaryDataWO)
	}
	c := m.NewClaim(m.Ref().String(), values, expected)
	c.Revision, c.Open = m.DataWOVersion, true
	c.Known = claim.Known{
		Place: m.RefKnown(), Keys: keyed, Values: valued, Change: !m.DataWOVersion.IsUnknown(),
		All: valued && expects && adapter.Known(m.ConflictScope, m.DeletionPolicy) && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, values, expected) }
	return c
}

func (m *dataModel) about(op terms.Operation, values, expected map[string]cas.Entry) diagnose.Subject {
	s := m.Subject(op, diagnose.ShowNothing, `Apply deletion_policy = "abandon" to the resource that gives the key up. Then set adopt_existing = true or `+
		"expected_data_wo in the one that takes it over.")
	s.Value, s.Revision = path.Root("data_wo"), "data_wo_version"
	for key, value := range values {
		s.Keys[key] = diagnose.KeyPaths{Value: path.Root("data_wo").AtMapKey(key), Expected: path.Root("expected_data_wo").AtMapKey(key)}
		s.Values = append(s.Values, value)
	}
	for key, want := range expected {
		s.Keys[key] = diagnose.KeyPaths{Value: s.Keys[key].Value, Expected: path.Root("expected_data_wo").AtMapKey(key), Want: &want}
		s.Values = append(s.Values, want)
	}
	return s
}

// Refresh implements [adapter.KeysModel]. The resource exists as long as its Secret does, whatever keys vanish.
func (m *dataModel) Refresh(seen *claim.Seen) bool {
	m.Keys = adapter.ListOf(slices.DeleteFunc(slices.Clone(seen.Keys), func(key string) bool { return seen.Entry(key).IsAbsent() }))
	return seen.Exists()
}
