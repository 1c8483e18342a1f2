package eval_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

// managedObject models how an API server keeps a ConfigMap and its managedFields, which the library of the API
// server computes.
type managedObject struct {
	t       *testing.T
	version int
	second  int
	data    map[string]string
	owned   fieldpath.ManagedFields // by manager, and its API version behind a space
	times   map[string]int
}

func (o *managedObject) clone() *managedObject {
	n := *o
	n.data, n.owned, n.times = maps.Clone(o.data), o.owned.Copy(), maps.Clone(o.times)
	return &n
}

func typedData(t *testing.T, data map[string]string) *typed.TypedValue {
	t.Helper()
	members := map[string]any{}
	for key, value := range data {
		members[key] = value
	}
	v, err := typed.DeducedParseableType.FromUnstructured(map[string]any{"data": members})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// oneVersion converts between API versions whose fields are the same.
type oneVersion struct{}

func (oneVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}
func (oneVersion) IsMissingVersionError(error) bool { return false }

var updater = (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()

// update stores data as an Update of a manager. The API server tracks no Update of an object without managedFields.
func (o *managedObject) update(manager string, data map[string]string) {
	const self = "current-operation" // as in the package managedfields of k8s.io/apimachinery
	_, in, _ := strings.Cut(manager, " ")
	_, owned, err := updater.Update(typedData(o.t, o.data), typedData(o.t, data), fieldpath.APIVersion(in),
		o.owned.Copy(), self)
	if err != nil {
		o.t.Fatal(err)
	}
	if took, has := owned[self]; has && len(o.owned) > 0 {
		if had, has := owned[manager]; has {
			took = fieldpath.NewVersionedSet(took.Set().Union(had.Set()), took.APIVersion(), false)
		}
		owned[manager], o.times[manager] = took, o.second
	}
	delete(owned, self)
	if len(o.owned) > 0 {
		o.owned = owned
	}
	o.data = data
	o.version++
}

// apply stores a key as a forced server-side apply.
func (o *managedObject) apply(manager, key, value string) {
	merged, owned, err := updater.Apply(typedData(o.t, o.data), typedData(o.t, map[string]string{key: value}),
		"v1", o.owned.Copy(), manager, true)
	if err != nil {
		o.t.Fatal(err)
	}
	if merged == nil { // nothing changes
		return
	}
	object, _ := merged.AsValue().Unstructured().(map[string]any)
	members, _ := object["data"].(map[string]any)
	o.data = map[string]string{}
	for key, value := range members {
		o.data[key] = fmt.Sprint(value)
	}
	o.owned, o.times[manager] = owned, o.second
	o.version++
}

// mergeOldest merges an entry into ancient-changes, as the API server does for the oldest of more than ten.
func (o *managedObject) mergeOldest(manager string) {
	entry, has := o.owned[manager]
	if !has || entry.Applied() {
		return
	}
	all := entry.Set()
	if before, has := o.owned[ancient+" v1"]; has {
		all = all.Union(before.Set())
	}
	o.owned[ancient+" v1"], o.times[ancient+" v1"] = fieldpath.NewVersionedSet(all, "v1", false), o.times[manager]
	delete(o.owned, manager)
	o.version++
}

func (o *managedObject) meta() metav1.ObjectMeta {
	meta := metav1.ObjectMeta{UID: "u", ResourceVersion: fmt.Sprint(o.version)}
	for _, manager := range slices.Sorted(maps.Keys(o.owned)) {
		raw, err := o.owned[manager].Set().ToJSON()
		if err != nil {
			o.t.Fatal(err)
		}
		name, in, _ := strings.Cut(manager, " ")
		f := metav1.ManagedFieldsEntry{
			Manager: name, Operation: update, APIVersion: in, FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(string(raw)),
			Time:     &metav1.Time{Time: time.Unix(int64(o.times[manager]), 0).UTC()},
		}
		if o.owned[manager].Applied() {
			f.Operation = apply
		}
		meta.ManagedFields = append(meta.ManagedFields, f)
	}
	return meta
}

// asConfigMap returns the object as the engine reads a ConfigMap.
func (o *managedObject) asConfigMap() *eval.Snapshot {
	return eval.NewSnapshot(&corev1.ConfigMap{ObjectMeta: o.meta(), Data: o.data}, time.Time{})
}

// asFields returns the object as the engine reads an object of another kind.
func (o *managedObject) asFields() *eval.Snapshot {
	raw, err := json.Marshal(&corev1.ConfigMap{ObjectMeta: o.meta(), Data: o.data})
	if err != nil {
		o.t.Fatal(err)
	}
	seen, err := eval.DecodeSnapshot(eval.KindOf("", "Settings"), "v1", raw, time.Time{})
	if err != nil {
		o.t.Fatal(err)
	}
	return seen
}

// FuzzOutcomeOfALostWrite writes an object by several managers, and then either applies a write of the engine or
// does not. Other writers follow: they update, apply, remove, and store an old copy of the object; a policy changes
// keys along with their writes; managedFields are stripped and merged. Without a write of the engine's field
// manager, the outcome is never applied. The engine's write alone is always applied.
func FuzzOutcomeOfALostWrite(f *testing.F) {
	evaltest.Seeds(f, 5000)
	keys, values := []string{"a", "b", "c"}, []string{"", "1", "2"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := evaltest.Choices(bytes)
		o := &managedObject{
			t: t, version: 1, data: map[string]string{}, owned: fieldpath.ManagedFields{},
			times: map[string]int{},
		}
		o.owned["maker v1"] = fieldpath.NewVersionedSet(fieldpath.NewSet(fieldpath.MakePathOrDie("data", "d")),
			"v1", false)
		draw := func(o *managedObject) map[string]string {
			data := maps.Clone(o.data)
			for range 1 + c.Pick(2) {
				key, value := keys[c.Pick(len(keys))], values[c.Pick(len(values))]
				if data[key] = value; value == "" {
					delete(data, key)
				}
			}
			return data
		}
		var old []*managedObject
		for range 2 + c.Pick(5) {
			old = append(old, o.clone())
			o.update([]string{"engine v1", "engine v0", "helm v1", "kubectl v0"}[c.Pick(4)], draw(o))
			if o.second += c.Pick(2); c.Pick(4) == 0 {
				o.apply("argocd v1", keys[c.Pick(len(keys))], "1")
			}
		}
		base, sent := o.clone(), draw(o)
		if maps.Equal(sent, base.data) {
			return
		}
		var changes, fields []eval.Change
		hasSet := false
		for _, key := range keys {
			if sent[key] != base.data[key] {
				changes = append(changes, change(key, base.data[key], sent[key]))
				fields = append(fields, change("fields/data."+key, base.data[key], sent[key]))
				hasSet = hasSet || sent[key] != ""
			}
		}
		o.second += c.Pick(2)
		isApplied := c.Coin()
		if isApplied {
			o.update("engine v1", sent)
		}
		others := 0
		for range c.Pick(4) {
			before := o.clone()
			switch o.second += c.Pick(2); c.Pick(8) {
			case 0:
				o.apply("argocd v1", keys[c.Pick(len(keys))], values[1+c.Pick(2)])
			case 1:
				o.update("helm v1", sent)
			case 2:
				o.mergeOldest([]string{"engine v1", "helm v1", "kubectl v0"}[c.Pick(3)])
			case 3:
				o.owned, o.times = fieldpath.ManagedFields{}, map[string]int{}
				o.version++
			case 4: // an old copy, with its managedFields; not of our values, which may be there already
				if copied := old[c.Pick(len(old))]; !maps.Equal(o.data, sent) {
					o.owned, o.times = copied.owned.Copy(), maps.Clone(copied.times)
					o.update("velero v1", maps.Clone(copied.data))
				}
			default:
				o.update([]string{"helm v1", "kubectl v0"}[c.Pick(2)], draw(o))
				// a policy goes along with a write that leaves a trace
				if c.Pick(4) == 0 && !maps.Equal(o.times, before.times) {
					o.data = []map[string]string{draw(o), maps.Clone(sent)}[c.Pick(2)]
				}
			}
			if maps.Equal(o.data, before.data) && maps.Equal(o.times, before.times) && o.owned.Equals(before.owned) {
				o.version = before.version
			}
			others += o.version - before.version
		}
		for name, outcome := range map[string]func() (eval.LostOutcome, error){
			"keys": func() (eval.LostOutcome, error) {
				return eval.LostWrite{
					Manager: "engine", Base: base.asConfigMap(),
					Changes: changes,
				}.Outcome(o.asConfigMap())
			},
			"fields": func() (eval.LostOutcome, error) {
				return eval.LostWrite{
					Manager: "engine", Base: base.asFields(),
					Changes: fields,
				}.Outcome(o.asFields())
			},
		} {
			got, reason := outcome()
			isAlone := got == eval.LostAppliedAlone
			leavesTrace := name == "keys" || o.times["engine v1"] > max(base.times["engine v1"],
				base.times["engine v0"])
			switch {
			case (got == eval.LostUnresolved) != (o.version == base.version),
				got >= eval.LostApplied && !isApplied,
				got == eval.LostUnknown && isApplied && others == 0 && hasSet && leavesTrace,
				isAlone && (name == "fields" || !maps.Equal(o.data, sent)):
				t.Errorf("%s: outcome %d (%v), applied %t, other writes %d\nbase %+v\nsent %v\nnow  %+v", name,
					got, reason, isApplied, others,
					base, sent, o)
			}
		}
	})
}
