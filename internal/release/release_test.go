//go:build release

// Package release_test looks at what goreleaser has put into dist/, and uses it as somebody without network would. It has a build
// tag, so that nothing looks tested where nothing was released: make release-check builds dist/ and runs it.
package release_test

import (
	"archive/zip"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const (
	root     = "../.."
	manifest = root + "/terraform-registry-manifest.json"
)

var (
	dist = flag.String("dist", root+"/dist", "what goreleaser made")
	only = flag.String("only", "", "the one system in it, such as linux_amd64; all of them without it")
)

func TestMain(m *testing.M) { testcluster.Main(m) }

// metadata is goreleaser's description of the release.
type metadata struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

func read(t *testing.T) metadata {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(*dist, "metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m metadata
	if err := json.Unmarshal(content, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m metadata) archive(system string) string {
	return filepath.Join(*dist, "terraform-provider-cas_"+m.Version+"_"+system+".zip")
}

// open opens the archive of a system, until the test ends.
func (m metadata) open(t *testing.T, system string) *zip.ReadCloser {
	t.Helper()
	r, err := zip.OpenReader(m.archive(system))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// binary is the name of the provider in the archive of a system.
func (m metadata) binary(system string) string {
	name := "terraform-provider-cas_v" + m.Version
	if strings.HasPrefix(system, "windows_") {
		name += ".exe"
	}
	return name
}

func (m metadata) sbom(system string) string {
	return filepath.Join(*dist, "terraform-provider-cas_"+m.Version+"_"+system+".cdx.json")
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The user agent of each request has the version that the linker set.
func TestTheArchiveIsInstalledFromAMirrorAndApplies(t *testing.T) {
	t.Parallel()
	m := read(t)
	system := runtime.GOOS + "_" + runtime.GOARCH
	for _, cli := range testcli.FindAll(t) {
		for _, layout := range []testcli.Layout{testcli.Packed, testcli.Unpacked} {
			t.Run(fmt.Sprintf("%s, %s", filepath.Base(cli), layout), func(t *testing.T) {
				t.Parallel()
				installation, err := testcli.MirrorArchive(t.TempDir(), m.archive(system), m.Version, system, layout)
				if err != nil {
					t.Fatal(err)
				}
				applies(t, cli, installation, m.Version)
			})
		}
	}
}

// applies swaps foo from 1 to 2 with the provider in the mirror, and wants every request to say which version it is from.
func applies(t *testing.T, cli, installation, version string) {
	t.Helper()
	c := testcluster.Shared(t)
	var agents struct {
		sync.Mutex
		seen []string
	}
	proxy := c.Proxy(t)
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		agents.Lock()
		defer agents.Unlock()
		agents.seen = append(agents.seen, r.UserAgent())
		return testcluster.Fault{}
	})

	w, err := testcli.Open(t.Context(), t.TempDir(), cli, installation)
	if err != nil {
		t.Fatal(err)
	}
	maps := w.Quickstart(t, c, proxy.Config)
	// A snapshot is a prerelease, which is installed only where it is named.
	w.Write("version_override.tf", fmt.Sprintf(
		"terraform {\n  required_providers {\n    cas = {\n      source = %q\n      version = %q\n    }\n  }\n}\n", "terraform-cas/cas", version))
	if r := w.Run("init"); r.ExitCode != 0 || !strings.Contains(r.Stdout, "Installed terraform-cas/cas v"+version) {
		t.Fatalf("init: %d\n%s", r.ExitCode, r.All())
	}
	w.SwapOnce(t, maps)

	agents.Lock()
	defer agents.Unlock()
	slices.Sort(agents.seen)
	if got, want := slices.Compact(agents.seen), []string{"terraform-provider-cas/" + version}; !slices.Equal(got, want) {
		t.Errorf("the API server was told %q, want %q", got, want)
	}
}
