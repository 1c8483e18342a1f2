package eval_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	for version, valid := range map[string]bool{"7": true, "": false, "0": false, "00": true, "opaque": true} {
		if got := (eval.Version{UID: "u", ResourceVersion: version}).Valid(); got != valid {
			t.Errorf("a request conditional on %q is conditional: %t, want %t", version, got, valid)
		}
	}
}

// The snapshot of a missing object is empty.
func TestObservationOfNothing(t *testing.T) {
	t.Parallel()
	o := &eval.Snapshot{}
	if o.Exists() || o.Version() != (eval.Version{}) || !o.Value("foo").IsAbsent() || len(o.Entries()) > 0 || o.Labels() != nil || o.Annotations() != nil ||
		o.Immutable() || o.Terminating() || o.Size() != 0 || o.Type() != "" || o.IsVersioned() || o.Writers() != nil {
		t.Errorf("%+v is something", o)
	}
	if none := eval.NewSnapshot(&corev1.Pod{}, time.Now()); none != nil || none.IsVersioned() {
		t.Errorf("a Pod is seen as %+v", none)
	}
}

func TestObservationOfEachKind(t *testing.T) {
	t.Parallel()
	meta := metav1.ObjectMeta{
		UID: "u", ResourceVersion: "7", Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"note": "n"},
		DeletionTimestamp: new(metav1.Now()),
	}
	begun := time.Unix(1000, 0)
	for name, test := range map[string]struct {
		seen    *eval.Snapshot
		entries map[string]eval.Value
		kind    string
	}{
		"ConfigMap": {
			eval.NewSnapshot(&corev1.ConfigMap{
				ObjectMeta: meta, Data: map[string]string{"foo": "one"}, BinaryData: map[string][]byte{"raw": {0, 255}}, Immutable: new(true),
			}, begun),
			map[string]eval.Value{"foo": eval.Text("one"), "raw": eval.Binary([]byte{0, 255})},
			"",
		},
		"Secret": {
			eval.NewSnapshot(&corev1.Secret{
				ObjectMeta: meta, Data: map[string][]byte{"foo": []byte("one"), "raw": {0, 255}}, Immutable: new(true), Type: "Opaque",
			}, begun),
			map[string]eval.Value{"foo": eval.Binary([]byte("one")), "raw": eval.Binary([]byte{0, 255})},
			"Opaque",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := test.seen
			if diff := cmp.Diff(test.entries, o.Entries(), cmp.Comparer(func(a, b eval.Value) bool { return a == b })); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			if o.Value("foo") != test.entries["foo"] || o.Value("raw") != test.entries["raw"] || !o.Value("none").IsAbsent() {
				t.Error("a key is not what it is among all")
			}
			if o.Version() != (eval.Version{UID: "u", ResourceVersion: "7"}) || o.Size() != 5 || !o.Immutable() || !o.Terminating() ||
				o.Type() != test.kind || o.Labels()["app"] != "shop" || o.Annotations()["note"] != "n" || !o.Begun.Equal(begun) || !o.IsVersioned() {
				t.Errorf("seen is %+v", o)
			}
		})
	}
}

// Given an object without a uid, or without a version that a request can be conditional on; then no write can be conditional on it.
func TestIsVersioned(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		v    eval.Version
		want bool
	}{
		"both":                {eval.Version{UID: "u", ResourceVersion: "7"}, true},
		"no uid":              {eval.Version{ResourceVersion: "7"}, false},
		"no version":          {eval.Version{UID: "u"}, false},
		"one that means none": {eval.Version{UID: "u", ResourceVersion: "0"}, false},
	} {
		if got := configMapAt(test.v, nil).IsVersioned(); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// Given an object with U+FFFD, which may stand for text that is not UTF-8; when a field is written; then the write is
// refused unless that text is in the status, because the API server would store U+FFFD.
func TestWriteBesideTextThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	deployment := eval.KindOf("apps", "Deployment")
	key, err := eval.FieldKey(deployment, "spec.replicas")
	if err != nil {
		t.Fatal(err)
	}
	txn := &eval.Txn{Ref: eval.Ref{Kind: deployment, Name: "web"}, Keys: []eval.KeySwap{{Key: key, New: eval.Text("1")}}}
	for object, want := range map[string]bool{
		`{"spec":{"a":"caf\u00e9"}}`:                                  true,
		`{"spec":{"a":["\ufffd"]}}`:                                   false,
		`{"metadata":{"annotations":{"note":"\ufffd"}}}`:              false,
		`{"spec":{"a":"1"},"status":{"conditions":[{"a":"\ufffd"}]}}`: true,
	} {
		o, err := eval.DecodeSnapshot(deployment, "apps/v1", []byte(object), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if got := eval.Evaluate(txn, o, nil, &eval.Chain{}); (got.Action == eval.Write) != want {
			t.Errorf("%s: action %d (%v), want a write: %t", object, got.Action, got.Err, want)
		}
	}
}

// manages is an entry of managedFields.
func manages(manager string, operation metav1.ManagedFieldsOperationType, subresource, fields string) func(*corev1.ConfigMap) {
	return func(cm *corev1.ConfigMap) {
		f := metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, Subresource: subresource}
		if fields != "" {
			f.FieldsV1 = metav1.NewFieldsV1(fields)
		}
		cm.ManagedFields = append(cm.ManagedFields, f)
	}
}

const (
	update = metav1.ManagedFieldsOperationUpdate
	apply  = metav1.ManagedFieldsOperationApply
	ofFoo  = `{"f:data":{"f:foo":{}}}`
	ofBar  = `{"f:data":{"f:bar":{}}}`
	ofBoth = `{"f:data":{"f:foo":{},"f:bar":{}}}`
)

// Given managedFields; then the owners of a key are all managers that own it; none if one of them is not known.
func TestOwnersOfAKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		managers []func(*corev1.ConfigMap)
		owners   []string
	}{
		"no managedFields":                {nil, nil},
		"of another key":                  {[]func(*corev1.ConfigMap){manages("other", update, "", ofBar)}, nil},
		"one manager":                     {[]func(*corev1.ConfigMap){manages("other", update, "", ofBar), manages("mine", update, "", ofFoo)}, []string{"mine"}},
		"two who applied the same":        {[]func(*corev1.ConfigMap){manages("a", apply, "", ofFoo), manages("b", apply, "", ofBoth)}, []string{"a", "b"}},
		"one entry has no fields":         {[]func(*corev1.ConfigMap){manages("mine", update, "", ofFoo), manages("other", update, "", "")}, nil},
		"one entry cannot be read":        {[]func(*corev1.ConfigMap){manages("mine", update, "", ofFoo), manages("other", update, "", "{")}, nil},
		"ancient-changes own the key":     {[]func(*corev1.ConfigMap){manages(ancient, update, "", ofFoo), manages("mine", update, "", ofBar)}, nil},
		"ancient-changes own another key": {[]func(*corev1.ConfigMap){manages(ancient, update, "", ofBar), manages("mine", update, "", ofFoo)}, []string{"mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := configMapAt(eval.Version{}, map[string]string{"foo": "1", "bar": "1"}, test.managers...)
			var names []string
			for _, w := range o.Owners("foo") {
				names = append(names, w.Manager)
			}
			if diff := cmp.Diff(test.owners, names); diff != "" || o.Owners("none") != nil {
				t.Errorf("owners (-want +got):\n%s", diff)
			}
		})
	}
}

// Given an object with entries of both maps, metadata and immutable; then each is a field of its own, and is found by its key.
func TestFieldsAndTheirKeys(t *testing.T) {
	t.Parallel()
	o := configMapAt(eval.Version{}, map[string]string{"foo": "1", "app": "an entry"}, func(cm *corev1.ConfigMap) {
		cm.BinaryData = map[string][]byte{"raw": {1}}
		cm.Labels, cm.Annotations, cm.Immutable = map[string]string{"app": "shop"}, map[string]string{"example.com/note": "n"}, new(true)
	})
	for key, want := range map[string]struct{ path, holds string }{
		"foo": {".data.foo", "1"}, "app": {".data.app", "an entry"}, "raw": {".binaryData.raw", "\x01"},
		eval.LabelKey("app"):                   {".metadata.labels.app", "shop"},
		eval.AnnotationKey("example.com/note"): {".metadata.annotations.example.com/note", "n"},
		eval.ImmutableKey:                      {".immutable", "true"},
	} {
		e := o.Value(key)
		isEntry := key == "foo" || key == "app" || key == "raw"
		if e.Raw() != want.holds || o.Path(key, e).String() != want.path || eval.IsEntry(key) != isEntry {
			t.Errorf("%s holds %q at %s, entry: %t", key, e.Raw(), o.Path(key, e), eval.IsEntry(key))
		}
	}
	for _, key := range []string{eval.LabelKey("none"), eval.AnnotationKey("none"), "app/x"} {
		if !o.Value(key).IsAbsent() {
			t.Errorf("%s is there", key)
		}
	}
	for _, immutable := range []*bool{nil, new(false)} {
		o := configMapAt(eval.Version{}, nil, func(cm *corev1.ConfigMap) { cm.Immutable = immutable })
		if !o.Value(eval.ImmutableKey).IsAbsent() {
			t.Error("immutable is there")
		}
	}
}

// managedFields name what a Secret holds by its own map.
func TestPathOfAnEntry(t *testing.T) {
	t.Parallel()
	configMap, secret := configMapAt(eval.Version{}, nil), eval.NewSnapshot(&corev1.Secret{}, time.Time{})
	text, bytes := eval.Text("1"), eval.Binary([]byte("1"))
	for want, got := range map[string]string{
		".data.foo": configMap.Path("foo", text).String(), ".binaryData.foo": configMap.Path("foo", bytes).String(),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := secret.Path("foo", bytes).String(); got != ".data.foo" {
		t.Errorf("%s, want .data.foo", got)
	}
}
