package secret

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ adapter.Resource                    = (*dataResource)(nil)
	_ resource.ResourceWithMoveState      = (*dataResource)(nil)
	_ resource.ResourceWithValidateConfig = (*dataResource)(nil)
)

// dataResource is cas_secret_data, a resource of many keys.
type dataResource struct {
	adapter.Keys[dataModel, *dataModel]
}

// NewData is cas_secret_data.
func NewData() resource.Resource {
	return &dataResource{adapter.Keys[dataModel, *dataModel]{Kind: cas.Secret, Codec: dataCodec}}
}

// dataModel is the resource's schema as Go values.
type dataModel struct {
	adapter.KeysAttributes

	DataWO               types.Map   `tfsdk:"data_wo"`
	BinaryDataWO         types.Map   `tfsdk:"binary_data_wo"`
	DataWOVersion        types.Int64 `tfsdk:"data_wo_version"`
	ExpectedDataWO       types.Map   `tfsdk:"expected_data_wo"`
	ExpectedBinaryDataWO types.Map   `tfsdk:"expected_binary_data_wo"`
	Keys                 types.List  `tfsdk:"keys"`

	config *dataModel `tfsdk:"-"` // of a plan, the configuration, which alone has the write-only attributes
}

var dataCodec = adapter.SchemaCodec[dataModel](&dataResource{})

func (*dataResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_secret_data"
	resp.ResourceBehavior.MutableIdentity = true // with the keys
}

// Configure implements [adapter.KeysModel].
func (m *dataModel) Configure(ctx context.Context, config tfsdk.Config) diag.Diagnostics {
	decoded, diags := dataCodec().Decode(ctx, config.Raw)
	m.config = &decoded
	return append(diags, m.KeysAttributes.Configure(ctx, config)...)
}

// keys gives the keys that the configuration names or, without one, the state.
func (m *dataModel) keys() []string {
	if m.config != nil {
		return slices.Sorted(maps.Keys(entriesFrom(m.config.DataWO, m.config.BinaryDataWO)))
	}
	return keysOf(m.Keys)
}

// SetID implements [adapter.KeysModel]. It sets the keys as well.
func (m *dataModel) SetID() {
	keys := m.keys()
	m.ID, m.Keys = types.StringValue(terms.DataID{Ref: refOf(&m.Place), Keys: keys}.String()), adapter.ListOf(keys)
}

// PlanWrite implements [adapter.KeysModel]. The apply may get other keys from an ephemeral map.
func (m *dataModel) PlanWrite() {
	planWrite(&m.Observed)
	m.ID, m.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
}

// EncodeIdentity implements [adapter.KeysModel].
func (m *dataModel) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return adapter.DataIdentityOf(&m.Place).Encode(ctx, raw)
}

// Claim translates the maps to a claim.
func (m *dataModel) Claim(*claim.Run) *claim.Claim {
	values, expected := map[string]cas.Entry{}, map[string]cas.Entry{}
	for _, key := range keysOf(m.Keys) {
		values[key] = cas.Anything()
	}
	keyed, valued, expects := true, true, true
	if w := m.config; w != nil {
		values, expected = entriesFrom(w.DataWO, w.BinaryDataWO), entriesFrom(w.ExpectedDataWO, w.ExpectedBinaryDataWO)
		keyed = !w.DataWO.IsUnknown() && !w.BinaryDataWO.IsUnknown()
		valued, expects = adapter.AllKnown(w.DataWO, w.BinaryDataWO), adapter.AllKnown(w.ExpectedDataWO, w.ExpectedBinaryDataWO)
	}
	ref := refOf(&m.Place)
	c := m.NewClaim(ref.String(), ref, values, expected)
	c.Revision = m.DataWOVersion
	c.Known = claim.Known{
		Place: m.RefKnown(), Keys: keyed, Values: valued, Change: !m.DataWOVersion.IsUnknown(),
		All: valued && expects && adapter.Known(m.ConflictScope, m.DeletionPolicy) && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, values, expected) }
	return c
}

func (m *dataModel) about(op terms.Operation, values, expected map[string]cas.Entry) diagnose.Subject {
	s := subject(terms.EntryID{Ref: refOf(&m.Place)}, "keys", "namespace and name", op, m.WaitForMatch)
	s.Value, s.Revision, s.Keys = path.Root("data_wo"), "data_wo_version", map[string]diagnose.KeyPaths{}
	s.ImportID = func(ref cas.Ref, keys []string) string { return terms.DataID{Ref: ref, Keys: keys}.String() }
	s.Ways = adapter.Ways(`Apply deletion_policy = "abandon" to the resource that gives the key up. Then set adopt_existing = true or ` +
		"expected_data_wo in the one that takes it over.")
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

// MayBe implements [adapter.KeysModel].
func (m *dataModel) MayBe(state *dataModel) bool {
	return adapter.Agrees(m.Namespace, state.Namespace) && adapter.Agrees(m.Name, state.Name)
}

// SetPrevious does nothing: no state has a value.
func (*dataModel) SetPrevious(map[string]cas.Entry, *claim.Run) {}

// KeepPrevious does nothing: no state has a value.
func (*dataModel) KeepPrevious(*dataModel, *claim.Run) {}

// Refresh implements [adapter.KeysModel]. The resource exists as long as its Secret does, whatever keys vanish.
func (m *dataModel) Refresh(seen *claim.Seen) bool {
	m.Keys = adapter.ListOf(slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(seen.Keys))), func(key string) bool { return seen.Entry(key).IsAbsent() }))
	return seen.Exists()
}

// entriesFrom converts both maps to entries. A null element becomes the absent entry, an unknown one the empty value.
func entriesFrom(textual, encoded types.Map) map[string]cas.Entry {
	entries := map[string]cas.Entry{}
	for key, v := range textual.Elements() {
		entries[key] = entryFrom(stringOf(v), types.StringNull())
	}
	for key, v := range encoded.Elements() {
		entries[key] = entryFrom(types.StringNull(), stringOf(v))
	}
	return entries
}

func stringOf(v attr.Value) types.String {
	if s, ok := v.(types.String); ok {
		return s
	}
	return types.StringNull()
}

func keysOf(list types.List) (keys []string) {
	for _, key := range list.Elements() {
		keys = append(keys, stringOf(key).ValueString())
	}
	return keys
}

// newDataModel is the state of a resource of which nothing but its id is known.
func newDataModel(id terms.DataID) dataModel {
	null := types.MapNull(types.StringType)
	m := dataModel{
		KeysAttributes: adapter.ImportedKeys(id.Ref), DataWO: null, BinaryDataWO: null, ExpectedDataWO: null, ExpectedBinaryDataWO: null,
		Keys: adapter.ListOf(id.Keys),
	}
	m.ID = types.StringValue(id.String())
	return m
}

func (*dataResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, diags := adapter.ImportedData(ctx, req, cas.Secret)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	state := newDataModel(id)
	resp.Diagnostics.Append(state.EncodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.State.Raw)...)
	resp.Diagnostics.Append(claim.Import(ctx, resp.Private, id.Keys...)...)
}

// MoveState takes over the keys that the state of a kubernetes_secret_v1_data names. Its values tell drift, and are not kept.
func (*dataResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveKubernetesData}}
}

func moveKubernetesData(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if !adapter.FromKubernetes(req, "kubernetes_secret_v1_data") {
		return
	}
	var source adapter.KubernetesData
	if json.Unmarshal(req.SourceRawState.JSON, &source) != nil || len(source.Metadata) != 1 {
		resp.Diagnostics.Append(adapter.Unmovable(req.SourceTypeName, "import the keys with the id namespace/name:key1,key2."))
		return
	}
	values := map[string]cas.Entry{}
	for key, value := range source.Data {
		if value != nil {
			values[key] = cas.Binary([]byte(*value))
		}
	}
	ref := cas.Ref{Kind: cas.Secret, Namespace: source.Metadata[0].Namespace, Name: source.Metadata[0].Name}
	state := newDataModel(terms.DataID{Ref: ref, Keys: slices.Sorted(maps.Keys(values))})
	state.FieldManager = source.Manager()
	if resp.TargetIdentity != nil {
		resp.Diagnostics.Append(state.EncodeIdentity(ctx, &resp.TargetIdentity.Raw)...)
	}
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.TargetState.Raw)...)
	resp.Diagnostics.Append(claim.Moved(ctx, resp.TargetPrivate, cas.Secret, values)...)
}
