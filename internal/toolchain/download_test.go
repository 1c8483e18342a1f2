package toolchain_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

var archived = []string{"etcd", "kube-apiserver", "kubectl"}

// One download has all three. The source build, if asked for, neither downloads nor uses what was downloaded.
func TestDownloadedControlPlane(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v1.36.3", pinnedKubernetes(t)} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			archive := archiveOf(t, archived...)
			m := newMirror(t, version, checksum(archive), serve(archive))
			c := newCache(t, m, "K8S_VERSION="+version)
			folder := filepath.Join(c.dir, "terraform-provider-cas", "envtest-"+version)
			for _, name := range archived {
				path, said, err := c.build("", name)
				if err != nil || path != filepath.Join(folder, name) {
					t.Fatalf("%s: %q, %v\n%s", name, path, err, said)
				}
				if out, err := exec.CommandContext(t.Context(), path).Output(); err != nil || string(out) != name+"\n" {
					t.Errorf("%s printed %q, %v", path, out, err)
				}
				m.Close() // nothing is downloaded again
			}
			requests := m.requests.Load()
			path, said, err := c.build("source", "kube-apiserver")
			built := strings.HasPrefix(said, "kube-apiserver "+version+": not in the cache; building it once")
			if err == nil || !built {
				t.Errorf("CONTROLPLANE=source: %q, %v\n%s", path, err, said)
			}
			if again := m.requests.Load(); again != requests {
				t.Errorf("CONTROLPLANE=source sent %d requests", again-requests)
			}
		})
	}
}

// A control plane that was built is used, and completed by a kubectl that is built, without a download.
func TestNothingIsDownloadedBesideABuiltControlPlane(t *testing.T) {
	t.Parallel()
	m := newMirror(t, "v1.36.3", "", http.NotFound)
	c := newCache(t, m, "K8S_VERSION=v1.36.3")
	built := filepath.Join(c.dir, "terraform-provider-cas", "kube-apiserver-v1.36.3", "kube-apiserver")
	script(t, built)
	if path, said, err := c.build("", "kube-apiserver"); err != nil || path != built {
		t.Errorf("%q, %v, want %s\n%s", path, err, built, said)
	}
	_, said, _ := c.build("", "kubectl")
	requests := m.requests.Load()
	if requests > 0 || !strings.HasPrefix(said, "kubectl v1.36.3: not in the cache; building it once") {
		t.Errorf("%d requests\n%s", requests, said)
	}
}

// If the index or the archive has a defect, one line reports it, the build from source begins, and nothing of the archive
// is left.
func TestWithoutTheArchiveTheBuildFromSourceBegins(t *testing.T) {
	t.Parallel()
	good, withoutKubectl := archiveOf(t, archived...), archiveOf(t, "etcd", "kube-apiserver")
	platform := runtime.GOOS + "," + runtime.GOARCH
	name := "envtest-v1.36.3-" + runtime.GOOS + "-" + runtime.GOARCH + ".tar.gz"
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := map[string]struct {
		indexed  string // the version in the index, instead of v1.36.3
		checksum string
		index    http.HandlerFunc // instead of a good one
		archive  http.HandlerFunc
		patience string
		want     string
	}{
		"wrong checksum": {
			checksum: checksum(withoutKubectl), archive: serve(good),
			want: "unable to download requested version: checksum mismatch for " + name + ": " +
				checksum(good) + " (computed) != " + checksum(withoutKubectl) + " (reported)",
		},
		"no checksum": {
			archive: serve(good),
			want: "unable to download requested version: checksum mismatch for " + name + ": " +
				checksum(good) + " (computed) !=  (reported)",
		},
		"another version": {
			indexed: "v1.36.2", checksum: checksum(good), archive: serve(good),
			want: "unable to fetch hash for requested version: unable to find archive for 1.36.3 (" + platform + ")",
		},
		"no index": {
			index: http.NotFound,
			want:  `unable to fetch hash for requested version: unable to get index -- got status "404 Not Found"`,
		},
		"broken index server": {
			index: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
			want:  `unable to fetch hash for requested version: unable to get index -- got status "500 Internal Server Error"`,
		},
		"silent index server": {index: hang, patience: "1", want: "no byte arrived for 1 seconds"},
		"silent archive server": {
			checksum: checksum(good), archive: hang, patience: "3",
			want: "no byte arrived for 3 seconds",
		},
		"stalled archive": {
			checksum: checksum(good), patience: "3",
			archive: func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write(good[:len(good)/2])
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			},
			want: "no byte arrived for 3 seconds",
		},
		"truncated archive": {
			checksum: checksum(good),
			archive: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(good)))
				_, _ = w.Write(good[:len(good)/2])
			},
			want: "unable to download requested version: unable read next chunk of " + name + ": unexpected EOF",
		},
		"no kubectl": {
			checksum: checksum(withoutKubectl), archive: serve(withoutKubectl),
			want: "it has no kubectl",
		},
	}
	for test, tt := range tests {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			if tt.indexed == "" {
				tt.indexed = "v1.36.3"
			}
			m := newMirror(t, tt.indexed, tt.checksum, tt.archive)
			if tt.index != nil {
				m.index.Store(&tt.index)
			}
			if tt.patience == "" {
				tt.patience = "600"
			}
			c := newCache(t, m, "K8S_VERSION=v1.36.3", "ENVTEST_TIMEOUT="+tt.patience)
			path, said, err := c.build("", "kube-apiserver")
			if err == nil {
				t.Errorf("there is a %s", path)
			}
			want := "The release archive of Kubernetes v1.36.3 is not used: " + tt.want +
				". Building from source instead takes 6 minutes on two quiet cores, and 12 on busy ones.\n" +
				"kube-apiserver v1.36.3: not in the cache; building it once"
			if strings.Contains(tt.want, "checksum") {
				want = "WARNING: " + want
			}
			_, got, _ := strings.Cut(said, "downloading the release archive\n")
			if !strings.HasPrefix(got, want) {
				t.Errorf("got\n%s\nwant\n%s", said, want)
			}
			left, err := filepath.Glob(filepath.Join(c.dir, "*", "[^s]*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left in the cache: %v, %v", left, err)
			}
		})
	}
}

func TestUnknownOriginOfTheControlPlaneIsRefused(t *testing.T) {
	t.Parallel()
	c := newCache(t, newMirror(t, "v1.36.3", "", http.NotFound))
	_, said, err := c.build("sources", "etcd")
	const want = "CONTROLPLANE=sources is unknown. CONTROLPLANE=source builds etcd and kube-apiserver from source.\n"
	if err == nil || said != want {
		t.Errorf("got %q, %v, want %q", said, err, want)
	}
}

// mirror serves on loopback what setup-envtest downloads.
type mirror struct {
	*httptest.Server

	index    atomic.Pointer[http.HandlerFunc]
	requests atomic.Int64
}

func newMirror(t *testing.T, version, checksum string, archive http.HandlerFunc) *mirror {
	t.Helper()
	m := &mirror{}
	m.index.Store(new(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "releases: {%s: {envtest-%[1]s-%s-%s.tar.gz: {hash: %q, selfLink: %q}}}\n",
			version, runtime.GOOS, runtime.GOARCH, checksum, "http://"+r.Host+"/archive")
	})))
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		if r.URL.Path == "/archive" {
			archive(w, r)
		} else {
			(*m.index.Load())(w, r)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// cache is a cache folder that has setup-envtest. A build from source begins and fails at once: there is no module to build.
type cache struct {
	t   *testing.T
	dir string
	env []string
}

func newCache(t *testing.T, m *mirror, env ...string) *cache {
	t.Helper()
	build := exec.CommandContext(t.Context(), "bash", filepath.Join(repository(t), "tools", "build.sh"), "setup-envtest")
	var said bytes.Buffer
	build.Stderr = &said
	out, err := build.Output()
	if err != nil {
		toolchain.Unavailable(t, fmt.Errorf("setup-envtest: %w\n%s", err, &said))
	}
	c := &cache{t: t, dir: t.TempDir()}
	built := filepath.Dir(strings.TrimSpace(string(out)))
	tools := filepath.Join(c.dir, "terraform-provider-cas")
	if err := os.Mkdir(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(built, filepath.Join(tools, filepath.Base(built))); err != nil {
		t.Fatal(err)
	}
	c.env = append(os.Environ(), "XDG_CACHE_HOME="+c.dir, "ENVTEST_INDEX="+m.URL+"/index", "ENVTEST_TIMEOUT=600",
		"GOPROXY=file://"+t.TempDir(), "GONOSUMDB=*", "GOMODCACHE="+t.TempDir(), "GOFLAGS=", "GOTOOLCHAIN=local")
	c.env = append(c.env, env...)
	return c
}

func (c *cache) build(origin, name string) (path, said string, err error) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "bash", filepath.Join(repository(c.t), "tools", "build.sh"), name)
	cmd.Env = append(slices.Clip(c.env), "CONTROLPLANE="+origin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), stderr.String(), err
}

func pinnedKubernetes(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(read(t, "tools/controlplane/go.mod"), "\n\tk8s.io/kubernetes ")
	return strings.Fields(rest)[0]
}

func serve(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) }
}

// archiveOf is an archive as the index has them, with a script for each name that prints it.
func archiveOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for _, name := range names {
		content := "#!/bin/sh\necho " + name + "\n"
		header := &tar.Header{Name: "controller-tools/envtest/" + name, Mode: 0o755, Size: int64(len(content))}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(archive, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func script(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func checksum(content []byte) string { return fmt.Sprintf("%x", sha512.Sum512(content)) }
