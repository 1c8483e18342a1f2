package eval_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// entryOfManager parses "helm@2~v2/scale!", an entry of managedFields without its fields. The parts are the
// manager, the second of its timestamp (by default 1), the API version (by default v1), the subresource, and "!"
// for the operation Apply.
func entryOfManager(t *testing.T, text string) metav1.ManagedFieldsEntry {
	t.Helper()
	parts := regexp.MustCompile(`^([a-z-]+)(?:@(\d))?(?:~([a-z0-9./]+?))?(?:/([a-z]+))?(!?)$`).FindStringSubmatch(text)
	if parts == nil {
		t.Fatalf("%q is no manager", text)
	}
	f := metav1.ManagedFieldsEntry{
		Manager: parts[1], Operation: update, APIVersion: "v1", Subresource: parts[4], FieldsType: "FieldsV1",
		Time: &metav1.Time{Time: time.Date(2025, 1, 1, 0, 0, 1, 0, time.UTC)},
	}
	if parts[2] != "" {
		f.Time.Time = time.Date(2025, 1, 1, 0, 0, int(parts[2][0]-'0'), 0, time.UTC)
	}
	if parts[3] != "" {
		f.APIVersion = parts[3]
	}
	if parts[5] != "" {
		f.Operation = metav1.ManagedFieldsOperationApply
	}
	return f
}

// snapshot returns a ConfigMap, or a Secret, at a version. Each word is "map.key=value manager": the key, its
// value, and a manager that owns the key. Without "=value", the manager owns a missing key; without a manager,
// nobody owns the key. "?manager" is an entry without fields.
func snapshot(t *testing.T, kind eval.Kind, version string, words ...string) *eval.Snapshot {
	t.Helper()
	meta := metav1.ObjectMeta{UID: "u", ResourceVersion: version}
	if uid, rest, isOther := strings.Cut(version, "/"); isOther {
		meta.UID, meta.ResourceVersion = types.UID(uid), rest
	}
	values := map[string]map[string]string{"data": {}, "binaryData": {}, "labels": {}, "annotations": {}}
	fields := map[string]map[string]map[string]any{}
	for _, word := range words {
		what, manager, _ := strings.Cut(word, " ")
		if what, isUnread := strings.CutPrefix(word, "?"); isUnread {
			fields[what] = nil
			continue
		}
		path, value, exists := strings.Cut(what, "=")
		in, key, _ := strings.Cut(path, ".")
		switch {
		case in == "finalizer":
			meta.Finalizers = append(meta.Finalizers, key)
		case in == "owner":
			meta.OwnerReferences = []metav1.OwnerReference{{Name: key}}
		case in == "deleting":
			meta.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		case exists:
			values[in][key] = value
		}
		if manager == "" {
			continue
		}
		if fields[manager] == nil {
			fields[manager] = map[string]map[string]any{}
		}
		if fields[manager]["f:"+in] == nil {
			fields[manager]["f:"+in] = map[string]any{}
		}
		fields[manager]["f:"+in]["f:"+key] = map[string]any{}
	}
	meta.Labels, meta.Annotations = values["labels"], values["annotations"]
	for _, manager := range slices.Sorted(maps.Keys(fields)) {
		f := entryOfManager(t, manager)
		if owned := fields[manager]; owned != nil {
			all := map[string]any{}
			for in, keys := range owned {
				if in == "f:labels" || in == "f:annotations" {
					all["f:metadata"] = map[string]any{in: keys}
				} else {
					all[in] = keys
				}
			}
			raw, err := json.Marshal(all)
			if err != nil {
				t.Fatal(err)
			}
			f.FieldsV1 = metav1.NewFieldsV1(string(raw))
		}
		meta.ManagedFields = append(meta.ManagedFields, f)
	}
	if kind == eval.Secret {
		data := map[string][]byte{}
		for key, value := range values["data"] {
			data[key] = []byte(value)
		}
		return eval.NewSnapshot(&corev1.Secret{ObjectMeta: meta, Data: data, Type: "Opaque"}, time.Time{})
	}
	binary := map[string][]byte{}
	for key, value := range values["binaryData"] {
		binary[key] = []byte(value)
	}
	return eval.NewSnapshot(&corev1.ConfigMap{ObjectMeta: meta, Data: values["data"], BinaryData: binary}, time.Time{})
}

// words are the words of a snapshot, beginning with its version.
type words = []string

// change writes a text to a key of data; the text "" removes the key.
func change(key, from, to string) eval.Change {
	entry := func(text string) eval.Value {
		if text == "" {
			return eval.Value{}
		}
		return eval.Text(text)
	}
	return eval.Change{Key: key, From: entry(from), To: entry(to)}
}

// The field manager of each write is "engine". Every case has the base, a later read, and the outcome that the
// rules determine.
func TestOutcomeOfALostWrite(t *testing.T) {
	t.Parallel()
	const unknown, unresolved, applied, alone = eval.LostUnknown, eval.LostUnresolved, eval.LostApplied,
		eval.LostAppliedAlone
	type changes = []eval.Change
	foo := changes{change("foo", "1", "2")}
	adds := changes{change("foo", "", "2")}
	both := changes{change("foo", "1", "2"), change("bar", "1", "2")}
	removes := changes{change("foo", "1", "")}
	replaces := changes{change("foo", "1", "2"), change("bar", "1", "")}
	guarded := changes{
		change("foo", "1", "2"),
		{Key: "bar", From: eval.Text("1"), To: eval.Text("1"), IsGuard: true},
	}
	toBinary := changes{{Key: "foo", From: eval.Text("1"), To: eval.Binary([]byte("2"))}}
	secret := changes{{Key: "foo", From: eval.Binary([]byte("1")), To: eval.Binary([]byte("2"))}}
	label := changes{change(eval.LabelKey("a"), "1", "2")}
	for name, test := range map[string]struct {
		kind      eval.Kind
		changes   changes
		base, now words
		want      eval.LostOutcome
	}{
		// The version and the uid.
		"the version of the base": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"7", "data.foo=1 kubectl"}, unresolved,
		},
		"the version of the base, by another uid": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"x/7", "data.foo=2 engine@2"}, unknown,
		},
		"recreated with what was sent": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"x/9", "data.foo=2 engine@2"}, unknown,
		},

		// Our entry changed.
		"our entry is new": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"8", "data.foo=2 engine@2"}, alone,
		},
		"our entry gained the path within the second": {
			"", foo,
			words{"7", "data.foo=1 kubectl", "data.bar=1 engine"},
			words{"8", "data.foo=2 engine", "data.bar=1 engine"},
			alone,
		},
		"our entry has a later timestamp": {
			"", foo, words{"7", "data.foo=1 engine"}, words{"8", "data.foo=2 engine@2"}, alone,
		},
		"our entry has an earlier timestamp, by the clock of another API server": {
			"", foo, words{"7", "data.foo=1 engine@2"}, words{"8", "data.foo=2 engine@1"}, alone,
		},
		"our entry changed, and another writer wrote since": {
			"", foo,
			words{"7", "data.foo=1 kubectl", "data.bar=1 helm"},
			words{"9", "data.foo=2 engine@2", "data.bar=9 helm@2"},
			applied,
		},
		"our entry changed, and another writer wrote within the second": {
			"", foo,
			words{"7", "data.foo=1 kubectl", "data.bar=1 helm"},
			words{"9", "data.foo=2 engine@2", "data.bar=9 helm"},
			applied,
		},
		"our entry changed, and another writer owns the key too, by server-side apply": {
			"", foo,
			words{"7", "data.foo=1 kubectl"},
			words{"9", "data.foo=2 engine@2", "data.foo=2 argocd@2!"},
			applied,
		},
		"our entry of another API version lost the key to the entry of ours": {
			"", foo, words{"7", "data.foo=1 engine~v0"}, words{"8", "data.foo=2 engine@2"}, alone,
		},
		"our entry of another API version changed": {
			"", foo,
			words{"7", "data.foo=1 engine@1~v0"},
			words{"9", "data.foo=2 engine@2~v0", "data.bar=9 helm@2"},
			applied,
		},
		"our entries of two API versions changed neither": {
			"", foo,
			words{"7", "data.foo=1 engine@1", "data.baz=1 engine@2~v0"},
			words{"9", "data.foo=2 engine@1", "data.baz=1 engine@2~v0", "data.bar=9 helm@2"},
			unknown,
		},
		"two keys": {
			"", both,
			words{"7", "data.foo=1 kubectl", "data.bar=1 kubectl"},
			words{"8", "data.foo=2 engine@2", "data.bar=2 engine@2"},
			alone,
		},
		"a label": {
			"", label, words{"7", "labels.a=1 kubectl"}, words{"8", "labels.a=2 engine@2"}, alone,
		},
		"a key of a Secret": {
			eval.Secret, secret, words{"7", "data.foo=1 kubectl"}, words{"8", "data.foo=2 engine@2"}, alone,
		},
		"our entry gained another path, and the key is another writer's": {
			"", foo,
			words{"7", "data.foo=1 kubectl", "data.bar=1 engine"},
			words{"9", "data.foo=2 kubectl", "data.bar=1 engine", "labels.a=1 engine"},
			unknown,
		},
		"a copy of an old version was stored, with its managedFields": {
			"", foo,
			words{"7", "data.foo=1 kubectl", "data.bar=1 engine@3"},
			words{"8", "data.foo=2 helm@4", "data.bar=1 engine@2"},
			unknown,
		},

		// Entries of other writers.
		"another writer wrote the same value": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"8", "data.foo=2 helm@2"}, unknown,
		},
		"the owner of the key wrote the same value within the second": {
			"", foo,
			words{"7", "data.foo=1 kubectl", "data.bar=1 engine"},
			words{"8", "data.foo=2 kubectl", "data.bar=1 engine"},
			unknown,
		},
		"another writer took over our value": {
			"", foo,
			words{"7", "data.foo=1 engine", "data.bar=1 engine"},
			words{"8", "data.foo=2 helm@2", "data.bar=1 engine"},
			unknown,
		},
		"our field manager, through a subresource": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"8", "data.foo=2 engine@2/status"}, unknown,
		},
		"our field manager, by server-side apply": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"8", "data.foo=2 engine@2!"}, unknown,
		},
		"our entry in ancient-changes": {
			"", foo,
			words{"7", "data.foo=1 kubectl"},
			words{"9", "data.foo=2 ancient-changes@2", "data.bar=1 helm@3"},
			unknown,
		},
		"no managedFields": {
			"", foo, words{"7", "data.foo=1"}, words{"8", "data.foo=2"}, unknown,
		},
		"managedFields stripped since": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"9", "data.foo=2"}, unknown,
		},
		"our entry cannot be read": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"8", "data.foo=2", "?engine@2"}, unknown,
		},

		// Nothing else changed, and our entry is as before.
		"our own key within the second": {
			"", foo, words{"7", "data.foo=1 engine"}, words{"8", "data.foo=2 engine"}, alone,
		},
		"our own key within the second, and another key changed": {
			"", foo,
			words{"7", "data.foo=1 engine", "data.bar=1 helm"},
			words{"8", "data.foo=2 engine", "data.bar=9 helm"},
			unknown,
		},
		"our own key within the second, and another key is new": {
			"", foo, words{"7", "data.foo=1 engine"}, words{"8", "data.foo=2 engine", "data.bar=9"}, unknown,
		},
		"our own key within the second, and another key is missing": {
			"", foo, words{"7", "data.foo=1 engine", "data.bar=1 helm"}, words{"8", "data.foo=2 engine"}, unknown,
		},
		"our own key within the second, and a label changed": {
			"", foo, words{"7", "data.foo=1 engine"}, words{"8", "data.foo=2 engine", "labels.a=1"}, unknown,
		},
		"our own key within the second, and a finalizer was added": {
			"", foo, words{"7", "data.foo=1 engine"}, words{"8", "data.foo=2 engine", "finalizer.x"}, unknown,
		},
		"our own key within the second, and an owner reference was removed": {
			"", foo, words{"7", "data.foo=1 engine", "owner.x"}, words{"8", "data.foo=2 engine"}, unknown,
		},
		"our own key within the second, and the object is being deleted": {
			"", foo, words{"7", "data.foo=1 engine"}, words{"8", "data.foo=2 engine", "deleting"}, unknown,
		},
		"our own key within the second, and ancient-changes gained a path": {
			"", foo,
			words{"7", "data.foo=1 engine", "data.a=1 ancient-changes", "data.b=1 helm"},
			words{"8", "data.foo=2 engine", "data.a=1 ancient-changes", "data.b=1 ancient-changes"},
			unknown,
		},
		"our own key within the second, and another entry has another timestamp": {
			"", foo,
			words{"7", "data.foo=1 engine", "data.bar=1 helm"},
			words{"9", "data.foo=2 engine", "data.bar=1 helm@2"},
			unknown,
		},
		"our own key within the second, and another entry gained a path": {
			"", foo,
			words{"7", "data.foo=1 engine", "data.bar=1 helm"},
			words{"9", "data.foo=2 engine", "data.bar=1 helm", "data.foo=2 helm"},
			unknown,
		},
		"our own key within the second, and another entry is unreadable and has another timestamp": {
			"", foo, words{"7", "data.foo=1 engine", "?helm"}, words{"9", "data.foo=2 engine", "?helm@2"}, unknown,
		},
		"our own key within the second, and another entry lost its last path": {
			"", both,
			words{"7", "data.foo=1 engine", "data.bar=1 helm"},
			words{"8", "data.foo=2 engine", "data.bar=2 engine"},
			alone,
		},
		"two keys, of which our entry owns one": {
			"", both,
			words{"7", "data.foo=1 engine", "data.bar=1 helm"},
			words{"8", "data.foo=2 engine", "data.bar=2 helm"},
			unknown,
		},
		"a key of a Secret that nobody applied as stringData": {
			eval.Secret, secret, words{"7", "data.foo=1 engine"}, words{"8", "data.foo=2 engine"}, alone,
		},
		"a key of a Secret that another writer applies as stringData, within the second": {
			eval.Secret, secret,
			words{"7", "data.foo=1 engine", "stringData.foo helm!"},
			words{"8", "data.foo=2 engine", "stringData.foo helm!"},
			unknown,
		},
		"a key of a Secret that another writer applied as stringData since": {
			eval.Secret, secret,
			words{"7", "data.foo=1 engine"},
			words{"8", "data.foo=2 engine", "stringData.foo helm!"},
			unknown,
		},
		"a key of a Secret beside another key that was applied as stringData": {
			eval.Secret, secret,
			words{"7", "data.foo=1 engine", "data.bar=1", "stringData.bar helm!"},
			words{"8", "data.foo=2 engine", "data.bar=1", "stringData.bar helm!"},
			alone,
		},

		// The object does not have the value that was sent.
		"the value of the base": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"8", "data.foo=1 kubectl", "data.bar=9 helm@2"}, unknown,
		},
		"the value of the base, and our entry owns it: applied, and undone by a policy": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"8", "data.foo=1 engine@2"}, unknown,
		},
		"another value": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"9", "data.foo=3 helm@2"}, unknown,
		},
		"one of two keys was overwritten": {
			"", both,
			words{"7", "data.foo=1 kubectl", "data.bar=1 kubectl"},
			words{"9", "data.foo=2 engine@2", "data.bar=3 helm@2"},
			unknown,
		},
		"the key is missing": {
			"", foo, words{"7", "data.foo=1 kubectl"}, words{"9"}, unknown,
		},
		"a key moved from data to binaryData since": {
			"", foo,
			words{"7", "data.foo=1 engine"},
			words{"9", "binaryData.foo=2 helm@2", "data.x=1 engine@2"},
			unknown,
		},
		"a text where bytes were sent": {
			"", toBinary, words{"7", "data.foo=1 kubectl"}, words{"9", "data.foo=2 engine@2"}, unknown,
		},
		"a write moves a key to binaryData": {
			"", toBinary, words{"7", "data.foo=1 kubectl"}, words{"8", "binaryData.foo=2 engine@2"}, alone,
		},
		"a value that differs in its Unicode form only": {
			"",
			changes{change("foo", "1", "\u00e9")},
			words{"7", "data.foo=1 kubectl"},
			words{"8", "data.foo=e\u0301 engine@2"},
			unknown,
		},

		// Removals.
		"a removal": {
			"", removes, words{"7", "data.foo=1 engine"}, words{"8"}, unknown,
		},
		"a removal of a key that is in binaryData since": {
			"", removes, words{"7", "data.foo=1 engine"}, words{"8", "binaryData.foo=1 helm@2"}, unknown,
		},
		"a removal beside a set": {
			"", replaces,
			words{"7", "data.foo=1 kubectl", "data.bar=1 kubectl"},
			words{"8", "data.foo=2 engine@2"},
			alone,
		},
		"a removal beside a set, and the removed key is there again": {
			"", replaces,
			words{"7", "data.foo=1 kubectl", "data.bar=1 kubectl"},
			words{"9", "data.foo=2 engine@2", "data.bar=1 helm@2"},
			unknown,
		},
		"a removal beside a set, and the removed key moved": {
			"", replaces,
			words{"7", "data.foo=1 kubectl", "data.bar=1 kubectl"},
			words{"9", "data.foo=2 engine@2", "binaryData.bar=1 helm@2"},
			unknown,
		},
		"a new key": {
			"", adds, words{"7", "data.bar=1 kubectl"}, words{"8", "data.foo=2 engine@2", "data.bar=1 kubectl"}, alone,
		},
		"a key that is compared only proves nothing": {
			"", guarded,
			words{"7", "data.foo=1 kubectl", "data.bar=1 engine"},
			words{"8", "data.foo=1 kubectl", "data.bar=1 engine@2"},
			unknown,
		},
		"a key that is compared only may change since": {
			"", guarded,
			words{"7", "data.foo=1 kubectl", "data.bar=1 helm"},
			words{"9", "data.foo=2 engine@2", "data.bar=3 helm@2"},
			applied,
		},
		"nothing was written": {
			"", changes{}, words{"7", "data.foo=1 engine"}, words{"8", "data.foo=1 engine@2"}, unknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := eval.LostWrite{
				Manager: "engine",
				Base:    snapshot(t, test.kind, test.base[0], test.base[1:]...), Changes: test.changes,
			}
			got, reason := w.Outcome(snapshot(t, test.kind, test.now[0], test.now[1:]...))
			if got != test.want || (reason != nil) != (got == unknown) {
				t.Errorf("%d (%v), want %d", got, reason, test.want)
			}
		})
	}
}

// fieldsAt returns an object of the API version v1 with a spec. Each entry is "manager fields", as entryOfManager
// parses the manager.
func fieldsAt(t *testing.T, version, spec string, entries ...string) *eval.Snapshot {
	t.Helper()
	var managed []metav1.ManagedFieldsEntry
	for _, each := range entries {
		manager, fields, _ := strings.Cut(each, " ")
		f := entryOfManager(t, manager)
		f.FieldsV1 = metav1.NewFieldsV1(`{"f:spec":` + fields + `}`)
		managed = append(managed, f)
	}
	raw, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": "u", "resourceVersion": version, "managedFields": managed},
		"spec":     json.RawMessage(spec),
	})
	if err != nil {
		t.Fatal(err)
	}
	o, err := eval.DecodeSnapshot(eval.KindOf("apps", "Deployment"), "v1", raw, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A write of one field, of kinds other than ConfigMap and Secret. The API server may store it in another form.
func TestOutcomeOfALostWriteOfFields(t *testing.T) {
	t.Parallel()
	const n, others = `{"f:n":{}}`, `kubectl {"f:n":{},"f:m":{}}`
	type entries = []string
	for name, test := range map[string]struct {
		path, from, to string
		base           string
		baseEntries    entries
		now            string
		nowEntries     entries
		isApplied      bool
	}{
		"our entry changed": {
			"spec.n", "1", "2", `{"n":1}`, entries{others}, `{"n":2}`, entries{"engine@2 " + n}, true,
		},
		"our entry gained the field within the second": {
			"spec.n", "1", "2", `{"n":1,"m":1}`,
			entries{others, `engine {"f:x":{}}`},
			`{"n":2,"m":1}`,
			entries{`engine {"f:x":{},"f:n":{}}`},
			true,
		},
		"our own field within the second": {
			"spec.n", "1", "2", `{"n":1}`, entries{"engine " + n}, `{"n":2}`, entries{"engine " + n}, false,
		},
		"an autoscaler wrote the same value": {
			"spec.n", "1", "2", `{"n":1}`, entries{"engine " + n}, `{"n":2}`, entries{"hpa@2/scale " + n}, false,
		},
		"another API version of another writer": {
			"spec.n", "1", "2", `{"n":1}`, entries{"engine " + n}, `{"n":2}`, entries{"kubectl@2~v2 " + n}, false,
		},
		"managedFields as before, as of an object that does not fit its definition": {
			"spec.n", "1", "2", `{"n":1}`, entries{"engine " + n}, `{"n":2}`, entries{"engine " + n}, false,
		},
		"a default beside it": {
			"spec.x", "", `{"a":1}`, `{}`,
			entries{},
			`{"x":{"a":1,"b":2}}`,
			entries{`engine@2 {"f:x":{"f:a":{},"f:b":{}}}`},
			true,
		},
		"a member is missing": {
			"spec.x", "", `{"a":1,"b":1}`, `{}`,
			entries{},
			`{"x":{"a":1}}`,
			entries{`engine@2 {"f:x":{"f:a":{}}}`},
			false,
		},
		"a list with a default in an element": {
			"spec.x", "", `[{"a":1}]`, `{}`, entries{}, `{"x":[{"a":1,"b":2}]}`, entries{`engine@2 {"f:x":{}}`}, true,
		},
		"a list with another element": {
			"spec.x", "", `[{"a":1}]`, `{}`,
			entries{},
			`{"x":[{"a":1},{"a":2}]}`,
			entries{`engine@2 {"f:x":{}}`},
			false,
		},
		"a list in another order": {
			"spec.x", "", `["a","b"]`, `{}`, entries{}, `{"x":["b","a"]}`, entries{`engine@2 {"f:x":{}}`}, false,
		},
		"a quantity in another spelling": {
			"spec.n", `"500m"`, `"1000m"`, `{"n":"500m"}`,
			entries{others},
			`{"n":"1"}`,
			entries{"engine@2 " + n},
			true,
		},
		"a number where a quantity was sent": {
			"spec.n", `"500m"`, `"1000m"`, `{"n":"500m"}`, entries{others}, `{"n":1}`, entries{"engine@2 " + n}, true,
		},
		"another quantity": {
			"spec.n", `"500m"`, `"1000m"`, `{"n":"500m"}`,
			entries{others},
			`{"n":"1001m"}`,
			entries{"engine@2 " + n},
			false,
		},
		"an equal quantity in the base proves nothing": {
			"spec.n", `"1"`, `"1000m"`, `{"n":"1","m":1}`,
			entries{others},
			`{"n":"1","m":2}`,
			entries{"engine@2 " + n, `kubectl {"f:m":{}}`},
			false,
		},
		"a number above 2^53": {
			"spec.n", "1", "9007199254740993", `{"n":1}`,
			entries{others},
			`{"n":9007199254740992}`,
			entries{"engine@2 " + n},
			false,
		},
		"text is no number": {
			"spec.n", `"a"`, `"b"`, `{"n":"a"}`, entries{others}, `{"n":true}`, entries{"engine@2 " + n}, false,
		},
		"text that reads as a number of many digits": {
			"spec.n", `"a"`, `"7e20251127"`, `{"n":"a"}`,
			entries{others},
			`{"n":"5"}`,
			entries{"engine@2 " + n},
			false,
		},
		"text that reads as a very small number": {
			"spec.n", `"a"`, `"7e-20251127"`, `{"n":"a"}`,
			entries{others},
			`{"n":"5"}`,
			entries{"engine@2 " + n},
			false,
		},
		"a map where a value was sent": {
			"spec.n", "1", "2", `{"n":1}`, entries{others}, `{"n":{"a":2}}`, entries{"engine@2 " + n}, false,
		},
		"a value where a map was sent": {
			"spec.n", "1", `{"a":2}`, `{"n":1}`, entries{others}, `{"n":2}`, entries{"engine@2 " + n}, false,
		},
		"a removal": {
			"spec.n", "1", "", `{"n":1}`, entries{"engine " + n}, `{}`, entries{}, false,
		},
		"a member is removed from a map that is set": {
			"spec.x", `{"a":1,"b":1}`, `{"a":1}`, `{"x":{"a":1,"b":1}}`,
			entries{},
			`{"x":{"a":1}}`,
			entries{`engine@2 {"f:n":{}}`},
			false,
		},
		"an element, by another member than its key": {
			"spec.x[v=1].w", "1", "2", `{"x":[{"id":1,"v":1,"w":1}]}`,
			entries{},
			`{"x":[{"id":1,"v":1,"w":2}]}`,
			entries{`engine@2 {"f:x":{"k:{\"id\":1}":{"f:w":{}}}}`},
			true,
		},
		"the element is missing": {
			"spec.x[id=1].w", "1", "2", `{"x":[{"id":1,"w":1}]}`,
			entries{},
			`{"x":[]}`,
			entries{`engine@2 {"f:x":{"k:{\"id\":1}":{"f:w":{}}}}`},
			false,
		},
		"a map that is owned as a whole": {
			"spec.x.a", "1", "2", `{"x":{"a":1}}`, entries{}, `{"x":{"a":2}}`, entries{`engine@2 {"f:x":{}}`}, true,
		},
		"the definition made a map of ours one that is owned as a whole, and another writer wrote the same value": {
			"spec.n", "1", "2", `{"n":1,"x":{"a":1}}`,
			entries{others, `engine {"f:x":{"f:a":{}}}`},
			`{"n":2,"x":{"a":1}}`,
			entries{"kubectl@2 " + n, `engine {"f:x":{}}`},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := eval.LostWrite{
				Manager: "engine", Base: fieldsAt(t, "7", test.base, test.baseEntries...),
				Changes: []eval.Change{{
					Key: fieldKey(t, test.path), From: entryOf(t, test.from),
					To: entryOf(t, test.to),
				}},
			}
			want := eval.LostUnknown
			if test.isApplied {
				want = eval.LostApplied // never LostAppliedAlone
			}
			if got, reason := w.Outcome(fieldsAt(t, "9", test.now, test.nowEntries...)); got != want {
				t.Errorf("%d (%v), want %d", got, reason, want)
			}
		})
	}
}

func TestLostWriteOfADeletedObject(t *testing.T) {
	t.Parallel()
	w := eval.LostWrite{
		Manager: "engine", Base: snapshot(t, "", "7", "data.foo=1 engine"),
		Changes: []eval.Change{change("foo", "1", "2")},
	}
	if got, reason := w.Outcome(&eval.Snapshot{}); got != eval.LostUnknown || reason == nil {
		t.Errorf("%d (%v), want that the outcome is unknown", got, reason)
	}
}
