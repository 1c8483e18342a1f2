package judging_test

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

func TestLineageGoesOnThroughOwnWritesOnly(t *testing.T) {
	t.Parallel()
	v := func(rv string) judging.Version { return judging.Version{UID: "u", ResourceVersion: rv} }
	var l judging.Lineage
	l.Observed(v("1"))
	l.Wrote(v("1"), v("2"), "a")
	l.Wrote(v("2"), v("2"), "b") // a write that changed nothing keeps the version
	l.Wrote(v("2"), v("3"), "c")
	if !l.LeadsFrom(v("1")) || !l.LeadsFrom(v("2")) || !l.LeadsFrom(v("3")) || l.LeadsFrom(v("4")) {
		t.Error("the chain of own writes is broken")
	}
	l.Observed(v("3"))
	if !l.LeadsFrom(v("1")) {
		t.Error("seeing one's own version again broke the chain")
	}
	l.Observed(v("5"))
	if l.LeadsFrom(v("3")) || !l.LeadsFrom(v("5")) {
		t.Error("a foreign version did not begin a new chain")
	}
	l.Wrote(v("6"), v("7"), "d")
	if l.LeadsFrom(v("5")) || !l.LeadsFrom(v("6")) {
		t.Error("a write on a version that was not the head went on with the chain")
	}
	if !l.WroteSince("a", v("1")) || l.WroteSince("a", v("2")) || !l.WroteSince("a", v("unseen")) || l.WroteSince("x", v("unseen")) {
		t.Error("what was written since a version is told wrongly")
	}
}

// A label is one thing, whether its key or its path names it.
func TestLabelAndItsPathAreOneKey(t *testing.T) {
	t.Parallel()
	v := func(rv string) judging.Version { return judging.Version{UID: "u", ResourceVersion: rv} }
	for _, pair := range [][2]string{
		{judging.LabelKey("a"), fieldKey(t, "metadata.labels.a")},
		{judging.AnnotationKey("acme.io/a"), fieldKey(t, `metadata.annotations["acme.io/a"]`)},
	} {
		for i, key := range pair {
			other := pair[1-i]
			var l judging.Lineage
			l.Wrote(v("1"), v("2"), key)
			if !l.WroteSince(other, v("1")) {
				t.Errorf("%s was not written with %s", other, key)
			}
			l.Took(other)
			if !l.WroteSince(key, v("2")) {
				t.Errorf("%s was not taken over with %s", key, other)
			}
			if !judging.Overlap(key, other) || judging.Overlap(key, fieldKey(t, "metadata.labels.b")) {
				t.Errorf("%s overlaps %s: %t", key, other, judging.Overlap(key, other))
			}
		}
	}
}

// Given keys that this process wrote or took over; when a version is asked about that it has never gone by, as one that somebody saw while a write was
// under way; then the API server's order tells which came first, and of another object, or without an order, the write came later.
func TestWhatWasWrittenSinceAVersionThatWasNeverTheHead(t *testing.T) {
	t.Parallel()
	v := func(rv string) judging.Version { return judging.Version{UID: "u", ResourceVersion: rv} }
	var l judging.Lineage
	l.Observed(v("10"))
	l.Wrote(v("10"), v("20"), "foo")
	l.Took("bar")
	for name, test := range map[string]struct {
		key  string
		at   judging.Version
		want bool
	}{
		"before the write":        {"foo", v("15"), true},
		"after the write":         {"foo", v("25"), false},
		"with more digits":        {"foo", v("100"), false},
		"before the adoption":     {"bar", v("15"), true},
		"after the adoption":      {"bar", v("25"), false},
		"of another object":       {"foo", judging.Version{UID: "x", ResourceVersion: "25"}, true},
		"that cannot be compared": {"foo", v("later"), true},
		"of a key never written":  {"baz", v("15"), false},
	} {
		if got := l.WroteSince(test.key, test.at); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// Given a key that was taken over as it is; when a write that is known not to have changed it is taken note of; then it is still later
// than what was seen before.
func TestWriteThatChangesNothingDoesNotHideThatAKeyWasAdopted(t *testing.T) {
	t.Parallel()
	v := judging.Version{UID: "u", ResourceVersion: "1"}
	var l judging.Lineage
	l.Observed(v)
	l.Took("foo")
	l.Wrote(v, v, "foo")
	if !l.WroteSince("foo", v) {
		t.Error("it does not count as this process's any more")
	}
}
