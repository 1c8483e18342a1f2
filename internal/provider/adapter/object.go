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

// ObjectAttributes are the attributes that whole objects of both kinds share.
type ObjectAttributes struct {
	Place
	Observed

	GenerateName types.String `tfsdk:"generate_name"`
	Labels       types.Map    `tfsdk:"labels"`
	Annotations  types.Map    `tfsdk:"annotations"`
	Immutable    types.Bool   `tfsdk:"immutable"`
	OnDrift      types.String `tfsdk:"on_drift"`
}

// Object is a whole ConfigMap as Go values: the schema of cas_configmap. Of a Secret, BinaryData has what a configuration or a read says; no
// state has it.
type Object struct {
	ObjectAttributes

	Data       types.Map  `tfsdk:"data"`
	BinaryData types.Map  `tfsdk:"binary_data"`
	HideValues types.Bool `tfsdk:"hide_values"`

	Type     types.String `tfsdk:"-"` // of a Secret
	Revision types.Int64  `tfsdk:"-"` // of a Secret's values; null after an import
	Keys     types.List   `tfsdk:"-"` // of a Secret, in a state
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

// contentKnown reports whether all is known that a write would write.
func (m *Object) contentKnown() bool {
	return AllKnown(m.Labels, m.Annotations, m.Data, m.BinaryData) && !m.Immutable.IsUnknown() && !m.Type.IsUnknown()
}

// creation is what a create sends.
func (r *Whole) creation(plan *Object, ref cas.Ref) *cas.Creation {
	n := &cas.Creation{
		Ref: ref, Type: plan.Type.ValueString(), GenerateName: plan.GenerateName.ValueString(),
		Labels: StringsOf(plan.Labels), Annotations: StringsOf(plan.Annotations), Entries: plan.entries(),
		FieldManager: r.Run.FieldManagerOr(plan.FieldManager),
	}
	if plan.Immutable.ValueBool() {
		n.Immutable = new(true)
	}
	return n
}

// update is what an update sends, nil where there is nothing to write. was is the prior state, with what it takes over. It is
// written only at the version that the state was observed at, or where the lineage leads from that.
func (r *Whole) update(plan, was *Object) *cas.Txn {
	t := &cas.Txn{Ref: was.Ref(), At: []cas.Version{was.Version()}, Seen: cas.Basis{Version: was.Version()}, FieldManager: r.Run.FieldManagerOr(plan.FieldManager)}
	before, after := was.entries(), plan.entries()
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		from, to := before[key], after[key]
		if to.Holds(from) || to.IsAbsent() && !plan.manages(from) {
			continue
		}
		t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: from, New: to})
	}
	t.Keys = append(t.Keys, metaChanges(cas.LabelKey, plan.Labels, was.Labels, r.Run.Ignored.Labels)...)
	t.Keys = append(t.Keys, metaChanges(cas.AnnotationKey, plan.Annotations, was.Annotations, r.Run.Ignored.Annotations)...)
	if plan.Immutable.ValueBool() != was.Immutable.ValueBool() {
		t.Keys = append(t.Keys, cas.KeySwap{Key: cas.ImmutableKey, Expect: cas.Anything(), New: cas.Text(strconv.FormatBool(plan.Immutable.ValueBool()))})
	}
	if len(t.Keys) == 0 {
		return nil
	}
	return t
}

// metaChanges is what makes labels or annotations what is planned. The version stands for what they held. Those that are ignored are never removed.
func metaChanges(key func(string) string, plan, was types.Map, ignored terms.IgnoredKeys) (changes []cas.KeySwap) {
	if plan.IsNull() {
		return nil
	}
	before, after := StringsOf(was), StringsOf(plan)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[name]; !ok || old != after[name] {
			changes = append(changes, cas.KeySwap{Key: key(name), Expect: cas.Anything(), New: cas.Text(after[name])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[name]; !ok && !ignored.Match(name) {
			changes = append(changes, cas.KeySwap{Key: key(name), Expect: cas.Anything()})
		}
	}
	return changes
}

// manages reports whether the map that an entry is in is managed.
func (m *Object) manages(e cas.Entry) bool {
	if _, isBinary := e.Binary(); isBinary {
		return !m.BinaryData.IsNull()
	}
	return !m.Data.IsNull()
}

// part is one of the four maps that a ConfigMap is made of.
type part struct {
	of     func(*Object) *types.Map
	binary bool
}

var parts = []part{
	{func(m *Object) *types.Map { return &m.Data }, false},
	{func(m *Object) *types.Map { return &m.BinaryData }, true},
	{func(m *Object) *types.Map { return &m.Labels }, false},
	{func(m *Object) *types.Map { return &m.Annotations }, false},
}

// entries is what the part holds.
func (p part) entries(m *Object) map[string]cas.Entry {
	only := Object{Data: *p.of(m)}
	if p.binary {
		only = Object{BinaryData: *p.of(m)}
	}
	return only.entries()
}

// About is what diagnostics about an operation say of the resource. state is nil if there is none.
func (r *Whole) About(m, state *Object, op terms.Operation) diagnose.Subject {
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
	if state != nil {
		s.Content = func(live *cas.Observation) (was, found diagnose.Content) {
			return state.content(), r.live(live, state).content()
		}
	}
	for _, model := range []*Object{m, state} {
		if model != nil {
			s.Values = slices.AppendSeq(s.Values, maps.Values(model.entries()))
		}
	}
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

// content is what of the ConfigMap the model manages.
func (m *Object) content() diagnose.Content {
	c := diagnose.Content{Immutable: m.Immutable.ValueBool()}
	for i, to := range []*map[string]cas.Entry{&c.Data, &c.BinaryData, &c.Labels, &c.Annotations} {
		if p := parts[i]; !p.of(m).IsNull() {
			*to = p.entries(m)
		}
	}
	return c
}

// live is a ConfigMap as it was observed, without ignored labels and annotations that named does not list.
func (r *Whole) live(o *cas.Observation, named *Object) *Object {
	entries := o.Entries()
	for key, old := range StringsOf(named.Data) {
		if was := cas.Text(old); entries[key].Holds(was) {
			entries[key] = was
		}
	}
	textual, encoded := MapsOf(entries)
	if r.Kind == cas.Secret {
		textual = nil
	}
	return &Object{
		ObjectAttributes: ObjectAttributes{
			Labels:      MapOf(r.Run.Ignored.Labels.Seen(o.Labels(), StringsOf(named.Labels))),
			Annotations: MapOf(r.Run.Ignored.Annotations.Seen(o.Annotations(), StringsOf(named.Annotations))),
			Immutable:   types.BoolValue(o.Immutable()),
		},
		Data: MapOf(textual), BinaryData: MapOf(encoded), Type: types.StringValue(o.Type()),
	}
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

// ownsValues reports whether this resource has written the values of a Secret: not after an import, nor where they were left to others.
func (r *Whole) ownsValues(state *Object, m *claim.Memory) bool {
	return r.Kind == cas.Secret && !state.Revision.IsNull() && m.OwnsValues()
}

// keepsValues reports whether a plan for a Secret writes only the keys that are new or gone.
func (m *Object) keepsValues(state *Object) bool {
	return !m.BinaryData.IsNull() && m.Revision.Equal(state.Revision)
}

// named is a state of a Secret with the names of its keys, whose values it does not have.
func (m *Object) named() *Object {
	values := map[string]string{}
	for _, key := range KeysOf(m.Keys) {
		values[key] = ""
	}
	named := *m
	named.BinaryData = MapOf(values)
	return &named
}

// keepValues gives a plan for a Secret when data_wo_version is unchanged: of what the plan writes, it keeps what is there. So it keeps
// all where the plan does not know yet which keys it writes.
func keepValues(plan, live *Object) *Object {
	kept := *plan
	if plan.BinaryData.IsUnknown() {
		kept.BinaryData = live.BinaryData
		return &kept
	}
	values, there := maps.Clone(plan.BinaryData.Elements()), live.BinaryData.Elements()
	for key := range values {
		if value, has := there[key]; has {
			values[key] = value
		}
	}
	kept.BinaryData = types.MapValueMust(types.StringType, values)
	return &kept
}

// stored is what was observed of the parts that the model manages.
func (r *Whole) stored(o *cas.Observation, m *Object) diagnose.Content {
	seen := *m
	r.refresh(&seen, o)
	return seen.content()
}

// takenOver is the state, with what the plan takes over as it is live. It keeps the state's version.
func (r *Whole) takenOver(plan, state *Object, o *cas.Observation) *Object {
	was, live := *state, r.live(o, plan)
	for _, p := range parts {
		if p.of(state).IsNull() && !p.of(plan).IsNull() {
			*p.of(&was) = *p.of(live)
		}
	}
	return &was
}

// takesOver reports whether the plan manages what the state has left to others, so that only the live object tells what is there.
func (m *Object) takesOver(state *Object) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.of(state).IsNull() && !p.of(m).IsNull() })
}

// found is what was observed of the parts that a state manages or, of a Secret, of all: no state says what it manages of its values.
func (r *Whole) found(o *cas.Observation, state *Object) diagnose.Content {
	if r.Kind == cas.Secret {
		return r.live(o, state).content()
	}
	return r.stored(o, state)
}

// observe notes the version and, of a Secret, the keys.
func (m *Object) observe(o *cas.Observation) {
	m.SetVersion(o.Version())
	m.Keys = ListOf(slices.Sorted(maps.Keys(o.Entries())))
}

// refresh puts what was observed into the parts of the state that are managed.
func (r *Whole) refresh(state *Object, o *cas.Observation) {
	live := r.live(o, state)
	for _, p := range parts {
		if !p.of(state).IsNull() {
			*p.of(state) = *p.of(live)
		}
	}
	state.Immutable, state.Type = live.Immutable, live.Type
	state.observe(o)
}

// adopt makes the state of an import, which has a name alone, manage all that there is. Empty parts stay unmanaged:
// most configurations do not name it. generate_name stays null: Terraform generates configurations from this state, which must not have
// both it and name.
func (r *Whole) adopt(state *Object, o *cas.Observation) {
	live := r.live(o, state)
	for _, p := range parts {
		if len(p.of(live).Elements()) > 0 {
			*p.of(state) = *p.of(live)
		}
	}
	state.Immutable, state.Type = live.Immutable, live.Type
	state.observe(o)
}
