// Demo swaps values in a real API server, with the built provider and a real terraform or tofu, and shows two refusals.
// It fails unless every step ends as expected, and stops all processes that it started. With -playground, it starts the
// same control plane for experiments.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	flags := flag.NewFlagSet("demo", flag.ExitOnError) // controller-runtime adds to the default one
	provider := flags.String("provider", "", "`path` of the provider's binary; without it, the provider is built")
	kubeconfig := flags.String("kubeconfig", "", "`path` of a kubeconfig; the demo uses a new namespace of that cluster, "+
		"and deletes the namespace at the end; without it, the demo starts a control plane on loopback")
	playing := flags.String("playground", "", "`folder` to create, with a configuration to try; instead of the demo, "+
		"a control plane runs until Ctrl-C")
	_ = flags.Parse(os.Args[1:]) // exits on errors

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	name, act := "demo", func() error { return run(ctx, *provider, *kubeconfig) }
	if *playing != "" {
		name, act = "playground", func() error { return playground(ctx, *playing) }
	}
	err := act()
	stop()
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "\nThe %s failed: %v\n", name, err)
	if errors.Is(err, errInterrupted) {
		os.Exit(130) // the exit code of a shell after Ctrl-C
	}
	os.Exit(1)
}

// errInterrupted reports Ctrl-C or SIGTERM before the demo was over, or before the playground was ready.
var errInterrupted = errors.New("interrupted")

// run performs the whole demo, and removes everything that it created, also after an error.
func run(ctx context.Context, provider, kubeconfig string) (err error) {
	dir, err := os.MkdirTemp("", "terraform-provider-cas-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	stage, err := setUp(ctx, dir, provider, kubeconfig)
	defer func() { err = errors.Join(err, stage.tearDown()) }()
	if err == nil {
		err = play(ctx, stage)
	}
	if ctx.Err() != nil {
		return errInterrupted // err only reports the canceled command
	}
	return err
}

// absolute returns the absolute path of a file that exists, for commands that run in another folder.
func absolute(path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
