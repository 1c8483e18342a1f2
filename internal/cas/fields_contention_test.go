package cas

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// reports writes the status 50 times a second until the test ends.
func (f *fieldsFixture) reports() {
	ctx, stop := context.WithCancel(context.Background())
	var controller sync.WaitGroup
	controller.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := 1; ctx.Err() == nil; n++ {
			<-tick.C
			f.report(fmt.Sprintf(`{"status":{"observedGeneration":%d}}`, n))
		}
	})
	f.Cleanup(func() {
		stop()
		controller.Wait()
	})
}

// Given a Deployment whose status is written 50 times a second; when a field is swapped 20 times; then none is a conflict, and that takes 60 requests
// at most.
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
			f.reports()
			for n := range 20 {
				if _, err := f.commit(f.txn(paths[n%2])); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(f.proxy.Requests()); n > 60 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// Given a Deployment whose status is written just before each patch; when a field is swapped 16 times; then a patch that goes by the field alone passes.
func TestFieldsAreSwappedThoughAControllerAlwaysComesFirst(t *testing.T) {
	f := newFields(t, deployment)
	n := 0
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		n++
		f.report(fmt.Sprintf(`{"status":{"observedGeneration":%d}}`, n))
		return testcluster.Fault{}
	})
	for n := range 16 {
		swap := [2]change{{"spec.replicas", "2", "3"}, {"spec.replicas", "3", "2"}}[n%2]
		if _, err := f.commit(f.txn(swap)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(f.proxy.Requests()); n > 48 {
		t.Errorf("%d requests", n)
	}
}

// busy has the Engine write by JSON Patch: another writes just before the first merge patch.
func (f *fieldsFixture) busy(change change) {
	f.Helper()
	f.beforePatch(func() { f.report(`{"status":{"observedGeneration":7}}`) })
	if _, err := f.commit(f.txn(change)); err != nil {
		f.Fatal(err)
	}
	f.proxy.Reset()
}

// patches are the kinds and the outcomes of the patches since the last Reset.
func (f *fieldsFixture) patches() (all []string) {
	for _, r := range f.proxy.Requests() {
		if r.Method == http.MethodPatch {
			kind := "merge"
			if r.ContentType == string(types.JSONPatchType) {
				kind = "json"
			}
			all = append(all, fmt.Sprint(kind, " ", r.Status))
		}
	}
	return all
}

// Given a Deployment that others are busy with; when a container comes before the one whose policy is swapped, just before the write; then the write is
// refused, judged again, and the right container is written.
func TestElementThatMovesInItsListIsNotMistaken(t *testing.T) {
	const policy = "spec.template.spec.containers[name=web].imagePullPolicy" // of both containers it is the same
	f := newFields(t, deployment)
	f.busy(change{"spec.replicas", "2", "3"})
	f.beforePatch(func() {
		f.mustSend(http.MethodPatch, f.url, string(types.JSONPatchType),
			`[{"op":"add","path":"/spec/template/spec/containers/0","value":{"name":"first","image":"first:1"}}]`)
	})
	_, err := f.commit(f.txn(change{policy, `"IfNotPresent"`, `"Always"`}))
	f.want(Applied, err)
	f.wantField(policy, `"Always"`)
	f.wantField("spec.template.spec.containers[name=first].imagePullPolicy", `"IfNotPresent"`)
	f.wantField("spec.template.spec.containers[name=side].imagePullPolicy", `"IfNotPresent"`)
	if got := fmt.Sprint(f.patches()); got != "[json 422 merge 200]" {
		t.Errorf("patches %s", got)
	}
}

// Given a Deployment that others are busy with; when elements are removed, set and added at once; then each change is of its element.
func TestElementsOfOneListAreChangedTogether(t *testing.T) {
	f := newFields(t, deployment)
	f.merge("other", `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"},{"name":"web","image":"web:1","env":[
		{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"},{"name":"D","value":"4"}]}]}}}}`)
	f.busy(change{"spec.replicas", "2", "3"})
	env := func(name string) string { return "spec.template.spec.containers[name=web].env[name=" + name + "]" }
	_, err := f.commit(f.txn(
		change{"spec.template.spec.containers[name=side]", `{"image":"side:1","imagePullPolicy":"IfNotPresent",
			"name":"side","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}`, ""},
		change{env("A"), `{"name":"A","value":"1"}`, ""}, change{env("B") + ".value", `"2"`, `"two"`}, change{env("C"), `{"name":"C","value":"3"}`, ""},
		change{env("E"), "", `{"name":"E","value":"5"}`},
	))
	f.want(Applied, err)
	f.wantField("spec.template.spec.containers[name=web].env", `[{"name":"B","value":"two"},{"name":"D","value":"4"},{"name":"E","value":"5"}]`)
	f.wantField("spec.template.spec.containers[name=side]", "")
	if got := fmt.Sprint(f.patches()); got != "[json 200]" {
		t.Errorf("patches %s", got)
	}
}

// Given a Deployment that others are busy with; when the field, a guard or the list that an element is added to changes just before the write; then it is
// a conflict, and nothing is written.
func TestForeignChangeBeforeAJSONPatchOfFieldsIsAConflict(t *testing.T) {
	const web = "spec.template.spec.containers[name=web]"
	for name, test := range map[string]struct {
		changes []change
		foreign string
		failed  string
	}{
		"the field":          {[]change{{"spec.replicas", "3", "4"}}, `{"spec":{"replicas":9}}`, "spec.replicas"},
		"a guard":            {[]change{{"spec.replicas", "3", "4"}, {"metadata.labels.team", `"a"`, "guard"}}, `{"metadata":{"labels":{"team":"b"}}}`, "metadata.labels.team"},
		"an absent guard":    {[]change{{"spec.replicas", "3", "4"}, {`metadata.annotations["acme.io/freeze"]`, "", "guard"}}, `{"metadata":{"annotations":{"acme.io/freeze":"1"}}}`, `metadata.annotations["acme.io/freeze"]`},
		"an absent map":      {[]change{{`metadata.annotations["acme.io/x"]`, "", `"1"`}}, `{"metadata":{"annotations":{"acme.io/x":"2"}}}`, `metadata.annotations["acme.io/x"]`},
		"an element's field": {[]change{{web + ".env[name=A].value", `"1"`, `"2"`}}, `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:1","env":[{"name":"A","value":"9"}]}]}}}}`, web + ".env[name=A].value"},
		"an element's place": {[]change{{web + ".env[name=B]", "", `{"name":"B","value":"1"}`}}, `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:1","env":[{"name":"B","value":"9"}]}]}}}}`, web + ".env[name=B]"},
		"status":             {[]change{{"spec.replicas", "3", "4"}, {"status.observedGeneration", "7", "guard"}}, "", "status.observedGeneration"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, deployment)
			f.busy(change{"spec.replicas", "2", "3"})
			f.beforePatch(func() {
				if test.foreign == "" {
					f.report(`{"status":{"observedGeneration":8}}`)
					return
				}
				f.merge("other", test.foreign)
			})
			_, err := f.commit(f.txn(test.changes...))
			f.wantReason(ReasonKey, err)
			var conflict *ConflictError
			if !asConflict(err, &conflict) || len(conflict.Keys) != 1 || conflict.Keys[0].Key != f.key(test.failed) {
				t.Errorf("%+v, want %s", conflict, test.failed)
			}
			if got := fmt.Sprint(f.patches()); got != "[json 422]" {
				t.Errorf("patches %s", got)
			}
			if c := test.changes[0]; c.path != test.failed {
				f.wantField(c.path, c.from)
			}
		})
	}
}

// Given a Deployment; when 40 swaps of different annotations are asked for at once, at most 16 patches do for all.
func TestManySwapsOfOneObjectShareRequests(t *testing.T) {
	f := newFields(t, deployment)
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			_, err := f.commit(f.txn(change{fmt.Sprintf(`metadata.annotations["acme.io/n%d"]`, n), "", `"1"`}))
			f.want(Applied, err)
		})
	}
	all.Wait()
	if n := f.proxy.Count(http.MethodPatch); n > 16 {
		t.Errorf("%d patches", n)
	}
}

// Given two swaps of which one names a part of what the other names, as both are asked for at once; then they go into two requests, and the second is
// judged on what the first leaves.
func TestOverlappingPathsGoIntoTwoRequests(t *testing.T) {
	for name, test := range map[string]struct {
		first, second change
		requests      int
		verdict       Verdict // of the second
	}{
		"a map and its member":          {change{"spec.selector", `{"app":"web","color":"blue"}`, `{"app":"web","color":"green"}`}, change{"spec.selector.color", `"green"`, `"red"`}, 2, Applied},
		"an element and its field":      {change{"spec.ports[name=http]", `{"name":"http","port":80,"protocol":"TCP","targetPort":80}`, `{"name":"http","port":80,"protocol":"TCP","targetPort":81}`}, change{"spec.ports[port=80].targetPort", "81", "82"}, 2, Applied},
		"a map and what its member was": {change{"spec.selector", `{"app":"web","color":"blue"}`, `{"app":"web","color":"green"}`}, change{"spec.selector.color", `"blue"`, `"red"`}, 1, Conflict},
		"two members":                   {change{"spec.selector.color", `"blue"`, `"green"`}, change{"spec.selector.app", `"web"`, `"other"`}, 1, Applied},
		"two elements":                  {change{"spec.ports[name=a]", "", `{"name":"a","port":1}`}, change{"spec.ports[name=b]", "", `{"name":"b","port":2}`}, 1, Applied},
		"a guard of what is written":    {change{"spec.selector.color", `"blue"`, `"green"`}, change{"spec.selector", `{"app":"web","color":"green"}`, "guard"}, 1, Applied},
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
			f.want(Applied, <-first)
			f.want(test.verdict, <-second)
			if n := f.proxy.Count(http.MethodPatch); n != test.requests {
				t.Errorf("%d patches, want %d", n, test.requests)
			}
		})
	}
}

// Given a write of fields by JSON Patch whose answer is lost; then it is found out that it landed, also where a controller reports meanwhile.
func TestLostAnswerOfAJSONPatchOfFieldsIsFoundOut(t *testing.T) {
	for name, test := range map[string]struct {
		change change
		stored string
	}{
		"as it was sent":   {change{"spec.paused", "", "true"}, "true"},
		"in a normal form": {change{"spec.template.spec.containers[name=web].resources.limits", "", `{"cpu":"1000m"}`}, `{"cpu":"1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, deployment)
			f.busy(change{"spec.replicas", "2", "3"})
			f.lost(func() testcluster.Fault {
				f.report(`{"status":{"observedGeneration":8}}`)
				return testcluster.Fault{Answered: func(*http.Response) { f.report(`{"status":{"observedGeneration":9}}`) }, DropAfter: true}
			})
			result, err := f.commit(f.txn(test.change))
			f.want(Applied, err)
			if got := result.Stored[f.key(test.change.path)]; got != jsonOf(t, test.stored) {
				t.Errorf("stored %s", got.Raw())
			}
			for _, r := range f.proxy.Requests() {
				if bytes.Contains(r.Body, []byte(`"op"`)) && r.ContentType != string(types.JSONPatchType) {
					t.Errorf("%s", r.Body)
				}
			}
			f.wantField(test.change.path, test.stored)
		})
	}
}

// Given a Deployment without annotations that others are busy with; when two are added at once, one JSON Patch makes the map for both.
func TestTwoAnnotationsMakeOneMap(t *testing.T) {
	f := newFields(t, deployment)
	f.busy(change{"spec.replicas", "2", "3"})
	a, b := `metadata.annotations["acme.io/a"]`, `metadata.annotations["acme.io/b"]`
	_, err := f.commit(f.txn(change{a, "", `"1"`}, change{b, "", `"2"`}, change{"spec.template.spec.containers[name=side].env[name=X]", "", `{"name":"X"}`}))
	f.want(Applied, err)
	f.wantField(a, `"1"`)
	f.wantField(b, `"2"`)
	f.wantField("spec.template.spec.containers[name=side].env", `[{"name":"X"}]`)
	if got := fmt.Sprint(f.patches()); got != "[json 200]" {
		t.Errorf("patches %s", got)
	}
}
