package message

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

var (
	shownWhole = regexp.MustCompile(`(?s)^(?:base64 )?(".*")$`)
	shownCut   = regexp.MustCompile(`(?s)^(?:base64 )?(…?)(".*")(…?) \((\d+) bytes, (sha256:[0-9a-f]{64})\)$`)
	shownNever = regexp.MustCompile(`^(?:\(absent\)|\(hidden, (?:base64 )?\d+ bytes, sha256:[0-9a-f]{64}\))$`)
)

// FuzzRenderPair checks that the shown texts of any two values are short parts of the values, and contain the place where
// the values differ. With hidden values, only lengths and digests are shown.
func FuzzRenderPair(f *testing.F) {
	long := strings.Repeat("x", 200)
	for _, a := range []string{"", "1", "(absent)", long, long + "é", strings.Repeat("€", 100), strings.Repeat("😀\u0301", 50), "\u2028\"\\\x00", long + "…\""} {
		for _, b := range []string{"2", a + "b", long + "è" + long, strings.Repeat("€", 99) + "₭"} {
			f.Add(byte(1), a, byte(1), b)
			f.Add(byte(2), a, byte(1), b)
		}
	}
	f.Add(byte(1), strings.Repeat("\x80", 300)+"a", byte(1), strings.Repeat("\x80", 300)+"b")
	f.Add(byte(1), long+strings.Repeat("\x80", 300)+"a", byte(1), long+strings.Repeat("\x80", 300)+"b")
	of := func(kind byte, content string) eval.Value {
		return []eval.Value{{}, eval.Text(content), eval.Binary([]byte(content))}[kind%3]
	}
	f.Fuzz(func(t *testing.T, kindA byte, contentA string, kindB byte, contentB string) {
		a, b := of(kindA, contentA), of(kindB, contentB)
		shownA, shownB := renderPair(a, b, ShowValues)
		if (shownA == shownB) != (a == b) && a.Digest() != b.Digest() {
			t.Errorf("%#v and %#v are both shown as\n%s", a, b, shownA)
		}
		at := 0
		for at < min(len(content(a)), len(content(b))) && content(a)[at] == content(b)[at] {
			at++
		}
		checkShown(t, a, shownA, at)
		checkShown(t, b, shownB, at)
		checkShown(t, a, renderOne(a, ShowValues), 0)
		for e, s := range map[eval.Value]string{a: first(renderPair(a, b, ShowDigests)), b: renderOne(b, ShowDigests)} {
			if !shownNever.MatchString(s) {
				t.Errorf("%#v is hidden as\n%s", e, s)
			}
		}
	})
}

func first(a, _ string) string { return a }

// checkShown fails the test unless s shows the entry, at the place that matters.
func checkShown(t *testing.T, e eval.Value, s string, at int) {
	t.Helper()
	whole := content(e)
	if !utf8.ValidString(s) || len(s) > 1000 {
		t.Errorf("%#v is shown as\n%s", e, s)
	}
	if e.IsAbsent() || len(whole) <= wholeBytes {
		match := shownWhole.FindStringSubmatch(s)
		if e.IsAbsent() != (s == "(absent)") || !e.IsAbsent() && (match == nil || unquoted(t, match[1]) != whole) {
			t.Errorf("%#v is shown as\n%s", e, s)
		}
		return
	}
	match := shownCut.FindStringSubmatch(s)
	if match == nil || match[4] != strconv.Itoa(e.Size()) || !strings.HasSuffix(e.Digest(), strings.TrimPrefix(match[5], "sha256")) {
		t.Errorf("%#v is shown as\n%s", e, s)
		return
	}
	part := unquoted(t, match[2])
	if utf8.ValidString(whole) && !utf8.ValidString(part) {
		t.Errorf("%q is cut within a rune:\n%s", whole, s)
	}
	from := runeStart(whole, at-contextBytes)
	if !strings.HasPrefix(whole[from:], part) || (match[1] != "") != (from > 0) || (match[3] != "") != (from+len(part) < len(whole)) ||
		at < len(whole) && from+len(part) <= at {
		t.Errorf("%q, which differs at %d, is shown as\n%s", whole, at, s)
	}
	if len(part) > 2*contextBytes+2*utf8.UTFMax {
		t.Errorf("%d bytes are shown of %q", len(part), whole)
	}
}

func unquoted(t *testing.T, s string) string {
	t.Helper()
	part, err := strconv.Unquote(s)
	if err != nil {
		t.Errorf("%s: %v", s, err)
	}
	return part
}
