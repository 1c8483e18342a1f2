// Rules takes each rule of the engine and of the provider out, one at a time, and checks that the tests named for it fail. A rule whose tests
// pass without it has survived: they prove nothing. The sources stay as they are; the compiler is given an overlay.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
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
	only := flag.String("run", "", "takes out only the rules of which package.Function: what it says matches the `regexp`")
	parallel := flag.Int("parallel", 4, "how many rules are out at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *only, *parallel)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, parallel int) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	root, err := toolchain.Root()
	if err != nil {
		return err
	}
	var chosen []table.Rule
	for _, r := range table.All() {
		if match.MatchString(r.In + ": " + r.Says) {
			chosen = append(chosen, r)
		}
	}
	dir, err := os.MkdirTemp("", "rules-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	begun := time.Now()
	built, err := newBuild(ctx, root, dir, chosen)
	if err != nil {
		return err
	}
	fmt.Printf("all compiles, with each rule and without it (%.0f s)\n", time.Since(begun).Seconds())
	if others, out, err := built.test(ctx, "", "PASS", "10m", chosen...); err != nil || len(others) > 0 {
		return errors.Join(fmt.Errorf("with every rule in place, these do not pass: %v\n%s", others, out), err)
	}
	fmt.Printf("all tests pass with every rule in place (%.0f s)\n", time.Since(begun).Seconds())

	var held atomic.Int64
	slots := make(chan struct{}, max(1, parallel))
	var wg sync.WaitGroup
	for _, r := range chosen {
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
			fmt.Printf("%-8s  %s: %s (%.0f s): %s\n", verdict, r.In, r.Says, time.Since(began).Seconds(), said)
		})
	}
	wg.Wait()
	fmt.Printf("%d of %d rules are held by their tests (%.0f s)\n", held.Load(), len(chosen), time.Since(begun).Seconds())
	if int(held.Load()) < len(chosen) || len(chosen) == 0 {
		return errors.New("not every rule is held by a test")
	}
	return nil
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
			return nil, fmt.Errorf("%s does not compile with the rules that can be out: %w\n%s", folder, err, out)
		}
	}
	return b, err
}

// without runs the tests of a rule without it. They must fail; then the verdict is ok, with the last thing that they said.
func (b *build) without(ctx context.Context, r table.Rule) (verdict, said string) {
	passed, out, err := b.test(ctx, r.Says, "FAIL", "3m", r)
	why := message.FindAllSubmatch(out, -1)
	switch {
	case len(passed) > 0 && (err == nil || len(passed) < len(r.Tests)):
		return "SURVIVED", "without it these pass: " + strings.Join(passed, ", ")
	case len(passed) > 0, len(why) == 0: // as where there was no control plane
		return "BROKEN", fmt.Sprintf("the tests did not come to what they test: %v\n%s", err, out)
	}
	return "ok", string(why[len(why)-1][1]) // those before may be of logs
}

// message is what a test said, cut to a line's length.
var message = regexp.MustCompile(`(?m)^\s+(\w+_test\.go:\d+: .{0,100})`)

// test runs the tests of rules in a build that goes without one of them, or without none, and lists those that do not end as they are to.
func (b *build) test(ctx context.Context, without, end, timeout string, rules ...table.Rule) (others []string, out []byte, err error) {
	folders, err := b.folders(rules...)
	for folder, tests := range folders {
		said, failed := b.command(ctx, folder, without, b.binary[folder], "-test.v", "-test.timeout="+timeout, "-test.run="+pattern(tests))
		out, err = append(out, said...), errors.Join(err, failed)
		for _, test := range tests {
			if !bytes.Contains(said, []byte("--- "+end+": "+test+" ")) {
				others = append(others, test)
			}
		}
	}
	return others, out, err
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
