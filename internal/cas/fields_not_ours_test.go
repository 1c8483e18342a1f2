package cas

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a swap of all labels that removes a label; when another writer removes that label first; then the verdict
// is unknown if the swap was lost, and a conflict if it was refused. The engine cannot claim the removal, because a
// removal leaves no trace.
func TestPartOfAFieldThatAnotherRemovedIsNotOurs(t *testing.T) {
	for name, test := range map[string]struct {
		fault   testcluster.Fault
		verdict eval.Verdict
	}{
		"lost":    {testcluster.Fault{DropBefore: true}, eval.Unknown},
		"refused": {testcluster.Fault{}, eval.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, deployment)
			f.merge("other", `{"metadata":{"labels":{"x":"1"}}}`)
			commit := func(c change) error {
				_, err := f.commit(f.txn(c))
				return err
			}
			f.want(eval.Applied, commit(change{"metadata.labels.team", `"a"`, `"b"`}))
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
	f.want(eval.Applied, err)
	f.beforePatch(func() {
		f.mustSend(http.MethodPatch, f.url, "application/json-patch+json",
			`[{"op":"add","path":"/spec/ports/0","value":{"name":"first","port":81,"protocol":"TCP","targetPort":80}}]`)
	})
	_, err = f.commit(f.txn(change{"spec.ports[protocol=TCP].targetPort", "80", "90"}))
	f.want(eval.Rejected, err)
	f.wantField("spec.ports[name=first].targetPort", "80")
	f.wantField("spec.ports[name=http].targetPort", "80")
}

// Given two swaps that arrive at once, and one sets the field by which the other selects its element; then
// they go into two requests, in their order, and no element is mistaken for another.
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
	f.want(eval.Applied, errs[0])
	f.want(eval.Rejected, errs[1]) // by then, it selects two
	f.wantField("spec.ports[name=a].targetPort", "7")
	f.wantField("spec.ports[name=b].targetPort", "8")
}

// A write waits for the tasks ahead that compare its field or a part of it, and the tasks behind that compare
// it wait for the write.
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
	f.want(eval.Applied, errs[0])
	f.want(eval.Applied, errs[1])
	f.wantReason(eval.ReasonKey, errs[2])
}

// Given a removal of a label by its path; when this process then writes the label by its name, or as a part of all
// labels; then the removal is refused. It would undo what this process wrote.
func TestFieldThatThisProcessWroteOtherwiseIsNotRemoved(t *testing.T) {
	for name, write := range map[string]func(*fieldsFixture) *eval.Txn{
		"by its name":  func(f *fieldsFixture) *eval.Txn { return f.swapping(eval.LabelKey("a"), two, one).Txn() },
		"as a part":    func(f *fieldsFixture) *eval.Txn { return f.txn(change{"metadata.labels", `{"a":"2"}`, `{"a":"1"}`}) },
		"by its path":  func(f *fieldsFixture) *eval.Txn { return f.txn(change{"metadata.labels.a", `"2"`, `"1"`}) },
		"another name": nil,
	} {
		t.Run(name, func(t *testing.T) {
			f := &fieldsFixture{fixture: newFixture(t, map[string]string{"foo": "1"}), apiVersion: "v1"}
			label := func(value string) {
				f.change(func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"a": value} })
			}
			label("1")
			seen := f.observe().Version()
			label("2")
			if write != nil {
				_, err := f.commit(write(f))
				f.want(eval.Applied, err)
			} else {
				label("1")
				_, err := f.commit(f.swapping(eval.LabelKey("b"), eval.Value{}, one).Txn())
				f.want(eval.Applied, err)
			}
			removal := f.txn(change{"metadata.labels.a", `"1"`, ""})
			removal.IgnoreMissing, removal.ObservedAt = true, seen
			_, err := f.commit(removal)
			if write == nil {
				f.want(eval.Applied, err)
			} else {
				f.wantReason(eval.ReasonOwn, err)
			}
		})
	}
}

// Given a swap of a field whose outcome is unknown; when a swap of the same quantity in another spelling is
// applied, and its response is lost; then the verdict of the second swap is not a conflict.
func TestFieldThatAnUnknownSwapWouldHaveStoredAlike(t *testing.T) {
	const cpu = "spec.template.spec.containers[name=web].resources.limits.cpu"
	f := newFields(t, deployment)
	l := f.late()
	l.holds(http.MethodPatch, testcluster.Fault{DropAfter: true})
	l.want(eval.Unknown, l.leaves(func(ctx context.Context) error {
		_, err := f.engine.Commit(ctx, f.txn(change{cpu, "", `"1"`}))
		return err
	}))
	n := 0
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		if n++; n == 1 {
			return testcluster.Fault{DropAfter: true}
		}
		return testcluster.Fault{}
	})
	_, err := f.commit(f.txn(change{cpu, "", `"1000m"`}))
	if verdict := eval.VerdictOf(err); verdict == eval.Conflict || verdict == eval.Rejected {
		t.Errorf("%s of what landed: %v", verdict, err)
	}
	f.wantField(cpu, `"1"`)
	close(l.release)
}

// Given a swap of a label by path or by name, whose outcome is unknown; when it is applied just before a swap by
// the other spelling, which is lost; then the other swap does not count as applied.
func TestLabelThatAnUnknownSwapOfTheOtherShapeSetIsNotAnothersToo(t *testing.T) {
	for name, isPathFirst := range map[string]bool{"by path first": true, "by name first": false} {
		t.Run(name, func(t *testing.T) {
			f := &fieldsFixture{fixture: newFixture(t, map[string]string{"foo": "1"}), apiVersion: "v1"}
			f.change(func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"a": "1"} })
			byPath := f.txn(change{"metadata.labels.a", `"1"`, `"2"`})
			byName := f.swapping(eval.LabelKey("a"), one, two).Txn()
			first, second := byPath, byName
			if !isPathFirst {
				first, second = second, first
			}
			l := f.late()
			l.holds(http.MethodPatch, testcluster.Fault{DropBefore: true})
			l.want(eval.Unknown, l.leaves(func(ctx context.Context) error {
				_, err := f.engine.Commit(ctx, first)
				return err
			}))
			_, err := f.commit(second)
			if verdict := eval.VerdictOf(err); verdict == eval.Applied || verdict == eval.Rejected {
				t.Errorf("%s, want a conflict, or that it is unknown: %v", verdict, err)
			}
		})
	}
}

// Given a list whose elements another writer owns; when a definition makes the list atomic, and the response to a
// later write is lost; then the write is applied, although the other writer now owns the list as a whole.
func TestListThatBecameOneIsNotAnothersWrite(t *testing.T) {
	t.Parallel()
	of := newWidgets(t)
	f := fieldsIn(t, of)
	f.merge("second", `{"spec":{"parts":[{"name":"a","weight":9},{"name":"b","weight":2}]}}`)
	group, _, _ := strings.Cut(of.apiVersion, "/")
	f.mustSend(http.MethodPatch, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets."+group, "application/json-patch+json",
		`[{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/parts/x-kubernetes-list-type","value":"atomic"},
		{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/parts/x-kubernetes-list-map-keys"}]`)
	<-waitFor(func() bool {
		_, answer := f.send(http.MethodPatch, f.url+"?dryRun=All", "application/merge-patch+json", `{"metadata":{"labels":{"probe":"1"}}}`)
		return strings.Contains(string(answer), `{"f:spec":{"f:parts":{}}}`)
	})
	f.lost(func() testcluster.Fault {
		return testcluster.Fault{Answered: func(*http.Response) { f.merge("other", `{"metadata":{"labels":{"other":"1"}}}`) }, DropAfter: true}
	})
	_, err := f.commit(f.txn(change{"spec.size", `"small"`, `"large"`}))
	f.want(eval.Applied, err)
}

// Given an object that no longer fits its definition; when the response to a write is lost, or another writer
// writes the same value and the request never arrives; then the verdict is unknown. The API server does not update
// the managedFields of such an object.
func TestWriteOfWhichNoAccountIsKeptIsUnknown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		owner string // of the field
		fate  func(f *fieldsFixture) testcluster.Fault
	}{
		"ours, of another's field": {"other", func(*fieldsFixture) testcluster.Fault { return testcluster.Fault{DropAfter: true} }},
		"another's, of our field": {"engine", func(f *fieldsFixture) testcluster.Fault {
			f.merge("other", `{"spec":{"number":6}}`)
			return testcluster.Fault{DropBefore: true}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			of := newWidgets(t)
			f := newFields(t, of)
			f.merge(test.owner, `{"spec":{"number":5}}`)
			group, _, _ := strings.Cut(of.apiVersion, "/")
			f.mustSend(http.MethodPatch, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets."+group, "application/json-patch+json",
				`[{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/type","value":"integer"}]`)
			<-waitFor(func() bool {
				_, answer := f.send(http.MethodPatch, f.url+"?dryRun=All&fieldManager=probe", "application/merge-patch+json", `{"metadata":{"labels":{"probe":"1"}}}`)
				return !strings.Contains(string(answer), `"manager":"probe"`)
			})
			f.lost(func() testcluster.Fault { return test.fate(f) })
			_, err := f.commit(f.txn(change{"spec.number", "5", "6"}))
			f.want(eval.Unknown, err)
			f.wantField("spec.number", "6")
		})
	}
}

// Given a field that is computed; then what is made of it is evaluated as any other value: the element must be there, and hold what selects it.
func TestComputedFieldMustFit(t *testing.T) {
	f := newFields(t, deployment)
	for _, test := range []struct{ path, next, wrong string }{
		{"spec.template.spec.containers[name=none].image", `"web:2"`, "is not there"},
		{"spec.template.spec.containers[name=web].name", `"other"`, "would become another element"},
		{"spec.template.spec.containers[name=web]", `{"name":"other","image":"web:2"}`, "would become another element"},
		{"metadata.finalizers", `["acme.io/x",null]`, "is null"},
		{"spec.replicas", "3", ""},
	} {
		was := f.raw()
		_, err := f.commit(&eval.Txn{Ref: f.ref, APIVersion: f.apiVersion, FieldManager: "engine", Keys: []eval.KeySwap{{
			Key: f.key(test.path), Next: func(eval.Value) (eval.Value, error) { return jsonOf(t, test.next), nil },
		}}})
		var field *eval.FieldError
		switch {
		case test.wrong == "":
			f.want(eval.Applied, err)
			f.wantField(test.path, test.next)
		case !errors.As(err, &field) || !strings.Contains(err.Error(), test.wrong):
			t.Errorf("%s: %v, want a FieldError that says %q", test.path, err, test.wrong)
		default:
			if diff := cmp.Diff(was, f.raw()); diff != "" {
				t.Errorf("%s changed the object (-was +is):\n%s", test.path, diff)
			}
		}
	}
}
