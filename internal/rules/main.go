// Rules takes each rule of the engine and of the provider out, one at a time, and checks that the tests named for it fail. A rule whose tests
// pass without it has survived: they prove nothing. The sources stay as they are; the compiler is given an overlay.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

func main() {
	only := flag.String("run", "", "takes out only the rules that match the `regexp`")
	parallel := flag.Int("parallel", 3, "how many rules are out at a time, each in a copy and on a control plane of its own")
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
		if match.MatchString(r.Says) {
			chosen = append(chosen, r)
		}
	}
	begun := time.Now()
	dir, err := os.MkdirTemp("", "rules-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	built, err := newBuild(ctx, root, dir, chosen)
	if err != nil {
		return err
	}
	if err := built.passes(ctx, chosen); err != nil {
		return err
	}
	fmt.Printf("all tests pass with every rule in place (%.0f s)\n", time.Since(begun).Seconds())

	problems := make([]error, len(chosen))
	slots := make(chan struct{}, max(1, parallel))
	var wg sync.WaitGroup
	for i, r := range chosen {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if problems[i] = ctx.Err(); problems[i] != nil {
				return
			}
			began := time.Now()
			said, err := built.fails(ctx, r)
			took := time.Since(began).Seconds()
			if problems[i] = err; err != nil {
				fmt.Printf("%-8s  %s (%.0f s): %v\n", verdictOf(err), r.Says, took, err)
				return
			}
			fmt.Printf("%-8s  %s (%.0f s): %s\n", "ok", r.Says, took, said)
		})
	}
	wg.Wait()
	failed := 0
	for _, problem := range problems {
		if problem != nil {
			failed++
		}
	}
	fmt.Printf("%d of %d rules are held by their tests (%.0f s)\n", len(chosen)-failed, len(chosen), time.Since(begun).Seconds())
	if failed > 0 || len(chosen) == 0 {
		return errors.New("not every rule is held by a test")
	}
	return nil
}

func verdictOf(err error) string {
	var survived *survivedError
	if errors.As(err, &survived) {
		return "SURVIVED"
	}
	return "BROKEN"
}
