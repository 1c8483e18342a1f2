package secret

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

// NewEntry is cas_secret_entry.
func NewEntry() resource.Resource {
	return &entryResource{adapter.NewKeys("secret_entry", cas.Secret, entryCodec)}
}

// entryResource is cas_secret_entry, a resource of one key.
type entryResource struct {
	adapter.Keys[entryModel, *entryModel]
}

// entryModel is the resource's schema as Go values.
type entryModel struct {
	adapter.EntryAttributes
	sealed[entryModel]

	ValueWO               types.String `tfsdk:"value_wo"`
	ValueBase64WO         types.String `tfsdk:"value_base64_wo"`
	ValueWOVersion        types.Int64  `tfsdk:"value_wo_version"`
	ExpectedValueWO       types.String `tfsdk:"expected_value_wo"`
	ExpectedValueBase64WO types.String `tfsdk:"expected_value_base64_wo"`
}

var entryCodec = adapter.SchemaCodec[entryModel](&entryResource{})

// Claim translates the entry to a claim of one key.
func (m *entryModel) Claim(*claim.Run) *claim.Claim {
	id := m.EntryID()
	values, expected := map[string]cas.Entry{id.Key: cas.Anything()}, map[string]cas.Entry{}
	placed, valued, expects := m.RefKnown() && !m.Key.IsUnknown(), true, true
	if w := m.config; w != nil {
		if valued = adapter.Known(w.ValueWO, w.ValueBase64WO); valued {
			values[id.Key] = adapter.EntryFrom(cas.Secret, w.ValueWO, w.ValueBase64WO)
		}
		expects = adapter.Known(w.ExpectedValueWO, w.ExpectedValueBase64WO)
		if e := adapter.EntryFrom(cas.Secret, w.ExpectedValueWO, w.ExpectedValueBase64WO); expects && !e.IsAbsent() {
			expected[id.Key] = e
		}
	}
	c := m.NewClaim(id.String(), values, expected)
	c.Revision = m.ValueWOVersion
	c.Known = claim.Known{
		Place: placed, Keys: placed, Values: valued, Change: !m.ValueWOVersion.IsUnknown(),
		All: valued && expects && !m.ConflictScope.IsUnknown() && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, values, expected) }
	return c
}

func (m *entryModel) about(op terms.Operation, values, expected map[string]cas.Entry) diagnose.Subject {
	of := diagnose.KeyPaths{Value: path.Root("value_wo"), Expected: path.Root("expected_value_wo")}
	if w := m.config; w != nil && !w.ValueBase64WO.IsNull() {
		of.Value = path.Root("value_base64_wo")
	}
	if w := m.config; w != nil && !w.ExpectedValueBase64WO.IsNull() {
		of.Expected = path.Root("expected_value_base64_wo")
	}
	key := m.Key.ValueString()
	if e, ok := expected[key]; ok {
		of.Want = &e
	}
	s := m.Subject(op, diagnose.ShowNothing, "Use for_each over the keys, so that each instance keeps its key, or add a moved block.", of)
	s.Revision, s.Values = "value_wo_version", []cas.Entry{values[key], expected[key]}
	return s
}

// Refresh implements [adapter.KeysModel]. The entry exists as long as its key does.
func (m *entryModel) Refresh(seen *claim.Seen) bool {
	return !seen.Entry(m.Key.ValueString()).IsAbsent()
}
