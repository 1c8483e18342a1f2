package keys

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// EntryModel is the model of a resource of one key, of either kind. The values of a Secret are write-only, so only a
// configuration has them.
type EntryModel struct {
	resource.KeysAttributes

	Key                 types.String `tfsdk:"key"`
	Value               types.String `tfsdk:"value"`
	ValueBase64         types.String `tfsdk:"value_base64"`
	ExpectedValue       types.String `tfsdk:"expected_value"`
	ExpectedValueBase64 types.String `tfsdk:"expected_value_base64"`
	HideValues          types.Bool   `tfsdk:"hide_values,optional"`
	PreviousValue       types.String `tfsdk:"previous_value,optional"`
	Revision            types.Int64  `tfsdk:"value_wo_version,optional"`
}

// NewEntry returns a resource of one key.
func NewEntry(
	name string, kind eval.Kind, definition func(context.Context) schema.Schema,
) *resource.Resource[EntryModel] {
	return resource.New(resource.Family[EntryModel]{
		Type: resource.Type{Name: name, Kind: kind, Definition: definition, ImportForm: terms.EntryIDForm},
		Base: func(m *EntryModel) *resource.Base { return &m.Base },
		Identity: objectIdentity(kind, map[string]identityschema.Attribute{
			"key": identityschema.StringAttribute{
				RequiredForImport: true, Description: fmt.Sprintf("Key in the %s.", kind),
			},
		}),
		ParseID:   parseEntryID,
		Locate:    (*EntryModel).locate,
		ID:        func(c resource.Call[EntryModel]) string { return c.Model.EntryID().String() },
		Validate:  (*EntryModel).validate,
		Claim:     entryClaim,
		PlanWrite: func(c resource.Call[EntryModel]) { planWrite(&c.Model.KeysAttributes) },
		Result:    entryResult,
		Read:      entryRead,
	})
}

// EntryID returns the id of the key.
func (m *EntryModel) EntryID() terms.EntryID {
	return terms.EntryID{Ref: m.Ref(), Key: m.Key.ValueString()}
}

func parseEntryID(s string) (resource.Identity, error) {
	id, err := terms.ParseEntryID(s)
	i := identityOf(id.Ref)
	i.Key = types.StringValue(id.Key)
	return i, err
}

func (m *EntryModel) locate(i resource.Identity) ([]string, error) {
	m.SetRef(i.Ref())
	m.Key = i.Key
	id := m.EntryID()
	m.ID = types.StringValue(id.String())
	return []string{id.Key}, id.Check()
}

// validate checks the values of a Secret. The diagnostics of the framework's validators, which the schema of a
// ConfigMap has, would point at the values.
func (m *EntryModel) validate() (diags diag.Diagnostics) {
	if m.Kind != eval.Secret {
		return nil
	}
	if m.Value.IsNull() && m.ValueBase64.IsNull() {
		diags.Append(m.fault(message.MissingValue, "value_wo", "set value_wo or value_base64_wo"+notGenerated))
	}
	for name, both := range map[string][2]types.String{
		"value": {m.Value, m.ValueBase64}, "expected_value": {m.ExpectedValue, m.ExpectedValueBase64},
	} {
		textual, encoded := name+"_wo", name+"_base64_wo"
		named := textual
		if both[0].IsNull() {
			named = encoded
		}
		if isSet(both[0]) && isSet(both[1]) {
			diags.Append(m.fault(message.InvalidAttributeCombination, textual, "must not be set together with "+encoded))
		} else if title, problem := sealedProblem(both[0], both[1]); problem != "" {
			diags.Append(m.fault(title, named, problem))
		}
	}
	return diags
}

func (m *EntryModel) fault(title *message.Row, attribute, problem string) diag.Diagnostic {
	return sealedFault(title, "value_wo_version", attribute, problem)
}

// isSet reports whether an attribute has a known value: an unknown value may turn out to be null.
func isSet(s types.String) bool { return !s.IsNull() && !s.IsUnknown() }

// entry returns the value to write; absent if none is configured.
func (m *EntryModel) entry() eval.Value { return resource.EntryFrom(m.Kind, m.Value, m.ValueBase64) }

// expected returns the value that the key must contain before the write; absent if none is configured.
func (m *EntryModel) expected() eval.Value {
	return resource.EntryFrom(m.Kind, m.ExpectedValue, m.ExpectedValueBase64)
}

// entryClaim translates the attributes to a claim.
func entryClaim(c resource.Call[EntryModel]) *resource.Claim {
	m, id := c.Model, c.Model.EntryID()
	values, expected := map[string]eval.Value{id.Key: eval.Anything()}, map[string]eval.Value{}
	placed, valued, expects := m.RefKnown() && !m.Key.IsUnknown(), true, true
	w := c.Values(m.Kind)
	if w != nil {
		valued, expects = resource.Known(w.Value, w.ValueBase64), resource.Known(w.ExpectedValue, w.ExpectedValueBase64)
		values[id.Key] = w.entry()
		if e := w.expected(); !e.IsAbsent() {
			expected[id.Key] = e
		}
	}
	claimed := m.NewClaim(id.String(), values, expected)
	claimed.Revision = revisionOf(m.Revision)
	claimed.Known = decide.Known{
		Place: placed, Keys: placed, Values: valued, Change: isChangeKnown(m.Kind, valued, m.Revision),
		All: valued && expects && !m.ConflictScope.IsUnknown() && !m.AdoptExisting.IsUnknown(),
	}
	claimed.About = func(op terms.Operation) message.Subject {
		return m.about(op, hiding(m.Kind, c.Session, m.HideValues), w, expected)
	}
	return claimed
}

// about describes the resource in diagnostics. w has the values; nil for the state of a Secret.
func (m *EntryModel) about(
	op terms.Operation, hide message.Hiding, w *EntryModel, expected map[string]eval.Value,
) message.Subject {
	id := m.EntryID()
	paths := message.KeyPaths{Value: attributeOf(m.Kind, "value"), Expected: attributeOf(m.Kind, "expected_value")}
	if w != nil && !w.ValueBase64.IsNull() {
		paths.Value = attributeOf(m.Kind, "value_base64")
	}
	if w != nil && !w.ExpectedValueBase64.IsNull() {
		paths.Expected = attributeOf(m.Kind, "expected_value_base64")
	}
	if e, ok := expected[id.Key]; ok {
		paths.Want = &e
	}
	s := m.Subject(op, hide, fmt.Sprintf(
		"If the resource has a new address, add a moved block. With count, use for_each over the %s keys instead.", m.Kind))
	s.ID, s.Noun, s.Place, s.Value, s.Keys[id.Key] = id, "entry", "namespace, name and key", paths.Value, paths
	s.ImportID = func(eval.Ref, []string) string { return id.String() }
	if m.Kind == eval.Secret {
		s.Revision = "value_wo_version"
	}
	return s
}

// entryResult stores the replaced text.
func entryResult(c resource.Call[EntryModel], written *resource.Written) {
	m := c.Model
	if written == nil {
		m.PreviousValue = resource.Kept(
			c.State.PreviousValue, types.StringNull(), types.StringUnknown(), m.HideValues, c.Session)
		return
	}
	m.PreviousValue = types.StringNull()
	text, isText := written.Previous[m.Key.ValueString()].Text()
	isShown := hiding(m.Kind, c.Session, m.HideValues) == message.ShowValues // no replaced value is marked as sensitive
	if isText && isShown {
		m.PreviousValue = types.StringValue(text)
	}
}

// entryRead stores the value. The resource exists as long as its key does.
func entryRead(c resource.Call[EntryModel], seen *resource.Seen) bool {
	m := c.Model
	live := seen.Value(m.Key.ValueString())
	if m.Kind != eval.Secret && !live.IsAbsent() && !live.Matches(m.entry()) {
		m.Value, m.ValueBase64 = resource.ValuesOf(live)
	}
	return !live.IsAbsent()
}
