package docs

import (
	"regexp"
	"slices"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// guideFiles are the files under examples/guides that the guides' own tests apply, as they stand.
var guideFiles = []string{
	"adopt/main.tf", "adopt/secret.tf", "adopt/shop.tfquery.hcl",
	"ci/aks.tf", "ci/apply.sh", "ci/eks.tf", "ci/github.yml", "ci/gitlab-ci.yml", "ci/gke.tf", "ci/main.tf",
	"coming-from/back.tf", "coming-from/configmap_after.tf", "coming-from/configmap_before.tf", "coming-from/data_after.tf",
	"coming-from/data_before.tf", "coming-from/data_swap.tf", "coming-from/patch.sh", "coming-from/providers.tf",
	"coming-from/document_after.tf", "coming-from/document_before.tf", "coming-from/replace.sh", "coming-from/swap.tf",
	"coredns/Corefile", "coredns/main.tf", "coredns/save.sh",
	"drift/emergency.sh", "drift/main.tf",
	"flags/freeze.sh", "flags/freeze.tf", "flags/main.tf", "flags/unfreeze.sh",
	"helm/apply.sh", "helm/main.tf", "helm/manifest.yaml",
	"production/main.tf",
	"promote/deployment.tf", "promote/main.tf",
	"recipes/import_if_exists.tf", "recipes/must_exist.tf", "recipes/remove_field.tf",
	"share/aws_auth.tf", "share/flags.tf", "share/team_a.tf", "share/team_b.tf",
	"secrets/append.tf", "secrets/main.tf", "secrets/role.yaml", "secrets/rotate.sh",
	"rbac/apply.yaml", "rbac/configmap.yaml", "rbac/generate_name.yaml", "rbac/main.tf", "rbac/pipeline.sh", "rbac/plan.yaml",
}

// guideFile is the text of one of guideFiles.
func guideFile(t *testing.T, path string) string {
	t.Helper()
	if !slices.Contains(guideFiles, path) {
		t.Errorf("%s is not one of guideFiles", path)
	}
	return toolchain.Text(t, "../../../examples/guides", path)
}

// guideText is the template of a guide.
func guideText(t *testing.T, name string) string {
	t.Helper()
	return toolchain.Text(t, "../../../templates/guides", name+".md.tmpl")
}

// guidePipeline is a pipeline in a namespace that a guide names, which the test shares with others: with a ConfigMap in it, new, that
// no other test has.
func guidePipeline(t *testing.T, namespace, configMap string, before fixture.Data) *fixture.Pipeline {
	t.Helper()
	if namespace == "shop" {
		f, _ := shopWith(t, configMap, before)
		return f.CLIPipeline()
	}
	f, _ := fixtureIn(t, namespace, configMap, before)
	return f.CLIPipeline()
}

// runs runs a script of a guide in the workspace, as the administrator, and returns what it printed. It must succeed.
func runs(p *fixture.Pipeline, script string) string {
	p.Helper()
	return shell(p, script, true)
}

// fails is runs of a script that must fail.
func fails(p *fixture.Pipeline, script string) string {
	p.Helper()
	return shell(p, script, false)
}

func shell(p *fixture.Pipeline, script string, succeeds bool) string {
	p.Helper()
	p.CLI.Home(p.Cluster.Config)
	r := p.CLI.Shell(script)
	if (r.ExitCode == 0) != succeeds {
		p.Fatalf("exit code %d of\n%s\n%s", r.ExitCode, script, r.Stdout)
	}
	return r.Stdout
}

// wantShown fails the test unless the guide shows a text that the output has, on whatever line of main.tf.
func wantShown(p *fixture.Pipeline, guide, output string) {
	p.Helper()
	anyLine := func(text string) string { return onLine.ReplaceAllString(text, "on main.tf line N, in $1: N:") }
	blocks, err := testcli.Blocks(guideText(p.T, guide))
	if err != nil {
		p.Fatal(err)
	}
	for _, block := range blocks {
		if block.Language == "text" && testcli.Shows(anyLine(block.Text), anyLine(output)) {
			return
		}
	}
	p.Errorf("the guide %s shows nothing of this:\n%s", guide, output)
}

var onLine = regexp.MustCompile(`on main\.tf line \d+, in (.*?):[│\s]+\d+:`)
