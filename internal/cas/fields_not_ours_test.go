package cas

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a swap of a field that is lost on its way; when a client of the swap's field manager sets that field to the same and another one with it; then
// that is not told as ours: it does what ours does not.
func TestFieldThatATwinSetAlongWithAnotherIsNotOurs(t *testing.T) {
	f := newFields(t, deployment)
	f.lost(func() testcluster.Fault {
		f.merge("engine", `{"spec":{"paused":true,"minReadySeconds":7}}`)
		return testcluster.Fault{DropBefore: true}
	})
	_, err := f.commit(f.txn(change{"spec.paused", "", "true"}))
	f.wantReason(ReasonKey, err)
	if n := f.writes(); n != 1 {
		t.Errorf("%d writes, want 1", n)
	}
}

// Given labels of which one is ours, and a swap of the whole map that takes another one out; when another takes it out first; then that is not told as
// ours: a removal leaves no trace. Where the swap was lost that is unknown, and where it was refused it is a conflict.
func TestPartOfAFieldThatAnotherRemovedIsNotOurs(t *testing.T) {
	for name, test := range map[string]struct {
		isSigned bool
		fault    testcluster.Fault
		verdict  Verdict
	}{
		"lost":            {false, testcluster.Fault{DropBefore: true}, Unknown},
		"lost, signed":    {true, testcluster.Fault{DropBefore: true}, Unknown},
		"refused":         {false, testcluster.Fault{}, Conflict},
		"refused, signed": {true, testcluster.Fault{}, Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, deployment)
			f.merge("other", `{"metadata":{"labels":{"x":"1"}}}`)
			commit := func(c change) error {
				txn := f.txn(c)
				if test.isSigned {
					txn.FieldManager = f.engine.Signed("engine")
				}
				_, err := f.commit(txn)
				return err
			}
			f.want(Applied, commit(change{"metadata.labels.team", `"a"`, `"b"`}))
			f.lost(func() testcluster.Fault {
				f.merge("other", `{"metadata":{"labels":{"x":null}}}`)
				return test.fault
			})
			f.want(test.verdict, commit(change{"metadata.labels", `{"team":"b","x":"1"}`, `{"team":"b"}`}))
		})
	}
}

// Given a Service that others are busy with, and a path that selects a port by its protocol; when a port of that protocol comes before it, just before
// the write; then that port is not written.
func TestElementThatComesBeforeOneOfTheSameSelectorIsNotMistaken(t *testing.T) {
	f := newFields(t, service)
	f.beforePatch(func() { f.merge("other", `{"metadata":{"labels":{"other":"1"}}}`) })
	_, err := f.commit(f.txn(change{"spec.selector.color", `"blue"`, `"green"`}))
	f.want(Applied, err)
	f.beforePatch(func() {
		f.mustSend(http.MethodPatch, f.url, "application/json-patch+json",
			`[{"op":"add","path":"/spec/ports/0","value":{"name":"first","port":81,"protocol":"TCP","targetPort":80}}]`)
	})
	_, err = f.commit(f.txn(change{"spec.ports[protocol=TCP].targetPort", "80", "90"}))
	f.want(Rejected, err)
	f.wantField("spec.ports[name=first].targetPort", "80")
	f.wantField("spec.ports[name=http].targetPort", "80")
}

// Given two swaps that are asked for at once, of which one sets what the other one selects its element by; then they go into two requests, in their
// order, and no element is mistaken for another.
func TestSwapOfWhatAnotherSelectsByGoesIntoItsOwnRequest(t *testing.T) {
	two := sample{service.apiVersion, service.kind, service.plural, `{"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},
		"ports":[{"name":"a","port":1,"targetPort":7,"protocol":"TCP"},{"name":"b","port":80,"targetPort":8,"protocol":"UDP"}]}}`}
	f := newFields(t, two)
	committing := func(c change) func() error {
		txn := f.txn(c)
		return func() error { _, err := f.commit(txn); return err }
	}
	errs := f.inOneBatch(
		committing(change{"spec.ports[name=a].port", "1", "80"}),
		committing(change{"spec.ports[port=80].targetPort", "8", "9"}),
	)
	f.want(Applied, errs[0])
	f.want(Rejected, errs[1]) // by then, it selects two
	f.wantField("spec.ports[name=a].targetPort", "7")
	f.wantField("spec.ports[name=b].targetPort", "8")
}

// A write of what those before it go by waits for them, and those after it for it: of fields, also of a part.
func TestGuardsAndWritesOfPartsAreJudgedInTheirOrder(t *testing.T) {
	f := newFields(t, service)
	committing := func(changes ...change) func() error {
		txn := f.txn(changes...)
		return func() error { _, err := f.commit(txn); return err }
	}
	errs := f.inOneBatch(
		committing(change{"metadata.labels.a", "", `"1"`}, change{"spec.selector.color", `"blue"`, "guard"}),
		committing(change{"spec.selector", `{"app":"web","color":"blue"}`, `{"app":"web","color":"green"}`}),
		committing(change{"metadata.labels.b", "", `"1"`}, change{"spec.selector.color", `"blue"`, "guard"}),
	)
	f.want(Applied, errs[0])
	f.want(Applied, errs[1])
	f.wantReason(ReasonKey, errs[2])
}
