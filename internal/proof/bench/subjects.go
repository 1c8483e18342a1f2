package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// The subjects of the command line.
const (
	subjectFloor   = "floor"
	subjectEntries = "entries" // this provider's, beside its numbers
	subjectCAS     = "cas"
	subjectPeer    = "kubernetes"
	subjectBeside  = "beside" // another build of this provider
)

// subjectNames are all, in the order of the columns.
var subjectNames = []string{subjectFloor, subjectEntries, subjectCAS, subjectPeer, subjectBeside}

// cliSubject is a provider with a workspace and ConfigMaps of its own.
type cliSubject struct {
	name      string
	binary    string
	workspace *testcli.Workspace
	namespace string
	peaks     string // file
}

// variables begins the configurations of all subjects.
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

const casProvider = `
terraform {
  required_providers {
    cas = { source = "terraform-cas/cas" }
  }
}
provider "cas" {
  config_path = var.kubeconfig
}
`

const entriesConfiguration = casProvider + `
resource "cas_configmap_entry" "e" {
  for_each  = local.names
  namespace = var.namespace
  name      = each.value
  key       = each.key
  value     = var.value
}
`

const numbersConfiguration = casProvider + `
resource "cas_configmap_counter" "n" {
  for_each  = local.names
  namespace = var.namespace
  name      = each.value
  key       = "next"
}
`

// The object is a ConfigMap, as that of entries is, so that the same requests count.
const fieldsConfiguration = casProvider + `
resource "cas_object_fields" "f" {
  for_each    = local.names
  api_version = "v1"
  kind        = "ConfigMap"
  namespace   = var.namespace
  name        = each.value
  fields      = { "metadata.annotations.${each.key}" = var.value }
}
`

const itemsConfiguration = casProvider + `
resource "cas_configmap_document" "i" {
  for_each  = local.names
  namespace = var.namespace
  name      = each.value
  key       = "config.yaml"
  format    = "yaml"
  fields    = { "items[name=${each.key}]" = { name = each.key, value = var.value } }
}
`

// firstNumber is the first that can be taken.
const firstNumber = 30_000

var allocationsConfiguration = casProvider + fmt.Sprintf(`
resource "cas_configmap_allocation" "a" {
  for_each  = local.names
  namespace = var.namespace
  name      = each.value
  key       = "pool"
  claimant  = "shop/web-${var.value}"
  numbers   = { from = %d, to = %d }
}
`, firstNumber, 2*firstNumber)

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

// configuration returns the subject's configuration of a shape.
func (c *cliSubject) configuration(shape string) string {
	switch {
	case c.name == subjectPeer:
		return peerConfiguration + variables
	case c.name == subjectEntries:
	case shape == oneCounter:
		return numbersConfiguration + variables
	case shape == oneObject:
		return fieldsConfiguration + variables
	case shape == oneDocument:
		return itemsConfiguration + variables
	case shape == onePool || shape == fullPool:
		return allocationsConfiguration + variables
	}
	return entriesConfiguration + variables
}

// cliSubjects opens those that the chosen cases have, once.
func (s *stage) cliSubjects(ctx context.Context) (map[string]*cliSubject, error) {
	if s.subjects != nil {
		return s.subjects, nil
	}
	paths, err := s.builds(ctx, floorProgram, providerProgram, peakProgram)
	if err != nil {
		return nil, err
	}
	floor, provider, peak := paths[0], paths[1], paths[2]
	binaries := map[string]string{
		subjectFloor: floor, subjectEntries: provider, subjectCAS: provider, subjectPeer: os.Getenv("PEER_PROVIDER"), subjectBeside: s.beside,
	}
	subjects := map[string]*cliSubject{}
	for name, binary := range binaries {
		if binary == "" {
			continue
		}
		if _, err := handshake(ctx, binary); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		subjects[name] = &cliSubject{name: name, binary: binary}
		if err := s.open(ctx, subjects[name], peak); err != nil {
			return nil, err
		}
	}
	s.subjects = subjects
	return subjects, nil
}

// open makes the subject's workspace and namespace. Terraform starts peak, which starts the provider.
func (s *stage) open(ctx context.Context, subject *cliSubject, peak string) error {
	cli, err := testcli.Find()
	if err != nil {
		return err
	}
	source, file := "terraform-cas/cas", "terraform-provider-cas"
	if subject.name == subjectPeer {
		source, file = "hashicorp/kubernetes", "terraform-provider-kubernetes"
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
	subject.namespace, err = s.namespace(ctx)
	return err
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
