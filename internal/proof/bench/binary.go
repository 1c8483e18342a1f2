package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// binaryRow has the measurements of a provider's binary without a command line.
type binaryRow struct {
	Subject string
	Bytes   int64
	Starts  []float64 // milliseconds until the handshake
}

// benchBinary measures sizes and starts of the provider, and of the floor beside it.
func benchBinary(ctx context.Context, s *stage) ([]binaryRow, error) {
	paths, err := s.builds(ctx, floorProgram, providerProgram)
	if err != nil {
		return nil, err
	}
	rows := []binaryRow{{Subject: subjectFloor}, {Subject: subjectCAS}}
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		rows[i].Bytes = info.Size()
		if _, err := handshake(ctx, path); err != nil { // not counted: it warms caches
			return nil, err
		}
	}
	err = alternate(s.starts, []int{0, 1}, func(i int) error {
		took, err := handshake(ctx, paths[i])
		rows[i].Starts = append(rows[i].Starts, took.Seconds()*1000)
		return err
	})
	for _, row := range rows {
		say("%-10s %.1f MB, %.1f ms to start", row.Subject, float64(row.Bytes)/1e6, median(row.Starts))
	}
	return rows, err
}

// handshake starts a provider as Terraform does, and returns how long it took until it said where it listens.
func handshake(ctx context.Context, binary string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary)
	// The cookie of the protocol between Terraform and its plugins. It is no secret: it keeps people from starting them by hand.
	cmd.Env = append(os.Environ(), "PLUGIN_PROTOCOL_VERSIONS=5,6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("%s cannot be started: %w", binary, err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n') // what is wrong with it shows in the line
	took := time.Since(begun)
	cancel()
	_ = cmd.Wait() // it was killed
	if strings.Count(line, "|") < 4 {
		return 0, fmt.Errorf("%s is no provider: it does not greet as a plugin, but says %q", binary, line)
	}
	return took, nil
}
