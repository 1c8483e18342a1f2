package fields

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	k8stypes "k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// cli is a pipeline on the real command line.
func cli(t *testing.T) *fixture.Pipeline {
	t.Helper()
	return fixture.NewCLIPipeline(t)
}

func TestImport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of     sample
		paths  string
		fields string
	}{
		"a Deployment":                          {deployment, "spec.replicas," + image, `{ "spec.replicas" = 2, "spec.template.spec.containers[name=web].image" = "web:1" }`},
		"a Node, whose path has a comma":        {node, "spec.taints[key=b,effect=NoExecute].value", `{ "spec.taints[effect=NoExecute,key=b].value" = "x" }`},
		"an annotation, whose path has a slash": {ingress, `metadata.annotations["acme.io/x"]`, `{ "metadata.annotations[\"acme.io/x\"]" = "1" }`},
		"a name that is no NFC, which Terraform would make another of": {
			sample{widget.apiVersion, widget.kind, widget.plural, widget.name, strings.Replace(widget.body, `"texts":{"a"`, `"texts":{"cafe\u0301"`, 1)},
			`spec.texts["cafe\u0301"]`, `{ "spec.texts[\"cafe\\u0301\"]" = "1" }`,
		},
		"a ClusterRole, whose name has a colon": {
			sample{"rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", "NAME:reader", `{"metadata":{"name":"NAME:reader","labels":{"a":"1"}}}`}, "metadata.labels.a", `{ "metadata.labels.a" = "1" }`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, test.of)
			o.Write(o.block("fields = " + test.fields))
			o.imports(test.paths)
			o.PlanNothing()
			was := o.live()
			o.Wants(o.Destroy(), "Warning: Field Stays In Place")
			o.unchanged(was)
		})
	}
}

// imports imports paths of the object.
func (o *object) imports(paths string) {
	namespace := ""
	if o.isNamespaced() {
		namespace = o.Namespace
	}
	o.Do("import", "cas_object_fields.it", fmt.Sprintf("%s/%s/%s/%s/%s", o.apiVersion, o.kind, namespace, o.name, paths))
}

// A kind whose CustomResourceDefinition is not there yet is a warning at plan, and is found at apply once it is.
func TestKindThatIsNotServedYet(t *testing.T) {
	o := &object{fixture.NewPipeline(t), widget}
	o.apiVersion = o.Namespace + ".acme.io/v1"
	o.Write(o.block(`fields = { "spec.big" = 9007199254740995, "spec.parts[name=a].size" = 2 }`, `expected_fields = { "spec.big" = 9007199254740993, "spec.parts[name=a].size" = 1, "spec.mode" = "fast" }`))
	o.Wants(o.Plan(), "Warning: Kind Not Served", "The API server serves no Widget of "+o.apiVersion+".")
	o.ApplyRefused("Error: Kind Not Served")
	o.Plan()
	on(o.Pipeline, widget)
	o.Apply()
	o.wantLive("9007199254740995", "spec", "big")
	o.wantLive(`{"color":"red","name":"a","size":2}`, "spec", "parts", "name=a")
	o.PlanNothing()
	o.do("PATCH", o.name, k8stypes.MergePatchType, `{"spec":{"big":9007199254740996}}`)
	o.Write(o.block(`fields = { "spec.big" = 9007199254740995, "spec.parts[name=a].size" = 2 }`, fixture.Overwrites))
	o.Wants(o.Plan(), "9007199254740996")
	o.Apply()
	o.wantLive("9007199254740995", "spec", "big")
}

// Given a kind that the API server serves no longer, as its list says; then a refresh drops nothing, and a destroy is refused.
func TestKindThatIsServedNoMore(t *testing.T) {
	o := made(t, deployment)
	o.Planned(o.block(`fields = { "metadata.labels.a" = "1" }`))
	proxy := o.Proxied()
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.URL.Path != "/apis/apps/v1" {
			return testcluster.Fault{}
		}
		return testcluster.Fault{Answer: &testcluster.Answer{
			Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{"name":"daemonsets","namespaced":true,"kind":"DaemonSet","verbs":["get","patch"]}]}`,
		}}
	})
	o.Write(o.block(`fields = { "metadata.labels.a" = "1" }`))
	o.Wants(o.Ended(o.On.Plan(fixture.PlanFile), 0, "plan"), "No changes.", "Warning: Kind Not Served", "The API server serves no Deployment of apps/v1. The state stays as it is.")
	o.DestroyRefused([]string{"Error: Kind Not Served"})
	o.WantState("it")
	o.wantLive(`"1"`, "metadata", "labels", "a")
}

// The version of an API may change in the configuration: the object stays the same.
func TestOtherVersionOfTheAPI(t *testing.T) {
	o := made(t, scaler)
	o.Planned(o.block(`fields = { "spec.maxReplicas" = 6 }`, `expected_fields = { "spec.maxReplicas" = 5 }`))
	was := o.live()
	o.Write(strings.Replace(o.block(`fields = { "spec.maxReplicas" = 6 }`, `expected_fields = { "spec.maxReplicas" = 5 }`), "autoscaling/v2", "autoscaling/v1", 1))
	o.Wants(o.Plan(), "1 to change", "!must be replaced")
	o.Apply()
	o.unchanged(was)
	o.PlanNothing()
}

// Given a limit that another writer's minimum has passed since; when a destroy would put it back, and the API server refuses that; then it says how to leave it, and
// that works.
func TestRestoreThatTheAPIServerRefuses(t *testing.T) {
	o := made(t, scaler)
	block := func(policy string) string {
		return o.block(`fields = { "spec.maxReplicas" = 10 }`, `expected_fields = { "spec.maxReplicas" = 5 }`, "deletion_policy = "+fixture.Quoted(policy))
	}
	o.Planned(block("restore"))
	o.merge(`{"spec":{"minReplicas":7}}`)
	o.Write("")
	o.Wants(o.Plan(), "Warning: Value Will Be Put Back", "Field: spec.maxReplicas", "Found: 10", "Put back: 5")
	o.ApplyRefused("Error: Request Refused", "422", `To leave the HorizontalPodAutoscaler as it is, apply deletion_policy = "abandon", then destroy.`)
	o.Planned(block("abandon"))
	o.Destroy()
	o.wantLive("10", "spec", "maxReplicas")
}

// The API server may also refuse an update that releases a field.
func TestUpdateThatPutsBackWhatTheAPIServerRefuses(t *testing.T) {
	o := made(t, scaler)
	o.Planned(o.block(`fields = { "spec.maxReplicas" = 10, "metadata.labels.a" = "1" }`, `expected_fields = { "spec.maxReplicas" = 5 }`, `deletion_policy = "restore"`))
	o.merge(`{"spec":{"minReplicas":7}}`)
	left := func(policy string) string {
		return o.block(`fields = { "metadata.labels.a" = "2" }`, "deletion_policy = "+fixture.Quoted(policy))
	}
	o.Write(left("restore"))
	o.Plan()
	o.ApplyRefused("Error: Request Refused", "422", `To leave spec.maxReplicas as it is, set deletion_policy = "abandon".`)
	o.Planned(left("abandon"))
	o.wantLive("10", "spec", "maxReplicas")
	o.wantLive(`{"a":"2"}`, "metadata", "labels")
}

// With restore, a destroy or an update that releases a field puts back a field that the resource removed. A field that
// another writer removed later stays absent.
func TestFieldThatWasRemovedIsPutBack(t *testing.T) {
	t.Parallel()
	const warns = "Warning: Value Will Be Put Back"
	removes := func(o *object, policy string) string {
		return o.block(`fields = { "metadata.labels.blue" = null, "metadata.labels.a" = "1" }`, `expected_fields = { "metadata.labels.blue" = "1" }`, "deletion_policy = "+fixture.Quoted(policy))
	}
	for name, test := range map[string]struct {
		policy string
		next   func(*object) string
		merge  string
		says   []string
		want   string
	}{
		"destroyed": {"restore", func(*object) string { return "" }, "", []string{warns, "Field: metadata.labels.blue", "Found: (absent)", `Put back: "1"`}, `{"blue":"1"}`},
		"let go": {"restore", func(o *object) string {
			return o.block(`fields = { "metadata.labels.a" = "1" }`, `deletion_policy = "restore"`)
		}, "", []string{warns, "Field: metadata.labels.blue"}, `{"a":"1","blue":"1"}`},
		"put back by hand":                   {"restore", func(*object) string { return "" }, `{"metadata":{"labels":{"blue":"1"}}}`, []string{"!" + warns}, `{"blue":"1"}`},
		"released":                           {"release", func(*object) string { return "" }, "", []string{"!Stays In Place"}, ``},
		"destroyed, and another was removed": {"restore", func(*object) string { return "" }, `{"metadata":{"labels":{"a":null}}}`, []string{warns, "!labels.a "}, `{"blue":"1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, service)
			o.merge(`{"metadata":{"labels":{"blue":"1"}}}`)
			o.Planned(removes(o, test.policy))
			o.wantLive(`{"a":"1"}`, "metadata", "labels")
			if test.merge != "" {
				o.merge(test.merge)
			}
			o.Write(test.next(o))
			o.Wants(o.Plan(), test.says...)
			o.Apply()
			o.wantLive(test.want, "metadata", "labels")
		})
	}
}

// A value that vanished is nothing to put back.
func TestFieldThatSomebodyRemovedIsNotPutBack(t *testing.T) {
	o := made(t, service)
	o.merge(`{"metadata":{"labels":{"blue":"1"}}}`)
	o.Planned(o.block(`fields = { "metadata.labels.blue" = "2" }`, `expected_fields = { "metadata.labels.blue" = "1" }`, `deletion_policy = "restore"`))
	o.merge(`{"metadata":{"labels":{"blue":null}}}`)
	o.Write("")
	o.Wants(o.Plan(), "!Warning: Value Will Be Put Back")
	o.Apply()
	o.wantLive("", "metadata", "labels")
}

// A destroy does not put a finalizer back into an object that is being deleted, which the API server would refuse.
func TestFinalizerIsNotPutBackWhereTheObjectIsBeingDeleted(t *testing.T) {
	o := made(t, ingress)
	o.merge(`{"metadata":{"finalizers":["acme.io/hold","acme.io/other"]}}`)
	o.Planned(o.block(`fields = { "metadata.finalizers[=acme.io/hold]" = null }`, `expected_fields = { "metadata.finalizers[=acme.io/hold]" = "acme.io/hold" }`, `deletion_policy = "restore"`))
	o.do("DELETE", o.name, "", "")
	o.Write("")
	o.Wants(o.Plan(), "!Warning: Value Will Be Put Back")
	o.Apply()
	o.wantLive(`["acme.io/other"]`, "metadata", "finalizers")
	o.merge(`{"metadata":{"finalizers":null}}`)
}

// The element of a field is removed between plan and apply. A destroy that would put back the field succeeds.
func TestDestroyWhereAnElementGoesMeanwhile(t *testing.T) {
	o := made(t, deployment)
	o.Planned(o.block(`fields = { "`+image+`" = "web:2" }`, `expected_fields = { "`+image+`" = "web:1" }`, `deletion_policy = "restore"`))
	o.Write("")
	o.Plan()
	o.merge(`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}`)
	o.Apply()
	o.WantState()
}

// A resource has removed a variable, and another writer removes its container. The variable cannot be put back, and the
// step in the message works.
func TestFieldWhosePlaceIsGoneIsNotPutBack(t *testing.T) {
	for _, isDropped := range []bool{false, true} {
		t.Run(fmt.Sprintf("dropped=%t", isDropped), func(t *testing.T) {
			const variable = `"spec.template.spec.containers[name=web].env[name=A]"`
			o := made(t, deployment)
			holds := func(policy string) string {
				return o.block(`fields = { `+variable+` = null, "metadata.labels.a" = "1" }`, `expected_fields = { `+variable+` = { name = "A", value = "1" } }`,
					"deletion_policy = "+fixture.Quoted(policy))
			}
			o.Planned(holds("restore"))
			o.merge(`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}`)
			if isDropped {
				drops := func(policy string) string {
					return o.block(`fields = { "metadata.labels.a" = "1" }`, "deletion_policy = "+fixture.Quoted(policy))
				}
				o.Write(drops("restore"))
				o.PlanRefused([]string{"Error: Field Does Not Fit", "To leave " + strings.Trim(variable, `"`) + ` as it is, set deletion_policy = "abandon".`, "!Correct the path"})
				o.Planned(drops("abandon"))
				o.PlanNothing()
				return
			}
			o.Write("")
			o.Plan()
			o.ApplyRefused("Error: Field Does Not Fit", `To leave the Deployment as it is, apply deletion_policy = "abandon", then destroy.`, "!Correct the path")
			o.Planned(holds("abandon"))
			o.Destroy()
		})
	}
}

// A removed field that gets its default at once, and held that before, may be admission's doing or the API server's.
func TestFieldThatIsRemovedAndHeldItsDefault(t *testing.T) {
	o := made(t, widget)
	o.Write(o.block(`fields = { "spec.mode" = null }`, `expected_fields = { "spec.mode" = "fast" }`))
	o.Plan()
	o.Wants(o.Apply(), "Warning: Value Not Stored As Sent", "The API server did not store spec.mode as it was sent.", "A default counts as removed.")
	o.PlanNothing()
}

// A field that is absent in the state exists again when its removal is planned on the state before the refresh. The plan
// reads the field, and reports the result.
func TestFieldThatCameBackBeforeARemoval(t *testing.T) {
	for _, test := range []struct{ policy, says, want string }{
		{"release", "Warning: Field Stays In Place", `{"blue":"1","red":"9"}`},
		{"delete", "Warning: Value Changed Since Last Apply", `{"blue":"1"}`},
		{"restore", "Warning: Field Stays In Place", `{"blue":"1","red":"9"}`},
	} {
		t.Run(test.policy, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				for _, flags := range [][]string{nil, {"-refresh=false"}} {
					o := on(p, service)
					o.Planned(o.block(`fields = { "metadata.labels.red" = null }`, "deletion_policy = "+fixture.Quoted(test.policy), fixture.Overwrites))
					o.merge(`{"metadata":{"labels":{"red":"9"}}}`)
					o.Write("")
					o.Wants(o.Plan(flags...), test.says, "Field: metadata.labels.red", `Found: "9"`)
					o.Apply()
					o.wantLive(test.want, "metadata", "labels")
					o.do("DELETE", o.name, "", "")
				}
			})
		})
	}
}

// A field that was missing at the plan is already released, even if another writer sets the field before the apply.
func TestFieldThatIsGoneBeforeARemoval(t *testing.T) {
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		o := on(p, service)
		o.Planned(o.block(`fields = { "metadata.labels.green" = "1" }`, `deletion_policy = "delete"`))
		o.merge(`{"metadata":{"labels":{"green":null}}}`)
		o.Write("")
		o.Plan()
		o.merge(`{"metadata":{"labels":{"green":"9"}}}`)
		o.Apply()
		o.wantLive(`{"blue":"1","green":"9"}`, "metadata", "labels")
	})
}

// Given a resource that has changed parts of a field, and then takes all of it; then what it held first is not known, and what it held in between is not put back for it.
func TestFieldThatWasChangedInPartsBefore(t *testing.T) {
	for policy, says := range map[string]string{"restore": "Warning: Field Stays In Place", "release": "Warning: Field Stays In Place", "delete": "!Warning:"} {
		t.Run(policy, func(t *testing.T) {
			o := made(t, service)
			o.Planned(o.block(`fields = { "metadata.labels.blue" = "2", "metadata.labels.a" = "1" }`, `expected_fields = { "metadata.labels.blue" = "1" }`, "deletion_policy = "+fixture.Quoted(policy)))
			o.Planned(o.block(`fields = { "metadata.labels" = { a = "3" } }`, `expected_fields = { "metadata.labels" = { a = "1", blue = "2" } }`, "deletion_policy = "+fixture.Quoted(policy)))
			o.Write("")
			o.Wants(o.Plan(), says)
			o.Apply()
			want := `{"a":"3"}`
			if policy == "delete" {
				want = ""
			}
			o.wantLive(want, "metadata", "labels")
		})
	}
}

// A missing field cannot be imported, so the message does not advise that.
func TestFieldThatIsAbsentAlreadyIsAdopted(t *testing.T) {
	o := made(t, service)
	removes := o.block(`fields = { "metadata.labels.red" = null }`, `expected_fields = { "metadata.labels.red" = "1" }`)
	o.Write(removes)
	o.PlanRefused([]string{"Error: Field Already Holds The Value", "Otherwise set adopt_existing = true.", "!Import id", "!import it"})
	o.Planned(strings.Replace(removes, "fields = {", "adopt_existing = true\n  fields = {", 1))
	o.PlanNothing()
}

func TestObjectThatVanished(t *testing.T) {
	o := made(t, service)
	o.Planned(o.block(`fields = { "metadata.annotations.a" = "1" }`))
	o.do("DELETE", o.name, "", "")
	o.Wants(o.Plan(), "Warning: Object Does Not Exist Yet")
	o.ApplyRefused("Error: Object Not Found", "The Service does not exist.")
	o.do("POST", "", "", o.body)
	o.PlanApply()
	o.wantLive(`{"a":"1"}`, "metadata", "annotations")
}

// A replace of a missing field succeeds: the removal deletes nothing that the new resource needs.
func TestReplaceOfAFieldThatIsGone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines []string
		wants []string // refused with; nil: goes through
	}{
		"it is added":              {lines: []string{`fields = { "metadata.labels.new" = "1" }`}},
		"it is adopted":            {lines: []string{`fields = { "metadata.labels.new" = "1" }`, `adopt_existing = true`}},
		"it was there before":      {lines: []string{`fields = { "metadata.labels.blue" = "1" }`, `adopt_existing = true`}},
		"nothing is put back":      {lines: []string{`fields = { "metadata.labels.blue" = "1" }`, `adopt_existing = true`, `deletion_policy = "restore"`}},
		"it is expected":           {lines: []string{`fields = { "metadata.labels.blue" = "2" }`, `expected_fields = { "metadata.labels.blue" = "1" }`}, wants: []string{"Error: Expected Value Mismatch"}},
		"another one is not gone":  {lines: []string{`fields = { "metadata.labels.new" = "1", "metadata.labels.two" = "2" }`}},
		"one that stays is beside": {lines: []string{`fields = { "metadata.labels.new" = "1", "spec.selector.color" = "blue" }`, `adopt_existing = true`}, wants: []string{"Error: Replacement Would Fail"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, service)
			o.Planned(o.block(test.lines...))
			o.merge(`{"metadata":{"labels":{"new":null,"blue":null}}}`)
			was := o.live()
			if test.wants != nil {
				o.PlanRefused(append(test.wants, "Nothing was"), "-replace=cas_object_fields.it")
				o.unchanged(was)
				return
			}
			o.PlanApply("-replace=cas_object_fields.it")
			o.PlanNothing()
		})
	}
}

func TestNamespaceTooMany(t *testing.T) {
	o := made(t, node)
	o.Write(o.block(`namespace = "default"`, `fields = { "metadata.labels.a" = "1" }`))
	o.PlanRefused([]string{"Error: Wrong Scope", "A Node is in no namespace, and one is named.", "Remove namespace."})
	o.Write(`resource "cas_object_fields" "it" {
  api_version = "v1"
  kind = "Service"
  name = "web"
  fields = { "metadata.labels.a" = "1" }
}`)
	o.PlanRefused([]string{"Error: Wrong Scope", "A Service is in a namespace, and none is named.", "Set namespace."})
}

// The write waits for what a controller reports.
func TestWaitForStatus(t *testing.T) {
	o := made(t, deployment)
	o.Write(o.block(`fields = { "metadata.annotations.ready" = "yes" }`, `expected_fields = { "status.readyReplicas" = 2 }`, `wait_for_match = "1m"`))
	o.Wants(o.Plan(), "Warning: Expectation Does Not Hold Yet")
	go func() {
		_, err := o.Cluster.Client().CoreV1().RESTClient().Patch(k8stypes.MergePatchType).AbsPath(o.path(o.name) + "/status").
			Body([]byte(`{"status":{"replicas":2,"readyReplicas":2,"updatedReplicas":2}}`)).DoRaw(t.Context())
		if err != nil {
			t.Error(err)
		}
	}()
	o.Apply()
	o.wantLive(`"yes"`, "metadata", "annotations", "ready")
	o.PlanNothing()
}

func TestDestroyLeavesWhatAnotherChanged(t *testing.T) {
	o := made(t, service)
	o.Planned(o.block(`fields = { "metadata.annotations.a" = "1", "metadata.annotations.b" = "1" }`, fixture.Overwrites))
	o.merge(`{"metadata":{"annotations":{"a":"theirs"}}}`)
	o.Wants(o.Destroy(), "Warning: Field Stays In Place", "stays as it is", "metadata.annotations.a")
	o.wantLive(`{"a":"theirs"}`, "metadata", "annotations")
}

func TestDataSource(t *testing.T) {
	o := on(cli(t), deployment)
	o.Applied(fmt.Sprintf("data \"cas_object_fields\" \"it\" {\n  %s\n  paths = [\"spec.replicas\", %q, \"status.readyReplicas\"]\n}\noutput \"values\" {\n  value = data.cas_object_fields.it.values\n}\n", o.at(), image))
	const want = `{"values":{"spec.replicas":2,"spec.template.spec.containers[name=web].image":"web:1","status.readyReplicas":null}}`
	if got := o.Outputs(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
