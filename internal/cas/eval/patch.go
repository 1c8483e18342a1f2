package eval

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Request is the body of a patch, and its type.
type Request struct {
	Kind types.PatchType
	Body []byte
}

// Patch returns a merge patch that makes the changes while the object is at base. It returns an error if a document
// cannot be changed, or would make the object too large. The API server refuses another
// resourceVersion with 409, and another uid with 409 or 422. owner, if not nil, is the entry that managedFields
// begin with.
func Patch(base *Snapshot, changes []Change, owner *metav1.ManagedFieldsEntry) (Request, error) {
	changes, err := base.Texts(changes)
	if err != nil {
		return Request{}, err
	}
	patch := difference(base.object, base.apply(changes))
	kind := types.MergePatchType
	if base.kind.HasEntries() && isStrategic(patch) {
		kind = types.StrategicMergePatchType
	}
	metadata, isMap := patch["metadata"].(map[string]any)
	if !isMap {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata["uid"] = base.Version().UID
	metadata["resourceVersion"] = base.Version().ResourceVersion
	if owner != nil {
		metadata["managedFields"] = []*metav1.ManagedFieldsEntry{owner}
	}
	body, err := json.Marshal(patch)
	return Request{kind, body}, err
}

// isStrategic reports whether a patch of a ConfigMap or a Secret means the same as a JSON merge patch (RFC 7386) and as
// a strategic one. A patch is sent as a strategic one where possible, because the API server does not encode the
// whole object as JSON for it: at 900 KiB that takes a quarter of the time. A strategic patch merges lists, and names
// that begin with "$" are directives in it. No ConfigMap may have such a key, and validation refuses it in a JSON
// merge patch.
func isStrategic(patch map[string]any) bool {
	for name, v := range patch {
		_, isList := v.([]any)
		inner, _ := v.(map[string]any)
		if isList || strings.HasPrefix(name, "$") || !isStrategic(inner) {
			return false
		}
	}
	return true
}
