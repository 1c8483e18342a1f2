package eval_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

func FuzzEntry(f *testing.F) {
	for i, a := range evaltest.Texts {
		f.Add(byte(i), a, byte(i/3), evaltest.Texts[(i+1)%len(evaltest.Texts)])
		f.Add(byte(1), a, byte(2), a)
	}
	f.Add(byte(1), evaltest.Texts[0], byte(1), evaltest.Texts[1])
	f.Add(byte(1), "\xff", byte(1), "\xfe")
	f.Add(byte(1), "e\xff\u0301", byte(1), "\u00e9\xff")
	of := func(kind byte, content string) eval.Value {
		return []eval.Value{{}, eval.Text(content), eval.Binary([]byte(content))}[kind%3]
	}
	f.Fuzz(func(t *testing.T, kindA byte, contentA string, kindB byte, contentB string) {
		a, b := of(kindA, contentA), of(kindB, contentB)
		if a.Matches(b) != (a.Digest() == b.Digest()) || a.Matches(b) != b.Matches(a) || !a.Matches(a) {
			t.Errorf("%#v and %#v: %t and %t, digests %s and %s", a, b, a.Matches(b), b.Matches(a), a.Digest(), b.Digest())
		}
		if a == b && !a.Matches(b) || kindA%3 != kindB%3 && a.Matches(b) || kindA%3 == 2 && a.Matches(b) != (a == b) {
			t.Errorf("%#v and %#v: %t", a, b, a.Matches(b))
		}
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if got := b; json.Unmarshal(raw, &got) != nil || got != a || !utf8.Valid(raw) {
			t.Errorf("%#v came back from %s as %#v", a, raw, got)
		}
	})
}

func TestEntrySurvivesJSON(t *testing.T) {
	t.Parallel()
	for _, e := range []eval.Value{{}, eval.Anything(), eval.Text(""), eval.Text("a<b\u2028e\u0301"), eval.Text("no UTF-8: \xff"), eval.Binary(nil), eval.Binary([]byte{0, 255})} {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got := eval.Text("not overwritten")
		if err := json.Unmarshal(raw, &got); err != nil || got != e {
			t.Errorf("%s gave %#v, want %#v (%v)", raw, got, e, err)
		}
	}
}

func TestDigestIsTheSameWhereHoldsIs(t *testing.T) {
	t.Parallel()
	all := []eval.Value{{}, eval.Text(""), eval.Text("\u00e9"), eval.Text("e\u0301"), eval.Text("e"), eval.Binary(nil), eval.Binary([]byte("e")), eval.Binary([]byte("e\u0301"))}
	for _, raw := range []string{"[\"e\u0301\"]", "[\"\u00e9\"]", "[\"e\"]", `["e"]`, "{\"e\u0301\":1}", "{\"\u00e9\":1}"} {
		e, err := eval.JSON([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	for _, a := range all {
		for _, b := range all {
			if a.Matches(b) != (a.Digest() == b.Digest()) {
				t.Errorf("%#v and %#v: holds %t, digests %s and %s", a, b, a.Matches(b), a.Digest(), b.Digest())
			}
		}
	}
}

// Anything holds each entry, and the absent entry too.
func TestAnythingHoldsWhateverIsThere(t *testing.T) {
	t.Parallel()
	any := eval.Anything()
	for _, e := range []eval.Value{{}, eval.Text(""), eval.Binary([]byte("1")), any} {
		if !any.Matches(e) || !e.Matches(any) || e.IsAnything() != (e == any) {
			t.Errorf("%#v does not count as anything", e)
		}
	}
	if e := eval.Text("\xffé"); e.Raw() != "\xffé" || e.Size() != 3 {
		t.Errorf("%q has %d bytes", e.Raw(), e.Size())
	}
}

func TestWhatAChangeWrites(t *testing.T) {
	t.Parallel()
	one, two, composed, decomposed := eval.Text("1"), eval.Text("2"), eval.Text("\u00e9"), eval.Text("e\u0301")
	for name, test := range map[string]struct {
		change eval.Change
		writes bool
	}{
		"another value":          {eval.Change{From: one, To: two}, true},
		"a new key":              {eval.Change{To: one}, true},
		"a removal":              {eval.Change{From: one}, true},
		"the same value":         {eval.Change{From: one, To: one}, false},
		"the same text in NFC":   {eval.Change{From: decomposed, To: composed}, true},
		"a removal of nothing":   {eval.Change{}, false},
		"a key that is compared": {eval.Change{From: one, To: two, IsGuard: true}, false},
	} {
		if test.change.Writes() != test.writes {
			t.Errorf("%s: writes %t, want %t", name, test.change.Writes(), test.writes)
		}
	}
}

// Text within a list or an object counts as text does that stands alone: the API server stores what it is sent, and Terraform can name it in NFC only.
func TestTextWithinAValueCountsAsTextAlone(t *testing.T) {
	t.Parallel()
	for live, named := range map[string]string{
		"\"e\u0301\"":                   "\"\u00e9\"",
		"[\"e\u0301\"]":                 "[\"\u00e9\"]",
		"{\"a\":[{\"b\":\"e\u0301\"}]}": "{\"a\":[{\"b\":\"\u00e9\"}]}",
		`["\n` + "\u0303\"]":            `["\n` + "\u0303\"]", // not the n of the escape
	} {
		a, err := eval.JSON([]byte(live))
		b, wrong := eval.JSON([]byte(named))
		if err != nil || wrong != nil || !a.Matches(b) || !b.Matches(a) {
			t.Errorf("%s does not count as %s (%v, %v)", live, named, err, wrong)
		}
	}
}
