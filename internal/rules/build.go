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

// build is one test binary for each folder of tests, which can go without each of the rules.
type build struct {
	sources
	overlay string
	binary  map[string]string
}

func newBuild(ctx context.Context, root, dir string, rules []table.Rule) (*build, error) {
	all, err := load(root)
	if err != nil {
		return nil, err
	}
	mutants, err := all.together(rules)
	if err != nil {
		return nil, err
	}
	b, replace := &build{all, filepath.Join(dir, "overlay.json"), map[string]string{}}, map[string]string{}
	for path, source := range mutants {
		replace[path] = filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		err = errors.Join(err, os.WriteFile(replace[path], []byte(source), 0o600))
	}
	raw, failed := json.Marshal(map[string]any{"Replace": replace})
	if err := errors.Join(err, failed, os.WriteFile(b.overlay, raw, 0o600)); err != nil {
		return nil, err
	}
	tests, err := b.folders(rules...)
	for folder := range tests {
		b.binary[folder] = filepath.Join(dir, strconv.Itoa(len(b.binary))+".test")
		if out, err := b.command(ctx, folder, "", "go", "test", "-c", "-vet=off", "-ldflags=-s", "-o="+b.binary[folder], "."); err != nil {
			return nil, fmt.Errorf("%s does not compile with the rules that can be out: %w\n%s", folder, err, out)
		}
	}
	return b, err
}

// passes runs the tests of all rules with the rules in place.
func (b *build) passes(ctx context.Context, rules []table.Rule) error {
	tests, err := b.folders(rules...)
	for folder, names := range tests {
		out, failed := b.test(ctx, folder, "", "10m", names)
		for _, name := range names {
			if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) {
				return fmt.Errorf("with every rule in place, %s has no %s that passes: %w\n%s", folder, name, failed, out)
			}
		}
	}
	return err
}

// without runs the tests of a rule without it. They must fail; then it returns ok, and the last thing that they say.
func (b *build) without(ctx context.Context, r table.Rule) (verdict, said string) {
	tests, err := b.folders(r)
	if err != nil {
		return "BROKEN", err.Error()
	}
	for folder, names := range tests {
		out, err := b.test(ctx, folder, r.Says, "3m", names)
		passed := slices.DeleteFunc(slices.Clone(names), func(test string) bool {
			return bytes.Contains(out, []byte("--- FAIL: "+test+" "))
		})
		why := message.FindAllSubmatch(out, -1)
		switch {
		case len(passed) > 0 && (err == nil || len(passed) < len(names)):
			return "SURVIVED", "without it these pass: " + strings.Join(passed, ", ")
		case len(passed) > 0, len(why) == 0: // as where there was no control plane
			return "BROKEN", fmt.Sprintf("the tests did not come to what they test: %v\n%s", err, out)
		}
		said = string(why[len(why)-1][1]) // those before may be of logs
	}
	return "ok", said
}

// message is what a test said, cut to a line's length.
var message = regexp.MustCompile(`(?m)^\s+(\w+_test\.go:\d+: .{0,100})`)

func (b *build) test(ctx context.Context, folder, without, timeout string, tests []string) ([]byte, error) {
	return b.command(ctx, folder, without, b.binary[folder], "-test.v", "-test.timeout="+timeout, "-test.run="+pattern(tests))
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

// command runs a command in a folder without a rule. The overlay reaches also the builds that the tests start. A test that cannot run fails.
func (b *build) command(ctx context.Context, folder, without, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CI=true", "TF_ACC=1", ruleOut+"="+without, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+b.overlay))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd.CombinedOutput()
}
