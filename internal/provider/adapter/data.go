package adapter

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// DataModel is the model of a resource of several keys, for either kind. The maps of a Secret are write-only, so only a
// configuration has them.
type DataModel struct {
	KeysAttributes
	Maps

	HideValues   types.Bool  `tfsdk:"hide_values,optional"`
	PreviousData types.Map   `tfsdk:"previous_data,optional"`
	Revision     types.Int64 `tfsdk:"data_wo_version,optional"`
	Keys         types.List  `tfsdk:"keys,optional"` // of a Secret

	config *DataModel `tfsdk:"-"` // of a plan
	state  *DataModel `tfsdk:"-"` // of a plan that leaves the values of a Secret
}

// Validate implements [KeysModel].
func (m *DataModel) Validate() diag.Diagnostics {
	diags := m.Check(m.Kind, false)
	if !m.Data.IsUnknown() && !m.BinaryData.IsUnknown() && len(m.names()) == 0 {
		data := m.attribute("data")
		problem := fmt.Sprintf("set at least one key in %s or %s", data, m.attribute("binary_data"))
		if m.Kind == eval.Secret {
			problem += notGenerated
		}
		diags.Append(fault(m.Kind, diagnose.TitleMissingKeys, data, problem))
	}
	return diags
}

// SetDefaults implements [KeysModel].
func (m *DataModel) SetDefaults(of terms.Defaults) {
	m.KeysAttributes.SetDefaults(of)
	m.HideValues = types.BoolValue(false)
}

// Configure implements [KeysModel].
func (m *DataModel) Configure(config *DataModel) {
	m.config, m.Pin = config, config.ExpectedResourceVerWO
}

// says returns the model that has the maps. It is nil for the state of a Secret, and for a plan without maps: with
// ignore_changes, Terraform plans with null, and the resource leaves all keys as they are.
func (m *DataModel) says() *DataModel {
	switch {
	case m.Kind != eval.Secret:
		return m
	case m.config == nil || m.config.Data.IsNull() && m.config.BinaryData.IsNull():
		return nil
	default:
		return m.config
	}
}

// leaveValues removes the maps from the configuration of a plan.
func (m *DataModel) leaveValues() {
	m.config.Data, m.config.BinaryData = types.MapNull(types.StringType), types.MapNull(types.StringType)
}

// Follow implements [Follower].
func (m *DataModel) Follow(state *DataModel, _ *claim.Memory) {
	if m != state && m.says() == nil {
		m.state, m.Keys = state, state.Keys
	}
}

// SetID implements [KeysModel]. The keys are those that the maps name or, without them, the state.
func (m *DataModel) SetID() {
	if w := m.says(); w != nil {
		m.setKeys(w.names())
	} else {
		m.setKeys(KeysOf(m.Keys))
	}
}

// setKeys makes the id of keys, which are sorted, and keeps them.
func (m *DataModel) setKeys(keys []string) {
	m.ID, m.Keys = types.StringValue(terms.DataID{Ref: m.Ref(), Keys: keys}.String()), ListOf(keys)
}

// IdentitySchema implements [KeysModel].
func (*DataModel) IdentitySchema(kind eval.Kind) identityschema.Schema {
	s := objectIdentitySchema(kind)
	s.Attributes["keys"] = identityschema.ListAttribute{
		ElementType: types.StringType, OptionalForImport: true, Description: fmt.Sprintf("Keys in the %s. Default: all its keys.", kind),
	}
	return s
}

// dataIdentity is the identity of several keys. The keys of the identity change with the keys of the resource.
type dataIdentity struct {
	Named

	Keys types.List `tfsdk:"keys"`
}

var dataIdentities = identities[dataIdentity](new(DataModel).IdentitySchema)

// EncodeIdentity implements [KeysModel]. The identity has the keys that the id names, which include vanished ones.
func (m *DataModel) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	i := dataIdentity{m.Named, types.ListNull(types.StringType)}
	if id, err := terms.ParseDataID(m.ID.ValueString()); err == nil && len(id.Keys) > 0 {
		i.Keys = ListOf(id.Keys)
	}
	return dataIdentities().Encode(ctx, i, raw)
}

// Import implements [KeysModel].
func (m *DataModel) Import(ctx context.Context, req resource.ImportStateRequest) ([]string, diag.Diagnostics) {
	id, diags := Imported(ctx, req, terms.ParseDataID, func(i dataIdentity) (terms.DataID, error) {
		id := terms.DataID{Ref: i.RefWithDefault(), Keys: slices.Sorted(slices.Values(KeysOf(i.Keys)))}
		return id, id.Check()
	})
	m.SetRef(id.Ref)
	m.setKeys(id.Keys)
	return id.Keys, diags
}

// PlanWrite implements [KeysModel]. The apply may get other keys from an ephemeral map.
func (m *DataModel) PlanWrite() {
	if m.KeysAttributes.PlanWrite(); m.Kind == eval.Secret && m.says() != nil {
		m.ID, m.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
	}
}

// Claim implements [KeysModel].
func (m *DataModel) Claim(run *claim.Run) *claim.Claim {
	values, expected := map[string]eval.Value{}, map[string]eval.Value{}
	keyed, valued, expects := true, true, true
	if w := m.says(); w != nil {
		values, expected = w.Values(m.Kind), w.Expected(m.Kind)
		keyed = !w.Data.IsUnknown() && !w.BinaryData.IsUnknown()
		valued, expects = AllKnown(w.Data, w.BinaryData), AllKnown(w.ExpectedData, w.ExpectedBinaryData)
	} else {
		for _, key := range KeysOf(m.Keys) {
			values[key] = eval.Anything()
		}
	}
	c := m.NewClaim(run, m.Ref().String(), values, expected)
	c.Revision, c.Open = revisionOf(m.Revision), m.Kind == eval.Secret && m.says() != nil
	if m.state != nil {
		c.Revision = revisionOf(m.state.Revision) // which values it writes does not matter
	}
	c.Known = decide.Known{
		Place: m.RefKnown(), Keys: keyed, Values: valued, Change: m.changeKnown(valued, m.Revision),
		All: valued && expects && Known(m.ConflictScope, m.DeletionPolicy) && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, m.hiding(run, m.HideValues), values) }
	return c
}

func (m *DataModel) about(op terms.Operation, hide diagnose.Hiding, values map[string]eval.Value) diagnose.Subject {
	expected := m.attribute("expected_data")
	s := m.Subject(op, hide, fmt.Sprintf(`Apply deletion_policy = "abandon" to the resource that gives the key up. Then set adopt_existing = true or %s in the one that takes it over.`, expected))
	s.Noun, s.Place = "keys", "namespace and name"
	s.ImportID = func(ref eval.Ref, keys []string) string { return terms.DataID{Ref: ref, Keys: keys}.String() }
	if w := m.says(); w != nil {
		w.Describe(&s, m.Kind)
	}
	if m.Kind == eval.Secret {
		s.Revision = "data_wo_version"
	}
	for key := range values {
		if _, has := s.Keys[key]; !has { // in the state of a Secret
			s.Value = m.attribute("data")
			s.Keys[key] = diagnose.KeyPaths{Value: s.Value.AtMapKey(key), Expected: expected.AtMapKey(key)}
		}
	}
	return s
}

// TakeIn stores the replaced texts.
func (m *DataModel) TakeIn(written claim.Written, run *claim.Run) {
	previous := written.Previous
	m.PreviousData = types.MapNull(types.StringType)
	if previous == nil || m.hiding(run, m.HideValues) != diagnose.ShowValues { // nobody marks what it replaced as sensitive
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

// Keep implements [KeysModel].
func (m *DataModel) Keep(state *DataModel, run *claim.Run) {
	m.PreviousData = Kept(state.PreviousData, types.MapNull(types.StringType), types.MapUnknown(types.StringType), m.HideValues, run)
}

// Refresh stores the keys that exist. The resource exists as long as its object does, whatever keys vanish.
func (m *DataModel) Refresh(seen *claim.Seen, _ *claim.Run) bool {
	m.Keys = ListOf(slices.DeleteFunc(slices.Clone(seen.Keys), func(key string) bool { return seen.Value(key).IsAbsent() }))
	if m.Kind == eval.Secret {
		return seen.Exists()
	}
	had, live := m.Values(m.Kind), map[string]eval.Value{}
	for _, key := range KeysOf(m.Keys) {
		live[key] = seen.Value(key)
		if was, has := had[key]; has && live[key].Matches(was) {
			live[key] = was
		}
	}
	texts, others := MapsOf(live)
	m.Data, m.BinaryData = mapLike(m.Data, texts), mapLike(m.BinaryData, others)
	return seen.Exists()
}

// mapLike is null if there are no values. But an empty map stays one: the configuration may say {}.
func mapLike(was types.Map, values map[string]string) types.Map {
	switch {
	case len(values) > 0:
		return MapOf(values)
	case len(was.Elements()) == 0 && !was.IsUnknown():
		return was
	default:
		return types.MapNull(types.StringType)
	}
}
