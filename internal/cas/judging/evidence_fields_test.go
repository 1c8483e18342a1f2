package judging_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

// modelType is a kind with each sort of field that managedFields treat in a way of their own: scalars in structs, a map, a set, a list with merge keys
// and one inside it, an atomic list and an atomic map.
var modelType = func() typed.ParseableType {
	p, err := typed.NewParser(`types:
- name: model
  map:
    fields:
    - {name: metadata, type: {namedType: metadata}}
    - {name: spec, type: {namedType: spec}}
- name: metadata
  map:
    fields:
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: finalizers, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
- name: spec
  map:
    fields:
    - {name: cpu, type: {scalar: string}}
    - {name: template, type: {map: {fields: [{name: image, type: {scalar: string}}, {name: mode, type: {scalar: string}}]}}}
    - {name: containers, type: {list: {elementType: {namedType: container}, elementRelationship: associative, keys: [name]}}}
    - {name: args, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}
    - {name: selector, type: {map: {elementType: {scalar: string}, elementRelationship: atomic}}}
- name: container
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: image, type: {scalar: string}}
    - {name: policy, type: {scalar: string}}
    - {name: env, type: {list: {elementType: {namedType: variable}, elementRelationship: associative, keys: [name]}}}
- name: variable
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: value, type: {scalar: string}}
`)
	if err != nil {
		panic(err)
	}
	return p.Type("model")
}()

// modelFields are what may be written, and what to: JSON, and nothing for a removal.
var modelFields = []struct {
	path   string
	values []string
}{
	{"spec.cpu", []string{"", `"1"`, `"1000m"`, `"2"`}},
	{"spec.template.image", []string{"", `"1"`, `"2"`, `"3"`}},
	{"spec.template.mode", []string{"", `"1"`, `"2"`}},
	{"spec.template", []string{"", `{"image":"1"}`, `{"image":"2","mode":"1"}`}},
	{"metadata.labels.a", []string{"", `"1"`, `"2"`}},
	{"metadata.labels.b", []string{"", `"1"`, `"2"`}},
	{"metadata.finalizers[=a]", []string{"", `"a"`}},
	{"metadata.finalizers[=b]", []string{"", `"b"`}},
	{"spec.containers[name=a].image", []string{"", `"1"`, `"2"`, `"3"`}},
	{"spec.containers[name=a].policy", []string{"", `"Always"`, `"Never"`}},
	{"spec.containers[name=a]", []string{"", `{"name":"a","image":"1"}`, `{"name":"a","image":"2","env":[{"name":"x","value":"1"}]}`}},
	{"spec.containers[name=a].env[name=x]", []string{"", `{"name":"x","value":"1"}`, `{"name":"x","value":"2"}`}},
	{"spec.containers[name=a].env[name=x].value", []string{"", `"1"`, `"2"`}},
	{"spec.containers[name=b]", []string{"", `{"name":"b","image":"1"}`, `{"name":"b","image":"2"}`}},
	{"spec.containers[image=2].policy", []string{"", `"Always"`, `"Never"`}},
	{"spec.args", []string{"", `["a"]`, `["a","b"]`}},
	{"spec.args[=b]", []string{"", `"b"`}},
	{"spec.selector.a", []string{"", `"1"`, `"2"`}},
	{"spec.selector", []string{"", `{"a":"1"}`, `{"a":"2","b":"1"}`}},
}

// fieldsWorld is what an API server keeps of one object of a kind. What becomes of managedFields, the library says that API servers have.
type fieldsWorld struct {
	fields []int // of modelFields, that are written
	object map[string]any
	owns   fieldpath.ManagedFields // by the manager and its version
	times  map[string]int
	second int
}

func (w *fieldsWorld) clone() *fieldsWorld {
	return &fieldsWorld{w.fields, w.object, w.owns.Copy(), maps.Clone(w.times), w.second}
}

// oneVersion is a kind that is the same in all versions of its API.
type oneVersion struct{}

func (oneVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}
func (oneVersion) IsMissingVersionError(error) bool { return false }

// write does what an Update of a manager does. It reports whether that leaves the manager's name: an Update that sets something, as of now.
func (w *fieldsWorld) write(t *testing.T, manager string, to map[string]any) (leavesTrace bool) {
	t.Helper()
	const self = "current-operation" // as in managedfields of k8s.io/apimachinery
	to = defaulted(to)
	of := func(object map[string]any) *typed.TypedValue {
		o, err := modelType.FromUnstructured(object)
		if err != nil {
			t.Fatalf("%v: %v", object, err)
		}
		return o
	}
	version := fieldpath.APIVersion("acme.io/v1")
	if _, in, isOther := strings.Cut(manager, " "); isOther {
		version = fieldpath.APIVersion("acme.io/" + in)
	}
	_, owns, err := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater().Update(of(w.object), of(to), version, w.owns.Copy(), self)
	if err != nil {
		t.Fatal(err)
	}
	if took, takes := owns[self]; takes {
		delete(owns, self)
		if had, has := owns[manager]; has {
			took = fieldpath.NewVersionedSet(took.Set().Union(had.Set()), version, false)
		}
		owns[manager], w.times[manager], leavesTrace = took, w.second, true
	}
	w.object, w.owns = to, owns
	return leavesTrace
}

// defaulted is an object as it is stored: a quantity has one form, and a container a policy.
func defaulted(object map[string]any) map[string]any {
	object = decodedJSON(encodedJSON(object))
	spec, _ := object["spec"].(map[string]any)
	if spec["cpu"] == "1000m" {
		spec["cpu"] = "1"
	}
	containers, _ := spec["containers"].([]any)
	for _, each := range containers {
		if c, _ := each.(map[string]any); c["policy"] == nil {
			c["policy"] = "Always"
		}
	}
	return object
}

func encodedJSON(v any) []byte {
	raw, _ := json.Marshal(v)
	return raw
}

func decodedJSON(raw []byte) map[string]any {
	var v map[string]any
	_ = json.Unmarshal(raw, &v)
	return v
}

var modelKind = judging.KindOf("acme.io", "Model")

func (w *fieldsWorld) seen(t *testing.T) *judging.Observation {
	t.Helper()
	var managed []map[string]any
	for _, manager := range slices.Sorted(maps.Keys(w.owns)) {
		raw, err := w.owns[manager].Set().ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(manager, " ")
		managed = append(managed, map[string]any{
			"manager": name, "operation": "Update", "apiVersion": w.owns[manager].APIVersion(), "fieldsType": "FieldsV1", "fieldsV1": json.RawMessage(raw),
			"time": time.Unix(int64(w.times[manager]), 0).UTC().Format(time.RFC3339),
		})
	}
	object := decodedJSON(encodedJSON(w.object))
	metadata, isMap := object["metadata"].(map[string]any)
	if !isMap {
		metadata = map[string]any{}
	}
	metadata["uid"], metadata["resourceVersion"], metadata["managedFields"] = "u", "1", managed
	object["metadata"] = metadata
	o, err := judging.ObservedFields(modelKind, "acme.io/v1", encodedJSON(object), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// draw is a write of one or two fields; nothing where a few that were drawn would make no difference, or cannot be made.
func (w *fieldsWorld) draw(t *testing.T, c *judgingtest.Choices) []judging.Change {
	t.Helper()
	for o := w.seen(t); c.More(); {
		if changes := w.drawOn(t, o, c); len(changes) > 0 {
			return changes
		}
	}
	return nil
}

func (w *fieldsWorld) drawOn(t *testing.T, o *judging.Observation, c *judgingtest.Choices) []judging.Change {
	t.Helper()
	txn := &judging.Txn{Ref: judging.Ref{Kind: modelKind, Name: "x"}, APIVersion: "acme.io/v1", FieldManager: "engine"}
	for range 1 + c.Pick(2) {
		f := modelFields[w.fields[c.Pick(len(w.fields))]]
		key, err := judging.FieldKey(modelKind, f.path, fieldpaths.Writing)
		if err != nil {
			t.Fatal(err)
		}
		k := judging.KeySwap{Key: key, New: entryOf(t, f.values[c.Pick(len(f.values))])}
		isApart := !slices.ContainsFunc(txn.Keys, func(other judging.KeySwap) bool { return judging.Overlap(key, other.Key) })
		if k.Expect, err = o.Field(key); err == nil && isApart {
			txn.Keys = append(txn.Keys, k)
		}
	}
	if j := judging.Judge(txn, o, told{}); j.Decision == judging.DecideWrite {
		return j.Changes
	}
	return nil
}

// judged is changes of another base that can be made of this one; nothing where not all can.
func (w *fieldsWorld) judged(t *testing.T, changes []judging.Change) []judging.Change {
	t.Helper()
	txn := &judging.Txn{Ref: judging.Ref{Kind: modelKind, Name: "x"}, APIVersion: "acme.io/v1", FieldManager: "policy"}
	for _, c := range changes {
		txn.Keys = append(txn.Keys, judging.KeySwap{Key: c.Key, Expect: judging.Anything(), New: c.To})
	}
	if j := judging.Judge(txn, w.seen(t), told{}); j.Decision == judging.DecideWrite {
		return j.Changes
	}
	return nil
}

// with is the object as changes make it.
func (w *fieldsWorld) with(t *testing.T, changes []judging.Change) map[string]any {
	t.Helper()
	patch, err := judging.FieldsPatch(w.seen(t), changes, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.patched(patch.Body)
}

// patched is the object after a merge patch, which does not change who it is.
func (w *fieldsWorld) patched(patch []byte) map[string]any {
	object, _ := merged(decodedJSON(encodedJSON(w.object)), decodedJSON(patch)).(map[string]any)
	if metadata, isMap := object["metadata"].(map[string]any); isMap {
		delete(metadata, "uid")
		delete(metadata, "resourceVersion")
		if len(metadata) == 0 {
			delete(object, "metadata")
		}
	}
	return object
}

// merged is RFC 7386.
func merged(v, patch any) any {
	members, isMap := patch.(map[string]any)
	if !isMap {
		return patch
	}
	in, wasMap := v.(map[string]any)
	if !wasMap {
		in = map[string]any{}
	}
	for name, member := range members {
		if member == nil {
			delete(in, name)
		} else {
			in[name] = merged(in[name], member)
		}
	}
	return in
}

// admit has a policy change something of what is to be stored, of which managedFields tell nothing. It is what it changed; nothing for nothing.
func (w *fieldsWorld) admit(t *testing.T, c *judgingtest.Choices) (policy []judging.Change) {
	t.Helper()
	if c.Pick(4) == 0 {
		policy = w.draw(t, c)
		w.object = defaulted(w.with(t, policy))
	}
	return policy
}

// owned is what a manager owns.
func (w *fieldsWorld) owned(manager string) *fieldpath.Set {
	if owned, has := w.owns[manager]; has {
		return owned.Set()
	}
	return &fieldpath.Set{}
}

// gained is what a manager came to own since before.
func (w *fieldsWorld) gained(before *fieldsWorld, manager string) *fieldpath.Set {
	return w.owned(manager).Difference(before.owned(manager))
}

// keeps reports whether a manager owns what our write would have gained where that came alone. Three things that it may own tell nothing.
func (w *fieldsWorld) keeps(before, alone *fieldsWorld, who string, ours []judging.Change) (keeps bool) {
	_, isTold := w.owns[who]
	if !isTold || strings.Contains(who, " ") { // what a manager of another version owns may be named otherwise
		return false
	}
	alone.gained(before, "engine").Leaves().Iterate(func(p fieldpath.Path) {
		if !w.owned(who).Leaves().Has(p) {
			return
		}
		switch in, _ := alone.object["spec"].(map[string]any); p.String() {
		case ".spec.cpu": // in what form "1000m" is stored, a dry run alone tells, where admission may have made it of anything
			keeps = keeps || !slices.ContainsFunc(ours, func(c judging.Change) bool { return c.To == judging.Text("1000m") })
		case ".spec.args", ".spec.selector": // managedFields do not tell what is owned as a whole from what a policy filled, of which something only goes
			was, _ := before.object["spec"].(map[string]any)
			name, _ := strings.CutPrefix(p.String(), ".spec.")
			keeps = keeps || isMore(was[name], in[name])
		default:
			keeps = true
		}
	})
	return keeps
}

// isMore reports whether a list or a map of texts has something that another has not.
func isMore(was, is any) bool {
	all := func(v any) (members []string) {
		list, _ := v.([]any)
		for _, element := range list {
			members = append(members, string(encodedJSON(element)))
		}
		fields, _ := v.(map[string]any)
		for name, member := range fields {
			members = append(members, name+string(encodedJSON(member)))
		}
		return members
	}
	return slices.ContainsFunc(all(is), func(member string) bool { return !slices.Contains(all(was), member) })
}

// FuzzEvidenceOfFields is FuzzEvidence of fields: of lists with merge keys, sets, maps and what is atomic, with values that are stored in another form,
// with defaults, with managers that wrote in another version, and with writes of which no account is kept.
func FuzzEvidenceOfFields(f *testing.F) {
	judgingtest.Seeds(f, 1000)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := judgingtest.Choices(bytes)
		isSigned, removesForAll := c.Coin(), c.Coin()
		w := &fieldsWorld{nil, map[string]any{}, fieldpath.ManagedFields{}, map[string]int{}, 1}
		for range 4 {
			w.fields = append(w.fields, c.Pick(len(modelFields)))
		}
		for range 2 + c.Pick(4) {
			who := []string{"engine", "foreign", "other", "other v2", "engine v2"}[c.Pick(5)]
			if isSigned && who == "engine v2" {
				who = "other v2"
			}
			w.write(t, who, w.with(t, w.draw(t, &c)))
			w.admit(t, &c)
			w.second += c.Pick(2)
		}
		before, ours := w.seen(t), w.draw(t, &c)
		if len(ours) == 0 || len(w.owns) == 0 {
			return
		}
		sent := judging.Sent{Manager: "engine", IsSigned: isSigned, GoneIsDone: removesForAll, Changes: ours, Base: before}
		next, who, did := w.clone(), []string{"engine", "engine", "foreign", "other", "other v2", "new", "twin"}[c.Pick(7)], ours
		isOurs := who == "engine"
		switch {
		case who == "twin" && !isSigned:
			who, did = "engine", w.draw(t, &c)
			if c.Coin() { // the same, and more
				did = slices.Concat(ours, slices.DeleteFunc(did, func(more judging.Change) bool {
					return slices.ContainsFunc(ours, func(change judging.Change) bool { return judging.Overlap(more.Key, change.Key) })
				}))
			}
		case who == "twin" || isOurs || c.Pick(3) == 0:
		default:
			did = w.draw(t, &c)
		}
		leavesTrace := next.write(t, who, next.with(t, did))
		if c.Pick(8) == 0 { // it cannot make managedFields, and keeps those of before
			leavesTrace, next.owns, next.times = false, w.owns.Copy(), maps.Clone(w.times)
		}
		isAccounted := spokenOwners(next) != spokenOwners(w) // else another may have written as well, of whom no account is kept
		policy := next.admit(t, &c)
		if !isOurs && c.Pick(4) == 0 {
			more := next.judged(t, ours) // it makes just what our write would have made
			next.object = defaulted(next.with(t, more))
			policy = append(policy, more...)
		}
		isAdmitted := len(policy) > 0
		if reflect.DeepEqual(next.object, w.object) && maps.Equal(next.times, w.times) {
			return // no version
		}
		after := next.seen(t)

		// As package cas asks: where nothing is known, and no other manager shows, a dry run tells the normal form.
		got, cause := sent.Tell(before, after)
		isDryAdmitted, isAnswered := false, true
		if got != judging.HasLanded && !sent.HasAnother(before, after) {
			later := next.clone()
			if c.Pick(3) == 0 {
				later.write(t, "late", later.with(t, later.draw(t, &c)))
			}
			request, err := judging.LikeBase(later.seen(t), before, ours)
			if err != nil {
				t.Fatal(err)
			}
			later.write(t, "engine", later.patched(request.Body))
			if !isOurs || c.Pick(4) == 0 {
				policy = later.admit(t, &c)
			}
			isDryAdmitted = len(policy) > 0
			later.object = defaulted(later.with(t, policy)) // else a policy does the same for a dry run
			if isAnswered = c.Pick(8) > 0; isAnswered {
				sent.Normal = later.seen(t)
			}
			got, cause = sent.Tell(before, after)
		}

		alone := w.clone()
		alone.write(t, "engine", alone.with(t, ours))
		stored := alone.seen(t) // what our write makes, without admission
		onlyRemoves := !slices.ContainsFunc(ours, func(change judging.Change) bool {
			return stored.Entry(change.Key) != change.From && !stored.Entry(change.Key).IsAbsent()
		})
		isThere := !slices.ContainsFunc(ours, func(change judging.Change) bool {
			return after.Entry(change.Key) != change.To && after.Entry(change.Key) != stored.Entry(change.Key)
		})
		isMade := !slices.ContainsFunc(ours, func(change judging.Change) bool {
			return change.Writes() && after.Entry(change.Key) != change.To && after.Entry(change.Key) != stored.Entry(change.Key)
		})
		isTouched := slices.ContainsFunc(ours, func(change judging.Change) bool { // a field whose stored form stays counts for nothing
			return stored.Entry(change.Key) != change.From && after.Entry(change.Key) != change.From
		})
		isTold := sent.Normal != nil && !slices.ContainsFunc(ours, func(change judging.Change) bool { // admission left our fields alone in the dry run
			return sent.Normal.Entry(change.Key) != stored.Entry(change.Key)
		})
		isTwin := who == "engine" && !isOurs
		isAllGone := !slices.ContainsFunc(ours, func(change judging.Change) bool {
			return change.Writes() && !change.To.IsAbsent() || !after.Entry(change.Key).IsAbsent()
		})
		isGone := removesForAll && (onlyRemoves && isThere || isAllGone) // whoever removed it; a removal that a default follows changes what is there, and does no more
		gains := !next.gained(w, who).Empty() || next.times[who] > w.times[who]
		// That ours came to own what it would where nobody else did anything shows it, whatever admission made of that.
		isShown := !next.gained(w, "engine").Leaves().Intersection(alone.gained(w, "engine").Leaves()).Empty()
		// A twin does more where he came to own what ours would not.
		doesMore := !next.gained(w, "engine").Leaves().Difference(alone.gained(w, "engine").Leaves()).Empty()
		about := func() string {
			return strings.Join([]string{
				"before: " + string(encodedJSON(w.object)), "ours: " + spoken(ours), who + ": " + spoken(did), "after: " + string(encodedJSON(next.object)),
				spokenOwners(w), spokenOwners(next),
			}, "\n")
		}
		switch {
		case isOurs && got == judging.HasNotLanded && (isTouched || isShown):
			t.Errorf("told that it did not land (admission %t)\n%s", isAdmitted, about())
		case !isOurs && got == judging.HasLanded && !isGone && !isTwin && (leavesTrace || !isAdmitted):
			t.Errorf("told as landed (admission %t, signed %t)\n%s", isAdmitted, isSigned, about())
		case isTwin && got == judging.HasLanded && !isGone && !isMade && !isDryAdmitted: // it may only make the same
			t.Errorf("a twin's, told as landed (admission %t)\n%s", isAdmitted, about())
		case isTwin && got == judging.HasLanded && !isGone && doesMore && !isAdmitted && !isDryAdmitted:
			t.Errorf("a twin's, which does more, told as landed\n%s", about())
		case isOurs && !isAdmitted && !isDryAdmitted && got != judging.HasLanded && sent.Normal != nil && leavesTrace && isAccounted && !onlyRemoves:
			t.Errorf("ours, without admission: %d, %v\n%s", got, cause, about())
		case isOurs && got != judging.HasLanded && isMade && isTold && leavesTrace && !onlyRemoves && (isShown || next.times["engine"] > w.times["engine"]):
			t.Errorf("ours, which shows (admission %t): %d, %v\n%s", isAdmitted, got, cause, about())
		case isOurs && got != judging.HasLanded && removesForAll && onlyRemoves && isAllGone:
			t.Errorf("ours, and all is gone (admission %t): %d, %v\n%s", isAdmitted, got, cause, about())
		case who != "engine" && gains && got != judging.HasNotLanded && !isGone:
			t.Errorf("another's, which shows (admission %t): %d, %v\n%s", isAdmitted, got, cause, about())
		// In what form a write is stored only a dry run tells, and only where admission does as for the write.
		case who != "engine" && leavesTrace && isAccounted && isAnswered && !isDryAdmitted && next.keeps(w, alone, who, ours) && got != judging.HasNotLanded && !isGone:
			t.Errorf("another's, which keeps what ours would own (admission %t): %d, %v\n%s", isAdmitted, got, cause, about())
		}
	})
}

func spoken(changes []judging.Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Key+": "+string(encodedJSON(c.From))+" -> "+string(encodedJSON(c.To)))
	}
	return strings.Join(all, ", ")
}

func spokenOwners(w *fieldsWorld) string {
	var all []string
	for _, manager := range slices.Sorted(maps.Keys(w.owns)) {
		all = append(all, manager+"@"+string(rune('0'+w.times[manager]))+": "+w.owns[manager].Set().String())
	}
	return strings.Join(all, "; ")
}
