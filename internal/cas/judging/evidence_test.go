package judging_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

// state is a version of an object: what its keys hold, and who owns them, as in "foo=1 engine". All managers wrote in second 1, but for one whose
// name ends in ", later". Words without "=" own a key that is not there; the owner "?" is one of whom it is not told what it owns, and "-" is nobody.
func state(words ...string) *judging.Observation {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: "u"}, Data: map[string]string{}}
	fields, later := map[string]map[string]any{}, map[string]bool{}
	for _, each := range words {
		entry, owner, _ := strings.Cut(each, " ")
		owner, isLater := strings.CutSuffix(owner, ", later")
		key, value, isThere := strings.Cut(entry, "=")
		if label, isLabel := strings.CutPrefix(key, "label:"); isLabel {
			metav1.SetMetaDataLabel(&cm.ObjectMeta, label, value)
			key = "label:" + label
		} else if isThere {
			cm.Data[key] = value
		}
		if owner == "-" {
			continue
		}
		if fields[owner] == nil {
			fields[owner] = map[string]any{}
		}
		fields[owner][key], later[owner] = map[string]any{}, later[owner] || isLater
	}
	for _, owner := range slices.Sorted(maps.Keys(fields)) {
		data, labels := map[string]any{}, map[string]any{}
		for key := range fields[owner] {
			if label, isLabel := strings.CutPrefix(key, "label:"); isLabel {
				labels["f:"+label] = map[string]any{}
			} else {
				data["f:"+key] = map[string]any{}
			}
		}
		owned := map[string]any{} // a map with nothing below it would be owned itself
		if len(data) > 0 {
			owned["f:data"] = data
		}
		if len(labels) > 0 {
			owned["f:metadata"] = map[string]any{"f:labels": labels}
		}
		raw, _ := json.Marshal(owned)
		f := metav1.ManagedFieldsEntry{
			Manager: owner, Operation: update, APIVersion: "v1", Time: &metav1.Time{Time: time.Unix(1, 0)}, FieldsV1: metav1.NewFieldsV1(string(raw)),
		}
		if later[owner] {
			f.Time = &metav1.Time{Time: time.Unix(2, 0)}
		}
		if name, isUntold := strings.CutSuffix(owner, "?"); isUntold {
			f.Manager, f.FieldsV1 = name, nil
		}
		cm.ManagedFields = append(cm.ManagedFields, f)
	}
	return judging.Observed(cm, time.Time{})
}

// Given a write under the name "engine", whose answer got lost; when the first version after its base is as told; then it has landed, or has not, or
// that is unknown.
func TestWhatBecameOfALostWrite(t *testing.T) {
	t.Parallel()
	one, two, three := judging.Text("1"), judging.Text("2"), judging.Text("3")
	foo := []judging.Change{{Key: "foo", From: one, To: two}}
	both := []judging.Change{{Key: "foo", From: one, To: two}, {Key: "bar", From: one, To: two}}
	guarded := []judging.Change{{Key: "foo", From: one, To: two}, {Key: "bar", From: one, To: one, IsGuard: true}}
	adds := []judging.Change{{Key: "new", To: two}}
	removes := []judging.Change{{Key: "foo", From: one}}
	empties := []judging.Change{{Key: "foo", From: judging.Text("")}}
	replaces := []judging.Change{{Key: "foo", From: one, To: two}, {Key: "bar", From: one}}
	label := []judging.Change{{Key: judging.LabelKey("a"), From: one, To: two}}
	const landed, lost, unknown = judging.HasLanded, judging.HasNotLanded, judging.IsUnknown
	type s = []string
	for name, test := range map[string]struct {
		sent         judging.Sent
		before, next []string
		want         judging.Answer
	}{
		// 1. Another wrote.
		"another wrote the same value": {
			judging.Sent{Changes: foo}, s{"foo=1 other"}, s{"foo=2 other, later"}, lost,
		},
		"another wrote the same value within the second": {
			judging.Sent{Changes: foo}, s{"foo=1 other", "bar=1 engine"}, s{"foo=2 other", "bar=1 engine"}, lost,
		},
		"another came to own the key": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo=2 other", "bar=1 other"}, lost,
		},
		"another wrote later, who does not tell what it owns": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other?"}, s{"foo=3 engine", "bar=1 other?, later"}, lost,
		},
		"another came to own something beside it": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo=2 engine", "bar=1 other", "baz=1 other"}, lost,
		},
		"a twin of our name set another key": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo=2 engine", "bar=2 engine"}, lost,
		},
		"a twin of our name set a label": {
			judging.Sent{Changes: foo}, s{"foo=1 engine"}, s{"foo=2 engine", "label:a=1 engine"}, lost,
		},
		"what is to go is another's": {
			judging.Sent{Changes: removes, GoneIsDone: true}, s{"foo=1 engine"}, s{"foo=9 other, later"}, lost,
		},
		"what is to go is changed by its owner within the second": {
			judging.Sent{Changes: removes, GoneIsDone: true}, s{"foo=1 other"}, s{"foo=9 other"}, lost,
		},
		"what is to go is changed by our name within the second": {
			judging.Sent{Changes: removes, GoneIsDone: true}, s{"foo=1 engine"}, s{"foo=9 engine"}, lost,
		},
		"two keys, of which one is nobody's": {
			judging.Sent{Changes: both}, s{"foo=1 other", "bar=1 engine"}, s{"foo=2 engine, later", "bar=2 -"}, lost,
		},
		"another removed it": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"bar=1 other"}, lost,
		},
		"another removed it, who may be among the many": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"bar=1 ancient-changes"}, lost,
		},
		"it is gone, and what a manager owns is not told": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other?"}, s{"bar=1 other?"}, unknown,
		},
		"it is gone, and was ours when admission removed it": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo engine", "bar=1 other"}, unknown,
		},
		"a policy set what nobody owns along with another's write": {
			judging.Sent{Changes: foo}, s{"foo=1 -", "bar=1 other"}, s{"foo=2 -", "bar=1 other"}, lost,
		},
		"a policy changed a key of ours along with another's write": {
			judging.Sent{Changes: foo, IsSigned: true}, s{"foo=1 engine"}, s{"foo=7 engine", "trigger=yes other, later"}, lost,
		},
		"it is another object": {
			judging.Sent{Changes: foo}, s{"foo=1 engine"}, nil, lost,
		},
		// 2. Nothing of it is there.
		"nothing that it changes differs": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 engine"}, s{"foo=1 engine", "bar=9 engine"}, lost,
		},
		"nothing differs, and what is compared does": {
			judging.Sent{Changes: guarded}, s{"foo=1 engine", "bar=1 engine"}, s{"foo=1 engine", "bar=9 engine"}, lost,
		},
		"a twin changed another key of our name's, later": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 engine"}, s{"foo=1 engine, later", "bar=9 engine"}, lost,
		},
		"another removed all that was ours": {
			judging.Sent{Changes: removes}, s{"foo=1 -", "bar=1 engine", "baz=1 other"}, s{"foo=1 -", "baz=1 other"}, lost,
		},
		"another's key and a label of nobody's differ": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo=1 engine", "bar=9 other", "label:a=1 -"}, lost,
		},
		"admission undid it, and our name has come to own it": {
			judging.Sent{Changes: foo}, s{"foo=1 other", "bar=1 engine"}, s{"foo=1 engine", "bar=1 engine"}, unknown,
		},
		"admission undid it, and our name has come to own it, signed": {
			judging.Sent{Changes: foo, IsSigned: true}, s{"foo=1 other", "bar=1 engine"}, s{"foo=1 engine", "bar=1 engine"}, landed,
		},
		"admission undid it, which was ours, and set something else": {
			judging.Sent{Changes: foo}, s{"foo=1 engine"}, s{"foo=1 engine, later", "label:a=1 -"}, unknown,
		},
		"admission undid it, which was ours, and changed another's": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo=1 engine, later", "bar=9 other"}, unknown,
		},
		"admission undid it, signed": {
			judging.Sent{Changes: foo, IsSigned: true}, s{"foo=1 engine"}, s{"foo=1 engine, later", "label:a=1 -"}, landed,
		},
		"admission undid what came": {
			judging.Sent{Changes: adds}, s{"foo=1 other"}, s{"foo=1 other", "new engine"}, unknown,
		},
		"admission undid a removal": {
			judging.Sent{Changes: removes}, s{"foo=1 other", "bar=1 other"}, s{"foo=1 -", "bar=1 other", "label:a=1 -"}, unknown,
		},
		"admission undid a removal of what shall be gone": {
			judging.Sent{Changes: removes, GoneIsDone: true}, s{"foo=1 engine", "bar=1 other"}, s{"foo=1 -", "bar=1 other"}, unknown,
		},
		// 3. All of it is there, and ours.
		"just what it makes": {
			judging.Sent{Changes: foo}, s{"foo=1 other"}, s{"foo=2 engine, later"}, landed,
		},
		"just what it makes, of our own key within the second": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo=2 engine", "bar=1 other"}, landed,
		},
		"our own key within the second, and another one with it": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo=2 engine", "bar=9 other"}, unknown,
		},
		"our own key later, and another one with it": {
			judging.Sent{Changes: foo}, s{"foo=1 engine", "bar=1 other"}, s{"foo=2 engine, later", "bar=9 other"}, landed,
		},
		"a policy changed another's key along with our write within the second": {
			judging.Sent{Changes: adds}, s{"foo=1 other", "bar=1 engine"}, s{"new=2 engine", "foo=7 other", "bar=1 engine"}, landed,
		},
		"a policy changed another's key along with our write": {
			judging.Sent{Changes: adds}, s{"foo=1 other"}, s{"new=2 engine, later", "foo=7 other"}, landed,
		},
		"two keys": {
			judging.Sent{Changes: both}, s{"foo=1 other", "bar=1 engine"}, s{"foo=2 engine", "bar=2 engine"}, landed,
		},
		"two keys, of which one is among the many": {
			judging.Sent{Changes: both}, s{"foo=1 other", "bar=1 engine"}, s{"foo=2 engine, later", "bar=2 ancient-changes"}, unknown,
		},
		"one is set, and one is removed": {
			judging.Sent{Changes: replaces}, s{"foo=1 other", "bar=1 engine"}, s{"foo=2 engine, later"}, landed,
		},
		"one of two keys, within the second": {
			judging.Sent{Changes: both}, s{"foo=1 engine", "bar=1 engine"}, s{"foo=2 engine", "bar=1 engine"}, unknown,
		},
		"a label": {
			judging.Sent{Changes: label}, s{"label:a=1 other", "foo=1 other"}, s{"label:a=2 engine, later", "foo=1 other"}, landed,
		},
		"a label, of another's": {
			judging.Sent{Changes: label}, s{"label:a=1 other", "foo=1 other"}, s{"label:a=2 other", "foo=1 other"}, lost,
		},
		"managers that came among the many with our write": {
			judging.Sent{Changes: foo}, s{"foo=1 other", "bar=1 third"}, s{"foo=2 engine, later", "bar=1 ancient-changes, later"}, landed,
		},
		"the owner is among the many": {
			judging.Sent{Changes: foo}, s{"foo=1 other"}, s{"foo=2 ancient-changes, later"}, unknown,
		},
		"nobody is told": {
			judging.Sent{Changes: foo}, s{"foo=1 -"}, s{"foo=2 -"}, unknown,
		},
		"a value is put back, and nobody is told": {
			judging.Sent{Changes: foo, GoneIsDone: true}, s{"foo=1 -"}, s{"foo=2 -"}, unknown,
		},
		"what our name owns is not told": {
			judging.Sent{Changes: foo}, s{"foo=1 engine?"}, s{"foo=2 engine?, later"}, unknown,
		},
		"a removal of what shall be gone": {
			judging.Sent{Changes: removes, GoneIsDone: true}, s{"foo=1 other", "bar=1 other"}, s{"bar=1 other"}, landed,
		},
		"a removal of an empty value": {
			judging.Sent{Changes: empties, GoneIsDone: true}, s{"foo= other", "bar=1 other"}, s{"bar=1 other"}, landed,
		},
		"what is to go is something else, and nobody's": {
			judging.Sent{Changes: removes, GoneIsDone: true}, s{"foo=1 engine", "bar=1 other"}, s{"foo=9 -", "bar=1 other"}, unknown,
		},
		"a removal": {
			judging.Sent{Changes: removes}, s{"foo=1 engine", "bar=1 other"}, s{"bar=1 other"}, unknown,
		},
		"a removal, and another's key changed within the second": {
			judging.Sent{Changes: removes}, s{"foo=1 engine", "bar=1 other"}, s{"bar=9 other"}, unknown,
		},
		"a removal, and another came to own something": {
			judging.Sent{Changes: removes}, s{"foo=1 engine", "bar=1 other"}, s{"bar=1 other", "label:a=1 other"}, lost,
		},
		// 4. It is ours alone.
		"admission changed it": {
			judging.Sent{Changes: foo}, s{"foo=1 other"}, s{"foo=3 engine, later"}, unknown,
		},
		"admission changed it, signed": {
			judging.Sent{Changes: foo, IsSigned: true}, s{"foo=1 other"}, s{"foo=3 engine, later"}, landed,
		},
		"admission changed it, signed, within the second": {
			judging.Sent{Changes: foo, IsSigned: true}, s{"foo=1 other", "bar=1 engine"}, s{"foo=3 engine", "bar=1 engine"}, landed,
		},
		"admission changed it, signed, of our own key": {
			judging.Sent{Changes: foo, IsSigned: true}, s{"foo=1 engine"}, s{"foo=3 engine, later"}, landed,
		},
		"admission changed it, signed, of our own key within the second": {
			judging.Sent{Changes: foo, IsSigned: true}, s{"foo=1 engine"}, s{"foo=3 engine"}, unknown,
		},
		"signed, and an earlier one of the signature is in doubt": {
			judging.Sent{Changes: foo, IsSigned: true, Earlier: []judging.Doubt{{Manager: "engine", Changes: []judging.Change{{Key: "foo", From: one, To: three}}}}},
			s{"foo=1 other"},
			s{"foo=3 engine, later"},
			unknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.sent.Manager = "engine"
			next := state(test.next...)
			if test.next == nil {
				next.Object().UID = "another"
			}
			got, cause := test.sent.Tell(state(test.before...), next)
			if got != test.want || (cause != nil) != (got == unknown) {
				t.Errorf("%d (%v), want %d", got, cause, test.want)
			}
		})
	}
}

// Given a signed write of foo from 1 to 2, of which nothing tells which version came first after its base; then the object as it is now proves that it landed
// where foo is ours, and our name has written since or nothing else differs and nobody else shows.
func TestWhatProvesASignedWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, now []string
		want        bool
	}{
		"it is ours":                          {[]string{"foo=1 other", "bar=1 other"}, []string{"foo=2 engine", "bar=1 other"}, true},
		"it is ours, and another wrote since": {[]string{"foo=1 other", "bar=1 other"}, []string{"foo=2 engine", "bar=9 other, later"}, true},
		"it is all that differs":              {[]string{"foo=1 engine", "bar=1 other"}, []string{"foo=2 engine", "bar=1 other"}, true},
		"another shows":                       {[]string{"foo=1 engine", "bar=1 other"}, []string{"foo=2 engine", "bar=1 other, later"}, false},
		"something else differs":              {[]string{"foo=1 engine", "bar=1 other"}, []string{"foo=2 engine", "bar=9 other"}, false},
		"it is another's":                     {[]string{"foo=1 other"}, []string{"foo=2 other"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := judging.Sent{Manager: "engine", IsSigned: true, Changes: []judging.Change{{Key: "foo", From: judging.Text("1"), To: judging.Text("2")}}}
			if got := sent.IsProven(state(test.before...), state(test.now...)); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}

// Given a write of a key in an object that has none; then that the map came to be ours with it shows no other write.
func TestMapThatComesWithOurKeyIsOurs(t *testing.T) {
	t.Parallel()
	sent := judging.Sent{Manager: "engine", Changes: []judging.Change{{Key: "foo", To: judging.Text("1")}}}
	before := configMapAt(judging.Version{UID: "u"}, nil, manages("other", update, "", `{"f:metadata":{"f:labels":{"f:a":{}}}}`))
	next := configMapAt(judging.Version{UID: "u"}, map[string]string{"foo": "1"},
		manages("other", update, "", `{"f:metadata":{"f:labels":{"f:a":{}}}}`), manages("engine", update, "", `{"f:data":{".":{},"f:foo":{}}}`))
	if got, cause := sent.Tell(before, next); got != judging.HasLanded {
		t.Errorf("%d (%v), want that it has landed", got, cause)
	}
}

// Given a key of ours that we write again within the second; when the next version differs by what we write, and by something else that leaves no
// name; then it may be a twin's.
func TestWhatElseAVersionDiffersBy(t *testing.T) {
	t.Parallel()
	sent := judging.Sent{Manager: "engine", Changes: []judging.Change{{Key: "foo", From: judging.Text("1"), To: judging.Text("2")}}}
	for name, change := range map[string]func(*corev1.ConfigMap){
		"a finalizer":         func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/a"} },
		"it is being deleted": func(cm *corev1.ConfigMap) { cm.DeletionTimestamp = &metav1.Time{Time: time.Unix(2, 0)} },
	} {
		next := state("foo=2 engine", "bar=1 other")
		change(next.Object())
		if got, _ := sent.Tell(state("foo=1 engine", "bar=1 other"), next); got != judging.IsUnknown {
			t.Errorf("%s: %d, want that it is unknown", name, got)
		}
	}
}

// Given what managedFields were before a write of foo and are after it; then another has written where an entry of another than ours has a field
// that it had not, and what both have is told.
func TestWhoWroteByWhatIsGained(t *testing.T) {
	t.Parallel()
	type managers = []func(*corev1.ConfigMap)
	for name, test := range map[string]struct {
		before, after managers
		isAnothers    bool
	}{
		"ours":                              {nil, nil, false},
		"ours, by apply":                    {nil, managers{manages("engine", apply, "", ofFoo)}, true},
		"ours, through a subresource":       {nil, managers{manages("engine", update, "status", ofFoo)}, true},
		"another, new":                      {nil, managers{manages("other", update, "", ofFoo)}, true},
		"another, of one more":              {managers{manages("other", update, "", ofFoo)}, managers{manages("other", update, "", ofBoth)}, true},
		"another, of one less":              {managers{manages("other", update, "", ofBoth)}, managers{manages("other", update, "", ofBar)}, false},
		"another, by another operation":     {managers{manages("other", update, "", ofBar)}, managers{manages("other", apply, "", ofBar)}, true},
		"another, through a subresource":    {managers{manages("other", update, "", ofBar)}, managers{manages("other", update, "status", ofBar)}, true},
		"the many":                          {nil, managers{manages(ancient, update, "", ofBar)}, false},
		"another, of whom nothing is told":  {nil, managers{manages("other", update, "", "")}, false},
		"another, of whom nothing was told": {managers{manages("other", update, "", "")}, managers{manages("other", update, "", ofBar)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := judging.Sent{Manager: "engine", Changes: []judging.Change{{Key: "foo", From: judging.Text("1"), To: judging.Text("2")}}}
			at := func(foo string, managers managers) *judging.Observation {
				return configMapAt(judging.Version{UID: "u"}, map[string]string{"foo": foo}, managers...)
			}
			// foo is ours, and something else than it is set to, so that nothing but another's write is known.
			after := slices.Concat(test.after, managers{manages("engine", update, "", ofFoo)})
			if got, _ := sent.Tell(at("1", test.before), at("3", after)); (got == judging.HasNotLanded) != test.isAnothers {
				t.Errorf("%d, want that another wrote: %t", got, test.isAnothers)
			}
		})
	}
}

// Given a removal of what a plan saw, whose answer got lost, and whose base nobody here has read.
func TestWhatBecameOfALostRemovalOfWhatAPlanSaw(t *testing.T) {
	t.Parallel()
	one := judging.Text("1")
	sent := judging.Sent{Manager: "engine", GoneIsDone: true, Changes: []judging.Change{
		{Key: "foo", From: one}, {Key: "bar", From: one}, {Key: "any", From: judging.Anything()}, {Key: "name", From: judging.Text("caf\u00e9")}, {Key: "guard", From: one, To: one, IsGuard: true},
	}}
	for name, test := range map[string]struct {
		next []string
		want judging.Answer
	}{
		"all is gone":                     {[]string{"guard=1 other"}, judging.HasLanded},
		"all is gone, the guard too":      {nil, judging.HasLanded},
		"one is as it was":                {[]string{"foo=1 -"}, judging.HasNotLanded},
		"one is in another normal form":   {[]string{"name=cafe\u0301 -"}, judging.HasNotLanded},
		"one may be as it was":            {[]string{"any=1 -"}, judging.IsUnknown},
		"one is another's":                {[]string{"foo=9 other"}, judging.HasNotLanded},
		"one is another value, nobody's":  {[]string{"foo=9 -"}, judging.IsUnknown},
		"one is nobody's beside an owner": {[]string{"foo=9 -", "guard=1 other"}, judging.IsUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, cause := sent.TellUnread(state(test.next...)); got != test.want || (cause != nil) != (got == judging.IsUnknown) {
				t.Errorf("%d (%v), want %d", got, cause, test.want)
			}
		})
	}
}

// Given a swap of foo from 1 to 2 whose answer got lost, and an earlier one that may land yet; when foo is 2 in the first version after one that it
// is 1 in; then it is ours only where the earlier one cannot have made it: a merge patch only of its base, a JSON Patch of any version.
func TestEarlierWriteMayHaveMadeTheVersion(t *testing.T) {
	t.Parallel()
	one, two, three := judging.Text("1"), judging.Text("2"), judging.Text("3")
	at := func(version, foo, owner string) *judging.Observation {
		o := state("foo=" + foo + " " + owner)
		o.Object().ResourceVersion = version
		return o
	}
	v := func(version string) judging.Version { return judging.Version{UID: "u", ResourceVersion: version} }
	swap, toThree := []judging.Change{{Key: "foo", From: one, To: two}}, []judging.Change{{Key: "foo", From: one, To: three}}
	for name, test := range map[string]struct {
		earlier judging.Doubt
		before  string // the version
		want    judging.Answer
	}{
		"a merge patch on that base":              {judging.Doubt{Base: v("1"), Changes: swap}, "1", judging.IsUnknown},
		"a merge patch on another base":           {judging.Doubt{Base: v("0"), Changes: swap}, "1", judging.HasLanded},
		"a JSON Patch on that base":               {judging.Doubt{Base: v("1"), Changes: swap, ByKey: true}, "1", judging.IsUnknown},
		"a JSON Patch on another base":            {judging.Doubt{Base: v("0"), Changes: swap, ByKey: true}, "1", judging.IsUnknown},
		"a JSON Patch of foo from another value":  {judging.Doubt{Base: v("1"), Changes: []judging.Change{{Key: "foo", From: three, To: two}}, ByKey: true}, "1", judging.HasLanded},
		"a JSON Patch of foo to another value":    {judging.Doubt{Base: v("1"), Changes: toThree, ByKey: true}, "1", judging.IsUnknown}, // admission may have made it this one
		"a merge patch on that base, to another":  {judging.Doubt{Base: v("1"), Changes: toThree}, "1", judging.IsUnknown},
		"a merge patch under another name":        {judging.Doubt{Base: v("1"), Manager: "helm", Changes: toThree}, "1", judging.HasLanded},
		"a merge patch of another key":            {judging.Doubt{Base: v("1"), Changes: []judging.Change{{Key: "bar", To: two}}}, "1", judging.HasLanded},
		"a merge patch of it that compares a key": {judging.Doubt{Base: v("1"), Changes: append(swap, judging.Change{Key: "bar", IsGuard: true})}, "1", judging.IsUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.earlier.Manager = cmp.Or(test.earlier.Manager, "engine")
			sent := judging.Sent{Manager: "engine", Changes: swap, Earlier: []judging.Doubt{test.earlier}}
			if got, _ := sent.Tell(at(test.before, "1", "other"), at("9", "2", "engine, later")); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// Given a swap or a removal whose answer got lost, of a key that an earlier request in doubt changes as well, along with another key; when the first
// version after their base is just what that one makes, under the same name, which owned both keys; then it is not this one's. Where it is just what
// this one makes, it is.
func TestVersionIsNotOursThatIsJustWhatAnEarlierWriteMakes(t *testing.T) {
	t.Parallel()
	one, two := judging.Text("1"), judging.Text("2")
	foo, bar := judging.Change{Key: "foo", From: one, To: two}, judging.Change{Key: "bar", From: one, To: two}
	gone := judging.Change{Key: "foo", From: one}
	for name, test := range map[string]struct {
		sent judging.Change
		next []string
		want judging.Answer
	}{
		"a swap, and both changed":              {foo, []string{"foo=2 engine", "bar=2 engine"}, judging.HasNotLanded},
		"a swap, and it alone changed":          {foo, []string{"foo=2 engine", "bar=1 engine"}, judging.HasLanded},
		"a removal, and both changed":           {gone, []string{"bar=2 engine"}, judging.HasNotLanded},
		"a removal, and it alone changed":       {gone, []string{"bar=1 engine"}, judging.HasLanded},
		"a swap, and both changed and one more": {foo, []string{"foo=2 engine", "bar=2 engine", "baz=9 -"}, judging.IsUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := state("foo=1 engine", "bar=1 engine")
			earlier := judging.Doubt{Base: before.Version(), Manager: "engine", Changes: []judging.Change{test.sent, bar}}
			sent := judging.Sent{Manager: "engine", Changes: []judging.Change{test.sent}, GoneIsDone: true, Earlier: []judging.Doubt{earlier}}
			if got, _ := sent.Tell(before, state(test.next...)); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// managedWorld is what an API server keeps of one object: what its keys hold, and what managedFields tell.
type managedWorld struct {
	data   map[string]string
	owns   map[string]map[string]bool
	times  map[string]int
	second int
}

func (w *managedWorld) clone() *managedWorld {
	n := &managedWorld{maps.Clone(w.data), map[string]map[string]bool{}, maps.Clone(w.times), w.second}
	for manager, keys := range w.owns {
		n.owns[manager] = maps.Clone(keys)
	}
	return n
}

// write does what an Update of a manager does: who changes a key owns it, alone, and its time is set; a removal leaves nobody's name.
func (w *managedWorld) write(manager string, changes map[string]string) {
	took := map[string]bool{}
	for key, to := range changes {
		is, has := w.data[key]
		if has == (to != "") && is == to {
			continue
		}
		for _, keys := range w.owns {
			delete(keys, key)
		}
		if delete(w.data, key); to != "" {
			w.data[key], took[key] = to, true
		}
	}
	if len(took) > 0 {
		if w.owns[manager] == nil {
			w.owns[manager] = map[string]bool{}
		}
		maps.Copy(w.owns[manager], took)
		w.times[manager] = w.second
	}
	maps.DeleteFunc(w.owns, func(_ string, keys map[string]bool) bool { return len(keys) == 0 })
}

func (w *managedWorld) seen() *judging.Observation {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: "u", ResourceVersion: "1"}, Data: maps.Clone(w.data)}
	for _, manager := range slices.Sorted(maps.Keys(w.owns)) {
		fields := map[string]any{}
		for key := range w.owns[manager] {
			fields["f:"+key] = map[string]any{}
		}
		raw, _ := json.Marshal(map[string]any{"f:data": fields})
		cm.ManagedFields = append(cm.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: manager, Operation: update, APIVersion: "v1", Time: &metav1.Time{Time: time.Unix(int64(w.times[manager]), 0)},
			FieldsV1: metav1.NewFieldsV1(string(raw)),
		})
	}
	return judging.Observed(cm, time.Time{})
}

// FuzzEvidence has an object come about by writes of several managers, with admission that changes any key along with any write. Then somebody
// writes: we, an earlier write of ours in doubt, a twin of our name, or another, who may write just what we would. Of what is told of our write, these
// must never be false: that it landed, but where a twin made the same, or a policy set exactly our values along with a write that leaves no trace; and
// that it did not. And where ours shows, that it landed must be told.
func FuzzEvidence(f *testing.F) {
	judgingtest.Seeds(f, 6000)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := judgingtest.Choices(bytes)
		isSigned := c.Coin()
		w := &managedWorld{map[string]string{}, map[string]map[string]bool{}, map[string]int{}, 1}
		draw := func(w *managedWorld) map[string]string {
			changes := map[string]string{}
			for range 1 + c.Pick(2) {
				key := []string{"a", "b", "c"}[c.Pick(3)]
				changes[key] = []string{"", "1", "2", "3"}[c.Pick(4)]
			}
			maps.DeleteFunc(changes, func(key, to string) bool { return w.data[key] == to })
			return changes
		}
		admit := func(w *managedWorld) bool {
			if c.Pick(4) > 0 {
				return false
			}
			key := []string{"a", "b", "c"}[c.Pick(3)]
			if delete(w.data, key); c.Pick(4) > 0 {
				w.data[key] = strconv.Itoa(c.Pick(4))
			}
			return true
		}
		for range 1 + c.Pick(4) {
			w.write([]string{"engine", "foreign", "other"}[c.Pick(3)], draw(w))
			admit(w)
			w.second += c.Pick(2)
		}
		before, ours := w.seen(), draw(w)
		if len(ours) == 0 || len(before.Writers()) == 0 {
			return
		}
		changesOf := func(drawn map[string]string) (changes []judging.Change) {
			for key, to := range drawn {
				change := judging.Change{Key: key, From: before.Entry(key)}
				if to != "" {
					change.To = judging.Text(to)
				}
				changes = append(changes, change)
			}
			return changes
		}
		sent := judging.Sent{Manager: "engine", IsSigned: isSigned, GoneIsDone: c.Coin(), Changes: changesOf(ours)}
		onlyRemoves := !slices.ContainsFunc(sent.Changes, func(change judging.Change) bool { return !change.To.IsAbsent() })
		next, who, did := w.clone(), []string{"engine", "engine", "foreign", "new", "twin", "earlier"}[c.Pick(6)], ours
		isOurs, isEarliers := who == "engine", who == "earlier"
		earlier := draw(w)
		if hasEarlier := isEarliers || c.Pick(4) == 0; hasEarlier && len(earlier) > 0 { // it may land on the base, too
			sent.Earlier = []judging.Doubt{{Base: before.Version(), Manager: "engine", Changes: changesOf(earlier), ByKey: c.Coin()}}
		}
		switch {
		case isEarliers:
			who, did = "engine", earlier
		case who == "twin" && !isSigned:
			who, did = "engine", draw(w)
		case who == "twin" || isOurs || c.Pick(3) == 0:
		default:
			did = draw(w)
		}
		next.write(who, did)
		isAdmitted := admit(next)
		if !isOurs && c.Pick(3) == 0 { // a policy makes just what our write would have made, or something else of the same keys
			isAdmitted = true
			other := []string{"", "9"}[c.Pick(2)]
			for key, to := range ours {
				if delete(next.data, key); to != "" {
					next.data[key] = cmp.Or(other, to)
				}
			}
		}
		after := next.seen()
		if maps.Equal(next.data, w.data) && maps.Equal(next.times, w.times) {
			return // no version
		}
		isThere := !slices.ContainsFunc(sent.Changes, func(change judging.Change) bool { return after.Entry(change.Key) != change.To })
		isTouched := slices.ContainsFunc(sent.Changes, func(change judging.Change) bool { return after.Entry(change.Key) != change.From })
		isTwin := who == "engine" && !isOurs && !isEarliers
		leavesTrace := slices.ContainsFunc(slices.Collect(maps.Values(did)), func(to string) bool { return to != "" })
		isGone := onlyRemoves && sent.GoneIsDone && isThere // whoever removed it
		// What admission undid shows where we came to own it, or at a later time of ours that nothing else of ours is there for.
		isLater := next.times["engine"] > w.times["engine"]
		isShown, gains, ownsAll := isLater, false, true
		for key := range next.owns["engine"] {
			isShown = isShown && next.data[key] == w.data[key]
		}
		for key, to := range ours {
			gains = gains || next.owns["engine"][key] && !w.owns["engine"][key]
			ownsAll = ownsAll && (to == "" || next.owns["engine"][key])
		}
		alone := w.clone()
		alone.write("engine", ours)
		alike := w.clone()
		alike.write("engine", earlier)
		// Nothing tells ours from an earlier one in doubt, where admission makes of the one just what the other makes.
		isAlike := isAdmitted && len(sent.Earlier) > 0 && maps.Equal(alike.data, next.data)
		isAlike = isAlike || isAdmitted && isEarliers && maps.Equal(alone.data, next.data)
		isShown = isShown || isTouched || gains
		switch got, _ := sent.Tell(before, after); {
		case isOurs && got == judging.HasNotLanded && isShown && !isAlike:
			t.Errorf("%v then ours %v (admission %t): told that it did not land\n%+v\n%+v", w, ours, isAdmitted, before.Object(), after.Object())
		case !isOurs && got == judging.HasLanded && !isGone && !isTwin && (leavesTrace || !isAdmitted) && !isAlike:
			t.Errorf("%v then %s %v (admission %t): told as landed: ours is %v, after %v\n%+v\n%+v", w, who, did, isAdmitted, ours, sent.Earlier, before.Object(), after.Object())
		case isTwin && got == judging.HasLanded && !isGone && (!isThere || !ownsAll): // it may only make the same
			t.Errorf("%v then a twin's %v (admission %t): told as landed: ours is %v\n%+v\n%+v", w, did, isAdmitted, ours, before.Object(), after.Object())
		case isOurs && got != judging.HasLanded && len(sent.Earlier) == 0 && (isGone || isThere && !onlyRemoves && (gains || isLater || !isAdmitted)):
			t.Errorf("%v then ours %v (admission %t): %d\n%+v\n%+v", w, ours, isAdmitted, got, before.Object(), after.Object())
		case isOurs && got != judging.HasLanded && len(sent.Earlier) == 0 && isSigned && !onlyRemoves && isShown && (gains || isLater):
			t.Errorf("%v then ours %v, signed (admission %t): %d\n%+v\n%+v", w, ours, isAdmitted, got, before.Object(), after.Object())
		case !isOurs && !ownsAll && len(next.owns) > 0 && got != judging.HasNotLanded: // what we set would be ours, whatever admission makes of it
			t.Errorf("%v then %s %v (admission %t): %d, and ours is %v\n%+v\n%+v", w, who, did, isAdmitted, got, ours, before.Object(), after.Object())
		case isEarliers && got != judging.HasNotLanded && !isGone && !isAdmitted && !maps.Equal(alone.data, next.data):
			t.Errorf("%v then an earlier one's %v: %d, ours is %v\n%+v\n%+v", w, did, got, ours, before.Object(), after.Object())
		}
	})
}
