package toolchain_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

func TestPathIsOfTheKubernetesVersionAskedFor(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CONTROLPLANE", "")
	folders := func(version string) []string {
		t.Setenv("K8S_VERSION", version)
		var folders []string
		for _, name := range []string{"kube-apiserver", "etcd", "kubectl", "tofu"} {
			path, err := toolchain.Path(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			folders = append(folders, filepath.Base(filepath.Dir(path)))
		}
		return folders
	}
	pinned := folders("")
	want := []string{"kube-apiserver-v1.36.3", "etcd-of-kubernetes-v1.36.3", "kubectl-v1.36.3", pinned[3]}
	if diff := cmp.Diff(want, folders("v1.36.3")); diff != "" {
		t.Error(diff)
	}
	same := strings.TrimPrefix(pinned[0], "kube-apiserver-")
	if diff := cmp.Diff(pinned, folders(same)); diff != "" {
		t.Errorf("with the version that is pinned:\n%s", diff)
	}
}

// Each is refused by one message that names the variable and the way on, before anything is compiled, and leaves nothing.
func TestBuildRefusesAKubernetesVersionThatIsNone(t *testing.T) {
	t.Parallel()
	proxy := proxyOf(t, map[string]string{
		"v1.13.0": "module k8s.io/kubernetes\n",
		"v1.99.0": "module k8s.io/kubernetes\n\ngo 1.99.0\n\nreplace (\n\tk8s.io/apiserver => ./staging/src/k8s.io/apiserver\n)\n",
	})
	const list = "`go list -m -versions k8s.io/kubernetes` lists what there is."
	const instead = " Or unset it, and have KUBEBUILDER_ASSETS name a folder with the etcd and the kube-apiserver to use."
	tests := map[string]struct {
		version string
		want    string
	}{
		"a minor version": {"v1.36", "K8S_VERSION=v1.36 is not a version of Kubernetes, as v1.36.3 is. " + list},
		"without the v":   {"1.36.3", "K8S_VERSION=1.36.3 is not a version of Kubernetes, as v1.36.3 is. " + list},
		"a name":          {"latest", "K8S_VERSION=latest is not a version of Kubernetes, as v1.36.3 is. " + list},
		"not there":       {"v1.36.999", "K8S_VERSION=v1.36.999 cannot be fetched. " + list},
		"too old":         {"v1.13.0", "K8S_VERSION=v1.13.0 is too old to be built. " + list + instead},
		"too new for Go": {"v1.99.0", "K8S_VERSION=v1.99.0 does not build with " + runtime.Version() +
			", for the reason above. " + list + instead},
	}
	for name, tt := range tests {
		for _, tool := range []string{"etcd", "kube-apiserver"} {
			t.Run(name+"/"+tool, func(t *testing.T) {
				t.Parallel()
				cache := t.TempDir()
				cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(repository(t), "tools", "build.sh"), tool)
				cmd.Env = append(os.Environ(), "K8S_VERSION="+tt.version, "CONTROLPLANE=source", "XDG_CACHE_HOME="+cache,
					"GOPROXY=file://"+proxy, "GONOSUMDB=*", "GOMODCACHE="+t.TempDir(), "GOFLAGS=", "GOTOOLCHAIN=local")
				out, err := cmd.CombinedOutput()
				if err == nil {
					t.Error("nothing was refused")
				}
				var said []string
				for line := range strings.Lines(string(out)) {
					if strings.HasPrefix(line, "K8S_VERSION") {
						said = append(said, strings.TrimSpace(line))
					}
				}
				if diff := cmp.Diff([]string{tt.want}, said); diff != "" {
					t.Errorf("%s\nin all:\n%s", diff, out)
				}
				left, err := filepath.Glob(filepath.Join(cache, "*", "*"))
				if err != nil || len(left) > 0 {
					t.Errorf("left in the cache: %v, %v", left, err)
				}
			})
		}
	}
}

func TestValeNeedsACCompiler(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(repository(t), "tools", "build.sh"), "vale")
	cmd.Env = append(os.Environ(), "CC=no-such-compiler -O2", "XDG_CACHE_HOME="+cache)
	out, err := cmd.CombinedOutput()
	const want = "needs a C compiler: 'no-such-compiler' is not on the PATH (CC names another one)"
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s", err, out)
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v, %v", left, err)
	}
}

// proxyOf is a folder that serves as GOPROXY, and knows these versions of Kubernetes, each by its go.mod.
func proxyOf(t *testing.T, gomods map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	versions := filepath.Join(dir, "k8s.io", "kubernetes", "@v")
	if err := os.MkdirAll(versions, 0o700); err != nil {
		t.Fatal(err)
	}
	for version, gomod := range gomods {
		for name, content := range map[string]string{version + ".info": `{"Version":"` + version + `"}`, version + ".mod": gomod} {
			if err := os.WriteFile(filepath.Join(versions, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}
