package secret

import (
	"context"

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
	_ adapter.Resource                    = (*entryResource)(nil)
	_ resource.ResourceWithValidateConfig = (*entryResource)(nil)
)

// entryResource is cas_secret_entry, a resource of one key.
type entryResource struct {
	adapter.Keys[entryModel, *entryModel]
}

// NewEntry is cas_secret_entry.
func NewEntry() resource.Resource {
	return &entryResource{adapter.Keys[entryModel, *entryModel]{Kind: cas.Secret, Codec: entryCodec}}
}

// entryModel is the resource's schema as Go values.
type entryModel struct {
	adapter.KeysAttributes

	Key                   types.String `tfsdk:"key"`
	ValueWO               types.String `tfsdk:"value_wo"`
	ValueBase64WO         types.String `tfsdk:"value_base64_wo"`
	ValueWOVersion        types.Int64  `tfsdk:"value_wo_version"`
	ExpectedValueWO       types.String `tfsdk:"expected_value_wo"`
	ExpectedValueBase64WO types.String `tfsdk:"expected_value_base64_wo"`

	config *entryModel `tfsdk:"-"` // of a plan, the configuration, which alone has the write-only attributes
}

var entryCodec = adapter.SchemaCodec[entryModel](&entryResource{})

func (*entryResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_secret_entry"
}

// Configure implements [adapter.KeysModel].
func (m *entryModel) Configure(ctx context.Context, config tfsdk.Config) diag.Diagnostics {
	decoded, diags := entryCodec().Decode(ctx, config.Raw)
	m.config = &decoded
	return append(diags, m.KeysAttributes.Configure(ctx, config)...)
}

func (m *entryModel) entryID() terms.EntryID {
	return terms.EntryID{Ref: refOf(&m.Place), Key: m.Key.ValueString()}
}

// SetID implements [adapter.KeysModel].
func (m *entryModel) SetID() { m.ID = types.StringValue(m.entryID().String()) }

// PlanWrite implements [adapter.KeysModel].
func (m *entryModel) PlanWrite() { planWrite(&m.Observed) }

// EncodeIdentity implements [adapter.KeysModel].
func (m *entryModel) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return adapter.EntryIdentity{ObjectIdentity: m.Identity(), Key: m.Key}.Encode(ctx, raw)
}

// Claim translates the entry to a claim of one key.
func (m *entryModel) Claim(*claim.Run) *claim.Claim {
	id := m.entryID()
	values, expected := map[string]cas.Entry{id.Key: cas.Anything()}, map[string]cas.Entry{}
	placed, valued, expects := m.RefKnown() && !m.Key.IsUnknown(), true, true
	if w := m.config; w != nil {
		if valued = adapter.Known(w.ValueWO, w.ValueBase64WO); valued {
			values[id.Key] = entryFrom(w.ValueWO, w.ValueBase64WO)
		}
		expects = adapter.Known(w.ExpectedValueWO, w.ExpectedValueBase64WO)
		if e := entryFrom(w.ExpectedValueWO, w.ExpectedValueBase64WO); expects && !e.IsAbsent() {
			expected[id.Key] = e
		}
	}
	c := m.NewClaim(id.String(), id.Ref, values, expected)
	c.Revision = m.ValueWOVersion
	c.Known = claim.Known{
		Place: placed, Keys: placed, Values: valued, Change: !m.ValueWOVersion.IsUnknown(),
		All: valued && expects && !m.ConflictScope.IsUnknown() && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, values, expected) }
	return c
}

func (m *entryModel) about(op terms.Operation, values, expected map[string]cas.Entry) diagnose.Subject {
	id := m.entryID()
	of := diagnose.KeyPaths{Value: path.Root("value_wo"), Expected: path.Root("expected_value_wo")}
	if w := m.config; w != nil && !w.ValueBase64WO.IsNull() {
		of.Value = path.Root("value_base64_wo")
	}
	if w := m.config; w != nil && !w.ExpectedValueBase64WO.IsNull() {
		of.Expected = path.Root("expected_value_base64_wo")
	}
	if e, ok := expected[id.Key]; ok {
		of.Want = &e
	}
	s := subject(id, "entry", "namespace, name and key", op, m.WaitForMatch)
	s.Value, s.Revision, s.Keys = of.Value, "value_wo_version", map[string]diagnose.KeyPaths{id.Key: of}
	s.ImportID = func(cas.Ref, []string) string { return id.String() }
	s.Ways = adapter.Ways("Use for_each over the keys, so that each instance keeps its key, or add a moved block.")
	s.Values = []cas.Entry{values[id.Key], expected[id.Key]}
	return s
}

// MayBe implements [adapter.KeysModel].
func (m *entryModel) MayBe(state *entryModel) bool {
	return adapter.Agrees(m.Namespace, state.Namespace) && adapter.Agrees(m.Name, state.Name) && adapter.Agrees(m.Key, state.Key)
}

// SetPrevious does nothing: no state has a value.
func (*entryModel) SetPrevious(map[string]cas.Entry, *claim.Run) {}

// KeepPrevious does nothing: no state has a value.
func (*entryModel) KeepPrevious(*entryModel, *claim.Run) {}

// Refresh implements [adapter.KeysModel]. The entry exists as long as its key does.
func (m *entryModel) Refresh(seen *claim.Seen) bool {
	return !seen.Entry(m.Key.ValueString()).IsAbsent()
}

// ImportState implements [resource.ResourceWithImportState]. The version of the value stays null: nothing has written it yet.
func (*entryResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, diags := adapter.ImportedEntry(ctx, req, cas.Secret)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	state := entryModel{KeysAttributes: adapter.ImportedKeys(id.Ref), Key: types.StringValue(id.Key)}
	state.SetID()
	resp.Diagnostics.Append(state.EncodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(entryCodec().Encode(ctx, state, &resp.State.Raw)...)
	resp.Diagnostics.Append(claim.Import(ctx, resp.Private, id.Key)...)
}
