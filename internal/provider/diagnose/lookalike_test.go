package diagnose_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// noteOf is the note of a detail; empty where there is none.
func noteOf(detail string) string {
	_, note, _ := strings.Cut(detail, "\n  Note:")
	note, _, _ = strings.Cut(note, "\n")
	return strings.TrimSpace(note)
}

// TestLookalikes has notes about an expected and a found value that look the same.
func TestLookalikes(t *testing.T) {
	t.Parallel()
	const only = "expected_value and foo differ only in "
	binary := func(s string) cas.Entry { return cas.Binary([]byte(s)) }
	structure := func(s string) cas.Entry {
		e, err := cas.JSON([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for name, test := range map[string]struct {
		says, holds  cas.Entry
		note, remedy string
	}{
		"nothing alike":             {cas.Text("1"), cas.Text("2"), "", ""},
		"a newline at the end":      {cas.Text("1.0\n"), cas.Text("1.0"), only + "a trailing newline", "chomp(...)"},
		"a CRLF at the end":         {cas.Text("1.0\r\n"), cas.Text("1.0"), only + "a trailing newline", "chomp(...)"},
		"a newline that is missing": {cas.Text("1.0"), cas.Text("1.0\n"), only + "a trailing newline", ""},
		"more newlines":             {cas.Text("1.0\n\n"), cas.Text("1.0\n"), only + "a trailing newline", ""},
		"nothing but a newline":     {cas.Text("\n"), cas.Text(""), only + "a trailing newline", "chomp(...)"},
		"CRLF":                      {cas.Text("a\r\nb"), cas.Text("a\nb"), only + `line endings, CRLF or LF`, `replace(..., "\r\n", "\n")`},
		"LF":                        {cas.Text("a\nb"), cas.Text("a\r\nb"), only + "line endings, CRLF or LF", ""},
		"CRLF at the end alone": {
			cas.Text("1.0\r\n"), cas.Text("1.0\n"), only + `line endings, CRLF or LF`, `replace(..., "\r\n", "\n")`,
		},
		"CRLF, and a newline at the end": {
			cas.Text("a\r\nb\r\n"), cas.Text("a\nb"), only + `line endings, CRLF or LF, and a trailing newline`,
			`chomp(replace(..., "\r\n", "\n"))`,
		},
		"quotes":                        {cas.Text(`"1.0"`), cas.Text("1.0"), only + "quotes around the value", `trim(..., "\"'")`},
		"quotes that are missing":       {cas.Text("1.0"), cas.Text("'1.0'"), only + "quotes around the value", ""},
		"spaces around":                 {cas.Text("\t1.0 \n"), cas.Text("1.0"), only + "spaces around the value", "trimspace(...)"},
		"spaces that are missing":       {cas.Text("1.0"), cas.Text(" 1.0"), only + "spaces around the value", ""},
		"a space within":                {cas.Text("a b"), cas.Text("ab"), "", ""},
		"Unicode normal form":           {binary("caf\u00e9"), binary("cafe\u0301"), only + "Unicode normal form", ""},
		"case":                          {cas.Text("True"), cas.Text("true"), only + "upper and lower case", ""},
		"base64 of what is there":       {cas.Text("MS4w"), cas.Text("1.0"), "expected_value is the base64 of what foo holds", "base64decode(...)"},
		"what is there is the base64":   {cas.Text("1.0"), cas.Text("MS4w"), "foo holds the base64 of what expected_value says", "base64encode(...)"},
		"bytes, where there is text":    {binary("1.0"), cas.Text("1.0"), "foo is text (data), and expected_value is bytes (binaryData)", ""},
		"text, where there are bytes":   {cas.Text("1.0"), binary("1.0"), "foo is bytes (binaryData), and expected_value is text (data)", ""},
		"encoded twice":                 {binary("MS4w"), cas.Text("1.0"), "expected_value is the base64 of what foo holds", ""},
		"bytes encoded twice":           {binary("MS4w"), binary("1.0"), "expected_value is the base64 of what foo holds", "base64decode(...)"},
		"text and bytes":                {cas.Text("1.0\n"), binary("1.0"), "", ""},
		"nothing there":                 {cas.Text(""), cas.Entry{}, "", ""},
		"something, instead of nothing": {cas.Entry{}, cas.Text(""), "", ""},
		"a structure":                   {structure(`{"a":"b"}`), structure(`{"a":"B"}`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if note, remedy := diagnose.Lookalike("expected_value", test.says, "foo", test.holds); note != test.note || remedy != test.remedy {
				t.Errorf("got  %q %q\nwant %q %q", note, remedy, test.note, test.remedy)
			}
		})
	}
}

// TestLookalikesAreNamed: the note names the attribute that the configuration has, and no attribute where it is the state that expects.
func TestLookalikesAreNamed(t *testing.T) {
	t.Parallel()
	seen := seenOf(map[string]string{"foo": "1.0"})
	met := func(expected, to cas.Entry) *cas.ConflictError {
		return &cas.ConflictError{
			Reason: cas.ReasonKey, Ref: testRef, Live: seen, Keys: []cas.KeyConflict{{Key: "foo", Reason: cas.ReasonKey, Expected: expected, New: to}},
		}
	}
	newline := cas.Text("1.0\n")
	for want, about := range map[string]interface{ Detail() string }{
		"expected_value and foo differ only in a trailing newline: use chomp(...)": aboutFoo(terms.OpUpdate, expectingEntry("expected_value", newline)).
			Diagnose(met(newline, cas.Text("2"))),
		"value and foo differ only in a trailing newline: use chomp(...)": aboutFoo(terms.OpCreate).Diagnose(met(cas.Entry{}, newline)),
		"expected_value_base64 and foo differ only in a trailing newline": aboutFoo(terms.OpUpdate, expectingEntry("expected_value_base64", newline)).
			Diagnose(met(newline, cas.Text("2"))),
		"what was expected and foo differ only in a trailing newline": aboutFoo(terms.OpUpdate).
			Diagnose(met(newline, cas.Text("2"))),
	} {
		if got := noteOf(about.Detail()); got != want {
			t.Errorf("got  %q\nwant %q in\n%s", got, want, about.Detail())
		}
	}
}

// TestLookalikesOfSecretsShowNoValue expects the note about two values of a Secret to show neither value.
func TestLookalikesOfSecretsShowNoValue(t *testing.T) {
	t.Parallel()
	const password = "correct horse"
	seen := seenOf(map[string]string{"foo": password})
	for says, want := range map[string]string{
		password + "\n": "expected_value_wo and foo differ only in a trailing newline: use chomp(...)",
		base64.StdEncoding.EncodeToString([]byte(password)): "expected_value_wo is the base64 of what foo holds: use base64decode(...)",
	} {
		expected := cas.Text(says)
		detail := aboutPassword(terms.OpUpdate, expectingEntry("expected_value_wo", expected)).Diagnose(&cas.ConflictError{
			Reason: cas.ReasonKey, Ref: secretRef, Live: seen, Keys: []cas.KeyConflict{{Key: "foo", Reason: cas.ReasonKey, Expected: expected}},
		}).Detail()
		if got := noteOf(detail); got != want || strings.Contains(detail, password) || strings.Contains(detail, says) {
			t.Errorf("got  %q\nwant %q in\n%s", got, want, detail)
		}
	}
}
