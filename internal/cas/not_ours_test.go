package cas

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// The request of a swap is lost, and another writer removes the key, which leaves no trace in managedFields. The outcome is unknown.
func TestWriteWhoseKeyAnotherWriterRemoved(t *testing.T) {
	f := newFixture(t, map[string]string{"bar": "1"})
	f.setAs("engine", "foo", "1") // the very name of the swap
	f.onSends(http.MethodPatch, func() testcluster.Fault {
		f.change(func(cm *corev1.ConfigMap) { delete(cm.Data, "foo") })
		return testcluster.Fault{DropBefore: true}
	})
	_, err := f.do(f.swapping("foo", one, two))
	f.want(eval.Unknown, err)
	f.wantData(map[string]string{"bar": "1"})
}

// applies has another writer apply a key of a Secret as stringData. The writer owns the stringData, and not
// the data that it becomes. applies may be called from a hook.
func (f *fixture) applies(key, value string) {
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":%q},"stringData":{%q:%q}}`, f.ref.Name, key, value)
	_, err := f.cluster.Client().CoreV1().Secrets(f.ref.Namespace).Patch(context.Background(), f.ref.Name, types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: "applier"})
	if err != nil {
		f.Error(err)
	}
}

// Given a key of a Secret that another writer applied as stringData before the engine; when a swap is lost, and the
// other writer applies the same value within the second; then the swap does not count as applied.
func TestKeyThatAnotherAppliesAsStringDataIsNotOurs(t *testing.T) {
	f := newFixtureOf(t, eval.Secret, map[string]string{"bar": "1"})
	f.withinASecond(func() {
		f.engine = f.newEngine(f.proxy.Config)
		f.applies("foo", "0")
		_, err := f.do(f.swapping("foo", eval.Text("0"), one))
		f.want(eval.Applied, err)
	}, func() {
		f.onSends(http.MethodPatch, func() testcluster.Fault {
			f.applies("foo", "2")
			return testcluster.Fault{DropBefore: true}
		})
		_, err := f.do(f.swapping("foo", one, two))
		if verdict := eval.VerdictOf(err); verdict != eval.Unknown && verdict != eval.Conflict { // where it was another second, that tells
			t.Errorf("%s, want that it is unknown: %v", verdict, err)
		}
	})
}

// Given a removal that is lost on its way; when another removes the same key and, in the same write, an owner of the object; then the chain does not
// lead through that write.
func TestRemovalThatAnotherMadeAlongWithAnOwnersEndsTheLineage(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	f.change(func(cm *corev1.ConfigMap) {
		cm.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "of-nobody"}}
	})
	f.observe()
	v := f.version()
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		f.change(func(cm *corev1.ConfigMap) {
			cm.OwnerReferences = nil
			delete(cm.Data, "foo")
		})
		return testcluster.Fault{DropBefore: true}
	})
	s := f.swapping("foo", one, eval.Value{}, v)
	s.IgnoreMissing = true
	_, err := f.do(s)
	f.want(eval.Applied, err) // gone already is success
	f.proxy.SetHook(nil)
	_, err = f.do(f.swapping("bar", one, two, v))
	f.wantReason(eval.ReasonObject, err)
}

// Given a creation that is lost on its way; when a client with the same field manager creates the same object
// with something more, such as a label, a finalizer or an owner; then the verdict is unknown.
func TestObjectThatATwinMadeWithMoreIsNotOurs(t *testing.T) {
	for name, adds := range map[string]func(*corev1.ConfigMap){
		"a label":     func(cm *corev1.ConfigMap) { cm.Labels["x"] = "1" },
		"a finalizer": func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"acme.io/hold"} },
		"an owner": func(cm *corev1.ConfigMap) {
			cm.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "x", UID: "x"}}
		},
		"not the same": func(cm *corev1.ConfigMap) { cm.GenerateName = "made-" },
	} {
		t.Run(name, func(t *testing.T) {
			f := newEmptyFixture(t)
			f.onSends(http.MethodPost, func() testcluster.Fault {
				cm, _ := f.creation().Stored().Object().(*corev1.ConfigMap)
				adds(cm)
				if _, err := f.objects().Create(context.Background(), cm, metav1.CreateOptions{FieldManager: "engine"}); err != nil {
					f.Error(err)
				}
				return testcluster.Fault{DropBefore: true}
			})
			_, err := f.doCreate(f.creation())
			f.want(eval.Unknown, err)
			f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
		})
	}
}
