package testcli

import (
	"regexp"
	"strings"
)

var (
	frame    = regexp.MustCompile(`[│╷╵\s]+`)
	version  = regexp.MustCompile(`(esourceVersion:? )\d+`)
	now      = regexp.MustCompile(`\d+ now\b`) // of a resourceVersion
	moment   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	duration = regexp.MustCompile(`(after |Waited: )[\dhms.]+`)
	writer   = regexp.MustCompile(`Changed by: (\S+ \\\(last write TIME[^)]*\\\))`) // in a pattern
)

// Flat is what a command printed without frames and line breaks, so that text can be looked for wherever it was wrapped.
func Flat(output string) string { return frame.ReplaceAllString(output, " ") }

// Shows reports whether what a page shows of an output is in it: all that the page does not leave out by a line of "...", in order,
// but for what differs from run to run: versions, times, durations, and who else may have made the change.
func Shows(page, output string) bool {
	output = lasting(output)
	for part := range strings.SplitSeq(page, "\n...\n") {
		pattern := regexp.QuoteMeta(strings.TrimSpace(lasting(strings.TrimSuffix(part, "...\n"))))
		pattern = writer.ReplaceAllString(pattern, `Changed by: (?:\S+ \(last write TIME[^)]*\) or )*$1(?: or \S+ \(last write TIME[^)]*\))*`)
		at := regexp.MustCompile(pattern).FindStringIndex(output)
		if at == nil {
			return false
		}
		output = output[at[1]:]
	}
	return true
}

// lasting is flat text with the same in place of what differs from run to run.
func lasting(text string) string {
	text = now.ReplaceAllString(version.ReplaceAllString(Flat(text), "${1}VERSION"), "VERSION now")
	return duration.ReplaceAllString(moment.ReplaceAllString(text, "TIME"), "${1}DURATION")
}
