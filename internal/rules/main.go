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
	"sync/atomic"
	"syscall"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

func main() {
	only := flag.String("run", "", "takes out only the rules that match the `regexp`")
	parallel := flag.Int("parallel", 3, "how many rules are out at a time, each on a control plane of its own")
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
	if err := built.passes(ctx, chosen); err != nil {
		return err
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
			fmt.Printf("%-8s  %s (%.0f s): %s\n", verdict, r.Says, time.Since(began).Seconds(), said)
		})
	}
	wg.Wait()
	fmt.Printf("%d of %d rules are held by their tests (%.0f s)\n", held.Load(), len(chosen), time.Since(begun).Seconds())
	if int(held.Load()) < len(chosen) || len(chosen) == 0 {
		return errors.New("not every rule is held by a test")
	}
	return nil
}
