package judging_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

func configMapAt(v judging.Version, data map[string]string, change ...func(*corev1.ConfigMap)) *judging.Observation {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{UID: types.UID(v.UID), ResourceVersion: v.ResourceVersion},
		Data:       data,
	}
	for _, c := range change {
		c(cm)
	}
	return judging.Observed(cm, time.Now())
}

func TestJudge(t *testing.T) {
	t.Parallel()
	var (
		v1, v2      = judging.Version{UID: "u", ResourceVersion: "1"}, judging.Version{UID: "u", ResourceVersion: "2"}
		one, two    = judging.Text("1"), judging.Text("2")
		immutable   = func(cm *corev1.ConfigMap) { yes := true; cm.Immutable = &yes }
		since       = metav1.Unix(1000, 0)
		terminating = func(cm *corev1.ConfigMap) { cm.DeletionTimestamp = &since }
		large       = func(cm *corev1.ConfigMap) {
			cm.BinaryData = map[string][]byte{"large": make([]byte, judging.MaxSize-1)}
		}
		gone    = &judging.Observation{}
		foo     = map[string]string{"foo": "1"}
		create  = judgingtest.Swap{Key: "foo", New: two, Held: judging.HeldIsRefused}
		swap    = judgingtest.Swap{Key: "foo", Expect: one, New: two, Held: judging.HeldIsRefused}
		adopt   = judgingtest.Swap{Key: "foo", New: one, Held: judging.HeldIsDone}
		restore = judgingtest.Swap{Key: "foo", New: one, GoneIsDone: true}
		remove  = judgingtest.Swap{Key: "foo", Expect: one, GoneIsDone: true, Seen: v1}
		at      = func(s judgingtest.Swap, v ...judging.Version) judgingtest.Swap { s.At = v; return s }
	)
	own := judging.Lineage{}
	own.Observed(v1)
	own.Wrote(v1, v2, "bar")
	foreign := judging.Lineage{}
	foreign.Observed(v1)
	foreign.Observed(v2)
	wroteFoo := judging.Lineage{}
	wroteFoo.Observed(v1)
	wroteFoo.Wrote(v1, v2, "foo")

	tests := map[string]struct {
		swap    judgingtest.Swap
		live    *judging.Observation
		lineage judging.Lineage
		want    judging.Decision
		reason  judging.Reason // of a conflict
		err     error          // where it is none
	}{
		"create of an absent key":                       {create, configMapAt(v2, nil), own, judging.DecideWrite, 0, nil},
		"create of a key with another value":            {create, configMapAt(v2, foo), own, judging.DecideRefuse, judging.ReasonKey, nil},
		"create of a key with the value":                {create, configMapAt(v2, map[string]string{"foo": "2"}), own, judging.DecideRefuse, judging.ReasonHeld, nil},
		"create without a configmap":                    {create, gone, own, judging.DecideRefuse, 0, &judging.NotFoundError{}},
		"swap of the expected value":                    {swap, configMapAt(v2, foo), own, judging.DecideWrite, 0, nil},
		"swap of another value":                         {swap, configMapAt(v2, map[string]string{"foo": "3"}), own, judging.DecideRefuse, judging.ReasonKey, nil},
		"swap of an absent key":                         {swap, configMapAt(v2, nil), own, judging.DecideRefuse, judging.ReasonKey, nil},
		"adoption":                                      {adopt, configMapAt(v2, foo), own, judging.DecideDone, 0, nil},
		"adoption from an immutable configmap":          {adopt, configMapAt(v2, foo, immutable), own, judging.DecideDone, 0, nil},
		"adoption of another value":                     {adopt, configMapAt(v2, map[string]string{"foo": "3"}), own, judging.DecideRefuse, judging.ReasonKey, nil},
		"swap at a version that own writes led on from": {at(swap, v1), configMapAt(v2, foo), own, judging.DecideWrite, 0, nil},
		"swap at a version that a foreign write ended":  {at(swap, v1), configMapAt(v2, foo), foreign, judging.DecideRefuse, judging.ReasonObject, nil},
		"swap at a version of another object":           {at(swap, judging.Version{UID: "x", ResourceVersion: "2"}), configMapAt(v2, foo), own, judging.DecideRefuse, judging.ReasonObject, nil},
		"swap at a version that a user named":           {at(swap, judging.Version{ResourceVersion: "1"}), configMapAt(v2, foo), own, judging.DecideWrite, 0, nil},
		"swap at another version that a user named":     {at(swap, v1, judging.Version{ResourceVersion: "9"}), configMapAt(v2, foo), own, judging.DecideRefuse, judging.ReasonVersion, nil},
		"adoption at a version that is past":            {at(adopt, v1), configMapAt(v2, foo), foreign, judging.DecideRefuse, judging.ReasonObject, nil},
		"swap in an immutable configmap":                {swap, configMapAt(v2, foo, immutable), own, judging.DecideRefuse, 0, &judging.ImmutableError{}},
		"swap in a configmap that is being deleted":     {swap, configMapAt(v2, foo, terminating), own, judging.DecideRefuse, 0, &judging.TerminatingError{Since: since.UTC()}},
		"swap of as many bytes in a full configmap":     {swap, configMapAt(v2, foo, large), own, judging.DecideWrite, 0, nil},
		"swap of one byte too many":                     {judgingtest.Swap{Key: "foo", Expect: one, New: judging.Text("22")}, configMapAt(v2, foo, large), own, judging.DecideRefuse, 0, &judging.TooLargeError{New: 2, Others: judging.MaxSize - 1}},
		"removal":                                       {remove, configMapAt(v2, foo), own, judging.DecideWrite, 0, nil},
		"removal of what is gone":                       {at(remove, v1), configMapAt(v2, nil), foreign, judging.DecideDone, 0, nil},
		"removal that puts back what is gone":           {restore, configMapAt(v2, nil), own, judging.DecideWrite, 0, nil},
		"removal that puts back what came back":         {restore, configMapAt(v2, foo), own, judging.DecideRefuse, judging.ReasonKey, nil},
		"removal that puts back into what is deleted":   {restore, configMapAt(v2, nil, terminating), own, judging.DecideDone, 0, nil},
		"removal from a configmap that is gone":         {at(remove, v1), gone, foreign, judging.DecideDone, 0, nil},
		"removal of another value":                      {remove, configMapAt(v2, map[string]string{"foo": "3"}), own, judging.DecideRefuse, judging.ReasonKey, nil},
		"removal after a foreign write":                 {at(remove, v1), configMapAt(v2, foo), foreign, judging.DecideRefuse, judging.ReasonObject, nil},
		"removal from an immutable configmap":           {remove, configMapAt(v2, foo, immutable), own, judging.DecideRefuse, 0, &judging.ImmutableError{}},
		"removal from what is being deleted":            {at(remove, v1), configMapAt(v2, foo, terminating), foreign, judging.DecideWrite, 0, nil},
		"removal of another value from what is deleted": {remove, configMapAt(v2, map[string]string{"foo": "3"}, terminating), foreign, judging.DecideDone, 0, nil},
		"removal of what this process wrote since":      {remove, configMapAt(v2, foo), wroteFoo, judging.DecideRefuse, judging.ReasonOwn, nil},
		"decomposed text counts as composed":            {judgingtest.Swap{Key: "foo", Expect: judging.Text("\u00e9"), New: two}, configMapAt(v2, map[string]string{"foo": "e\u0301"}), own, judging.DecideWrite, 0, nil},
		"text is not the same bytes":                    {judgingtest.Swap{Key: "foo", Expect: judging.Binary([]byte("1")), New: two}, configMapAt(v2, foo), own, judging.DecideRefuse, judging.ReasonKey, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judging.Judge(test.swap.Txn(), test.live, &test.lineage)
			got, err := j.Decision, j.Err
			if got != test.want {
				t.Fatalf("decision %d, want %d (%v)", got, test.want, err)
			}
			var conflict *judging.ConflictError
			switch {
			case got != judging.DecideRefuse:
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
