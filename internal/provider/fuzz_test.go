package provider

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

var (
	shownWhole = regexp.MustCompile(`(?s)^(?:base64 )?(".*")$`)
	shownCut   = regexp.MustCompile(`(?s)^(?:base64 )?(…?)(".*")(…?) \((\d+) bytes, (sha256:[0-9a-f]{64})\)$`)
	shownNever = regexp.MustCompile(`^(?:\(absent\)|\(hidden, (?:base64 )?\d+ bytes, sha256:[0-9a-f]{64}\))$`)
)

// FuzzRenderPair: of any two entries, what is shown is short, is a part of what they hold, and has the place where they
// differ; and where values are hidden, nothing is shown but length and digest.
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
	of := func(kind byte, content string) cas.Entry {
		return []cas.Entry{{}, cas.Text(content), cas.Binary([]byte(content))}[kind%3]
	}
	f.Fuzz(func(t *testing.T, kindA byte, contentA string, kindB byte, contentB string) {
		a, b := of(kindA, contentA), of(kindB, contentB)
		shownA, shownB := renderPair(a, b, false)
		if (shownA == shownB) != (a == b) && a.Digest() != b.Digest() {
			t.Errorf("%#v and %#v are both shown as\n%s", a, b, shownA)
		}
		at := 0
		for at < min(len(content(a)), len(content(b))) && content(a)[at] == content(b)[at] {
			at++
		}
		checkShown(t, a, shownA, at)
		checkShown(t, b, shownB, at)
		checkShown(t, a, renderOne(a, false), 0)
		for e, s := range map[cas.Entry]string{a: first(renderPair(a, b, true)), b: renderOne(b, true)} {
			if !shownNever.MatchString(s) {
				t.Errorf("%#v is hidden as\n%s", e, s)
			}
		}
	})
}

func first(a, _ string) string { return a }

// checkShown fails the test unless s shows the entry, at the place that matters.
func checkShown(t *testing.T, e cas.Entry, s string, at int) {
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

// FuzzEntryID: an id that is read is written as it was, and names what Kubernetes may have.
func FuzzEntryID(f *testing.F) {
	for _, s := range []string{
		"default/shared/foo", "a/b.c/D_.-", "a/b/..", "a/b/.", "a/b/...x", "", "//", "a/b", "a/b/c/d", "A/b/c", "a/b/c\n", "a/é/c", " a/b/c",
		strings.Repeat("a", 63) + "/" + strings.Repeat("b", 253) + "/" + strings.Repeat("c", 253), strings.Repeat("a", 64) + "/b/c",
	} {
		f.Add(s)
	}
	label := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	subdomain := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	key := regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)
	f.Fuzz(func(t *testing.T, s string) {
		id, err := parseEntryID(s)
		parts := strings.Split(s, "/")
		valid := len(parts) == 3 &&
			label.MatchString(parts[0]) && len(parts[0]) <= 63 &&
			subdomain.MatchString(parts[1]) && len(parts[1]) <= 253 &&
			key.MatchString(parts[2]) && len(parts[2]) <= 253 && parts[2] != "." && !strings.HasPrefix(parts[2], "..")
		switch {
		case valid != (err == nil):
			t.Errorf("%q: %v", s, err)
		case err != nil && id != (entryID{}):
			t.Errorf("%q gives %+v and %v", s, id, err)
		case err == nil && id.String() != s:
			t.Errorf("%q came back as %q", s, id)
		}
	})
}

// FuzzValidators: what a validator lets through is what the engine can work with, and nothing is refused without a reason
// that names the attribute.
func FuzzValidators(f *testing.F) {
	for _, s := range []string{
		"", "0", "1", "-1", "+1", "01", "1e3", "18446744073709551616", "99999999999999999999999999999999999999", " 1", "1\n", "\u0661",
		"1s", "-1s", "0s", "1h30m", "1ns", "AA==", "AAE=", "AB==", "AAE", "AA==\n", "A A=", "_-8=", "////", strings.Repeat("AAAA", 10), "\xff",
	} {
		f.Add(s)
	}
	version := regexp.MustCompile(`^[1-9][0-9]*$`)
	alphabet := regexp.MustCompile(`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`)
	f.Fuzz(func(t *testing.T, s string) {
		for name, test := range map[string]struct {
			validator validator.String
			valid     bool
		}{
			"resourceVersion": {validResourceVersion(), version.MatchString(s)},
			"base64":          {validBase64(), alphabet.MatchString(s) && base64.StdEncoding.DecodedLen(len(s)) <= cas.MaxSize+2},
			"timeout":         {validTimeout(), lasts(s)},
			"size":            {validValueSize(), len(s) <= cas.MaxSize},
		} {
			resp := &validator.StringResponse{}
			test.validator.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("it"), ConfigValue: types.StringValue(s)}, resp)
			if resp.Diagnostics.HasError() == test.valid {
				t.Errorf("%s %q: %v", name, s, resp.Diagnostics)
			}
			for _, d := range resp.Diagnostics {
				if !strings.HasPrefix(d.Detail(), "Attribute it: ") {
					t.Errorf("%s %q: %s", name, s, d.Detail())
				}
			}
		}
		if v := (cas.Version{ResourceVersion: s}); version.MatchString(s) && !v.Valid() {
			t.Errorf("%q may be written down, and makes a write unconditional", s)
		}
	})
}

func lasts(s string) bool {
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}

// FuzzDataID: an id that is read is written as it was but for the order of its keys.
func FuzzDataID(f *testing.F) {
	for _, s := range []string{"a/b", "a/b:c", "a/b:d,c", "a/b:", "a/b:c,c", "a/b:c,", "a/b/c", "a:b/c", "", "/:", "a/b:..", "a/b:c:d", "a/b.c:-._A"} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^[-a-z0-9]+/[-.a-z0-9]+(:[-._a-zA-Z0-9]+(,[-._a-zA-Z0-9]+)*)?$`)
	f.Fuzz(func(t *testing.T, s string) {
		id, err := parseDataID(s)
		if err != nil {
			if id.Name != "" || id.Keys != nil {
				t.Errorf("%q gives %+v and %v", s, id, err)
			}
			return
		}
		object, list, _ := strings.Cut(s, ":")
		keys := strings.Split(list, ",")
		slices.Sort(keys)
		want := object
		if list != "" {
			want += ":" + strings.Join(keys, ",")
		}
		if !form.MatchString(s) || id.String() != want {
			t.Errorf("%q came back as %q", s, id)
		}
	})
}
