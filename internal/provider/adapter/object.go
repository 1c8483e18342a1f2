package adapter

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Object is a whole ConfigMap or Secret as Go values. Of a Secret, BinaryData has all values that a configuration or a read says, and no state has any.
type Object struct {
	Place
	Observed

	GenerateName types.String `tfsdk:"generate_name"`
	Labels       types.Map    `tfsdk:"labels"`
	Annotations  types.Map    `tfsdk:"annotations"`
	Immutable    types.Bool   `tfsdk:"immutable"`
	OnDrift      types.String `tfsdk:"on_drift"`
	Data         types.Map    `tfsdk:"data"`
	BinaryData   types.Map    `tfsdk:"binary_data"`

	HideValues types.Bool   `tfsdk:"hide_values,optional"`     // of a ConfigMap
	Type       types.String `tfsdk:"type,optional"`            // of a Secret, as what follows
	Revision   types.Int64  `tfsdk:"data_wo_version,optional"` // null after an import
	Keys       types.List   `tfsdk:"keys,optional"`
}

// entries is what data and binary_data hold. The schema has validated the base64.
func (m *Object) entries() map[string]cas.Entry {
	all := map[string]cas.Entry{}
	for key, value := range StringsOf(m.Data) {
		all[key] = cas.Text(value)
	}
	for key, value := range StringsOf(m.BinaryData) {
		if b, err := base64.StdEncoding.DecodeString(value); err == nil {
			all[key] = cas.Binary(b)
		}
	}
	return all
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
	{"binary_data", func(m *Object) *types.Map { return &m.BinaryData }, key},
	{"labels", func(m *Object) *types.Map { return &m.Labels }, cas.LabelKey},
	{"annotations", func(m *Object) *types.Map { return &m.Annotations }, cas.AnnotationKey},
}

// claim is what a plan or a state claims of the object. The state of a Secret has the names of its keys, if m says that it has the values.
func (r *Whole) claim(o, state *Object, m *claim.Memory) *claim.Claim {
	w := &claim.Whole{
		Parts: []string{"immutable"}, Ignored: r.ignored(), Type: o.Type.ValueString(),
	}
	c := &claim.Claim{
		ID: o.Ref().String(), Ref: o.Ref(), Version: o.Version(), OnDrift: o.OnDrift.ValueString(), Policy: terms.PolicyDelete,
		Revision: o.Revision, FieldManager: o.FieldManager, Timeouts: o.Timeouts, Whole: w,
		Values: map[string]cas.Entry{cas.ImmutableKey: cas.Text(strconv.FormatBool(o.Immutable.ValueBool()))},
		About:  func(op terms.Operation) diagnose.Subject { return r.About(o, op) },
	}
	if o.Name.IsUnknown() {
		w.GenerateName = o.GenerateName.ValueString()
	}
	isSealed := r.Kind == cas.Secret
	for _, p := range parts {
		all, isBinary := *p.of(o), p.name == "binary_data"
		if isSealed && isBinary && m != nil && m.OwnsValues() {
			w.Parts = append(w.Parts, p.name)
			for _, name := range KeysOf(o.Keys) {
				c.Values[name] = cas.Anything()
			}
		}
		if all.IsNull() {
			continue
		}
		w.Parts = append(w.Parts, p.name)
		if all.IsUnknown() || !AllKnown(all) && (!isSealed || !isBinary) {
			w.Unknown = append(w.Unknown, p.name)
		}
		for name, v := range all.Elements() {
			switch value := StringOf(v); {
			case isBinary:
				c.Values[p.field(name)] = EntryFrom(r.Kind, types.StringNull(), value)
			case !value.IsUnknown():
				c.Values[p.field(name)] = cas.Text(value.ValueString())
			}
		}
	}
	isKnown := AllKnown(o.Labels, o.Annotations, o.Data, o.BinaryData) && !o.Immutable.IsUnknown() && !o.Type.IsUnknown()
	keeps := isSealed && state != nil && o.Revision.Equal(state.Revision) && !o.BinaryData.IsUnknown()
	c.Known = claim.Known{Place: o.RefKnown(), Keys: len(w.Unknown) == 0, Values: isKnown, Change: isKnown || keeps, All: true}
	return c
}

// ignored is what the provider's configuration leaves alone: nothing where it is not known yet.
func (r *Whole) ignored() (none terms.IgnoredMetadata) {
	if r.Run == nil {
		return none
	}
	return r.Run.Ignored
}

// About is what diagnostics about an operation say of the resource.
func (r *Whole) About(m *Object, op terms.Operation) diagnose.Subject {
	s := diagnose.Subject{
		ID: terms.EntryID{Ref: m.Ref()}, Noun: r.Kind.String(), ImportID: func(ref cas.Ref, _ []string) string { return ref.String() },
		Ways: diagnose.Ways{
			Missing:   "Run terraform plan again: it plans to create the ConfigMap.",
			Immutable: "Run terraform plan again: it plans to replace the ConfigMap.",
			Changed:   "Run terraform plan again. If cas_configmap_entry owns a key, remove it from data and binary_data.",
			Move:      "Remove the key from data and binary_data if another resource owns it.",
			Grant:     "get, create, patch and delete",
		},
		Op: op, Limit: op, Hide: diagnose.HideIf(r.Run.Hides(m.HideValues)),
	}
	if r.Kind == cas.Secret {
		s.Ways.Changed = "Run terraform plan again. If cas_secret_entry owns a key, remove it from data_wo."
		s.Ways.Move = "Remove the key from data_wo if another resource owns it."
		s.Hide, s.Revision = diagnose.ShowNothing, "data_wo_version"
	}
	s.Values = slices.Collect(maps.Values(m.entries()))
	switch {
	case r.Kind == cas.Secret:
		s.Value = path.Root("data_wo")
	case m.Data.IsNull():
		s.Value = path.Root("binary_data")
	default:
		s.Value = path.Root("data")
	}
	return s
}

// Seal gives a Secret's model the form of what is read: all values in BinaryData. Keys has their names.
func (m *Object) Seal() {
	if m.Data.IsUnknown() {
		m.BinaryData = m.Data
	}
	if m.BinaryData.IsUnknown() || m.Data.IsNull() {
		m.Data = types.MapNull(types.StringType)
		return
	}
	all := maps.Clone(m.BinaryData.Elements())
	for key, v := range m.Data.Elements() {
		if s := StringOf(v); !s.IsUnknown() && !s.IsNull() {
			v = types.StringValue(base64.StdEncoding.EncodeToString([]byte(s.ValueString())))
		}
		if all == nil {
			all = map[string]attr.Value{}
		}
		all[key] = v
	}
	m.Data, m.BinaryData = types.MapNull(types.StringType), types.MapValueMust(types.StringType, all)
}

// observe notes the version and, of a Secret, the keys.
func (m *Object) observe(o *cas.Observation) {
	m.SetVersion(o.Version())
	m.Keys = ListOf(slices.Sorted(maps.Keys(o.Entries())))
}

// refresh puts what was observed into the parts of the state that are managed.
func (r *Whole) refresh(state *Object, o *cas.Observation, m *claim.Memory) {
	r.fill(state, r.claim(state, nil, m).Found(o))
	state.Immutable, state.Type = types.BoolValue(o.Immutable()), types.StringValue(o.Type())
	state.observe(o)
}

// adopt makes the state of an import, which has a name alone, manage all that there is. Empty parts stay unmanaged: most configurations do not name them.
// generate_name stays null: Terraform generates configurations from this state, which must not have both it and name.
func (r *Whole) adopt(state *Object, o *cas.Observation) {
	all := r.claim(state, nil, nil)
	for _, p := range parts {
		all.Whole.Parts = append(all.Whole.Parts, p.name)
	}
	found := all.Found(o)
	for _, p := range parts {
		if len(found.Part(p.name)) > 0 {
			*p.of(state) = MapOf(map[string]string{})
		}
	}
	r.fill(state, found)
	state.Immutable, state.Type = types.BoolValue(o.Immutable()), types.StringValue(o.Type())
	state.observe(o)
}

// fill puts fields into the maps of the state that are not null. A text that only differs in its normal form stays as it was.
func (r *Whole) fill(state *Object, found *claim.Claim) {
	was := state.entries()
	for _, p := range parts {
		if p.of(state).IsNull() {
			continue
		}
		all := found.Part(p.name)
		for name, e := range all {
			if before := was[name]; p.name == "data" && e.Holds(before) {
				all[name] = before
			}
		}
		texts, others := MapsOf(all)
		maps.Copy(texts, others) // no part has both
		*p.of(state) = MapOf(texts)
	}
}
