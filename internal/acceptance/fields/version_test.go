package fields

import (
	"fmt"
	"strings"
	"testing"

	k8stypes "k8s.io/apimachinery/pkg/types"
)

// Given a value to which each version of the API adds defaults of other names; when the version changes, then what the API server made of the value in the former one
// is no drift of it in the new one. Nothing changes but what is written beside, no change
// of another writer's since the plan is overwritten, and the plan that follows is empty.
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

// An expectation that is new counts there, too: what the API server makes of a value in another version stands for no condition that the configuration names.
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
