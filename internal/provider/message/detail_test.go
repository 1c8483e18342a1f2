package message

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestDetail(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ got, want string }{
		"one fact, no next step": {Detail("It happened.", []Fact{{"Key", "foo"}}, ""), "It happened.\n\n  Key:  foo"},
		"no facts":               {Detail("It happened.", nil, "Do this."), "It happened.\n\nDo this."},
		"nothing else":           {Detail("It happened.", nil, ""), "It happened."},
		"values below each other": {
			Detail("It happened.", []Fact{{"Key", "foo"}, {"resourceVersion", "1: 2"}, {"Found", "(absent)"}}, "Do this."),
			"It happened.\n\n  Key:              foo\n  resourceVersion:  1: 2\n  Found:            (absent)\n\nDo this.",
		},
		"several lines": {
			Detail("It happened.", []Fact{{"Difference", "- a, + b\n-1\n+2"}, {"Key", "foo"}}, "Do this."),
			"It happened.\n\n  Difference:  - a, + b\n    -1\n    +2\n  Key:         foo\n\nDo this.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.got != test.want {
				t.Errorf("got\n%s\nwant\n%s", test.got, test.want)
			}
		})
	}
}

func TestNearestNames(t *testing.T) {
	t.Parallel()
	twelve := []string{"k01", "k02", "k03", "k04", "k05", "k06", "k07", "k08", "k09", "k10", "k11", "k12"}
	for name, test := range map[string]struct {
		missing string
		names   []string
		want    string
	}{
		"none":                      {"fooo", nil, "(none)"},
		"in the order of the names": {"fooo", []string{"zzz", "bbb", "aaa"}, "aaa, bbb, zzz"},
		"the nearest first":         {"fooo", []string{"bar", "zoo", "foo"}, "foo, zoo, bar"},
		"ten":                       {"k12", twelve[:10], "k02, k10, k01, k03, k04, k05, k06, k07, k08, k09"},
		"twelve":                    {"k12", twelve, "k12, k02, k10, k11, k01, k03, k04, k05, k06, k07 and 2 more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Nearest(test.missing, test.names); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestChangedByNamesAllWhoItMayBe(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for want, writers := range map[string][]eval.Writer{
		"[]": nil,
		"[{Changed by a (last write 2026-07-01T12:00:00Z)}]":                                                                                  {{Manager: "a", Operation: "Update", Time: at}},
		"[{Changed by a (last write 2026-07-01T12:00:00Z) or b}]":                                                                             {{Manager: "a", Time: at}, {Manager: "b"}},
		"[{Changed by a (last write 2026-07-01T12:00:00Z) or b (last write 2026-07-01T12:00:01Z)}]":                                           {{Manager: "a", Time: at}, {Manager: "b", Time: at.Add(time.Second)}},
		"[{Changed by team-a (this configuration, or another one with the same field_manager) or b}]":                                         {{Manager: "team-a"}, {Manager: "b"}},
		"[{Changed by terraform-provider-cas (last write 2026-07-01T12:00:00Z; this configuration, or another one that uses this provider)}]": {{Manager: "terraform-provider-cas", Time: at}},
	} {
		if got := fmt.Sprint(Subject{Manager: "team-a"}.changedBy(writers)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestEnumerateKeys(t *testing.T) {
	t.Parallel()
	for want, keys := range map[string][]string{
		"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}, "4 keys": {"a", "b", "c", "d"},
	} {
		if got := enumerate(keys); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// valueOf returns the value of a JSON text.
func valueOf(t *testing.T, text string) eval.Value {
	t.Helper()
	e, err := eval.JSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestQuoteHCL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of     eval.Value
		hide   Hiding
		want   string
		wantOK bool
	}{
		"text":            {of: eval.Text("99"), want: `"99"`, wantOK: true},
		"empty text":      {of: eval.Text(""), want: `""`, wantOK: true},
		"quotes":          {of: eval.Text(`a"\b`), want: `"a\"\\b"`, wantOK: true},
		"templates":       {of: eval.Text("${a} %{b} $c"), want: `"$${a} %%{b} $c"`, wantOK: true},
		"letters":         {of: eval.Text("café 😀"), want: `"café 😀"`, wantOK: true},
		"120 bytes":       {of: eval.Text(strings.Repeat("x", 120)), want: `"` + strings.Repeat("x", 120) + `"`, wantOK: true},
		"121 bytes":       {of: eval.Text(strings.Repeat("x", 121))},
		"several lines":   {of: eval.Text("a\nb")},
		"a newline":       {of: eval.Text("a\n")},
		"a control":       {of: eval.Text("a\x1b[0m")},
		"no UTF-8":        {of: eval.Text("\xff")},
		"bytes":           {of: eval.Binary([]byte("99"))},
		"hidden":          {of: eval.Text("99"), hide: ShowDigests},
		"an absent entry": {of: eval.Value{}},
		"an object":       {of: valueOf(t, `{"a":[1,true,null]}`), want: `{"a":[1,true,null]}`, wantOK: true},
		"JSON in a member": {
			of: valueOf(t, `{"a":"[\"b\",\"${c}\",\"\\d\"]"}`), want: `{"a":"[\"b\",\"$${c}\",\"\\d\"]"}`, wantOK: true,
		},
		"an escape that HCL does not have": {of: valueOf(t, `{"a":"\b"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, diags := hclsyntax.ParseExpression([]byte(test.want), "", hcl.InitialPos); test.wantOK && diags.HasErrors() {
				t.Error(diags)
			}
			if got, ok := quoteHCL(test.of, test.hide); got != test.want || ok != test.wantOK {
				t.Errorf("got %s, %t; want %s, %t", got, ok, test.want, test.wantOK)
			}
		})
	}
}
