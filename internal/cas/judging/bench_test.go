package judging_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// BenchmarkEntries is what the engine does of each swap of an entry by itself: an observation, a judgement, a patch of each kind, and evidence.
func BenchmarkEntries(b *testing.B) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shared", Namespace: "x", UID: "u", ResourceVersion: "1"}, Data: map[string]string{}}
	for n := range 200 {
		cm.Data[fmt.Sprint("key-", n)] = "1"
	}
	after := cm.DeepCopy()
	after.Data["key-1"], after.ResourceVersion = "2", "2"
	after.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "engine", Operation: update, APIVersion: "v1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:key-1":{}}}`)}}
	txn := (&judging.Txn{Keys: []judging.KeySwap{{Key: "key-1", Expect: judging.Text("1"), New: judging.Text("2")}}, FieldManager: "engine"}).Stored()
	b.ReportAllocs()
	for b.Loop() {
		before, next := judging.Observed(cm, time.Time{}), judging.Observed(after, time.Time{})
		j := judging.Judge(txn, before, &judging.Lineage{})
		_, err := judging.MergePatch(judging.ConfigMap, before.Version(), j.Changes, nil)
		_, can := judging.JSONPatch(before, j.Changes)
		got, why := judging.Sent{Manager: "engine", Changes: j.Changes}.Tell(before, next)
		if err != nil || !can || got != judging.HasLanded {
			b.Fatal(err, can, got, why)
		}
	}
}
