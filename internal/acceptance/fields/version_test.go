package fields

import (
	"strings"
	"testing"
)

// Given a value to which each version of the API adds defaults of other names; when the version changes, then what the API server made of the value in the former one
// is no drift of it in the new one: nothing changes but what is
// written beside, no change of another writer's since the plan is overwritten, and the plan that follows is empty.
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
