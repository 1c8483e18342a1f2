package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

//go:embed report.md.tmpl
var page string

// report is the page that shows the results.
func report(r *results) ([]byte, error) {
	t, err := template.New("report").Parse(page)
	if err != nil {
		return nil, err
	}
	has := func(subject string) bool {
		return slices.ContainsFunc(r.CLI, func(row cliRow) bool { return row.Subject == subject })
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Runs": r.Runs, "Targets": targetsOf(r), "Peer": has(subjectPeer), "Beside": has(subjectBeside), "Numbers": has(subjectEntries),
		"CLI": cliTables(r.CLI), "Allocations": cliTables(r.Allocations), "Engine": engineTables(r.Engine), "Processes": processLines(r.Processes), "Binaries": binaryLines(r.Binaries),
	})
	return out.Bytes(), err
}

type cliTable struct {
	Title   string
	Rounds  int
	Columns []string
	Lines   []cliLine
}

type cliLine struct {
	Step  string
	Cells []string
}

// ratioColumn is the time of this provider as a part of the time of another build.
const ratioColumn = subjectCAS + " / " + subjectBeside

// cliTables has a table for each place, shape and number of entries, a line for each step and one for memory, and a column
// for each subject.
func cliTables(rows []cliRow) []*cliTable {
	var tables []*cliTable
	for _, row := range rows {
		if row.Subject != subjectCAS || row.Step != steps[0].name {
			continue
		}
		t := &cliTable{Title: row.title(), Rounds: len(row.Seconds)}
		lines := make([]cliLine, stepsOf(row.Shape))
		memory := cliLine{Step: "memory"}
		for _, subject := range subjectNames {
			if _, ok := find(rows, row, subject, row.Step); !ok {
				continue
			}
			t.Columns = append(t.Columns, subject)
			most := 0.0
			for i := range lines {
				cell, _ := find(rows, row, subject, steps[i].name)
				lines[i].Step, lines[i].Cells = steps[i].name, append(lines[i].Cells, cell.text(rows))
				most = max(most, slices.Max(cell.PeakMiB))
			}
			memory.Cells = append(memory.Cells, fmt.Sprintf("%.0f MiB", most))
		}
		if slices.Contains(t.Columns, subjectBeside) {
			t.Columns = append(t.Columns, ratioColumn)
			for i := range lines {
				cell, _ := find(rows, row, subjectCAS, steps[i].name)
				lines[i].Cells = append(lines[i].Cells, cell.beside(rows))
			}
			memory.Cells = append(memory.Cells, "")
		}
		t.Lines = slices.Concat(lines, []cliLine{memory})
		tables = append(tables, t)
	}
	return tables
}

func (r cliRow) title() string {
	many := "entries"
	if noun(r.Shape) != "entry" {
		many = noun(r.Shape) + "s"
	}
	return fmt.Sprintf("%d %s of %s, %s", r.Entries, many, r.Shape, r.Place)
}

// String is the table for a terminal.
func (t *cliTable) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, rounds: %d\n", t.Title, t.Rounds)
	for _, line := range t.Lines {
		for i, cell := range line.Cells {
			if cell == "" {
				continue
			}
			fmt.Fprintf(&out, "  %-8s %-12s %s\n", line.Step, t.Columns[i], cell)
		}
	}
	return out.String()
}

// find is the row of a subject and a step that was measured where another one was.
func find(rows []cliRow, beside cliRow, subject, step string) (cliRow, bool) {
	i := slices.IndexFunc(rows, func(row cliRow) bool {
		return row.Place == beside.Place && row.Shape == beside.Shape && row.Entries == beside.Entries &&
			row.Subject == subject && row.Step == step
	})
	if i < 0 {
		return cliRow{}, false
	}
	return rows[i], true
}

// multiple is the time of the row as a multiple of the floor, or of the reference.
func (r cliRow) multiple(rows []cliRow) float64 {
	reference, ok := find(rows, r, referenceOf(r.Shape), r.Step)
	if !ok {
		return 0
	}
	return ratio(r.Seconds, reference.Seconds)
}

// requestsEach is the median of the requests for each entry.
func (r cliRow) requestsEach() float64 {
	var each []float64
	for _, n := range r.Requests {
		each = append(each, float64(n)/float64(r.Entries))
	}
	return median(each)
}

// verbsEach is the mean of the requests for each entry, by verb.
func (r cliRow) verbsEach() string {
	all := counts{}
	for _, round := range r.Verbs {
		for verb, n := range round {
			all[verb] += n
		}
	}
	return all.each(r.Entries * len(r.Verbs))
}

func (r cliRow) text(rows []cliRow) string {
	text := fmt.Sprintf("%.2f s", median(r.Seconds))
	if r.Subject == subjectFloor {
		return text
	}
	if multiple := r.multiple(rows); multiple > 0 && r.Subject != referenceOf(r.Shape) {
		text += fmt.Sprintf(" = %.2f x", multiple)
	}
	each := "an entry"
	if r.Subject != subjectEntries {
		each = map[string]string{"entry": each, "number": "a number", "field": "a field", "item": "an item", "allocation": "an allocation"}[noun(r.Shape)]
	}
	text += fmt.Sprintf(", %.2f requests %s", r.requestsEach(), each)
	if verbs := r.verbsEach(); verbs != "" {
		text += " (" + verbs + ")"
	}
	return text
}

// beside is the time of the row as a part of the time of another build, with its interval.
func (r cliRow) beside(rows []cliRow) string {
	other, _ := find(rows, r, subjectBeside, r.Step)
	each := paired(r.Seconds, other.Seconds)
	low, high, ok := interval(each)
	if !ok {
		return fmt.Sprintf("%.2f, rounds from %.2f to %.2f", median(each), low, high)
	}
	return fmt.Sprintf("%.2f, 95 %%: %.2f to %.2f", median(each), low, high)
}

type engineTable struct {
	Title   string
	Writers []string
	Lines   []engineLine
}

type engineLine struct {
	Swaps, Parallel int
	Cells           []string
}

// engineTables has a table for each place, shape and size, and a line for each cell.
func engineTables(rows []engineRow) []*engineTable {
	var tables []*engineTable
	for _, row := range rows {
		title := fmt.Sprintf("%s of %d KiB, %s", row.Shape, row.KiB, row.Place)
		i := slices.IndexFunc(tables, func(t *engineTable) bool { return t.Title == title })
		if i < 0 {
			i = len(tables)
			tables = append(tables, &engineTable{Title: title})
		}
		t := tables[i]
		if !slices.Contains(t.Writers, row.Writer) {
			t.Writers = append(t.Writers, row.Writer)
		}
		if n := len(t.Lines); n == 0 || t.Lines[n-1].Swaps != row.Swaps || t.Lines[n-1].Parallel != row.Parallel {
			t.Lines = append(t.Lines, engineLine{Swaps: row.Swaps, Parallel: row.Parallel})
		}
		line := &t.Lines[len(t.Lines)-1]
		line.Cells = append(line.Cells, row.text())
	}
	return tables
}

func (r engineRow) text() string {
	made := 0
	for _, done := range r.Done {
		made += done
	}
	if made == 0 {
		return fmt.Sprintf("**capped**: none in %.0f s", median(r.Seconds))
	}
	text := fmt.Sprintf("%.2f ms, %.2f requests, %.1f kB", r.milliseconds(), r.perSwap(r.Requests), r.perSwap(r.Bytes)/1000)
	if r.Capped {
		text += fmt.Sprintf(", **capped** after %d", slices.Min(r.Done))
	}
	return text
}

type processLine struct {
	Place                        string
	Processes, Writes, Conflicts int
	Requests, Slowest, Rate      string
}

func processLines(rows []processRow) (lines []processLine) {
	for _, r := range rows {
		lines = append(lines, processLine{
			Place: r.Place, Processes: r.Processes, Writes: r.Writes, Conflicts: r.conflicts(),
			Requests: fmt.Sprintf("%.2f", median(r.Requests)), Slowest: fmt.Sprintf("%.0f ms", 1000*median(r.Slowest)),
			Rate: fmt.Sprintf("%.0f", float64(r.Processes*r.Writes)/median(r.Seconds)),
		})
	}
	return lines
}

func (r processRow) conflicts() (sum int) {
	for _, n := range r.Conflicts {
		sum += n
	}
	return sum
}

type binaryLine struct{ Subject, Size, Start string }

func binaryLines(rows []binaryRow) (lines []binaryLine) {
	for _, r := range rows {
		lines = append(lines, binaryLine{r.Subject, fmt.Sprintf("%.1f MB", float64(r.Bytes)/1e6), fmt.Sprintf("%.1f ms", median(r.Starts))})
	}
	return lines
}

// verdict is a target beside what was measured.
type verdict struct {
	What, Limit, Measured string
	Met                   bool
}

// limits are the targets for entries of one ConfigMap, in the order of steps.
var limits = map[string]struct {
	multiples []float64
	requests  float64 // an entry, of a create with its plan
	shared    float64 // requests a write of processes that share a ConfigMap: each write retries after a conflict of versions
}{
	loopback: {[]float64{1.15, 1.15, 1.15, 1.15}, 0.5, 5},
	far:      {[]float64{1.25, 1.15, 1.25, 1.25}, 0.3, 10},
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
	for _, row := range r.Allocations {
		if row.Subject == subjectCAS && row.Shape == onePool && row.Entries == targetEntries && row.Step == steps[0].name {
			all = append(all, atMost(fmt.Sprintf("%s of %s: requests an allocation", row.Step, row.title()), 0.3, row.requestsEach()))
		}
	}
	for _, row := range r.Processes {
		if row.Processes == targetProcesses {
			what := fmt.Sprintf("%d processes, %s", row.Processes, row.Place)
			all = append(all,
				atMost(what+": requests a write", limits[row.Place].shared, median(row.Requests)),
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
