package fields

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// sameValues are values in two Terraform types each.
var sameValues = [][2]string{
	{`["a", "b"]`, `tolist(["a", "b"])`},
	{`["a", "b"]`, `toset(["b", "a"])`},
	{`tolist(["a", "b"])`, `toset(["b", "a"])`},
	{`{ a = "1", b = "2" }`, `tomap({ a = "1", b = "2" })`},
	{`[["a"], ["b", "c"]]`, `tolist([tolist(["a"]), tolist(["b", "c"])])`},
	{`{ a = { b = "1" } }`, `{ a = tomap({ b = "1" }) }`},
	{`[]`, `tolist([])`},
	{`{}`, `tomap({})`},
	{`0.1`, `1 / 10`},
	{`0.3`, `0.1 + 0.2`},
	{`0.3333333333333333`, `1 / 3`},
	{`1000`, `1e3`},
	{`9007199254740993`, `9007199254740992 + 1`},
	{`[0.1, 2]`, `tolist([1 / 10, 2.0])`},
	{`null`, `tostring(null)`}, // the last ones are removals
	{`null`, `try(tolist(null), null)`},
}

const removals = 2

// typed returns fields with the values of one type, and a label beside them.
func typed(side, n int, label string) string {
	var b strings.Builder
	for i, pair := range sameValues[:n] {
		fmt.Fprintf(&b, "\"spec.free.v%d\" = %s\n", i, pair[side])
	}
	return "{\n" + b.String() + `"metadata.labels.a" = "` + label + "\"\n}"
}

// A value in another Terraform type is the same value: no plan shows a change, and each apply keeps the types of its
// configuration.
func TestSameValueInAnotherType(t *testing.T) {
	t.Parallel()
	all, present := len(sameValues), len(sameValues)-removals
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		o := on(p, widget)
		for side := range 2 {
			other := 1 - side
			fields := func(side, n int, label string) string { return o.block("fields = " + typed(side, n, label)) }
			o.Planned(fields(side, all, "1"))
			o.PlanNothing()
			o.Write(fields(other, all, "1"))
			o.PlanNothing()
			o.Planned(fields(other, all, "2"))
			o.PlanNothing()

			o.merge(`{"metadata":{"labels":{"a":"3"}},"spec":{"free":{"v0":null}}}`)
			o.Do("apply", "-refresh-only", "-auto-approve")
			o.Planned(strings.Replace(fields(other, all, "2"), "fields =", "on_drift = \"overwrite\"\n  fields =", 1))
			o.Planned(fields(other, all, "2"))
			o.PlanNothing()
			o.Write(fields(side, all, "2"))
			o.PlanNothing()
			o.merge(`{"metadata":{"labels":{"a":"4"}}}`)
			o.Planned(fields(other, all, "4")) // accepts that
			o.PlanNothing()

			o.Write(strings.Replace(fields(side, all, "4"), `"it"`, `"moved"`, 1) +
				"moved {\n  from = cas_object_fields.it\n  to = cas_object_fields.moved\n}\n")
			o.PlanApply()
			o.PlanNothing()
			o.Do("state", "rm", "cas_object_fields.moved")

			guards := func(side int, label string) string {
				return o.block(`fields = { "metadata.labels.a" = "`+label+`" }`, "expected_fields = "+
					strings.Replace(typed(side, all, label), `"metadata.labels.a" = "`+label+`"`, `"metadata.labels.a" = "4"`, 1))
			}
			o.Planned(guards(side, "5"))
			o.PlanNothing()
			o.Write(guards(other, "5"))
			o.PlanNothing()
			o.Do("state", "rm", "cas_object_fields.it")

			paths := []string{"metadata.labels.a"}
			for i := range present {
				paths = append(paths, fmt.Sprintf("spec.free.v%d", i))
			}
			o.Write(fields(side, present, "5"))
			o.Do("import", "cas_object_fields.it", o.apiVersion+"/Widget/"+o.Namespace+"/one/"+strings.Join(paths, ","))
			o.PlanNothing()
			o.Planned(fields(side, present, "6"))
			o.PlanNothing()
			o.Do("state", "rm", "cas_object_fields.it")
			o.Planned(o.block("adopt_existing = true", "fields = "+typed(other, present, "6")))
			o.PlanNothing()
			o.Do("state", "rm", "cas_object_fields.it")
			o.do("DELETE", "one", "", "")
			o.do("POST", "", "", o.body)
		}
	})
}

// Given a value of a type that is not known before the apply, and that is what the state has in another type.
func TestSameValueThatIsUnknownAtPlan(t *testing.T) {
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		o := on(p, widget)
		o.Planned(o.block(`fields = { "spec.free" = ["a", "b"] }`))
		o.Planned("resource \"terraform_data\" \"x\" {\n  input = \"b\"\n}\n" +
			o.block(`fields = { "spec.free" = tolist(["a", terraform_data.x.output]) }`))
		o.PlanNothing()
		o.do("DELETE", "one", "", "")
	})
}

// Given another spelling of a path whose stored form differs; then no plan shows a change, and each attribute has the
// spelling of fields.
func TestOtherSpellingOfAPath(t *testing.T) {
	t.Parallel()
	const plain = `spec.template.spec.containers[name=web].resources.limits.cpu`
	const quoted = `.spec.template.spec.containers[name="web"].resources.limits.cpu`
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		o := on(p, deployment)
		fields := func(path, cpu string, more ...string) string {
			return o.block(append(more, fmt.Sprintf(`fields = { %q = %q, ".metadata.labels.a" = "1" }`, path, cpu))...)
		}
		o.Planned(fields(plain, "1000m"))
		o.PlanNothing()
		o.Write(fields(quoted, "1000m"))
		o.PlanNothing()
		o.Planned(fields(quoted, "1000m", `field_manager = "me"`))
		o.wantAttribute("stored_fields", fmt.Sprintf(`{%q:"1"}`, quoted))
		o.wantAttribute("previous_fields", fmt.Sprintf(`{".metadata.labels.a":null,%q:null}`, quoted))
		o.PlanNothing()
		o.Planned(fields(plain, "2000m", `field_manager = "me"`))
		o.wantAttribute("stored_fields", fmt.Sprintf(`{%q:"2"}`, plain))
		o.wantAttribute("previous_fields", fmt.Sprintf(`{%q:"1"}`, plain))
		o.PlanNothing()
		o.Planned(o.block(`fields = { ".metadata.labels.b" = "1" }`))
		o.wantAttribute("previous_fields", fmt.Sprintf(`{".metadata.labels.a":"1",".metadata.labels.b":null,%q:"2"}`, plain))
		o.PlanNothing()
		o.do("DELETE", "web", "", "")
	})
}
