package guides

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// make install keeps its promises, on both command lines: init finds the provider, with a backend and a module, and the
// printed command upgrades to a rebuilt provider. It is not parallel: make install builds in bin/.
func TestInstall(t *testing.T) { //nolint:paralleltest // as said
	for _, cli := range testcli.FindAll(t) {
		t.Run(filepath.Base(cli), func(t *testing.T) {
			c := testcluster.Shared(t)
			r := &reader{T: t, cli: testcli.NewHome(t, cli, c.Config)}
			maps := r.cli.Quickstart(t, c, c.Config)
			r.cli.Dir = filepath.Join(r.cli.Dir, "root")
			if err := os.Mkdir(r.cli.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			r.cli.Write("main.tf", `
terraform {
  backend "local" {
    path = "states/swap.tfstate"
  }
}
variable "config_path" {}
variable "namespace" {}
module "swap" {
  source      = "../"
  config_path = var.config_path
  namespace   = var.namespace
}
output "previous_value" { value = module.swap.previous_value }
`)
			first := r.installs("make install VERSION=0.1.1")
			r.succeeds(first.initCommand)
			r.cli.SwapOnce(t, maps)

			if again := r.installs("make install VERSION=0.1.1"); again.folders != first.folders {
				t.Errorf("the same build is in %s, and then in %s", first.folders, again.folders)
			}
			r.succeeds("terraform plan -detailed-exitcode")

			rebuilt := r.installs("make install VERSION=0.1.2")
			r.run("terraform plan")
			if !r.failed {
				t.Fatalf("the lock file accepts a rebuilt provider, so there is no need for %s:\n%s", rebuilt.upgradeCommand, r.output)
			}
			r.failed = false
			r.succeeds(rebuilt.upgradeCommand)
			r.succeeds("terraform plan -detailed-exitcode")
		})
	}
}

// A provider_installation block of the user's, as dev_overrides needs one, turns off the folder that make install uses.
func TestInstallNamesWhatTurnsItOff(t *testing.T) { //nolint:paralleltest // make install builds in bin/
	for _, cli := range testcli.FindAll(t) {
		t.Run(filepath.Base(cli), func(t *testing.T) {
			r := &reader{T: t, cli: testcli.NewHome(t, cli, testcluster.Shared(t).Config)}
			r.cli.Write("main.tf", "terraform {\n  required_providers {\n    cas = {\n      source = \"terraform-cas/cas\"\n    }\n  }\n}\n")
			r.succeeds(`printf 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' "$PWD" > ~/.terraformrc`)
			commands := r.installs("make install")
			if !strings.Contains(r.output, "/.terraformrc has a provider_installation block") {
				t.Errorf("printed:\n%s", r.output)
			}
			r.run(commands.initCommand)
			if !r.failed {
				t.Fatalf("init found the provider all the same:\n%s", r.output)
			}
			r.failed = false
			r.succeeds("rm ~/.terraformrc")
			r.succeeds(commands.initCommand)
		})
	}
}

// installation is the output of make install.
type installation struct{ folders, initCommand, upgradeCommand string }

func (r *reader) installs(command string) installation {
	r.Helper()
	r.succeeds(command)
	folders := regexp.MustCompile(`(?m)^installed (.+)$`).FindAllString(r.output, -1)
	commands := regexp.MustCompile(`(?m): +(terraform init.*)$`).FindAllStringSubmatch(r.output, -1)
	if len(folders) != 2 || len(commands) != 2 {
		r.Fatalf("%s printed\n%s", command, r.output)
	}
	return installation{strings.Join(folders, "\n"), commands[0][1], commands[1][1]}
}

func (r *reader) succeeds(command string) {
	r.Helper()
	if r.run(command); r.failed {
		r.Fatalf("%s failed:\n%s", command, r.output)
	}
}

// makeEnv returns the variables that a make in another home needs: the caches of Go and of tools/build.sh, and the git
// configuration of this user, without which git may refuse to read the repository. No variable comes from a make that runs
// this test.
func makeEnv(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOENV", "GOPATH", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	var of map[string]string
	if err := json.Unmarshal(out, &of); err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"MAKEFLAGS=", "XDG_CACHE_HOME=" + cache, "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig")}
	for name, value := range of {
		env = append(env, name+"="+value)
	}
	return env
}
