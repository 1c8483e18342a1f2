package message

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// numbered returns a text of n lines. changed replaces some of the lines.
func numbered(n int, changed map[int]string) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
		if other, ok := changed[i+1]; ok {
			lines[i] = other
		}
	}
	return strings.Join(lines, "\n")
}

func TestLineDiff(t *testing.T) {
	t.Parallel()
	all := map[int]string{}
	for i := range 30 {
		all[i+1] = "other"
	}
	for name, test := range map[string]struct {
		a, b eval.Value
		want string
	}{
		"one line":            {eval.Text("1"), eval.Text("2"), ""},
		"one line of a file":  {eval.Text("1\n"), eval.Text("2\n"), ""},
		"bytes":               {eval.Binary([]byte("1\n2")), eval.Text("1\n3"), ""},
		"an absent one":       {eval.Text("1\n2"), eval.Value{}, ""},
		"a long line changed": {eval.Text(numbered(9, map[int]string{4: strings.Repeat("x", 121)})), eval.Text(numbered(9, nil)), ""},
		"too many lines":      {eval.Text(strings.Repeat("a\n", 2001)), eval.Text(strings.Repeat("b\n", 2001)), ""},
		"one line becomes two": {
			eval.Text("1"), eval.Text("1\n2"),
			"@@ -1 +1,2 @@\n 1\n+2",
		},
		"three lines around a change": {
			eval.Text(numbered(9, nil)), eval.Text(numbered(9, map[int]string{5: "other"})),
			"@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+other\n line 6\n line 7\n line 8",
		},
		"two changes far apart": {
			eval.Text(numbered(20, nil)), eval.Text(numbered(20, map[int]string{1: "a", 20: "b"})),
			"@@ -1,4 +1,4 @@\n-line 1\n+a\n line 2\n line 3\n line 4\n@@ -17,4 +17,4 @@\n line 17\n line 18\n line 19\n-line 20\n+b",
		},
		"twenty lines": {
			eval.Text(numbered(12, nil)), eval.Text(numbered(12, map[int]string{4: "a", 5: "b", 6: "c", 7: "d", 8: "e", 9: "f"})),
			"@@ -1,12 +1,12 @@\n line 1\n line 2\n line 3\n-line 4\n-line 5\n-line 6\n-line 7\n-line 8\n-line 9\n+a\n+b\n+c\n+d\n+e\n+f\n line 10\n line 11\n line 12",
		},
		"more than twenty lines": {
			eval.Text(numbered(30, nil)), eval.Text(numbered(30, all)),
			"@@ -1,30 +1,30 @@\n-line 1\n-line 2\n-line 3\n-line 4\n-line 5\n-line 6\n-line 7\n-line 8\n-line 9\n-line 10\n-line 11\n-line 12\n-line 13\n" +
				"-line 14\n-line 15\n-line 16\n-line 17\n-line 18\nand 42 more lines",
		},
		"the newline at the end": {eval.Text("a\nb"), eval.Text("a\nb\n"), "@@ -1,2 +1,3 @@\n a\n b\n+"},
		"what a terminal would take for more": {
			eval.Text("a\nb\x1b[31m"), eval.Text("a\r\n\"b\tc\""),
			`@@ -1,2 +1,2 @@` + "\n-a\n" + `-"b\x1b[31m"` + "\n" + `+"a\r"` + "\n" + `+"\"b\tc\""`,
		},
		"a tab": {eval.Text("a:\n\tb"), eval.Text("a:\n\tc"), "@@ -1,2 +1,2 @@\n a:\n-\tb\n+\tc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, lineDiff(test.a, test.b, diffLines)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoDifferenceIsShownOfHiddenValues(t *testing.T) {
	t.Parallel()
	got := Subject{Hide: ShowDigests}.compare("Expected", eval.Text("a\nsecret\nb"), "Found", eval.Text("a\nother\nb"))
	want := []Fact{
		{"Expected", fmt.Sprintf("(hidden, 10 bytes, sha256:%x)", sha256.Sum256([]byte("a\nsecret\nb")))},
		{"Found", fmt.Sprintf("(hidden, 9 bytes, sha256:%x)", sha256.Sum256([]byte("a\nother\nb")))},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzLineDiff: what is shown of a difference is short, and a terminal shows it as it is.
func FuzzLineDiff(f *testing.F) {
	f.Add("a\nb", "a\nc")
	f.Add(numbered(40, nil), numbered(40, map[int]string{1: "\x00", 20: "\xff", 40: ""}))
	f.Fuzz(func(t *testing.T, a, b string) {
		diff := lineDiff(eval.Text(a), eval.Text(b), diffLines)
		if !utf8.ValidString(diff) || strings.Count(diff, "\n") >= 20 || strings.ContainsAny(diff, "\x00\x1b\r") {
			t.Errorf("%q and %q differ by\n%s", a, b, diff)
		}
		if diff != "" && a != b && !strings.Contains("\n"+diff, "\n+") && !strings.Contains("\n"+diff, "\n-") {
			t.Errorf("%q and %q do not differ by\n%s", a, b, diff)
		}
	})
}
