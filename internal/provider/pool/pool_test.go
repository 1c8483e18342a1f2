package pool

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parsed(t *testing.T, text string) *Pool {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// holding is a pool in which somebody else has the values.
func holding(t *testing.T, values ...string) *Pool {
	t.Helper()
	members := make([]string, len(values))
	for i, v := range values {
		members[i] = fmt.Sprintf(`%q: {"claimant": "other", "id": "X%d"}`, v, i)
	}
	return parsed(t, "{"+strings.Join(members, ", ")+"}")
}

func prefixes(values ...string) (all []netip.Prefix) {
	for _, v := range values {
		all = append(all, netip.MustParsePrefix(v))
	}
	return all
}

func TestTheLowestFreeValueIsTaken(t *testing.T) {
	t.Parallel()
	ten := Prefixes{Within: prefixes("10.0.0.0/12"), Bits: 24}
	small := Prefixes{Within: prefixes("10.0.0.0/30"), Bits: 32}
	all := Numbers{From: math.MinInt64, To: math.MaxInt64}
	for name, row := range map[string]struct {
		from  Range
		taken []string
		want  string // empty: full
		free  int64  // before it
	}{
		"numbers, none taken":          {Numbers{From: 5, To: 7}, nil, "5", 3},
		"numbers, the first taken":     {Numbers{From: 5, To: 7}, []string{"5"}, "6", 2},
		"numbers, a gap":               {Numbers{From: 5, To: 7}, []string{"5", "7"}, "6", 1},
		"numbers, all taken":           {Numbers{From: 5, To: 7}, []string{"7", "6", "5"}, "", 0},
		"numbers, others do not count": {Numbers{From: 5, To: 7}, []string{"4", "8", "a", "5.0.0.0/8"}, "5", 3},
		"numbers, except":              {Numbers{From: 5, To: 7, Except: []int64{5, 6, 6, 99}}, nil, "7", 1},
		"numbers, except and taken":    {Numbers{From: 5, To: 7, Except: []int64{5, 6}}, []string{"7", "6"}, "", 0},
		"numbers, written by hand":     {Numbers{From: 5, To: 7}, []string{"005", "+6"}, "7", 1},
		"numbers, only one":            {Numbers{From: 5, To: 5}, nil, "5", 1},
		"numbers, below zero":          {Numbers{From: -2, To: 2}, []string{"-2"}, "-1", 4},
		"numbers, in order of numbers": {Numbers{From: 9, To: 11}, []string{"10", "9"}, "11", 1},
		"numbers, all there are":       {all, []string{"-9223372036854775808"}, "-9223372036854775807", math.MaxInt64},
		"numbers, the last there is":   {Numbers{From: math.MaxInt64, To: math.MaxInt64}, []string{"9223372036854775807"}, "", 0},
		"numbers, a range of nothing":  {Numbers{From: 7, To: 5}, nil, "", 0},

		"prefixes, none taken":            {ten, nil, "10.0.0.0/24", 4096},
		"prefixes, the same":              {ten, []string{"10.0.0.0/24"}, "10.0.1.0/24", 4095},
		"prefixes, a longer one":          {ten, []string{"10.0.0.128/25", "10.0.0.0/30"}, "10.0.1.0/24", 4095},
		"prefixes, an address alone":      {ten, []string{"10.0.0.7"}, "10.0.1.0/24", 4095},
		"prefixes, with host bits":        {ten, []string{"10.0.0.7/24"}, "10.0.1.0/24", 4095},
		"prefixes, a shorter one":         {ten, []string{"10.0.0.0/16"}, "10.1.0.0/24", 3840},
		"prefixes, one above all":         {ten, []string{"10.0.0.0/8"}, "", 0},
		"prefixes, everything":            {ten, []string{"0.0.0.0/0"}, "", 0},
		"prefixes, a gap":                 {ten, []string{"10.0.0.0/24", "10.0.2.0/23"}, "10.0.1.0/24", 4093},
		"prefixes, mapped to version 6":   {ten, []string{"::ffff:10.0.0.7", "::ffff:10.0.1.0/120"}, "10.0.2.0/24", 4094},
		"prefixes, mapped, all of them":   {ten, []string{"::ffff:0.0.0.0/96"}, "", 0},
		"prefixes, that hold mapped ones": {Prefixes{Within: prefixes("::/1"), Bits: 1}, []string{"::ffff:0.0.0.0/95"}, "", 0},
		"prefixes, of version 6":          {ten, []string{"::/0"}, "10.0.0.0/24", 4096},
		"prefixes, except":                {Prefixes{Within: ten.Within, Bits: 24, Except: prefixes("10.0.0.0/23")}, nil, "10.0.2.0/24", 4094},
		"prefixes, all taken":             {small, []string{"10.0.0.0/31", "10.0.0.2", "10.0.0.3/32"}, "", 0},
		"prefixes, the last free":         {small, []string{"10.0.0.0/31", "10.0.0.2"}, "10.0.0.3/32", 1},
		"prefixes, the last of all":       {Prefixes{Within: prefixes("255.255.255.254/31"), Bits: 32}, []string{"255.255.255.254"}, "255.255.255.255/32", 1},
		"prefixes, the end of all":        {Prefixes{Within: prefixes("255.255.255.254/31"), Bits: 32}, []string{"255.255.255.254/31"}, "", 0},
		"prefixes, of several the lowest": {
			Prefixes{Within: prefixes("10.1.0.0/24", "10.0.0.0/24"), Bits: 24}, nil, "10.0.0.0/24", 2,
		},
		"prefixes, the second of several": {
			Prefixes{Within: prefixes("10.1.0.0/24", "10.0.0.0/24"), Bits: 24}, []string{"10.0.0.0/24"}, "10.1.0.0/24", 1,
		},
		"prefixes, the whole":    {Prefixes{Within: prefixes("10.0.0.0/24"), Bits: 24}, nil, "10.0.0.0/24", 1},
		"prefixes, many of them": {Prefixes{Within: prefixes("fd00::/8"), Bits: 128}, []string{"fd00::/64"}, "fd00:0:0:1::/128", math.MaxInt64},
		"prefixes of version 6":  {Prefixes{Within: prefixes("fd00::/48"), Bits: 64}, []string{"fd00::/64"}, "fd00:0:0:1::/64", 65535},

		"names, none taken":              {Names{"b", "a"}, nil, "b", 2},
		"names, the first taken":         {Names{"b", "a"}, []string{"b"}, "a", 1},
		"names, all taken":               {Names{"b", "a"}, []string{"a", "b"}, "", 0},
		"names, others do not count":     {Names{"b", "a"}, []string{"c"}, "b", 2},
		"names, in another Unicode form": {Names{"caf\u00e9", "b"}, []string{"cafe\u0301"}, "b", 1},
		"names, that look like others":   {Names{"05", "10.0.0.0/8"}, []string{"5", "10.0.0.0/9"}, "05", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := holding(t, row.taken...)
			if free := row.from.Free(p); free != row.free {
				t.Errorf("%d are free, want %d", free, row.free)
			}
			next, got, err := p.Take(row.from, Member{ID: "mine", Claimant: "me", Since: "now"})
			if row.want == "" {
				if full := (*FullError)(nil); !errors.As(err, &full) {
					t.Fatalf("took %v, %v", got, err)
				}
				return
			}
			if want := (Member{Value: row.want, ID: "mine", Claimant: "me", Since: "now"}); err != nil || got != want {
				t.Fatalf("took %v, %v, want %v", got, err, want)
			}
			if m, ok := parsed(t, next.String()).Find("mine", ""); !ok || m != got {
				t.Errorf("the pool has %v, want %v", m, got)
			}
			if !row.from.Contains(got.Value) {
				t.Error("it is not in the range")
			}
		})
	}
}

func TestAPreferredValueIsTakenOrNothing(t *testing.T) {
	t.Parallel()
	numbers := Numbers{From: 30000, To: 30999, Except: []int64{30080}}
	ten := Prefixes{Within: prefixes("10.0.0.0/12"), Bits: 24, Except: prefixes("10.0.9.0/24")}
	for name, row := range map[string]struct {
		from   Range
		taken  []string
		prefer string
		err    error
	}{
		"free":                    {numbers, []string{"30000"}, "30005", nil},
		"taken":                   {numbers, []string{"30005"}, "30005", &TakenError{"30005", Member{Value: "30005", Claimant: "other", ID: "X0"}}},
		"taken, written by hand":  {numbers, []string{"030005"}, "30005", &TakenError{"30005", Member{Value: "030005", Claimant: "other", ID: "X0"}}},
		"an exception":            {numbers, nil, "30080", &OutsideError{"30080"}},
		"below":                   {numbers, nil, "29999", &OutsideError{"29999"}},
		"above":                   {numbers, nil, "31000", &OutsideError{"31000"}},
		"not in its form":         {numbers, nil, "030001", &OutsideError{"030001"}},
		"no number":               {numbers, nil, "b", &OutsideError{"b"}},
		"a free prefix":           {ten, []string{"10.0.0.0/24"}, "10.0.3.0/24", nil},
		"in a taken prefix":       {ten, []string{"10.0.0.0/16"}, "10.0.3.0/24", &TakenError{"10.0.3.0/24", Member{"10.0.0.0/16", "other", "X0", ""}}},
		"above a taken prefix":    {ten, []string{"10.0.3.4"}, "10.0.3.0/24", &TakenError{"10.0.3.0/24", Member{"10.0.3.4", "other", "X0", ""}}},
		"a prefix that is longer": {ten, nil, "10.0.3.0/25", &OutsideError{"10.0.3.0/25"}},
		"a prefix with host bits": {ten, nil, "10.0.3.1/24", &OutsideError{"10.0.3.1/24"}},
		"a prefix outside":        {ten, nil, "10.16.0.0/24", &OutsideError{"10.16.0.0/24"}},
		"an excepted prefix":      {ten, nil, "10.0.9.0/24", &OutsideError{"10.0.9.0/24"}},
		"a free name":             {Names{"a", "b"}, []string{"a"}, "b", nil},
		"a taken name":            {Names{"a", "b"}, []string{"b"}, "b", &TakenError{"b", Member{"b", "other", "X0", ""}}},
		"another name":            {Names{"a", "b"}, nil, "c", &OutsideError{"c"}},
		"a name like a number":    {Names{"1", "01"}, []string{"1"}, "01", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := holding(t, row.taken...)
			_, got, err := p.Take(row.from, Member{Value: row.prefer, ID: "mine"})
			if diff := cmp.Diff(row.err, err); diff != "" || err == nil && got.Value != row.prefer {
				t.Errorf("took %v, %v\n%s", got, err, diff)
			}
		})
	}
}

func TestTakingTwiceWithOneIDTakesOnce(t *testing.T) {
	t.Parallel()
	first, got, err := new(Pool).Take(Numbers{From: 1, To: 9}, Member{ID: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	second, again, err := first.Take(Numbers{From: 1, To: 9}, Member{ID: "mine"})
	if err != nil || again.Value != got.Value || second.String() != first.String() {
		t.Errorf("%v, %v, want %v\n%s", again, err, got, second)
	}
}

func TestAFullPoolNamesItsHolders(t *testing.T) {
	t.Parallel()
	p := parsed(t, `{"1": {"claimant": "a", "id": "A"}, "2": {"claimant": "b"}, "9": {"claimant": "c"}, "x": {}}`)
	_, _, err := p.Take(Numbers{From: 1, To: 2}, Member{ID: "mine"})
	if diff := cmp.Diff(&FullError{Holders: []Member{{Value: "1", Claimant: "a", ID: "A"}, {Value: "2", Claimant: "b"}}, Holds: true}, err); diff != "" {
		t.Error(diff)
	}
	_, _, err = p.Take(Numbers{From: 3, To: 3, Except: []int64{3}}, Member{ID: "mine"})
	if diff := cmp.Diff(&FullError{}, err); diff != "" {
		t.Error(diff)
	}
}

func TestHoldersAreOfWhatCouldBeTaken(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		from    Range
		taken   []string
		holders string
	}{
		"a number that is excepted":            {Numbers{From: 1, To: 2, Except: []int64{2}}, []string{"1", "2", "3"}, "1"},
		"a prefix that is excepted":            {Prefixes{prefixes("10.0.0.0/23"), 24, prefixes("10.0.1.0/24")}, []string{"10.0.0.0/24", "10.0.1.0/24"}, "10.0.0.0/24"},
		"in a prefix of which a part is":       {Prefixes{prefixes("10.0.0.0/23"), 24, prefixes("10.0.1.7/32")}, []string{"10.0.0.0/24", "10.0.1.0/25"}, "10.0.0.0/24"},
		"a prefix of which a part is excepted": {Prefixes{prefixes("10.0.0.0/23"), 24, prefixes("10.0.1.0/24")}, []string{"10.0.0.0/16"}, "10.0.0.0/16"},
		"names":                                {Names{"a"}, []string{"a", "b"}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := holding(t, row.taken...).Take(row.from, Member{ID: "mine"})
			full := &FullError{}
			if !errors.As(err, &full) {
				t.Fatalf("it is %v", err)
			}
			var holders []string
			for _, m := range full.Holders {
				holders = append(holders, m.Value)
			}
			if got := strings.Join(holders, " "); got != row.holders {
				t.Errorf("held by %s, want %s", got, row.holders)
			}
		})
	}
}

const texts = `{ "30001":{ "since":"then", "note" : [1.50, "<&>"], "id": "B", "claimant": "b" },
  "9": {}, "30000": {"id": "A"}, "x<": {"id": 5, "ID": "no", "claimant": null}, "10.0.0.0/8": {"id": "C"} }`

func TestMembersKeepTheirOtherFields(t *testing.T) {
	t.Parallel()
	p := parsed(t, texts)
	const want = "{\n" + `"9":{},` + "\n" + `"30000":{"id":"A"},` + "\n" + `"30001":{"since":"then","note":[1.50,"<&>"],"id":"B","claimant":"b"},` + "\n" +
		`"10.0.0.0/8":{"id":"C"},` + "\n" + `"x<":{"id":5,"ID":"no","claimant":null}` + "\n}"
	if got := p.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := parsed(t, want).String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	claimed := p.Claim("B", "", "<new>").String()
	if want := strings.Replace(want, `{"since":"then","note":[1.50,"<&>"],"id":"B","claimant":"b"}`,
		`{"claimant":"<new>","id":"B","note":[1.50,"<&>"],"since":"then"}`, 1); claimed != want {
		t.Errorf("%s\nwant\n%s", claimed, want)
	}
	if p.String() != want {
		t.Error("the pool has changed")
	}
	wantMembers := []Member{{Value: "9"}, {Value: "30000", ID: "A"}, {"30001", "b", "B", "then"}, {Value: "10.0.0.0/8", ID: "C"}, {Value: "x<"}}
	if diff := cmp.Diff(wantMembers, p.Members()); diff != "" {
		t.Error(diff)
	}
	if got := p.Claim("none", "", "c"); got != p {
		t.Errorf("a claim of what is not there gives\n%s", got)
	}
}

func TestOnlyTheAllocationOfTheIDIsReleased(t *testing.T) {
	t.Parallel()
	const both = `{"1": {"id": "A"}, "2": {"id": "A"}, "3": {"id": "AB"}, "4": {}, "5": {"note": "A"}}`
	for name, row := range map[string]struct{ id, value, want string }{
		"its own":               {"AB", "3", "1 2 4 5"},
		"another's":             {"C", "3", "1 2 3 4 5"},
		"without an id":         {"", "4", "1 2 3 4 5"},
		"moved by hand":         {"AB", "9", "1 2 4 5"},
		"copied by hand":        {"A", "2", "1 3 4 5"},
		"copied, the first":     {"A", "9", "2 3 4 5"},
		"the id of a substring": {"B", "3", "1 2 3 4 5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left []string
			for _, m := range parsed(t, both).Release(row.id, row.value).Members() {
				left = append(left, m.Value)
			}
			if got := strings.Join(left, " "); got != row.want {
				t.Errorf("left %s, want %s", got, row.want)
			}
		})
	}
	for _, id := range []string{`"a\"b"`, `"team\/x"`, `"\u00e9"`} {
		p := parsed(t, `{"1": {"id": `+id+`}}`)
		of, _ := p.At("1")
		if m, found := p.Find(of.ID, "1"); !found || p.Release(of.ID, "1").Len() > 0 {
			t.Errorf("the id %s is read as %q, and found is %v", id, of.ID, m)
		}
	}
	if got := parsed(t, `{"1": {"id": "A"}}`).Release("A", "1").String(); got != "{}" {
		t.Errorf("the last one leaves %s", got)
	}
}

// Terraform makes NFC of all text, so it can name what is in another form only by that.
func TestAMemberInAnotherUnicodeFormIsFound(t *testing.T) {
	t.Parallel()
	const ours = "caf\u00e9"
	p := parsed(t, "{\"cafe\u0301\": {\"id\": \"ide\u0301\", \"claimant\": \"webe\u0301\"}}")
	want := Member{Value: ours, ID: "id\u00e9", Claimant: "web\u00e9"}
	if m, ok := p.At(ours); !ok || m != want {
		t.Errorf("it is read as %q", m)
	}
	if got := p.Claim(want.ID, ours, "new").String(); got != "{\n\"cafe\u0301\":{\"claimant\":\"new\",\"id\":\"ide\u0301\"}\n}" {
		t.Errorf("with another claimant it is %q", got)
	}
	if got := p.Release(want.ID, ours).String(); got != "{}" {
		t.Errorf("a release leaves %q", got)
	}
}

func TestANameWithAControlCharacterStays(t *testing.T) {
	t.Parallel()
	const text = "{\n\"a\\u0001\":{}\n}"
	if got := parsed(t, text).String(); got != text {
		t.Errorf("%s became %s", text, got)
	}
}

func TestWhatIsNoPoolIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "the text is no JSON object",
		"30001":                      "the text is no JSON object",
		"[]":                         "the text is no JSON object",
		"null":                       "the text is no JSON object",
		"{":                          "the text is no JSON object",
		`{"1": {}`:                   "the text is no JSON object",
		`{"1": {},}`:                 "the text is no JSON object",
		`{"1": {}} {}`:               "something follows the JSON object",
		`{"1": }`:                    "a member is no JSON: 1",
		`{"1": "web"}`:               "a member is no JSON object: 1",
		`{"1": null}`:                "a member is no JSON object: 1",
		`{"1": {}, "\u0031": {}}`:    "a member is there twice: 1",
		`{"": {}}`:                   "a member has no valid name: ",
		`{"\ud800": {}}`:             "a member has no valid name: \uFFFD",
		"{\"1\": {\"a\": \"\xff\"}}": "the text is not UTF-8",
	} {
		_, err := Parse(text)
		format := &FormatError{}
		got := ""
		if errors.As(err, &format) {
			got = format.Problem
		}
		if format.Member != nil {
			got += ": " + *format.Member
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"{}", " {\n} ", `{"a": {}}`} {
		if _, err := Parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzPool acquires and releases in the order of the bytes, and compares the pool with a set of acquired values.
func FuzzPool(f *testing.F) {
	f.Add([]byte{0, 1, 2, 128, 3, 129}, uint8(0))
	f.Add([]byte{0, 0, 0, 0, 130, 0, 0, 0, 0, 0}, uint8(1))
	f.Add([]byte{7, 130, 9, 128, 255}, uint8(2))
	f.Fuzz(func(t *testing.T, steps []byte, kind uint8) {
		// Four values each, which the others' members take as well where they overlap.
		from := []Range{
			Numbers{From: -1, To: 3, Except: []int64{0}}, Prefixes{Within: prefixes("10.0.0.0/24"), Bits: 26}, Names{"b", "a", "d", "c"},
		}[kind%3]
		order := [][]string{
			{"-1", "1", "2", "3"}, {"10.0.0.0/26", "10.0.0.64/26", "10.0.0.128/26", "10.0.0.192/26"}, {"b", "a", "d", "c"},
		}[kind%3]
		p, had := &Pool{}, map[string]string{} // id by value
		for i, step := range steps[:min(len(steps), 40)] {
			id := fmt.Sprintf("ID%d", i)
			if step >= 128 { // a release of the allocation that an earlier step may have made
				id = fmt.Sprintf("ID%d", step-128)
				p = p.Release(id, "")
				for value, of := range had {
					if of == id {
						delete(had, value)
					}
				}
			} else {
				next, got, err := p.Take(from, Member{ID: id})
				free := slices.IndexFunc(order, func(v string) bool { return had[v] == "" })
				switch {
				case free < 0 && err == nil, free >= 0 && (err != nil || got.Value != order[free]):
					t.Fatalf("took %v, %v of\n%s", got, err, p)
				case err == nil:
					p, had[got.Value] = next, id
				}
			}
			again, err := Parse(p.String())
			if err != nil || again.String() != p.String() || again.Len() != len(had) || from.Free(p) != int64(len(order)-len(had)) {
				t.Fatalf("%v, %d free, %d taken:\n%s\n%s", err, from.Free(p), len(had), p, again)
			}
			for value, of := range had {
				if m, ok := p.At(value); !ok || m.ID != of {
					t.Fatalf("%s is %v, want %s", value, m, of)
				}
			}
		}
	})
}

// FuzzParse reads any text: what it writes of it is read as the same, and is what it writes again.
func FuzzParse(f *testing.F) {
	f.Add(texts)
	f.Add("{}")
	f.Add(`{"1": {"claimant": "\u003c\ud83d\ude00", "x": {"1": [{}]}}, "1/2": {}, "::1": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.String())
		if err != nil || again.String() != p.String() || !cmp.Equal(again.Members(), p.Members()) {
			t.Fatalf("%v\n%s\n%s", err, p, again)
		}
	})
}

func BenchmarkTakeOfTenThousand(b *testing.B) {
	p, from := &Pool{}, Numbers{From: 1, To: 20_000}
	for i := range 10_000 {
		p.members = append(p.members, newMember(fmt.Sprint(i+1), fmt.Sprintf(`{"claimant":"shop/web","id":"ABCDEFGHIJKLM%d","since":"2026-11-25T01:47:11Z"}`, i)))
	}
	text := p.String()
	b.SetBytes(int64(len(text)))
	for name, parse := range map[string]func(string) (*Pool, error){"parsed": Parse, "known": new(Reader).Parse} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := parse(text)
				if err != nil {
					b.Fatal(err)
				}
				next, _, err := p.Take(from, Member{ID: "mine"})
				if err != nil {
					b.Fatal(err)
				}
				_ = next.String()
			}
		})
	}
}

func TestAReaderReadsWhatIsThere(t *testing.T) {
	t.Parallel()
	var r Reader
	if _, err := r.Parse(""); err == nil {
		t.Error("a new Reader has read the empty text")
	}
	first, err := r.Parse(`{"1": {}}`)
	if err != nil {
		t.Fatal(err)
	}
	next := r.Keep(first.Release("none", ""))
	for text, want := range map[string]int{next: 1, "{}": 0, `{"1": {}, "2": {}}`: 2} {
		for range 2 {
			if p, err := r.Parse(text); err != nil || p.Len() != want {
				t.Errorf("%s: %v, %v", text, p, err)
			}
		}
	}
	if _, err := r.Parse("[]"); err == nil {
		t.Error("what is no pool was read")
	}
}

// A reformed text is another one, of the same pool, and no longer where a pool has written it.
func TestReformedTextIsOfTheSamePool(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{}", "{}\n", `{"a":{}}`, "{\n\"a\":{},\n\"b\":{\"n\":\"\\n}\"}\n}", "{\"a\": {}\n }", "{\"a\": {}}\n\n"} {
		was, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			next := Reformed(text)
			p, err := Parse(next)
			if err != nil || next == text || p.String() != was.String() || len(next) > len(text)+1 {
				t.Errorf("%q became %q: %v", text, next, err)
			}
			if len(p.members) > 0 && text == p.String() && len(next) > len(text) {
				t.Errorf("%q has become longer: %q", text, next)
			}
			text = next
		}
	}
}
