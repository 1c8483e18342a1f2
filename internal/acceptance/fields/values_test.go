package fields

import (
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A value that the API server stores in another form is no drift, and no plan shows the form.
func TestNormalFormsAreNoDrift(t *testing.T) {
	o := made(t, deployment)
	const path = `spec.template.spec.containers[name=web].resources.limits.cpu`
	o.Planned(o.block(fmt.Sprintf(`fields = { %q = "1000m" }`, path)))
	o.wantLive(`"1"`, "spec", "template", "spec", "containers", "name=web", "resources", "limits", "cpu")
	o.wantAttribute("fields", fmt.Sprintf(`{%q:"1000m"}`, path))
	o.wantAttribute("stored_fields", fmt.Sprintf(`{%q:"1"}`, path))
	o.PlanNothing()
	o.Do("apply", "-refresh-only", "-auto-approve")
	o.PlanNothing()
	was := o.live()
	o.Planned(o.block(fmt.Sprintf(`fields = { %q = "1000m" }`, path), `field_manager = "me"`)) // goes to the state alone
	o.unchanged(was)
	o.PlanNothing()
	o.Planned(o.block(fmt.Sprintf(`fields = { %q = "2000m" }`, path))) // expects what was stored
	o.wantLive(`"2"`, "spec", "template", "spec", "containers", "name=web", "resources", "limits", "cpu")
	o.PlanNothing()
	o.Planned(o.block(fmt.Sprintf(`fields = { %q = "2" }`, path)))
	o.wantAttribute("stored_fields", "null")
	o.PlanNothing()
}

// A default that changes inside a configured object is drift. The message shows the changed place.
func TestDriftInsideAnObject(t *testing.T) {
	o := made(t, service)
	o.Planned(o.block(`fields = { "spec.ports[name=alt]" = { name = "alt", port = 8080 } }`, fixture.Overwrites))
	o.merge(`{"spec":{"ports":[{"name":"http","port":80},{"name":"alt","port":8080,"targetPort":9}]}}`)
	o.Wants(o.Plan(), "Warning: Value Changed Since Last Apply", "spec.ports[name=alt]", ".targetPort")
	o.Apply()
	o.PlanNothing()
}

// Two ways to write one configuration are no update.
func TestOtherWordsAreNoUpdate(t *testing.T) {
	o := made(t, ingress)
	o.Planned(o.block(`fields = { "metadata.annotations.a" = "1", "metadata.finalizers" = ["acme.io/hold", "acme.io/more"] }`, `expected_fields = { "metadata.finalizers" = ["acme.io/hold"] }`))
	o.Write(o.block(`fields = { ".metadata.annotations[\"a\"]" = "1", "metadata.finalizers" = tolist(["acme.io/hold", "acme.io/more"]) }`, `expected_fields = { "metadata.finalizers" = tolist(["acme.io/hold"]) }`))
	o.PlanNothing()
	o.Destroy()
	o.merge(`{"metadata":{"finalizers":null}}`)
}

func TestFinalizer(t *testing.T) {
	o := made(t, ingress)
	o.Planned(o.block(`fields = { "metadata.finalizers[=acme.io/hold]" = null, "metadata.finalizers[=acme.io/new]" = "acme.io/new" }`,
		`expected_fields = { "metadata.finalizers[=acme.io/hold]" = "acme.io/hold" }`))
	o.wantLive(`["acme.io/new"]`, "metadata", "finalizers")
	o.PlanNothing()
	o.Destroy()
	o.wantLive("", "metadata", "finalizers")
}

// A value in a field that is not known before the apply.
func TestUnknownValues(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string]string{
		"a leaf":            `{ "spec.selector.color" = terraform_data.x.output }`,
		"a leaf, in a list": `{ "spec.ports[name=alt]" = { name = "alt", port = 1, appProtocol = terraform_data.x.output } }`,
		"all of it":         `jsondecode(terraform_data.x.output == "green" ? jsonencode({ "spec.selector.color" = "green" }) : "{}")`,
	} {
		t.Run(name, func(t *testing.T) {
			o := on(cli(t), service)
			o.Planned(`resource "terraform_data" "x" { input = "green" }` + "\n" +
				o.block("fields = "+fields, `expected_fields = { "spec.selector.color" = "blue" }`))
			if name != "a leaf, in a list" {
				o.wantLive(`"green"`, "spec", "selector", "color")
			} else {
				o.wantLive(`"green"`, "spec", "ports", "name=alt", "appProtocol")
			}
			o.PlanNothing()
			o.Destroy()
		})
	}
}

// An invalid configuration is refused before any request.
func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of    sample
		lines []string
		wants []string
	}{
		"an index":                   {service, []string{`fields = { "spec.ports[0].port" = 1 }`}, []string{"Error: Invalid Field Path", `Attribute fields["spec.ports[0].port"]: `, "[0] is a place in a list"}},
		"dots in an annotation":      {service, []string{`fields = { "metadata.annotations.acme.io/x" = "1" }`}, []string{"Error: Invalid Field Path", `must be in quotes, as metadata.annotations["acme.io/x"]`}},
		"status":                     {service, []string{`fields = { "status.loadBalancer" = {} }`}, []string{"Error: Invalid Field Path", "status is what a controller reports"}},
		"the name":                   {service, []string{`fields = { "metadata.name" = "x" }`}, []string{"Error: Invalid Field Path", "only labels, annotations, finalizers and ownerReferences can be written"}},
		"one path twice":             {service, []string{`fields = { "spec.type" = "ClusterIP", ".spec.type" = "NodePort" }`}, []string{"Error: Field Named Twice", `leave one of the two out`}},
		"a part of another":          {service, []string{`fields = { "spec.selector" = { a = "b" }, "spec.selector.color" = "x" }`}, []string{"Error: Field Named Twice"}},
		"a guard in what is written": {service, []string{`fields = { "spec.selector" = { a = "b" } }`, `expected_fields = { "spec.selector.color" = "x" }`}, []string{"Error: Field Named Twice", "expect the same field"}},
		"a null in an object":        {service, []string{`fields = { "spec.selector" = { a = null } }`}, []string{"Error: Invalid Field Value", "leave the member out"}},
		"the key of an element":      {service, []string{`fields = { "spec.ports[name=http].name" = null }`}, []string{"Error: Invalid Field Value", "selects its element: it cannot be removed alone"}},
		"an element without its key": {service, []string{`fields = { "spec.ports[name=alt]" = { port = 1 } }`}, []string{"Error: Invalid Field Value", "lacks what spec.ports[name=alt] selects by"}},
		"nothing":                    {service, []string{`fields = {}`}, []string{"Error: Missing Keys", "there must be at least one field"}},
		"no object":                  {service, []string{`fields = "spec.type"`}, []string{"Error: Invalid Field Value", "must be an object of values by path"}},
		"data of a ConfigMap":        {sample{"v1", "ConfigMap", "configmaps", "web", `{"metadata":{"name":"web"}}`}, []string{`fields = { "data.a" = "1" }`}, []string{"Error: Invalid Field Path", "use cas_configmap_entry or cas_configmap_data"}},
		"data of a Secret":           {sample{"v1", "Secret", "secrets", "web", `{"metadata":{"name":"web"}}`}, []string{`fields = { "stringData.a" = "1" }`}, []string{"Error: Invalid Field Path", "use cas_secret_entry or cas_secret_data"}},
		"annotations of a Secret":    {sample{"v1", "Secret", "secrets", "web", `{"metadata":{"name":"web"}}`}, []string{`fields = { "metadata.annotations" = { a = "1" } }`}, []string{"Error: Invalid Field Path", "last-applied-configuration"}},
		"a wait in the wrong scope":  {service, []string{`fields = { "spec.type" = "x" }`, `wait_for_match = "1m"`, `conflict_scope = "object"`}, []string{"Error: Invalid Attribute Combination", `conflict_scope must be "field"`}},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, test.of)
			o.Write(o.block(test.lines...))
			o.PlanRefused(test.wants)
		})
	}
}

// The message about a request that the API server refused has a next step, and never the object.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of    sample
		lines []string
		wants []string
	}{
		"a number as text": {deployment, []string{`fields = { "spec.replicas" = "5" }`, `expected_fields = { "spec.replicas" = 2 }`}, []string{
			"Error: Request Refused", "spec.replicas is text that reads as a number.", "wants a number, not text",
		}},
		"an unknown field": {deployment, []string{`fields = { "spec.replica" = 5 }`}, []string{"Error: Request Refused", "spec.replica", "unknown field", "!side:1"}},
		"a value that it does not take": {service, []string{`fields = { "spec.sessionAffinity" = "Always" }`, `expected_fields = { "spec.sessionAffinity" = "None" }`}, []string{
			"Error: Request Refused", "sessionAffinity", "!blue",
		}},
		"a hidden name inside a value": {deployment, []string{
			`fields = { "spec.template.spec.containers[name=web].resources" = { limits = { "s3cret name" = "1" } } }`,
			`expected_fields = { "spec.template.spec.containers[name=web].resources" = {} }`, "hide_values = true",
		}, []string{"Error: Request Refused", "Status: 422", "API server: Unprocessable Entity (the message is withheld", "!s3cret"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, test.of)
			o.Write(o.block(test.lines...))
			o.Plan()
			was := o.live()
			out := o.ApplyRefused(test.wants...)
			o.unchanged(was)
			if n := strings.Count(out, "\n"); n > 20 {
				t.Errorf("%d lines:\n%s", n, out)
			}
		})
	}
}

// The removal of a field succeeds if the API server sets a default there.
func TestDefaultOfARemovedField(t *testing.T) {
	o := made(t, deployment)
	o.Planned(o.block(`fields = { "spec.replicas" = null }`, `expected_fields = { "spec.replicas" = 2 }`))
	o.wantLive("1", "spec", "replicas")
	o.PlanNothing()
}

// Given a policy that sets a field back; then the apply says so, beside a field that it leaves alone, and the plan that follows shows what is there.
func TestFieldThatAPolicySetsBack(t *testing.T) {
	o := made(t, sample{"v1", "ConfigMap", "configmaps", "web", `{"metadata":{"name":"web","annotations":{"a":"0"}}}`})
	o.Cluster.Mutate(o, o.Namespace, admissionv1.MutatingAdmissionPolicySpec{
		MatchConstraints: o.WritesHere(), ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		Mutations: []admissionv1.Mutation{{
			PatchType:          admissionv1.PatchTypeApplyConfiguration,
			ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: `Object{metadata: Object.metadata{annotations: {"a": "0"}}}`},
		}},
	})
	for range 3000 { // until the policy is in force
		o.merge(`{"metadata":{"annotations":{"a":"1"}}}`)
		if metadata, ok := o.live()["metadata"].(map[string]any); ok && fmt.Sprint(metadata["annotations"]) == "map[a:0]" {
			break
		}
	}
	o.Write(o.block(`fields = { "metadata.annotations.a" = "2", "metadata.annotations.b" = "1" }`, `expected_fields = { "metadata.annotations.a" = "0" }`))
	o.Plan()
	o.Wants(o.Apply(), "Warning: Value Not Stored As Sent", "did not store metadata.annotations.a as it was sent", "a policy may set it")
	o.wantLive(`{"a":"0","b":"1"}`, "metadata", "annotations")
	o.Wants(o.Plan(), "1 to change", "!Warning")
}
