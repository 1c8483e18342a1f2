package diagnose

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

const (
	// wholeBytes is up to how many bytes a value is shown whole.
	wholeBytes = 120
	// contextBytes is how much of a longer value is shown on either side of the place that matters.
	contextBytes = 40
)

// renderPair shows two entries beside each other. Long ones are cut to where they differ, with length and SHA-256;
// where digests are shown, by these alone.
func renderPair(a, b cas.Entry, hide Hiding) (string, string) {
	at := 0
	contentA, contentB := content(a), content(b)
	for at < len(contentA) && at < len(contentB) && contentA[at] == contentB[at] {
		at++
	}
	return render(a, at, hide), render(b, at, hide)
}

// renderOne shows one entry, a long one by its beginning.
func renderOne(e cas.Entry, hide Hiding) string { return render(e, 0, hide) }

// content is the form in which an entry is shown: text as it is, bytes as base64.
func content(e cas.Entry) string {
	if v, ok := e.Text(); ok {
		return v
	}
	if b, ok := e.Binary(); ok {
		return base64.StdEncoding.EncodeToString(b)
	}
	return ""
}

func render(e cas.Entry, at int, hide Hiding) string {
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
	s := content(e)
	if len(s) <= wholeBytes {
		return prefix + strconv.Quote(s)
	}
	from, to := runeStart(s, at-contextBytes), runeStart(s, at+contextBytes)
	cut := strconv.Quote(s[from:to])
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

// quoteHCL is a value as a configuration has it, and false where it must not be quoted: hidden, bytes, long, or more than one plain line.
func quoteHCL(e cas.Entry, hide Hiding) (string, bool) {
	value, isText := e.Text()
	isPlain := utf8.ValidString(value) && !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) })
	if hide != ShowValues || !isText || !isPlain || len(value) > wholeBytes {
		return "", false
	}
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strconv.Quote(value)), true
}
