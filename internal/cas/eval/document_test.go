package eval_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

var inAuth = eval.Holder{Key: "auth", Format: "yaml"}

func documentKey(t *testing.T, h eval.Holder, path string) string {
	t.Helper()
	key, err := eval.DocumentKey(h, path)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func jsonValue(t *testing.T, raw string) eval.Value {
	t.Helper()
	if raw == "" {
		return eval.Value{}
	}
	v, err := eval.JSON([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// item is a swap of a value in a document, in JSON; empty for an absent value.
type item struct{ path, expect, to string }

func (i item) swap(t *testing.T, h eval.Holder) eval.KeySwap {
	t.Helper()
	return eval.KeySwap{Key: documentKey(t, h, i.path), Expect: jsonValue(t, i.expect), New: jsonValue(t, i.to)}
}

const auth = `# nodes
- rolearn: arn:aws:iam::1:role/nodes
  groups: [system:nodes]
- rolearn: arn:aws:iam::1:role/a # team A
  username: a
  level: 0x1
`

// TestDocument swaps values in a document: decision, and the text that a write makes.
func TestDocument(t *testing.T) {
	t.Parallel()
	const a, b = `[rolearn="arn:aws:iam::1:role/a"]`, `[rolearn="arn:aws:iam::1:role/b"]`
	added := strings.Replace(auth, "level: 0x1\n", "level: 0x1\n- rolearn: arn:aws:iam::1:role/b\n  username: \"no\"\n", 1)
	tests := map[string]struct {
		text   string // "-" for no key
		swaps  []item
		empty  bool // RemovesEmpty
		want   eval.Action
		error  string
		result string // "-" for no key
	}{
		"new element":             {auth, []item{{b, "", `{"rolearn":"arn:aws:iam::1:role/b","username":"no"}`}}, false, eval.Write, "", added},
		"removed element":         {added, []item{{b, `{"username":"no","rolearn":"arn:aws:iam::1:role/b"}`, ""}}, false, eval.Write, "", auth},
		"member":                  {auth, []item{{a + ".username", `"a"`, `"c"`}}, false, eval.Write, "", strings.Replace(auth, "username: a", "username: c", 1)},
		"equal numbers":           {auth, []item{{a + ".level", `1.0`, `1`}}, false, eval.NoOp, "", ""},
		"number is no text":       {auth, []item{{a + ".level", `"1"`, `2`}}, false, eval.Refuse, "the expectation does not hold", ""},
		"conflict":                {auth, []item{{a + ".username", `"b"`, `"c"`}}, false, eval.Refuse, "the expectation does not hold", ""},
		"two items":               {auth, []item{{a + ".username", `"a"`, ``}, {"[rolearn=\"arn:aws:iam::1:role/nodes\"].groups[=system:nodes]", `"system:nodes"`, ""}}, false, eval.Write, "", strings.Replace(strings.Replace(auth, "  username: a\n", "", 1), "[system:nodes]", "[]", 1)},
		"missing key":             {"-", []item{{b, "", `{"rolearn":"arn:aws:iam::1:role/b"}`}}, false, eval.Write, "", "- rolearn: arn:aws:iam::1:role/b\n"},
		"empty text":              {"", []item{{"a.b", "", `null1`}}, false, eval.Write, "", "a:\n  b: null1\n"},
		"null is absent":          {"a: null\nb: ~\nc:\n", []item{{"a", "", "1"}, {"b", "", "2"}, {"c.d", "", "3"}}, false, eval.Write, "", "a: 1\nb: 2\nc:\n  d: 3\n"},
		"null that stays absent":  {"a: null\nb: 1\n", []item{{"a", "", ""}, {"b", "1", "2"}}, false, eval.Write, "", "a: null\nb: 2\n"},
		"last element":            {"- a\n", []item{{"[=a]", `"a"`, ""}}, false, eval.Write, "", "[]\n"},
		"last element with key":   {"- a\n", []item{{"[=a]", `"a"`, ""}}, true, eval.Write, "", "-"},
		"last member with key":    {"a: 1\n", []item{{"a", `1`, ""}}, true, eval.Write, "", "-"},
		"comments with key":       {"# keep\n- a\n", []item{{"[=a]", `"a"`, ""}}, true, eval.Write, "", "# keep\n[]\n"},
		"not the last element":    {"- a\n- b\n", []item{{"[=a]", `"a"`, ""}}, true, eval.Write, "", "- b\n"},
		"nested nulls":            {"a: 1\n", []item{{"b", "", `{"c":null,"d":[null]}`}}, false, eval.Write, "", "a: 1\nb:\n  c: null\n  d:\n  - null\n"},
		"element with a null":     {"- {a: b, c: null}\n- d\n", []item{{"[=d]", `"d"`, ""}}, false, eval.Write, "", "- {a: b, c: null}\n"},
		"metadata is no rule":     {"status: 1\n", []item{{"status", "1", "2"}, {"metadata.name", "", `"x"`}}, false, eval.Write, "", "status: 2\nmetadata:\n  name: x\n"},
		"name in a list":          {auth, []item{{"a", "", "1"}}, false, eval.Refuse, "the root is a list: select one of its elements", ""},
		"missing element":         {auth, []item{{b + ".username", "", `"b"`}}, false, eval.Refuse, "is not there", ""},
		"another element":         {auth, []item{{b, "", `{"rolearn":"c"}`}}, false, eval.Refuse, "would become another element", ""},
		"several elements":        {"- a: 1\n  b: 1\n- a: 1\n  b: 2\n", []item{{"[a=1].c", "", "1"}}, false, eval.Refuse, "the root has several elements that [a=1] selects: select by b as well", ""},
		"one element twice":       {"- a: 1\n  b: 1\n", []item{{"[a=1].c", "", "1"}, {"[b=1].c", "", "2"}}, false, eval.Refuse, "lead to one element", ""},
		"a list and a map":        {"-", []item{{"[=a]", "", `"a"`}, {"b", "", "1"}}, false, eval.Refuse, "another change of the document excludes this one", ""},
		"invalid text":            {"a: 1\nb: [\n", []item{{"a", "1", "2"}}, false, eval.Refuse, "auth: line ", ""},
		"duplicate key":           {"a: 1\na: 2\n", []item{{"a", "1", "2"}}, false, eval.Refuse, `auth: line 2: there are two members "a" in one map`, ""},
		"alias":                   {"a: &a {b: 1}\nc: *a\n", []item{{"c.b", "1", "2"}}, false, eval.Refuse, `auth: line 2: the value comes from the anchor "a"`, ""},
		"anchor":                  {"a: &a {b: 1}\nc: *a\n", []item{{"a", `{"b":1}`, ""}}, false, eval.Refuse, "auth: line 1: an alias in line 2 uses the value", ""},
		"merged":                  {"a: &a {b: 1}\nc:\n  <<: *a\n", []item{{"c.b", `1`, ""}}, false, eval.Refuse, `auth: line 3: a merge key brings in the member "b"`, ""},
		"merged and overridden":   {"a: &a {b: 1}\nc:\n  <<: *a\n", []item{{"c.b", `1`, "2"}}, false, eval.Write, "", "a: &a {b: 1}\nc:\n  <<: *a\n  b: 2\n"},
		"unreadable beside":       {"a: !x 1\nb: 1\n", []item{{"b", "1", "2"}}, false, eval.Write, "", "a: !x 1\nb: 2\n"},
		"custom tag":              {"a: !x 1\nb: 1\n", []item{{"a", `"1"`, "2"}}, false, eval.Refuse, "auth: line 1: the value has the tag !x", ""},
		"JSON in a YAML document": {`{"a":[1,2]}`, []item{{"a[=1]", "1", ""}, {"b", "", `"no"`}}, false, eval.Write, "", `{"a":[2],"b":"no"}`},
	}
	v1 := eval.Version{UID: "u", ResourceVersion: "1"}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := map[string]string{"auth": test.text}
			if test.text == "-" {
				data = nil
			}
			live := configMapAt(v1, data)
			txn := &eval.Txn{FieldManager: "me"}
			for _, i := range test.swaps {
				if i.to == "null1" {
					i.to = `"null1"`
				}
				swap := i.swap(t, inAuth)
				swap.RemovesEmpty = test.empty
				txn.Keys = append(txn.Keys, swap)
			}
			d := eval.Evaluate(txn, live, nil, &eval.Chain{})
			texts, err := live.Texts(d.Changes)
			if err == nil {
				err = d.Err
			} else {
				d.Action = eval.Refuse
			}
			if d.Action != test.want || test.error == "" && err != nil || test.error != "" && (err == nil || !strings.Contains(err.Error(), test.error)) {
				t.Fatalf("%v %v, want %v %s", d.Action, err, test.want, test.error)
			}
			if test.want != eval.Write {
				return
			}
			want := []eval.Change{{Key: "auth", From: live.Value("auth"), To: eval.Text(test.result)}}
			if test.result == "-" {
				want[0].To = eval.Value{}
			}
			if diff := cmp.Diff(want, texts, cmp.AllowUnexported(eval.Value{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDocumentElements changes elements of lists together. Comments, quotes and members of others stay with their
// elements, also if an element gets the values that another one had.
func TestDocumentElements(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text   string
		swaps  []item
		result string
	}{
		"two elements exchange their values": {
			"slots:\n# ask team A\n- name: blue # A\n  weight: 0\n  active: false\n  version: \"1\"\n  note: 'a' # A only\n" +
				"# ask team B\n- name: green # B\n  weight: 100\n  active: true\n  version: '2'\n  note: 'b' # B only\n",
			[]item{
				{"slots[name=blue].weight", "0", "100"},
				{"slots[name=green].weight", "100", "0"},
				{"slots[name=blue].active", "false", "true"},
				{"slots[name=green].active", "true", "false"},
				{"slots[name=blue].version", `"1"`, `"2"`},
				{"slots[name=green].version", `"2"`, `"1"`},
			},
			"slots:\n# ask team A\n- name: blue # A\n  weight: 100\n  active: true\n  version: \"2\"\n  note: 'a' # A only\n" +
				"# ask team B\n- name: green # B\n  weight: 0\n  active: false\n  version: '1'\n  note: 'b' # B only\n",
		},
		"an element gets the values of a removed one": {
			"- name: a # A\n  x: 1\n  y: 2\n- name: b # B\n  x: 8\n  y: 9\n",
			[]item{{"[name=b].x", "8", "1"}, {"[name=a]", `{"name":"a","x":1,"y":2}`, ""}, {"[name=b].y", "9", "2"}},
			"- name: b # B\n  x: 1\n  y: 2\n",
		},
		"a new element has the values of a removed one": {
			"- name: a # A\n  x: 1\n  y: 2\n- name: b # B\n",
			[]item{{"[name=c]", "", `{"name":"c","x":1,"y":2}`}, {"[name=a]", `{"name":"a","x":1,"y":2}`, ""}},
			"- name: b # B\n- name: c\n  x: 1\n  \"y\": 2\n",
		},
		"the last element is replaced": {
			"- a # A\n- b # B\n",
			[]item{{"[=b]", `"b"`, ""}, {"[=c]", "", `"c"`}, {"[=d]", "", `"d"`}},
			"- a # A\n- c\n- d\n",
		},
		"elements within elements": {
			"- name: a # A\n  hosts: [x]\n- name: b # B\n  hosts: [x, y]\n- name: c # C\n  hosts: [x]\n",
			[]item{
				{"[name=b].hosts[=x]", `"x"`, ""},
				{"[name=a]", `{"name":"a","hosts":["x"]}`, ""},
				{"[name=c].hosts[=z]", "", `"z"`},
				{"[name=b].hosts[=z]", "", `"z"`},
			},
			"- name: b # B\n  hosts: [y, z]\n- name: c # C\n  hosts: [x, z]\n",
		},
		"a new list": {
			"a: 1\n",
			[]item{{"b.c[=x]", "", `"x"`}, {"b.c[=z]", "", `"z"`}, {"b.d", "", `1`}},
			"a: 1\nb:\n  c:\n  - x\n  - z\n  d: 1\n",
		},
	}
	for name, test := range tests {
		live := configMapAt(eval.Version{UID: "u", ResourceVersion: "1"}, map[string]string{"auth": test.text})
		txn := &eval.Txn{FieldManager: "me"}
		for _, i := range test.swaps {
			txn.Keys = append(txn.Keys, i.swap(t, inAuth))
		}
		d := eval.Evaluate(txn, live, nil, &eval.Chain{})
		texts, err := live.Texts(d.Changes)
		if d.Err != nil || err != nil || len(texts) != 1 {
			t.Errorf("%s: %v %v: %d changes", name, d.Err, err, len(texts))
			continue
		}
		got, _ := texts[0].To.Text()
		if diff := cmp.Diff(test.result, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestDocumentLimits refuses a document in bytes, in an immutable object, and one that grows beyond the limit.
func TestDocumentLimits(t *testing.T) {
	t.Parallel()
	v1 := eval.Version{UID: "u", ResourceVersion: "1"}
	txn := &eval.Txn{FieldManager: "me", Keys: []eval.KeySwap{item{"a", "1", "2"}.swap(t, inAuth)}}
	refused := func(live *eval.Snapshot) error { return eval.Evaluate(txn, live, nil, &eval.Chain{}).Err }

	binary := configMapAt(v1, nil, func(cm *corev1.ConfigMap) {
		cm.BinaryData = map[string][]byte{"auth": []byte("a: 1\n")}
	})
	var invalid *eval.DocumentError
	if err := refused(binary); !errors.As(err, &invalid) || invalid.Key != "auth" {
		t.Errorf("%v", err)
	}
	var immutable *eval.ImmutableError
	if err := refused(configMapAt(v1, map[string]string{"auth": "a: 1\n"}, func(cm *corev1.ConfigMap) {
		cm.Immutable = new(true)
	})); !errors.As(err, &immutable) {
		t.Errorf("%v", err)
	}
	live := configMapAt(v1, map[string]string{"auth": "a: 1\n", "large": strings.Repeat("x", eval.MaxSize-5)})
	same := eval.Evaluate(txn, live, nil, &eval.Chain{})
	if _, err := live.Texts(same.Changes); err != nil {
		t.Errorf("a text of the same size: %v", err)
	}
	txn.Keys[0].New = eval.Text("long")
	var tooLarge *eval.TooLargeError
	larger := eval.Evaluate(txn, live, nil, &eval.Chain{})
	if _, err := eval.Patch(live, larger.Changes, nil); !errors.As(err, &tooLarge) || tooLarge.New+tooLarge.Others != eval.MaxSize+3 {
		t.Errorf("%v", err)
	}
}

// TestDocumentKeys compares keys of documents, of their texts and of others.
func TestDocumentKeys(t *testing.T) {
	t.Parallel()
	field, err := eval.FieldKey(eval.KindOf("apps", "Deployment"), `spec.config["a/b.yaml"]`)
	if err != nil {
		t.Fatal(err)
	}
	inField := eval.Holder{Key: field, Format: "yaml"}
	keys := map[string]string{
		"a":       documentKey(t, inAuth, "a"),
		"a.b":     documentKey(t, inAuth, `["a"].b`),
		"c":       documentKey(t, inAuth, "c"),
		"[n=1].x": documentKey(t, inAuth, "[n=1].x"),
		"[m=2].x": documentKey(t, inAuth, "[m=2].x"),
		"json":    documentKey(t, eval.Holder{Key: "auth", Format: "json"}, "c"),
		"other":   documentKey(t, eval.Holder{Key: "other", Format: "yaml"}, "a"),
		"text":    "auth",
		"field":   documentKey(t, inField, "a"),
		"holder":  inField.Key,
	}
	overlaps := [][2]string{
		{"a", "a.b"},
		{"text", "a"},
		{"text", "a.b"},
		{"text", "c"},
		{"text", "[n=1].x"},
		{"text", "[m=2].x"},
		{"text", "json"},
		{"json", "a"},
		{"json", "a.b"},
		{"json", "c"},
		{"json", "[n=1].x"},
		{"json", "[m=2].x"},
		{"field", "holder"},
	}
	for first, a := range keys {
		for second, b := range keys {
			want := first == second
			for _, o := range overlaps {
				want = want || o == [2]string{first, second} || o == [2]string{second, first}
			}
			if got := eval.Overlap(a, b); got != want {
				t.Errorf("%s and %s overlap: %t", first, second, got)
			}
		}
	}
	if !eval.MayOverlap(keys["[n=1].x"], keys["[m=2].x"]) || eval.MayOverlap(keys["a"], keys["c"]) {
		t.Error("elements that different members select may be one, and members of other names not")
	}
	if !eval.IsIn(keys["a.b"], keys["a"]) || !eval.IsIn(keys["a"], "auth") || eval.IsIn("auth", keys["a"]) {
		t.Error("a value of a document is a part of its text")
	}
	if h, path, isDocument := eval.DocumentPath(keys["field"]); !isDocument || h != inField || path != "a" {
		t.Errorf("%v %s", h, path)
	}
	if _, _, isDocument := eval.DocumentPath("auth"); isDocument {
		t.Error("an entry is no document")
	}
	for _, path := range []string{"", "a[0]", "/a", "a..b"} {
		if key, err := eval.DocumentKey(inAuth, path); err == nil {
			t.Errorf("%q: %s", path, key)
		}
	}
}

// ownedAt returns a ConfigMap at a version whose key auth a manager wrote at a time.
func ownedAt(v eval.Version, data map[string]string, manager string, at int64) *eval.Snapshot {
	return configMapAt(v, data, func(cm *corev1.ConfigMap) {
		since := metav1.Unix(at, 0)
		cm.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &since,
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:auth":{}}}`),
		}}
	})
}

// TestLostDocument classifies a write of a document whose response was lost by the text of the key.
func TestLostDocument(t *testing.T) {
	t.Parallel()
	v1, v2 := eval.Version{UID: "u", ResourceVersion: "1"}, eval.Version{UID: "u", ResourceVersion: "2"}
	base := ownedAt(v1, map[string]string{"auth": "a: 1\nb: 1\n"}, "kubectl", 1)
	txn := &eval.Txn{FieldManager: "me", Keys: []eval.KeySwap{item{"a", "1", ""}.swap(t, inAuth)}}
	lost := eval.LostWrite{Manager: "me", Base: base, Changes: eval.Evaluate(txn, base, nil, &eval.Chain{}).Changes}
	tests := map[string]struct {
		now  *eval.Snapshot
		want eval.LostOutcome
	}{
		"same version":     {base, eval.LostUnresolved},
		"our write":        {ownedAt(v2, map[string]string{"auth": "b: 1\n"}, "me", 2), eval.LostAppliedAlone},
		"written by other": {ownedAt(v2, map[string]string{"auth": "b: 1\n"}, "kubectl", 2), eval.LostUnknown},
		"other item since": {ownedAt(v2, map[string]string{"auth": "b: 2\n"}, "kubectl", 2), eval.LostUnknown},
		"other key since":  {ownedAt(v2, map[string]string{"auth": "b: 1\n", "c": "d"}, "me", 2), eval.LostApplied},
		"not written":      {ownedAt(v2, map[string]string{"auth": "a: 1\nb: 1\n"}, "kubectl", 2), eval.LostUnknown},
	}
	for name, test := range tests {
		if got, err := lost.Outcome(test.now); got != test.want {
			t.Errorf("%s: %v, want %v (%v)", name, got, test.want, err)
		}
	}
}
