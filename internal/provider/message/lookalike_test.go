package message_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
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
	binary := func(s string) eval.Value { return eval.Binary([]byte(s)) }
	structure := func(s string) eval.Value {
		e, err := eval.JSON([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for name, test := range map[string]struct {
		says, holds  eval.Value
		note, remedy string
	}{
		"nothing alike":             {eval.Text("1"), eval.Text("2"), "", ""},
		"a newline at the end":      {eval.Text("1.0\n"), eval.Text("1.0"), only + "a trailing newline", "chomp(...)"},
		"a CRLF at the end":         {eval.Text("1.0\r\n"), eval.Text("1.0"), only + "a trailing newline", "chomp(...)"},
		"a newline that is missing": {eval.Text("1.0"), eval.Text("1.0\n"), only + "a trailing newline", ""},
		"more newlines":             {eval.Text("1.0\n\n"), eval.Text("1.0\n"), only + "a trailing newline", ""},
		"nothing but a newline":     {eval.Text("\n"), eval.Text(""), only + "a trailing newline", "chomp(...)"},
		"CRLF":                      {eval.Text("a\r\nb"), eval.Text("a\nb"), only + `line endings, CRLF or LF`, `replace(..., "\r\n", "\n")`},
		"LF":                        {eval.Text("a\nb"), eval.Text("a\r\nb"), only + "line endings, CRLF or LF", ""},
		"CRLF at the end alone": {
			eval.Text("1.0\r\n"), eval.Text("1.0\n"), only + `line endings, CRLF or LF`, `replace(..., "\r\n", "\n")`,
		},
		"CRLF, and a newline at the end": {
			eval.Text("a\r\nb\r\n"), eval.Text("a\nb"), only + `line endings, CRLF or LF, and a trailing newline`,
			`chomp(replace(..., "\r\n", "\n"))`,
		},
		"quotes":                        {eval.Text(`"1.0"`), eval.Text("1.0"), only + "quotes around the value", `trim(..., "\"'")`},
		"quotes that are missing":       {eval.Text("1.0"), eval.Text("'1.0'"), only + "quotes around the value", ""},
		"spaces around":                 {eval.Text("\t1.0 \n"), eval.Text("1.0"), only + "spaces around the value", "trimspace(...)"},
		"spaces that are missing":       {eval.Text("1.0"), eval.Text(" 1.0"), only + "spaces around the value", ""},
		"a space within":                {eval.Text("a b"), eval.Text("ab"), "", ""},
		"Unicode normal form":           {binary("caf\u00e9"), binary("cafe\u0301"), only + "Unicode normal form", ""},
		"case":                          {eval.Text("True"), eval.Text("true"), only + "upper and lower case", ""},
		"base64 of what is there":       {eval.Text("MS4w"), eval.Text("1.0"), "expected_value is the base64 of what foo holds", "base64decode(...)"},
		"what is there is the base64":   {eval.Text("1.0"), eval.Text("MS4w"), "foo holds the base64 of what expected_value says", "base64encode(...)"},
		"bytes, where there is text":    {binary("1.0"), eval.Text("1.0"), "foo is text (data), and expected_value is bytes (binaryData)", ""},
		"text, where there are bytes":   {eval.Text("1.0"), binary("1.0"), "foo is bytes (binaryData), and expected_value is text (data)", ""},
		"encoded twice":                 {binary("MS4w"), eval.Text("1.0"), "expected_value is the base64 of what foo holds", ""},
		"bytes encoded twice":           {binary("MS4w"), binary("1.0"), "expected_value is the base64 of what foo holds", "base64decode(...)"},
		"text and bytes":                {eval.Text("1.0\n"), binary("1.0"), "", ""},
		"nothing there":                 {eval.Text(""), eval.Value{}, "", ""},
		"something, instead of nothing": {eval.Value{}, eval.Text(""), "", ""},
		"a structure":                   {structure(`{"a":"b"}`), structure(`{"a":"B"}`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if note, remedy := message.Lookalike("expected_value", test.says, "foo", test.holds); note != test.note || remedy != test.remedy {
				t.Errorf("got  %q %q\nwant %q %q", note, remedy, test.note, test.remedy)
			}
		})
	}
}

// TestLookalikesAreNamed: the note names the attribute that the configuration has, and no attribute where it is the state that expects.
func TestLookalikesAreNamed(t *testing.T) {
	t.Parallel()
	seen := seenOf(map[string]string{"foo": "1.0"})
	met := func(expected, to eval.Value) *eval.ConflictError {
		return &eval.ConflictError{
			Reason: eval.ReasonKey, Ref: testRef, Live: seen, Keys: []eval.KeyConflict{{Key: "foo", Reason: eval.ReasonKey, Expected: expected, New: to}},
		}
	}
	newline := eval.Text("1.0\n")
	for want, about := range map[string]interface{ Detail() string }{
		"expected_value and foo differ only in a trailing newline: use chomp(...)": aboutFoo(terms.OpUpdate, expectingEntry("expected_value", newline)).
			Diagnose(met(newline, eval.Text("2"))),
		"value and foo differ only in a trailing newline: use chomp(...)": aboutFoo(terms.OpCreate).Diagnose(met(eval.Value{}, newline)),
		"expected_value_base64 and foo differ only in a trailing newline": aboutFoo(terms.OpUpdate, expectingEntry("expected_value_base64", newline)).
			Diagnose(met(newline, eval.Text("2"))),
		"what was expected and foo differ only in a trailing newline": aboutFoo(terms.OpUpdate).
			Diagnose(met(newline, eval.Text("2"))),
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
		expected := eval.Text(says)
		detail := aboutPassword(terms.OpUpdate, expectingEntry("expected_value_wo", expected)).Diagnose(&eval.ConflictError{
			Reason: eval.ReasonKey, Ref: secretRef, Live: seen, Keys: []eval.KeyConflict{{Key: "foo", Reason: eval.ReasonKey, Expected: expected}},
		}).Detail()
		if got := noteOf(detail); got != want || strings.Contains(detail, password) || strings.Contains(detail, says) {
			t.Errorf("got  %q\nwant %q in\n%s", got, want, detail)
		}
	}
}
