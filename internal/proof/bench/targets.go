package main

import "fmt"

// verdict is a target beside what was measured.
type verdict struct {
	What, Limit, Measured string
	Met                   bool
}

// limits are the targets for entries of one ConfigMap, in the order of steps.
var limits = map[string]struct {
	multiples []float64
	requests  float64 // an entry, of a create with its plan
}{
	loopback: {[]float64{1.15, 1.15, 1.15, 1.15}, 0.5},
	far:      {[]float64{1.25, 1.15, 1.25, 1.25}, 0.3},
}

// The numbers that the targets are about.
const (
	targetEntries   = 200
	targetProcesses = 16
)

// targetsOf holds the results against the targets.
func targetsOf(r *results) []verdict {
	var all []verdict
	for _, row := range r.CLI {
		if row.Subject != subjectCAS || row.Shape != oneMap || row.multiple(r.CLI) == 0 {
			continue // also where the floor was not measured
		}
		for i, step := range steps {
			if step.name == row.Step {
				all = append(all, row.verdicts(r.CLI, limits[row.Place].multiples[i])...)
			}
		}
	}
	for _, row := range r.Processes {
		if row.Processes == targetProcesses {
			what := fmt.Sprintf("%d processes, %s", row.Processes, row.Place)
			all = append(all,
				atMost(what+": requests a write", 1.5, median(row.Requests)),
				verdict{what + ": false conflicts", "0", fmt.Sprint(row.conflicts()), row.conflicts() == 0})
		}
	}
	return all
}

// verdicts holds a row of this provider against its targets: where there are more entries than the targets are about, what it
// took of the floor with as many.
func (r cliRow) verdicts(rows []cliRow, limit float64) (all []verdict) {
	what := fmt.Sprintf("%s of %d entries, %s", r.Step, r.Entries, r.Place)
	switch {
	case r.Entries == targetEntries:
		all = append(all, atMost(what+": multiple of the floor", limit, r.multiple(rows)))
		if r.Step == steps[0].name {
			all = append(all, atMost(what+": requests an entry", limits[r.Place].requests, r.requestsEach()))
		}
	case r.Entries > targetEntries:
		fewer := r
		fewer.Entries = targetEntries
		if base, ok := find(rows, fewer, subjectCAS, r.Step); ok {
			all = append(all, atMost(fmt.Sprintf("%s: multiple of the floor, as with %d", what, targetEntries),
				base.multiple(rows), r.multiple(rows)))
		}
	}
	return all
}

func atMost(what string, limit, measured float64) verdict {
	return verdict{what, fmt.Sprintf("%.2f", limit), fmt.Sprintf("%.2f", measured), measured <= limit}
}
