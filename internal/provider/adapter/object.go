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
	sealed types.Map `tfsdk:"-"` // of a Secret: all values that a configuration or a read says, in base64
	owns   bool      `tfsdk:"-"` // of the state of a Secret: the resource had its values at the last write or import
}

// part is one of the maps that an object is made of, by the attribute of a ConfigMap.
type part struct {
	name  string
	of    func(*Object) *types.Map
	field func(string) string
}

func key(name string) string { return name }

var parts = []part{
	{"data", func(m *Object) *types.Map { return &m.Data }, key},
	{"binary_data", (*Object).bytes, key},
	{"labels", func(m *Object) *types.Map { return &m.Labels }, eval.LabelKey},
	{"annotations", func(m *Object) *types.Map { return &m.Annotations }, eval.AnnotationKey},
}

// bytes are the values that are base64: of a Secret all, which no plan and no state has.
func (m *Object) bytes() *types.Map {
	if m.Kind == eval.Secret {
		return &m.sealed
	}
	return &m.BinaryData
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
	if m.config, m.sealed = config, seal(config.Data, config.BinaryData); config.GenerateName.IsNull() {
		m.GenerateName = types.StringNull()
	}
}

// leaveValues removes the values of a Secret from the configuration of a plan.
func (m *Object) leaveValues() {
	m.config.Data, m.config.BinaryData, m.sealed = types.MapNull(types.StringType), types.MapNull(types.StringType), types.MapNull(types.StringType)
}

// Follow implements [Follower]. The name of another prefix is not known yet.
func (m *Object) Follow(state *Object, memory *claim.Memory) {
	if m == state {
		m.owns = m.Kind == eval.Secret && memory.OwnsValues()
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

// Claim implements [KeysModel]. The state of a Secret has the names of its keys.
func (m *Object) Claim(run *claim.Run) *claim.Claim {
	isSealed, encoded := m.Kind == eval.Secret, *m.bytes()
	w := &claim.Whole{
		Parts: []string{"immutable"}, Pending: map[string][]string{}, Type: m.Type.ValueString(), Declares: m.declares(),
	}
	c := &claim.Claim{
		ID: m.Ref().String(), Ref: m.Ref(), Version: m.Version(), Scope: terms.ScopeObject, OnDrift: m.OnDrift.ValueString(), Policy: m.Policy.ValueString(),
		Revision: m.Revision, Open: isSealed && !encoded.IsNull(), FieldManager: m.FieldManager, Timeouts: m.Timeouts, Whole: w,
		Values: map[string]eval.Value{eval.ImmutableKey: eval.Bool(m.Immutable.ValueBool())},
		About:  func(op terms.Operation) diagnose.Subject { return m.about(run, op) },
	}
	if m.config != nil {
		c.Pin = m.config.ExpectedResourceVerWO
	}
	if m.Immutable.IsUnknown() {
		w.Unknown = append(w.Unknown, "immutable")
	}
	if m.Name.IsUnknown() {
		w.GenerateName = m.GenerateName.ValueString()
	}
	if m.owns {
		w.Parts = append(w.Parts, "binary_data")
		for _, name := range KeysOf(m.Keys) {
			c.Values[name] = eval.Anything()
		}
	}
	for _, p := range parts {
		all, isBinary := *p.of(m), p.name == "binary_data"
		if all.IsNull() {
			continue
		}
		w.Parts = append(w.Parts, p.name)
		if all.IsUnknown() {
			w.Unknown = append(w.Unknown, p.name)
		}
		for name, v := range all.Elements() {
			value := StringOf(v)
			if value.IsUnknown() && (!isSealed || !isBinary) {
				w.Pending[p.name] = append(w.Pending[p.name], name)
			}
			switch {
			case isBinary:
				c.Values[p.field(name)] = EntryFrom(m.Kind, types.StringNull(), value)
			case !value.IsUnknown():
				c.Values[p.field(name)] = eval.Text(value.ValueString())
			}
		}
	}
	isKnown := AllKnown(m.Labels, m.Annotations, m.Data, encoded) && !m.Immutable.IsUnknown() && !m.Type.IsUnknown()
	keeps := isSealed && m.state != nil && m.Revision.Equal(m.state.Revision) && !encoded.IsUnknown()
	c.Known = claim.Known{Place: m.RefKnown(), Keys: len(w.Unknown) == 0 && len(w.Pending) == 0, Values: isKnown, Change: isKnown || keeps, All: true}
	return c
}

// declares returns the keys that the plan gives the object, beside the keys of other resources; nil if they are unknown.
func (m *Object) declares() *claim.Declared {
	if !m.RefKnown() || m.Data.IsUnknown() || m.bytes().IsUnknown() {
		return nil
	}
	named := func(m types.Map) map[string]bool {
		if m.IsNull() {
			return nil
		}
		keys := map[string]bool{}
		for key := range m.Elements() {
			keys[key] = true
		}
		return keys
	}
	d := &claim.Declared{Text: named(m.Data), Binary: named(*m.bytes())}
	if m.Kind == eval.Secret {
		d.Text = d.Binary
	}
	return d
}

// about describes the resource in diagnostics about an operation.
func (m *Object) about(run *claim.Run, op terms.Operation) diagnose.Subject {
	s := diagnose.Subject{
		ID: terms.EntryID{Ref: m.Ref()}, Noun: m.Kind.String(), ImportID: func(ref eval.Ref, _ []string) string { return ref.String() },
		Ways: diagnose.Ways{
			Missing:   fmt.Sprintf("Run terraform plan again: it plans to create the %s.", m.Kind),
			Immutable: fmt.Sprintf("Run terraform plan again: it plans to replace the %s.", m.Kind),
			Changed:   "Run terraform plan again. If cas_configmap_entry owns a key, remove it from data and binary_data.",
			Move:      "Remove the key from data and binary_data if another resource owns it.",
			Grant:     "get, create, patch and delete",
		},
		Op: op, Hide: diagnose.HideIf(run.Hides(m.HideValues)),
	}
	switch {
	case m.Kind == eval.Secret:
		s.Ways.Changed = "Run terraform plan again. If cas_secret_entry owns a key, remove it from data_wo."
		s.Ways.Move = "Remove the key from data_wo if another resource owns it."
		s.Value, s.Hide, s.Revision = path.Root("data_wo"), diagnose.ShowNothing, "data_wo_version"
	case m.Data.IsNull():
		s.Value = path.Root("binary_data")
	default:
		s.Value = path.Root("data")
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
	m.ResourceVersion, m.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
}

// TakeIn implements [KeysModel]. The name may have been generated.
func (m *Object) TakeIn(written claim.Written, _ *claim.Run) {
	m.SetRef(written.Ref)
	m.Keys = keysIn(written.After)
}

func keysIn(o *eval.Snapshot) types.List { return ListOf(slices.Sorted(maps.Keys(o.Entries()))) }

// Keep implements [KeysModel].
func (m *Object) Keep(state *Object, _ *claim.Run) { m.Keys = state.Keys }

// Refresh puts what was observed into the parts of the state that are managed. The state of an import, which has a name alone, manages all that there is. Empty
// parts stay unmanaged: most configurations do not name them.
func (m *Object) Refresh(seen *claim.Seen, run *claim.Run) bool {
	if !seen.Exists() {
		return false
	}
	c, was := m.Claim(run), EntriesFrom(m.Kind, m.Data, *m.bytes())
	for _, p := range parts {
		if seen.IsImport {
			c.Whole.Parts = append(c.Whole.Parts, p.name)
		}
	}
	found := c.Found(seen.Snapshot)
	for _, p := range parts {
		all := found.Part(p.name)
		if p.of(m).IsNull() && (!seen.IsImport || len(all) == 0) {
			continue
		}
		for name, e := range all {
			if before := was[name]; p.name == "data" && e.Matches(before) { // a text that only differs in its normal form stays as it was
				all[name] = before
			}
		}
		texts, others := MapsOf(all)
		maps.Copy(texts, others) // no part has both
		*p.of(m) = MapOf(texts)
	}
	m.Immutable, m.Type, m.Keys = types.BoolValue(seen.Immutable()), types.StringValue(seen.Type()), keysIn(seen.Snapshot)
	return true
}
