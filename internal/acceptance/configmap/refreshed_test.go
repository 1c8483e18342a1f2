package configmap

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given a ConfigMap that is on its way out; when an update is planned after a refresh; then it is refused with every client: what was just read is not old.
func TestPlanOfARefreshedConfigMapThatIsBeingDeletedIsRefused(t *testing.T) {
	const finalizer = "example.com/kept"
	fixture.OnEachProfile(t, func(p *fixture.Pipeline, _ bool) {
		p.Planned(fixture.WholeBlock("it", `data = { foo = "1" }`))
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{finalizer} })
		p.Remove("testmap")
		p.Write(fixture.WholeBlock("it", `data = { foo = "2" }`))
		p.PlanRefused([]string{"Error: ConfigMap Is Being Deleted", "!was not refreshed"})
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
	})
}
