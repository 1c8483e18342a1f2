// Package toolchain finds what tests and the demo run: the repository, and the tools that tools/build.sh
// builds from pinned sources. It builds none of them: that takes minutes, and is what the make targets are for. Unix only,
// as envtest is.
package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Root is the root folder of the repository, found from the working directory: tests run in the folder
// of their package, and make runs in the root.
var Root = sync.OnceValues(func() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tools", "build.sh")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside the repository: no folder above it has a tools/build.sh", start)
		}
	}
})

// Path is where tools/build.sh puts the named tool. The file need not be there; see [Executable].
func Path(ctx context.Context, name string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "bash", filepath.Join(root, "tools", "build.sh"), "--path", name).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", fmt.Errorf("tools/build.sh --path %s: %w: %s", name, err, exit.Stderr)
		}
		return "", fmt.Errorf("tools/build.sh --path %s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Executable reports whether path is a file that can be run.
func Executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// Text returns the content of a file.
func Text(t testing.TB, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Unavailable ends a test that cannot run for want of a tool: it skips on a developer's machine, and fails
// where CI=true, where a skipped test would look like a passed one.
func Unavailable(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
}
