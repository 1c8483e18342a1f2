package fields

import (
	"fmt"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

const image = `spec.template.spec.containers[name=web].image`

var imageSteps = []string{"spec", "template", "spec", "containers", "name=web", "image"}

// others has changes of the containers of the Deployment by other writers.
const (
	otherImage = `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"},{"name":"web","image":"web:9"}]}}}}`
	otherOrder = `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:1"},{"name":"first","image":"first:1"},{"name":"side","image":"side:1"}]}}}}`
)

func swapsImage(o *object, lines ...string) string {
	return o.block(append([]string{fmt.Sprintf(`fields = { %q = "web:2" }`, image), fmt.Sprintf(`expected_fields = { %q = "web:1", "spec.paused" = null }`, image)}, lines...)...)
}

func TestConflictsAtPlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of    sample
		found string // a merge patch of another writer
		lines []string
		wants []string
	}{
		"another value than expected": {
			of: deployment, found: otherImage,
			lines: []string{`fields = { "spec.template.spec.containers[name=web].image" = "web:2" }`, `expected_fields = { "spec.template.spec.containers[name=web].image" = "web:1" }`},
			wants: []string{
				"Error: Expected Value Mismatch", `is "web:1", but spec.template.spec.containers[name=web].image holds "web:9". Nothing was written.`,
				"Deployment: ", "Field: spec.template.spec.containers[name=web].image", "Changed by: another-writer",
				`To replace "web:9", set "spec.template.spec.containers[name=web].image" = "web:9" in expected_fields; to keep it, set `, "!fields/", "!key",
			},
		},
		"a guard": {
			of: deployment, found: `{"spec":{"paused":true}}`, lines: []string{`fields = { "spec.replicas" = 3 }`, `expected_fields = { "spec.replicas" = 2, "spec.paused" = null }`},
			wants: []string{"Error: Expected Value Mismatch", `expected_fields["spec.paused"] says that spec.paused is absent, but it holds true.`, "when spec.paused is as expected"},
		},
		"a number that is there": {
			of: deployment, lines: []string{`fields = { "spec.replicas" = 3 }`},
			wants: []string{"Error: Field Already Exists", "spec.replicas already exists with another value.", "Found: 2", "Import id: apps/v1/Deployment/NAMESPACE/web/spec.replicas ", `set "spec.replicas" = 2 in expected_fields`},
		},
		"the value itself": {
			of: deployment, lines: []string{`fields = { "spec.replicas" = 2 }`},
			wants: []string{"Error: Field Already Holds The Value", "spec.replicas already holds the value to write.", "adopt_existing = true"},
		},
		"a part of an object that differs": {
			of: service, lines: []string{`fields = { "spec.ports[name=http]" = { name = "http", port = 81 } }`, `expected_fields = { "spec.ports[name=http]" = { name = "http", port = 82, protocol = "TCP", targetPort = 80 } }`},
			wants: []string{"Error: Expected Value Mismatch", "At: .port Expected: 82 Found: 80"},
		},
		"an element that is not there": {
			of: deployment, lines: []string{`fields = { "spec.template.spec.containers[name=none].image" = "x" }`},
			wants: []string{"Error: Field Does Not Fit", "spec.template.spec.containers[name=none] is not there"},
		},
		"a selector of several elements": {
			of: deployment, found: `{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"x"}]}}}}`,
			lines: []string{`fields = { "spec.replicas" = 3 }`, `expected_fields = { "spec.replicas" = 2, "spec.template.spec.containers[image=x].name" = "a" }`},
			wants: []string{"Error: Field Does Not Fit", "has several elements that [image=x] selects"},
		},
		"a quantity in another form": {
			of: deployment, found: `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:1","resources":{"limits":{"cpu":"1"}}}]}}}}`,
			lines: []string{`fields = { "spec.template.spec.containers[name=web].resources.limits.cpu" = "2" }`, `expected_fields = { "spec.template.spec.containers[name=web].resources.limits.cpu" = "1000m" }`},
			wants: []string{"Error: Expected Value Mismatch", `the API server keeps the quantity "1000m" as "1"`},
		},
		"hidden values": {
			of: deployment, found: otherImage,
			lines: []string{`fields = { "spec.template.spec.containers[name=web].image" = "web:2" }`, `expected_fields = { "spec.template.spec.containers[name=web].image" = "web:1" }`, `hide_values = true`},
			wants: []string{"Error: Expected Value Mismatch", "(hidden, 5 bytes, sha256:", "!web:9"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, test.of)
			if test.found != "" {
				o.merge(test.found)
			}
			was := o.live()
			o.Write(o.block(test.lines...))
			for i, want := range test.wants {
				test.wants[i] = o.Text(want)
			}
			o.PlanRefused(test.wants)
			o.unchanged(was)
		})
	}
}

func TestConflictsBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines   []string
		between string
		wants   []string // nil: it goes through
		image   string
	}{
		"the field":                   {between: otherImage, wants: []string{"Error: Expected Value Mismatch", `holds "web:9". Nothing was written.`}, image: `"web:9"`},
		"a guard":                     {between: `{"spec":{"paused":true}}`, wants: []string{"Error: Expected Value Mismatch", "spec.paused is absent, but it holds true."}, image: `"web:1"`},
		"another field":               {between: `{"spec":{"replicas":5}}`, image: `"web:2"`},
		"the element, which is moved": {between: otherOrder, image: `"web:2"`},
		"another field, scope object": {lines: []string{`conflict_scope = "object"`}, between: `{"spec":{"replicas":5}}`, image: `"web:2"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, deployment)
			o.Write(swapsImage(o, test.lines...))
			o.Plan()
			o.merge(test.between)
			if test.wants == nil {
				o.Apply()
				o.PlanNothing()
			} else {
				o.ApplyRefused(test.wants...)
			}
			o.wantLive(test.image, imageSteps...)
		})
	}
}

// Two owners of one field, or of a field and a part of it.
func TestTwoOwners(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first, second string
		refused       bool
	}{
		"the same field, spelled twice": {`{ "metadata.annotations[\"a\"]" = "1" }`, `{ ".metadata.annotations.a" = "1" }`, true},
		"a part of it":                  {`{ "spec.ports[name=alt]" = { name = "alt", port = 1 } }`, `{ "spec.ports[name=alt].port" = 2 }`, true},
		"elements that may be one":      {`{ "spec.ports[name=alt]" = { name = "alt", port = 1 } }`, `{ "spec.ports[port=1]" = { name = "alt", port = 1 } }`, true},
		"two fields":                    {`{ "metadata.annotations.a" = "1" }`, `{ "metadata.annotations.b" = "1" }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, service)
			o.Write(o.labeled("a", "fields = "+test.first) + o.labeled("b", "fields = "+test.second))
			if test.refused {
				o.PlanRefused([]string{"Error: Field Written Twice", " in the same configuration.", "Leave it to one of the two."})
				return
			}
			o.PlanApply()
			o.PlanNothing()
		})
	}
}

// A label of a ConfigMap that a whole object writes, and that is a field of another resource.
func TestTwoOwnersOfALabel(t *testing.T) {
	t.Parallel()
	for name, fieldFirst := range map[string]bool{"the field first": true, "the whole object first": false} {
		t.Run(name, func(t *testing.T) {
			o := &object{fixture.NewPipeline(t), sample{apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", name: "testmap"}}
			o.Planned(fixture.WholeBlock("whole", `labels = { a = "1" }`))
			whole := `labels = { a = "2" }`
			field := `fields = { "metadata.labels.a" = "3" }`
			if fieldFirst {
				o.Write(fixture.WholeBlock("whole", whole, `depends_on = [cas_object_fields.it]`) + o.block(field, `adopt_existing = true`, `expected_fields = { "metadata.labels.a" = "1" }`))
			} else {
				o.Write(fixture.WholeBlock("whole", whole) + o.block(field, `expected_fields = { "metadata.labels.a" = "1" }`, `depends_on = [cas_configmap.whole]`))
			}
			o.PlanRefused([]string{"Written Twice", " in the same configuration."})
		})
	}
}
