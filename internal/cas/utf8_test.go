package cas

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// A client that speaks protobuf can store text that is no UTF-8. Our writes leave it as it is.
func TestTextThatIsNoUTF8IsLeftAsItIs(t *testing.T) {
	const raw = "a\xff\xfeb"
	f := newFixture(t, nil)
	client := f.inProtobuf()
	cm, err := client.Get(t.Context(), f.ref.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cm.Data = map[string]string{"raw": raw, "foo": "1"}
	if _, err := client.Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = f.do(f.swapping("foo", one, two))
	f.want(eval.Applied, err)
	var live *corev1.ConfigMap
	if live, err = client.Get(t.Context(), f.ref.Name, metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	if live.Data["raw"] != raw || live.Data["foo"] != "2" {
		t.Errorf("live data %q", live.Data)
	}
	_, err = f.do(f.swapping("raw", eval.Text(raw), one))
	f.want(eval.Applied, err)
}

// Given an object with text that is not UTF-8; when a label changes, then the text stays as it is. When a list changes, for
// which the API server would encode the object as JSON, then the write is refused. An unchanged list is not refused.
func TestFieldIsNotWrittenWhereThatWouldChangeText(t *testing.T) {
	const raw = "a\xff\xfeb"
	f := &fieldsFixture{fixture: newFixture(t, map[string]string{"foo": "1"}), apiVersion: "v1"}
	const first, second = `["example.com/a"]`, `["example.com/a","example.com/b"]`
	_, err := f.commit(f.txn(change{"metadata.finalizers", "", first}))
	f.want(eval.Applied, err)
	f.setRaw("raw", raw)
	_, err = f.commit(f.txn(change{"metadata.finalizers", first, second}))
	var field *eval.FieldError
	if !errors.As(err, &field) {
		t.Errorf("%v, want a FieldError", err)
	}
	_, err = f.commit(f.txn(change{"metadata.finalizers", first, first}))
	f.want(eval.Applied, err)
	_, err = f.commit(f.txn(change{"metadata.labels.a", "", `"1"`}))
	f.want(eval.Applied, err)
	if live := f.liveRaw(); live.Data["raw"] != raw || live.Labels["a"] != "1" {
		t.Errorf("live data %q, labels %q", live.Data, live.Labels)
	}
}
