package provider

import (
	"encoding/base64"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// creation is what a create sends.
func (r *configMapResource) creation(plan *configMapModel, ref cas.Ref) *cas.Creation {
	n := &cas.Creation{
		Ref: ref, GenerateName: plan.GenerateName.ValueString(),
		Labels: stringsOf(plan.Labels), Annotations: stringsOf(plan.Annotations), Entries: plan.entries(),
		FieldManager: r.fieldManager(plan.FieldManager),
	}
	if plan.Immutable.ValueBool() {
		n.Immutable = new(true)
	}
	return n
}

// update is what an update sends, nil where there is nothing to write. was is the prior state, with what it takes over. It is
// written only at the version that the state was observed at, or where the lineage leads from that.
func (r *configMapResource) update(plan, was *configMapModel) *cas.Txn {
	t := &cas.Txn{Ref: was.ref(), At: []cas.Version{was.version()}, Seen: was.version(), FieldManager: r.fieldManager(plan.FieldManager)}
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
	meta := cas.Meta{
		Labels:      metaChanges(plan.Labels, was.Labels, r.data.ignored.labels),
		Annotations: metaChanges(plan.Annotations, was.Annotations, r.data.ignored.annotations),
	}
	if plan.Immutable.ValueBool() != was.Immutable.ValueBool() {
		meta.Immutable = new(plan.Immutable.ValueBool())
	}
	if len(meta.Labels) > 0 || len(meta.Annotations) > 0 || meta.Immutable != nil {
		t.Meta = &meta
	}
	if len(t.Keys) == 0 && t.Meta == nil {
		return nil
	}
	return t
}

// metaChanges is what makes labels or annotations what is planned. Those that are ignored are never removed.
func metaChanges(plan, was types.Map, ignored ignoredKeys) map[string]*string {
	if plan.IsNull() {
		return nil
	}
	changes := map[string]*string{}
	before, after := stringsOf(was), stringsOf(plan)
	for key, value := range after {
		if old, ok := before[key]; !ok || old != value {
			changes[key] = &value
		}
	}
	for key := range before {
		if _, ok := after[key]; !ok && !ignored.match(key) {
			changes[key] = nil
		}
	}
	return changes
}

// manages tells whether the map that an entry is in is managed.
func (m *configMapModel) manages(e cas.Entry) bool {
	if _, isBinary := e.Binary(); isBinary {
		return !m.BinaryData.IsNull()
	}
	return !m.Data.IsNull()
}

// part is one of the four maps that a ConfigMap is made of.
type part struct {
	of     func(*configMapModel) *types.Map
	binary bool
}

var parts = []part{
	{func(m *configMapModel) *types.Map { return &m.Data }, false},
	{func(m *configMapModel) *types.Map { return &m.BinaryData }, true},
	{func(m *configMapModel) *types.Map { return &m.Labels }, false},
	{func(m *configMapModel) *types.Map { return &m.Annotations }, false},
}

// entries is what the part holds.
func (p part) entries(m *configMapModel) map[string]cas.Entry {
	only := configMapModel{Data: *p.of(m)}
	if p.binary {
		only = configMapModel{BinaryData: *p.of(m)}
	}
	return only.entries()
}

func (r *configMapResource) about(m, state *configMapModel, op terms.Operation) diagnose.Subject {
	s := diagnose.Subject{ID: terms.EntryID{Ref: m.ref()}, Op: op, Expected: path.Empty(), Hide: r.hides(m.HideValues), Limit: op}
	s.Whole = &diagnose.WholeConfigMap{}
	if state != nil {
		s.Whole.State = new(state.content())
		s.Whole.Live = func(o *cas.Observation) diagnose.Content { return r.data.ignored.live(o, state).content() }
	}
	for _, model := range []*configMapModel{m, state} {
		if model != nil {
			s.Values = slices.AppendSeq(s.Values, maps.Values(model.entries()))
		}
	}
	s.Value = path.Root("data")
	if m.Data.IsNull() {
		s.Value = path.Root("binary_data")
	}
	return s
}

// content is what of the ConfigMap the model manages.
func (m *configMapModel) content() diagnose.Content {
	c := diagnose.Content{Immutable: m.Immutable.ValueBool()}
	for i, to := range []*map[string]cas.Entry{&c.Data, &c.BinaryData, &c.Labels, &c.Annotations} {
		if p := parts[i]; !p.of(m).IsNull() {
			*to = p.entries(m)
		}
	}
	return c
}

// live is a ConfigMap as it was observed, all of it but what is left alone and named does not have.
func (i ignoredMetadata) live(o *cas.Observation, named *configMapModel) *configMapModel {
	textual, encoded := map[string]string{}, map[string]string{}
	had := stringsOf(named.Data)
	for key, e := range o.Entries() {
		if v, ok := e.Text(); ok {
			if old, ok := had[key]; ok && e.Holds(cas.Text(old)) {
				v = old
			}
			textual[key] = v
		} else if b, ok := e.Binary(); ok {
			encoded[key] = base64.StdEncoding.EncodeToString(b)
		}
	}
	return &configMapModel{
		Data: mapOf(textual), BinaryData: mapOf(encoded), Immutable: types.BoolValue(o.Immutable()),
		Labels:      mapOf(i.labels.seen(o.Labels(), stringsOf(named.Labels))),
		Annotations: mapOf(i.annotations.seen(o.Annotations(), stringsOf(named.Annotations))),
	}
}

// diagnose.TakenOver is the state with what the plan takes over as it is live. It is still of the state's version.
func (i ignoredMetadata) takenOver(plan, state *configMapModel, o *cas.Observation) *configMapModel {
	was, live := *state, i.live(o, plan)
	for _, p := range parts {
		if p.of(state).IsNull() && !p.of(plan).IsNull() {
			*p.of(&was) = *p.of(live)
		}
	}
	return &was
}

// takesOver tells whether the plan manages what the state has left to others, so that only the live object tells what is there.
func (m *configMapModel) takesOver(state *configMapModel) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.of(state).IsNull() && !p.of(m).IsNull() })
}

// refresh puts what was observed into the parts of the state that are managed.
func (i ignoredMetadata) refresh(state *configMapModel, o *cas.Observation) {
	live := i.live(o, state)
	for _, p := range parts {
		if !p.of(state).IsNull() {
			*p.of(state) = *p.of(live)
		}
	}
	state.Immutable = live.Immutable
	state.setVersion(o.Version())
}

// adopt makes the state of an import, which has a name alone, manage all that there is. Of what there is none of stays unmanaged:
// most configurations do not name it.
func (i ignoredMetadata) adopt(state *configMapModel, o *cas.Observation) {
	live := i.live(o, state)
	for _, p := range parts {
		if len(p.of(live).Elements()) > 0 {
			*p.of(state) = *p.of(live)
		}
	}
	if prefix := o.GenerateName(); prefix != "" {
		state.GenerateName = types.StringValue(prefix)
	}
	state.Immutable = live.Immutable
	state.setVersion(o.Version())
}
