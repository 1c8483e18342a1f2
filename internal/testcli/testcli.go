// Package testcli drives a real terraform or tofu with the provider as it is built, in folders of their own. It serves the demo, and
// tests that the test framework cannot make, such as a saved plan that another process applies.
package testcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// ErrNoCLI is returned by Find, wrapped, if there is neither terraform nor tofu.
var ErrNoCLI = errors.New("neither terraform nor OpenTofu to run")

// Find is the path of the command line to test with: TF_ACC_TERRAFORM_PATH where that is set, else terraform on the
// PATH, else the OpenTofu that tools/build.sh builds.
func Find() (string, error) {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		if !toolchain.Executable(path) {
			return "", fmt.Errorf("%w: TF_ACC_TERRAFORM_PATH names %s, which cannot be run", ErrNoCLI, path)
		}
		return path, nil
	}
	if path, err := exec.LookPath("terraform"); err == nil {
		return filepath.Abs(path)
	}
	path, err := toolchain.Path(context.Background(), "tofu")
	if err != nil {
		return "", err
	}
	if !toolchain.Executable(path) {
		return "", fmt.Errorf("%w: put terraform on the PATH, or run `make tofu`", ErrNoCLI)
	}
	return path, nil
}

// mustFind is the command line to test with. Without one, it skips the test.
func mustFind(t testing.TB) string {
	t.Helper()
	cli, err := Find()
	if errors.Is(err, ErrNoCLI) {
		toolchain.Unavailable(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cli
}

// FindAll are the command line to test with, and OpenTofu if that is another one. Without either, it skips the test.
func FindAll(t testing.TB) []string {
	t.Helper()
	cli := mustFind(t)
	tofu, err := toolchain.Path(t.Context(), "tofu")
	if err != nil {
		t.Fatal(err)
	}
	if !toolchain.Executable(tofu) {
		toolchain.Unavailable(t, errors.New("no OpenTofu to run: run `make tofu`"))
	}
	return slices.Compact([]string{cli, tofu})
}

var built struct {
	mu   sync.Mutex
	path string
}

// Provider is the path of the provider's binary, built from the sources once in each process. Its folder holds
// nothing else. Cleanup removes it.
func Provider(ctx context.Context) (string, error) {
	built.mu.Lock()
	defer built.mu.Unlock()
	if built.path != "" {
		return built.path, nil
	}
	root, err := toolchain.Root()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "terraform-provider-cas-built-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "terraform-provider-cas")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s", "-o", path, ".") // what debuggers need takes half of the time to link
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("building the provider: %w\n%s", err, bytes.TrimSpace(out)), os.RemoveAll(dir))
	}
	built.path = path
	return path, nil
}

// Cleanup removes what Provider built. It is for the end of the process.
func Cleanup() error {
	built.mu.Lock()
	defer built.mu.Unlock()
	if built.path == "" {
		return nil
	}
	dir := filepath.Dir(built.path)
	built.path = ""
	return os.RemoveAll(dir)
}
