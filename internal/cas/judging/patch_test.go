package judging_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change judging.Change
		want   string
	}{
		"text":              {judging.Change{Key: "k", From: judging.Entry{}, To: judging.Text("a<b&c>d\u2028")}, `{"data":{"k":"a<b&c>d\u2028"}}`},
		"empty text":        {judging.Change{Key: "k", From: judging.Text("x"), To: judging.Text("")}, `{"data":{"k":""}}`},
		"bytes":             {judging.Change{Key: "k", From: judging.Entry{}, To: judging.Binary([]byte{0, 255})}, `{"binaryData":{"k":"AP8="}}`},
		"empty bytes":       {judging.Change{Key: "k", From: judging.Entry{}, To: judging.Binary(nil)}, `{"binaryData":{"k":""}}`},
		"text to bytes":     {judging.Change{Key: "k", From: judging.Text("x"), To: judging.Binary([]byte{1})}, `{"data":{"k":null},"binaryData":{"k":"AQ=="}}`},
		"bytes to text":     {judging.Change{Key: "k", From: judging.Binary([]byte{1}), To: judging.Text("x")}, `{"data":{"k":"x"},"binaryData":{"k":null}}`},
		"removal of text":   {judging.Change{Key: "k", From: judging.Text("x"), To: judging.Entry{}}, `{"data":{"k":null}}`},
		"removal of bytes":  {judging.Change{Key: "k", From: judging.Binary([]byte{1}), To: judging.Entry{}}, `{"binaryData":{"k":null}}`},
		"removal of absent": {judging.Change{Key: "k", From: judging.Entry{}, To: judging.Entry{}}, `{}`},
		"immutable":         {judging.Change{Key: judging.ImmutableKey, To: judging.Bool(true)}, `{"immutable":true}`},
		"not immutable":     {judging.Change{Key: judging.ImmutableKey, To: judging.Bool(false)}, `{"immutable":false}`},
		"immutable removed": {judging.Change{Key: judging.ImmutableKey, From: judging.Bool(false)}, `{"immutable":null}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := configMapAt(judging.Version{UID: "u", ResourceVersion: "7"}, nil, func(cm *corev1.ConfigMap) {
				if text, isText := test.change.From.Text(); isText {
					cm.Data = map[string]string{"k": text}
				} else if raw, isBinary := test.change.From.Binary(); isBinary {
					cm.BinaryData = map[string][]byte{"k": raw}
				} else if !test.change.From.IsAbsent() {
					cm.Immutable = new(false)
				}
			})
			r, err := judging.Patch(base, []judging.Change{test.change}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			want["metadata"] = map[string]any{"uid": "u", "resourceVersion": "7"}
			wantJSON(t, string(judgingtest.Marshal(t, want)), string(r.Body))
		})
	}
}

// Given changes of keys, labels and immutable, a key that is only compared, and managedFields to begin with; then all but what is compared is in
// the one patch, beside the version.
func TestPatchOfAWholeTransaction(t *testing.T) {
	t.Parallel()
	configMap := configMapAt(judging.Version{UID: "u", ResourceVersion: "7"}, map[string]string{"foo": "1", "guard": "1"}, func(cm *corev1.ConfigMap) {
		cm.Labels, cm.Annotations = map[string]string{"old": "1"}, map[string]string{"example.com/note": "1"}
	})
	secret := judging.Observed(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{UID: "u", ResourceVersion: "7"}}, time.Time{})
	one, two := judging.Text("1"), judging.Text("2")
	changes := []judging.Change{
		{Key: "foo", From: one, To: two},
		{Key: "guard", From: one, To: one, IsGuard: true},
		{Key: judging.ImmutableKey, To: judging.Bool(true)},
		{Key: judging.LabelKey("app"), To: judging.Text("shop")},
		{Key: judging.LabelKey("old"), From: one},
		{Key: judging.AnnotationKey("example.com/note"), From: one, To: two},
	}
	for name, test := range map[string]struct {
		base    *judging.Observation
		changes []judging.Change
		owner   *metav1.ManagedFieldsEntry
		want    string
		as      types.PatchType
	}{
		"all of it": {configMap, changes, nil, `{"data":{"foo":"2"},"immutable":true,
			"metadata":{"uid":"u","resourceVersion":"7","labels":{"app":"shop","old":null},
			"annotations":{"example.com/note":"2"}}}`, types.StrategicMergePatchType},
		"of a Secret": {
			secret,
			[]judging.Change{{Key: "foo", To: judging.Binary([]byte("1"))}},
			nil,
			`{"data":{"foo":"MQ=="},"metadata":{"uid":"u","resourceVersion":"7"}}`, types.StrategicMergePatchType,
		},
		"with an owner": {
			configMap, nil, &metav1.ManagedFieldsEntry{Manager: "engine"},
			`{"metadata":{"uid":"u","resourceVersion":"7","managedFields":[{"manager":"engine"}]}}`, types.StrategicMergePatchType,
		},
		"of a key that would be a directive": {
			configMap,
			[]judging.Change{{Key: "$patch", To: one}},
			nil,
			`{"data":{"$patch":"1"},"metadata":{"uid":"u","resourceVersion":"7"}}`, types.MergePatchType,
		},
		"of a label that would be a directive": {
			configMap,
			[]judging.Change{{Key: judging.LabelKey("$retainKeys"), To: one}},
			nil,
			`{"metadata":{"uid":"u","resourceVersion":"7","labels":{"$retainKeys":"1"}}}`, types.MergePatchType,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := judging.Patch(test.base, test.changes, test.owner)
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
