package fields

import (
	"strconv"
	"testing"

	k8stypes "k8s.io/apimachinery/pkg/types"
)

// metrics is a Service with two ports.
var metrics = sample{"v1", "Service", "services", "web", `{"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},
	"ports":[{"name":"http","port":80},{"name":"metrics","port":9090}]}}`}

// Elements that different members select are two fields if the object has two such elements.
func TestElementsThatDifferentMembersSelect(t *testing.T) {
	t.Parallel()
	const http, other = `"spec.ports[port=80].appProtocol" = "a"`, `"spec.ports[name=metrics].appProtocol" = "b"`
	const want = `{"appProtocol":"b","name":"metrics","port":9090,"protocol":"TCP","targetPort":9090}`
	t.Run("in one resource", func(t *testing.T) {
		o := made(t, metrics)
		o.Planned(o.block("fields = { " + http + ", " + other + " }"))
		o.wantLive(`"a"`, "spec", "ports", "name=http", "appProtocol")
		o.wantLive(want, "spec", "ports", "name=metrics")
		o.PlanNothing()
		o.Destroy()
		o.wantLive("", "spec", "ports", "name=http", "appProtocol")
		o.wantLive("", "spec", "ports", "name=metrics", "appProtocol")
	})
	t.Run("in two resources", func(t *testing.T) {
		o := made(t, metrics)
		o.Planned(o.block("fields = { "+http+" }") + o.labeled("other", "fields = { "+other+" }"))
		o.wantLive(want, "spec", "ports", "name=metrics")
		o.PlanNothing()
		o.Destroy()
	})
	t.Run("beside a guard", func(t *testing.T) {
		o := made(t, metrics)
		o.Planned(o.block("fields = { "+http+" }", `expected_fields = { "spec.ports[name=metrics].port" = 9090 }`))
		o.wantLive(`"a"`, "spec", "ports", "name=http", "appProtocol")
	})
	t.Run("one after the other", func(t *testing.T) {
		o := made(t, metrics)
		o.Planned(o.block("fields = { " + http + " }"))
		o.Planned(o.block("fields = { " + other + " }"))
		o.wantLive("", "spec", "ports", "name=http", "appProtocol")
		o.wantLive(want, "spec", "ports", "name=metrics")
		o.PlanNothing()
	})
}

// They are one field if one element has both.
func TestElementThatIsSelectedInTwoWays(t *testing.T) {
	t.Parallel()
	const byPort, byName = `"spec.ports[port=80].appProtocol" = "a"`, `"spec.ports[name=http].appProtocol" = "b"`
	for name, body := range map[string]func(*object) string{
		"in one resource": func(o *object) string { return o.block("fields = { " + byPort + ", " + byName + " }") },
		"as a guard": func(o *object) string {
			return o.block("fields = { "+byPort+" }", `expected_fields = { "spec.ports[name=http].appProtocol" = null }`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, metrics)
			was := o.live()
			o.Write(body(o))
			o.PlanRefused([]string{"Error: Field Does Not Fit", "lead to one element: select the element in the same way in both"})
			o.unchanged(was)
		})
	}
	t.Run("in two resources", func(t *testing.T) {
		o := made(t, metrics)
		was := o.live()
		o.Write(o.block("fields = { "+byPort+" }") + o.labeled("other", "fields = { "+byName+" }"))
		o.PlanRefused([]string{"Error: Field Written Twice"})
		o.unchanged(was)
	})
	t.Run("new elements", func(t *testing.T) {
		o := made(t, metrics)
		was := o.live()
		o.Write(o.block(`fields = { "spec.ports[port=81]" = { name = "new", port = 81 }, "spec.ports[name=new]" = { name = "new", port = 82 } }`))
		o.PlanRefused([]string{"Error: Field Does Not Fit", "lead to one element"})
		o.unchanged(was)
	})
}

// The message about a missing element names the elements that exist. Its next step changes that element, and adds none.
func TestMissingElement(t *testing.T) {
	o := made(t, deployment)
	o.Write(o.block(`fields = { "spec.template.spec.containers[name=wbe].image" = "web:2" }`,
		`expected_fields = { "spec.template.spec.containers[name=wbe].image" = "web:1" }`))
	o.PlanRefused([]string{
		"Error: Field Does Not Fit", "containers[name=wbe] is not there", "Elements: [name=web], [name=side]", "Did you mean [name=web]?",
		"Select one of the elements that exist.",
	})
	o.Planned(o.block(`fields = { "spec.template.spec.containers[name=web].image" = "web:2" }`,
		`expected_fields = { "spec.template.spec.containers[name=web].image" = "web:1" }`))
	o.wantLive(`"web:2"`, imageSteps...)
	o.wantLive(`"side:1"`, "spec", "template", "spec", "containers", "name=side", "image")
}

// An element is renamed by the removal of the old one and the addition of the new one.
func TestRenamedElement(t *testing.T) {
	t.Parallel()
	const says = `spec.ports[name=metrics] would become another element: set spec.ports[name=metrics] = null, with its present value ` +
		`as the expectation, to remove the old element, and set spec.ports[name=stats] as a whole to add the new one`
	for name, lines := range map[string][]string{
		"the element": {`fields = { "spec.ports[name=metrics]" = { name = "stats", port = 9090 } }`},
		"its name":    {`fields = { "spec.ports[name=metrics].name" = "stats" }`, `expected_fields = { "spec.ports[name=metrics].name" = "metrics" }`},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, metrics)
			o.Write(o.block(lines...))
			o.PlanRefused([]string{"Error: Invalid Field Value", says})
			o.Planned(o.block(`fields = { "spec.ports[name=metrics]" = null, "spec.ports[name=stats]" = { name = "stats", port = 9090 } }`,
				`expected_fields = { "spec.ports[name=metrics]" = { name = "metrics", port = 9090, protocol = "TCP", targetPort = 9090 } }`))
			o.wantLive(`[{"name":"http","port":80,"protocol":"TCP","targetPort":80},{"name":"stats","port":9090,"protocol":"TCP","targetPort":9090}]`,
				"spec", "ports")
			o.PlanNothing()
		})
	}
}

// A list whose elements no scalar distinguishes is set as a whole.
func TestListWithoutScalarKeys(t *testing.T) {
	t.Parallel()
	t.Run("elements without scalars", func(t *testing.T) {
		o := made(t, widget)
		o.merge(`{"spec":{"free":[{"match":{"name":"a"}},{"match":{"name":"b"}}]}}`)
		o.Write(o.block(`fields = { "spec.free.match" = { name = "c" } }`))
		o.PlanRefused([]string{"Error: Field Does Not Fit", "spec.free is a list whose elements have no member to select by: set the whole list"})
		o.Planned(o.block(`fields = { "spec.free" = [{ match = { name = "c" } }, { match = { name = "b" } }] }`,
			`expected_fields = { "spec.free" = [{ match = { name = "a" } }, { match = { name = "b" } }] }`))
		o.wantLive(`[{"match":{"name":"c"}},{"match":{"name":"b"}}]`, "spec", "free")
	})
	t.Run("elements that one scalar selects", func(t *testing.T) {
		o := made(t, widget)
		o.do("PATCH", o.name, k8stypes.MergePatchType, `{"spec":{"free":[{"type":"x","match":{"name":"a"}},{"type":"x","match":{"name":"b"}}]}}`)
		o.Write(o.block(`fields = { "spec.free[type=x].more" = 1 }`))
		o.PlanRefused([]string{"Error: Field Does Not Fit", "has several elements that [type=x] selects", "set the whole list", "!select by"})
		o.Planned(o.block(`fields = { "spec.free" = [{ type = "x", match = { name = "a" }, more = 1 }, { type = "x", match = { name = "b" } }] }`,
			`expected_fields = { "spec.free" = [{ type = "x", match = { name = "a" } }, { type = "x", match = { name = "b" } }] }`))
		o.wantLive(`[{"match":{"name":"a"},"more":1,"type":"x"},{"match":{"name":"b"},"type":"x"}]`, "spec", "free")
	})
}

// The advised spelling of a path is the one that the API server knows.
func TestAdvisedSpellingIsWritten(t *testing.T) {
	t.Parallel()
	for path, test := range map[string]struct{ advised, value string }{
		`metadata.annotations['a.b/c']`: {`metadata.annotations["a.b/c"]`, `"1"`},
		`metadata.annotations.a\.b/c`:   {`metadata.annotations["a.b/c"]`, `"1"`},
		`metadata.annotations.a.b/c`:    {`metadata.annotations["a.b/c"]`, `"1"`},
		`/spec/replicas`:                {`spec.replicas`, `3`},
	} {
		t.Run(path, func(t *testing.T) {
			o := made(t, deployment)
			expected := `expected_fields = { "spec.replicas" = 2 }`
			o.Write(o.block("fields = { "+strconv.Quote(path)+" = "+test.value+" }", expected))
			o.PlanRefused([]string{"Error: Invalid Field Path", "as " + test.advised})
			o.Planned(o.block("fields = { "+strconv.Quote(test.advised)+" = "+test.value+" }", expected))
			o.PlanNothing()
		})
	}
}

// A text that the API server wants as a bool needs the type bool.
func TestBoolThatComesAsText(t *testing.T) {
	o := made(t, deployment)
	o.Write(o.block(`fields = { "spec.paused" = "true" }`))
	o.Plan()
	o.ApplyRefused("Error: Request Refused", "spec.paused is text that reads as a bool.", "type = bool", "!number")
	o.Planned(o.block(`fields = { "spec.paused" = tobool("true") }`))
	o.wantLive("true", "spec", "paused")
	o.PlanNothing()
}
