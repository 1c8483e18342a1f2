package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Fact is one line of a diagnostic. Where its value has several lines, they follow below it.
type Fact struct{ Name, Value string }

// Detail is the form of all details: one sentence of what happened, the facts, and one next step that works. The command line wraps
// no line that is indented.
func Detail(happened string, facts []Fact, next string) string {
	width := 0
	for _, f := range facts {
		width = max(width, len(f.Name))
	}
	lines := make([]string, len(facts))
	for i, f := range facts {
		lines[i] = fmt.Sprintf("  %-*s  %s", width+1, f.Name+":", strings.ReplaceAll(f.Value, "\n", "\n    "))
	}
	parts := []string{happened, strings.Join(lines, "\n"), next}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}

// mostNames is how many names a diagnostic lists.
const mostNames = 10

// Nearest lists names that exist, those most like the missing one first.
func Nearest(missing string, names []string) string {
	if len(names) == 0 {
		return "(none)"
	}
	distance := map[string]int{}
	for _, name := range names {
		distance[name] = levenshtein.Distance(missing, name, nil)
	}
	names = slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b))
	})
	more := ""
	if len(names) > mostNames {
		more = fmt.Sprintf(" and %d more", len(names)-mostNames)
		names = names[:mostNames]
	}
	return strings.Join(names, ", ") + more
}

// enumerate lists keys in a sentence.
func enumerate(keys []string) string {
	switch n := len(keys); {
	case n > 3:
		return fmt.Sprintf("%d keys", n)
	case n > 1:
		return strings.Join(keys[:n-1], ", ") + " and " + keys[n-1]
	default:
		return strings.Join(keys, "")
	}
}

// number chooses the words for one or for several.
func number(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
