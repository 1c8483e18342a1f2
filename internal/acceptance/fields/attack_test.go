package fields

import (
	"strings"
	"testing"

	k8stypes "k8s.io/apimachinery/pkg/types"
)

// Nobody can make a wrong element, a second element, or a value that nobody asked for.

// Given a path that the other version of the API does not know; then an update to that version does not take it for gone.
func TestDroppedPathOfAnotherVersion(t *testing.T) {
	o := made(t, sample{"autoscaling/v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "web", `{"metadata":{"name":"web"},"spec":{"maxReplicas":5,
		"targetCPUUtilizationPercentage":50,"scaleTargetRef":{"kind":"Deployment","name":"web","apiVersion":"apps/v1"}}}`})
	expects := `expected_fields = { "spec.targetCPUUtilizationPercentage" = 50, "spec.minReplicas" = 1 }`
	v2 := func(lines ...string) string {
		return strings.Replace(o.block(append(lines, `fields = { "spec.minReplicas" = 3 }`)...), "autoscaling/v1", "autoscaling/v2", 1)
	}
	o.Planned(o.block(`fields = { "spec.targetCPUUtilizationPercentage" = 60, "spec.minReplicas" = 2 }`, expects, `deletion_policy = "restore"`))
	was := o.live()
	o.Write(v2(`deletion_policy = "restore"`))
	o.PlanRefused([]string{"Error: Field Does Not Fit", "fields does not have spec.targetCPUUtilizationPercentage any more, and api_version changes.", `with api_version = "autoscaling/v1" first.`})
	o.unchanged(was)
	o.Planned(o.block(`fields = { "spec.minReplicas" = 2 }`, `deletion_policy = "restore"`))
	o.wantLive(`50`, "spec", "targetCPUUtilizationPercentage")
	o.Planned(v2())
	o.wantLive(`3`, "spec", "minReplicas")
	o.PlanNothing()
}

// Given a map that stays in the configuration in part; then the rest of it is not forgotten.
func TestPartOfWhatWasWhole(t *testing.T) {
	o := made(t, widget)
	o.Planned(o.block(`fields = { "spec.more" = { a = "1", b = "2" } }`))
	was := o.live()
	const part = `fields = { "spec.more.a" = "1" }`
	o.Write(o.block(part, `adopt_existing = true`))
	o.PlanRefused([]string{"Error: Field Does Not Fit", "fields has a part of spec.more", `set deletion_policy = "abandon" in the same change`, "!api_version"})
	o.unchanged(was)
	o.Planned(o.block(part, `adopt_existing = true`, `deletion_policy = "abandon"`))
	o.unchanged(was)
	o.Planned(o.block(`fields = { "spec.more" = { a = "1", b = "2" } }`, `adopt_existing = true`)) // and back: the part is no removal
	o.unchanged(was)
}

// Given a null in an element of a list, which a patch of the list would drop; then no other element is written.
func TestNullBesideAnElement(t *testing.T) {
	o := made(t, widget)
	o.do("PATCH", o.name, k8stypes.JSONPatchType, `[{"op":"replace","path":"/spec/loose","value":[{"name":"a","size":1},{"name":"b","size":null}]}]`)
	was := o.live()
	o.Write(o.block(`fields = { "spec.loose[name=a].size" = 3 }`, `expected_fields = { "spec.loose[name=a].size" = 1, "spec.loose[name=b].size" = null }`))
	o.PlanRefused([]string{"Error: Field Does Not Fit", "spec.loose holds a null, which the API server would drop"})
	o.unchanged(was)
	o.Write(o.block(`fields = { "spec.loose" = [{ name = "a", size = 3 }] }`))
	o.Do("import", "cas_object_fields.it", o.apiVersion+"/Widget/"+o.Namespace+"/one/spec.loose")
	o.PlanApply()
	o.wantLive(`[{"color":"red","name":"a","size":3}]`, "spec", "loose")
	o.PlanNothing()
}

func TestElementsThatAnotherWriterConfuses(t *testing.T) {
	t.Parallel()
	const path = "spec.loose[name=a].size"
	for name, test := range map[string]struct {
		between string // the list, by another writer between plan and apply
		wants   []string
		after   string // the list, after the apply
	}{
		"others come before it":  {`[{"name":"z","size":1},{"name":"b","size":1},{"name":"a","size":1}]`, nil, `[{"color":"red","name":"z","size":1},{"color":"red","name":"b","size":1},{"color":"red","name":"a","size":3}]`},
		"another of its name":    {`[{"name":"a","size":1},{"name":"a","size":1}]`, []string{"Error: Field Does Not Fit", "has several elements that [name=a] selects"}, ""},
		"it is renamed":          {`[{"name":"c","size":1},{"name":"b","size":2}]`, []string{"Error: Field Does Not Fit", "spec.loose[name=a] is not there"}, ""},
		"it is another by now":   {`[{"name":"b","size":1},{"name":"a","size":2}]`, []string{"Error: Expected Value Mismatch"}, ""},
		"its name is a number":   {`[{"name":"1","size":1}]`, []string{"Error: Field Does Not Fit", "is not there"}, ""},
		"the list is gone":       {`null`, []string{"Error: Field Does Not Fit"}, ""},
		"its neighbor is a null": {`[{"name":"a","size":1},{"name":"b","size":null}]`, []string{"Error: Field Does Not Fit", "holds a null"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, widget)
			o.Write(o.block(`fields = { "`+path+`" = 3 }`, `expected_fields = { "`+path+`" = 1 }`))
			o.Plan()
			o.do("PATCH", o.name, k8stypes.JSONPatchType, `[{"op":"replace","path":"/spec/loose","value":`+test.between+`}]`)
			was := o.live()
			if test.wants == nil {
				o.Apply()
				o.wantLive(test.after, "spec", "loose")
				o.PlanNothing()
				return
			}
			o.ApplyRefused(test.wants...)
			o.unchanged(was)
		})
	}
}

// Given two elements of one name; then a destroy removes neither.
func TestDestroyOfOneOfTwoAlike(t *testing.T) {
	o := made(t, widget)
	o.Planned(o.block(`fields = { "spec.loose[name=new]" = { name = "new", size = 1, color = "red" } }`))
	o.do("PATCH", o.name, k8stypes.JSONPatchType, `[{"op":"add","path":"/spec/loose/0","value":{"name":"new","size":1}}]`)
	was := o.live()
	o.DestroyRefused([]string{"Error: Field Does Not Fit", "has several elements that [name=new] selects"})
	o.unchanged(was)
}
