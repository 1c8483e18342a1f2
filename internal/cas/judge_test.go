package cas

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

func configMapAt(v Version, data map[string]string, change ...func(*corev1.ConfigMap)) *Observation {
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
		v1, v2      = Version{UID: "u", ResourceVersion: "1"}, Version{UID: "u", ResourceVersion: "2"}
		one, two    = Text("1"), Text("2")
		immutable   = func(cm *corev1.ConfigMap) { yes := true; cm.Immutable = &yes }
		terminating = func(cm *corev1.ConfigMap) { now := metav1.Now(); cm.DeletionTimestamp = &now }
		large       = func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"large": make([]byte, MaxSize-1)} }
		gone        = &Observation{}
		foo         = map[string]string{"foo": "1"}
		create      = Swap{Key: "foo", New: two, Held: HeldIsRefused}
		swap        = Swap{Key: "foo", Expect: one, New: two, Held: HeldIsRefused}
		adopt       = Swap{Key: "foo", New: one, Held: HeldIsDone}
		remove      = Swap{Key: "foo", Expect: one, GoneIsDone: true, Seen: v1}
		at          = func(s Swap, v ...Version) Swap { s.At = v; return s }
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
		swap    Swap
		live    *Observation
		lineage judging.Lineage
		want    judging.Decision
		reason  Reason // of a conflict
		err     error  // of another type
	}{
		"create of an absent key":                       {create, configMapAt(v2, nil), own, judging.DecideWrite, 0, nil},
		"create of a key with another value":            {create, configMapAt(v2, foo), own, judging.DecideRefuse, ReasonKey, nil},
		"create of a key with the value":                {create, configMapAt(v2, map[string]string{"foo": "2"}), own, judging.DecideRefuse, ReasonHeld, nil},
		"create without a configmap":                    {create, gone, own, judging.DecideRefuse, 0, &NotFoundError{}},
		"swap of the expected value":                    {swap, configMapAt(v2, foo), own, judging.DecideWrite, 0, nil},
		"swap of another value":                         {swap, configMapAt(v2, map[string]string{"foo": "3"}), own, judging.DecideRefuse, ReasonKey, nil},
		"swap of an absent key":                         {swap, configMapAt(v2, nil), own, judging.DecideRefuse, ReasonKey, nil},
		"adoption":                                      {adopt, configMapAt(v2, foo), own, judging.DecideDone, 0, nil},
		"adoption from an immutable configmap":          {adopt, configMapAt(v2, foo, immutable), own, judging.DecideDone, 0, nil},
		"adoption of another value":                     {adopt, configMapAt(v2, map[string]string{"foo": "3"}), own, judging.DecideRefuse, ReasonKey, nil},
		"swap at a version that own writes led on from": {at(swap, v1), configMapAt(v2, foo), own, judging.DecideWrite, 0, nil},
		"swap at a version that a foreign write ended":  {at(swap, v1), configMapAt(v2, foo), foreign, judging.DecideRefuse, ReasonObject, nil},
		"swap at a version of another object":           {at(swap, Version{UID: "x", ResourceVersion: "2"}), configMapAt(v2, foo), own, judging.DecideRefuse, ReasonObject, nil},
		"swap at a version that a user named":           {at(swap, Version{ResourceVersion: "1"}), configMapAt(v2, foo), own, judging.DecideWrite, 0, nil},
		"swap at another version that a user named":     {at(swap, v1, Version{ResourceVersion: "9"}), configMapAt(v2, foo), own, judging.DecideRefuse, ReasonVersion, nil},
		"adoption at a version that is past":            {at(adopt, v1), configMapAt(v2, foo), foreign, judging.DecideRefuse, ReasonObject, nil},
		"swap in an immutable configmap":                {swap, configMapAt(v2, foo, immutable), own, judging.DecideRefuse, 0, &ImmutableError{}},
		"swap in a configmap that is being deleted":     {swap, configMapAt(v2, foo, terminating), own, judging.DecideRefuse, 0, &TerminatingError{}},
		"swap of as many bytes in a full configmap":     {swap, configMapAt(v2, foo, large), own, judging.DecideWrite, 0, nil},
		"swap of one byte too many":                     {Swap{Key: "foo", Expect: one, New: Text("22")}, configMapAt(v2, foo, large), own, judging.DecideRefuse, 0, &TooLargeError{}},
		"removal":                                       {remove, configMapAt(v2, foo), own, judging.DecideWrite, 0, nil},
		"removal of what is gone":                       {at(remove, v1), configMapAt(v2, nil), foreign, judging.DecideDone, 0, nil},
		"removal from a configmap that is gone":         {at(remove, v1), gone, foreign, judging.DecideDone, 0, nil},
		"removal of another value":                      {remove, configMapAt(v2, map[string]string{"foo": "3"}), own, judging.DecideRefuse, ReasonKey, nil},
		"removal after a foreign write":                 {at(remove, v1), configMapAt(v2, foo), foreign, judging.DecideRefuse, ReasonObject, nil},
		"removal from an immutable configmap":           {remove, configMapAt(v2, foo, immutable), own, judging.DecideRefuse, 0, &ImmutableError{}},
		"removal from what is being deleted":            {at(remove, v1), configMapAt(v2, foo, terminating), foreign, judging.DecideWrite, 0, nil},
		"removal of another value from what is deleted": {remove, configMapAt(v2, map[string]string{"foo": "3"}, terminating), foreign, judging.DecideDone, 0, nil},
		"removal of what this process wrote since":      {remove, configMapAt(v2, foo), wroteFoo, judging.DecideRefuse, ReasonOwn, nil},
		"decomposed text counts as composed":            {Swap{Key: "foo", Expect: Text("\u00e9"), New: two}, configMapAt(v2, map[string]string{"foo": "e\u0301"}), own, judging.DecideWrite, 0, nil},
		"text is not the same bytes":                    {Swap{Key: "foo", Expect: Binary([]byte("1")), New: two}, configMapAt(v2, foo), own, judging.DecideRefuse, ReasonKey, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judging.Judge(test.swap.Txn(), test.live, &test.lineage)
			got, err := j.Decision, j.Err
			if got != test.want {
				t.Fatalf("decision %d, want %d (%v)", got, test.want, err)
			}
			var conflict *ConflictError
			switch {
			case got != judging.DecideRefuse:
				if err != nil {
					t.Fatal(err)
				}
			case test.err != nil:
				if !sameType(err, test.err) {
					t.Fatalf("%T, want %T", err, test.err)
				}
			case !errors.As(err, &conflict) || conflict.Reason != test.reason || conflict.Live != test.live:
				t.Fatalf("%#v, want a conflict with reason %d", err, test.reason)
			}
		})
	}
}

func TestLineageGoesOnThroughOwnWritesOnly(t *testing.T) {
	t.Parallel()
	v := func(rv string) Version { return Version{UID: "u", ResourceVersion: rv} }
	var l judging.Lineage
	l.Observed(v("1"))
	l.Wrote(v("1"), v("2"), "a")
	l.Wrote(v("2"), v("2"), "b") // a write that changed nothing keeps the version
	l.Wrote(v("2"), v("3"), "c")
	if !l.LeadsFrom(v("1")) || !l.LeadsFrom(v("2")) || !l.LeadsFrom(v("3")) || l.LeadsFrom(v("4")) {
		t.Error("the chain of own writes is broken")
	}
	l.Observed(v("3"))
	if !l.LeadsFrom(v("1")) {
		t.Error("seeing one's own version again broke the chain")
	}
	l.Observed(v("5"))
	if l.LeadsFrom(v("3")) || !l.LeadsFrom(v("5")) {
		t.Error("a foreign version did not begin a new chain")
	}
	l.Wrote(v("6"), v("7"), "d")
	if l.LeadsFrom(v("5")) || !l.LeadsFrom(v("6")) {
		t.Error("a write on a version that was not the head went on with the chain")
	}
	if !l.WroteSince("a", v("1")) || l.WroteSince("a", v("2")) || !l.WroteSince("a", v("unseen")) || l.WroteSince("x", v("unseen")) {
		t.Error("what was written since a version is told wrongly")
	}
}

func TestMergePatch(t *testing.T) {
	t.Parallel()
	base := Version{UID: "u", ResourceVersion: "7"}
	tests := map[string]struct {
		change judging.Change
		want   string
	}{
		"text":              {judging.Change{Key: "k", From: Entry{}, To: Text("a<b&c>d\u2028")}, `{"data":{"k":"a<b&c>d\u2028"}}`},
		"empty text":        {judging.Change{Key: "k", From: Text("x"), To: Text("")}, `{"data":{"k":""}}`},
		"bytes":             {judging.Change{Key: "k", From: Entry{}, To: Binary([]byte{0, 255})}, `{"binaryData":{"k":"AP8="}}`},
		"empty bytes":       {judging.Change{Key: "k", From: Entry{}, To: Binary(nil)}, `{"binaryData":{"k":""}}`},
		"text to bytes":     {judging.Change{Key: "k", From: Text("x"), To: Binary([]byte{1})}, `{"data":{"k":null},"binaryData":{"k":"AQ=="}}`},
		"bytes to text":     {judging.Change{Key: "k", From: Binary([]byte{1}), To: Text("x")}, `{"data":{"k":"x"},"binaryData":{"k":null}}`},
		"removal of text":   {judging.Change{Key: "k", From: Text("x"), To: Entry{}}, `{"data":{"k":null}}`},
		"removal of bytes":  {judging.Change{Key: "k", From: Binary([]byte{1}), To: Entry{}}, `{"binaryData":{"k":null}}`},
		"removal of absent": {judging.Change{Key: "k", From: Entry{}, To: Entry{}}, `{"data":{"k":null}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := judging.MergePatch(ConfigMap, base, []judging.Change{test.change}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := json.Unmarshal(r.Body, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			want["metadata"] = map[string]any{"uid": "u", "resourceVersion": "7"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEntrySurvivesJSON(t *testing.T) {
	t.Parallel()
	for _, e := range []Entry{{}, Text(""), Text("a<b\u2028e\u0301"), Text("no UTF-8: \xff"), Binary(nil), Binary([]byte{0, 255})} {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got := Text("not overwritten")
		if err := json.Unmarshal(raw, &got); err != nil || got != e {
			t.Errorf("%s gave %#v, want %#v (%v)", raw, got, e, err)
		}
	}
}

func TestDigestIsTheSameWhereHoldsIs(t *testing.T) {
	t.Parallel()
	all := []Entry{{}, Text(""), Text("\u00e9"), Text("e\u0301"), Text("e"), Binary(nil), Binary([]byte("e")), Binary([]byte("e\u0301"))}
	for _, a := range all {
		for _, b := range all {
			if a.Holds(b) != (a.Digest() == b.Digest()) {
				t.Errorf("%#v and %#v: holds %t, digests %s and %s", a, b, a.Holds(b), a.Digest(), b.Digest())
			}
		}
	}
}
