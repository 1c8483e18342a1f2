package cas

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// event is one object in two API groups.
var event = sample{"v1", "Event", "events", `{"metadata":{"name":"web"},
	"involvedObject":{"kind":"Pod","namespace":"NAME","name":"web"},"message":"1","type":"Normal"}`}

// Given an Event, which is one object in two API groups, and so has two committers; when a swap through one group comes in between the read and the
// write of a swap through the other; then that is as if another process had written: it costs a request, and no verdict is false.
func TestSwapsOfOneObjectInTwoGroups(t *testing.T) {
	for name, test := range map[string]struct {
		fault   testcluster.Fault
		isAfter bool // the other swap comes once this one has landed
		writes  int
	}{
		"refused":              {testcluster.Fault{}, false, 3},
		"lost on its way":      {testcluster.Fault{DropBefore: true}, false, 3},
		"with its answer lost": {testcluster.Fault{DropAfter: true}, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, event)
			other := f.inOtherGroup("metadata.labels.other", `"2"`)
			f.lost(func() testcluster.Fault {
				commit := func() {
					_, err := f.commit(other)
					f.want(Applied, err)
				}
				fault := test.fault
				if test.isAfter {
					fault.Answered = func(*http.Response) { commit() }
				} else {
					commit()
				}
				return fault
			})
			_, err := f.commit(f.txn(change{"metadata.labels.team", "", `"b"`}))
			f.want(Applied, err)
			if got := f.writes(); got != test.writes {
				t.Errorf("%d writes, want %d", got, test.writes)
			}
			f.wantField("metadata.labels.other", `"2"`)
			f.wantField("metadata.labels.team", `"b"`)

			_, err = f.commit(f.txn(change{"metadata.labels.other", "", `"3"`})) // the other group's swap is known by what it wrote
			f.wantReason(ReasonKey, err)
		})
	}
}

// Given a swap that is lost on its way; when a swap through the other group of the same object does the same first, under the same name; then that is not
// told as the first one's, be the name signed or not: managedFields name the group.
func TestTwinInAnotherGroupIsNotOurs(t *testing.T) {
	for name, isSigned := range map[string]bool{"any manager": false, "signed": true} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, event)
			ours := f.txn(change{"metadata.labels.team", "", `"b"`})
			if isSigned {
				ours.FieldManager = f.engine.Signed("engine")
			}
			twin := f.inOtherGroup("metadata.labels.team", `"b"`)
			twin.FieldManager = ours.FieldManager
			f.lost(func() testcluster.Fault {
				_, err := f.commit(twin)
				f.want(Applied, err)
				return testcluster.Fault{DropBefore: true}
			})
			_, err := f.commit(ours)
			f.wantReason(ReasonKey, err)
			if n := f.writes(); n != 2 {
				t.Errorf("%d writes, want 2", n)
			}
		})
	}
}

// inOtherGroup sets a field of an Event that is not there, through the group that its fixture does not use.
func (f *fieldsFixture) inOtherGroup(path, to string) *Txn {
	f.Helper()
	ref := f.ref
	ref.Kind = KindOf("events.k8s.io", "Event")
	key, err := FieldKey(ref.Kind, path)
	if err != nil {
		f.Fatal(err)
	}
	return &Txn{Ref: ref, APIVersion: "events.k8s.io/v1", FieldManager: "engine", Keys: []KeySwap{{Key: key, New: jsonOf(f, to)}}}
}
