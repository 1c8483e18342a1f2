// Rules takes each rule of the engine and of the provider out, one at a time, and checks that the tests named for it fail. A rule whose tests
// pass without it has survived: they prove nothing. The sources stay as they are; the compiler is given an overlay.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

func main() {
	only := flag.String("run", "", "takes out only the rules whose `package.Function: rule` matches this regexp")
	parallel := flag.Int("parallel", 4, "how many rules to test at the same time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	match, err := regexp.Compile(*only)
	root, missing := toolchain.Root()
	if err = errors.Join(err, missing); err == nil {
		chosen := slices.DeleteFunc(table.All(), func(r table.Rule) bool { return !match.MatchString(r.In + ": " + r.Says) })
		err = run(ctx, os.Stdout, root, *parallel, chosen)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, root string, parallel int, rules []table.Rule) error {
	dir, err := os.MkdirTemp("", "rules-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	begun := time.Now()
	built, err := newBuild(ctx, root, dir, rules)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "all compiles, with each rule and without it (%.0f s)\n", time.Since(begun).Seconds())
	if err := built.baseline(ctx, rules); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "all tests pass with every rule in place (%.0f s)\n", time.Since(begun).Seconds())

	var held atomic.Int64
	slots := make(chan struct{}, max(1, parallel))
	var wg sync.WaitGroup
	for _, r := range rules {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			began := time.Now()
			verdict, said := built.without(ctx, r)
			if verdict == "ok" {
				held.Add(1)
			}
			_, _ = fmt.Fprintf(out, "%-8s  %s: %s (%.0f s): %s\n", verdict, r.In, r.Says, time.Since(began).Seconds(), said)
		})
	}
	wg.Wait()
	err = built.baseline(ctx, rules) // an API server that died meanwhile fails tests that no edit would
	_, _ = fmt.Fprintf(out, "%d of %d rules are held by their tests (%.0f s)\n", held.Load(), len(rules), time.Since(begun).Seconds())
	if int(held.Load()) < len(rules) || len(rules) == 0 {
		err = errors.Join(err, errors.New("not every rule is held by a test"))
	}
	return err
}

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
			return nil, fmt.Errorf("BROKEN: the tests in %s do not compile; where an edit is at fault, the compiler names its rule: %w\n%s", folder, err, out)
		}
	}
	return b, err
}

// baseline runs the tests of rules with every rule in place. All must pass.
func (b *build) baseline(ctx context.Context, rules []table.Rule) error {
	ended, out, err := b.test(ctx, "", "10m", rules...)
	if others := slices.Concat(ended["FAIL"], ended["SKIP"], ended[""]); err != nil || len(others) > 0 {
		return errors.Join(fmt.Errorf("with every rule in place, these do not pass, or are not there: %s\n%s", strings.Join(others, ", "), out), err)
	}
	return nil
}

// without runs the tests of a rule without it. Each must fail; then the verdict is ok, with the last line that a test printed.
func (b *build) without(ctx context.Context, r table.Rule) (verdict, said string) {
	ended, out, err := b.test(ctx, r.Says, "3m", r)
	lines := line.FindAllSubmatch(out, -1)
	switch {
	case unreached.Match(out) || len(ended["SKIP"])+len(ended[""]) > 0 || len(ended["PASS"]) == 0 && len(lines) == 0:
		return "BROKEN", fmt.Sprintf("its tests did not reach what they test: %v\n%s", err, out)
	case len(ended["PASS"]) > 0:
		return "SURVIVED", "without it these pass: " + strings.Join(ended["PASS"], ", ")
	}
	return "ok", string(lines[len(lines)-1][1]) // lines before the last may be from logs
}

var (
	// line is one that a test printed, cut to 100 characters.
	line = regexp.MustCompile(`(?m)^\s+(\w+\.go:\d+: .{0,100})`)
	// unreached is in the output of a test that ended before it tested anything: testcluster's words where no API server starts, or a panic.
	unreached = regexp.MustCompile(`_test\.go:\d+: no API server: |(?m)^panic: `)
)

// test runs the tests of rules in a build that goes without one of them, or with all, and sorts the tests by how they ended: PASS, FAIL, SKIP, or
// nothing where a test is not there or did not end.
func (b *build) test(ctx context.Context, without, timeout string, rules ...table.Rule) (ended map[string][]string, out []byte, err error) {
	ended = map[string][]string{}
	folders, err := b.folders(rules...)
	for folder, tests := range folders {
		said, failed := b.command(ctx, folder, without, b.binary[folder], "-test.v", "-test.timeout="+timeout, "-test.run="+pattern(tests))
		out, err = append(out, said...), errors.Join(err, failed)
		for _, test := range tests {
			end := append(regexp.MustCompile(`--- (PASS|FAIL|SKIP): `+regexp.QuoteMeta(test)+` \(`).FindSubmatch(said), nil, nil)[1]
			ended[string(end)] = append(ended[string(end)], test)
		}
	}
	return ended, out, err
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
