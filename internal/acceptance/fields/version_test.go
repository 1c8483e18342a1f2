package fields

import (
	"fmt"
	"strings"
	"testing"

	k8stypes "k8s.io/apimachinery/pkg/types"
)

// Given a value to which each version of the API adds defaults of other names; when the version changes, then the stored form
// in the former version is no drift in the new one. Only the field that is written beside it changes, no change of another
// writer since the plan is overwritten, and the next plan is empty.
func TestDefaultsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	const (
		spec    = `"spec" = { maxReplicas = 6, scaleTargetRef = { apiVersion = "apps/v1", kind = "Deployment", name = "web" } }`
		expects = `expected_fields = { "spec" = { maxReplicas = 5, minReplicas = 1, scaleTargetRef = { apiVersion = "apps/v1", kind = "Deployment", name = "web" },
			metrics = [{ type = "Resource", resource = { name = "cpu", target = { type = "Utilization", averageUtilization = 50 } } }] } }`
	)
	for name, beside := range map[string]string{"alone": "", "with a write beside": `, "metadata.labels.a" = "1"`} {
		t.Run(name, func(t *testing.T) {
			o := made(t, scaler)
			o.Planned(o.block("fields = { "+spec+" }", expects))
			o.wantLive(`[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}]`, "spec", "metrics")
			o.PlanNothing()
			o.Write(strings.Replace(o.block("fields = { "+spec+beside+" }", expects), "autoscaling/v2", "autoscaling/v1", 1))
			o.Plan()
			o.merge(`{"spec":{"minReplicas":2}}`)
			o.ApplyRefused("Error: Compare-And-Swap Conflict", "Nothing was written.")
			o.merge(`{"spec":{"minReplicas":1}}`)
			was := o.live()
			o.PlanApply()
			if beside == "" {
				o.unchanged(was)
			}
			o.PlanNothing()
			o.Destroy()
			o.WantState()
		})
	}
}

// An expectation also counts where the value changes: the stored form in another version is no condition that the configuration names.
func TestExpectationInAnotherVersion(t *testing.T) {
	o := made(t, scaler)
	block := func(most int, lines ...string) string {
		return o.block(append(lines, fmt.Sprintf(`fields = { "spec" = { maxReplicas = %d, scaleTargetRef = { apiVersion = "apps/v1", kind = "Deployment", name = "web" } } }`, most))...)
	}
	expects := func(most, target int) string {
		return fmt.Sprintf(`expected_fields = { "spec" = { maxReplicas = %d, minReplicas = 1, scaleTargetRef = { apiVersion = "apps/v1", kind = "Deployment", name = "web" },
			targetCPUUtilizationPercentage = %d } }`, most, target)
	}
	o.do("PATCH", o.name, k8stypes.MergePatchType, `{"spec":{"metrics":null}}`)
	o.Planned(block(6, `expected_fields = { "spec" = { maxReplicas = 5, minReplicas = 1, scaleTargetRef = { apiVersion = "apps/v1", kind = "Deployment", name = "web" },
		metrics = [{ type = "Resource", resource = { name = "cpu", target = { type = "Utilization", averageUtilization = 80 } } }] } }`))
	was := o.live()
	inV1 := func(most int, lines ...string) string {
		return strings.Replace(block(most, lines...), "autoscaling/v2", "autoscaling/v1", 1)
	}
	o.Write(inV1(7, expects(99, 80)))
	o.PlanRefused([]string{"Error: Expected Value Mismatch"})
	o.unchanged(was)
	o.Planned(inV1(7, expects(6, 80)))
	o.wantLive("7", "spec", "maxReplicas")
	o.PlanNothing()
}

// So does an expectation of the last apply, as without a change of the version. For a value that stays, no expectation counts. Without any, the object must be unchanged.
func TestValueThatChangesWithTheVersion(t *testing.T) {
	t.Parallel()
	const (
		expects = `expected_fields = { "spec" = { maxReplicas = 5, minReplicas = 1, scaleTargetRef = { apiVersion = "apps/v1", kind = "Deployment", name = "web" },
			metrics = [{ type = "Resource", resource = { name = "cpu", target = { type = "Utilization", averageUtilization = 50 } } }] } }`
		mismatch, conflict = "Error: Expected Value Mismatch", "Error: Compare-And-Swap Conflict"
	)
	for name, test := range map[string]struct {
		most    int
		expects string
		between string // the patch of another writer after the plan
		plan    string // what refuses the plan
		apply   string // what refuses the apply
	}{
		"an expectation that does not hold":     {most: 7, expects: expects, plan: mismatch},
		"of a value that stays":                 {most: 6, expects: expects},
		"a new one, of a value that stays":      {most: 6, expects: strings.Replace(expects, "5", "4", 1)},
		"of a value that stays, and it did not": {most: 6, expects: expects, between: `{"spec":{"minReplicas":2}}`, apply: conflict},
		"none":                                  {most: 7},
		"none, and another wrote":               {most: 7, between: `{"spec":{"minReplicas":2}}`, apply: conflict},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, scaler)
			block := func(most int, expects string) string {
				return o.block(fmt.Sprintf(`fields = { "spec" = { maxReplicas = %d, scaleTargetRef = { apiVersion = "apps/v1", kind = "Deployment", name = "web" } } }`, most), expects)
			}
			o.Planned(block(6, expects))
			was := o.live()
			o.Write(strings.Replace(block(test.most, test.expects), "autoscaling/v2", "autoscaling/v1", 1))
			if test.plan != "" {
				o.PlanRefused([]string{test.plan})
				o.unchanged(was)
				return
			}
			o.Plan()
			if test.between != "" {
				o.merge(test.between)
				o.ApplyRefused(test.apply)
				return
			}
			o.Apply()
			o.wantLive(fmt.Sprint(test.most), "spec", "maxReplicas")
			o.PlanNothing()
		})
	}
}
