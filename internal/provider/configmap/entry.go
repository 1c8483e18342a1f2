// Package configmap has the resources, lists and the action of ConfigMaps: their schemas and models, and what these claim. Package adapter does the
// rest for all resources of keys; configmap.go is a whole ConfigMap, counter.go a number.
package configmap

import (
	"context"
	"encoding/base64"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var _ adapter.Resource = (*entryResource)(nil)

// entryResource is cas_configmap_entry, a resource of one key.
type entryResource struct {
	adapter.Keys[entryModel, *entryModel]
}

// NewEntry is cas_configmap_entry.
func NewEntry() resource.Resource {
	return &entryResource{adapter.Keys[entryModel, *entryModel]{Codec: entryCodec}}
}

// entryModel is the resource's schema as Go values.
type entryModel struct {
	adapter.KeysAttributes

	Key                 types.String `tfsdk:"key"`
	Value               types.String `tfsdk:"value"`
	ValueBase64         types.String `tfsdk:"value_base64"`
	ExpectedValue       types.String `tfsdk:"expected_value"`
	ExpectedValueBase64 types.String `tfsdk:"expected_value_base64"`
	HideValue           types.Bool   `tfsdk:"hide_value"`
	PreviousValue       types.String `tfsdk:"previous_value"`
}

var entryCodec = adapter.SchemaCodec[entryModel](&entryResource{})

func (*entryResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap_entry"
}

func (m *entryModel) entryID() terms.EntryID {
	return terms.EntryID{Ref: m.Ref(), Key: m.Key.ValueString()}
}

func (m *entryModel) SetID() { m.ID = types.StringValue(m.entryID().String()) }

func (m *entryModel) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return adapter.EntryIdentity{ObjectIdentity: m.Identity(), Key: m.Key}.Encode(ctx, raw)
}

// Claim translates the entry to a claim of one key.
func (m *entryModel) Claim(run *claim.Run) *claim.Claim {
	id := m.entryID()
	expected := map[string]cas.Entry{}
	if e := m.expected(); !e.IsAbsent() {
		expected[id.Key] = e
	}
	c := m.NewClaim(id.String(), id.Ref, map[string]cas.Entry{id.Key: m.entry()}, expected)
	placed, valued := m.RefKnown() && !m.Key.IsUnknown(), adapter.Known(m.Value, m.ValueBase64)
	c.Known = claim.Known{
		Place: placed, Keys: placed, Values: valued, Change: valued,
		All: valued && adapter.Known(m.ExpectedValue, m.ExpectedValueBase64, m.ConflictScope) && !m.AdoptExisting.IsUnknown(),
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
		Ways:     adapter.Ways("If the resource has a new address, add a moved block. With count, use for_each over the ConfigMap keys instead."),
		Op:       op, Limit: op, Hide: diagnose.HideIf(hide), Values: []cas.Entry{m.entry(), m.expected()},
	}
	if op == terms.OpCreate || op == terms.OpUpdate {
		s.Wait = m.WaitForMatch
	}
	return s
}

func (m *entryModel) MayBe(state *entryModel) bool {
	return adapter.Agrees(m.Namespace, state.Namespace) && adapter.Agrees(m.Name, state.Name) && adapter.Agrees(m.Key, state.Key)
}

// entry is the value to write. The schema has validated the base64.
func (m *entryModel) entry() cas.Entry { return entryFrom(m.Value, m.ValueBase64) }

// expected is the expected value, absent if none is configured.
func (m *entryModel) expected() cas.Entry { return entryFrom(m.ExpectedValue, m.ExpectedValueBase64) }

func (m *entryModel) SetPrevious(previous map[string]cas.Entry, run *claim.Run) {
	m.PreviousValue = types.StringNull()
	if text, ok := previous[m.Key.ValueString()].Text(); ok && !run.Hides(m.HideValue) { // nobody marks what it replaced as sensitive
		m.PreviousValue = types.StringValue(text)
	}
}

func (m *entryModel) KeepPrevious(state *entryModel, run *claim.Run) {
	m.PreviousValue = state.PreviousValue
	switch {
	case m.PreviousValue.IsNull():
	case m.HideValue.IsUnknown():
		m.PreviousValue = types.StringUnknown()
	case run.Hides(m.HideValue):
		m.PreviousValue = types.StringNull()
	}
}

// Refresh stores the key's value. The entry exists as long as its key does.
func (m *entryModel) Refresh(seen *claim.Seen) bool {
	live := seen.Entry(m.Key.ValueString())
	if !live.IsAbsent() && !live.Holds(m.entry()) {
		m.Value, m.ValueBase64 = EntryValues(live)
	}
	return !live.IsAbsent()
}

// ImportState implements [resource.ResourceWithImportState]. The refresh that follows puts in the value.
func (*entryResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, diags := adapter.ImportedEntry(ctx, req, cas.ConfigMap)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	state := newEntryModel(id)
	resp.Diagnostics.Append(state.EncodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(entryCodec().Encode(ctx, state, &resp.State.Raw)...)
	resp.Diagnostics.Append(claim.Import(ctx, resp.Private, id.Key)...)
}

// newEntryModel is the state of an entry of which nothing but its id is known.
func newEntryModel(id terms.EntryID) entryModel {
	m := entryModel{KeysAttributes: adapter.ImportedKeys(id.Ref), Key: types.StringValue(id.Key), HideValue: types.BoolValue(false)}
	m.SetID()
	return m
}

// entryFrom converts a text or base64 value to an entry. It is absent if both are null.
func entryFrom(textual, encoded types.String) cas.Entry {
	if !textual.IsNull() {
		return cas.Text(textual.ValueString())
	}
	if !encoded.IsNull() {
		b, err := base64.StdEncoding.DecodeString(encoded.ValueString())
		if err == nil {
			return cas.Binary(b)
		}
	}
	return cas.Entry{}
}

// EntryValues converts an entry to value and value_base64.
func EntryValues(e cas.Entry) (textual, encoded types.String) {
	textual, encoded = types.StringNull(), types.StringNull()
	if v, ok := e.Text(); ok {
		textual = types.StringValue(v)
	} else if b, ok := e.Binary(); ok {
		encoded = types.StringValue(base64.StdEncoding.EncodeToString(b))
	}
	return textual, encoded
}
