// Peak runs the program that CAS_BENCH_PROVIDER names, in its own place, and appends the most memory that it had resident, in
// KiB, to the file that CAS_BENCH_PEAK names. It adds a few milliseconds to a start.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

func main() {
	//nolint:gosec,noctx // the benchmark names it, and it lives as long as this process
	cmd := exec.Command(os.Getenv("CAS_BENCH_PROVIDER"), os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		log.Fatal(err)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		if err := note(os.Getenv("CAS_BENCH_PEAK"), kib(usage.Maxrss)); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// kib is the maximum resident set size as the system reports it: macOS counts bytes, all others KiB.
func kib(maxrss int64) int64 {
	if runtime.GOOS == "darwin" {
		return maxrss >> 10
	}
	return maxrss
}

// note appends a line in one write: several providers may end at once.
func note(path string, value int64) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the benchmark names it
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, value)
	return errors.Join(err, f.Close())
}
