package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// The commands that the playground prints swap foo in its cluster, and Ctrl-C removes everything.
func TestPlayground(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "playground")
	d := launch(t, "-playground", folder)
	d.until(t, "Ctrl-C stops")
	if processes(t, d.tmp) == "" {
		t.Error("no process of the control plane is seen while it runs")
	}
	w := withProviderInstalled(t)
	commands := regexp.MustCompile(`(?m)^     (\w.*)$`).FindAllStringSubmatch(d.all.String(), -1)
	if len(commands) != 5 {
		t.Fatalf("it prints %d commands:\n%s", len(commands), d.all.String())
	}
	var script strings.Builder
	for _, command := range commands {
		script.WriteString(command[1] + "\n")
	}
	if r := w.Shell(script.String()); r.ExitCode != 0 || !strings.Contains(r.Stdout, `foo: "2"`) {
		t.Errorf("exit code %d of\n%s\n%s", r.ExitCode, script.String(), r.Stdout)
	}
	if live := liveFoo(t, d.all.String()); live != "2" {
		t.Errorf("live foo is %q", live)
	}
	d.endsOn(t, os.Interrupt, 0, "Stopping etcd")
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestInterruptedWhileThePlaygroundStarts(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "playground")
	d := launch(t, "-playground", folder)
	d.until(t, `^== Starting etcd`)
	d.endsOn(t, os.Interrupt, 130, "interrupted")
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestPlaygroundTakesNoFolderThatIsThere(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	exitCode, output := launch(t, "-playground", folder).end(t)
	if exitCode != 1 || !strings.Contains(output, folder+" exists") {
		t.Errorf("exit code %d:\n%s", exitCode, output)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("the folder is gone: %v", err)
	}
}

// withProviderInstalled returns a workspace where init finds the provider.
func withProviderInstalled(t *testing.T) *testcli.Workspace {
	t.Helper()
	cli, err := testcli.Find()
	if err != nil {
		toolchain.Unavailable(t, err)
	}
	w := testcli.NewHome(t, cli, testcluster.Shared(t).Config)
	w.Install()
	return w
}

// liveFoo reads foo without the provider, through the kubeconfig and the context that were printed.
func liveFoo(t *testing.T, printed string) string {
	t.Helper()
	names := regexp.MustCompile(`kubeconfig: (.+), context (\S+)`).FindStringSubmatch(printed)
	if names == nil {
		t.Fatalf("no kubeconfig is printed:\n%s", printed)
	}
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: names[1]}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: names[2]}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	client, err := testcluster.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	cm, err := client.CoreV1().ConfigMaps(metav1.NamespaceDefault).Get(t.Context(), "testmap", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return cm.Data["foo"]
}
