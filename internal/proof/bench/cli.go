package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cliRow has the measurements of one command, in each round.
type cliRow struct {
	Place    string
	Shape    string // oneMap, manyMaps, oneCounter, oneObject, oneDocument, onePool or fullPool
	Entries  int
	Subject  string
	Step     string
	Seconds  []float64
	Requests []int
	Verbs    []counts  `json:",omitempty"` // of the requests
	PeakMiB  []float64 // of any process of the provider
}

const (
	oneMap      = "one ConfigMap"
	manyMaps    = "a ConfigMap each"
	oneCounter  = "one counter"
	oneObject   = "one object"
	oneDocument = "one document"
	onePool     = "one pool"
	fullPool    = "one pool that has ten thousand"
)

// crowd is how many allocations a fullPool has at first.
const crowd = 10_000

// cliCase is a shape that is measured with several numbers of entries, the least first.
type cliCase struct {
	name, shape string
	entries     []int
	part        string
}

var cases = []cliCase{
	{"one", oneMap, []int{200, 1000}, partCLI},
	{"own", manyMaps, []int{100, 200, 1000}, partCLI},
	{"numbers", oneCounter, []int{200}, partCLI},
	{"fields", oneObject, []int{200}, partCLI},
	{"items", oneDocument, []int{200, 1000}, partCLI},
	{"allocations", onePool, []int{200}, partAllocations},
	{"crowded", fullPool, []int{200}, partAllocations},
}

func caseNames() (names []string) {
	for _, c := range cases {
		names = append(names, c.name)
	}
	return names
}

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

// stepsOf returns the steps of a shape: a number is taken once, and neither read again nor given back.
func stepsOf(shape string) int {
	if shape == oneCounter {
		return 1
	}
	return len(steps)
}

// referenceOf is the subject whose multiples the others are.
func referenceOf(shape string) string {
	if noun(shape) != "entry" {
		return subjectEntries
	}
	return subjectFloor
}

// noun names the resources of a shape.
func noun(shape string) string {
	switch shape {
	case oneCounter:
		return "number"
	case oneObject:
		return "field"
	case oneDocument:
		return "item"
	case onePool, fullPool:
		return "allocation"
	default:
		return "entry"
	}
}

// subjectsOf are the names of those that are measured side by side.
func (o options) subjectsOf(shape string) []string {
	names := []string{subjectCAS, subjectBeside}
	if referenceOf(shape) == subjectFloor {
		names = []string{subjectCAS, subjectPeer, subjectBeside}
	}
	if o.reference {
		names = slices.Insert(names, 0, referenceOf(shape))
	}
	return names
}

// roundsOf is how often it is measured: runs get longer by the square of the entries, and steadier.
func (o options) roundsOf(entries, least int) int {
	return min(o.rounds, max(1, o.rounds*max(least, targetEntries)/entries))
}

// benchCLI measures the cases of a part: the provider beside the floor, and beside the peer and another build where there is one, with a real
// command line.
func benchCLI(ctx context.Context, s *stage, part string) ([]cliRow, error) {
	all, err := s.cliSubjects(ctx)
	if err != nil {
		return nil, err
	}
	var rows []cliRow
	for _, c := range cases {
		if c.part != part || !slices.Contains(s.cases, c.name) {
			continue
		}
		var subjects []*cliSubject
		for _, name := range s.subjectsOf(c.shape) {
			if subject := all[name]; subject != nil {
				subjects = append(subjects, subject)
				// Not counted: it finds what does not work, and warms caches.
				if _, err := s.runCLI(ctx, subject, s.near, c.shape, 1); err != nil {
					return nil, err
				}
			}
		}
		if s.entries != nil {
			c.entries = s.entries
		}
		for i, p := range s.places() {
			if !slices.Contains(s.from, placeNames[i]) {
				continue
			}
			for _, entries := range c.entries {
				found, err := s.runRounds(ctx, subjects, p, c.shape, entries, s.roundsOf(entries, c.entries[0]))
				if err != nil {
					return nil, err
				}
				for _, t := range cliTables(found) {
					say("\n%s\n", t)
				}
				rows = append(rows, found...)
			}
		}
	}
	return rows, nil
}

// runRounds measures the subjects in turn.
func (s *stage) runRounds(ctx context.Context, subjects []*cliSubject, p place, shape string, entries, rounds int) (rows []cliRow, err error) {
	cells := map[string][]cliRow{}
	err = alternate(rounds, subjects, func(subject *cliSubject) error {
		round, err := s.runCLI(ctx, subject, p, shape, entries)
		cells[subject.name] = merge(cells[subject.name], round)
		return err
	})
	for _, subject := range subjects {
		rows = append(rows, cells[subject.name]...)
	}
	return rows, err
}

// merge appends a round to the rounds before it.
func merge(rows, round []cliRow) []cliRow {
	if rows == nil {
		return round
	}
	for i := range round {
		rows[i].Seconds = append(rows[i].Seconds, round[i].Seconds...)
		rows[i].Requests = append(rows[i].Requests, round[i].Requests...)
		rows[i].Verbs = append(rows[i].Verbs, round[i].Verbs...)
		rows[i].PeakMiB = append(rows[i].PeakMiB, round[i].PeakMiB...)
	}
	return rows
}

// runCLI runs all steps once.
func (s *stage) runCLI(ctx context.Context, subject *cliSubject, p place, shape string, entries int) ([]cliRow, error) {
	if err := s.reset(ctx, subject, shape, entries); err != nil {
		return nil, err
	}
	w := *subject.workspace
	w.Write("main.tf", subject.configuration(shape))
	w.Env = append(append([]string{}, w.Env...),
		"TF_VAR_kubeconfig="+p.kubeconfig, "TF_VAR_namespace="+subject.namespace,
		fmt.Sprint("TF_VAR_entries=", entries), fmt.Sprint("TF_VAR_each=", shape == manyMaps))
	var rows []cliRow
	var told strings.Builder
	for _, step := range steps[:stepsOf(shape)] {
		before, err := requests(ctx, s.client)
		if err != nil {
			return nil, err
		}
		begun := time.Now()
		result := w.Run(step.args...)
		took := time.Since(begun).Seconds()
		if result.ExitCode != 0 {
			return nil, fmt.Errorf("%s: %s of %d, %s, ended with %d:\n%s", subject.name, step.name, entries, shape, result.ExitCode, result.Stderr)
		}
		peak, err := subject.peak()
		if err != nil {
			return nil, err
		}
		after, err := requests(ctx, s.client)
		if err != nil {
			return nil, err
		}
		sent := after.since(before)
		rows = append(rows, cliRow{
			Place: p.name, Shape: shape, Entries: entries, Subject: subject.name, Step: step.name,
			Seconds: []float64{took}, Requests: []int{sent.total()}, Verbs: []counts{sent}, PeakMiB: []float64{peak},
		})
		fmt.Fprintf(&told, "  %s %.2f s, %d requests", step.name, took, sent.total())
	}
	say("%-10s %-16s %5d %-10s%s", p.name, shape, entries, subject.name, told.String())
	return rows, nil
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
	if shape != manyMaps {
		if err := maps.Delete(ctx, "bench", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		data := map[string]string{}
		switch shape {
		case fullPool:
			data["pool"] = crowded()
		case oneDocument:
			data["config.yaml"] = "items: []\n"
		}
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "bench"}, Data: data}, metav1.CreateOptions{})
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

// crowded is a pool that others have taken much of, as the provider writes it.
func crowded() string {
	members := make([]string, crowd)
	for i := range members {
		members[i] = fmt.Sprintf(`"%d":{"claimant":"shop/web","id":"ABCDEFGHIJK%05d","since":"2026-11-25T01:47:11Z"}`, firstNumber+i, i)
	}
	return "{\n" + strings.Join(members, ",\n") + "\n}"
}
