package docs

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// pipelineScripts are the scripts of the jobs plan and apply.
type pipelineScripts struct{ plan, apply string }

// githubScripts returns the scripts of the workflow for GitHub Actions.
func githubScripts(t *testing.T) pipelineScripts {
	t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Needs string
			Steps []struct{ Run, Uses string }
		}
	}
	decodeYAML(t, guideFile(t, "ci/github.yml"), &workflow)
	if workflow.Jobs["apply"].Needs != "plan" {
		t.Error("the job apply does not need the job plan")
	}
	script := func(job string) string {
		var lines []string
		for _, step := range workflow.Jobs[job].Steps {
			if step.Run != "" {
				lines = append(lines, step.Run)
			}
		}
		return strings.Join(lines, "\n")
	}
	return pipelineScripts{script("plan"), script("apply")}
}

// gitlabScripts returns the scripts of the pipeline for GitLab CI.
func gitlabScripts(t *testing.T) pipelineScripts {
	t.Helper()
	type job struct{ Script []string }
	var pipeline struct{ Plan, Apply job }
	decodeYAML(t, guideFile(t, "ci/gitlab-ci.yml"), &pipeline)
	return pipelineScripts{strings.Join(pipeline.Plan.Script, "\n"), strings.Join(pipeline.Apply.Script, "\n")}
}

func decodeYAML(t *testing.T, text string, into any) {
	t.Helper()
	if err := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 1024).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// signsIn lets the configuration use an exec plugin of the guide, as a service account that may get and patch the
// ConfigMap flags. In place of the plugin, a script checks its arguments and prints a token.
func signsIn(p *fixture.Pipeline, provider, command string) {
	p.Helper()
	account := "ci-" + p.Live("flags").ResourceVersion
	token := strings.TrimSpace(runs(p, strings.ReplaceAll(`kubectl create serviceaccount ACCOUNT --namespace shop >/dev/null
kubectl create role ACCOUNT --namespace shop --verb=get,patch --resource=configmaps --resource-name=flags >/dev/null
kubectl create rolebinding ACCOUNT --namespace shop --role=ACCOUNT --serviceaccount=shop:ACCOUNT >/dev/null
kubectl create token ACCOUNT --namespace shop`, "ACCOUNT", account)))
	p.Cluster.User(p.T, "later-"+account, p.Namespace, rbacv1.PolicyRule{ // once its grant is known, the account's is, too
		APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"},
	})
	name, arguments, _ := strings.Cut(command, " ")
	script := fmt.Sprintf("#!/bin/sh\ntest \"$*\" = %q || exit 1\n"+
		`echo '{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "%s"}}'`+"\n", arguments, token)
	bin := p.TempDir()
	if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
		p.Fatal(err)
	}
	path := ""
	for _, entry := range p.CLI.Env {
		if value, found := strings.CutPrefix(entry, "PATH="); found {
			path = value
		}
	}
	p.CLI.Env = append(p.CLI.Env, "PATH="+bin+string(os.PathListSeparator)+path, "TF_VAR_host="+p.Cluster.Config.Host,
		"TF_VAR_cluster_ca_certificate="+base64.StdEncoding.EncodeToString(p.Cluster.Config.CAData))
	p.CLI.Write("main.tf", guideFile(p.T, "ci/main.tf"))
	p.CLI.Write("provider.tf", guideFile(p.T, provider))
}

const eksCommand = "aws eks get-token --cluster-name production --output json"

// Each pipeline of the guide plans and applies, begins again after a conflict, and stops if a person has to decide.
func TestGuideCI(t *testing.T) {
	t.Parallel()
	for name, scripts := range map[string]func(*testing.T) pipelineScripts{"GitHub Actions": githubScripts, "GitLab CI": gitlabScripts} {
		t.Run(name, func(t *testing.T) {
			job := scripts(t)
			p := guidePipeline(t, "shop", "flags", fixture.Data{"new_checkout": "off", "other": "1"})
			signsIn(p, "ci/eks.tf", eksCommand)
			p.CLI.Write("apply.sh", guideFile(t, "ci/apply.sh"))
			outputs := filepath.Join(t.TempDir(), "outputs")
			runsJob := func(script string, want int) testcli.Result {
				t.Helper()
				if err := os.WriteFile(outputs, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				// The provider is not in a registry, so the command line takes it from a folder, and init is not run.
				r := p.CLI.Shell("export GITHUB_OUTPUT='" + outputs + "'\n" + strings.ReplaceAll(script, "terraform init", ": terraform init"))
				if r.ExitCode != want {
					t.Fatalf("exit code %d, want %d:\n%s", r.ExitCode, want, r.Stdout)
				}
				return r
			}
			wantsOutput := func(want string) {
				t.Helper()
				if got := readFile(t, outputs); strings.Contains(job.plan, "GITHUB_OUTPUT") && got != want {
					t.Errorf("the output is %q, want %q", got, want)
				}
			}
			changes := func(value, expected string) {
				text := strings.Replace(guideFile(t, "ci/main.tf"), `= "on"`, `= "`+value+`"`, 1)
				p.CLI.Write("main.tf", strings.Replace(text, `= "off"`, `= "`+expected+`"`, 1))
			}

			runsJob(job.plan, 0)
			wantsOutput("changes=true\n")
			runsJob(job.apply, 0)
			p.WantLive("flags", fixture.Data{"new_checkout": "on", "other": "1"})
			runsJob(job.plan, 0)
			wantsOutput("changes=false\n")

			// Another writer is faster than the approval.
			changes("half", "on")
			runsJob(job.plan, 0)
			p.Set("flags", "other", "2")
			p.Wants(runsJob(job.apply, 75).Stdout, conflicted, "but the ConfigMap changed.")
			runsJob(job.plan, 0)
			runsJob(job.apply, 0)
			p.WantLive("flags", fixture.Data{"new_checkout": "half", "other": "2"})

			// A value that is not the expected one needs a person.
			changes("on", "half")
			runsJob(job.plan, 0)
			p.Set("flags", "new_checkout", "off")
			runsJob(job.apply, 75)
			p.Wants(runsJob(job.plan, 1).Stdout, "Error: ")
			p.WantLive("flags", fixture.Data{"new_checkout": "off", "other": "2"})
			p.Set("flags", "new_checkout", "half")
			runsJob(job.plan, 0)
			p.Remove("flags")
			p.Wants(runsJob(job.apply, 1).Stdout, "Error: ")
		})
	}
}

// The provider block for each cloud gets a token by the command that it names.
func TestGuideCICredentials(t *testing.T) {
	t.Parallel()
	for provider, command := range map[string]string{
		"ci/eks.tf": eksCommand,
		"ci/gke.tf": "gke-gcloud-auth-plugin",
		"ci/aks.tf": "kubelogin get-token --login azurecli --server-id 6dae42f8-4368-4678-94ff-3960e28e3630",
	} {
		t.Run(provider, func(t *testing.T) {
			p := guidePipeline(t, "shop", "flags", fixture.Data{"new_checkout": "off"})
			signsIn(p, provider, command)
			p.PlanApply()
			p.WantLive("flags", fixture.Data{"new_checkout": "on"})
			if owners := p.OwnersOf("flags", "new_checkout"); len(owners) != 1 || owners[0] != "shop" {
				t.Errorf("the owners are %v", owners)
			}
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
