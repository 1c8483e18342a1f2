package judging

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
	metadata := map[string]any{"uid": base.UID, "resourceVersion": base.ResourceVersion}
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
		if isDirective(c.To.Field(c.Key).key) {
			kind = types.MergePatchType
		}
		if !c.From.IsAbsent() || c.To.IsAbsent() { // removing what is not there is harmless
			set(c.From.Field(c.Key), nil)
		}
		if !c.To.IsAbsent() {
			set(c.To.Field(c.Key), c.To.value())
		}
	}
	if owner != nil {
		metadata["managedFields"] = []*metav1.ManagedFieldsEntry{owner}
	}
	body, err := json.Marshal(patch)
	return Request{kind, body}, err
}

// isDirective reports whether a strategic merge patch would take the key for one of its directives.
func isDirective(key string) bool { return strings.HasPrefix(key, "$") }

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// JsonPatch is a JSON Patch (RFC 6902) that makes the changes only while each key holds what it is changed from, whatever
// became of the rest of the object. The API server runs the whole of it again on every retry of its own, so that it is
// atomic and other keys are no conflict. Values are compared as JSON that encoding/json wrote, as the API server does.
// Both maps that something is written to must exist in the object that was observed. (A key needs no escaping in a path: it has neither ~ nor /.)
func JsonPatch(of *Observation, changes []Change) (Request, error) {
	ops := []operation{{"test", "/metadata/deletionTimestamp", nil}}
	for _, c := range changes {
		from, fromValue := of.kind.location(c.Key, c.From)
		to, toValue := of.kind.location(c.Key, c.To)
		if c.IsGuard && from == "" {
			ops = append(ops, absence(of, c.Key)...)
			continue
		}
		if from == "" { // absent from both: the map that it goes into tells, and a key in both is refused
			ops = append(ops, operation{"test", to, nil}, operation{"add", to, toValue})
			continue
		}
		ops = append(ops, operation{"test", from, fromValue})
		if from != to {
			ops = append(ops, operation{"remove", from, nil})
		}
		if to != "" && !c.IsGuard {
			ops = append(ops, operation{"add", to, toValue})
		}
	}
	body, err := json.Marshal(ops)
	return Request{types.JSONPatchType, body}, err
}

// absence tests that a key is in no map. A path into a map that is not there fails, so that there the map itself is tested.
func absence(of *Observation, key string) (ops []operation) {
	sizes := map[string]int{"data": len(of.configMap.Data), "binaryData": len(of.configMap.BinaryData)}
	for _, in := range codecs[of.kind].maps {
		path := "/" + of.kind.wire(in)
		if sizes[in] > 0 {
			path += "/" + key
		}
		ops = append(ops, operation{"test", path, nil})
	}
	return ops
}
