package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ resource.ResourceWithConfigure   = (*entryResource)(nil)
	_ resource.ResourceWithIdentity    = (*entryResource)(nil)
	_ resource.ResourceWithImportState = (*entryResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*entryResource)(nil)
)

// entryResource is cas_configmap_entry, a resource of one key.
type entryResource struct {
	keysResource[entryModel, *entryModel]
}

// NewEntry is cas_configmap_entry.
func NewEntry() resource.Resource {
	return &entryResource{keysResource[entryModel, *entryModel]{codec: entryCodec}}
}

// entryModel is the resource's schema as Go values.
type entryModel struct {
	keysAttributes

	Key                 types.String `tfsdk:"key"`
	Value               types.String `tfsdk:"value"`
	ValueBase64         types.String `tfsdk:"value_base64"`
	ExpectedValue       types.String `tfsdk:"expected_value"`
	ExpectedValueBase64 types.String `tfsdk:"expected_value_base64"`
	HideValue           types.Bool   `tfsdk:"hide_value"`
	PreviousValue       types.String `tfsdk:"previous_value"`
}

// entryIdentity is the resource's identity.
type entryIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Key       types.String `tfsdk:"key"`
}

var (
	entryCodec         = schemaCodec[entryModel](&entryResource{})
	entryIdentityCodec = identityCodec[entryIdentity](&entryResource{})
)

func (*entryResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap_entry"
}

func (m *entryModel) entryID() terms.EntryID {
	return terms.EntryID{Ref: m.ref(), Key: m.Key.ValueString()}
}

func (m *entryModel) setID() { m.ID = types.StringValue(m.entryID().String()) }

func (m *entryModel) encodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return entryIdentityCodec().Encode(ctx, entryIdentity{Namespace: m.Namespace, Name: m.Name, Key: m.Key}, raw)
}

// claim translates the entry to a claim of one key.
func (m *entryModel) claim(run *claim.Run) *claim.Claim {
	id := m.entryID()
	expected := map[string]cas.Entry{}
	if e := m.expected(); !e.IsAbsent() {
		expected[id.Key] = e
	}
	c := m.newClaim(id.String(), map[string]cas.Entry{id.Key: m.entry()}, expected)
	placed, valued := m.refKnown() && !m.Key.IsUnknown(), known(m.Value, m.ValueBase64)
	c.Known = claim.Known{
		Place: placed, Keys: placed, Values: valued,
		All: valued && known(m.ExpectedValue, m.ExpectedValueBase64, m.ConflictScope) && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, run.Hides(m.HideValue)) }
	return c
}

func (m *entryModel) about(op terms.Operation, hide bool) diagnose.Subject {
	id := m.entryID()
	of := diagnose.KeyPaths{Value: path.Root("value"), Expected: path.Root("expected_value")}
	if !m.ValueBase64.IsNull() {
		of.Value = path.Root("value_base64")
	}
	if !m.ExpectedValueBase64.IsNull() {
		of.Expected = path.Root("expected_value_base64")
	}
	if e := m.expected(); !e.IsAbsent() {
		of.Want = &e
	}
	s := diagnose.Subject{
		ID: id, Noun: "entry", Place: "namespace, name and key", Value: of.Value, Keys: map[string]diagnose.KeyPaths{id.Key: of},
		ImportID: func(cas.Ref, []string) string { return id.String() },
		Ways:     ways("Use for_each over the ConfigMap keys, so that each instance keeps its key, or add a moved block."),
		Op:       op, Limit: op, Hide: hide, Values: []cas.Entry{m.entry(), m.expected()},
	}
	if op == terms.OpCreate || op == terms.OpUpdate {
		s.Wait = m.WaitForMatch
	}
	return s
}

func (m *entryModel) mayBe(state *entryModel) bool {
	return agrees(m.Namespace, state.Namespace) && agrees(m.Name, state.Name) && agrees(m.Key, state.Key)
}

// entry is the value to write. The schema has validated the base64.
func (m *entryModel) entry() cas.Entry { return entryFrom(m.Value, m.ValueBase64) }

// expected is the expected value, absent if none is configured.
func (m *entryModel) expected() cas.Entry { return entryFrom(m.ExpectedValue, m.ExpectedValueBase64) }

func (m *entryModel) setPrevious(previous map[string]cas.Entry, run *claim.Run) {
	m.PreviousValue = types.StringNull()
	if text, ok := previous[m.Key.ValueString()].Text(); ok && !run.Hides(m.HideValue) { // nobody marks what it replaced as sensitive
		m.PreviousValue = types.StringValue(text)
	}
}

func (m *entryModel) keepPrevious(state *entryModel, run *claim.Run) {
	m.PreviousValue = state.PreviousValue
	switch {
	case m.PreviousValue.IsNull():
	case m.HideValue.IsUnknown():
		m.PreviousValue = types.StringUnknown()
	case run.Hides(m.HideValue):
		m.PreviousValue = types.StringNull()
	}
}

// refresh stores the key's value. The entry exists as long as its key does.
func (m *entryModel) refresh(seen *claim.Seen) bool {
	live := seen.Entry(m.Key.ValueString())
	if !live.IsAbsent() && !live.Holds(m.entry()) {
		m.Value, m.ValueBase64 = entryValues(live)
	}
	return !live.IsAbsent()
}

// ImportState implements [resource.ResourceWithImportState]. The refresh that follows puts in the value.
func (*entryResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var id terms.EntryID
	if req.ID != "" {
		var err error
		if id, err = terms.ParseEntryID(req.ID); err != nil {
			resp.Diagnostics.Append(invalidID(diagnose.TitleInvalidImportID, "import id", err))
			return
		}
	} else {
		var identity entryIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		if resp.Diagnostics.HasError() {
			return
		}
		namespace := identity.Namespace.ValueString()
		if namespace == "" {
			namespace = terms.DefaultNamespace
		}
		id = terms.EntryID{Ref: cas.Ref{Namespace: namespace, Name: identity.Name.ValueString()}, Key: identity.Key.ValueString()}
		if _, err := terms.ParseEntryID(id.String()); err != nil {
			resp.Diagnostics.Append(invalidID(diagnose.TitleInvalidImportIdentity, "identity", err))
			return
		}
	}

	state := newEntryModel(id)
	resp.Diagnostics.Append(state.encodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(entryCodec().Encode(ctx, state, &resp.State.Raw)...)
	resp.Diagnostics.Append(claim.Import(ctx, resp.Private, id.Key)...)
}

// newEntryModel is the state of an entry of which nothing but its id is known.
func newEntryModel(id terms.EntryID) entryModel {
	m := entryModel{keysAttributes: importedKeys(id.Ref), Key: types.StringValue(id.Key), HideValue: types.BoolValue(false)}
	m.setID()
	return m
}
