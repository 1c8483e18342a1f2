package judging

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Request is the body of a patch, of one of the two kinds in which a batch can be written.
type Request struct {
	Kind types.PatchType
	Body []byte
}

// MergePatch is a merge patch that makes the changes only while the object is at base: the API server refuses another
// resourceVersion with 409 and another uid with 409 or 422. A key that moves between the two maps does so in the one
// request. It reads the same as a JSON merge patch (RFC 7386) and as a strategic one, and is sent as the latter, for which the
// API server need not write out and parse the whole object: at 900 KiB that takes it a quarter of the time. Only a key that
// would be a directive there, and that no ConfigMap may have, is left to RFC 7386, and so to validation. owner is what managedFields are to
// begin with, where the object has none.
func MergePatch(of Kind, base Version, changes []Change, owner *metav1.ManagedFieldsEntry) (Request, error) {
	kind := types.StrategicMergePatchType
	metadata := map[string]any{}
	patch := map[string]any{"metadata": metadata}
	set := func(f Field, to any) {
		above, name := patch, of.wire(f.in)
		switch f.in {
		case "immutable":
			if patch[name] = to; to != nil {
				patch[name] = to == "true"
			}
			return
		case "labels", "annotations":
			above = metadata
		}
		in, isIn := above[name].(map[string]any)
		if !isIn {
			in = map[string]any{}
			above[name] = in
		}
		in[f.key] = to
	}
	for _, c := range changes {
		if c.IsGuard {
			continue // the version stands for it
		}
		if strings.HasPrefix(c.To.Field(c.Key).key, "$") { // a strategic one would take it for one of its directives
			kind = types.MergePatchType
		}
		if !c.From.IsAbsent() || c.To.IsAbsent() { // removing what is not there is harmless
			set(c.From.Field(c.Key), nil)
		}
		if !c.To.IsAbsent() {
			set(c.To.Field(c.Key), c.To.value())
		}
	}
	return conditional(kind, patch, base, owner)
}

// FieldsPatch is MergePatch of fields of what was observed: the difference between it and what the changes make of it. Lists are in it as a whole.
func FieldsPatch(base *Observation, changes []Change, owner *metav1.ManagedFieldsEntry) (Request, error) {
	return conditional(types.MergePatchType, difference(base.fields, base.with(changes)), base.Version(), owner)
}

// conditional has a patch land while the object is at base alone.
func conditional(kind types.PatchType, patch map[string]any, base Version, owner *metav1.ManagedFieldsEntry) (Request, error) {
	metadata, isMap := patch["metadata"].(map[string]any)
	if !isMap {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata["uid"] = base.UID
	metadata["resourceVersion"] = base.ResourceVersion
	if owner != nil {
		metadata["managedFields"] = []*metav1.ManagedFieldsEntry{owner}
	}
	body, err := json.Marshal(patch)
	return Request{kind, body}, err
}

// LikeBase is a merge patch that makes of now what changes make of their base, whatever became of that since, but not of its status and of who
// it is. As a dry run it tells in what form the API server stores what the changes set.
func LikeBase(now, base *Observation, changes []Change) (Request, error) {
	body, err := json.Marshal(difference(written(now.fields), written(base.with(changes))))
	return Request{types.MergePatchType, body}, err
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// maxOperations is how many a JSON Patch may have.
const maxOperations = 10_000

// JSONPatch is a JSON Patch (RFC 6902) that makes the changes only while each key holds what it is changed from, whatever
// became of the rest of the object. The API server runs the whole of it again on every retry of its own, so that it is
// atomic and other keys are no conflict. Values are compared as JSON that encoding/json wrote, as the API server does. It is false where the changes
// cannot be made so.
func JSONPatch(of *Observation, changes []Change) (Request, bool) {
	operations := of.operationsOnEntries
	if of.fields != nil {
		operations = of.operationsOnFields
	}
	ops, can := operations(changes)
	ops = append([]operation{{"test", "/metadata/deletionTimestamp", nil}}, ops...)
	body, err := json.Marshal(ops)
	return Request{types.JSONPatchType, body}, can && err == nil && len(ops) <= maxOperations
}

// operationsOnFields test each field to hold what it is changed from, and each element on its way to be what it was: another that is selected by the
// same may stand there by now.
func (o *Observation) operationsOnFields(changes []Change) (tests []operation, can bool) {
	var sets, removals []operation
	for _, c := range changes {
		path, isField := FieldPath(c.Key)
		if !isField {
			return nil, false
		}
		p := parsed(path)
		at, err := find(o.fields, p)
		if err != nil {
			return nil, false
		}
		tests = append(tests, selecting(o.fields, p[:at.missing], at.tokens)...)
		pointer := pointerTo(at.tokens)
		if at.missing == len(p) {
			tests = append(tests, operation{"test", pointer, at.value})
			switch {
			case !c.Writes():
			case c.To.IsAbsent():
				removals = append(removals, operation{"remove", pointer, nil})
			default:
				sets = append(sets, operation{"replace", pointer, c.To.fieldValue()})
			}
			continue
		}
		name := p[at.missing].FieldName
		if name == nil { // of an element: that none is there, the list as a whole tells
			above, _ := find(o.fields, p[:at.missing]) // which was found above
			tests = append(tests, operation{"test", pointer, above.value})
			if c.Writes() {
				sets = append(sets, operation{"add", pointer + "/-", put(nil, p[at.missing+1:], c.To)})
			}
			continue
		}
		place := pointerTo(append(slices.Clone(at.tokens), *name))
		tests = append(tests, operation{"test", place, nil})
		if !c.Writes() {
			continue
		}
		i := slices.IndexFunc(sets, func(set operation) bool { return set.Path == place }) // another that makes the same map
		if i < 0 {
			i, sets = len(sets), append(sets, operation{"add", place, nil})
		}
		sets[i].Value = put(sets[i].Value, p[at.missing+1:], c.To)
	}
	slices.SortStableFunc(removals, func(a, b operation) int { // so that none moves another one that is still to be removed
		of, other := strings.Split(a.Path, "/"), strings.Split(b.Path, "/")
		last, _ := strconv.Atoi(of[len(of)-1])
		otherLast, _ := strconv.Atoi(other[len(other)-1])
		return cmp.Or(cmp.Compare(len(other), len(of)), cmp.Compare(otherLast, last))
	})
	isTested := map[string]bool{}
	tests = slices.DeleteFunc(tests, func(test operation) bool {
		again := isTested[test.Path]
		isTested[test.Path] = true
		return again
	})
	return slices.Concat(tests, sets, removals), true
}

// selecting tests that what a path selects in lists still stands where it was found.
func selecting(object map[string]any, p fieldpath.Path, tokens []string) (tests []operation) {
	for i, e := range p {
		if e.FieldName == nil {
			at, _ := find(object, p[:i+1]) // which was found before
			tests = append(tests, operation{"test", pointerTo(tokens[:i+1]), at.value})
		}
	}
	return tests
}

var escapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointerTo(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteString("/" + escapes.Replace(token))
	}
	return b.String()
}

// operationsOnEntries are those of entries alone. The map that one is written to must be there. (A key needs no escaping in a path: it has neither ~ nor /.)
func (o *Observation) operationsOnEntries(changes []Change) (ops []operation, can bool) {
	sizes := map[string]int{"data": len(o.configMap.Data), "binaryData": len(o.configMap.BinaryData)}
	for _, c := range changes {
		from, fromValue := o.kind.location(c.Key, c.From)
		to, toValue := o.kind.location(c.Key, c.To)
		switch {
		case IsMeta(c.Key):
			return nil, false
		case c.IsGuard && from == "": // it is in no map; a path into a map that is not there fails, so that there the map itself is tested
			for _, in := range o.kind.maps() {
				path := "/" + o.kind.wire(in)
				if sizes[in] > 0 {
					path += "/" + c.Key
				}
				ops = append(ops, operation{"test", path, nil})
			}
		case c.IsGuard:
			ops = append(ops, operation{"test", from, fromValue})
		case from == "" && to == "", to != "" && sizes[c.To.Field(c.Key).in] == 0:
			return nil, false
		case from == "": // absent from both: the map that it goes into tells, and a key in both is refused
			ops = append(ops, operation{"test", to, nil}, operation{"add", to, toValue})
		default:
			if ops = append(ops, operation{"test", from, fromValue}); from != to {
				ops = append(ops, operation{"remove", from, nil})
			}
			if to != "" {
				ops = append(ops, operation{"add", to, toValue})
			}
		}
	}
	return ops, true
}
