package keys

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// WholeModel is the model of a resource of a whole ConfigMap or Secret. The maps of a Secret are write-only, so only a
// configuration has them.
type WholeModel struct {
	resource.Base

	GenerateName types.String `tfsdk:"generate_name"`
	Labels       types.Map    `tfsdk:"labels"`
	Annotations  types.Map    `tfsdk:"annotations"`
	Immutable    types.Bool   `tfsdk:"immutable"`
	Data         types.Map    `tfsdk:"data"`
	BinaryData   types.Map    `tfsdk:"binary_data"`

	HideValues types.Bool   `tfsdk:"hide_values,optional"`     // of a ConfigMap
	Type       types.String `tfsdk:"type,optional"`            // of a Secret, as what follows
	Revision   types.Int64  `tfsdk:"data_wo_version,optional"` // null after an import
	Keys       types.List   `tfsdk:"keys,optional"`
}

// NewWhole returns a resource of whole objects.
func NewWhole(
	name string, kind eval.Kind, definition func(context.Context) schema.Schema,
) *resource.Resource[WholeModel] {
	return resource.New(resource.Family[WholeModel]{
		Type: resource.Type{
			Name: name, Kind: kind, Definition: definition, ImportForm: terms.ConfigMapIDForm, IsWhole: true,
		},
		Base:      func(m *WholeModel) *resource.Base { return &m.Base },
		Identity:  objectIdentity(kind, nil),
		ParseID:   parseObjectID,
		Locate:    (*WholeModel).locate,
		ID:        func(c resource.Call[WholeModel]) string { return c.Model.Ref().String() },
		Validate:  (*WholeModel).validate,
		MayLeave:  kind == eval.Secret,
		Adjust:    adjustObject,
		Claim:     objectClaim,
		PlanWrite: planObjectWrite,
		Result:    objectResult,
		Read:      objectRead,
		Moves:     &resource.Moves[WholeModel]{Suffixes: []string{"", "_v1"}, TakeOver: (*WholeModel).takeOver},
	})
}

// part is one of the maps of an object.
type part struct {
	attribute string
	values    types.Map
	mapKey    string              // of data and binary_data
	key       func(string) string // of a member
}

// parts returns the maps. The values of a Secret are in one, which no state has.
func (m *WholeModel) parts(sealed types.Map) []part {
	entry := func(name string) string { return name }
	entries := []part{{"data", m.Data, eval.DataKey, entry}, {"binary_data", m.BinaryData, eval.BinaryDataKey, entry}}
	if m.Kind == eval.Secret {
		entries = []part{{"data_wo", sealed, eval.DataKey, entry}}
	}
	return append(entries, part{"labels", m.Labels, "", eval.LabelKey},
		part{"annotations", m.Annotations, "", eval.AnnotationKey})
}

// value returns the value of a member.
func (p part) value(kind eval.Kind, v attr.Value) eval.Value {
	if kind == eval.Secret && p.mapKey != "" || p.mapKey == eval.BinaryDataKey {
		return resource.EntryFrom(kind, types.StringNull(), resource.StringOf(v))
	}
	return resource.EntryFrom(eval.ConfigMap, resource.StringOf(v), types.StringNull())
}

func parseObjectID(s string) (resource.Identity, error) {
	ref, err := terms.ParseConfigMapID(s)
	return identityOf(ref), err
}

func (m *WholeModel) locate(i resource.Identity) ([]string, error) {
	m.SetRef(i.Ref())
	return nil, terms.CheckObject(i.Ref())
}

// validate checks the maps.
func (m *WholeModel) validate() diag.Diagnostics {
	diags := (&Maps{Data: m.Data, BinaryData: m.BinaryData}).Check(m.Kind, false)
	return append(diags, attributes.InvalidAnnotations(m.Annotations)...)
}

// adjustObject makes the name of a plan unknown if its prefix changes. The framework keeps the generate_name of a state
// that the configuration does not have.
func adjustObject(c resource.Call[WholeModel]) {
	m, state := c.Model, c.State
	switch {
	case !c.Config.GenerateName.IsNull():
	case state == nil:
		m.GenerateName = types.StringNull()
	default:
		m.GenerateName = state.GenerateName
	}
	if state == nil {
		return
	}
	isOfPrefix := state.GenerateName.IsNull() && // of an import
		terms.IsGenerated(state.Name.ValueString(), m.GenerateName.ValueString())
	if !isOfPrefix && !m.GenerateName.Equal(state.GenerateName) {
		m.Name = types.StringUnknown()
	}
}

// sealed returns all values of the configuration of a Secret, in base64; null without a plan.
func sealed(c resource.Call[WholeModel]) types.Map {
	if c.Model.Kind != eval.Secret || c.Config == nil {
		return types.MapNull(types.StringType)
	}
	return seal(c.Config.Data, c.Config.BinaryData)
}

// objectClaim translates the attributes to a claim. The state of a Secret has the names of its keys, if the resource
// manages them.
func objectClaim(c resource.Call[WholeModel]) *resource.Claim {
	m, values := c.Model, sealed(c)
	claimed := &resource.Claim{Claim: decide.Claim{
		ID: m.Ref().String(), Ref: m.Ref(), Adopt: true, Scope: terms.ScopeObject, Revision: revisionOf(m.Revision),
		Open: !values.IsNull(), Whole: new(decide.Whole), Values: map[string]eval.Value{eval.ImmutableKey: {}},
	}}
	claimed.About = func(op terms.Operation) message.Subject { return m.about(c.Session, op, values, claimed.Values) }
	if m.Name.IsUnknown() {
		claimed.Whole.GenerateName = m.GenerateName.ValueString()
	}
	switch {
	case m.Immutable.IsUnknown():
		claimed.Values[eval.ImmutableKey] = eval.Anything()
	case m.Immutable.ValueBool():
		claimed.Values[eval.ImmutableKey] = eval.Bool(true)
	}
	if m.Kind == eval.Secret {
		claimed.Values[eval.TypeKey] = resource.EntryFrom(eval.ConfigMap, m.Type, types.StringNull())
	}
	isNamed := true
	for _, p := range m.parts(values) {
		if !p.values.IsNull() && p.mapKey != "" {
			claimed.Whole.Maps = append(claimed.Whole.Maps, p.mapKey)
		}
		isNamed = isNamed && !p.values.IsUnknown()
		for name, v := range p.values.Elements() {
			claimed.Values[p.key(name)] = p.value(m.Kind, v)
		}
	}
	if c.Config == nil && !m.Keys.IsNull() {
		claimed.Whole.Maps = []string{eval.DataKey}
		for _, name := range resource.KeysOf(m.Keys) {
			claimed.Values[name] = eval.Anything()
		}
	}
	isKnown := resource.AllKnown(m.Labels, m.Annotations, m.Data, m.BinaryData, values) &&
		!m.Immutable.IsUnknown() && !m.Type.IsUnknown()
	keeps := m.Kind == eval.Secret && c.State != nil && m.Revision.Equal(c.State.Revision) && !values.IsUnknown()
	claimed.Known = decide.Known{Place: m.RefKnown(), Keys: isNamed, Values: isKnown, Change: isKnown || keeps, All: true}
	return claimed
}

// about describes the resource in diagnostics about an operation.
func (m *WholeModel) about(
	s *session.Session, op terms.Operation, sealed types.Map, values map[string]eval.Value,
) message.Subject {
	about := message.Subject{
		ID: terms.EntryID{Ref: m.Ref()}, Noun: m.Kind.String(),
		ImportID: func(ref eval.Ref, _ []string) string { return ref.String() },
		Ways: message.Ways{
			Missing:   fmt.Sprintf("Run terraform plan again: it plans to create the %s.", m.Kind),
			Immutable: fmt.Sprintf("Run terraform plan again: it plans to replace the %s.", m.Kind),
			Changed:   "Run terraform plan again. If cas_configmap_entry owns a key, remove it from data and binary_data.",
			Move:      "Remove the key from data and binary_data if another resource owns it.",
			Grant:     "get, create, patch and delete",
		},
		Op: op, Hide: message.HideIf(s.Hides(m.HideValues)), Value: path.Root("data"),
		Keys: map[string]message.KeyPaths{eval.ImmutableKey: {Value: path.Root("immutable")}},
	}
	switch {
	case m.Kind == eval.Secret:
		about.Ways.Changed = "Run terraform plan again. If cas_secret_entry owns a key, remove it from data_wo."
		about.Ways.Move = "Remove the key from data_wo if another resource owns it."
		about.Value, about.Hide, about.Revision = path.Root("data_wo"), message.ShowNothing, "data_wo_version"
	case m.Data.IsNull() && !m.BinaryData.IsNull():
		about.Value = path.Root("binary_data")
	}
	for key := range values {
		if eval.IsEntry(key) {
			about.Keys[key] = message.KeyPaths{Value: about.Value.AtMapKey(key)}
		}
	}
	for _, p := range m.parts(sealed) {
		for name := range p.values.Elements() {
			about.Keys[p.key(name)] = message.KeyPaths{Value: path.Root(p.attribute).AtMapKey(name)}
		}
	}
	return about
}

// seal returns the values of a Secret in the form in which they are read, base64.
func seal(data, binaryData types.Map) types.Map {
	switch {
	case data.IsUnknown():
		return data
	case binaryData.IsUnknown() || data.IsNull():
		return binaryData
	}
	all := map[string]attr.Value{}
	maps.Copy(all, binaryData.Elements())
	for key, v := range data.Elements() {
		if s := resource.StringOf(v); !s.IsUnknown() && !s.IsNull() {
			v = types.StringValue(base64.StdEncoding.EncodeToString([]byte(s.ValueString())))
		}
		all[key] = v
	}
	return types.MapValueMust(types.StringType, all)
}

func planObjectWrite(c resource.Call[WholeModel]) {
	c.Model.ResourceVersion, c.Model.Keys = types.StringUnknown(), types.ListNull(types.StringType)
	if !sealed(c).IsNull() {
		c.Model.Keys = types.ListUnknown(types.StringType)
	}
}

// objectResult stores the name, which may have been generated, and the keys.
func objectResult(c resource.Call[WholeModel], written *resource.Written) {
	m := c.Model
	if written != nil {
		m.SetRef(written.Ref)
	}
	switch {
	case sealed(c).IsNull():
		m.Keys = types.ListNull(types.StringType)
	case written == nil:
		m.Keys = c.State.Keys
	default:
		m.Keys = keysIn(written.After)
	}
}

func keysIn(o *eval.Snapshot) types.List {
	return resource.ListOf(slices.Sorted(maps.Keys(o.Entries())))
}

// objectRead stores what a read found: all entries of the maps that are managed, and the labels and annotations that
// the state names. The state of an import, which has only a name, manages all that there is, except for keys of the
// cluster and for maps that are empty: most configurations do not name them.
func objectRead(c resource.Call[WholeModel], seen *resource.Seen) bool {
	m := c.Model
	if !seen.Exists() {
		return false
	}
	entries, had := seen.Entries(), resource.EntriesFrom(m.Kind, m.Data, m.BinaryData)
	for key, e := range entries {
		if was := had[key]; e.Matches(was) { // a text that only differs in its normal form stays as it was
			entries[key] = was
		}
	}
	texts, others := resource.MapsOf(entries)
	found := map[*types.Map]map[string]string{
		&m.Labels:      named(m.Labels, seen, seen.Labels(), eval.LabelKey),
		&m.Annotations: named(m.Annotations, seen, seen.Annotations(), eval.AnnotationKey),
	}
	if m.Kind == eval.ConfigMap {
		found[&m.Data], found[&m.BinaryData] = texts, others
	} else if seen.IsImport || !m.Keys.IsNull() {
		m.Keys = keysIn(seen.Snapshot)
	}
	for values, all := range found {
		if !values.IsNull() || seen.IsImport && len(all) > 0 {
			*values = resource.MapOf(all)
		}
	}
	m.Immutable, m.Type = types.BoolValue(seen.Immutable()), types.StringValue(seen.Type())
	return true
}

// named returns the labels or annotations that a refresh stores: the ones that the state names or, for an import, all
// except for keys of the cluster.
func named(state types.Map, seen *resource.Seen, live map[string]string, key func(string) string) map[string]string {
	all := map[string]string{}
	for name, value := range live {
		was := resource.StringOf(state.Elements()[name])
		switch {
		case !was.IsNull() && eval.Text(value).Matches(eval.Text(was.ValueString())):
			all[name] = was.ValueString()
		case slices.Contains(seen.Keys, key(name)), seen.IsImport && !terms.IsInternalKey(name):
			all[name] = value
		}
	}
	return all
}
