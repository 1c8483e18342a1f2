package acceptance_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Given a ConfigMap that is on its way out; when an update is planned after a refresh; then it is refused with every client: what was just read is not old.
func TestPlanOfARefreshedConfigMapThatIsBeingDeletedIsRefused(t *testing.T) {
	const finalizer = "example.com/kept"
	onEach(t, func(p *pipeline, _ bool) {
		p.planned(wholeBlock("it", `data = { foo = "1" }`))
		p.change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{finalizer} })
		p.remove("testmap")
		p.write(wholeBlock("it", `data = { foo = "2" }`))
		p.planRefused([]string{"Error: ConfigMap Is Being Deleted", "!was not refreshed"})
		p.change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
	})
}
