package cas

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// A write that changes nothing makes no version. Another writer made the version after its base.

// Given a key, a label and an annotation; when they are set to what they are; then that is applied, and nothing is sent but a read.
func TestWriteThatChangesNothingIsNotSent(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.change(func(cm *corev1.ConfigMap) {
		cm.Labels, cm.Annotations = map[string]string{"a": "1"}, map[string]string{"b": "2"}
	})
	v := f.version()
	for name, txn := range map[string]*eval.Txn{
		"a key":    f.txn(eval.KeySwap{Key: "foo", Expect: one, New: one}),
		"metadata": {Ref: f.ref, FieldManager: "engine", RequireVersions: []eval.Version{v}, Keys: []eval.KeySwap{sets(eval.LabelKey("a"), one), sets(eval.AnnotationKey("b"), two)}},
	} {
		result, err := f.commit(txn)
		f.want(eval.Applied, err)
		if result.Wrote || f.proxy.Count(http.MethodPatch) != 0 {
			t.Errorf("%s: written %t, with %d patches", name, result.Wrote, f.proxy.Count(http.MethodPatch))
		}
	}
	if f.version() != v {
		t.Errorf("version %v, want %v", f.version(), v)
	}
}
