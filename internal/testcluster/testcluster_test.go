package testcluster_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// configMap makes one that holds foo=1 in a namespace of the test's own, and returns a client of it as cfg's user.
func configMap(t *testing.T, c *testcluster.Cluster) string {
	t.Helper()
	namespace := c.Namespace(t)
	_, err := c.Client().CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Data: map[string]string{"foo": "1"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return namespace
}

func client(t *testing.T, cfg *rest.Config) testcluster.Client {
	t.Helper()
	c, err := testcluster.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestKubeconfigReachesTheCluster(t *testing.T) {
	c := testcluster.Shared(t)
	namespace := configMap(t, c)
	cfg, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig(t, c.Config))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client(t, cfg).CoreV1().ConfigMaps(namespace).Get(t.Context(), "testmap", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestServesLoopbackOnly(t *testing.T) {
	c := testcluster.Shared(t)
	u, err := url.Parse(c.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		t.Errorf("the API server is at %s", c.Config.Host)
	}
}

var getConfigMaps = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}}

func TestUserMayDoWhatTheRulesSayAndNothingElse(t *testing.T) {
	c := testcluster.Shared(t)
	namespace := configMap(t, c)
	cfg := c.User(t, "reader", namespace, getConfigMaps)
	user := client(t, cfg).CoreV1()
	if _, err := user.ConfigMaps(namespace).Get(t.Context(), "testmap", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	_, err := user.ConfigMaps(namespace).Patch(t.Context(), "testmap", types.MergePatchType,
		[]byte(`{"data":{"foo":"2"}}`), metav1.PatchOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("patch: %v, want forbidden", err)
	}
	if _, err := user.ConfigMaps("default").Get(t.Context(), "testmap", metav1.GetOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("get in another namespace: %v, want forbidden", err)
	}
}

func TestUsersCanBeMadeConcurrently(t *testing.T) {
	c := testcluster.Shared(t)
	namespace := c.Namespace(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { c.User(t, fmt.Sprintf("user-%d", i), namespace) })
	}
	wg.Wait()
}

// Tests skip on ErrNoBinaries. A skipped test would look like a passed one on the binaries that the user named.
func TestBinariesFailWhereTheFolderThatIsNamedLacksTheBinaries(t *testing.T) {
	t.Setenv("K8S_VERSION", "")
	t.Setenv("CONTROLPLANE", "")
	t.Setenv("KUBEBUILDER_ASSETS", t.TempDir())
	_, _, err := testcluster.Binaries(t.Context())
	if err == nil || errors.Is(err, testcluster.ErrNoBinaries) {
		t.Fatalf("got %v, want another error than ErrNoBinaries", err)
	}
	if !strings.Contains(err.Error(), "KUBEBUILDER_ASSETS") {
		t.Errorf("the error does not say where it looked: %v", err)
	}
}

// K8S_VERSION and CONTROLPLANE override KUBEBUILDER_ASSETS, which may have been exported long ago.
func TestBinariesNameTheCommandThatGetsThem(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, tt := range []struct{ version, origin, want string }{
		{"v1.0.0", "", "`make controlplane K8S_VERSION=v1.0.0`"},
		{"", "source", "`make controlplane CONTROLPLANE=source`"},
	} {
		t.Setenv("K8S_VERSION", tt.version)
		t.Setenv("CONTROLPLANE", tt.origin)
		_, _, err := testcluster.Binaries(t.Context())
		if !errors.Is(err, testcluster.ErrNoBinaries) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want ErrNoBinaries with %s", err, tt.want)
		}
	}
}

// Says which version all the other tests ran on, and holds it to what was asked for.
func TestServerIsOfTheVersionAskedFor(t *testing.T) {
	c := testcluster.Shared(t)
	version, err := c.Client().Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kube-apiserver %s", version)
	if want := os.Getenv("K8S_VERSION"); want != "" && version != want {
		t.Errorf("K8S_VERSION is %s, the server is %s", want, version)
	}
}

func TestLeaks(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"KUBECONFIG": true, "KUBE_HOST": true, "KUBERNETES_SERVICE_HOST": true, "TF_CLI_CONFIG_FILE": true,
		"TF_VAR_value": true, "CAS_PLAN_CHECK": true, "USE_EXISTING_CLUSTER": true, "TEST_ASSET_ETCD": true,
		"TF_ACC": false, "TF_ACC_TERRAFORM_PATH": false, "TF_LOG": false, "HOME": false, "KUBEBUILDER_ASSETS": false,
	} {
		if got := testcluster.Leaks(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestUnavailableSkipsOnlyOutsideCI(t *testing.T) {
	for ci, want := range map[string]string{"": "skip", "true": "fatal"} {
		t.Setenv("CI", ci)
		got := &outcome{TB: t}
		toolchain.Unavailable(got, testcluster.ErrNoBinaries)
		if got.how != want {
			t.Errorf("CI=%q: %s, want %s", ci, got.how, want)
		}
	}
}

// outcome records the first of the two ways to end a test, and ends nothing.
type outcome struct {
	testing.TB
	how string
}

func (o *outcome) Helper() {}

func (o *outcome) Skip(...any) { o.end("skip") }

func (o *outcome) Fatal(...any) { o.end("fatal") }

func (o *outcome) end(how string) {
	if o.how == "" {
		o.how = how
	}
}
