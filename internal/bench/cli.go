package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// cliRow is what one command took, in each round.
type cliRow struct {
	Place    string
	Shape    string // oneMap or manyMaps
	Entries  int
	Subject  string
	Step     string
	Seconds  []float64
	Requests []int
	PeakMiB  []float64 // of any process of the provider
}

const (
	oneMap   = "one ConfigMap"
	manyMaps = "a ConfigMap each"
)

// The subjects of the command line.
const (
	subjectFloor = "floor"
	subjectCAS   = "cas"
	subjectPeer  = "kubernetes"
)

// steps are the commands of one round, in order. Each apply plans first.
var steps = []struct {
	name string
	args []string
}{
	{"create", []string{"apply", "-auto-approve"}},
	{"plan", []string{"plan"}},
	{"update", []string{"apply", "-auto-approve", "-var=value=2"}},
	{"destroy", []string{"destroy", "-auto-approve", "-var=value=2"}},
}

// variables is what the configurations of all subjects have in common.
const variables = `
variable "kubeconfig" {}
variable "namespace" {}
variable "entries" { type = number }
variable "each" { type = bool }
variable "value" { default = "1" }
locals {
  names = { for i in range(var.entries) : "k${i}" => var.each ? "bench-${i}" : "bench" }
}
`

const casConfiguration = `
terraform {
  required_providers {
    cas = { source = "terraform-cas/cas" }
  }
}
provider "cas" {
  config_path = var.kubeconfig
}
resource "cas_configmap_entry" "e" {
  for_each  = local.names
  namespace = var.namespace
  name      = each.value
  key       = each.key
  value     = var.value
}
`

// Entries of one field manager replace each other, so each has one of its own.
const peerConfiguration = `
terraform {
  required_providers {
    kubernetes = { source = "hashicorp/kubernetes" }
  }
}
provider "kubernetes" {
  config_path = var.kubeconfig
}
resource "kubernetes_config_map_v1_data" "e" {
  for_each      = local.names
  field_manager = "bench-${each.key}"
  data          = { (each.key) = var.value }
  metadata {
    namespace = var.namespace
    name      = each.value
  }
}
`

// cliSubject is a provider with a workspace and ConfigMaps of its own.
type cliSubject struct {
	name      string
	binary    string
	workspace *testcli.Workspace
	namespace string
	peaks     string // file
}

// benchCLI measures the provider beside the floor, and beside the peer where there is one, with a real command line.
func benchCLI(ctx context.Context, s *stage) ([]cliRow, error) {
	subjects, err := s.cliSubjects(ctx)
	if err != nil {
		return nil, err
	}
	for _, subject := range subjects { // not counted: it finds what does not work, and warms caches
		if _, err := s.runCLI(ctx, subject, s.near, oneMap, 1); err != nil {
			return nil, err
		}
	}
	var rows []cliRow
	places, shapes := s.places(), []string{oneMap, manyMaps}
	if s.tune {
		places, shapes = []place{s.far}, []string{oneMap}
	}
	for _, p := range places {
		for _, shape := range shapes {
			for _, entries := range s.entries {
				cells := map[string][]cliRow{}
				// Runs get longer by the square of the entries, and steadier.
				rounds := max(1, s.rounds*s.entries[0]/entries)
				err := alternate(rounds, subjects, func(subject *cliSubject) error {
					round, err := s.runCLI(ctx, subject, p, shape, entries)
					cells[subject.name] = merge(cells[subject.name], round)
					return err
				})
				if err != nil {
					return nil, err
				}
				for _, subject := range subjects {
					rows = append(rows, cells[subject.name]...)
				}
			}
		}
	}
	return rows, nil
}

// merge appends a round to the rounds before it.
func merge(rows, round []cliRow) []cliRow {
	if rows == nil {
		return round
	}
	for i := range round {
		rows[i].Seconds = append(rows[i].Seconds, round[i].Seconds...)
		rows[i].Requests = append(rows[i].Requests, round[i].Requests...)
		rows[i].PeakMiB = append(rows[i].PeakMiB, round[i].PeakMiB...)
	}
	return rows
}

func (s *stage) cliSubjects(ctx context.Context) ([]*cliSubject, error) {
	provider, err := s.buildProvider(ctx)
	if err != nil {
		return nil, err
	}
	floor, err := s.buildFloor(ctx)
	if err != nil {
		return nil, err
	}
	peak, err := s.buildPeak(ctx)
	if err != nil {
		return nil, err
	}
	subjects := []*cliSubject{{name: subjectFloor, binary: floor}, {name: subjectCAS, binary: provider}}
	if peer := os.Getenv("PEER_PROVIDER"); peer != "" {
		if _, err := handshake(ctx, peer); err != nil {
			return nil, fmt.Errorf("PEER_PROVIDER: %w", err)
		}
		subjects = append(subjects, &cliSubject{name: subjectPeer, binary: peer})
	}
	for _, subject := range subjects {
		if err := s.open(ctx, subject, peak); err != nil {
			return nil, err
		}
	}
	return subjects, nil
}

// open makes the subject's workspace and namespace. What Terraform starts is peak, which starts the provider.
func (s *stage) open(ctx context.Context, subject *cliSubject, peak string) error {
	cli, err := testcli.Find()
	if err != nil {
		return err
	}
	source, file, configuration := "terraform-cas/cas", "terraform-provider-cas", casConfiguration
	if subject.name == subjectPeer {
		source, file, configuration = "hashicorp/kubernetes", "terraform-provider-kubernetes", peerConfiguration
	}
	binary, err := filepath.Abs(subject.binary)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir, "cli-"+subject.name)
	if err := os.MkdirAll(filepath.Join(dir, "provider"), 0o700); err != nil {
		return err
	}
	if err := os.Symlink(peak, filepath.Join(dir, "provider", file)); err != nil {
		return err
	}
	subject.workspace, err = testcli.Open(ctx, dir, cli, fmt.Sprintf("  dev_overrides {\n    %q = %q\n  }\n", source, filepath.Join(dir, "provider")))
	if err != nil {
		return err
	}
	subject.peaks = filepath.Join(dir, "peaks")
	subject.workspace.Env = append(subject.workspace.Env, "CAS_BENCH_PROVIDER="+binary, "CAS_BENCH_PEAK="+subject.peaks)
	subject.workspace.Write("main.tf", configuration+variables)
	subject.namespace, err = s.namespace(ctx)
	return err
}

// runCLI runs all steps once.
func (s *stage) runCLI(ctx context.Context, subject *cliSubject, p place, shape string, entries int) ([]cliRow, error) {
	if err := s.reset(ctx, subject, shape, entries); err != nil {
		return nil, err
	}
	w := *subject.workspace
	w.Env = append(append([]string{}, w.Env...),
		"TF_VAR_kubeconfig="+p.kubeconfig, "TF_VAR_namespace="+subject.namespace,
		fmt.Sprint("TF_VAR_entries=", entries), fmt.Sprint("TF_VAR_each=", shape == manyMaps))
	var rows []cliRow
	var told strings.Builder
	for _, step := range steps {
		before, err := requests(ctx, s.client)
		if err != nil {
			return nil, err
		}
		begun := time.Now()
		result := w.Run(step.args...)
		took := time.Since(begun).Seconds()
		if result.ExitCode != 0 {
			return nil, fmt.Errorf("%s: %s of %d entries of %s ended with %d:\n%s", subject.name, step.name, entries, shape, result.ExitCode, result.Stderr)
		}
		peak, err := subject.peak()
		if err != nil {
			return nil, err
		}
		after, err := requests(ctx, s.client)
		if err != nil {
			return nil, err
		}
		rows = append(rows, cliRow{
			Place: p.name, Shape: shape, Entries: entries, Subject: subject.name, Step: step.name,
			Seconds: []float64{took}, Requests: []int{after - before}, PeakMiB: []float64{peak},
		})
		fmt.Fprintf(&told, "  %s %.2f s, %d requests", step.name, took, after-before)
	}
	say("%-10s %-16s %5d %-10s%s", p.name, shape, entries, subject.name, told.String())
	return rows, nil
}

// peak is the most memory that any of the provider's processes had since it was last asked, in MiB.
func (c *cliSubject) peak() (float64, error) {
	raw, err := os.ReadFile(c.peaks)
	if err != nil {
		return 0, err
	}
	most := 0
	for line := range strings.Lines(string(raw)) {
		kib, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return 0, err
		}
		most = max(most, kib)
	}
	return float64(most) / 1024, os.Remove(c.peaks)
}

// reset removes the subject's state and gives it the ConfigMaps that it starts from, empty ones.
func (s *stage) reset(ctx context.Context, subject *cliSubject, shape string, entries int) error {
	states, err := filepath.Glob(filepath.Join(subject.workspace.Dir, "terraform.tfstate*"))
	if err != nil {
		return err
	}
	for _, state := range states {
		if err := os.Remove(state); err != nil {
			return err
		}
	}
	maps := s.client.CoreV1().ConfigMaps(subject.namespace)
	if shape == oneMap {
		if err := maps.Delete(ctx, "bench", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "bench"}}, metav1.CreateOptions{})
		return err
	}
	for i := range entries { // destroyed by the run before; the rest of it is an empty ConfigMap
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("bench-", i)}}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}
