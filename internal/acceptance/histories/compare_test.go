package histories

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// outcome is how a command ended.
type outcome struct {
	errs, warnings []string
	actions        map[string]string
	ofSecrets      [][2]string // those of them that are about Secrets or fields, with the type of the resource
}

func ended(r *driver.Result) (o outcome) {
	for _, d := range r.Diagnostics {
		said := words.Replace(d.Summary)
		if d.IsError {
			o.errs = append(o.errs, said)
		} else {
			said, _, _ = strings.Cut(said, ": ") // before what it is about
			o.warnings = append(o.warnings, said)
			said = "warns: " + said
		}
		if isOfSecret(d.Address) || isOfFields(d.Address) {
			o.ofSecrets = append(o.ofSecrets, [2]string{typeIn(d.Address), said})
		}
	}
	return o
}

func isOfSecret(address string) bool { return strings.HasPrefix(address, "cas_secret") }

func isOfFields(address string) bool {
	return strings.HasPrefix(address, "cas_object_fields") || strings.HasPrefix(address, "cas_configmap_document")
}

func typeIn(address string) string {
	name, _, _ := strings.Cut(address, ".")
	return name
}

func (o outcome) String() string {
	return fmt.Sprintf("errors %q, warnings %q, changes %v", set(o.errs), set(o.warnings), o.actions)
}

func set(titles []string) []string {
	titles = slices.Sorted(slices.Values(titles))
	return slices.Compact(titles)
}

func (h *history) verdicts(of string, o outcome) {
	for _, title := range set(o.errs) {
		h.add(of + title)
	}
	for _, title := range set(o.warnings) {
		h.add(of + "warns: " + title)
	}
	for _, d := range o.ofSecrets {
		h.add(d[0] + " " + of + d[1])
	}
	for address, action := range o.actions {
		if isOfSecret(address) || isOfFields(address) {
			h.add(typeIn(address) + " " + of + action)
		}
	}
	if len(o.errs) == 0 {
		h.add(of + "passes")
	}
}

// do does something, and has the model predict each outcome that is allowed, in every world. Worlds whose prediction differs from what happened
// are dropped; where none is left, the test fails.
func (h *history) do(run func() outcome, predictions ...func(*model) outcome) outcome {
	got := run()
	for cm, name := range h.names {
		if !h.wasWritten(name) {
			continue
		}
		o, err := h.get(name)
		if err != nil && !apierrors.IsNotFound(err) {
			h.Fatal(err)
		}
		h.live[cm] = o // nil, where it is not there
	}
	that := func(of []*model) (worlds []*model, wrong []string) {
		for _, m := range of {
			for _, predict := range predictions {
				m := m.clone()
				want := predict(m)
				problem := "want " + want.String()
				if want.String() == got.String() {
					problem = h.differs(m)
				}
				if problem == "" {
					worlds = append(worlds, m)
				} else {
					wrong = append(wrong, problem)
				}
			}
		}
		return worlds, wrong
	}
	worlds, wrong := that(h.worlds)
	if len(worlds) == 0 {
		for _, m := range h.worlds {
			worlds = append(worlds, h.alike(m)...)
		}
		if worlds, _ = that(worlds); len(worlds) > 0 {
			h.add("tags were alike")
		}
	}
	if len(worlds) == 0 {
		h.Fatalf("got %s\n%s", got, strings.Join(wrong, "\n"))
	}
	owned := h.ownedByOthers()
	for _, m := range worlds {
		m.owned = owned
	}
	h.worlds = worlds
	return got
}

// ownedByOthers returns the keys that another field manager owns.
func (h *history) ownedByOthers() map[string]map[string]bool {
	owned := map[string]map[string]bool{}
	for cm, o := range h.live {
		if o == nil {
			continue
		}
		owned[cm] = map[string]bool{}
		for _, m := range o.ManagedFields {
			for key := range o.Data {
				if m.Manager == "another-writer" && strings.Contains(m.FieldsV1.GetRawString(), `"f:`+key+`"`) {
					owned[cm][key] = true
				}
			}
		}
	}
	return owned
}

// alike are the worlds in which no drift of one Secret is seen, since the tags of two values are the same, as once in 65,536 times.
func (h *history) alike(m *model) (worlds []*model) {
	for i, w := range m.spaces {
		for address, t := range w.state {
			if !t.secret || t.alike || !h.hidesDrift(m, i, t) {
				continue
			}
			c := m.clone()
			states := []map[string]*tracking{c.spaces[i].state}
			for j, pl := range c.spaces[i].plans {
				again := *pl
				again.state = maps.Clone(pl.state)
				c.spaces[i].plans[j] = &again
				states = append(states, again.state)
			}
			for _, state := range states {
				if was := state[address]; was != nil {
					now := *was
					now.alike = true
					state[address] = &now
				}
			}
			worlds = append(worlds, c)
		}
	}
	return worlds
}

// hidesDrift reports whether a key holds another value than was last written there, with the same tag.
func (h *history) hidesDrift(m *model, run int, t *tracking) bool {
	all := h.runs[run].Objects()
	i := slices.IndexFunc(all, func(o driver.Object) bool { return o.Address == typed(&t.block) })
	if i < 0 || m.live[t.cm] == nil {
		return false
	}
	for key, written := range t.written {
		live := m.live[t.cm].data[key]
		if live == written || live == "" || written == "" {
			continue
		}
		was, err := fixture.TagOf(all[i].Private, written)
		if errors.Is(err, fixture.ErrNoTags) {
			return false
		}
		is, also := fixture.TagOf(all[i].Private, live)
		if err != nil || also != nil {
			h.Fatal(err, also)
		}
		if was == is {
			return true
		}
	}
	return false
}

// differs describes how the live ConfigMaps or the states differ from the model.
func (h *history) differs(m *model) string {
	for cm := range h.names {
		want, got := m.live[cm], h.live[cm]
		switch {
		case want == nil && got == nil:
		case want == nil || got == nil:
			return fmt.Sprintf("configmap %s: want %v, live %v", cm, want, got)
		case !maps.Equal(entries(want.data), got.Data) || !maps.Equal(labelOf(want.data), got.Labels):
			return fmt.Sprintf("configmap %s: want %v, live %v %v", cm, want.data, got.Data, got.Labels)
		case len(got.BinaryData)+len(got.Annotations)+len(got.Finalizers) > 0 || got.Immutable != nil:
			return fmt.Sprintf("configmap %s holds more than was written: %v", cm, got)
		case !m.is(want.uid, string(got.UID)) || !m.is(want.rv, got.ResourceVersion):
			return fmt.Sprintf("configmap %s: at another version than wanted", cm)
		}
	}
	for i, w := range m.spaces {
		got := map[string]driver.Object{}
		for _, o := range h.runs[i].Objects() {
			got[o.Address] = o
		}
		if len(got) != len(w.state) {
			return fmt.Sprintf("workspace %d: state has %v, want %v", i, slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(w.state)))
		}
		for _, want := range w.state {
			o, ok := got[typed(&want.block)]
			if !ok {
				return fmt.Sprintf("workspace %d: the state lacks %s", i, typed(&want.block))
			}
			if d := want.differs(m, o); d != "" {
				return fmt.Sprintf("workspace %d: %s: %s", i, o.Address, d)
			}
		}
	}
	return ""
}

func (t *tracking) differs(m *model, o driver.Object) string {
	text := func(name string) string {
		v := o.Value.GetAttr(name)
		if v.IsNull() {
			return ""
		}
		return v.AsString()
	}
	texts := func(name string) map[string]string {
		if t.fields {
			return fieldsOf(t.cm, o.Value.GetAttr(strings.Replace(name, "data", "fields", 1)))
		}
		v := o.Value.GetAttr(name)
		if v.IsNull() {
			return nil
		}
		all := map[string]string{}
		for key, element := range v.AsValueMap() {
			if all[key] = ""; !element.IsNull() {
				all[key] = element.AsString()
			}
		}
		return all
	}
	differ := func(what string, want, got any) string { return fmt.Sprintf("%s is %v, want %v", what, got, want) }
	if o.Tainted != t.tainted {
		return differ("tainted", t.tainted, o.Tainted)
	}
	if t.kind == "counter" {
		if got, _ := o.Value.GetAttr("value").AsBigFloat().Int64(); int(got) != t.number {
			return differ("number", t.number, got)
		}
		return ""
	}
	if !m.is(t.uid, text("uid")) || !m.is(t.rv, text("resource_version")) {
		return "at another version than wanted: " + text("resource_version")
	}
	if got := text("on_drift"); got != t.drift {
		return differ("on_drift", t.drift, got)
	}
	if t.kind == "whole" {
		if got := text("deletion_policy"); got != t.policy {
			return differ("deletion_policy", t.policy, got)
		}
	} else {
		for name, want := range map[string]string{"conflict_scope": t.scope, "deletion_policy": t.policy} {
			if got := strings.Replace(text(name), "field", "key", 1); got != want {
				return differ(name, want, got)
			}
		}
		if got := o.Value.GetAttr("adopt_existing").True(); got != t.adopt {
			return differ("adopt_existing", t.adopt, got)
		}
	}
	if t.secret {
		if diff := t.secretDiffers(o); diff != "" || t.kind != "whole" {
			return diff
		}
	}
	switch t.kind {
	case "entry":
		if got, want := text("expected_value"), t.expected[t.onlyKey()]; got != want {
			return differ("expected_value", want, got)
		}
		if got, want := text("value"), t.values[t.onlyKey()]; got != want {
			return differ("value", want, got)
		}
		if got, want := text("previous_value"), t.previous[t.onlyKey()]; got != want {
			return differ("previous_value", want, got)
		}
	case "data":
		if got := texts("expected_data"); !maps.Equal(got, t.expected) {
			return differ("expected_data", t.expected, got)
		}
		got := texts("data")
		if t.fields { // one that vanished is null
			maps.DeleteFunc(got, func(_, v string) bool { return v == "" })
		}
		if !maps.Equal(got, t.values) {
			return differ("data", t.values, got)
		}
		if got := texts("previous_data"); !sameMap(got, t.previous) {
			return differ("previous_data", t.previous, got)
		}
	case "whole":
		if !t.secret {
			if got := texts("data"); !sameMap(got, t.values) {
				return differ("data", t.values, got)
			}
		}
		if got := texts("labels"); !sameMap(got, t.labels) {
			return differ("labels", t.labels, got)
		}
	}
	return ""
}

// secretDiffers describes how the state of a resource of a Secret differs from the model. It has names of keys, and no value.
func (t *tracking) secretDiffers(o driver.Object) string {
	differ := func(what string, want, got any) string { return fmt.Sprintf("%s is %v, want %v", what, got, want) }
	want := cty.NullVal(cty.Number)
	if t.revision > 0 {
		want = cty.NumberIntVal(int64(t.revision))
	}
	version := valuesName(&t.block) + "_version"
	if got := o.Value.GetAttr(version); !got.RawEquals(want) {
		return differ(version, t.revision, got)
	}
	for name, v := range o.Value.AsValueMap() {
		if strings.HasSuffix(name, "_wo") && !v.IsNull() {
			return differ(name, nil, v)
		}
	}
	if t.kind != "entry" {
		var keys []string
		if all := o.Value.GetAttr("keys"); all.IsNull() != (t.values == nil) {
			return differ("keys is null", t.values == nil, all.IsNull())
		} else if !all.IsNull() {
			for _, key := range all.AsValueSlice() {
				keys = append(keys, key.AsString())
			}
		}
		if want := namesIn(t.values); !slices.Equal(keys, want) {
			return differ("keys", want, keys)
		}
	}
	tags, err := fixture.TagsIn(o.Private)
	if err != nil {
		return err.Error()
	}
	for name, tag := range tags {
		if n := len(tag); n != 4 && tag != "absent" {
			return differ("the length of the tag "+name, 4, n)
		}
	}
	return ""
}
