package cas

import (
	"context"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Other processes may write under the name of the same field manager. What they did is not always to be told from what ours did;
// here it is.

// changeAs changes the ConfigMap under the name of a field manager. It may be called from a hook.
func (f *fixture) changeAs(manager string, change func(*corev1.ConfigMap)) {
	cm := f.live()
	change(cm)
	if _, err := f.objects().Update(context.Background(), cm, metav1.UpdateOptions{FieldManager: manager}); err != nil {
		f.Error(err)
	}
}

// Given a swap that is lost on its way; when another process of the same name writes something else first; then it is known that it
// did not land: it is judged again, and applied.
func TestWriteOfTheSameNameToSomethingElseIsNotTakenForOurs(t *testing.T) {
	for name, change := range map[string]func(*corev1.ConfigMap){
		"another key":      func(cm *corev1.ConfigMap) { cm.Data["other"] = "9" },
		"a label":          func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"a": "9"} },
		"another key goes": func(cm *corev1.ConfigMap) { delete(cm.Data, "other") },
	} {
		for kind, to := range map[string]Entry{"write": two, "removal": {}} {
			for lost, fault := range map[string]testcluster.Fault{"before": {DropBefore: true}, "after it was refused": {DropAfter: true}} {
				t.Run(name+", "+kind+" lost "+lost, func(t *testing.T) {
					f := newFixture(t, map[string]string{"foo": "0", "other": "1"})
					f.setAs("engine", "foo", "1") // the key is that name's already
					f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
						if r.Method != http.MethodPatch || f.proxy.Count(http.MethodPatch) > 1 {
							return testcluster.Fault{}
						}
						f.changeAs("engine", change)
						return fault
					})
					_, err := f.do(f.swapping("foo", one, to))
					f.want(Applied, err)
					if got := judging.Observed(f.live(), time.Now()).Entry("foo"); got != to {
						t.Errorf("foo holds %v, want %v", got, to)
					}
				})
			}
		}
	}
}

// withoutFoo removes foo, and makes a change with it.
func withoutFoo(change func(*corev1.ConfigMap)) func(*corev1.ConfigMap) {
	return func(cm *corev1.ConfigMap) {
		delete(cm.Data, "foo")
		change(cm)
	}
}

// Given a removal that is lost on its way; when another writer removes the key and changes something else that it owns, within a second of its
// last write; then nothing tells who removed the key: what else changed, admission may have changed along with our removal.
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
				_, err := f.do(f.swapping("foo", one, Entry{}))
				if verdict := VerdictOf(err); verdict != Unknown && verdict != Conflict { // where it was another second, that tells
					t.Errorf("%s, want that it is unknown: %v", verdict, err)
				}
			})
		})
	}
}

// Given a removal that is lost on its way; when another writer removes the same key and changes a label or a finalizer with it; then
// that is not taken for ours, which would have made it the label's owner: a swap that names the version from before is a conflict.
func TestSameRemovalWithSomethingElseIsNotTakenForOurs(t *testing.T) {
	for name, change := range map[string]func(*corev1.ConfigMap){
		"a label":     func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"a": "9"} },
		"a finalizer": func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/foreign"} },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "0", "bar": "1"})
			f.setAs("engine", "foo", "1")
			t.Cleanup(func() { f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = nil }) })
			v := f.version()
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method != http.MethodPatch || f.proxy.Count(http.MethodPatch) > 1 {
					return testcluster.Fault{}
				}
				f.change(withoutFoo(change))
				return testcluster.Fault{DropBefore: true}
			})
			_, err := f.do(f.swapping("foo", one, Entry{}))
			f.wantReason(ReasonKey, err)
			_, err = f.do(f.swapping("bar", one, two, v))
			f.wantReason(ReasonObject, err)
			f.wantData(map[string]string{"bar": "1"})
		})
	}
}
