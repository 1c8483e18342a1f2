package adapter

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Object is the model of a resource of a whole ConfigMap or Secret. The maps of a Secret are
// write-only, so only a configuration has them.
type Object struct {
	Base

	GenerateName          types.String `tfsdk:"generate_name"`
	ExpectedResourceVerWO types.String `tfsdk:"expected_resource_version_wo"`
	Labels                types.Map    `tfsdk:"labels"`
	Annotations           types.Map    `tfsdk:"annotations"`
	Immutable             types.Bool   `tfsdk:"immutable"`
	OnDrift               types.String `tfsdk:"on_drift"`
	Policy                types.String `tfsdk:"deletion_policy"`
	Data                  types.Map    `tfsdk:"data"`
	BinaryData            types.Map    `tfsdk:"binary_data"`

	HideValues types.Bool   `tfsdk:"hide_values,optional"`     // of a ConfigMap
	Type       types.String `tfsdk:"type,optional"`            // of a Secret, as what follows
	Revision   types.Int64  `tfsdk:"data_wo_version,optional"` // null after an import
	Keys       types.List   `tfsdk:"keys,optional"`

	config *Object   `tfsdk:"-"` // of a plan
	state  *Object   `tfsdk:"-"` // that a plan follows
	sealed types.Map `tfsdk:"-"` // of a Secret: all values that a configuration or another provider's state has, in base64
}

// part is one of the maps of an object.
type part struct {
	attribute string
	values    *types.Map
	mapKey    string              // of data and binary_data
	key       func(string) string // of a member
}

// parts returns the maps. The values of a Secret are in one, which no state has.
func (m *Object) parts() []part {
	entry := func(name string) string { return name }
	entries := []part{{"data", &m.Data, eval.DataKey, entry}, {"binary_data", &m.BinaryData, eval.BinaryDataKey, entry}}
	if m.Kind == eval.Secret {
		entries = []part{{"data_wo", &m.sealed, eval.DataKey, entry}}
	}
	return append(entries, part{"labels", &m.Labels, "", eval.LabelKey}, part{"annotations", &m.Annotations, "", eval.AnnotationKey})
}

// value returns the value of a member.
func (p part) value(kind eval.Kind, v attr.Value) eval.Value {
	if kind == eval.Secret && p.mapKey != "" || p.mapKey == eval.BinaryDataKey {
		return EntryFrom(kind, types.StringNull(), StringOf(v))
	}
	return EntryFrom(eval.ConfigMap, StringOf(v), types.StringNull())
}

// SetID implements [KeysModel].
func (m *Object) SetID() { m.ID = types.StringValue(m.Ref().String()) }

// IdentitySchema implements [KeysModel].
func (*Object) IdentitySchema(kind eval.Kind) identityschema.Schema {
	return objectIdentitySchema(kind)
}

var objectIdentities = identities[Named](objectIdentitySchema)

// EncodeIdentity implements [KeysModel].
func (m *Object) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return objectIdentities().Encode(ctx, m.Named, raw)
}

// Import implements [KeysModel].
func (m *Object) Import(ctx context.Context, req resource.ImportStateRequest) ([]string, diag.Diagnostics) {
	ref, diags := Imported(ctx, req, terms.ParseConfigMapID, func(i Named) (eval.Ref, error) {
		return i.RefWithDefault(), terms.CheckObject(i.RefWithDefault())
	})
	m.SetRef(ref)
	return nil, diags
}

// SetDefaults implements [KeysModel]. generate_name stays null: Terraform generates configurations from the state of an import, which must not have both it and
// name.
func (m *Object) SetDefaults(of terms.Defaults) {
	m.Immutable, m.HideValues, m.OnDrift = types.BoolValue(false), types.BoolValue(false), of.Of(terms.OnDrift)
	m.Policy = of.Of(terms.DeletionPolicy)
}

// Validate implements [KeysModel].
func (m *Object) Validate() diag.Diagnostics {
	diags := (&Maps{Data: m.Data, BinaryData: m.BinaryData}).Check(m.Kind, false)
	return append(diags, attributes.InvalidAnnotations(m.Annotations)...)
}

// Configure implements [KeysModel]. The framework keeps the generate_name of a state that the configuration does not have.
func (m *Object) Configure(config *Object) {
	if m.config = config; m.Kind == eval.Secret {
		m.sealed = seal(config.Data, config.BinaryData)
	}
	if config.GenerateName.IsNull() {
		m.GenerateName = types.StringNull()
	}
}

// leaveValues removes the values of a Secret from the configuration of a plan.
func (m *Object) leaveValues() {
	m.config.Data, m.config.BinaryData, m.sealed = types.MapNull(types.StringType), types.MapNull(types.StringType), types.MapNull(types.StringType)
}

// Follow implements [Follower]. The name of another prefix is not known yet.
func (m *Object) Follow(state *Object, _ *claim.Memory) {
	if m == state {
		return
	}
	if m.state = state; m.config.GenerateName.IsNull() {
		m.GenerateName = state.GenerateName
	}
	isOfPrefix := state.GenerateName.IsNull() && terms.IsGenerated(state.Name.ValueString(), m.GenerateName.ValueString()) // of an import
	if !isOfPrefix && !m.GenerateName.Equal(state.GenerateName) {
		m.Name = types.StringUnknown()
	}
}

// Claim implements [KeysModel]. The state of a Secret has the names of its keys, if the resource manages them.
func (m *Object) Claim(run *claim.Run) *claim.Claim {
	c := &claim.Claim{Timeouts: m.Timeouts, Claim: decide.Claim{
		ID: m.Ref().String(), Ref: m.Ref(), Version: m.Version(), Adopt: true, Scope: terms.ScopeObject,
		OnDrift: m.OnDrift.ValueString(), Policy: m.Policy.ValueString(), Revision: revisionOf(m.Revision),
		Open: !m.sealed.IsNull(), FieldManager: run.FieldManagerOr(m.FieldManager),
		Whole: new(decide.Whole), Values: map[string]eval.Value{eval.ImmutableKey: {}},
	}}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(run, op, c.Values) }
	if m.config != nil {
		c.Required = requiredOf(m.config.ExpectedResourceVerWO)
	}
	if m.Name.IsUnknown() {
		c.Whole.GenerateName = m.GenerateName.ValueString()
	}
	switch {
	case m.Immutable.IsUnknown():
		c.Values[eval.ImmutableKey] = eval.Anything()
	case m.Immutable.ValueBool():
		c.Values[eval.ImmutableKey] = eval.Bool(true)
	}
	if m.Kind == eval.Secret {
		c.Values[eval.TypeKey] = EntryFrom(eval.ConfigMap, m.Type, types.StringNull())
	}
	isNamed := true
	for _, p := range m.parts() {
		if !p.values.IsNull() && p.mapKey != "" {
			c.Whole.Maps = append(c.Whole.Maps, p.mapKey)
		}
		isNamed = isNamed && !p.values.IsUnknown()
		for name, v := range p.values.Elements() {
			c.Values[p.key(name)] = p.value(m.Kind, v)
		}
	}
	if m.config == nil && m.sealed.IsNull() && !m.Keys.IsNull() {
		c.Whole.Maps = []string{eval.DataKey}
		for _, name := range KeysOf(m.Keys) {
			c.Values[name] = eval.Anything()
		}
	}
	isKnown := AllKnown(m.Labels, m.Annotations, m.Data, m.BinaryData, m.sealed) && !m.Immutable.IsUnknown() && !m.Type.IsUnknown()
	keeps := m.Kind == eval.Secret && m.state != nil && m.Revision.Equal(m.state.Revision) && !m.sealed.IsUnknown()
	c.Known = decide.Known{Place: m.RefKnown(), Keys: isNamed, Values: isKnown, Change: isKnown || keeps, All: true}
	return c
}

// about describes the resource in diagnostics about an operation.
func (m *Object) about(run *claim.Run, op terms.Operation, values map[string]eval.Value) diagnose.Subject {
	s := diagnose.Subject{
		ID: terms.EntryID{Ref: m.Ref()}, Noun: m.Kind.String(), ImportID: func(ref eval.Ref, _ []string) string { return ref.String() },
		Ways: diagnose.Ways{
			Missing:   fmt.Sprintf("Run terraform plan again: it plans to create the %s.", m.Kind),
			Immutable: fmt.Sprintf("Run terraform plan again: it plans to replace the %s.", m.Kind),
			Changed:   "Run terraform plan again. If cas_configmap_entry owns a key, remove it from data and binary_data.",
			Move:      "Remove the key from data and binary_data if another resource owns it.",
			Grant:     "get, create, patch and delete",
		},
		Op: op, Hide: diagnose.HideIf(run.Hides(m.HideValues)), Value: path.Root("data"),
		Keys: map[string]diagnose.KeyPaths{eval.ImmutableKey: {Value: path.Root("immutable")}},
	}
	switch {
	case m.Kind == eval.Secret:
		s.Ways.Changed = "Run terraform plan again. If cas_secret_entry owns a key, remove it from data_wo."
		s.Ways.Move = "Remove the key from data_wo if another resource owns it."
		s.Value, s.Hide, s.Revision = path.Root("data_wo"), diagnose.ShowNothing, "data_wo_version"
	case m.Data.IsNull() && !m.BinaryData.IsNull():
		s.Value = path.Root("binary_data")
	}
	for key := range values {
		if eval.IsEntry(key) {
			s.Keys[key] = diagnose.KeyPaths{Value: s.Value.AtMapKey(key)}
		}
	}
	for _, p := range m.parts() {
		for name := range p.values.Elements() {
			s.Keys[p.key(name)] = diagnose.KeyPaths{Value: path.Root(p.attribute).AtMapKey(name)}
		}
	}
	return s
}

// seal gives the values of a Secret the form in which they are read: all are base64.
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
		if s := StringOf(v); !s.IsUnknown() && !s.IsNull() {
			v = types.StringValue(base64.StdEncoding.EncodeToString([]byte(s.ValueString())))
		}
		all[key] = v
	}
	return types.MapValueMust(types.StringType, all)
}

// PlanWrite implements [KeysModel].
func (m *Object) PlanWrite() {
	m.ResourceVersion = types.StringUnknown()
	if m.Keys = types.ListNull(types.StringType); !m.sealed.IsNull() {
		m.Keys = types.ListUnknown(types.StringType)
	}
}

// TakeIn implements [KeysModel]. The name may have been generated.
func (m *Object) TakeIn(written claim.Written, _ *claim.Run) {
	m.SetRef(written.Ref)
	if m.Keys = types.ListNull(types.StringType); !m.sealed.IsNull() {
		m.Keys = keysIn(written.After)
	}
}

func keysIn(o *eval.Snapshot) types.List { return ListOf(slices.Sorted(maps.Keys(o.Entries()))) }

// Keep implements [KeysModel].
func (m *Object) Keep(state *Object, _ *claim.Run) {
	if m.Keys = types.ListNull(types.StringType); !m.sealed.IsNull() {
		m.Keys = state.Keys
	}
}

// Refresh stores what a read found: all entries of the maps that are managed, and the labels and annotations that the
// state names. The state of an import, which has a name alone, manages all that there is, except for keys of the
// cluster and for maps that are empty: most configurations do not name them.
func (m *Object) Refresh(seen *claim.Seen, _ *claim.Run) bool {
	if !seen.Exists() {
		return false
	}
	entries, had := seen.Entries(), EntriesFrom(m.Kind, m.Data, m.BinaryData)
	for key, e := range entries {
		if was := had[key]; e.Matches(was) { // a text that only differs in its normal form stays as it was
			entries[key] = was
		}
	}
	texts, others := MapsOf(entries)
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
			*values = MapOf(all)
		}
	}
	m.Immutable, m.Type = types.BoolValue(seen.Immutable()), types.StringValue(seen.Type())
	return true
}

// named returns the labels or annotations that a refresh is about. An import is about all, except for keys of the cluster.
func named(state types.Map, seen *claim.Seen, live map[string]string, key func(string) string) map[string]string {
	all := map[string]string{}
	for name, value := range live {
		was := StringOf(state.Elements()[name])
		switch {
		case !was.IsNull() && eval.Text(value).Matches(eval.Text(was.ValueString())):
			all[name] = was.ValueString()
		case slices.Contains(seen.Keys, key(name)), seen.IsImport && !terms.IsInternalKey(name):
			all[name] = value
		}
	}
	return all
}
