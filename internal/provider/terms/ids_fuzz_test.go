package terms

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

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
		id, err := ParseEntryID(s)
		parts := strings.Split(s, "/")
		valid := len(parts) == 3 &&
			label.MatchString(parts[0]) && len(parts[0]) <= 63 &&
			subdomain.MatchString(parts[1]) && len(parts[1]) <= 253 &&
			key.MatchString(parts[2]) && len(parts[2]) <= 253 && parts[2] != "." && !strings.HasPrefix(parts[2], "..")
		switch {
		case valid != (err == nil):
			t.Errorf("%q: %v", s, err)
		case err != nil && id != (EntryID{}):
			t.Errorf("%q gives %+v and %v", s, id, err)
		case err == nil && id.String() != s:
			t.Errorf("%q came back as %q", s, id)
		}
	})
}

// FuzzDataID checks that an id that can be read is printed unchanged, except for the order of its keys.
func FuzzDataID(f *testing.F) {
	for _, s := range []string{"a/b", "a/b:c", "a/b:d,c", "a/b:", "a/b:c,c", "a/b:c,", "a/b/c", "a:b/c", "", "/:", "a/b:..", "a/b:c:d", "a/b.c:-._A"} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^[-a-z0-9]+/[-.a-z0-9]+(:[-._a-zA-Z0-9]+(,[-._a-zA-Z0-9]+)*)?$`)
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseDataID(s)
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
