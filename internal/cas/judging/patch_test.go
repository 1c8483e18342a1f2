package judging_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

func TestMergePatch(t *testing.T) {
	t.Parallel()
	base := judging.Version{UID: "u", ResourceVersion: "7"}
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
		"removal of absent": {judging.Change{Key: "k", From: judging.Entry{}, To: judging.Entry{}}, `{"data":{"k":null}}`},
		"immutable":         {judging.Change{Key: judging.ImmutableKey, To: judging.Text("true")}, `{"immutable":true}`},
		"not immutable":     {judging.Change{Key: judging.ImmutableKey, To: judging.Text("false")}, `{"immutable":false}`},
		"immutable removed": {judging.Change{Key: judging.ImmutableKey, From: judging.Text("false")}, `{"immutable":null}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := judging.MergePatch(judging.ConfigMap, base, []judging.Change{test.change}, nil)
			if err != nil {
				t.Fatal(err)
			}
			wantJSON(t, strings.TrimSuffix(test.want, "}")+`,"metadata":{"uid":"u","resourceVersion":"7"}}`, string(r.Body))
		})
	}
}

func TestJSONPatch(t *testing.T) {
	t.Parallel()
	const living = `{"op":"test","path":"/metadata/deletionTimestamp","value":null}`
	tests := map[string]struct {
		change judging.Change
		want   string
	}{
		"text":          {judging.Change{Key: "k", From: judging.Text("1"), To: judging.Text("a<b")}, `{"op":"test","path":"/data/k","value":"1"},{"op":"add","path":"/data/k","value":"a<b"}`},
		"new text":      {judging.Change{Key: "k", From: judging.Entry{}, To: judging.Text("1")}, `{"op":"test","path":"/data/k","value":null},{"op":"add","path":"/data/k","value":"1"}`},
		"removal":       {judging.Change{Key: "k", From: judging.Text("1"), To: judging.Entry{}}, `{"op":"test","path":"/data/k","value":"1"},{"op":"remove","path":"/data/k","value":null}`},
		"text to bytes": {judging.Change{Key: "k", From: judging.Text("1"), To: judging.Binary([]byte{1})}, `{"op":"test","path":"/data/k","value":"1"},{"op":"remove","path":"/data/k","value":null},{"op":"add","path":"/binaryData/k","value":"AQ=="}`},
		"bytes to text": {judging.Change{Key: "k", From: judging.Binary([]byte{1}), To: judging.Text("1")}, `{"op":"test","path":"/binaryData/k","value":"AQ=="},{"op":"remove","path":"/binaryData/k","value":null},{"op":"add","path":"/data/k","value":"1"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both := func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"raw": {1}} }
			r, can := judging.JSONPatch(configMapAt(judging.Version{UID: "u", ResourceVersion: "1"}, map[string]string{"text": "1"}, both), []judging.Change{test.change})
			if !can {
				t.Fatal("it cannot be made")
			}
			wantJSON(t, "["+living+","+test.want+"]", string(r.Body))
		})
	}
}

// Given changes of keys, labels and immutable, a key that is only compared, and managedFields to begin with; then all but what is compared is in
// the one patch, beside the version.
func TestMergePatchOfAWholeTransaction(t *testing.T) {
	t.Parallel()
	base := judging.Version{UID: "u", ResourceVersion: "7"}
	one, two := judging.Text("1"), judging.Text("2")
	changes := []judging.Change{
		{Key: "foo", From: one, To: two},
		{Key: "guard", From: one, To: one, IsGuard: true},
		{Key: judging.ImmutableKey, To: judging.Text("true")},
		{Key: judging.LabelKey("app"), To: judging.Text("shop")},
		{Key: judging.LabelKey("old"), From: one},
		{Key: judging.AnnotationKey("example.com/note"), From: one, To: two},
	}
	for name, test := range map[string]struct {
		kind    judging.Kind
		changes []judging.Change
		owner   *metav1.ManagedFieldsEntry
		want    string
		as      types.PatchType
	}{
		"all of it": {judging.ConfigMap, changes, nil, `{"data":{"foo":"2"},"immutable":true,
			"metadata":{"uid":"u","resourceVersion":"7","labels":{"app":"shop","old":null},
			"annotations":{"example.com/note":"2"}}}`, types.StrategicMergePatchType},
		"of a Secret": {
			judging.Secret,
			[]judging.Change{{Key: "foo", To: judging.Binary([]byte("1"))}},
			nil,
			`{"data":{"foo":"MQ=="},"metadata":{"uid":"u","resourceVersion":"7"}}`, types.StrategicMergePatchType,
		},
		"with an owner": {
			judging.ConfigMap, nil, &metav1.ManagedFieldsEntry{Manager: "engine"},
			`{"metadata":{"uid":"u","resourceVersion":"7","managedFields":[{"manager":"engine"}]}}`, types.StrategicMergePatchType,
		},
		"of a key that would be a directive": {
			judging.ConfigMap,
			[]judging.Change{{Key: "$patch", To: one}},
			nil,
			`{"data":{"$patch":"1"},"metadata":{"uid":"u","resourceVersion":"7"}}`, types.MergePatchType,
		},
		"of a label that would be a directive": {
			judging.ConfigMap,
			[]judging.Change{{Key: judging.LabelKey("$retainKeys"), To: one}},
			nil,
			`{"metadata":{"uid":"u","resourceVersion":"7","labels":{"$retainKeys":"1"}}}`, types.MergePatchType,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := judging.MergePatch(test.kind, base, test.changes, test.owner)
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

// Given a key that must be absent and is only compared; then each map is tested for it, or the map itself where that is not there.
func TestJSONPatchOfAGuard(t *testing.T) {
	t.Parallel()
	const living = `{"op":"test","path":"/metadata/deletionTimestamp","value":null}`
	one := judging.Text("1")
	of := func(change ...func(*corev1.ConfigMap)) *judging.Observation {
		return configMapAt(judging.Version{UID: "u", ResourceVersion: "7"}, map[string]string{"foo": "1"}, change...)
	}
	for name, test := range map[string]struct {
		of     *judging.Observation
		change judging.Change
		want   string
	}{
		"that holds something": {
			of(), judging.Change{Key: "guard", From: one, To: one, IsGuard: true}, `{"op":"test","path":"/data/guard","value":"1"}`,
		},
		"that is absent, and so is a map": {
			of(), judging.Change{Key: "guard", IsGuard: true}, `{"op":"test","path":"/data/guard","value":null},{"op":"test","path":"/binaryData","value":null}`,
		},
		"that is absent, and both maps are there": {
			of(func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"raw": {1}} }),
			judging.Change{Key: "guard", IsGuard: true},
			`{"op":"test","path":"/data/guard","value":null},{"op":"test","path":"/binaryData/guard","value":null}`,
		},
		"of a Secret, which has one map": {
			judging.Observed(&corev1.Secret{Data: map[string][]byte{"foo": {1}}}, time.Time{}),
			judging.Change{Key: "guard", IsGuard: true},
			`{"op":"test","path":"/data/guard","value":null}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, can := judging.JSONPatch(test.of, []judging.Change{test.change})
			if !can || r.Kind != types.JSONPatchType {
				t.Fatal(r.Kind, can)
			}
			wantJSON(t, "["+living+","+test.want+"]", string(r.Body))
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
