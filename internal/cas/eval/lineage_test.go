package eval_test

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestLineageGoesOnThroughOwnWritesOnly(t *testing.T) {
	t.Parallel()
	v := func(rv string) eval.Version { return eval.Version{UID: "u", ResourceVersion: rv} }
	var l eval.Chain
	l.RecordRead(v("1"))
	l.RecordWrite(v("1"), v("2"), "a")
	l.RecordWrite(v("2"), v("2"), "b") // a write that changed nothing keeps the version
	l.RecordWrite(v("2"), v("3"), "c")
	if !l.LeadsFrom(v("1")) || !l.LeadsFrom(v("2")) || !l.LeadsFrom(v("3")) || l.LeadsFrom(v("4")) {
		t.Error("the chain of own writes is broken")
	}
	l.RecordRead(v("3"))
	if !l.LeadsFrom(v("1")) {
		t.Error("seeing one's own version again broke the chain")
	}
	l.RecordRead(v("5"))
	if l.LeadsFrom(v("3")) || !l.LeadsFrom(v("5")) {
		t.Error("a foreign version did not begin a new chain")
	}
	l.RecordWrite(v("6"), v("7"), "d")
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
	v := func(rv string) eval.Version { return eval.Version{UID: "u", ResourceVersion: rv} }
	for _, pair := range [][2]string{
		{eval.LabelKey("a"), fieldKey(t, "metadata.labels.a")},
		{eval.AnnotationKey("acme.io/a"), fieldKey(t, `metadata.annotations["acme.io/a"]`)},
	} {
		for i, key := range pair {
			other := pair[1-i]
			var l eval.Chain
			l.RecordWrite(v("1"), v("2"), key)
			if !l.WroteSince(other, v("1")) {
				t.Errorf("%s was not written with %s", other, key)
			}
			l.RecordAdoption(other)
			if !l.WroteSince(key, v("2")) {
				t.Errorf("%s was not taken over with %s", key, other)
			}
			if !eval.Overlap(key, other) || eval.Overlap(key, fieldKey(t, "metadata.labels.b")) {
				t.Errorf("%s overlaps %s: %t", key, other, eval.Overlap(key, other))
			}
		}
	}
}

// Given keys that this process wrote or adopted; when a caller asks about a version that the process never observed, such as
// a version between two writes. Then the order of the API server decides. For another object, or without an order, the write
// counts as later.
func TestWhatWasWrittenSinceAVersionThatWasNeverTheHead(t *testing.T) {
	t.Parallel()
	v := func(rv string) eval.Version { return eval.Version{UID: "u", ResourceVersion: rv} }
	var l eval.Chain
	l.RecordRead(v("10"))
	l.RecordWrite(v("10"), v("20"), "foo")
	l.RecordAdoption("bar")
	for name, test := range map[string]struct {
		key  string
		at   eval.Version
		want bool
	}{
		"before the write":        {"foo", v("15"), true},
		"after the write":         {"foo", v("25"), false},
		"with more digits":        {"foo", v("100"), false},
		"before the adoption":     {"bar", v("15"), true},
		"after the adoption":      {"bar", v("25"), false},
		"of another object":       {"foo", eval.Version{UID: "x", ResourceVersion: "25"}, true},
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
	v := eval.Version{UID: "u", ResourceVersion: "1"}
	var l eval.Chain
	l.RecordRead(v)
	l.RecordAdoption("foo")
	l.RecordWrite(v, v, "foo")
	if !l.WroteSince("foo", v) {
		t.Error("it does not count as this process's any more")
	}
}
