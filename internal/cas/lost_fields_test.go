package cas

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// lostFieldsScene is a lostScene of fields of a Deployment, a custom object, or another kind.
type lostFieldsScene struct {
	arrange     func(*fieldsFixture)
	changes     []change
	isDelivered bool
	interfere   func(*fieldsFixture)
	within      bool
	want        eval.Verdict
}

func (s lostFieldsScene) run(t *testing.T, of sample) {
	t.Helper()
	for range 50 {
		if s.play(fieldsIn(t, of)) || !s.within {
			return
		}
	}
	t.Fatal("the scene never took place within one second")
}

// play plays a scene once and reports whether all timestamps of managedFields are one second. A verdict other
// than unknown is true.
func (s lostFieldsScene) play(f *fieldsFixture) (isWithin bool) {
	f.Helper()
	if s.arrange != nil {
		s.arrange(f)
	}
	f.engine.limits.settle = ample
	before := f.managedFields()
	f.lose(http.MethodPatch, s.isDelivered, func() { s.interfere(f) })
	_, err := f.commit(f.txn(s.changes...))
	f.wantTrue(err)
	if isWithin = isOneSecond(append(before, f.managedFields()...)); isWithin || !s.within {
		f.want(s.want, err)
	}
	return isWithin
}

func (f *fieldsFixture) managedFields() []metav1.ManagedFieldsEntry {
	f.Helper()
	_, answer := f.send(http.MethodGet, f.url, "", "")
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(answer, &object); err != nil {
		f.Fatal(err)
	}
	return object.ManagedFields
}

// merges returns an interference: a field manager sends a merge patch.
func merges(manager, patch string) func(*fieldsFixture) {
	return func(f *fieldsFixture) { f.merge(manager, patch) }
}

// scales returns an interference: an autoscaler sets the replicas, through a subresource.
func scales(replicas int) func(*fieldsFixture) {
	return func(f *fieldsFixture) {
		f.mustSend(http.MethodPatch, f.url+"/scale?fieldManager=autoscaler", "application/merge-patch+json",
			fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas))
	}
}

func TestLostWriteOfFields(t *testing.T) {
	t.Parallel()
	const cpu = "spec.template.spec.containers[name=web].resources.limits.cpu"
	const annotations = "spec.template.metadata.annotations"
	elsewhere := merges("engine", `{"metadata":{"labels":{"z":"1"}}}`)
	limits := func(manager, value string) func(*fieldsFixture) {
		return func(f *fieldsFixture) {
			f.mustSend(http.MethodPatch, f.url+"?fieldManager="+manager, "application/strategic-merge-patch+json",
				fmt.Sprintf(
					`{"spec":{"template":{"spec":{"containers":[{"name":"web","resources":{"limits":{"cpu":%q}}}]}}}}`, value))
		}
	}
	replicas := []change{{"spec.replicas", "2", "3"}}
	nothing := func(*fieldsFixture) {}
	for name, s := range map[string]lostFieldsScene{
		"nothing else happens to an applied write": {
			changes: replicas, isDelivered: true, interfere: nothing, want: eval.Applied,
		},
		"nothing else happens to a lost request": {
			changes: replicas, interfere: nothing, want: eval.Applied,
		},
		"the status changes after an applied write": {
			changes: replicas, isDelivered: true,
			interfere: func(f *fieldsFixture) { f.report(`{"status":{"observedGeneration":1}}`) }, want: eval.Applied,
		},
		"the status changes in the place of a lost request": {
			changes: replicas, want: eval.Unknown,
			interfere: func(f *fieldsFixture) { f.report(`{"status":{"observedGeneration":1}}`) },
		},
		"its owner undoes an applied write": {
			changes: replicas, isDelivered: true, interfere: merges("maker", `{"spec":{"replicas":2}}`), want: eval.Unknown,
		},
		"its owner undoes an applied write within the second": {
			arrange: merges("engine", `{"metadata":{"labels":{"a":"1"}}}`), within: true,
			changes: replicas, isDelivered: true, interfere: merges("maker", `{"spec":{"replicas":2}}`), want: eval.Unknown,
		},
		"an autoscaler undoes an applied write": {
			changes: replicas, isDelivered: true, interfere: scales(2), want: eval.Unknown,
		},
		"an autoscaler undoes an applied write of our own field within the second": {
			arrange: merges("engine", `{"spec":{"replicas":4}}`), within: true,
			changes: []change{{"spec.replicas", "4", "3"}}, isDelivered: true, interfere: scales(4), want: eval.Unknown,
		},
		"an autoscaler changes an applied value": {
			changes: replicas, isDelivered: true, interfere: scales(5), want: eval.Unknown,
		},
		"an autoscaler writes the value of a lost request": {
			changes: replicas, interfere: scales(3), want: eval.Unknown,
		},
		"an autoscaler writes the value of a lost request to our own field within the second": {
			arrange: merges("engine", `{"spec":{"replicas":4}}`), within: true,
			changes: []change{{"spec.replicas", "4", "3"}}, interfere: scales(3), want: eval.Unknown,
		},
		"our own field within the second": {
			arrange: merges("engine", `{"spec":{"replicas":4}}`), within: true,
			changes: []change{{"spec.replicas", "4", "3"}}, isDelivered: true, interfere: nothing, want: eval.Unknown,
		},
		"our entry gains a path within the second": {
			arrange: merges("engine", `{"metadata":{"labels":{"a":"1"}}}`), within: true,
			changes: replicas, isDelivered: true, interfere: nothing, want: eval.Applied,
		},
		"a quantity is stored in another spelling": {
			arrange: limits("maker", "500m"),
			changes: []change{{cpu, `"500m"`, `"1000m"`}}, isDelivered: true, interfere: nothing, want: eval.Applied,
		},
		"another writer writes an equal quantity in the place of a lost request": {
			arrange: limits("maker", "500m"),
			changes: []change{{cpu, `"500m"`, `"1000m"`}}, interfere: limits("other", "1"), want: eval.Unknown,
		},
		"the base contains an equal quantity, and another field changes": {
			arrange: limits("maker", "1"),
			changes: []change{{cpu, `"1"`, `"1000m"`}}, interfere: merges("other", `{"spec":{"replicas":3}}`),
			want: eval.Unknown,
		},
		"defaults beside an element": {
			changes: []change{{
				"spec.template.spec.containers[name=side]",
				`{"name":"side","image":"side:1","imagePullPolicy":"IfNotPresent","resources":{},
				"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}`,
				`{"name":"side","image":"side:2"}`,
			}},
			isDelivered: true, interfere: nothing, want: eval.Applied,
		},
		"a list is longer since": {
			changes:     []change{{"spec.template.spec.tolerations", "", `[{"key":"a","operator":"Exists"}]`}},
			isDelivered: true, want: eval.Unknown,
			interfere: merges("other", `{"spec":{"template":{"spec":{"tolerations":[
				{"key":"a","operator":"Exists"},{"key":"b","operator":"Exists"}]}}}}`),
		},
		"a field is removed": {
			changes: []change{{"metadata.labels.team", `"a"`, ""}}, isDelivered: true, interfere: nothing,
			want: eval.Unknown,
		},
		"another writer removes a field in the place of a lost request": {
			changes:   []change{{"metadata.labels.team", `"a"`, ""}},
			interfere: merges("other", `{"metadata":{"labels":{"team":null}}}`), want: eval.Unknown,
		},
		"one of two fields is overwritten": {
			changes:     []change{{"spec.replicas", "2", "3"}, {"metadata.labels.team", `"a"`, `"b"`}},
			isDelivered: true, interfere: merges("other", `{"metadata":{"labels":{"team":"c"}}}`), want: eval.Unknown,
		},
		"another writer writes the value of a lost request to our map, and our field manager writes elsewhere": {
			arrange: merges("engine", `{"metadata":{"annotations":{"a":"1"}}}`),
			changes: []change{{"metadata.annotations.a", `"1"`, `"2"`}}, want: eval.Unknown,
			interfere: follows(merges("other", `{"metadata":{"annotations":{"a":"2"}}}`), elsewhere),
		},
		"another writer adds a member of a lost map, and our field manager writes elsewhere": {
			arrange: merges("engine", `{"spec":{"template":{"metadata":{"annotations":{"a":"1"}}}}}`),
			changes: []change{{annotations, `{"a":"1"}`, `{"a":"1","b":"2"}`}}, want: eval.Unknown,
			interfere: follows(merges("other", `{"spec":{"template":{"metadata":{"annotations":{"b":"2"}}}}}`), elsewhere),
		},
		"another writer adds a member to an applied map": {
			arrange: merges("engine", `{"spec":{"template":{"metadata":{"annotations":{"a":"1"}}}}}`),
			changes: []change{{annotations, `{"a":"1"}`, `{"a":"1","b":"2"}`}}, want: eval.Applied, isDelivered: true,
			interfere: merges("other", `{"spec":{"template":{"metadata":{"annotations":{"c":"2"}}}}}`),
		},
		"managedFields are stripped after an applied write": {
			changes: replicas, isDelivered: true,
			interfere: merges("other", `{"metadata":{"managedFields":[{}]}}`), want: eval.Unknown,
		},
		"our field manager writes the value of a lost request through a subresource": {
			changes: replicas, want: eval.Unknown,
			interfere: func(f *fieldsFixture) {
				f.mustSend(http.MethodPatch, f.url+"/scale?fieldManager=engine", "application/merge-patch+json",
					`{"spec":{"replicas":3}}`)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.run(t, deployment)
		})
	}
}

// newGadgets returns a sample of a custom kind with two API versions. Its map "options" belongs to its owners by
// member.
func newGadgets(t *testing.T) sample {
	t.Helper()
	f := &fieldsFixture{fixture: in(t, testcluster.Shared(t))}
	client, err := rest.HTTPClientFor(f.cluster.Config)
	if err != nil {
		t.Fatal(err)
	}
	f.client = client
	group := f.ref.Namespace + ".acme.io"
	version := func(name string, isStored bool) string {
		return fmt.Sprintf(`{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{
			"type":"object","properties":{"spec":{"type":"object","properties":{
			"size":{"type":"integer"},"options":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}`, name, isStored)
	}
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	f.mustSend(http.MethodPost, definitions, "application/json", fmt.Sprintf(
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gadgets.%s"},
		"spec":{"group":%q,"scope":"Namespaced","versions":[%s,%s],
		"names":{"kind":"Gadget","plural":"gadgets","singular":"gadget","listKind":"GadgetList"}}}`,
		group, group, version("v1", true), version("v1beta1", false)))
	s := sample{group + "/v1", "Gadget", "gadgets", `{"apiVersion":"` + group +
		`/v1","kind":"Gadget","metadata":{"name":"web"},"spec":{"size":1,"options":{"a":"1"}}}`}
	<-waitFor(func() bool {
		v1, _ := f.send(http.MethodGet, s.collection(f.ref.Namespace), "", "")
		beta, _ := f.send(http.MethodGet, strings.Replace(s.collection(f.ref.Namespace), "/v1/", "/v1beta1/", 1),
			"", "")
		return v1 == http.StatusOK && beta == http.StatusOK
	})
	return s
}

func TestLostWriteOfFieldsOfSeveralVersions(t *testing.T) {
	t.Parallel()
	of := newGadgets(t)
	inBeta := func(manager, patch string) func(*fieldsFixture) {
		return func(f *fieldsFixture) {
			url := strings.Replace(f.url, "/v1/", "/v1beta1/", 1)
			f.mustSend(http.MethodPatch, url+"?fieldManager="+manager, "application/merge-patch+json", patch)
		}
	}
	size := []change{{"spec.size", "1", "2"}}
	nothing := func(*fieldsFixture) {}
	for name, s := range map[string]lostFieldsScene{
		"an older API version undoes an applied write": {
			changes: size, isDelivered: true, interfere: inBeta("maker", `{"spec":{"size":1}}`), want: eval.Unknown,
		},
		"an older API version writes the value of a lost request": {
			changes: size, interfere: inBeta("other", `{"spec":{"size":2}}`), want: eval.Unknown,
		},
		"an older API version writes the value of a lost request to our own field within the second": {
			arrange: follows(merges("maker", `{"spec":{"size":3}}`), merges("engine", `{"spec":{"size":1}}`)),
			within:  true,
			changes: size, interfere: inBeta("other", `{"spec":{"size":2}}`), want: eval.Unknown,
		},
		"we own the field in an older API version": {
			arrange: follows(merges("maker", `{"spec":{"size":3}}`), inBeta("engine", `{"spec":{"size":1}}`),
				merges("engine", `{"metadata":{"labels":{"a":"1"}}}`)),
			changes: size, interfere: nothing, want: eval.Applied,
		},
		"an older API version changes another field after an applied write": {
			changes: size, isDelivered: true, interfere: inBeta("other", `{"spec":{"options":{"a":"2"}}}`),
			want: eval.Applied,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.run(t, of)
		})
	}
}

// The definition of a kind makes a map that the engine owns atomic. The next write of another writer then gives our
// entry the path of the map.
func TestLostWriteAfterADefinitionMadeAMapAWhole(t *testing.T) {
	t.Parallel()
	of := newGadgets(t)
	f := fieldsIn(t, of)
	f.merge("engine", `{"spec":{"options":{"b":"1"}}}`)
	group, _, _ := strings.Cut(of.apiVersion, "/")
	f.mustSend(http.MethodPatch, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets."+group,
		"application/json-patch+json",
		`[{"op":"add","value":"atomic",
		"path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/options/x-kubernetes-map-type"}]`)
	<-waitFor(func() bool {
		_, answer := f.send(http.MethodPatch, f.url+"?dryRun=All", "application/merge-patch+json",
			`{"metadata":{"labels":{"probe":"1"}}}`)
		return strings.Contains(string(answer), `{"f:spec":{"f:options":{}}}`)
	})
	f.lose(http.MethodPatch, false, func() { f.merge("other", `{"spec":{"size":2}}`) })
	_, err := f.commit(f.txn(change{"spec.size", "1", "2"}))
	f.want(eval.Unknown, err)
}

// The callers of a lost write leave while a read of its outcome waits for discovery, which fails for all of them. Each
// caller has an error of its own, and none says that nothing was written.
func TestDiscoveryIsCutShortAfterALostResponse(t *testing.T) {
	f := newFields(t, deployment)
	f.engine.limits = limits{grace: 4 * reportTime, read: reportTime, settle: ample}
	observe := func(name string) {
		ref := f.ref
		ref.Name = name
		_, _ = f.engine.Observe(f.Context(), ref, f.apiVersion, 0)
	}
	observe(f.ref.Name)
	ctx, leave := context.WithCancel(t.Context())
	reads, held, discovers := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var read, discovery sync.Once
	f.proxy.SetHook(func(r *http.Request) (fault testcluster.Fault) {
		switch {
		case r.URL.Path == "/apis/"+f.apiVersion:
			discovery.Do(func() { close(discovers) })
			fault.HoldBefore = make(chan struct{})
		case strings.HasSuffix(r.URL.Path, "/other"): // not about the object: the engine discovers the kind again
			fault.Answer = &testcluster.Answer{Status: http.StatusNotFound, Body: "404 page not found"}
		case r.Method == http.MethodGet:
			read.Do(func() {
				close(reads)
				fault.HoldBefore = held
			})
		default:
			fault.DropAfter = true
			fault.Answered = func(*http.Response) {
				go observe("other")
				<-discovers
				leave()
			}
		}
		return fault
	})
	go observe(f.ref.Name)
	<-reads
	errs := make(chan error, 2)
	for _, field := range []change{{"spec.replicas", "2", "3"}, {"metadata.labels.team", `"a"`, `"b"`}} {
		go func() {
			_, err := f.engine.Commit(ctx, f.txn(field))
			errs <- err
		}()
	}
	f.queued(2)
	close(held)
	for range 2 {
		err := <-errs
		f.want(eval.Unknown, err)
		if strings.Contains(err.Error(), "nothing was written") {
			t.Error(err)
		}
	}
}
