package testcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Quickstart puts examples/quickstart into the workspace, with a namespace of its own in the cluster, which the provider reaches by
// config, and the ConfigMap in it whose foo the quickstart swaps. It returns the ConfigMaps of that namespace.
func (w *Workspace) Quickstart(t testing.TB, c *testcluster.Cluster, config *rest.Config) *testcluster.ConfigMaps {
	t.Helper()
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(w.Dir, os.DirFS(filepath.Join(root, "examples", "quickstart"))); err != nil {
		t.Fatal(err)
	}
	namespace := c.Namespace(t)
	w.Env = append(w.Env, "TF_VAR_namespace="+namespace, "TF_VAR_config_path="+c.Kubeconfig(t, config))
	maps := c.Client().CoreV1().ConfigMaps(namespace)
	before := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Data: map[string]string{"foo": "1"}}
	if _, err := maps.Create(t.Context(), before, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return maps
}

// SwapOnce plans and applies the quickstart, after which there must be nothing to do.
func (w *Workspace) SwapOnce(t testing.TB, maps *testcluster.ConfigMaps) {
	t.Helper()
	if r := w.Plan("swap.tfplan"); r.ExitCode != 2 {
		t.Fatalf("plan: %d\n%s", r.ExitCode, r.All())
	}
	if r := w.Apply("swap.tfplan"); r.ExitCode != 0 || !strings.Contains(r.Stdout, `previous_value = "1"`) {
		t.Fatalf("apply: %d\n%s", r.ExitCode, r.All())
	}
	if cm, err := maps.Get(t.Context(), "testmap", metav1.GetOptions{}); err != nil || cm.Data["foo"] != "2" {
		t.Errorf("live: %v %v", cm, err)
	}
	if r := w.Plan("again.tfplan"); r.ExitCode != 0 {
		t.Errorf("second plan: %d\n%s", r.ExitCode, r.All())
	}
}
