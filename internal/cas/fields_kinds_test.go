package cas

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// observes reads an object of a kind that need not be there.
func (f *fixture) observes(ref eval.Ref, apiVersion string) (*eval.Snapshot, error) {
	return f.engine.Observe(f.Context(), ref, apiVersion, 0)
}

// Given kinds and versions that the API server does not serve; then its own list says so, and it is asked again each time: the definition may have come.
func TestKindThatIsNotServed(t *testing.T) {
	t.Parallel()
	f := in(t, testcluster.Shared(t))
	for name, test := range map[string]struct {
		kind       eval.Kind
		apiVersion string
	}{
		"group":           {eval.KindOf("nowhere.acme.io", "Widget"), "nowhere.acme.io/v1"},
		"version":         {eval.KindOf("apps", "Deployment"), "apps/v9"},
		"core version":    {eval.KindOf("", "Service"), "v9"},
		"kind":            {eval.KindOf("apps", "Widget"), "apps/v1"},
		"core kind":       {eval.KindOf("", "Deployment"), "v1"},
		"another group's": {eval.KindOf("apps", "Deployment"), "batch/v1"},
	} {
		_, err := f.observes(eval.Ref{Kind: test.kind, Namespace: f.ref.Namespace, Name: "web"}, test.apiVersion)
		f.want(eval.Rejected, err)
		var notServed *eval.NotServedError
		if !errors.As(err, &notServed) || notServed.APIVersion != test.apiVersion {
			t.Errorf("%s: %v, want a NotServedError", name, err)
		}
	}
	widget := newWidgets(t)
	made := fieldsIn(t, widget)
	_, err := f.observes(made.ref, widget.apiVersion)
	f.want(eval.Applied, err)
}

// Given a definition that comes after its kind was asked for; then the kind is found, in the same process.
func TestKindThatComesLater(t *testing.T) {
	t.Parallel()
	f := in(t, testcluster.Shared(t))
	widget := newWidgets(t)
	made := fieldsIn(t, widget)
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if strings.HasPrefix(r.URL.Path, "/apis/"+widget.apiVersion) {
			return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusNotFound, Header: http.Header{"Content-Type": {"text/plain"}}, Body: "404 page not found\n"}}
		}
		if r.URL.Path == "/apis" {
			return testcluster.Fault{Answer: &testcluster.Answer{
				Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
				Body: `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]}]}`,
			}}
		}
		return testcluster.Fault{}
	})
	_, err := f.observes(made.ref, widget.apiVersion)
	var notServed *eval.NotServedError
	if !errors.As(err, &notServed) {
		t.Errorf("%v, want a NotServedError", err)
	}
	f.proxy.SetHook(nil)
	_, err = f.observes(made.ref, widget.apiVersion)
	f.want(eval.Applied, err)
}

// Given an API server that answers a list of kinds with a 404, and says that it serves the version; then that is an error, and does not say that the kind is
// not served. So is a 404 without an object of the API server's own, and what is no list.
func TestBare404SaysNothingOfAKind(t *testing.T) {
	plain := http.Header{"Content-Type": {"text/plain"}}
	for name, answers := range map[string]map[string]testcluster.Answer{
		"of the version":            {"/apis/apps/v1": {Status: http.StatusNotFound, Header: plain, Body: "404 page not found\n"}},
		"of the version and of all": {"/apis/apps/v1": {Status: http.StatusNotFound, Header: plain, Body: "404"}, "/apis": {Status: http.StatusNotFound, Header: plain, Body: "404"}},
		"of the object":             {"/apis/apps/v1/namespaces/NS/deployments/web": {Status: http.StatusNotFound, Header: plain, Body: "404 page not found\n"}},
		"no list":                   {"/apis/apps/v1": {Status: http.StatusOK, Header: plain, Body: "<html>"}},
		"no list of all": {
			"/apis/apps/v1": {Status: http.StatusNotFound, Header: plain, Body: "404"},
			"/apis":         {Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: "{}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, deployment)
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if answer, ok := answers[strings.ReplaceAll(r.URL.Path, f.ref.Namespace, "NS")]; ok {
					return testcluster.Fault{Answer: &answer}
				}
				return testcluster.Fault{}
			})
			_, err := f.observes(f.ref, f.apiVersion)
			var refused *eval.RefusedError
			if !errors.As(err, &refused) {
				t.Errorf("%v, want a RefusedError", err)
			}
		})
	}
}

// Given a user who may not look at what is served; then the error says so.
func TestDiscoveryThatIsNotPermitted(t *testing.T) {
	f := newFields(t, deployment)
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.URL.Path != "/apis/apps/v1" {
			return testcluster.Fault{}
		}
		return testcluster.Fault{Answer: &testcluster.Answer{
			Status: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"forbidden: User \"x\" cannot get path \"/apis/apps/v1\""}`,
		}}
	})
	_, err := f.observes(f.ref, f.apiVersion)
	var forbidden *eval.ForbiddenError
	if !errors.As(err, &forbidden) || forbidden.Verb != "discover" || !strings.Contains(err.Error(), "system:discovery") {
		t.Errorf("%v, want a ForbiddenError that names the role system:discovery", err)
	}
}

// Given kinds with and without namespaces; when a namespace is missing or superfluous, then the error says
// so, and no other request is sent.
func TestNamespaceThatDoesNotFitTheKind(t *testing.T) {
	t.Parallel()
	f := in(t, testcluster.Shared(t))
	for _, test := range []struct {
		ref        eval.Ref
		apiVersion string
		namespaced bool
	}{
		{eval.Ref{Kind: eval.KindOf("apps", "Deployment"), Name: "web"}, "apps/v1", true},
		{eval.Ref{Kind: eval.KindOf("", "Node"), Namespace: f.ref.Namespace, Name: "web"}, "v1", false},
	} {
		f.proxy.Reset()
		_, err := f.observes(test.ref, test.apiVersion)
		var scope *eval.ScopeError
		if !errors.As(err, &scope) || scope.Namespaced != test.namespaced {
			t.Errorf("%v, want a ScopeError", err)
		}
		f.wantRequests("GET")
	}
}

// Given a kind that is defined again, without namespaces, between a read and its write; then the write
// reports that, an object without a namespace is found in the same process, and an object with a namespace is
// an error.
func TestKindThatComesInAnotherScope(t *testing.T) {
	t.Parallel()
	widget := newWidgets(t)
	f := fieldsIn(t, widget)
	_, err := f.observes(f.ref, widget.apiVersion)
	f.want(eval.Applied, err)
	knowing := f.newEngine(f.proxy.Config)
	_, err = knowing.Observe(t.Context(), f.ref, widget.apiVersion, 0)
	f.want(eval.Applied, err)
	group := f.ref.Kind.Group()
	definition, definitions := "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets."+group, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	until := func(what string, is func() bool) {
		for deadline := time.Now().Add(ample); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Error(what)
				return
			}
		}
	}
	comesAnew := sync.OnceFunc(func() {
		f.mustSend(http.MethodDelete, definition, "application/json", "")
		until("the definition does not go", func() bool {
			status, _ := f.send(http.MethodGet, definition, "", "")
			return status == http.StatusNotFound
		})
		f.mustSend(http.MethodPost, definitions, "application/json", strings.Replace(widgetDefinition(group), "Namespaced", "Cluster", 1))
		until("the kind does not come", func() bool {
			status, _ := f.send(http.MethodPost, "/apis/"+widget.apiVersion+"/widgets", "application/json", widget.body)
			return status == http.StatusCreated || status == http.StatusConflict
		})
		until("the list of kinds does not tell it", func() bool {
			_, answer := f.send(http.MethodGet, "/apis/"+widget.apiVersion, "", "")
			return strings.Contains(string(answer), `"namespaced":false`)
		})
	})
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodPatch {
			comesAnew()
		}
		return testcluster.Fault{}
	})
	wantScope := func(err error) {
		t.Helper()
		f.want(eval.Rejected, err)
		var scope *eval.ScopeError
		if !errors.As(err, &scope) || scope.Namespaced {
			t.Errorf("%v, want a ScopeError", err)
		}
	}
	_, err = f.commit(f.txn(change{"spec.size", `"small"`, `"large"`}))
	wantScope(err)
	seen, err := f.observes(eval.Ref{Kind: f.ref.Kind, Name: f.ref.Name}, widget.apiVersion)
	if f.want(eval.Applied, err); seen == nil || !seen.Exists() {
		t.Error("the object is not found")
	}
	_, err = f.observes(f.ref, widget.apiVersion)
	wantScope(err)

	seen, err = knowing.Observe(t.Context(), eval.Ref{Kind: f.ref.Kind, Name: f.ref.Name}, widget.apiVersion, 0)
	if f.want(eval.Applied, err); seen == nil || !seen.Exists() {
		t.Error("the object is not found by who knows the kind as it was")
	}
}

// Given many objects of two versions; then what is served is asked for once each.
func TestWhatIsServedIsAskedForOnce(t *testing.T) {
	f := newFields(t, deployment)
	for n := range 5 {
		if _, err := f.observes(eval.Ref{Kind: f.ref.Kind, Namespace: f.ref.Namespace, Name: fmt.Sprint("none-", n)}, f.apiVersion); err != nil {
			t.Fatal(err)
		}
	}
	f.wantRequests("GET GET GET GET GET GET")
}

// Given a HorizontalPodAutoscaler; when it is swapped in one version, then in another, the chain leads through both, and each sees its own fields.
func TestVersionsOfOneObjectAreOneObject(t *testing.T) {
	f := newFields(t, scale)
	seen, err := f.observes(f.ref, "autoscaling/v2")
	if err != nil {
		t.Fatal(err)
	}
	metrics := func(utilization string) string {
		return `[{"resource":{"name":"cpu","target":{"averageUtilization":` + utilization + `,"type":"Utilization"}},"type":"Resource"}]`
	}
	_, err = f.commit(f.txn(change{"spec.metrics", metrics("50"), metrics("60")}))
	f.want(eval.Applied, err)
	f.apiVersion = "autoscaling/v1"
	bound := f.txn(change{"spec.targetCPUUtilizationPercentage", "60", "70"})
	bound.RequireVersions = []eval.Version{seen.Version()}
	_, err = f.commit(bound)
	f.want(eval.Applied, err)
	f.apiVersion = "autoscaling/v2"
	bound = f.txn(change{"spec.maxReplicas", "5", "6"})
	bound.RequireVersions = []eval.Version{seen.Version()}
	_, err = f.commit(bound)
	f.want(eval.Applied, err)
	f.wantField("spec.metrics[type=Resource].resource.target.averageUtilization", "70")
	f.merge("other", `{"metadata":{"labels":{"a":"1"}}}`)
	_, err = f.commit(bound)
	f.wantReason(eval.ReasonObject, err)
}

// Given a write in one API version whose response is lost; when an entry of another version owns the field in
// managedFields; then the verdict is true.
func TestLostAnswerWhereAnotherVersionOwnedTheField(t *testing.T) {
	f := newFields(t, scale)
	f.mustSend(http.MethodPatch, strings.Replace(f.url, "/v2/", "/v1/", 1)+"?fieldManager=old", "application/merge-patch+json",
		`{"spec":{"maxReplicas":6,"targetCPUUtilizationPercentage":55}}`)
	f.lost(func() testcluster.Fault {
		return testcluster.Fault{Answered: func(*http.Response) { f.merge("other", `{"metadata":{"labels":{"a":"1"}}}`) }, DropAfter: true}
	})
	_, err := f.commit(f.txn(change{"spec.maxReplicas", "6", "7"}))
	f.want(eval.Applied, err)
	f.wantField("spec.maxReplicas", "7")
}

// Given a ConfigMap or a Secret; when its entries and its metadata are swapped in turn; then they share its chain, and each is what it was asked to be.
func TestMetadataOfAnObjectWithEntriesSharesItsLineage(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		f := &fieldsFixture{fixture: newFixtureOf(of.T, of.kind, map[string]string{"foo": "1"}), apiVersion: "v1"}
		v := f.version()
		commit := func(t *eval.Txn) {
			t.RequireVersions = []eval.Version{v}
			_, err := f.commit(t)
			f.want(eval.Applied, err)
		}
		commit(f.swapping("foo", one, two).Txn())
		commit(f.txn(change{"metadata.labels.a", "", `"1"`}, change{"metadata.finalizers[=acme.io/x]", "", `"acme.io/x"`}))
		commit(f.swapping("foo", two, three).Txn())
		commit(f.txn(change{"metadata.finalizers[=acme.io/x]", `"acme.io/x"`, ""}))
		f.wantData(map[string]string{"foo": "3"})
		if live := f.live(); live.Labels["a"] != "1" || len(live.Finalizers) > 0 {
			f.Errorf("%v", live.ObjectMeta)
		}
	})
}

// Given a wait for the status of a Deployment; when a controller reports it, the write follows.
func TestWriteThatWaitsForStatus(t *testing.T) {
	f := newFields(t, deployment)
	txn := f.txn(change{"spec.replicas", "2", "3"}, change{"status.readyReplicas", "2", "guard"})
	told := make(chan error, 1)
	go func() {
		_, err := f.engine.CommitWithin(f.Context(), txn, ample)
		told <- err
	}()
	<-waitFor(func() bool { return f.proxy.Count(http.MethodGet) >= 3 }) // discovery, a read that is a watch, and the watch that waits
	f.report(`{"status":{"replicas":2,"readyReplicas":1}}`)
	f.report(`{"status":{"replicas":2,"readyReplicas":2}}`)
	f.want(eval.Applied, <-told)
	f.wantField("spec.replicas", "3")
}

// Given what the API server refuses; then its error says why, in a few lines, and quotes no object.
func TestRefusalOfAFieldSaysItsCause(t *testing.T) {
	t.Parallel()
	widget := newWidgets(t)
	for name, test := range map[string]struct {
		of     sample
		change change
		want   string
	}{
		"unknown field":             {deployment, change{"spec.nothing", "", "1"}, `unknown field "spec.nothing"`},
		"unknown field in a list":   {deployment, change{"spec.template.spec.containers[name=web].nothing", "", "1"}, `unknown field "spec.template.spec.containers[1].nothing"`},
		"text for a number":         {deployment, change{"spec.replicas", "2", `"5"`}, "cannot unmarshal string"},
		"immutable selector":        {deployment, change{"spec.selector.matchLabels.app", `"web"`, `"other"`}, "field is immutable"},
		"out of range":              {deployment, change{"spec.replicas", "2", "-1"}, "must be greater than or equal to 0"},
		"unknown custom field":      {widget, change{"spec.nothing", "", "1"}, `unknown field "spec.nothing"`},
		"text for a custom number":  {widget, change{"spec.number", "9007199254740993", `"5"`}, "must be of type integer"},
		"an object for custom text": {widget, change{"spec.size", `"small"`, `{"a":"planted, and long enough to be seen"}`}, `unknown field "spec.size.a"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, test.of)
			_, err := f.commit(f.txn(test.change))
			f.want(eval.Rejected, err)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("%v, want %q in it", err, test.want)
			}
			if words := err.Error(); strings.Count(words, "\n") > 19 || len(words) > 1000 || strings.Contains(words, "managedFields") || strings.Contains(words, "planted") {
				t.Errorf("it quotes the object: %s", words)
			}
		})
	}
}

// matching are the objects of a resource in the fixture's namespace.
func (f *fixture) matching(group, resource string) *admissionv1.MatchResources {
	return &admissionv1.MatchResources{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": f.ref.Namespace}},
		ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
			Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: []string{resource}},
		}}},
	}
}

// Given a policy that resets a field; when that field is written along with another one; then the result
// shows that the field was reset, and that the other field was not.
func TestFieldThatIsResetIsTold(t *testing.T) {
	f := newFields(t, deployment)
	f.cluster.Mutate(f, f.ref.Namespace, admissionv1.MutatingAdmissionPolicySpec{
		MatchConstraints: f.matching("apps", "deployments"), FailurePolicy: new(admissionv1.Fail), ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		Mutations: []admissionv1.Mutation{{
			PatchType:          admissionv1.PatchTypeApplyConfiguration,
			ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: `Object{spec: Object.spec{replicas: 2}}`},
		}},
	})
	txn := f.txn(change{"spec.replicas", "2", "3"}, change{"spec.paused", "", "true"})
	<-waitFor(func() bool {
		object := f.mustSend(http.MethodPatch, f.url+"?dryRun=All", "application/merge-patch+json", `{"spec":{"replicas":3}}`)
		return fmt.Sprint(within(object, "spec", "replicas")) == "2"
	})
	result, err := f.commit(txn)
	f.want(eval.Applied, err)
	for _, k := range txn.Keys {
		if isReset := result.Stored[k.Key] == result.Previous[k.Key]; isReset != (k.Key == f.key("spec.replicas")) || !result.Wrote {
			t.Errorf("%s is reset: %t, of %+v", k.Key, isReset, result)
		}
	}
}

// Given the metadata of a Secret; when a policy quotes what the Secret holds; then the error of a write of its fields does not.
func TestRefusalOfASecretsMetadataQuotesNothing(t *testing.T) {
	f := &fieldsFixture{fixture: newFixtureOf(t, eval.Secret, map[string]string{"foo": oldPlant}), apiVersion: "v1"}
	f.quotes()
	var err error
	<-waitFor(func() bool {
		_, err = f.engine.Check(f.Context(), f.txn(change{"metadata.labels.a", "", `"no-part-of-what-is-told"`}), DryRun)
		return err != nil
	})
	f.want(eval.Rejected, err)
	if isPlanted(err.Error()) || !strings.Contains(err.Error(), "withheld") {
		t.Errorf("%v", err)
	}
}

// A user who may only get and patch Deployments can swap a field.
func TestFieldsNeedNoMoreThanGetAndPatch(t *testing.T) {
	f := newFields(t, deployment)
	f.proxy = f.cluster.ProxyFor(f.T, f.cluster.User(f.T, "user-"+f.ref.Namespace, f.ref.Namespace,
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "patch"}}))
	f.engine = f.newEngine(f.proxy.Config)
	_, err := f.commit(f.txn(change{"spec.replicas", "2", "3"}))
	f.want(eval.Applied, err)
	f.wantRequests("GET GET PATCH")
	_, err = f.observes(eval.Ref{Kind: eval.KindOf("", "Service"), Namespace: f.ref.Namespace, Name: "web"}, "v1")
	var forbidden *eval.ForbiddenError
	if !errors.As(err, &forbidden) || forbidden.Verb != "get" {
		t.Errorf("%v, want a ForbiddenError", err)
	}
}

// Given a transaction of fields that names no version, and one that names an entry among fields; then it is refused, and nothing is written.
func TestFieldsWithoutAVersionAreRefused(t *testing.T) {
	f := newFields(t, deployment)
	txn := f.txn(change{"spec.replicas", "2", "3"})
	txn.APIVersion = ""
	_, err := f.commit(txn)
	f.want(eval.Rejected, err)
	f.wantRequests("")
	txn = f.txn(change{"spec.replicas", "2", "3"})
	txn.Keys = append(txn.Keys, eval.KeySwap{Key: "foo", New: one})
	_, err = f.commit(txn)
	f.want(eval.Rejected, err)
	f.wantField("spec.replicas", "2")
}

// Given an object of a kind that has a member "Metadata" beside its metadata; when a field is removed; then what that member holds says nothing of whether
// the object is being deleted.
func TestMemberThatIsSpelledAsMetadataIsAnother(t *testing.T) {
	t.Parallel()
	f := fieldsIn(t, newWidgets(t))
	f.merge("maker", `{"Metadata":{"deletionTimestamp":"2025-01-01T00:00:00Z"}}`)
	remove := f.txn(change{"spec.size", `"other"`, ""})
	remove.IgnoreMissing = true
	_, err := f.commit(remove)
	f.wantReason(eval.ReasonKey, err)
	remove = f.txn(change{"spec.size", `"small"`, ""})
	remove.IgnoreMissing = true
	_, err = f.commit(remove)
	f.want(eval.Applied, err)
	f.wantField("spec.size", "")
}
