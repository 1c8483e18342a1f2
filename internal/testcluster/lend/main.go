// Lend runs a command beside a control plane of its own, which all test packages that the command runs share: make test, for example.
// Without a command it prints the address that tests look for in [testcluster.EnvLent], and goes on until its input ends.
//
// It must not know what the command does.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if len(os.Args) == 1 {
		go func() { _, _ = io.Copy(io.Discard, os.Stdin); stop() }()
	}
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lend:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	cluster, err := controlplane.Start(ctx)
	if err != nil {
		return err
	}
	path, err := cluster.Lend()
	switch {
	case err != nil:
	case len(args) == 0:
		fmt.Println(path)
		<-ctx.Done()
	default:
		cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the caller's own command
		cmd.Env = append(os.Environ(), testcluster.EnvLent+"="+path)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // which make passes on; it is waited for
		err = cmd.Run()
	}
	return errors.Join(err, cluster.Stop())
}
