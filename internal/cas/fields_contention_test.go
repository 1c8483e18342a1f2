package cas

import (
	"fmt"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// A controller writes the status of a Deployment before the first two patches of each swap. No swap reports a conflict, and each takes
// three reads and three patches.
func TestFieldsAreSwappedWhereAControllerReports(t *testing.T) {
	for name, paths := range map[string][2]change{
		"replicas": {{"spec.replicas", "2", "3"}, {"spec.replicas", "3", "2"}},
		"image": {
			{"spec.template.spec.containers[name=web].image", `"web:1"`, `"web:2"`},
			{"spec.template.spec.containers[name=web].image", `"web:2"`, `"web:1"`},
		},
		"an element that comes and goes": {
			{"spec.template.spec.containers[name=web].env[name=B]", "", `{"name":"B","value":"1"}`},
			{"spec.template.spec.containers[name=web].env[name=B]", `{"name":"B","value":"1"}`, ""},
		},
		"an annotation that comes and goes, where there is no other": {
			{`metadata.annotations["acme.io/x"]`, "", `"1"`}, {`metadata.annotations["acme.io/x"]`, `"1"`, ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, deployment)
			patches := 0
			f.onEach(http.MethodPatch, func() testcluster.Fault {
				if patches++; patches%3 != 0 {
					f.report(fmt.Sprintf(`{"status":{"observedGeneration":%d}}`, patches))
				}
				return testcluster.Fault{}
			})
			for n := range 4 {
				if _, err := f.commit(f.txn(paths[n%2])); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(f.proxy.Requests()); n > 4*6 {
				t.Errorf("%d requests: %v", n, f.proxy.Requests())
			}
		})
	}
}

// Given a Deployment that others are busy with; when a container comes before the one whose policy is swapped, just before the write; then the write is
// refused, evaluated again, and the right container is written.
func TestElementThatMovesInItsListIsNotMistaken(t *testing.T) {
	const policy = "spec.template.spec.containers[name=web].imagePullPolicy" // of both containers it is the same
	f := newFields(t, deployment)
	f.beforePatch(func() {
		f.mustSend(http.MethodPatch, f.url, string(types.JSONPatchType),
			`[{"op":"add","path":"/spec/template/spec/containers/0","value":{"name":"first","image":"first:1"}}]`)
	})
	_, err := f.commit(f.txn(change{policy, `"IfNotPresent"`, `"Always"`}))
	f.want(eval.Applied, err)
	f.wantField(policy, `"Always"`)
	f.wantField("spec.template.spec.containers[name=first].imagePullPolicy", `"IfNotPresent"`)
	f.wantField("spec.template.spec.containers[name=side].imagePullPolicy", `"IfNotPresent"`)
}

// Given a Deployment that others are busy with; when elements are removed, set and added at once; then each change is of its element.
func TestElementsOfOneListAreChangedTogether(t *testing.T) {
	f := newFields(t, deployment)
	f.merge("other", `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"},{"name":"web","image":"web:1","env":[
		{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"},{"name":"D","value":"4"}]}]}}}}`)
	env := func(name string) string { return "spec.template.spec.containers[name=web].env[name=" + name + "]" }
	_, err := f.commit(f.txn(
		change{"spec.template.spec.containers[name=side]", `{"image":"side:1","imagePullPolicy":"IfNotPresent",
			"name":"side","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}`, ""},
		change{env("A"), `{"name":"A","value":"1"}`, ""}, change{env("B") + ".value", `"2"`, `"two"`}, change{env("C"), `{"name":"C","value":"3"}`, ""},
		change{env("E"), "", `{"name":"E","value":"5"}`},
	))
	f.want(eval.Applied, err)
	f.wantField("spec.template.spec.containers[name=web].env", `[{"name":"B","value":"two"},{"name":"D","value":"4"},{"name":"E","value":"5"}]`)
	f.wantField("spec.template.spec.containers[name=side]", "")
}

// Given a Deployment; when 40 swaps of different annotations wait for one read, one patch makes all of them.
func TestManySwapsOfOneObjectShareRequests(t *testing.T) {
	f := newFields(t, deployment)
	var calls []func() error
	for n := range 40 {
		annotation := change{fmt.Sprintf(`metadata.annotations["acme.io/n%d"]`, n), "", `"1"`}
		calls = append(calls, f.committing(f.txn(annotation)))
	}
	for _, err := range f.inOneBatch(calls...) {
		f.want(eval.Applied, err)
	}
	if n := f.proxy.Count(http.MethodPatch); n != 1 {
		t.Errorf("%d patches, want 1", n)
	}
}

// Given two swaps that arrive at once; when one names a part of the other's field; then they go into two
// requests, and the second is evaluated on the result of the first.
func TestOverlappingPathsGoIntoTwoRequests(t *testing.T) {
	for name, test := range map[string]struct {
		first, second change
		requests      int
		verdict       eval.Verdict // of the second
	}{
		"a map and its member":          {change{"spec.selector", `{"app":"web","color":"blue"}`, `{"app":"web","color":"green"}`}, change{"spec.selector.color", `"green"`, `"red"`}, 2, eval.Applied},
		"an element and its field":      {change{"spec.ports[name=http]", `{"name":"http","port":80,"protocol":"TCP","targetPort":80}`, `{"name":"http","port":80,"protocol":"TCP","targetPort":81}`}, change{"spec.ports[port=80].targetPort", "81", "82"}, 2, eval.Applied},
		"a map and what its member was": {change{"spec.selector", `{"app":"web","color":"blue"}`, `{"app":"web","color":"green"}`}, change{"spec.selector.color", `"blue"`, `"red"`}, 1, eval.Conflict},
		"two members":                   {change{"spec.selector.color", `"blue"`, `"green"`}, change{"spec.selector.app", `"web"`, `"other"`}, 1, eval.Applied},
		"two elements":                  {change{"spec.ports[name=a]", "", `{"name":"a","port":1}`}, change{"spec.ports[name=b]", "", `{"name":"b","port":2}`}, 1, eval.Applied},
		"a guard of what is written":    {change{"spec.selector.color", `"blue"`, `"green"`}, change{"spec.selector", `{"app":"web","color":"green"}`, "guard"}, 1, eval.Applied},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, service)
			arrived, release := f.holdReads(testcluster.Fault{})
			begin := func(c change) <-chan error {
				told, txn := make(chan error, 1), f.txn(c)
				go func() {
					_, err := f.commit(txn)
					told <- err
				}()
				return told
			}
			first := begin(test.first)
			<-arrived
			committer := f.engine.committer(f.ref)
			second := begin(test.second)
			<-waitFor(func() bool { return len(committer.waiting()) == 1 })
			close(release)
			f.want(eval.Applied, <-first)
			f.want(test.verdict, <-second)
			if n := f.proxy.Count(http.MethodPatch); n != test.requests {
				t.Errorf("%d patches, want %d", n, test.requests)
			}
		})
	}
}
