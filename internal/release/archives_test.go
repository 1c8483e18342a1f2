//go:build release

package release_test

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// systems are the systems of a release. HashiCorp recommends darwin_amd64, linux_amd64, linux_arm64, linux_arm and windows_amd64.
func systems() []string {
	if *only != "" {
		return []string{*only}
	}
	return []string{
		"darwin_amd64", "darwin_arm64",
		"freebsd_386", "freebsd_amd64", "freebsd_arm", "freebsd_arm64",
		"linux_386", "linux_amd64", "linux_arm", "linux_arm64",
		"windows_386", "windows_amd64", "windows_arm64",
	}
}

func TestTheArchivesAreThoseOfTheSystems(t *testing.T) {
	t.Parallel()
	m := read(t)
	want := map[string]bool{}
	for _, system := range systems() {
		want[filepath.Base(m.archive(system))] = true
	}
	found, err := filepath.Glob(filepath.Join(*dist, "*.zip"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, path := range found {
		got[filepath.Base(path)] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnArchiveHoldsTheBinaryAndItsLicences(t *testing.T) {
	t.Parallel()
	m := read(t)
	for _, system := range systems() {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			r := m.open(t, system)
			name := m.binary(system)
			want := map[string]fs.FileMode{"LICENSE": 0o644, "THIRD_PARTY.md": 0o644, name: 0o755}
			got := map[string]fs.FileMode{}
			for _, header := range r.File {
				got[header.Name] = header.Mode()
				if !header.Modified.Equal(m.committed(t)) {
					t.Errorf("%s is of %v, not of the commit's %v", header.Name, header.Modified, m.committed(t))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
			wantBuilt(t, buildOf(t, r, name), system, m)
		})
	}
}

// buildOf returns the build information of the binary in an archive.
func buildOf(t *testing.T, archive fs.FS, name string) *buildinfo.BuildInfo {
	t.Helper()
	content, err := fs.ReadFile(archive, name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// wantBuilt wants a build for the system, without C, without paths, from a clean commit.
func wantBuilt(t *testing.T, info *buildinfo.BuildInfo, system string, m metadata) {
	t.Helper()
	got := map[string]string{}
	for _, setting := range info.Settings {
		got[setting.Key] = setting.Value
	}
	goos, goarch, _ := strings.Cut(system, "_")
	want := map[string]string{
		"GOOS": goos, "GOARCH": goarch, "CGO_ENABLED": "0", "-trimpath": "true", "vcs.revision": m.Commit, "vcs.modified": "false",
	}
	if goarch == "arm" {
		want["GOARM"] = "6" // the registries know no other
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s is %q, want %q", key, got[key], value)
		}
	}
}

func TestTheChecksumsAreThoseOfTheArchivesAndTheManifest(t *testing.T) {
	t.Parallel()
	m := read(t)
	prefix := "terraform-provider-cas_" + m.Version
	want := map[string]string{prefix + "_manifest.json": sum(t, manifest)}
	for _, system := range systems() {
		want[filepath.Base(m.archive(system))] = sum(t, m.archive(system))
		want[filepath.Base(m.sbom(system))] = sum(t, m.sbom(system))
	}
	content, err := os.ReadFile(filepath.Join(*dist, prefix+"_SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(content)) {
		digest, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok {
			t.Errorf("the registries cannot read %q", line)
		}
		got[name] = digest
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheManifestSaysProtocol6(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"version": 1.0, "metadata": map[string]any{"protocol_versions": []any{"6.0"}}}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Error(diff)
	}
}

func sum(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// committed is when the commit was made.
func (m metadata) committed(t *testing.T) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(git(t, "show", "-s", "--format=%cI", m.Commit)))
	if err != nil {
		t.Fatal(err)
	}
	return at
}
