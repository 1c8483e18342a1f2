package message

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestRenderPair(t *testing.T) {
	t.Parallel()
	long := func(at int, mark string) string { return strings.Repeat("x", at) + mark + strings.Repeat("y", 500-at) }
	summary := func(s string) string { return fmt.Sprintf("(%d bytes, sha256:%x)", len(s), sha256.Sum256([]byte(s))) }
	x40, y39 := strings.Repeat("x", 40), strings.Repeat("y", 39)
	euros := strings.Repeat("€", 200) // three bytes each
	for name, test := range map[string]struct {
		a, b         eval.Value
		hide         Hiding
		wantA, wantB string
	}{
		"short":           {a: eval.Text("1"), b: eval.Text("2"), wantA: `"1"`, wantB: `"2"`},
		"absent":          {a: eval.Value{}, b: eval.Text(""), wantA: `(absent)`, wantB: `""`},
		"control":         {a: eval.Text("a\n\t\"\\\r"), b: eval.Text("\u2028\x00"), wantA: `"a\n\t\"\\\r"`, wantB: `"\u2028\x00"`},
		"emoji and marks": {a: eval.Text("😀"), b: eval.Text("café"), wantA: `"😀"`, wantB: `"café"`},
		"bytes":           {a: eval.Binary([]byte{0, 1}), b: eval.Text("AAE="), wantA: `base64 "AAE="`, wantB: `"AAE="`},
		"120 bytes are shown whole": {
			a: eval.Text(strings.Repeat("x", 120)), b: eval.Text(strings.Repeat("x", 119)),
			wantA: `"` + strings.Repeat("x", 120) + `"`, wantB: `"` + strings.Repeat("x", 119) + `"`,
		},
		"121 bytes are not": {
			a: eval.Text(strings.Repeat("x", 121)), b: eval.Value{},
			wantA: `"` + x40 + `"… ` + summary(strings.Repeat("x", 121)), wantB: `(absent)`,
		},
		"a difference at the beginning": {
			a: eval.Text(long(0, "1")), b: eval.Text(long(0, "2")),
			wantA: `"1` + y39 + `"… ` + summary(long(0, "1")), wantB: `"2` + y39 + `"… ` + summary(long(0, "2")),
		},
		"a difference in the middle": {
			a: eval.Text(long(250, "1")), b: eval.Text(long(250, "2")),
			wantA: `…"` + x40 + `1` + y39 + `"… ` + summary(long(250, "1")), wantB: `…"` + x40 + `2` + y39 + `"… ` + summary(long(250, "2")),
		},
		"a difference at the end": {
			a: eval.Text(long(500, "1")), b: eval.Text(long(500, "")),
			wantA: `…"` + x40 + `1" ` + summary(long(500, "1")), wantB: `…"` + x40 + `" ` + summary(long(500, "")),
		},
		"a long one beside a short one": {
			a: eval.Text("xx"), b: eval.Text(long(0, "xxx")),
			wantA: `"xx"`, wantB: `"xxx` + y39 + `"… ` + summary(long(0, "xxx")),
		},
		"a cut falls between runes": {
			a: eval.Text(euros + "1"), b: eval.Text(euros + "2"),
			wantA: `…"` + strings.Repeat("€", 14) + `1" ` + summary(euros+"1"), wantB: `…"` + strings.Repeat("€", 14) + `2" ` + summary(euros+"2"),
		},
		"hidden": {
			a: eval.Text("secret"), b: eval.Binary([]byte("secret")), hide: ShowDigests,
			wantA: fmt.Sprintf("(hidden, 6 bytes, sha256:%x)", sha256.Sum256([]byte("secret"))),
			wantB: fmt.Sprintf("(hidden, base64 6 bytes, sha256:%x)", sha256.Sum256([]byte("secret"))),
		},
		"hidden and absent": {
			a: eval.Value{}, b: eval.Text(""), hide: ShowDigests,
			wantA: "(absent)", wantB: fmt.Sprintf("(hidden, 0 bytes, sha256:%x)", sha256.Sum256(nil)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a, b := renderPair(test.a, test.b, test.hide); a != test.wantA || b != test.wantB {
				t.Errorf("got\n%s\n%s\nwant\n%s\n%s", a, b, test.wantA, test.wantB)
			}
		})
	}
}

var shown = regexp.MustCompile(`(?s)^(?:base64 )?…?(".*")…?(?: \((\d+) bytes, sha256:[0-9a-f]{64}\))?$`)

// The shown texts of two entries are short parts of the values, and differ.
func TestRenderPairOfAnything(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2)) // the same each time
	alphabet := []rune("ab\n\"\\€é😀\u2028\u0301\x00")
	random := func(n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteRune(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	of := func(s string) eval.Value {
		if r.IntN(4) == 0 {
			return eval.Binary([]byte(s))
		}
		return eval.Text(s)
	}
	for range 2_000 { // make fuzz takes many more
		same := random(400)
		a, b := of(same+random(200)), of(same+random(200))
		shownA, shownB := renderPair(a, b, ShowValues)
		if (shownA == shownB) != (a == b) {
			t.Fatalf("%#v and %#v are shown as\n%s\n%s", a, b, shownA, shownB)
		}
		for e, s := range map[eval.Value]string{a: shownA, b: shownB} {
			match := shown.FindStringSubmatch(s)
			if match == nil || !utf8.ValidString(s) || len(s) > 1000 {
				t.Fatalf("%#v is shown as\n%s", e, s)
			}
			part, err := strconv.Unquote(match[1])
			switch {
			case err != nil || !strings.Contains(content(e), part):
				t.Fatalf("%s is not part of %q (%v)", match[1], content(e), err)
			case match[2] == "" && part != content(e):
				t.Fatalf("%q is shown as %s alone", content(e), match[1])
			case match[2] != "" && match[2] != strconv.Itoa(e.Size()):
				t.Fatalf("%d bytes are said to be %s", e.Size(), match[2])
			}
		}
		hiddenA, hiddenB := renderPair(a, b, ShowDigests)
		if (hiddenA == hiddenB) != (a.Digest() == b.Digest() && a.Size() == b.Size()) || strings.Contains(hiddenA+hiddenB, `"`) {
			t.Fatalf("%#v and %#v are hidden as\n%s\n%s", a, b, hiddenA, hiddenB)
		}
	}
}
