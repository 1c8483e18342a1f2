package eval_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// object is a version of an object of any kind: what it holds, and who owns what of it, as managedFields have it.
type object struct {
	spec    string
	managed []string // `manager {"f:spec":…}`; with a "!" behind the manager, its time is a later one, and with a "~" it is of another version
}

func (o object) observed(t *testing.T) *eval.Snapshot {
	t.Helper()
	var spec any
	if err := json.Unmarshal([]byte(o.spec), &spec); err != nil {
		t.Fatal(err)
	}
	managed := []map[string]any{}
	for _, each := range o.managed {
		var name, owned string
		if _, err := fmt.Sscanf(each, "%s %s", &name, &owned); err != nil {
			t.Fatal(err)
		}
		entry := map[string]any{"operation": "Update", "apiVersion": "apps/v1", "time": "2025-01-01T00:00:01Z", "fieldsType": "FieldsV1", "fieldsV1": json.RawMessage(owned)}
		for _, mark := range name {
			switch mark {
			case '!':
				entry["time"] = "2025-01-01T00:00:02Z"
			case '~':
				entry["apiVersion"] = "apps/v2"
			}
		}
		for len(name) > 0 && (name[len(name)-1] == '!' || name[len(name)-1] == '~') {
			name = name[:len(name)-1]
		}
		entry["manager"] = name
		managed = append(managed, entry)
	}
	raw, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": "u", "resourceVersion": "1", "managedFields": managed}, "spec": spec})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := eval.DecodeSnapshot(eval.KindOf("apps", "Deployment"), "apps/v1", raw, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func fieldKey(t *testing.T, path string) string {
	t.Helper()
	key, err := eval.ReadKey(eval.KindOf("apps", "Deployment"), path)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func entryOf(t *testing.T, raw string) eval.Value {
	t.Helper()
	if raw == "" {
		return eval.Value{}
	}
	e, err := eval.JSON([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Given managedFields; then a field has the owners of its parts, or of the map or list that contains the field. A missing field has no owners.
func TestOwnersOfAField(t *testing.T) {
	t.Parallel()
	o := object{
		`{"n":1,"map":{"a":"1"},"list":[{"id":1,"name":"x","v":1},{"id":2,"v":2}],"free":1}`,
		[]string{
			`one {"f:spec":{"f:n":{},"f:list":{"k:{\"id\":1}":{".":{},"f:id":{},"f:v":{}}}}}`, `two {"f:spec":{"f:map":{}}}`,
			`three {"f:spec":{"f:list":{"k:{\"id\":1}":{"f:v":{}},"k:{\"id\":2}":{".":{},"f:id":{},"f:v":{}}}}}`,
		},
	}.observed(t)
	for path, want := range map[string]string{
		"spec.n": "[one]", "spec.map.a": "[two]", "spec.map": "[two]", "spec.list[name=x].v": "[one three]", "spec.list[id=2]": "[three]", "spec.free": "[]",
		"spec.none": "[]", "spec.list[id=3]": "[]", "spec.map.b": "[]",
	} {
		got := []string{}
		for _, w := range o.Owners(fieldKey(t, path)) {
			got = append(got, w.Manager)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s is owned by %v, want %s", path, got, want)
		}
	}
}
