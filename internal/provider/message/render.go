package message

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Hiding says how much diagnostics show of values.
type Hiding uint8

const (
	ShowValues  Hiding = iota
	ShowDigests        // and lengths
	ShowNothing        // but whether there is one
)

// HideIf hides values behind their digests.
func HideIf(hide bool) Hiding {
	if hide {
		return ShowDigests
	}
	return ShowValues
}

const (
	// wholeBytes is up to how many bytes a value is shown whole.
	wholeBytes = 120
	// contextBytes is how much of a longer value is shown on either side of the place that matters.
	contextBytes = 40
)

// renderPair shows two entries beside each other. Long ones are cut to where they differ, with length and SHA-256;
// where digests are shown, by these alone.
func renderPair(a, b eval.Value, hide Hiding) (string, string) {
	at := 0
	contentA, contentB := content(a), content(b)
	for at < len(contentA) && at < len(contentB) && contentA[at] == contentB[at] {
		at++
	}
	return render(a, at, hide), render(b, at, hide)
}

// renderOne shows one entry, a long one by its beginning.
func renderOne(e eval.Value, hide Hiding) string { return render(e, 0, hide) }

// content is the form in which an entry is shown: text as it is, bytes as base64.
func content(e eval.Value) string {
	if v, ok := e.Text(); ok {
		return v
	}
	if b, ok := e.Binary(); ok {
		return base64.StdEncoding.EncodeToString(b)
	}
	if raw, ok := e.JSON(); ok {
		return string(raw)
	}
	return ""
}

func render(e eval.Value, at int, hide Hiding) string {
	if e.IsAbsent() {
		return "(absent)"
	}
	if hide == ShowNothing {
		return "(sensitive)"
	}
	where, digest, _ := strings.Cut(e.Digest(), ":")
	prefix := ""
	if where == "binaryData" {
		prefix = "base64 "
	}
	summary := fmt.Sprintf("%d bytes, sha256:%s", e.Size(), digest)
	if hide == ShowDigests {
		return fmt.Sprintf("(hidden, %s%s)", prefix, summary)
	}
	s, quote := content(e), strconv.Quote
	if isStructured(e) { // JSON has quotes of its own
		quote = printable
	}
	if len(s) <= wholeBytes {
		return prefix + quote(s)
	}
	from, to := runeStart(s, at-contextBytes), runeStart(s, at+contextBytes)
	cut := quote(s[from:to])
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(s) {
		cut += "…"
	}
	return fmt.Sprintf("%s%s (%s)", prefix, cut, summary)
}

// runeStart is the last beginning of a rune at or before i, within s; i itself where s is no UTF-8 there.
func runeStart(s string, i int) int {
	i = max(0, min(i, len(s)))
	for start := i; start > i-utf8.UTFMax; start-- {
		if start <= 0 || start == len(s) || utf8.RuneStart(s[start]) {
			return max(0, start)
		}
	}
	return i
}

// quoteHCL is a value as a configuration has it, and false where it must not be quoted: hidden, bytes, long, or more
// than one plain line.
func quoteHCL(e eval.Value, hide Hiding) (string, bool) {
	value, isText := e.Text()
	literal := strconv.Quote(value)
	if isStructured(e) { // HCL reads JSON, except for two of its escapes
		value, literal = content(e), content(e)
		isText = !strings.Contains(value, `\b`) && !strings.Contains(value, `\f`)
	}
	if hide != ShowValues || !isText || !isPlain(value) || len(value) > wholeBytes {
		return "", false
	}
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(literal), true
}

// isPlain reports whether a text can stand in one line as it is.
func isPlain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

const (
	diffContext = 3
	// diffLines is how many lines of a difference are shown, and fieldDiffLines how many of one of fields.
	diffLines, fieldDiffLines = 20, 10
	// comparedLines is up to how many lines are compared: it takes quadratic time.
	comparedLines = 4000
)

// lineDiff shows where two texts differ, line by line. It is empty where neither has several lines, and where they have
// too many or too long ones.
func lineDiff(a, b eval.Value, most int) string {
	textA, isA := a.Text()
	textB, isB := b.Text()
	if !isA || !isB || !isMultiline(textA) && !isMultiline(textB) ||
		strings.Count(textA, "\n")+strings.Count(textB, "\n") > comparedLines {
		return ""
	}
	diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: printableLines(textA), B: printableLines(textB),
		Context: diffContext,
	})
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most-1:most-1], fmt.Sprintf("and %d more lines", len(lines)-most+1))
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
		isOdd := strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }) ||
			!utf8.ValidString(line)
		if isOdd || strings.HasPrefix(line, `"`) { // else one that is quoted looks like one that has quotes
			line = strconv.Quote(line)
		}
		lines[i] = line + "\n"
	}
	return lines
}
