package judging_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

func FuzzEntry(f *testing.F) {
	for i, a := range judgingtest.Texts {
		f.Add(byte(i), a, byte(i/3), judgingtest.Texts[(i+1)%len(judgingtest.Texts)])
		f.Add(byte(1), a, byte(2), a)
	}
	f.Add(byte(1), judgingtest.Texts[0], byte(1), judgingtest.Texts[1])
	f.Add(byte(1), "\xff", byte(1), "\xfe")
	f.Add(byte(1), "e\xff\u0301", byte(1), "\u00e9\xff")
	of := func(kind byte, content string) judging.Entry {
		return []judging.Entry{{}, judging.Text(content), judging.Binary([]byte(content))}[kind%3]
	}
	f.Fuzz(func(t *testing.T, kindA byte, contentA string, kindB byte, contentB string) {
		a, b := of(kindA, contentA), of(kindB, contentB)
		if a.Holds(b) != (a.Digest() == b.Digest()) || a.Holds(b) != b.Holds(a) || !a.Holds(a) {
			t.Errorf("%#v and %#v: %t and %t, digests %s and %s", a, b, a.Holds(b), b.Holds(a), a.Digest(), b.Digest())
		}
		if a == b && !a.Holds(b) || kindA%3 != kindB%3 && a.Holds(b) || kindA%3 == 2 && a.Holds(b) != (a == b) {
			t.Errorf("%#v and %#v: %t", a, b, a.Holds(b))
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
	for _, e := range []judging.Entry{{}, judging.Anything(), judging.Text(""), judging.Text("a<b\u2028e\u0301"), judging.Text("no UTF-8: \xff"), judging.Binary(nil), judging.Binary([]byte{0, 255})} {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got := judging.Text("not overwritten")
		if err := json.Unmarshal(raw, &got); err != nil || got != e {
			t.Errorf("%s gave %#v, want %#v (%v)", raw, got, e, err)
		}
	}
}

func TestDigestIsTheSameWhereHoldsIs(t *testing.T) {
	t.Parallel()
	all := []judging.Entry{{}, judging.Text(""), judging.Text("\u00e9"), judging.Text("e\u0301"), judging.Text("e"), judging.Binary(nil), judging.Binary([]byte("e")), judging.Binary([]byte("e\u0301"))}
	for _, raw := range []string{"[\"e\u0301\"]", "[\"\u00e9\"]", "[\"e\"]", `["e"]`, "{\"e\u0301\":1}", "{\"\u00e9\":1}"} {
		e, err := judging.JSON([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	for _, a := range all {
		for _, b := range all {
			if a.Holds(b) != (a.Digest() == b.Digest()) {
				t.Errorf("%#v and %#v: holds %t, digests %s and %s", a, b, a.Holds(b), a.Digest(), b.Digest())
			}
		}
	}
}

// Anything holds each entry, and the absent entry too.
func TestAnythingHoldsWhateverIsThere(t *testing.T) {
	t.Parallel()
	any := judging.Anything()
	for _, e := range []judging.Entry{{}, judging.Text(""), judging.Binary([]byte("1")), any} {
		if !any.Holds(e) || !e.Holds(any) || e.IsAnything() != (e == any) {
			t.Errorf("%#v does not count as anything", e)
		}
	}
	if e := judging.Text("\xffé"); e.Raw() != "\xffé" || e.Size() != 3 {
		t.Errorf("%q has %d bytes", e.Raw(), e.Size())
	}
}

func TestWhatAChangeWrites(t *testing.T) {
	t.Parallel()
	one, two, composed, decomposed := judging.Text("1"), judging.Text("2"), judging.Text("\u00e9"), judging.Text("e\u0301")
	for name, test := range map[string]struct {
		change judging.Change
		writes bool
	}{
		"another value":          {judging.Change{From: one, To: two}, true},
		"a new key":              {judging.Change{To: one}, true},
		"a removal":              {judging.Change{From: one}, true},
		"the same value":         {judging.Change{From: one, To: one}, false},
		"the same text in NFC":   {judging.Change{From: decomposed, To: composed}, true},
		"a removal of nothing":   {judging.Change{}, false},
		"a key that is compared": {judging.Change{From: one, To: two, IsGuard: true}, false},
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
		a, err := judging.JSON([]byte(live))
		b, wrong := judging.JSON([]byte(named))
		if err != nil || wrong != nil || !a.Holds(b) || !b.Holds(a) {
			t.Errorf("%s does not count as %s (%v, %v)", live, named, err, wrong)
		}
	}
}
