package cas

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

// Whose write of metadata it was, where managedFields tell no owners and no times that differ.
func TestGroupMadeOfMetadata(t *testing.T) {
	t.Parallel()
	is := func(labels map[string]string, immutable bool) *Observation {
		cm := judgingtest.ConfigMapOf(map[string]Entry{"foo": one})
		cm.Labels, cm.Immutable = labels, new(immutable)
		cm.ManagedFields = []metav1.ManagedFieldsEntry{
			{Manager: "engine", Operation: metav1.ManagedFieldsOperationUpdate, Time: new(metav1.NewTime(time.Unix(1, 0)))},
		}
		return judging.Observed(cm, time.Now())
	}
	before := is(map[string]string{"a": "0", "b": "0", "gone": "0"}, false)
	for name, test := range map[string]struct {
		next *Observation
		want answer
	}{
		"as ours makes it":        {is(map[string]string{"a": "1", "b": "0"}, true), yes},
		"nothing of it":           {is(map[string]string{"a": "0", "b": "9", "gone": "0"}, false), no},
		"another value":           {is(map[string]string{"a": "9", "b": "0"}, true), maybe},
		"one of its labels":       {is(map[string]string{"a": "1", "b": "0", "gone": "0"}, false), maybe},
		"the label that is to go": {is(map[string]string{"a": "0", "b": "0"}, false), maybe},
		"immutable alone":         {is(map[string]string{"a": "0", "b": "0", "gone": "0"}, true), maybe},
		"and another label":       {is(map[string]string{"a": "1", "b": "0", "c": "1"}, true), maybe},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			txn := &Txn{Meta: &Meta{Labels: map[string]*string{"a": new("1"), "gone": nil}, Immutable: new(true)}, FieldManager: "engine"}
			g := &batch{from: before}
			g.add(txnTask(t, txn), nil)
			if got := g.made(before, test.next); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}
