package keys

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// DataModel is the model of a resource of several keys, for either kind. The maps of a Secret are write-only, so only a
// configuration has them.
type DataModel struct {
	resource.KeysAttributes
	Maps

	HideValues   types.Bool  `tfsdk:"hide_values,optional"`
	PreviousData types.Map   `tfsdk:"previous_data,optional"`
	Revision     types.Int64 `tfsdk:"data_wo_version,optional"`
	Keys         types.List  `tfsdk:"keys,optional"` // of a Secret
}

// NewData returns a resource of several keys. A change of the keys is an update, not a replacement.
func NewData(
	name string, kind eval.Kind, definition func(context.Context) schema.Schema,
) *resource.Resource[DataModel] {
	return resource.New(resource.Family[DataModel]{
		Type: resource.Type{
			Name: name, Kind: kind, Definition: definition, ImportForm: terms.DataIDForm,
			MutableIdentity: true, // with the keys
		},
		Base: func(m *DataModel) *resource.Base { return &m.Base },
		Identity: objectIdentity(kind, map[string]identityschema.Attribute{
			"keys": identityschema.ListAttribute{
				ElementType: types.StringType, OptionalForImport: true,
				Description: fmt.Sprintf("Keys in the %s. Default: all its keys.", kind),
			},
		}),
		ParseID: parseDataID,
		Locate:  (*DataModel).locate,
		ID: func(c resource.Call[DataModel]) string {
			return terms.DataID{Ref: c.Model.Ref(), Keys: dataKeys(c)}.String()
		},
		Validate:  (*DataModel).validate,
		MayLeave:  kind == eval.Secret,
		Adjust:    adjustData,
		Claim:     dataClaim,
		PlanWrite: planDataWrite,
		Result:    dataResult,
		Read:      dataRead,
		Moves:     &resource.Moves[DataModel]{Suffixes: []string{"_v1_data"}, TakeOver: (*DataModel).takeOver},
	})
}

// validate checks the maps.
func (m *DataModel) validate() diag.Diagnostics {
	diags := m.Check(m.Kind, false)
	if !m.Data.IsUnknown() && !m.BinaryData.IsUnknown() && len(m.names()) == 0 {
		data := attributeOf(m.Kind, "data")
		problem := fmt.Sprintf("set at least one key in %s or %s", data, attributeOf(m.Kind, "binary_data"))
		if m.Kind == eval.Secret {
			problem += notGenerated
		}
		diags.Append(fault(m.Kind, message.MissingKeys, data, problem))
	}
	return diags
}

// dataValues returns the model that has the maps. It is nil for the state of a Secret, and for a plan without maps:
// with ignore_changes, Terraform plans with null, and the resource leaves all keys as they are.
func dataValues(c resource.Call[DataModel]) *DataModel {
	w := c.Values(c.Model.Kind)
	if c.Model.Kind == eval.Secret && w != nil && w.Data.IsNull() && w.BinaryData.IsNull() {
		return nil
	}
	return w
}

// adjustData gives a plan without maps the keys of its state.
func adjustData(c resource.Call[DataModel]) {
	if c.State != nil && dataValues(c) == nil {
		c.Model.Keys = c.State.Keys
	}
}

// dataKeys returns the keys that the maps name or, without maps, the keys of the state.
func dataKeys(c resource.Call[DataModel]) []string {
	if w := dataValues(c); w != nil {
		return w.names()
	}
	return resource.KeysOf(c.Model.Keys)
}

// parseDataID parses an id. The id of a state also has the keys that vanished.
func parseDataID(s string) (resource.Identity, error) {
	id, err := terms.ParseDataID(s)
	i := identityOf(id.Ref)
	if len(id.Keys) > 0 {
		i.Keys = resource.ListOf(id.Keys)
	}
	return i, err
}

func (m *DataModel) locate(i resource.Identity) ([]string, error) {
	id := terms.DataID{Ref: i.Ref(), Keys: slices.Sorted(slices.Values(resource.KeysOf(i.Keys)))}
	m.setKeys(id)
	return id.Keys, id.Check()
}

// setKeys stores the reference to the object, and the keys.
func (m *DataModel) setKeys(id terms.DataID) {
	m.SetRef(id.Ref)
	m.ID, m.Keys = types.StringValue(id.String()), resource.ListOf(id.Keys)
}

// planDataWrite makes the keys of a Secret unknown: the apply may get other keys from an ephemeral map.
func planDataWrite(c resource.Call[DataModel]) {
	m := c.Model
	planWrite(&m.KeysAttributes)
	if m.Kind == eval.Secret && dataValues(c) != nil {
		m.ID, m.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
	}
}

// dataClaim translates the attributes to a claim.
func dataClaim(c resource.Call[DataModel]) *resource.Claim {
	m, w := c.Model, dataValues(c)
	values, expected := map[string]eval.Value{}, map[string]eval.Value{}
	keyed, valued, expects := true, true, true
	if w != nil {
		values, expected = w.Values(m.Kind), w.Expected(m.Kind)
		keyed = !w.Data.IsUnknown() && !w.BinaryData.IsUnknown()
		valued, expects = resource.AllKnown(w.Data, w.BinaryData), resource.AllKnown(w.ExpectedData, w.ExpectedBinaryData)
	} else {
		for _, key := range resource.KeysOf(m.Keys) {
			values[key] = eval.Anything()
		}
	}
	claimed := m.NewClaim(m.Ref().String(), values, expected)
	claimed.Revision, claimed.Open = revisionOf(m.Revision), m.Kind == eval.Secret && w != nil
	if w == nil && c.State != nil {
		claimed.Revision = revisionOf(c.State.Revision) // the plan writes no values
	}
	claimed.Known = decide.Known{
		Place: m.RefKnown(), Keys: keyed, Values: valued, Change: isChangeKnown(m.Kind, valued, m.Revision),
		All: valued && expects && resource.Known(m.ConflictScope, m.DeletionPolicy) && !m.AdoptExisting.IsUnknown(),
	}
	claimed.About = func(op terms.Operation) message.Subject {
		return m.about(op, hiding(m.Kind, c.Session, m.HideValues), w, values)
	}
	return claimed
}

// about describes the resource in diagnostics. w has the maps; nil if there are none.
func (m *DataModel) about(
	op terms.Operation, hide message.Hiding, w *DataModel, values map[string]eval.Value,
) message.Subject {
	expected := attributeOf(m.Kind, "expected_data")
	s := m.Subject(op, hide, fmt.Sprintf(`Apply deletion_policy = "abandon" to the resource that gives the key up. `+
		"Then set adopt_existing = true or %s in the one that takes it over.", expected))
	s.Noun, s.Place = "keys", "namespace and name"
	s.ImportID = func(ref eval.Ref, keys []string) string { return terms.DataID{Ref: ref, Keys: keys}.String() }
	if w != nil {
		w.Describe(&s, m.Kind)
	}
	if m.Kind == eval.Secret {
		s.Revision = "data_wo_version"
	}
	for key := range values {
		if _, has := s.Keys[key]; !has { // in the state of a Secret
			s.Value = attributeOf(m.Kind, "data")
			s.Keys[key] = message.KeyPaths{Value: s.Value.AtMapKey(key), Expected: expected.AtMapKey(key)}
		}
	}
	return s
}

// dataResult stores the keys and the replaced texts.
func dataResult(c resource.Call[DataModel], written *resource.Written) {
	m := c.Model
	m.Keys = resource.ListOf(dataKeys(c))
	none := types.MapNull(types.StringType)
	if written == nil {
		m.PreviousData = resource.Kept(
			c.State.PreviousData, none, types.MapUnknown(types.StringType), m.HideValues, c.Session)
		return
	}
	m.PreviousData = none
	isHidden := hiding(m.Kind, c.Session, m.HideValues) != message.ShowValues // no replaced value is marked as sensitive
	if written.Previous == nil || isHidden {
		return
	}
	texts := map[string]attr.Value{}
	for key, e := range written.Previous {
		texts[key] = types.StringNull()
		if text, ok := e.Text(); ok {
			texts[key] = types.StringValue(text)
		}
	}
	m.PreviousData = types.MapValueMust(types.StringType, texts)
}

// dataRead stores the keys that exist. The resource exists as long as its object does, whatever keys vanish.
func dataRead(c resource.Call[DataModel], seen *resource.Seen) bool {
	m := c.Model
	keys := slices.DeleteFunc(slices.Clone(seen.Keys), func(key string) bool { return seen.Value(key).IsAbsent() })
	m.Keys = resource.ListOf(keys)
	if m.Kind == eval.Secret {
		return seen.Exists()
	}
	had, live := m.Values(m.Kind), map[string]eval.Value{}
	for _, key := range keys {
		live[key] = seen.Value(key)
		if was, has := had[key]; has && live[key].Matches(was) {
			live[key] = was
		}
	}
	texts, others := resource.MapsOf(live)
	m.Data, m.BinaryData = mapLike(m.Data, texts), mapLike(m.BinaryData, others)
	return seen.Exists()
}

// mapLike returns the values as a map. Without values, an empty map stays empty, since the configuration may have {};
// any other becomes null.
func mapLike(was types.Map, values map[string]string) types.Map {
	switch {
	case len(values) > 0:
		return resource.MapOf(values)
	case len(was.Elements()) == 0 && !was.IsUnknown():
		return was
	default:
		return types.MapNull(types.StringType)
	}
}
