// Demo swaps foo from "1" to "2" in a ConfigMap of a real API server, with the built provider and a real terraform or
// tofu, and shows what is refused. It fails unless every step ends as it should, and stops whatever it started. With -playground it
// starts the same control plane for somebody else to try things on.
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
	kubeconfig := flags.String("kubeconfig", "", "`path` of a kubeconfig whose cluster is used, in a namespace that is removed again; "+
		"without it, a control plane is started on loopback")
	playing := flags.String("playground", "", "`folder` to make; instead of the demo, a control plane runs until Ctrl-C, and the folder has what to try on it")
	_ = flags.Parse(os.Args[1:]) // it exits on errors

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
		os.Exit(130) // as a shell has it
	}
	os.Exit(1)
}

// errInterrupted is why the demo ends after Ctrl-C or SIGTERM, and a playground that was not ready yet.
var errInterrupted = errors.New("interrupted")

// run plays the whole demo. What it made, it removes, however it ends.
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
		return errInterrupted // what it broke off is no news
	}
	return err
}

// absolute is the path, for commands that run in another folder.
func absolute(path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
