// Bench measures the engine beside raw client-go, and the provider beside one that does nothing, all on one control plane that
// it starts, and writes what came out to docs/benchmarks.md, with a chart. It sets itself no time limit: a whole run takes
// about half an hour.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// part is one of the measurements, which replaces its results of an earlier run.
type part struct {
	name string
	run  func(context.Context, *stage, *results) error
}

// The parts that a command line runs.
const partCLI, partAllocations = "cli", "allocations"

var parts = []part{
	{partCLI, func(ctx context.Context, s *stage, r *results) (err error) {
		r.CLI, err = benchCLI(ctx, s, partCLI)
		return err
	}},
	{partAllocations, func(ctx context.Context, s *stage, r *results) (err error) {
		r.Allocations, err = benchCLI(ctx, s, partAllocations)
		return err
	}},
	{"engine", func(ctx context.Context, s *stage, r *results) (err error) {
		r.Engine, err = benchEngine(ctx, s)
		return err
	}},
	{"processes", func(ctx context.Context, s *stage, r *results) (err error) {
		r.Processes, err = benchProcesses(ctx, s)
		return err
	}},
	{"binary", func(ctx context.Context, s *stage, r *results) (err error) {
		r.Binaries, err = benchBinary(ctx, s)
		return err
	}},
}

func partNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

func main() {
	if spec := os.Getenv(workerEnv); spec != "" {
		exit(work(spec))
	}
	klog.SetLogger(logr.Discard()) // requests that are broken off at the cap are no news
	o := wholeRun()
	flags := flag.NewFlagSet("bench", flag.ExitOnError) // controller-runtime adds to the default one
	chosen := partNames()
	flags.Func("parts", "which `parts` to measure ("+strings.Join(partNames(), ",")+"); of the others, the results of their last run stay", namesInto(&chosen, partNames()))
	dir := flags.String("out", "docs", "`folder` that the results are written to; none where empty")
	flags.IntVar(&o.rounds, "rounds", o.rounds, "how often each is measured")
	flags.DurationVar(&o.limit, "limit", o.limit, "how long one writer may take for one cell of the engine's part")
	flags.Func("cases", "for the command line, `what` to measure: entries of one ConfigMap, of a ConfigMap each, numbers of one counter, fields of one object, items of one document, "+
		"and as parts of allocations those of one pool, and of one that has many ("+strings.Join(caseNames(), ",")+")", namesInto(&o.cases, caseNames()))
	flags.Func("places", "for the command line, `where` the API server is, near or far (near,far)", namesInto(&o.from, placeNames))
	flags.Func("entries", "`numbers` of entries for the command line, the least first, instead of those of each case", intsInto(&o.entries))
	flags.StringVar(&o.beside, "beside", "", "`path` of another build of the provider, which the command line runs in turn with this one")
	flags.BoolVar(&o.reference, "reference", o.reference, "for the command line, whether to measure what multiples are of: the floor, or entries beside numbers")
	flags.Func("swaps", "`numbers` of swaps for the engine (1,100,1000)", intsInto(&o.swaps))
	redraw := flags.Bool("redraw", false, "whether to measure nothing, and to write the page and the chart of the figures that are there anew")
	_ = flags.Parse(os.Args[1:]) // it exits on errors

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	act := func() error { return run(ctx, o, chosen, *dir) }
	if *redraw {
		act = func() error { return drawAgain(*dir) }
	}
	err := act()
	stop()
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nThe benchmark failed: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// intsInto parses numbers with commas between them.
func intsInto(to *[]int) func(string) error {
	return func(list string) error {
		*to = nil
		for field := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(field))
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number above zero", field)
			}
			*to = append(*to, n)
		}
		return nil
	}
}

// namesInto takes names with commas between them, of those that there are.
func namesInto(to *[]string, known []string) func(string) error {
	return func(list string) error {
		*to = strings.Split(list, ",")
		for _, name := range *to {
			if !slices.Contains(known, name) {
				return fmt.Errorf("no %q: there are %s", name, strings.Join(known, ", "))
			}
		}
		return nil
	}
}

// drawAgain writes what shows the figures of earlier runs.
func drawAgain(dir string) error {
	r, err := load(dir)
	if err != nil {
		return err
	}
	return r.save(dir)
}

// run measures the chosen parts. Where there is a folder for it, the results of each are written as soon as it has ended.
// It stops every process that it started.
func run(ctx context.Context, o options, chosen []string, dir string) (err error) {
	r, err := load(dir)
	if err != nil {
		return err
	}
	s, err := setUp(ctx, o)
	defer func() { err = errors.Join(err, s.tearDown()) }()
	if err != nil {
		return err
	}
	for _, p := range parts {
		if !slices.Contains(chosen, p.name) {
			continue
		}
		say("\n== %s", p.name)
		begun := time.Now()
		if err := p.run(ctx, s, r); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if r.Runs[p.name], err = s.observe(ctx, begun); err != nil {
			return err
		}
		if dir == "" {
			continue
		}
		if err := r.save(dir); err != nil {
			return err
		}
	}
	if dir == "" {
		return nil
	}
	say("\nwritten: %s/%s and %s/%s", dir, reportFile, dir, chartFile)
	return nil
}
