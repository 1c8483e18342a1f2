package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// rule is one that must hold, and how to take it out.
type rule struct {
	says string
	file string // from the root of the repository
	// code is what implements the rule, and stands in the file once; without is what stands there when it is taken out.
	code, without string
	// dir is the folder of the tests that must fail then: TestX, or TestX/a_subtest.
	dir   string
	tests []string
}

// survivedError: with the rule taken out, tests that must fail did not.
type survivedError struct{ tests []string }

func (e *survivedError) Error() string {
	return "without it these pass: " + strings.Join(e.tests, ", ")
}

// mutate is the file's source without the rule.
func (r rule) mutate(source []byte) ([]byte, error) {
	if n := bytes.Count(source, []byte(r.code)); n != 1 {
		return nil, fmt.Errorf("%s has the code of the rule %d times, not once:\n%s", r.file, n, r.code)
	}
	return bytes.Replace(source, []byte(r.code), []byte(r.without), 1), nil
}

// pattern is what go test -run takes for tests.
func pattern(tests []string) string {
	paths := make([]string, 0, len(tests))
	for _, test := range tests {
		parts := strings.Split(test, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		paths = append(paths, strings.Join(parts, "/"))
	}
	return strings.Join(paths, "|")
}

// passes runs the tests of all rules with the rules in place, in a folder's build of several where it has one.
func passes(ctx context.Context, root string, all []rule, builds map[string]build) error {
	tests := map[string][]string{}
	for _, r := range all {
		tests[r.dir] = append(tests[r.dir], r.tests...)
	}
	for dir, names := range tests {
		slices.Sort(names)
		names = slices.Compact(names)
		run := []string{"go", "test", "-count=1", "-v", "-timeout=10m", "-run=" + pattern(names), "."}
		b, shared := builds[dir]
		if shared {
			run = []string{b.binary, "-test.v", "-test.timeout=10m", "-test.run=" + pattern(names)}
		}
		out, err := command(ctx, filepath.Join(root, dir), b.overlay, run[0], run[1:]...)
		if err != nil {
			return fmt.Errorf("with every rule in place: %w\n%s", err, out)
		}
		for _, name := range names {
			if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) {
				return fmt.Errorf("%s has no %s that passed:\n%s", dir, name, out)
			}
		}
	}
	return nil
}

// fails runs the tests of a rule without it, and returns the last thing that they say.
func fails(ctx context.Context, root string, r rule, builds map[string]build) (string, error) {
	if b, ok := builds[r.dir]; ok && r.shares(root) {
		return failsIn(ctx, root, r, b)
	}
	path := filepath.Join(root, r.file)
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if source, err = r.mutate(source); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "rule-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	mutant, overlay := filepath.Join(dir, filepath.Base(path)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutant}})
	if err != nil {
		return "", err
	}
	//nolint:gosec // the paths are of the table
	if err := errors.Join(os.WriteFile(mutant, source, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "mutant.test")
	if out, err := command(ctx, filepath.Join(root, r.dir), overlay, "go", "test", "-c", "-o="+binary, "."); err != nil {
		return "", fmt.Errorf("does not compile without it: %w\n%s", err, out)
	}
	return failsIn(ctx, root, r, build{binary, overlay})
}

// failsIn is fails in a binary that can go without the rule.
func failsIn(ctx context.Context, root string, r rule, b build) (string, error) {
	out, err := command(ctx, filepath.Join(root, r.dir), b.overlay, "env", ruleOut+"="+r.says,
		b.binary, "-test.v", "-test.timeout=3m", "-test.run="+pattern(r.tests))
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	passed := slices.DeleteFunc(slices.Clone(r.tests), func(test string) bool {
		return bytes.Contains(out, []byte("--- FAIL: "+test+" "))
	})
	why := message.FindAllSubmatch(out, -1)
	switch {
	case len(passed) > 0 && (err == nil || len(passed) < len(r.tests)):
		return "", &survivedError{passed}
	case len(passed) > 0:
		return "", fmt.Errorf("the tests did not come to an end: %w\n%s", err, out)
	case len(why) == 0: // as where there was no control plane
		return "", fmt.Errorf("the tests did not come to what they test:\n%s", out)
	}
	return string(why[len(why)-1][1]), nil // those before may be of logs
}

// message is what a test said, cut to a line's length.
var message = regexp.MustCompile(`(?m)^\s+(\w+_test\.go:\d+: .{0,100})`)

// command runs a command in a folder. The overlay reaches also the builds that the tests start. A test that cannot run
// fails.
func command(ctx context.Context, dir, overlay, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CI=true", "TF_ACC=1")
	if overlay != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd.CombinedOutput()
}
