package docs

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Two teams own one job each of one document, with a state each. A destroy leaves the document as it was.
func TestGuideShareTwoTeams(t *testing.T) {
	t.Parallel()
	const shared = "global:\n  scrape_interval: 15s # of all jobs\nscrape_configs:\n- job_name: node\n  static_configs:\n" +
		"  - targets: ['node:9100']\n"
	a := guidePipeline(t, "monitoring", "prometheus", fixture.Data{"prometheus.yml": shared})
	b := a.CLIPipeline()
	a.Write(guideFile(t, "share/team_a.tf"))
	b.Write(guideFile(t, "share/team_b.tf"))
	a.Plan()
	b.Plan()
	b.Apply()
	a.Apply()
	a.PlanNothing()
	b.PlanNothing()
	live := a.Live("prometheus").Data["prometheus.yml"]
	for _, want := range []string{shared, "job_name: api", "scrape_interval: 30s", "job_name: batch", "batch.shop:9090"} {
		if !strings.Contains(live, want) {
			t.Errorf("the document lacks %q:\n%s", want, live)
		}
	}
	a.Destroy()
	b.PlanNothing()
	b.Destroy()
	a.WantLive("prometheus", fixture.Data{"prometheus.yml": shared})
}

func TestGuideShareAwsAuth(t *testing.T) {
	t.Parallel()
	const nodes = "- rolearn: arn:aws:iam::111122223333:role/nodes\n  username: system:node:{{EC2PrivateDNSName}}\n  groups: [system:nodes]\n"
	for name, file := range map[string]string{
		"the guide": guideFile(t, "share/aws_auth.tf"), "the page of the resource": exampleText(t, "resources/cas_configmap_document/resource.tf"),
	} {
		t.Run(name, func(t *testing.T) {
			p := guidePipeline(t, "kube-system", "aws-auth", fixture.Data{"mapRoles": nodes, "mapUsers": "[]"})
			p.Write(file)
			p.Plan()
			p.Set("aws-auth", "mapRoles", "# by hand\n"+nodes) // is no conflict
			p.Apply()
			p.PlanNothing()
			live := p.Live("aws-auth").Data["mapRoles"]
			if !strings.HasPrefix(live, "# by hand\n"+nodes) || !strings.Contains(live, "role/deployer") {
				t.Errorf("mapRoles is\n%s", live)
			}
			p.Destroy()
			p.WantLive("aws-auth", fixture.Data{"mapRoles": "# by hand\n" + nodes, "mapUsers": "[]"})

			// Without mapRoles, the write creates the key, and the destroy removes it.
			p.Unset("aws-auth", "mapRoles")
			p.Write(file)
			p.Wants(p.Plan(), "Warning: Key Does Not Exist Yet")
			p.Apply()
			p.Destroy()
			p.WantLive("aws-auth", fixture.Data{"mapUsers": "[]"})
		})
	}
}

func TestGuideShareFlags(t *testing.T) {
	t.Parallel()
	p := guidePipeline(t, "shop", "flags", fixture.Data{"flags.json": `{"dark_mode": false, "new_checkout": false}`})
	p.Write(guideFile(t, "share/flags.tf"))
	p.Plan()
	p.Set("flags", "flags.json", `{"dark_mode": true, "new_checkout": false}`) // is no conflict
	p.Apply()
	p.WantLive("flags", fixture.Data{"flags.json": `{"dark_mode": true, "new_checkout": true}`})
	p.PlanNothing()
	p.Set("flags", "flags.json", `{"dark_mode": true, "new_checkout": false}`)
	p.PlanRefused([]string{"Error: Value Changed", "new_checkout"})
}

func TestDocumentExamples(t *testing.T) {
	t.Parallel()
	before := fixture.Data{"config.yaml": "# of the shop\nlog:\n  level: info\n  sampling: 10\n"}
	for file, want := range map[string]string{
		"resources/cas_configmap_document/swap.tf":                "# of the shop\nlog:\n  level: debug\n  sampling: 10\n",
		"resources/cas_configmap_document/import-by-string-id.tf": before["config.yaml"],
		"resources/cas_configmap_document/import-by-identity.tf":  before["config.yaml"],
		"data-sources/cas_configmap_document/data-source.tf":      before["config.yaml"],
	} {
		t.Run(file, func(t *testing.T) {
			p := guidePipeline(t, "shop", "settings", before)
			if strings.Contains(file, "identity") {
				p.NeedsActionsAndLists() // such a command line also has identities
			}
			p.Planned(exampleText(t, file))
			p.PlanNothing()
			p.WantLive("settings", fixture.Data{"config.yaml": want})
			p.Destroy()
		})
	}
	t.Run("import.sh", func(t *testing.T) {
		p := guidePipeline(t, "shop", "settings", before)
		_, block, _ := strings.Cut(exampleText(t, "resources/cas_configmap_document/import-by-string-id.tf"), "}\n\n")
		p.Write(block)
		_, command, _ := strings.Cut(exampleText(t, "resources/cas_configmap_document/import.sh"), "\nterraform ")
		p.Do(strings.Fields(strings.ReplaceAll(command, "'", ""))...)
		p.PlanNothing()
	})
	t.Run("json.tf", func(t *testing.T) {
		p := guidePipeline(t, "shop", "flags", fixture.Data{})
		p.Planned(exampleText(t, "resources/cas_configmap_document/json.tf"))
		p.PlanNothing()
		p.WantLive("flags", fixture.Data{"flags.json": "{\n  \"new_checkout\": true\n}"})
		p.Destroy()
		p.WantLive("flags", fixture.Data{})
	})
}

// documentExampleFiles are the examples that the tests here apply.
var documentExampleFiles = []string{
	"resources/cas_configmap_document/resource.tf", "resources/cas_configmap_document/swap.tf",
	"resources/cas_configmap_document/json.tf", "resources/cas_configmap_document/import-by-string-id.tf",
	"resources/cas_configmap_document/import-by-identity.tf", "resources/cas_configmap_document/import.sh",
	"data-sources/cas_configmap_document/data-source.tf",
}

func exampleText(t *testing.T, path string) string {
	t.Helper()
	return toolchain.Text(t, "../../../examples", path)
}
