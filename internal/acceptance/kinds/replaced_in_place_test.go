package kinds

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given create_before_destroy and expected_resource_version_wo; when a resource is replaced in place; then the new resource
// takes over the keys or the object, and the removal of the old one leaves them in place.
func TestReplacementInPlaceTakesOver(t *testing.T) {
	t.Parallel()
	fields := func(lines ...string) string {
		return "resource \"cas_object_fields\" \"it\" {\n  api_version = \"v1\"\n  kind = \"ConfigMap\"\n  namespace = NAMESPACE\n" +
			"  name = \"testmap\"\n  fields = { \"metadata.labels.app\" = \"shop\" }\n  " + strings.Join(lines, "\n  ") + "\n}\n"
	}
	for what, test := range map[string]struct {
		address string
		block   func(lines ...string) string
	}{
		"an entry": {"cas_configmap_entry.it", func(lines ...string) string {
			return fixture.Entry("it", "testmap", "foo", append(lines, `value = "1"`)...)
		}},
		"data":   {"cas_configmap_data.it", func(lines ...string) string { return fixture.DataBlock("it", append(lines, `data = { foo = "1" }`)...) }},
		"fields": {"cas_object_fields.it", fields},
		"a ConfigMap": {"cas_configmap.it", func(lines ...string) string {
			return fixture.WholeBlock("it", append(lines, `data = { foo = "1" }`)...)
		}},
	} {
		t.Run(what, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				if !strings.HasPrefix(test.address, "cas_configmap.") {
					p.Create("testmap", nil)
				}
				p.Planned(test.block(fixture.CreateFirst, fixture.Deletes))
				before := p.Live("testmap")
				p.Write(test.block(fixture.CreateFirst, fixture.Deletes, "expected_resource_version_wo = "+fixture.Quoted(before.ResourceVersion)))
				p.Plan("-replace=" + test.address)
				p.Wants(p.Apply(), "!Key Stays In Place")
				if now := p.Live("testmap"); now.UID != before.UID || now.ResourceVersion != before.ResourceVersion {
					t.Errorf("the ConfigMap was written: %v, was %v", now, before)
				}
				p.WantState("it")
				p.PlanNothing()
			})
		})
	}
}
