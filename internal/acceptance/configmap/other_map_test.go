package configmap

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given a resource with one map of a ConfigMap; when somebody moves a key to the other map; then the plan
// refuses to replace the key, and both ways on work: to keep it, and to replace it.
func TestConfigMapKeyThatSomebodyMovedToTheOtherMap(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"keep it", "replace it"} {
		t.Run(way, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
				p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Data, cm.BinaryData = nil, map[string][]byte{"foo": {1}} })
				version := p.Live("testmap").ResourceVersion
				p.PlanRefused([]string{
					"Error: Key Already Exists", "foo already exists with another value. Nothing was written.",
					`Key: foo Expected: (absent) Found: base64 "AQ==" Changed by: another-writer`,
					"To keep it, remove it from data. To replace it, set expected_resource_version_wo = " + fixture.Quoted(version) + ".",
					fixture.PlanCheckAdvice,
				})
				if way == "keep it" {
					p.Planned(fixture.WholeBlock("all", `data = {}`))
					p.WantContents(fixture.Contents{Bytes: map[string][]byte{"foo": {1}}})
				} else {
					p.Write(fixture.WholeBlock("all", `data = { foo = "1" }`, `expected_resource_version_wo = `+fixture.Quoted(version)))
					p.Wants(p.Plan(), "Unmanaged Keys Will Change", `Key: foo Found: base64 "AQ==" Planned: "1"`)
					p.Apply()
					p.WantContents(fixture.Contents{Data: fixture.Data{"foo": "1"}})
				}
				p.Write(fixture.WholeBlock("all", map[string]string{"keep it": `data = {}`, "replace it": `data = { foo = "1" }`}[way]))
				p.PlanNothing()
			})
		})
	}
}
