package kinds

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A destroy of a whole object that a finalizer holds says that the object still exists, and names the finalizer.
func TestDestroyOfAWholeObjectThatAFinalizerHolds(t *testing.T) {
	t.Parallel()
	wants := func(p *fixture.Pipeline, kind, name string) {
		p.Wants(p.Destroy(), "Warning: "+kind+" Still Exists: "+kind+" ", "The "+kind+" is being deleted, and its finalizers still hold it.",
			"Deleted at: 20", "Finalizers: example.com/hold", "kubectl edit "+strings.ToLower(kind)+" "+name+" --namespace "+p.Namespace)
		p.WantState()
	}
	t.Run("a ConfigMap", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Planned(fixture.WholeBlock("it", `data = { foo = "1" }`))
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/hold"} })
		wants(p, "ConfigMap", "testmap")
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
		p.WantNone("testmap")
	})
	t.Run("a Secret", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Planned(fixture.SecretBlock(`labels = { a = "1" }`))
		p.ChangeSecret("database", func(s *corev1.Secret) { s.Finalizers = []string{"example.com/hold"} })
		wants(p, "Secret", "database")
		p.ChangeSecret("database", func(s *corev1.Secret) { s.Finalizers = nil })
	})
}
