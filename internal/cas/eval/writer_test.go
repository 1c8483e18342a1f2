package eval_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// ancient is the manager under which the API server puts the oldest together where there are many.
const ancient = "ancient-changes"

func TestLastWritersOfTheSameSecond(t *testing.T) {
	t.Parallel()
	at := func(second int) *metav1.Time {
		return &metav1.Time{Time: time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)}
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: "first", Time: at(1)}, {Manager: "b", Time: at(3)}, {Manager: "second", Time: at(2)}, {Manager: "a", Time: at(3)}, {Manager: "never"}, {Manager: ancient, Time: at(4)},
	}}}
	want := []eval.Writer{{Manager: "b", Time: at(3).Time}, {Manager: "a", Time: at(3).Time}}
	if diff := cmp.Diff(want, eval.NewSnapshot(cm, time.Time{}).LastWriters()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if last := (&eval.Snapshot{}).LastWriters(); last != nil {
		t.Errorf("%v wrote what is not there", last)
	}
}
