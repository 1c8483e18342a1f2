package eval_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// BenchmarkEntries measures what the engine computes for each swap of a key: a snapshot, a judgement, a patch and the outcome of a lost response.
func BenchmarkEntries(b *testing.B) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shared", Namespace: "x", UID: "u", ResourceVersion: "1"}, Data: map[string]string{}}
	for n := range 200 {
		cm.Data[fmt.Sprint("key-", n)] = "1"
	}
	after := cm.DeepCopy()
	after.Data["key-1"], after.ResourceVersion = "2", "2"
	after.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "engine", Operation: update, APIVersion: "v1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:key-1":{}}}`)}}
	txn := (&eval.Txn{Keys: []eval.KeySwap{{Key: "key-1", Expect: eval.Text("1"), New: eval.Text("2")}}, FieldManager: "engine"}).Stored()
	b.ReportAllocs()
	for b.Loop() {
		before, next := eval.NewSnapshot(cm, time.Time{}), eval.NewSnapshot(after, time.Time{})
		j := eval.Evaluate(txn, before, nil, &eval.Chain{})
		_, err := eval.Patch(before, j.Changes, nil)
		got, why := eval.LostWrite{Manager: "engine", Base: before, Changes: j.Changes}.Outcome(next)
		if err != nil || got != eval.LostAppliedAlone {
			b.Fatal(err, got, why)
		}
	}
}
