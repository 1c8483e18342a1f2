package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
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
	peer := slices.ContainsFunc(r.CLI, func(row cliRow) bool { return row.Subject == subjectPeer })
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Runs": r.Runs, "Targets": targetsOf(r), "Peer": peer, "CLI": cliTables(r.CLI), "Engine": engineTables(r.Engine),
		"Processes": processLines(r.Processes), "Binaries": binaryLines(r.Binaries),
	})
	return out.Bytes(), err
}

type cliTable struct {
	Place, Shape string
	Entries      int
	Rounds       int
	Subjects     []string
	Lines        []cliLine
}

type cliLine struct {
	Step  string
	Cells []string
}

// cliTables has a table for each place, shape and number of entries, a line for each step and one for memory, and a column
// for each subject.
func cliTables(rows []cliRow) []*cliTable {
	var tables []*cliTable
	for _, row := range rows {
		if row.Subject != subjectFloor || row.Step != steps[0].name {
			continue
		}
		t := &cliTable{Place: row.Place, Shape: row.Shape, Entries: row.Entries, Rounds: len(row.Seconds)}
		memory := cliLine{Step: "memory"}
		for _, subject := range []string{subjectFloor, subjectCAS, subjectPeer} {
			if _, ok := find(rows, row, subject, row.Step); ok {
				t.Subjects = append(t.Subjects, subject)
				most := 0.0
				for _, step := range steps {
					if cell, ok := find(rows, row, subject, step.name); ok {
						most = max(most, slices.Max(cell.PeakMiB))
					}
				}
				memory.Cells = append(memory.Cells, fmt.Sprintf("%.0f MiB", most))
			}
		}
		for _, step := range steps {
			line := cliLine{Step: step.name}
			for _, subject := range t.Subjects {
				cell, _ := find(rows, row, subject, step.name)
				line.Cells = append(line.Cells, cell.text(rows))
			}
			t.Lines = append(t.Lines, line)
		}
		t.Lines = append(t.Lines, memory)
		tables = append(tables, t)
	}
	return tables
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

// multiple is what the row takes of the floor.
func (r cliRow) multiple(rows []cliRow) float64 {
	floor, ok := find(rows, r, subjectFloor, r.Step)
	if !ok {
		return 0
	}
	return ratio(r.Seconds, floor.Seconds)
}

// requestsEach is the median of the requests for each entry.
func (r cliRow) requestsEach() float64 {
	var each []float64
	for _, n := range r.Requests {
		each = append(each, float64(n)/float64(r.Entries))
	}
	return median(each)
}

func (r cliRow) text(rows []cliRow) string {
	if r.Subject == subjectFloor {
		return fmt.Sprintf("%.2f s", median(r.Seconds))
	}
	return fmt.Sprintf("%.2f s = %.2f x, %.2f requests an entry", median(r.Seconds), r.multiple(rows), r.requestsEach())
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
