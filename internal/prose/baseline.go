package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// finding is one place that a rule of Vale rejects.
type finding struct {
	line, column  int
	message, rule string
}

// entry is a line of the baseline: a file that had findings when the rules were introduced.
type entry struct {
	hash  string // of its prose
	count int    // of its findings
	path  string
}

func (e entry) String() string { return fmt.Sprintf("%s %d %s", e.hash, e.count, e.path) }

func parseBaseline(text string) ([]entry, error) {
	var entries []entry
	for line := range strings.Lines(text) {
		var e entry
		if _, err := fmt.Sscanf(line, "%s %d %s\n", &e.hash, &e.count, &e.path); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", baselinePath, line, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// compare decides which findings the baseline accepts. It returns the problems, and the entries that still apply: to a file
// with findings whose prose is unchanged. An entry follows a file that was moved.
func compare(docs []document, findings map[string][]finding, baseline []entry) (problems []string, accepted []entry) {
	byPath, moved := map[string]entry{}, map[string]entry{}
	for _, e := range baseline {
		byPath[e.path] = e
	}
	for _, e := range baseline {
		if !slices.ContainsFunc(docs, func(d document) bool { return d.path == e.path }) {
			moved[e.hash] = e
		}
	}
	applied := map[string]bool{} // by the path in the baseline
	for _, d := range docs {
		found := findings[d.path]
		e, isListed := byPath[d.path]
		if e.hash != d.hash {
			e = moved[d.hash]
		}
		switch {
		case len(found) == 0:
		case e.hash == d.hash:
			applied[e.path] = true
			accepted = append(accepted, entry{d.hash, len(found), d.path})
		default:
			for _, f := range found {
				problems = append(problems, fmt.Sprintf("%s:%d:%d: %s (%s)", d.path, f.line, f.column, f.message, f.rule))
			}
			if isListed {
				problems = append(problems, d.path+": its prose has changed, so the baseline does not accept it any more")
			}
		}
	}
	for i, e := range baseline {
		if !applied[e.path] {
			problems = append(problems, fmt.Sprintf("%s:%d: remove the line, or run make prose-baseline: "+
				"%s is clean, changed or missing", baselinePath, i+1, e.path))
		}
	}
	slices.SortFunc(accepted, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	return problems, accepted
}
