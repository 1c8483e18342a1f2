package testcli

import (
	"errors"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Home gives the workspace what those have who type what a page shows: a home folder with a kubeconfig for the cluster in
// ~/.kube/config, kubectl, and the command line under the name terraform, be it OpenTofu. The test is skipped, or fails where CI=true,
// when there is no kubectl to run.
func (w *Workspace) Home(cluster *rest.Config) {
	w.tb.Helper()
	kubectl, err := toolchain.Path(w.ctx, "kubectl")
	if err == nil && !toolchain.Executable(kubectl) {
		err = errors.New("no kubectl to run: run `make kubectl`")
	}
	if err != nil {
		toolchain.Unavailable(w.tb, err)
	}
	home, bin := w.tb.TempDir(), w.tb.TempDir()
	w.check(errors.Join(
		os.Symlink(w.CLI, filepath.Join(bin, "terraform")),
		os.Symlink(kubectl, filepath.Join(bin, "kubectl")),
		os.Mkdir(filepath.Join(home, ".kube"), 0o700),
		testcluster.WriteKubeconfig(filepath.Join(home, ".kube", "config"), cluster),
	))
	w.Env = append(w.Env, "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TF_CLI_ARGS=-no-color")
}

// Install puts the built provider where make install does, in the workspace's home.
func (w *Workspace) Install() {
	w.tb.Helper()
	provider, err := Provider(w.ctx)
	w.check(err)
	root, err := toolchain.Root()
	w.check(err)
	script, err := os.ReadFile(filepath.Join(root, "tools", "install.sh"))
	w.check(err)
	if r := w.Shell("set -- '" + provider + "'\n" + string(script)); r.ExitCode != 0 {
		w.tb.Fatal(r.Stdout)
	}
}

// Shell runs a script of bash in the workspace, up to the first command that fails. All that it prints is in Stdout.
func (w *Workspace) Shell(script string) Result {
	w.tb.Helper()
	return w.StartShell(script).Wait()
}

// StartShell starts a script as Shell does.
func (w *Workspace) StartShell(script string) *Running {
	w.tb.Helper()
	return w.start("bash", "-euc", "exec 2>&1\n"+script)
}
