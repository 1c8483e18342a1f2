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
	"strconv"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
)

// survivedError: with the rule taken out, tests that must fail did not.
type survivedError struct{ tests []string }

func (e *survivedError) Error() string {
	return "without it these pass: " + strings.Join(e.tests, ", ")
}

// build is the test binaries that can go without each of the rules, and what they were built from.
type build struct {
	sources sources
	overlay string
	binary  map[string]string // by the folder of the tests
}

// newBuild builds one binary for each folder whose tests the rules name.
func newBuild(ctx context.Context, root, dir string, rules []table.Rule) (*build, error) {
	all, err := load(root)
	if err != nil {
		return nil, err
	}
	b := &build{all, filepath.Join(dir, "overlay.json"), map[string]string{}}
	mutants, err := all.together(rules)
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for path, source := range mutants {
		replace[path] = filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(replace[path], []byte(source), 0o600); err != nil {
			return nil, err
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err := errors.Join(err, os.WriteFile(b.overlay, raw, 0o600)); err != nil {
		return nil, err
	}
	for _, r := range rules {
		folders, err := all.folders(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Says, err)
		}
		for folder := range folders {
			if b.binary[folder] != "" {
				continue
			}
			b.binary[folder] = filepath.Join(dir, strconv.Itoa(len(b.binary))+".test")
			if out, err := b.command(ctx, folder, "", "go", "test", "-c", "-vet=off", "-ldflags=-s", "-o="+b.binary[folder], "."); err != nil {
				return nil, fmt.Errorf("it does not compile with the rules that can be out: %w\n%s", err, out)
			}
		}
	}
	return b, nil
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

// passes runs the tests of all rules with the rules in place.
func (b *build) passes(ctx context.Context, all []table.Rule) error {
	tests := map[string][]string{}
	for _, r := range all {
		folders, err := b.sources.folders(r)
		if err != nil {
			return err
		}
		for folder, names := range folders {
			tests[folder] = append(tests[folder], names...)
		}
	}
	for folder, names := range tests {
		slices.Sort(names)
		names = slices.Compact(names)
		out, err := b.test(ctx, folder, "", "10m", names)
		if err != nil {
			return fmt.Errorf("with every rule in place: %w\n%s", err, out)
		}
		for _, name := range names {
			if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) {
				return fmt.Errorf("%s has no %s that passed:\n%s", folder, name, out)
			}
		}
	}
	return nil
}

// fails runs the tests of a rule without it, and returns the last thing that they say.
func (b *build) fails(ctx context.Context, r table.Rule) (string, error) {
	folders, err := b.sources.folders(r)
	if err != nil {
		return "", err
	}
	said := ""
	for folder, tests := range folders {
		out, err := b.test(ctx, folder, r.Says, "3m", tests)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		passed := slices.DeleteFunc(slices.Clone(tests), func(test string) bool {
			return bytes.Contains(out, []byte("--- FAIL: "+test+" "))
		})
		why := message.FindAllSubmatch(out, -1)
		switch {
		case len(passed) > 0 && (err == nil || len(passed) < len(tests)):
			return "", &survivedError{passed}
		case len(passed) > 0:
			return "", fmt.Errorf("the tests did not come to an end: %w\n%s", err, out)
		case len(why) == 0: // as where there was no control plane
			return "", fmt.Errorf("the tests did not come to what they test:\n%s", out)
		}
		said = string(why[len(why)-1][1]) // those before may be of logs
	}
	return said, nil
}

// message is what a test said, cut to a line's length.
var message = regexp.MustCompile(`(?m)^\s+(\w+_test\.go:\d+: .{0,100})`)

func (b *build) test(ctx context.Context, folder, without, timeout string, tests []string) ([]byte, error) {
	return b.command(ctx, folder, without, b.binary[folder], "-test.v", "-test.timeout="+timeout, "-test.run="+pattern(tests))
}

// command runs a command in a folder without a rule. The overlay reaches also the builds that the tests start. A test that cannot run fails.
func (b *build) command(ctx context.Context, folder, without, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CI=true", "TF_ACC=1", ruleOut+"="+without, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+b.overlay))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd.CombinedOutput()
}
