package cas

import (
	"context"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Other processes may write under the same field manager. Their writes cannot always be distinguished from the
// engine's writes. In these tests they can.

// changeAs changes the ConfigMap under the name of a field manager. It may be called from a hook.
func (f *fixture) changeAs(manager string, change func(*corev1.ConfigMap)) {
	cm := f.live()
	change(cm)
	if _, err := f.objects().Update(context.Background(), cm, metav1.UpdateOptions{FieldManager: manager}); err != nil {
		f.Error(err)
	}
}

// withoutFoo removes foo, and makes a change with it.
func withoutFoo(change func(*corev1.ConfigMap)) func(*corev1.ConfigMap) {
	return func(cm *corev1.ConfigMap) {
		delete(cm.Data, "foo")
		change(cm)
	}
}

// Given a removal that is lost on its way; when another writer removes the key and changes another thing that it
// owns, within a second of its last write; then the verdict is unknown. Admission may have made the other change
// along with the engine's removal.
func TestForeignRemovalWithinASecondIsUnknown(t *testing.T) {
	for name, change := range map[string]func(*corev1.ConfigMap){
		"another key": func(cm *corev1.ConfigMap) { cm.Data["other"] += "x" },
		"a label":     func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"a": cm.Labels["a"] + "x"} },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			f.withinASecond(func() {
				f.engine = f.newEngine(f.proxy.Config)
				f.set("foo", "1x")
				f.set("foo", "1")
			}, func() {
				f.onEach(http.MethodPatch, func() testcluster.Fault {
					f.change(withoutFoo(change))
					return testcluster.Fault{DropBefore: true}
				})
				_, err := f.do(f.swapping("foo", one, eval.Value{}))
				if verdict := eval.VerdictOf(err); verdict != eval.Unknown && verdict != eval.Conflict { // where it was another second, that tells
					t.Errorf("%s, want that it is unknown: %v", verdict, err)
				}
			})
		})
	}
}
