package cas

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// lostFields are changes whose answers get lost.
var lostFields = map[string]struct {
	of      func(t *testing.T) sample
	changes []change
	stored  string // of the first change, where the API server stores another form
	// same is the merge patch with which another makes the same changes.
	same string
	gone bool // it is a removal, for which gone is done
}{
	"as it was sent": {builtin(deployment), []change{{"spec.paused", "", "true"}}, "", `{"spec":{"paused":true}}`, false},
	"a field of an element": {
		builtin(deployment),
		[]change{{"spec.template.spec.containers[name=web].image", `"web:1"`, `"web:2"`}},
		"",
		`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"},{"name":"web","image":"web:2","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}]}]}}}}`,
		false,
	},
	"a quantity in its normal form": {
		builtin(deployment),
		[]change{{"spec.template.spec.containers[name=web].resources.limits.cpu", "", `"1000m"`}},
		`"1"`,
		`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"},{"name":"web","image":"web:1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}],"resources":{"limits":{"cpu":"1000m"}}}]}}}}`,
		false,
	},
	"a probe with defaults": {
		builtin(deployment),
		[]change{{"spec.template.spec.containers[name=side].readinessProbe", "", `{"tcpSocket":{"port":80}}`}},
		`{"failureThreshold":3,"periodSeconds":10,"successThreshold":1,"tcpSocket":{"port":80},"timeoutSeconds":1}`,
		`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1","readinessProbe":{"tcpSocket":{"port":80}}},{"name":"web","image":"web:1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}]}]}}}}`,
		false,
	},
	"a field that brings defaults beside it": {
		builtin(sample{"apps/v1", "Deployment", "deployments", `{"metadata":{"name":"web"},"spec":{"strategy":{"type":"Recreate"},
		"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web:1"}]}}}}`}),
		[]change{{"spec.strategy.type", `"Recreate"`, `"RollingUpdate"`}},
		"", `{"spec":{"strategy":{"type":"RollingUpdate"}}}`, false,
	},
	"a field whose default comes back": {builtin(deployment), []change{{"spec.replicas", "2", ""}}, "1", `{"spec":{"replicas":null}}`, false},
	"a port with defaults": {
		builtin(service),
		[]change{{"spec.ports[name=alt]", "", `{"name":"alt","port":8080}`}},
		`{"name":"alt","port":8080,"protocol":"TCP","targetPort":8080}`, `{"spec":{"ports":[{"name":"http","port":80,"protocol":"TCP","targetPort":80},{"name":"alt","port":8080}]}}`, false,
	},
	"a part of a map that is owned as a whole": {builtin(service), []change{{"spec.selector.color", `"blue"`, `"green"`}}, "", `{"spec":{"selector":{"color":"green"}}}`, false},
	"a taint": {
		builtin(node),
		[]change{{"spec.taints[key=c]", "", `{"key":"c","effect":"NoSchedule"}`}},
		"",
		`{"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"b","value":"x","effect":"NoExecute"},{"key":"c","effect":"NoSchedule"}]}}`,
		false,
	},
	"a taint is removed": {
		builtin(node),
		[]change{{"spec.taints[key=a]", `{"effect":"NoSchedule","key":"a"}`, ""}},
		"",
		`{"spec":{"taints":[{"key":"b","value":"x","effect":"NoExecute"}]}}`,
		true,
	},
	"label":                    {builtin(deployment), []change{{"metadata.labels.team", `"a"`, `"b"`}}, "", `{"metadata":{"labels":{"team":"b"}}}`, false},
	"label is removed":         {builtin(deployment), []change{{"metadata.labels.team", `"a"`, ""}}, "", `{"metadata":{"labels":{"team":null}}}`, true},
	"annotation":               {builtin(ingress), []change{{`metadata.annotations["acme.io/y"]`, "", `"1"`}}, "", `{"metadata":{"annotations":{"acme.io/y":"1"}}}`, false},
	"finalizer":                {builtin(ingress), []change{{"metadata.finalizers[=acme.io/more]", "", `"acme.io/more"`}}, "", `{"metadata":{"finalizers":["acme.io/hold","acme.io/more"]}}`, false},
	"finalizer is removed":     {builtin(ingress), []change{{"metadata.finalizers[=acme.io/hold]", `"acme.io/hold"`, ""}}, "", `{"metadata":{"finalizers":null}}`, true},
	"several at once":          {builtin(scale), []change{{"spec.maxReplicas", "5", "9"}, {"spec.minReplicas", "1", "2"}}, "", `{"spec":{"maxReplicas":9,"minReplicas":2}}`, false},
	"a custom number":          {newWidgets, []change{{"spec.number", "9007199254740993", "9007199254740995"}}, "", `{"spec":{"number":9007199254740995}}`, false},
	"a custom part":            {newWidgets, []change{{"spec.parts[name=c]", "", `{"name":"c"}`}}, `{"name":"c","weight":7}`, `{"spec":{"parts":[{"name":"a","weight":1},{"name":"b","weight":2},{"name":"c"}]}}`, false},
	"a custom part is removed": {newWidgets, []change{{"spec.parts[name=a]", `{"name":"a","weight":1}`, ""}}, "", `{"spec":{"parts":[{"name":"b","weight":2}]}}`, true},
	"a custom map with defaults": {
		newWidgets,
		[]change{{"spec.mode", "", `{"limit":3}`}},
		`{"kind":"slow","limit":3}`, `{"spec":{"mode":{"limit":3}}}`, false,
	},
	"a custom map as a whole":  {newWidgets, []change{{"spec.fixed.x", `"1"`, `"2"`}}, "", `{"spec":{"fixed":{"x":"2"}}}`, false},
	"a custom list of texts":   {newWidgets, []change{{"spec.flavours[=green]", "", `"green"`}}, "", `{"spec":{"flavours":["red","blue","green"]}}`, false},
	"a part of a custom list":  {newWidgets, []change{{"spec.plain[id=2].text", "", `"x"`}}, "", `{"spec":{"plain":[{"id":"1"},{"id":"2","text":"x"}]}}`, false},
	"a custom list as a whole": {newWidgets, []change{{"spec.flavours", `["red","blue"]`, `["green"]`}}, "", `{"spec":{"flavours":["green"]}}`, false},
}

func builtin(s sample) func(*testing.T) sample { return func(*testing.T) sample { return s } }

// writes are the patches that were to store something.
func (f *fieldsFixture) writes() (n int) {
	for _, r := range f.proxy.Requests() {
		if r.Method == http.MethodPatch && !r.Query.Has("dryRun") {
			n++
		}
	}
	return n
}

// lost has a fault befall the first patch that is to store something.
func (f *fieldsFixture) lost(fate func() testcluster.Fault) {
	var n atomic.Int64
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodPatch || r.URL.Query().Has("dryRun") || n.Add(1) > 1 {
			return testcluster.Fault{}
		}
		return fate()
	})
}

// Given a write of fields whose answer, or which itself, gets lost; when another writes before the Engine looks; then it is found out what became
// of it, whatever form the API server stores it in.
func TestLostAnswersOfFieldsAreFoundOut(t *testing.T) {
	t.Parallel()
	const others = `{"metadata":{"labels":{"other":"1"}}}`
	for name, test := range lostFields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := test.of(t)
			check := func(name string, verdict Verdict, writes int, fate func(f *fieldsFixture) testcluster.Fault) {
				t.Run(name, func(t *testing.T) {
					f := newFields(t, of)
					f.lost(func() testcluster.Fault { return fate(f) })
					txn := f.txn(test.changes...)
					txn.GoneIsDone = test.gone
					result, err := f.commit(txn)
					f.want(verdict, err)
					if got := f.writes(); got != writes {
						t.Errorf("%d writes, want %d", got, writes)
					}
					c := test.changes[0]
					want := c.to
					if test.stored != "" {
						want = test.stored
					}
					if err == nil && !test.gone && result.Stored[f.key(c.path)] != jsonOf(t, want) {
						t.Errorf("stored %v, want %s", result.Stored, want)
					}
					f.wantField(c.path, want)
				})
			}
			check("it landed", Applied, 1, func(f *fieldsFixture) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) { f.merge("other", others) }, DropAfter: true}
			})
			check("it landed, and a controller reports", Applied, 1, func(f *fieldsFixture) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) {
					if of.kind != "Ingress" {
						f.report(`{"status":{"conditions":[]}}`)
					}
				}, DropAfter: true}
			})
			check("another came first", Applied, 2, func(f *fieldsFixture) testcluster.Fault {
				f.merge("other", others)
				return testcluster.Fault{DropBefore: true}
			})
			check("a twin wrote something else first", Applied, 2, func(f *fieldsFixture) testcluster.Fault {
				f.merge("engine", others)
				return testcluster.Fault{DropBefore: true}
			})
			verdict := Conflict
			if test.gone {
				verdict = Applied
			}
			check("another did the same first", verdict, 1, func(f *fieldsFixture) testcluster.Fault {
				f.merge("other", test.same)
				return testcluster.Fault{DropBefore: true}
			})
		})
	}
}

// Given a write whose value the API server stores in another form, and whose answer is lost; when the object is deleted before the Engine looks; then
// no dry run can tell that form, and the write is unknown.
func TestLostAnswerWhereTheObjectIsGone(t *testing.T) {
	f := newFields(t, deployment)
	f.lost(func() testcluster.Fault {
		return testcluster.Fault{Answered: func(*http.Response) { f.mustSend(http.MethodDelete, f.url, "", "") }, DropAfter: true}
	})
	_, err := f.commit(f.txn(change{"spec.template.spec.containers[name=web].resources.limits.cpu", "", `"1000m"`}))
	f.want(Unknown, err)
	if got := f.proxy.Count(http.MethodPatch); got != 1 {
		t.Errorf("%d patches, want the write alone", got)
	}
}

// Given a map that is set as a whole, of which the write leaves a part as another set it; when a policy changes that part along with the write, whose answer is
// lost; then it is known that it landed.
func TestPolicyThatChangesAnothersPartWithOurWriteDoesNotHideIt(t *testing.T) {
	f := newFields(t, deployment)
	f.cluster.Mutate(f, f.ref.Namespace, admissionv1.MutatingAdmissionPolicySpec{
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": f.ref.Namespace}},
			ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
			}}},
		},
		MatchConditions:    []admissionv1.MatchCondition{{Name: "trigger", Expression: `has(object.metadata.labels) && "trigger" in object.metadata.labels`}},
		FailurePolicy:      new(admissionv1.Fail),
		ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		Mutations: []admissionv1.Mutation{{
			PatchType:          admissionv1.PatchTypeApplyConfiguration,
			ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: `Object{metadata: Object.metadata{labels: {"team": "b"}}}`},
		}},
	})
	<-waitFor(func() bool {
		_, answer := f.send(http.MethodPatch, f.url+"?dryRun=All", "application/merge-patch+json", `{"metadata":{"labels":{"trigger":"1"}}}`)
		return strings.Contains(string(answer), `"team":"b"`)
	})
	f.lost(func() testcluster.Fault { return testcluster.Fault{DropAfter: true} })
	_, err := f.commit(f.txn(change{"metadata.labels", `{"team":"a"}`, `{"team":"a","trigger":"1"}`}))
	f.want(Applied, err)
	f.wantField("metadata.labels", `{"team":"b","trigger":"1"}`)
}

// Given a write of two fields, of which one is stored as it was, in another form, and so stays another's; when the answer is lost, and no dry run is
// answered that would tell that form; then it is not told that the write did not land.
func TestLostAnswerWhereNoDryRunIsAnswered(t *testing.T) {
	f := newFields(t, deployment)
	const limits = `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"},{"name":"web","image":"web:1","resources":{"limits":{"cpu":"1"}}}]}}}}`
	f.merge("other", limits)
	var n atomic.Int64
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		return testcluster.Fault{DropBefore: n.Add(1) > 1, DropAfter: true} // only the first is the write
	})
	_, err := f.commit(f.txn(change{"spec.template.spec.containers[name=web].resources.limits.cpu", `"1"`, `"1000m"`}, change{"spec.paused", "", "true"}))
	f.want(Unknown, err)
	f.wantField("spec.paused", "true")
}
