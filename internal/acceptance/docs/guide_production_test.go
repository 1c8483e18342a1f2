package docs

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

func TestGuideProduction(t *testing.T) {
	t.Parallel()
	p := guidePipeline(t, "shop", "flags", fixture.Data{"new_checkout": "off"})
	proxy := p.Cluster.Proxy(t)
	p.CLI.Home(proxy.Config)
	preset := strings.Replace(guideFile(t, "production/main.tf"), `"production"`, `"testcluster"`, 1) // the one context of that home
	p.CLI.Write("main.tf", preset)
	proxy.Reset()
	p.Plan()
	rehearsed := 0
	for _, r := range proxy.Requests() {
		if r.Query.Get("dryRun") == "All" {
			rehearsed++
		}
	}
	if rehearsed != 1 {
		t.Errorf("the plan sent %d dry runs, want 1", rehearsed)
	}
	p.Apply()
	p.WantLive("flags", fixture.Data{"new_checkout": "on"})

	blocks, err := testcli.Blocks(guideText(t, "production"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		if block.Language == "shell" {
			wantShown(p, "production", p.CLI.Shell(block.Text).Stdout)
		}
	}

	p.Set("flags", "new_checkout", "off")
	p.PlanRefused([]string{fixture.DriftRefused})
	p.WantLive("flags", fixture.Data{"new_checkout": "off"})
}
