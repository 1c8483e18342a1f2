// Package configmap has the resources, lists and the action of ConfigMaps: their schemas and models, and what these claim. Package adapter does the
// rest for all resources of keys; configmap.go is a whole ConfigMap, counter.go a number.
package configmap

import (
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var _ adapter.Resource = (*entryResource)(nil)

// NewEntry is cas_configmap_entry.
func NewEntry() resource.Resource { return newEntryResource() }

func newEntryResource() *entryResource {
	return &entryResource{adapter.NewKeys("configmap_entry", cas.ConfigMap, entryCodec)}
}

// entryResource is cas_configmap_entry, a resource of one key.
type entryResource struct {
	adapter.Keys[entryModel, *entryModel]
}

// entryModel is the resource's schema as Go values.
type entryModel struct {
	adapter.EntryAttributes

	Value               types.String `tfsdk:"value"`
	ValueBase64         types.String `tfsdk:"value_base64"`
	ExpectedValue       types.String `tfsdk:"expected_value"`
	ExpectedValueBase64 types.String `tfsdk:"expected_value_base64"`
	HideValue           types.Bool   `tfsdk:"hide_value"`
	PreviousValue       types.String `tfsdk:"previous_value"`
}

var entryCodec = adapter.SchemaCodec[entryModel](&entryResource{})

func (m *entryModel) SetDefaults() {
	m.EntryAttributes.SetDefaults()
	m.HideValue = types.BoolValue(false)
}

// Configure does nothing: a plan has all that Claim needs.
func (*entryModel) Configure(*entryModel) {}

// Claim translates the entry to a claim of one key.
func (m *entryModel) Claim(run *claim.Run) *claim.Claim {
	id := m.EntryID()
	expected := map[string]cas.Entry{}
	if e := m.expected(); !e.IsAbsent() {
		expected[id.Key] = e
	}
	c := m.NewClaim(id.String(), map[string]cas.Entry{id.Key: m.entry()}, expected)
	placed, valued := m.RefKnown() && !m.Key.IsUnknown(), adapter.Known(m.Value, m.ValueBase64)
	c.Known = claim.Known{
		Place: placed, Keys: placed, Values: valued, Change: valued,
		All: valued && adapter.Known(m.ExpectedValue, m.ExpectedValueBase64, m.ConflictScope) && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, run.Hides(m.HideValue)) }
	return c
}

func (m *entryModel) about(op terms.Operation, hide bool) diagnose.Subject {
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
	s := m.Subject(op, diagnose.HideIf(hide),
		"If the resource has a new address, add a moved block. With count, use for_each over the ConfigMap keys instead.", of)
	s.Values = []cas.Entry{m.entry(), m.expected()}
	return s
}

// entry is the value to write. The schema has validated the base64.
func (m *entryModel) entry() cas.Entry {
	return adapter.EntryFrom(cas.ConfigMap, m.Value, m.ValueBase64)
}

// expected is the expected value, absent if none is configured.
func (m *entryModel) expected() cas.Entry {
	return adapter.EntryFrom(cas.ConfigMap, m.ExpectedValue, m.ExpectedValueBase64)
}

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
		m.Value, m.ValueBase64 = adapter.ValuesOf(live)
	}
	return !live.IsAbsent()
}
