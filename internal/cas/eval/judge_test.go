package eval_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

func configMapAt(v eval.Version, data map[string]string, change ...func(*corev1.ConfigMap)) *eval.Snapshot {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{UID: types.UID(v.UID), ResourceVersion: v.ResourceVersion},
		Data:       data,
	}
	for _, c := range change {
		c(cm)
	}
	return eval.NewSnapshot(cm, time.Now())
}

func TestJudge(t *testing.T) {
	t.Parallel()
	var (
		v1, v2      = eval.Version{UID: "u", ResourceVersion: "1"}, eval.Version{UID: "u", ResourceVersion: "2"}
		one, two    = eval.Text("1"), eval.Text("2")
		immutable   = func(cm *corev1.ConfigMap) { yes := true; cm.Immutable = &yes }
		since       = metav1.Unix(1000, 0)
		terminating = func(cm *corev1.ConfigMap) { cm.DeletionTimestamp = &since }
		large       = func(cm *corev1.ConfigMap) {
			cm.BinaryData = map[string][]byte{"large": make([]byte, eval.MaxSize-1)}
		}
		gone    = &eval.Snapshot{}
		foo     = map[string]string{"foo": "1"}
		create  = evaltest.Swap{Key: "foo", New: two, IfEqual: eval.Reject}
		swap    = evaltest.Swap{Key: "foo", Expect: one, New: two, IfEqual: eval.Reject}
		adopt   = evaltest.Swap{Key: "foo", New: one, IfEqual: eval.Adopt}
		restore = evaltest.Swap{Key: "foo", New: one, IgnoreMissing: true}
		remove  = evaltest.Swap{Key: "foo", Expect: one, IgnoreMissing: true, ObservedAt: v1}
		at      = func(s evaltest.Swap, v ...eval.Version) evaltest.Swap { s.RequireVersions = v; return s }
	)
	own := eval.Chain{}
	own.RecordRead(v1)
	own.RecordWrite(v1, v2, "bar")
	foreign := eval.Chain{}
	foreign.RecordRead(v1)
	foreign.RecordRead(v2)
	wroteFoo := eval.Chain{}
	wroteFoo.RecordRead(v1)
	wroteFoo.RecordWrite(v1, v2, "foo")

	tests := map[string]struct {
		swap    evaltest.Swap
		live    *eval.Snapshot
		lineage eval.Chain
		want    eval.Action
		reason  eval.Reason // of a conflict
		err     error       // where it is none
	}{
		"create of an absent key":                       {create, configMapAt(v2, nil), own, eval.Write, 0, nil},
		"create of a key with another value":            {create, configMapAt(v2, foo), own, eval.Refuse, eval.ReasonKey, nil},
		"create of a key with the value":                {create, configMapAt(v2, map[string]string{"foo": "2"}), own, eval.Refuse, eval.ReasonEqual, nil},
		"create without a configmap":                    {create, gone, own, eval.Refuse, 0, &eval.NotFoundError{}},
		"swap of the expected value":                    {swap, configMapAt(v2, foo), own, eval.Write, 0, nil},
		"swap of another value":                         {swap, configMapAt(v2, map[string]string{"foo": "3"}), own, eval.Refuse, eval.ReasonKey, nil},
		"swap of an absent key":                         {swap, configMapAt(v2, nil), own, eval.Refuse, eval.ReasonKey, nil},
		"adoption":                                      {adopt, configMapAt(v2, foo), own, eval.NoOp, 0, nil},
		"adoption from an immutable configmap":          {adopt, configMapAt(v2, foo, immutable), own, eval.NoOp, 0, nil},
		"adoption of another value":                     {adopt, configMapAt(v2, map[string]string{"foo": "3"}), own, eval.Refuse, eval.ReasonKey, nil},
		"swap at a version that own writes led on from": {at(swap, v1), configMapAt(v2, foo), own, eval.Write, 0, nil},
		"swap at a version that a foreign write ended":  {at(swap, v1), configMapAt(v2, foo), foreign, eval.Refuse, eval.ReasonObject, nil},
		"swap at a version of another object":           {at(swap, eval.Version{UID: "x", ResourceVersion: "2"}), configMapAt(v2, foo), own, eval.Refuse, eval.ReasonObject, nil},
		"swap at a version that a user named":           {at(swap, eval.Version{ResourceVersion: "1"}), configMapAt(v2, foo), own, eval.Write, 0, nil},
		"swap at another version that a user named":     {at(swap, v1, eval.Version{ResourceVersion: "9"}), configMapAt(v2, foo), own, eval.Refuse, eval.ReasonVersion, nil},
		"adoption at a version that is past":            {at(adopt, v1), configMapAt(v2, foo), foreign, eval.Refuse, eval.ReasonObject, nil},
		"swap in an immutable configmap":                {swap, configMapAt(v2, foo, immutable), own, eval.Refuse, 0, &eval.ImmutableError{}},
		"swap in a configmap that is being deleted":     {swap, configMapAt(v2, foo, terminating), own, eval.Refuse, 0, &eval.TerminatingError{Since: since.UTC()}},
		"swap of as many bytes in a full configmap":     {swap, configMapAt(v2, foo, large), own, eval.Write, 0, nil},
		"swap of one byte too many":                     {evaltest.Swap{Key: "foo", Expect: one, New: eval.Text("22")}, configMapAt(v2, foo, large), own, eval.Refuse, 0, &eval.TooLargeError{New: 2, Others: eval.MaxSize - 1}},
		"removal":                                       {remove, configMapAt(v2, foo), own, eval.Write, 0, nil},
		"removal of what is gone":                       {at(remove, v1), configMapAt(v2, nil), foreign, eval.NoOp, 0, nil},
		"removal that puts back what is gone":           {restore, configMapAt(v2, nil), own, eval.Write, 0, nil},
		"removal that puts back what came back":         {restore, configMapAt(v2, foo), own, eval.Refuse, eval.ReasonKey, nil},
		"removal that puts back into what is deleted":   {restore, configMapAt(v2, nil, terminating), own, eval.NoOp, 0, nil},
		"removal from a configmap that is gone":         {at(remove, v1), gone, foreign, eval.NoOp, 0, nil},
		"removal of another value":                      {remove, configMapAt(v2, map[string]string{"foo": "3"}), own, eval.Refuse, eval.ReasonKey, nil},
		"removal after a foreign write":                 {at(remove, v1), configMapAt(v2, foo), foreign, eval.Refuse, eval.ReasonObject, nil},
		"removal from an immutable configmap":           {remove, configMapAt(v2, foo, immutable), own, eval.Refuse, 0, &eval.ImmutableError{}},
		"removal from what is being deleted":            {at(remove, v1), configMapAt(v2, foo, terminating), foreign, eval.Write, 0, nil},
		"removal of another value from what is deleted": {remove, configMapAt(v2, map[string]string{"foo": "3"}, terminating), foreign, eval.NoOp, 0, nil},
		"removal of what this process wrote since":      {remove, configMapAt(v2, foo), wroteFoo, eval.Refuse, eval.ReasonOwn, nil},
		"decomposed text counts as composed":            {evaltest.Swap{Key: "foo", Expect: eval.Text("\u00e9"), New: two}, configMapAt(v2, map[string]string{"foo": "e\u0301"}), own, eval.Write, 0, nil},
		"text is not the same bytes":                    {evaltest.Swap{Key: "foo", Expect: eval.Binary([]byte("1")), New: two}, configMapAt(v2, foo), own, eval.Refuse, eval.ReasonKey, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := eval.Evaluate(test.swap.Txn(), test.live, nil, &test.lineage)
			got, err := j.Action, j.Err
			if got != test.want {
				t.Fatalf("decision %d, want %d (%v)", got, test.want, err)
			}
			var conflict *eval.ConflictError
			switch {
			case got != eval.Refuse:
				if err != nil {
					t.Fatal(err)
				}
			case test.err != nil:
				if diff := cmp.Diff(test.err, err); diff != "" {
					t.Fatalf("error (-want +got):\n%s", diff)
				}
			case !errors.As(err, &conflict) || conflict.Reason != test.reason || conflict.Live != test.live:
				t.Fatalf("%#v, want a conflict with reason %d", err, test.reason)
			}
		})
	}
}
