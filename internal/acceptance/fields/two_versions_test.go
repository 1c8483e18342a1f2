package fields

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// gadget is of a kind with two versions. v2 has neither size nor the member width of box.
var gadget = sample{"GROUP/v1", "Gadget", "gadgets", "one", `{"apiVersion":"GROUP/v1","kind":"Gadget","metadata":{"name":"one"},
	"spec":{"size":1,"mode":"fast","box":{"width":1,"height":1}}}`}

// newGadget has the API server serve the kind for the test.
func newGadget(t *testing.T) *object {
	t.Helper()
	p := fixture.NewPipeline(t)
	group := p.Namespace + ".acme.io"
	const height, mode = `"height":{"type":"integer"}`, `"mode":{"type":"string"}`
	version := func(name string, isStorage, spec string) string {
		return `{"name":"` + name + `","served":true,"storage":` + isStorage + `,"schema":{"openAPIV3Schema":{"type":"object","properties":{
			"spec":{"type":"object","properties":{` + spec + `}}}}}}`
	}
	definition := sample{
		"apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", "gadgets." + group,
		`{"metadata":{"name":"gadgets.` + group + `"},"spec":{"group":"` + group + `","scope":"Namespaced","names":{"kind":"Gadget","plural":"gadgets"},
		"versions":[` + version("v1", "true", mode+`,"size":{"type":"integer"},"box":{"type":"object","properties":{"width":{"type":"integer"},`+height+`}}`) +
			`,` + version("v2", "false", mode+`,"box":{"type":"object","properties":{`+height+`}}`) + `]}}`,
	}
	on(p, definition)
	for range 3000 { // until the API server serves both versions
		list := p.Cluster.Client().CoreV1().RESTClient().Get()
		if _, err := list.AbsPath("/apis/" + group + "/v2/gadgets").DoRaw(p.Context()); err == nil {
			return on(p, gadget)
		}
	}
	t.Fatal("the kind is not served")
	return nil
}

// A version of the API that lacks a managed field, or a part of its value, is refused before it is recorded.
func TestVersionThatLacksAField(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ field, value, other string }{
		"a field":           {"spec.size", "2", "2"},
		"a changed field":   {"spec.size", "2", "3"},
		"a part of a value": {"spec.box", "{ width = 2, height = 2 }", "{ width = 2, height = 2 }"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newGadget(t)
			block := func(version, value string) string {
				body := o.block(`fields = { "`+test.field+`" = `+value+`, "spec.mode" = "slow" }`, fixture.Overwrites,
					`expected_fields = { "spec.size" = 1, "spec.mode" = "fast" }`)
				if test.field == "spec.box" {
					body = strings.Replace(body, `"spec.size" = 1`, `"spec.box" = { width = 1, height = 1 }`, 1)
				}
				return strings.Replace(body, "acme.io/v1", "acme.io/"+version, 1)
			}
			o.Planned(block("v1", test.value))
			was := o.live()
			wants := []string{
				"Error: Field Does Not Fit", ".acme.io/v2 does not have all of " + test.field + ", as " + o.Namespace + ".acme.io/v1 does.",
				"Keep api_version = " + fixture.Quoted(o.apiVersion) + ", or remove it from fields in an apply before this one.",
			}
			o.Write(block("v2", test.other))
			o.PlanRefused(wants)
			o.Export("CAS_PLAN_CHECK", "off")
			o.Plan()
			o.ApplyRefused(wants...)
			o.unchanged(was)
			o.wantAttribute("api_version", fixture.Quoted(o.apiVersion))

			o.Export("CAS_PLAN_CHECK", "error")
			o.Planned(o.block(`fields = { "spec.mode" = "slow" }`))
			o.Planned(strings.Replace(o.block(`fields = { "spec.mode" = "slow" }`), "acme.io/v1", "acme.io/v2", 1))
			o.PlanNothing()
		})
	}
}
