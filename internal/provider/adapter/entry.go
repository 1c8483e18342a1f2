package adapter

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// EntryModel is the model of a resource of one key, of either kind. The values of a Secret are
// write-only, so only a configuration has them.
type EntryModel struct {
	KeysAttributes

	Key                 types.String `tfsdk:"key"`
	Value               types.String `tfsdk:"value"`
	ValueBase64         types.String `tfsdk:"value_base64"`
	ExpectedValue       types.String `tfsdk:"expected_value"`
	ExpectedValueBase64 types.String `tfsdk:"expected_value_base64"`
	HideValues          types.Bool   `tfsdk:"hide_values,optional"`
	PreviousValue       types.String `tfsdk:"previous_value,optional"`
	Revision            types.Int64  `tfsdk:"value_wo_version,optional"`

	config *EntryModel `tfsdk:"-"` // of a plan
}

// EntryID names the key.
func (m *EntryModel) EntryID() terms.EntryID {
	return terms.EntryID{Ref: m.Ref(), Key: m.Key.ValueString()}
}

// At are the attributes that say where a resource is.
func (m *EntryModel) At() []types.String { return append(m.Place.At(), m.Key) }

// SetID implements [KeysModel].
func (m *EntryModel) SetID() { m.ID = types.StringValue(m.EntryID().String()) }

// IdentitySchema implements [KeysModel].
func (*EntryModel) IdentitySchema(kind eval.Kind) identityschema.Schema {
	s := objectIdentitySchema(kind)
	s.Attributes["key"] = identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Key in the %s.", kind)}
	return s
}

// entryIdentity is the identity of one key.
type entryIdentity struct {
	Named

	Key types.String `tfsdk:"key"`
}

var entryIdentities = identities[entryIdentity](new(EntryModel).IdentitySchema)

// EncodeIdentity implements [KeysModel].
func (m *EntryModel) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return entryIdentities().Encode(ctx, entryIdentity{m.Named, m.Key}, raw)
}

// Import implements [KeysModel].
func (m *EntryModel) Import(ctx context.Context, req resource.ImportStateRequest) ([]string, diag.Diagnostics) {
	id, diags := Imported(ctx, req, terms.ParseEntryID, func(i entryIdentity) (terms.EntryID, error) {
		id := terms.EntryID{Ref: i.RefWithDefault(), Key: i.Key.ValueString()}
		return id, id.Check()
	})
	m.SetEntry(id)
	return []string{id.Key}, diags
}

// SetEntry names the key.
func (m *EntryModel) SetEntry(id terms.EntryID) {
	m.SetRef(id.Ref)
	m.Key = types.StringValue(id.Key)
	m.SetID()
}

// SetDefaults implements [KeysModel].
func (m *EntryModel) SetDefaults(of terms.Defaults) {
	m.KeysAttributes.SetDefaults(of)
	m.HideValues = types.BoolValue(false)
}

// Validate checks the values of a Secret: the framework's validators would point at them. The schema of a ConfigMap has those.
func (m *EntryModel) Validate() (diags diag.Diagnostics) {
	if m.Kind != eval.Secret {
		return nil
	}
	if m.Value.IsNull() && m.ValueBase64.IsNull() {
		diags.Append(m.fault(diagnose.TitleMissingValue, "value_wo", "set value_wo or value_base64_wo"+notGenerated))
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
			diags.Append(m.fault(diagnose.TitleInvalidAttributeCombination, textual, "must not be set together with "+encoded))
		} else if title, problem := sealedProblem(both[0], both[1]); problem != "" {
			diags.Append(m.fault(title, named, problem))
		}
	}
	return diags
}

func (m *EntryModel) fault(title *diagnose.Row, attribute, problem string) diag.Diagnostic {
	return sealedFault(title, "value_wo_version", attribute, problem)
}

// isSet reports whether an attribute is known to have a value: one that is not known yet may turn out null.
func isSet(s types.String) bool { return !s.IsNull() && !s.IsUnknown() }

// Configure implements [KeysModel].
func (m *EntryModel) Configure(config *EntryModel) {
	m.config, m.Pin = config, config.ExpectedResourceVerWO
}

// says is the model that has the values; nil for the state of a Secret.
func (m *EntryModel) says() *EntryModel {
	if m.Kind == eval.Secret {
		return m.config
	}
	return m
}

// entry is the value to write, and expected what the key must hold before; absent if none is configured.
func (m *EntryModel) entry() eval.Value { return EntryFrom(m.Kind, m.Value, m.ValueBase64) }

func (m *EntryModel) expected() eval.Value {
	return EntryFrom(m.Kind, m.ExpectedValue, m.ExpectedValueBase64)
}

// Claim implements [KeysModel].
func (m *EntryModel) Claim(run *claim.Run) *claim.Claim {
	id := m.EntryID()
	values, expected := map[string]eval.Value{id.Key: eval.Anything()}, map[string]eval.Value{}
	placed, valued, expects := m.RefKnown() && !m.Key.IsUnknown(), true, true
	if w := m.says(); w != nil {
		valued, expects = Known(w.Value, w.ValueBase64), Known(w.ExpectedValue, w.ExpectedValueBase64)
		values[id.Key] = w.entry()
		if e := w.expected(); !e.IsAbsent() {
			expected[id.Key] = e
		}
	}
	c := m.NewClaim(run, id.String(), values, expected)
	c.Revision = revisionOf(m.Revision)
	c.Known = decide.Known{
		Place: placed, Keys: placed, Values: valued, Change: m.changeKnown(valued, m.Revision),
		All: valued && expects && !m.ConflictScope.IsUnknown() && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject {
		return m.about(op, m.hiding(run, m.HideValues), expected)
	}
	return c
}

func (m *EntryModel) about(op terms.Operation, hide diagnose.Hiding, expected map[string]eval.Value) diagnose.Subject {
	id, of := m.EntryID(), diagnose.KeyPaths{Value: m.attribute("value"), Expected: m.attribute("expected_value")}
	if w := m.says(); w != nil && !w.ValueBase64.IsNull() {
		of.Value = m.attribute("value_base64")
	}
	if w := m.says(); w != nil && !w.ExpectedValueBase64.IsNull() {
		of.Expected = m.attribute("expected_value_base64")
	}
	if e, ok := expected[id.Key]; ok {
		of.Want = &e
	}
	s := m.Subject(op, hide, fmt.Sprintf("If the resource has a new address, add a moved block. With count, use for_each over the %s keys instead.", m.Kind))
	s.ID, s.Noun, s.Place, s.Value, s.Keys[id.Key] = id, "entry", "namespace, name and key", of.Value, of
	s.ImportID = func(eval.Ref, []string) string { return id.String() }
	if m.Kind == eval.Secret {
		s.Revision = "value_wo_version"
	}
	return s
}

// TakeIn implements [KeysModel].
func (m *EntryModel) TakeIn(written claim.Written, run *claim.Run) {
	m.PreviousValue = types.StringNull()
	if text, ok := written.Previous[m.Key.ValueString()].Text(); ok && m.hiding(run, m.HideValues) == diagnose.ShowValues { // nobody marks what it replaced as sensitive
		m.PreviousValue = types.StringValue(text)
	}
}

// Keep implements [KeysModel].
func (m *EntryModel) Keep(state *EntryModel, run *claim.Run) {
	m.PreviousValue = Kept(state.PreviousValue, types.StringNull(), types.StringUnknown(), m.HideValues, run)
}

// Refresh implements [KeysModel]. The entry exists as long as its key does.
func (m *EntryModel) Refresh(seen *claim.Seen, _ *claim.Run) bool {
	live := seen.Value(m.Key.ValueString())
	if m.Kind != eval.Secret && !live.IsAbsent() && !live.Matches(m.entry()) {
		m.Value, m.ValueBase64 = ValuesOf(live)
	}
	return !live.IsAbsent()
}
