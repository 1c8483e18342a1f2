package eval_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given a write of an annotation of a ConfigMap whose response was lost; when the two values are one quantity in two
// spellings, or the write also removes the last finalizer; then the write was applied, and nothing else changed.
func TestLostWriteOfMetadata(t *testing.T) {
	t.Parallel()
	finalizer, err := eval.FieldKey(eval.ConfigMap, "metadata.finalizers[=example.com/a]")
	if err != nil {
		t.Fatal(err)
	}
	annotation := eval.AnnotationKey("version")
	for name, test := range map[string]struct {
		before, after []string // finalizers
		changes       []eval.Change
	}{
		"an annotation": {nil, nil, []eval.Change{{Key: annotation, From: eval.Text("1.1"), To: eval.Text("1.10")}}},
		"an annotation and the last finalizer": {[]string{"example.com/a"}, nil, []eval.Change{
			{Key: annotation, From: eval.Text("1.1"), To: eval.Text("1.10")},
			{Key: finalizer, From: eval.Text("example.com/a")},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := func(version, value string, finalizers []string, owner string, second int64) *eval.Snapshot {
				return eval.NewSnapshot(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
					UID: "u", ResourceVersion: version, Annotations: map[string]string{"version": value}, Finalizers: finalizers,
					ManagedFields: []metav1.ManagedFieldsEntry{{
						Manager: owner, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", FieldsType: "FieldsV1",
						FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:version":{}}}}`), Time: &metav1.Time{Time: time.Unix(second, 0)},
					}},
				}}, time.Time{})
			}
			base := at("7", "1.1", test.before, "engine", 1)
			now := at("8", "1.10", test.after, "engine", 2)
			got, why := eval.LostWrite{Manager: "engine", Base: base, Changes: test.changes}.Outcome(now)
			if got != eval.LostAppliedAlone {
				t.Errorf("outcome %d (%v), want %d", got, why, eval.LostAppliedAlone)
			}
		})
	}
}
