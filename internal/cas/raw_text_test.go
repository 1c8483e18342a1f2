package cas

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Text that is no UTF-8, which JSON cannot hold, where others are busy with the object.

// inProtobuf is a client that reads and writes text to the byte.
func (f *fixture) inProtobuf() *testcluster.ConfigMaps {
	return f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace)
}

// liveRaw is the object to the byte.
func (f *fixture) liveRaw() *corev1.ConfigMap {
	cm, err := f.inProtobuf().Get(context.Background(), f.ref.Name, metav1.GetOptions{})
	if err != nil {
		f.Error(err)
		return &corev1.ConfigMap{}
	}
	return cm
}

// changeRaw changes the object to the byte, as another writer. It may be called from a hook.
func (f *fixture) changeRaw(change func(*corev1.ConfigMap)) {
	cm := f.liveRaw()
	change(cm)
	if _, err := f.inProtobuf().Update(context.Background(), cm, metav1.UpdateOptions{FieldManager: "foreign"}); err != nil {
		f.Error(err)
	}
}

// setRaw writes a key to the byte, as another writer. It may be called from a hook.
func (f *fixture) setRaw(key, value string) {
	f.changeRaw(func(cm *corev1.ConfigMap) { cm.Data[key] = value })
}

// Given a key with text that is not UTF-8; when another writer stores other such text before a swap, with or
// without other writers; then the verdict is a conflict, and the other text stays.
func TestTextThatIsNoUTF8IsComparedToTheByte(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	f.setRaw("foo", "\xff")
	f.observe()
	f.beforePatch(func() { f.setRaw("foo", "\xfe") })
	_, err := f.do(f.swapping("foo", eval.Text("\xff"), two))
	f.wantReason(eval.ReasonKey, err)
	if got := f.liveRaw().Data["foo"]; got != "\xfe" {
		t.Errorf("foo is %q, want %q", got, "\xfe")
	}
}

// Given the same text in a guard; when it becomes other such text; then that is a conflict too.
func TestGuardThatIsNoUTF8IsComparedToTheByte(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "guard": "1"})
	f.setRaw("guard", "\xff")
	f.observe()
	f.beforePatch(func() { f.setRaw("guard", "\xfe") })
	_, err := f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, guard("guard", eval.Text("\xff"))))
	f.wantFailed(err, "guard")
	if got := f.liveRaw().Data; got["foo"] != "1" || got["guard"] != "\xfe" {
		t.Errorf("live data %q", got)
	}
}
