package testcli_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

func TestMain(m *testing.M) { testcluster.Main(m, testcli.Cleanup) }

func TestQuickstartSwapsWithTheBuiltProvider(t *testing.T) {
	t.Parallel()
	c := testcluster.Shared(t)
	w := testcli.New(t)
	maps := w.Quickstart(t, c, c.Config)
	w.SwapOnce(t, maps)
	if r := w.Destroy(); r.ExitCode != 0 {
		t.Errorf("destroy: %d\n%s", r.ExitCode, r.All())
	}
	if cm, err := maps.Get(t.Context(), "testmap", metav1.GetOptions{}); err != nil || cm.Data["foo"] != "2" {
		t.Errorf("live after destroy: %v %v; want foo to stay as it is, since it was there before", cm, err)
	}
}

func TestWorkspaceKnowsNothingOfTheShell(t *testing.T) {
	for _, name := range []string{"KUBECONFIG", "KUBE_HOST", "TF_VAR_outside", "TF_ACC", "TF_LOG", "CAS_PLAN_CHECK"} {
		t.Setenv(name, "from the shell")
	}
	w := testcli.New(t)
	for _, entry := range w.Env {
		if strings.Contains(entry, "from the shell") {
			t.Error(entry)
		}
	}
	w.Write("main.tf", `variable "outside" { default = "from the configuration" }`+"\n"+`output "o" { value = var.outside }`)
	if r := w.Run("apply", "-auto-approve"); r.ExitCode != 0 || !strings.Contains(r.Stdout, "from the configuration") {
		t.Errorf("apply: %d\n%s", r.ExitCode, r.All())
	}
}

func TestRunReportsFailureAndStreams(t *testing.T) {
	t.Parallel()
	w := testcli.New(t)
	var seen strings.Builder
	w.Output = &seen
	w.Write("main.tf", "nonsense")
	r := w.Run("plan")
	if r.ExitCode != 1 || !strings.Contains(r.Stderr, "Error:") {
		t.Errorf("plan: %d\n%s", r.ExitCode, r.All())
	}
	if !strings.Contains(seen.String(), r.Stderr) {
		t.Errorf("streamed %q", seen.String())
	}
}

func TestMirrorIsInstalledByInit(t *testing.T) {
	t.Parallel()
	cli, err := testcli.Find()
	if errors.Is(err, testcli.ErrNoCLI) {
		toolchain.Unavailable(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := testcli.NewMirrored(t, cli)
	c := testcluster.Shared(t)
	maps := w.Quickstart(t, c, c.Config)
	if r := w.Run("init"); r.ExitCode != 0 {
		t.Fatalf("init: %d\n%s", r.ExitCode, r.All())
	}
	w.SwapOnce(t, maps)
}

func TestFindNamesThePathThatCannotBeRun(t *testing.T) {
	t.Setenv("TF_ACC_TERRAFORM_PATH", filepath.Join(t.TempDir(), "nothing"))
	if _, err := testcli.Find(); !errors.Is(err, testcli.ErrNoCLI) || !strings.Contains(err.Error(), "TF_ACC_TERRAFORM_PATH") {
		t.Errorf("got %v", err)
	}
}
