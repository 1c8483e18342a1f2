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

// Flat returns the output of a command without frames and line breaks, so that wrapped text can be found.
func Flat(output string) string { return frame.ReplaceAllString(output, " ") }

// Shows reports whether an output has the text of a page, in order. A line of "..." in the page marks an omission. Versions,
// times, durations and other possible writers differ from run to run, and are not compared.
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

// lasting returns flat text with placeholders for the parts that differ from run to run.
func lasting(text string) string {
	text = now.ReplaceAllString(version.ReplaceAllString(Flat(text), "${1}VERSION"), "VERSION now")
	return duration.ReplaceAllString(moment.ReplaceAllString(text, "TIME"), "${1}DURATION")
}
