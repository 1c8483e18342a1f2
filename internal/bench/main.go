// Bench measures the engine and the provider, and writes what came out.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	flags := flag.NewFlagSet("bench", flag.ExitOnError) // controller-runtime adds to the default one
	rounds := flags.Int("rounds", 3, "rounds")
	entries := flags.String("entries", "200,1000", "numbers of entries")
	_ = flags.Parse(os.Args[1:])
	var sizes []int
	for field := range strings.SplitSeq(*entries, ",") {
		n, err := strconv.Atoi(field)
		if err != nil {
			panic(err)
		}
		sizes = append(sizes, n)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *rounds, sizes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, entries []int) (err error) {
	s, err := setUp(ctx, rounds, entries)
	defer func() { err = errors.Join(err, s.tearDown()) }()
	if err != nil {
		return err
	}
	rows, err := benchCLI(ctx, s)
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(rows, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile("/tmp/w/bench.json", raw, 0o600)
}
