package diagnose

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

const (
	diffContext = 3
	// diffLines is how many lines of a difference are shown.
	diffLines = 20
	// comparedLines is up to how many lines are compared: it takes quadratic time.
	comparedLines = 4000
)

// lineDiff shows where two texts differ, line by line. It is empty where neither has several lines, and where they have too many or too
// long ones.
func lineDiff(a, b cas.Entry) string {
	textA, isA := a.Text()
	textB, isB := b.Text()
	if !isA || !isB || !isMultiline(textA) && !isMultiline(textB) || strings.Count(textA, "\n")+strings.Count(textB, "\n") > comparedLines {
		return ""
	}
	diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: printableLines(textA), B: printableLines(textB), Context: diffContext})
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	if len(lines) > diffLines {
		lines = append(lines[:diffLines-1:diffLines-1], fmt.Sprintf("and %d more lines", len(lines)-diffLines+1))
	}
	for _, line := range lines {
		if len(line) > wholeBytes {
			return ""
		}
	}
	return strings.Join(lines, "\n")
}

// isMultiline reports whether a text has several lines. The newline at the end of a file makes no second line.
func isMultiline(text string) bool { return strings.Contains(strings.TrimSuffix(text, "\n"), "\n") }

// printableLines are the lines of a text, quoted where a terminal would not show them as they are.
func printableLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		isOdd := strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }) || !utf8.ValidString(line)
		if isOdd || strings.HasPrefix(line, `"`) { // else one that is quoted looks like one that has quotes
			line = strconv.Quote(line)
		}
		lines[i] = line + "\n"
	}
	return lines
}
