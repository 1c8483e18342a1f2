package eval_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change eval.Change
		want   string
	}{
		"text":              {eval.Change{Key: "k", From: eval.Value{}, To: eval.Text("a<b&c>d\u2028")}, `{"data":{"k":"a<b&c>d\u2028"}}`},
		"empty text":        {eval.Change{Key: "k", From: eval.Text("x"), To: eval.Text("")}, `{"data":{"k":""}}`},
		"bytes":             {eval.Change{Key: "k", From: eval.Value{}, To: eval.Binary([]byte{0, 255})}, `{"binaryData":{"k":"AP8="}}`},
		"empty bytes":       {eval.Change{Key: "k", From: eval.Value{}, To: eval.Binary(nil)}, `{"binaryData":{"k":""}}`},
		"text to bytes":     {eval.Change{Key: "k", From: eval.Text("x"), To: eval.Binary([]byte{1})}, `{"data":{"k":null},"binaryData":{"k":"AQ=="}}`},
		"bytes to text":     {eval.Change{Key: "k", From: eval.Binary([]byte{1}), To: eval.Text("x")}, `{"data":{"k":"x"},"binaryData":{"k":null}}`},
		"removal of text":   {eval.Change{Key: "k", From: eval.Text("x"), To: eval.Value{}}, `{"data":{"k":null}}`},
		"removal of bytes":  {eval.Change{Key: "k", From: eval.Binary([]byte{1}), To: eval.Value{}}, `{"binaryData":{"k":null}}`},
		"removal of absent": {eval.Change{Key: "k", From: eval.Value{}, To: eval.Value{}}, `{}`},
		"immutable":         {eval.Change{Key: eval.ImmutableKey, To: eval.Bool(true)}, `{"immutable":true}`},
		"not immutable":     {eval.Change{Key: eval.ImmutableKey, To: eval.Bool(false)}, `{"immutable":false}`},
		"immutable removed": {eval.Change{Key: eval.ImmutableKey, From: eval.Bool(false)}, `{"immutable":null}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := configMapAt(eval.Version{UID: "u", ResourceVersion: "7"}, nil, func(cm *corev1.ConfigMap) {
				if text, isText := test.change.From.Text(); isText {
					cm.Data = map[string]string{"k": text}
				} else if raw, isBinary := test.change.From.Binary(); isBinary {
					cm.BinaryData = map[string][]byte{"k": raw}
				} else if !test.change.From.IsAbsent() {
					cm.Immutable = new(false)
				}
			})
			r, err := eval.Patch(base, []eval.Change{test.change}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			want["metadata"] = map[string]any{"uid": "u", "resourceVersion": "7"}
			wantJSON(t, string(evaltest.Marshal(t, want)), string(r.Body))
		})
	}
}

// Given changes of keys, labels and immutable, a key that is only compared, and managedFields to begin with; then all but what is compared is in
// the one patch, beside the version.
func TestPatchOfAWholeTransaction(t *testing.T) {
	t.Parallel()
	configMap := configMapAt(eval.Version{UID: "u", ResourceVersion: "7"}, map[string]string{"foo": "1", "guard": "1"}, func(cm *corev1.ConfigMap) {
		cm.Labels, cm.Annotations = map[string]string{"old": "1"}, map[string]string{"example.com/note": "1"}
	})
	secret := eval.NewSnapshot(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{UID: "u", ResourceVersion: "7"}}, time.Time{})
	one, two := eval.Text("1"), eval.Text("2")
	changes := []eval.Change{
		{Key: "foo", From: one, To: two},
		{Key: "guard", From: one, To: one, IsGuard: true},
		{Key: eval.ImmutableKey, To: eval.Bool(true)},
		{Key: eval.LabelKey("app"), To: eval.Text("shop")},
		{Key: eval.LabelKey("old"), From: one},
		{Key: eval.AnnotationKey("example.com/note"), From: one, To: two},
	}
	for name, test := range map[string]struct {
		base    *eval.Snapshot
		changes []eval.Change
		owner   *metav1.ManagedFieldsEntry
		want    string
		as      types.PatchType
	}{
		"all of it": {configMap, changes, nil, `{"data":{"foo":"2"},"immutable":true,
			"metadata":{"uid":"u","resourceVersion":"7","labels":{"app":"shop","old":null},
			"annotations":{"example.com/note":"2"}}}`, types.StrategicMergePatchType},
		"of a Secret": {
			secret,
			[]eval.Change{{Key: "foo", To: eval.Binary([]byte("1"))}},
			nil,
			`{"data":{"foo":"MQ=="},"metadata":{"uid":"u","resourceVersion":"7"}}`, types.StrategicMergePatchType,
		},
		"with an owner": {
			configMap, nil, &metav1.ManagedFieldsEntry{Manager: "engine"},
			`{"metadata":{"uid":"u","resourceVersion":"7","managedFields":[{"manager":"engine"}]}}`, types.StrategicMergePatchType,
		},
		"of a key that would be a directive": {
			configMap,
			[]eval.Change{{Key: "$patch", To: one}},
			nil,
			`{"data":{"$patch":"1"},"metadata":{"uid":"u","resourceVersion":"7"}}`, types.MergePatchType,
		},
		"of a label that would be a directive": {
			configMap,
			[]eval.Change{{Key: eval.LabelKey("$retainKeys"), To: one}},
			nil,
			`{"metadata":{"uid":"u","resourceVersion":"7","labels":{"$retainKeys":"1"}}}`, types.MergePatchType,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := eval.Patch(test.base, test.changes, test.owner)
			if err != nil {
				t.Fatal(err)
			}
			wantJSON(t, test.want, string(r.Body))
			if r.Kind != test.as {
				t.Errorf("it is sent as %s, want %s", r.Kind, test.as)
			}
		})
	}
}

// wantJSON compares what two texts say in JSON.
func wantJSON(t *testing.T, want, got string) {
	t.Helper()
	var wanted, gotten any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &gotten); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, gotten); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
