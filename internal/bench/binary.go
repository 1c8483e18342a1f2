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

// handshake starts a provider as Terraform does, and returns how long it took until it said where it listens.
func handshake(ctx context.Context, binary string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary)
	// Of the protocol between Terraform and its plugins. It is no secret: it keeps people from starting them by hand.
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
