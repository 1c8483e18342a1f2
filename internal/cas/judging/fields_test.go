package judging_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// object is a version of an object of any kind: what it holds, and who owns what of it, as managedFields have it.
type object struct {
	spec    string
	managed []string // `manager {"f:spec":…}`; with a "!" behind the manager, its time is a later one, and with a "~" it is of another version
}

func (o object) observed(t *testing.T) *judging.Observation {
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
	seen, err := judging.ObservedFields(judging.KindOf("apps", "Deployment"), "apps/v1", raw, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func fieldKey(t *testing.T, path string) string {
	t.Helper()
	key, err := judging.FieldKey(judging.KindOf("apps", "Deployment"), path, fieldpaths.Reading)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func entryOf(t *testing.T, raw string) judging.Entry {
	t.Helper()
	if raw == "" {
		return judging.Entry{}
	}
	e, err := judging.JSON([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Given a write of fields under the name "engine", whose answer got lost; when the first version after its base is as told, and a dry run tells the form
// in which the API server stores the write; then it has landed, or has not, or that is unknown.
func TestWhatBecameOfALostWriteOfFields(t *testing.T) {
	t.Parallel()
	const landed, lost, unknown = judging.HasLanded, judging.HasNotLanded, judging.IsUnknown
	const kept = `engine {"f:spec":{"f:m":{}}}`
	const element = `{"f:spec":{"f:list":{"k:{\"id\":1}":{".":{},"f:id":{},"f:v":{}}}}}`
	for name, test := range map[string]struct {
		path, from, to string
		gone           bool
		before, next   object
		normal         string // what the dry run shows, and after a space who owns what in it, unless as in next; empty where there is none
		want           judging.Answer
	}{
		"ours": {"spec.n", "1", "2", false, object{`{"n":1}`, []string{`other {"f:spec":{"f:n":{}}}`}}, object{`{"n":2}`, []string{`engine! {"f:spec":{"f:n":{}}}`}}, "", landed},
		"ours, and another's field goes along": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"m":1}`, []string{`other {"f:spec":{"f:n":{},"f:m":{}}}`}},
			object{`{"n":2,"m":2}`, []string{`engine! {"f:spec":{"f:n":{}}}`, `other {"f:spec":{"f:m":{}}}`}},
			"", landed,
		},
		"another's": {"spec.n", "1", "2", false, object{`{"n":1}`, []string{`other {"f:spec":{"f:n":{}}}`}}, object{`{"n":2}`, []string{`other! {"f:spec":{"f:n":{}}}`}}, "", lost},
		"another's within the second": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"m":1}`, []string{`other {"f:spec":{"f:n":{},"f:m":{}}}`}},
			object{`{"n":2}`, []string{`other {"f:spec":{"f:n":{}}}`}},
			"", lost,
		},
		"another's within the second, or ours of which no account was kept": {
			"spec.n", "1", "2", false, object{`{"n":1}`, []string{`other {"f:spec":{"f:n":{}}}`}}, object{`{"n":2}`, []string{`other {"f:spec":{"f:n":{}}}`}}, "", unknown,
		},
		"ours within the second, or another's of which no account was kept": {
			"spec.n", "1", "2", false, object{`{"n":1}`, []string{`engine {"f:spec":{"f:n":{}}}`}}, object{`{"n":2}`, []string{`engine {"f:spec":{"f:n":{}}}`}}, "", unknown,
		},
		"ours or another's, after which there are no managedFields any more": {
			"spec.n", "1", "2", false, object{`{"n":1}`, []string{`other {"f:spec":{"f:n":{}}}`}}, object{`{"n":2}`, nil}, `{"n":2}`, unknown,
		},
		"ours within the second, and taken from another": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"m":1}`, []string{`engine {"f:spec":{"f:n":{}}}`, `other {"f:spec":{"f:n":{},"f:m":{}}}`}},
			object{`{"n":2,"m":1}`, []string{`engine {"f:spec":{"f:n":{}}}`, `other {"f:spec":{"f:m":{}}}`}},
			"", landed,
		},
		"a map that another owns as a whole": {
			"spec.map.a", `"1"`, `"2"`, false,
			object{`{"map":{"a":"1"},"m":1}`, []string{`other {"f:spec":{"f:map":{},"f:m":{}}}`}},
			object{`{"map":{"a":"2"}}`, []string{`other {"f:spec":{"f:map":{}}}`}},
			"", lost,
		},
		"a map that is ours as a whole": {
			"spec.map.a", `"1"`, `"2"`, false,
			object{`{"map":{"a":"1"}}`, []string{`other {"f:spec":{"f:map":{}}}`}},
			object{`{"map":{"a":"2"}}`, []string{`engine! {"f:spec":{"f:map":{}}}`}},
			"", landed,
		},
		"an element by another selector than its key": {
			"spec.list[name=x].v", "1", "2", false,
			object{`{"list":[{"id":1,"name":"x","v":1}]}`, []string{"other " + element}},
			object{`{"list":[{"id":1,"name":"x","v":2}]}`, []string{`other {"f:spec":{"f:list":{"k:{\"id\":1}":{".":{},"f:id":{}}}}}`, `engine! {"f:spec":{"f:list":{"k:{\"id\":1}":{"f:v":{}}}}}`}},
			"", landed,
		},
		"a twin set another element of the list": {
			"spec.list[name=x].v", "1", "2", false,
			object{`{"list":[{"id":1,"name":"x","v":1},{"id":2,"name":"y","v":1}]}`, []string{"other " + element}},
			object{`{"list":[{"id":1,"name":"x","v":1},{"id":2,"name":"y","v":2}]}`, []string{"other " + element, `engine! {"f:spec":{"f:list":{"k:{\"id\":2}":{"f:v":{}}}}}`}},
			"", lost,
		},
		"another element of the list": {
			"spec.list[name=x].v", "1", "2", false,
			object{`{"list":[{"id":1,"name":"x","v":1},{"id":2,"name":"y","v":1}]}`, []string{"other " + element}},
			object{`{"list":[{"id":1,"name":"x","v":2},{"id":2,"name":"y","v":2}]}`, []string{"other " + element, `engine! {"f:spec":{"f:list":{"k:{\"id\":2}":{"f:v":{}}}}}`}},
			`{"list":[{"id":1,"name":"x","v":2},{"id":2,"name":"y","v":1}]}`, lost,
		},
		"one part is another's": {
			"spec.map", `{"a":1,"b":1}`, `{"a":2,"b":2}`, false,
			object{`{"map":{"a":1,"b":1}}`, []string{`other {"f:spec":{"f:map":{"f:a":{},"f:b":{}}}}`}},
			object{`{"map":{"a":2,"b":2}}`, []string{`other {"f:spec":{"f:map":{"f:b":{}}}}`, `engine! {"f:spec":{"f:map":{"f:a":{}}}}`}},
			"", lost,
		},
		"a part of ours that another owns goes along": {
			"spec.map", `{"a":1,"b":1}`, `{"a":1,"b":2}`, false,
			object{`{"map":{"a":1,"b":1}}`, []string{`other {"f:spec":{"f:map":{"f:a":{},"f:b":{}}}}`}},
			object{`{"map":{"a":7,"b":2}}`, []string{`other {"f:spec":{"f:map":{"f:a":{}}}}`, `engine! {"f:spec":{"f:map":{"f:b":{}}}}`}},
			`{"map":{"a":7,"b":2}}`, landed,
		},
		"a part of ours that another owns goes along, in a way that no dry run tells": {
			"spec.map", `{"a":1,"b":1}`, `{"a":1,"b":2}`, false,
			object{`{"map":{"a":1,"b":1}}`, []string{`other {"f:spec":{"f:map":{"f:a":{},"f:b":{}}}}`}},
			object{`{"map":{"a":7,"b":2}}`, []string{`other {"f:spec":{"f:map":{"f:a":{}}}}`, `engine! {"f:spec":{"f:map":{"f:b":{}}}}`}},
			"", unknown,
		},
		"what only goes of another's map": {
			"spec.map", `{"a":1,"b":1}`, `{"a":1}`, false,
			object{`{"map":{"a":1,"b":1}}`, []string{`other {"f:spec":{"f:map":{"f:a":{},"f:b":{}}}}`}},
			object{`{"map":{"a":1}}`, []string{`other {"f:spec":{"f:map":{"f:a":{}}}}`}},
			`{"map":{"a":1}}`, unknown,
		},
		"what only goes of a list that another may own in parts": {
			"spec.list", `["a","b"]`, `["a"]`, false,
			object{`{"list":["a","b"],"m":1}`, []string{`other {"f:spec":{"f:list":{},"f:m":{}}}`}},
			object{`{"list":["a"]}`, []string{`other {"f:spec":{"f:list":{}}}`}},
			`{"list":["a"]}`, unknown,
		},
		"what is to go may come back by default, and so stay another's": {
			"spec.n", "2", "", false,
			object{`{"n":2}`, []string{`other {"f:spec":{"f:n":{}}}`}},
			object{`{"n":3}`, []string{`other {"f:spec":{"f:n":{}}}`}},
			"", unknown,
		},
		"a part that stays in another form, and that a policy changes along": {
			"spec.map", `{"a":"1","b":1}`, `{"a":"1000m","b":2}`, false,
			object{`{"map":{"a":"1","b":1}}`, []string{`other {"f:spec":{"f:map":{"f:a":{},"f:b":{}}}}`}},
			object{`{"map":{"a":"2","b":2}}`, []string{`other {"f:spec":{"f:map":{"f:a":{}}}}`, `engine! {"f:spec":{"f:map":{"f:b":{}}}}`}},
			`{"map":{"a":"2","b":2}}`, unknown,
		},
		"the same, of an element that is found by a default": {
			"spec.list", `[{"id":1,"p":"d","v":1}]`, `[{"id":1,"v":1},{"id":2}]`, false,
			object{`{"list":[{"id":1,"p":"d","v":1}]}`, []string{`other {"f:spec":{"f:list":{"k:{\"id\":1,\"p\":\"d\"}":{"f:v":{}}}}}`}},
			object{`{"list":[{"id":1,"p":"d","v":7},{"id":2,"p":"d"}]}`, []string{
				`other {"f:spec":{"f:list":{"k:{\"id\":1,\"p\":\"d\"}":{"f:v":{}}}}}`, `engine! {"f:spec":{"f:list":{"k:{\"id\":2,\"p\":\"d\"}":{".":{},"f:id":{},"f:p":{}}}}}`,
			}},
			"", unknown,
		},
		"another's element goes along": {
			"spec.list[name=x].v", "1", "2", false,
			object{`{"list":[{"id":1,"name":"x","v":1},{"id":2,"name":"y","v":1}]}`, []string{`other {"f:spec":{"f:list":{"k:{\"id\":2}":{"f:v":{}}}}}`}},
			object{`{"list":[{"id":1,"name":"x","v":2},{"id":2,"name":"y","v":2}]}`, []string{`other {"f:spec":{"f:list":{"k:{\"id\":2}":{"f:v":{}}}}}`, `engine! {"f:spec":{"f:list":{"k:{\"id\":1}":{"f:v":{}}}}}`}},
			"", landed,
		},
		"ours, of which the many may own a part": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"m":1}`, []string{`ancient-changes {"f:spec":{"f:n":{},"f:m":{}}}`}},
			object{`{"n":2}`, []string{`ancient-changes {"f:spec":{"f:n":{}}}`}},
			"", unknown,
		},
		"the many own another field": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"m":1}`, []string{`ancient-changes {"f:spec":{"f:n":{},"f:m":{}}}`}},
			object{`{"n":2,"m":1}`, []string{`ancient-changes {"f:spec":{"f:m":{}}}`, `engine! {"f:spec":{"f:n":{}}}`}},
			"", landed,
		},
		"a manager of another version may own it": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"m":1}`, []string{`other~ {"f:spec":{"f:n":{},"f:m":{}}}`}},
			object{`{"n":2}`, []string{`other~ {"f:spec":{"f:n":{}}}`}},
			"", unknown,
		},
		"our name in another version wrote": {
			"spec.n", "1", "2", false, object{`{"n":1}`, []string{`engine~ {"f:spec":{"f:m":{}}}`}}, object{`{"n":2}`, []string{`engine~! {"f:spec":{"f:n":{}}}`}}, "", lost,
		},
		"nothing tells owners":     {"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":2}`, nil}, "", unknown},
		"in another form, unknown": {"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":"two"}`, []string{`engine! {"f:spec":{"f:n":{}}}`}}, "", unknown},
		"in its normal form":       {"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":"two"}`, []string{`engine! {"f:spec":{"f:n":{}}}`}}, `{"n":"two"}`, landed},
		"a default comes along": {
			"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":2,"d":1}`, []string{`engine! {"f:spec":{"f:n":{},"f:d":{}}}`}}, `{"n":2,"d":1}`, landed,
		},
		"a twin sets something beside it": {
			"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":2,"d":1}`, []string{`engine! {"f:spec":{"f:n":{},"f:d":{}}}`}}, `{"n":2} engine {"f:spec":{"f:n":{}}}`, lost,
		},
		"a twin changes what was there beside it": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"d":1}`, []string{`other {"f:spec":{"f:n":{},"f:d":{}}}`}},
			object{`{"n":2,"d":2}`, []string{`engine! {"f:spec":{"f:n":{},"f:d":{}}}`}},
			`{"n":2,"d":1}`, unknown,
		},
		"what was there beside it changes along": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"d":1}`, []string{`other {"f:spec":{"f:n":{},"f:d":{}}}`}},
			object{`{"n":2,"d":2}`, []string{`engine! {"f:spec":{"f:n":{},"f:d":{}}}`}},
			`{"n":2,"d":2}`, landed,
		},
		"admission changed it, and undoes it in a dry run": {
			"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":3}`, []string{`engine! {"f:spec":{"f:n":{}}}`}}, `{"n":1}`, unknown,
		},
		"the same, of a field that was ours, within the second": {
			"spec.n", "1", "2", false,
			object{`{"n":1}`, []string{`engine {"f:spec":{"f:n":{}}}`}},
			object{`{"n":3,"m":2}`, []string{`engine {"f:spec":{"f:n":{}}}`}},
			`{"n":1}`, unknown,
		},
		"admission changed what was to go, and undoes that in a dry run": {
			"spec.n", "1", "", false,
			object{`{"n":1,"m":1}`, []string{`other {"f:spec":{"f:n":{},"f:m":{}}}`}},
			object{`{"n":9,"m":1}`, []string{`other {"f:spec":{"f:m":{}}}`}},
			`{"n":1,"m":1}`, unknown,
		},
		"what is to go stays another's, as its default, and admission takes all of it away in a dry run": {
			"spec.map", `{"a":1,"d":1}`, `{"a":2}`, false,
			object{`{"map":{"a":1,"d":1}}`, []string{`other {"f:spec":{"f:map":{"f:a":{},"f:d":{}}}}`}},
			object{`{"map":{"a":2,"d":1}}`, []string{`other {"f:spec":{"f:map":{"f:d":{}}}}`, `engine! {"f:spec":{"f:map":{"f:a":{}}}}`}},
			`{} other {"f:spec":{"f:map":{"f:d":{}}}}`, unknown,
		},
		"another removed what was to be set, and a dry run does": {
			"spec.n", "1", "2", true, object{`{"n":1,"m":1}`, []string{`other {"f:spec":{"f:n":{},"f:m":{}}}`}}, object{`{"m":1}`, []string{kept}}, `{"m":1}`, unknown,
		},
		"a default that comes along, and that another sets before the dry run": {
			"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":3,"d":1}`, []string{`engine! {"f:spec":{"f:n":{},"f:d":{}}}`}}, `{"n":2,"d":1} late {"f:spec":{"f:n":{},"f:d":{}}}`, unknown,
		},
		"a default that comes along, and that admission takes away in a dry run": {
			"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":2,"d":1}`, []string{`engine! {"f:spec":{"f:n":{},"f:d":{}}}`}}, `{"n":2}`, landed,
		},
		"a default that comes along, and that is another one in a dry run": {
			"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":2,"d":1}`, []string{`engine! {"f:spec":{"f:n":{},"f:d":{}}}`}}, `{"n":2,"d":5}`, landed,
		},
		"what is sent is stored as what was there, and another changed it": {
			"spec.n", "1", `"one"`, false,
			object{`{"n":1}`, []string{`other {"f:spec":{"f:n":{}}}`}},
			object{`{"n":2}`, []string{`other {"f:spec":{"f:n":{}}}`}},
			`{"n":1}`, lost,
		},
		"admission undid it, which was ours": {
			"spec.n", "1", "2", false,
			object{`{"n":1}`, []string{`engine {"f:spec":{"f:n":{}}}`}},
			object{`{"n":1,"m":2}`, []string{`engine! {"f:spec":{"f:n":{}}}`}},
			"", unknown,
		},
		"a twin changed another field of our name's": {
			"spec.n", "1", "2", false,
			object{`{"n":1,"m":1}`, []string{`engine {"f:spec":{"f:n":{},"f:m":{}}}`}},
			object{`{"n":1,"m":2}`, []string{`engine! {"f:spec":{"f:n":{},"f:m":{}}}`}},
			"", lost,
		},
		"a twin set another field of the same map": {
			"spec.map.a", "1", "2", false,
			object{`{"map":{"a":1}}`, nil},
			object{`{"map":{"a":1,"b":2}}`, []string{`engine! {"f:spec":{"f:map":{".":{},"f:b":{}}}}`}},
			"", lost,
		},
		"a part is gone, and what stays is ours since before": {
			"spec.map", `{"a":1,"b":1}`, `{"a":1}`, false,
			object{`{"map":{"a":1,"b":1}}`, []string{`engine {"f:spec":{"f:map":{"f:a":{}}}}`}},
			object{`{"map":{"a":1}}`, []string{`engine {"f:spec":{"f:map":{"f:a":{}}}}`}},
			"", unknown,
		},
		"ours or a twin's, and another field with it": {
			"spec.n", "1", "2", false, object{`{"n":1}`, nil}, object{`{"n":2,"d":1}`, []string{`engine! {"f:spec":{"f:n":{},"f:d":{}}}`}}, "", unknown,
		},
		"removed, and gone is done": {"spec.n", "1", "", true, object{`{"n":1,"m":1}`, []string{kept}}, object{`{"m":1}`, []string{kept}}, "", landed},
		"removed by somebody":       {"spec.n", "1", "", false, object{`{"n":1,"m":1}`, []string{kept}}, object{`{"m":1}`, []string{kept}}, "", unknown},
		"removed from what is ours as a whole": {
			"spec.list[id=1]", `{"id":1}`, "", false,
			object{`{"list":[{"id":1},{"id":2}]}`, []string{`other {"f:spec":{"f:list":{}}}`}},
			object{`{"list":[{"id":2}]}`, []string{`engine! {"f:spec":{"f:list":{}}}`}},
			"", landed,
		},
		"removed from what is ours as a whole, by a twin or with a default": {
			"spec.list[id=1]", `{"id":1}`, "", false,
			object{`{"list":[{"id":1},{"id":2}]}`, []string{`other {"f:spec":{"f:list":{}}}`}},
			object{`{"list":[{"id":2}],"d":1}`, []string{`engine! {"f:spec":{"f:list":{},"f:d":{}}}`}},
			"", unknown,
		},
		"removed from what is ours as a whole, with a default": {
			"spec.list[id=1]", `{"id":1}`, "", false,
			object{`{"list":[{"id":1},{"id":2}]}`, []string{`other {"f:spec":{"f:list":{}}}`}},
			object{`{"list":[{"id":2}],"d":1}`, []string{`engine! {"f:spec":{"f:list":{},"f:d":{}}}`}},
			`{"list":[{"id":2}],"d":1}`, landed,
		},
		"removed from what is ours as a whole, by a twin who changes what was there beside it": {
			"spec.list[id=1]", `{"id":1}`, "", false,
			object{`{"list":[{"id":1},{"id":2}],"d":1}`, []string{`other {"f:spec":{"f:list":{},"f:d":{}}}`}},
			object{`{"list":[{"id":2}],"d":2}`, []string{`engine! {"f:spec":{"f:list":{},"f:d":{}}}`}},
			`{"list":[{"id":2}],"d":1}`, unknown,
		},
		"removed from what another owns as a whole": {
			"spec.list[id=1]", `{"id":1}`, "", false,
			object{`{"list":[{"id":1},{"id":2}]}`, []string{`other {"f:spec":{"f:list":{}}}`}},
			object{`{"list":[{"id":2}]}`, []string{`other! {"f:spec":{"f:list":{}}}`}},
			"", lost,
		},
		"its default came back": {
			"spec.n", "2", "", false, object{`{"n":2}`, []string{`other {"f:spec":{"f:n":{}}}`}}, object{`{"n":1}`, []string{`engine! {"f:spec":{"f:n":{}}}`}}, `{"n":1}`, landed,
		},
		"another set it while it was to go": {
			"spec.n", "2", "", true, object{`{"n":2}`, []string{`engine {"f:spec":{"f:n":{}}}`}}, object{`{"n":3}`, []string{`other {"f:spec":{"f:n":{}}}`}}, "", lost,
		},
		"nothing of it differs": {"spec.n", "1", "2", false, object{`{"n":1,"m":1}`, nil}, object{`{"n":1,"m":2}`, nil}, "", lost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := judging.Sent{
				Manager: "engine", GoneIsDone: test.gone, Base: test.before.observed(t),
				Changes: []judging.Change{{Key: fieldKey(t, test.path), From: entryOf(t, test.from), To: entryOf(t, test.to)}},
			}
			if spec, owner, isOther := strings.Cut(test.normal, " "); isOther {
				sent.Normal = object{spec, []string{owner}}.observed(t)
			} else if spec != "" {
				sent.Normal = object{spec, test.next.managed}.observed(t)
			}
			if got, why := sent.Tell(test.before.observed(t), test.next.observed(t)); got != test.want {
				t.Errorf("%d (%v), want %d", got, why, test.want)
			}
		})
	}
}

// Given a write of two fields whose answer got lost, of which it removes one, whoever removes it; when that one is gone; then the write has landed only
// where the other is what it makes of it, and what went has no owner left.
func TestLostRemovalOfOneFieldBesideAnother(t *testing.T) {
	t.Parallel()
	removes := judging.Change{Key: fieldKey(t, "spec.n"), From: entryOf(t, "1")}
	for name, test := range map[string]struct {
		other                judging.Change
		before, next, normal object
		hasLanded            bool
	}{
		"it was removed, and the other comes back by default": {
			judging.Change{Key: fieldKey(t, "spec.m"), From: entryOf(t, "1")},
			object{`{"n":1,"m":1,"k":1}`, []string{`other {"f:spec":{"f:n":{},"f:m":{},"f:k":{}}}`}},
			object{`{"m":1,"k":1}`, []string{`other {"f:spec":{"f:m":{},"f:k":{}}}`}},
			object{`{"m":1,"k":1}`, []string{`other {"f:spec":{"f:m":{},"f:k":{}}}`}},
			true,
		},
		"another removed one that the write leaves as it was, too": {
			judging.Change{Key: fieldKey(t, "spec.m"), From: entryOf(t, "1"), To: entryOf(t, `"1000m"`)},
			object{`{"n":1,"m":1,"k":1}`, []string{`other {"f:spec":{"f:n":{},"f:m":{},"f:k":{}}}`}},
			object{`{"k":1}`, []string{`other {"f:spec":{"f:k":{}}}`}},
			object{`{"m":1,"k":1}`, []string{`other {"f:spec":{"f:k":{},"f:m":{}}}`}},
			false,
		},
		"another removed the one, and a dry run brings the other back, which is in a map of another's": {
			judging.Change{Key: fieldKey(t, "spec.map.a"), From: entryOf(t, "1")},
			object{`{"n":1,"map":{"a":1}}`, []string{`other {"f:spec":{"f:n":{},"f:map":{}}}`}},
			object{`{"map":{"a":1}}`, []string{`other {"f:spec":{"f:map":{}}}`}},
			object{`{"map":{"a":1}}`, []string{`other {"f:spec":{"f:map":{}}}`}},
			false,
		},
		"a policy made what the write makes, along with another's write": {
			judging.Change{Key: fieldKey(t, "spec.map.a"), To: entryOf(t, `"2"`)},
			object{`{"n":1,"k":1,"map":{}}`, []string{`other {"f:spec":{"f:n":{},"f:k":{}}}`, `third {"f:spec":{"f:k":{}}}`, `engine {"f:spec":{"f:map":{}}}`}},
			object{`{"k":1,"map":{"a":"2"}}`, []string{`other {"f:spec":{"f:n":{},"f:k":{}}}`, `engine {"f:spec":{"f:map":{}}}`}},
			object{},
			false,
		},
		"it was removed, and another's name was left on a part of it that was gone before": {
			judging.Change{Key: fieldKey(t, "spec.m"), From: entryOf(t, "1"), To: entryOf(t, "2")},
			object{`{"n":1,"m":1}`, []string{`other {"f:spec":{"f:n":{".":{},"f:x":{}},"f:m":{}}}`}},
			object{`{"m":2}`, []string{`other {"f:spec":{"f:n":{"f:x":{}}}}`, `engine! {"f:spec":{"f:m":{}}}`}},
			object{},
			true,
		},
		"another removed the one, and a dry run brings the other back": {
			judging.Change{Key: fieldKey(t, "spec.m"), From: entryOf(t, "1")},
			object{`{"n":1,"m":1,"k":1}`, []string{`other {"f:spec":{"f:n":{},"f:m":{},"f:k":{}}}`}},
			object{`{"m":1,"k":1}`, []string{`other {"f:spec":{"f:m":{},"f:k":{}}}`}},
			object{`{"m":1,"k":1}`, []string{`other {"f:spec":{"f:k":{}}}`}},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := judging.Sent{Manager: "engine", GoneIsDone: true, Changes: []judging.Change{removes, test.other}, Base: test.before.observed(t)}
			if test.normal.spec != "" {
				sent.Normal = test.normal.observed(t)
			}
			if got, why := sent.Tell(test.before.observed(t), test.next.observed(t)); (got == judging.HasLanded) != test.hasLanded {
				t.Errorf("%d (%v), want that it has landed: %t", got, why, test.hasLanded)
			}
		})
	}
}

// Given a write that takes a member out of another's map, and sets a field; when the member is gone, and the field is ours since; then the write has
// landed: of what only goes, there is nothing to own.
func TestWhatOnlyGoesBesideAFieldOfOurs(t *testing.T) {
	t.Parallel()
	sent := judging.Sent{Manager: "engine", Changes: []judging.Change{
		{Key: fieldKey(t, "spec.map"), From: entryOf(t, `{"a":1,"b":1}`), To: entryOf(t, `{"a":1}`)}, {Key: fieldKey(t, "spec.n"), From: entryOf(t, "1"), To: entryOf(t, "2")},
	}}
	const others = `other {"f:spec":{"f:map":{"f:a":{},"f:b":{}},"f:n":{}}}`
	before := object{`{"map":{"a":1,"b":1},"n":1}`, []string{others}}
	for name, test := range map[string]struct {
		next object
		want judging.Answer
	}{
		"ours": {object{`{"map":{"a":1},"n":2}`, []string{`other {"f:spec":{"f:map":{"f:a":{}}}}`, `engine! {"f:spec":{"f:n":{}}}`}}, judging.HasLanded},
		"ours, and what was to stay differs and is another's": {
			object{`{"map":{"a":7},"n":2}`, []string{`other {"f:spec":{"f:map":{"f:a":{}}}}`, `engine! {"f:spec":{"f:n":{}}}`}}, judging.IsUnknown,
		},
		"nothing of it is ours": {object{`{"map":{"a":1},"n":2}`, []string{`other {"f:spec":{"f:map":{"f:a":{}}}}`}}, judging.IsUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, why := sent.Tell(before.observed(t), test.next.observed(t)); got != test.want {
				t.Errorf("%d (%v), want %d", got, why, test.want)
			}
		})
	}
}

// Given managedFields; then the owners of a field are those of its parts or of what it is in, and of a field that is not there, there are none.
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
