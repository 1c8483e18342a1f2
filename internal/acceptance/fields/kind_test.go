package fields

import (
	"fmt"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A kind that the API server does not serve comes with the kind that was probably meant. No CustomResourceDefinition
// adds a kind to a group of Kubernetes, so there the plan fails.
func TestKindThatWasMeant(t *testing.T) {
	o := made(t, widget)
	for _, test := range []struct{ apiVersion, kind, meant, severity string }{
		{"v1", "deployment", "Deployment in apps/v1", "Error"},
		{"apps/v1beta1", "Deployment", "Deployment in apps/v1", "Error"},
		{"v1", "hpa", "HorizontalPodAutoscaler in autoscaling/v2", "Error"},
		{"networking.k8s.io/v1", "Ingres", "Ingress in networking.k8s.io/v1", "Error"},
		{"events.k8s.io/v1", "events", "Event in events.k8s.io/v1", "Error"},
		{o.apiVersion, "widgets", "Widget in " + o.apiVersion, "Warning"},
	} {
		t.Run(test.kind+" of "+test.apiVersion, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Write(fmt.Sprintf("resource \"cas_object_fields\" \"it\" {\n  api_version = %q\n  kind = %q\n  namespace = NAMESPACE\n  name = \"web\"\n"+
				"  fields = { \"metadata.labels.a\" = \"1\" }\n}\n", test.apiVersion, test.kind))
			wants := []string{test.severity + ": Kind Not Served", "Did you mean: " + test.meant}
			if test.severity == "Error" {
				p.PlanRefused(append(wants, "Correct api_version and kind.", "!CustomResourceDefinition"))
			} else {
				p.Wants(p.Plan(), wants...)
			}
		})
	}
}
