package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// results has the findings of the parts, each from its last run.
type results struct {
	Runs        map[string]conditions
	CLI         []cliRow
	Allocations []cliRow
	Engine      []engineRow
	Processes   []processRow
	Binaries    []binaryRow
}

// conditions describes the machine and the versions of a measurement.
type conditions struct {
	Date     string
	Commit   string
	System   string
	CPUs     int
	Go       string
	CLI      string
	Server   string
	Rounds   int
	Duration string
}

const (
	resultsFile = "benchmarks.json"
	reportFile  = "benchmarks.md"
	chartFile   = "benchmarks.svg"
)

// load reads the results of earlier runs, none where there was none, or is no folder.
func load(dir string) (*results, error) {
	r := &results{Runs: map[string]conditions{}}
	if dir == "" {
		return r, nil
	}
	raw, err := os.ReadFile(filepath.Join(dir, resultsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(raw, r)
}

// save writes the results, and the page and the chart that show them.
func (r *results) save(dir string) error {
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	page, err := report(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, resultsFile), append(raw, '\n'), 0o600),
		os.WriteFile(filepath.Join(dir, reportFile), page, 0o600),
		chart(r, filepath.Join(dir, chartFile)),
	)
}

// observe says what a part that began at begun was measured on.
func (s *stage) observe(ctx context.Context, begun time.Time) (conditions, error) {
	server, err := s.client.Version(ctx)
	if err != nil {
		return conditions{}, err
	}
	c := conditions{
		Date: begun.UTC().Format(time.DateOnly), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(),
		Go: runtime.Version(), Server: "kube-apiserver " + server, Rounds: s.rounds,
		Duration: time.Since(begun).Round(time.Second).String(),
	}
	commit, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err == nil { // an archive of the sources has no history
		c.Commit = strings.TrimSpace(string(commit))
	}
	cli, err := testcli.Find()
	if err != nil {
		return c, err
	}
	version, err := exec.CommandContext(ctx, cli, "version").Output()
	if err != nil {
		return c, fmt.Errorf("%s version: %w", cli, err)
	}
	c.CLI, _, _ = strings.Cut(string(version), "\n")
	return c, nil
}
