package document_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/document"
)

var edits = flag.Int("edits", 1500, "how many random edits TestRandomEdits makes")

// TestRandomEdits changes the documents at random, several times each. Every new text has the wanted value, also for
// other parsers, or the change is refused.
func TestRandomEdits(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	r := rand.New(rand.NewPCG(seed, 0))
	all := samples(t)
	refused := 0
	for n := 0; n < *edits; {
		s := all[r.IntN(len(all))]
		for range 1 + r.IntN(8) {
			n++
			if !step(t, r, &s) {
				refused++
			}
		}
	}
	t.Logf("%d of %d refused", refused, *edits)
	if refused > *edits/10 {
		t.Errorf("%d of %d edits are refused", refused, *edits)
	}
}

// step makes some changes of a document in one edit, and reports whether the edit is possible.
func step(t *testing.T, r *rand.Rand, s *sample) bool {
	t.Helper()
	d := parse(t, s.text, s.format)
	want := d.Value()
	for range 1 + r.IntN(3) {
		want = drawChange(r, want)
	}
	text, err := d.Edit(want)
	if err != nil {
		t.Logf("%s: %v: %s", s.name, err, show(want))
		return false
	}
	if got := parse(t, text, s.format).Value(); show(got) != show(want) {
		t.Fatalf("%s: %s instead of %s in\n%s", s.name, show(got), show(want), text)
	}
	// Other parsers read some documents in other ways even before a change.
	if s.name != "yaml11.yaml" && s.name != "anchors.yaml" && strings.TrimSpace(text) != "" {
		old, current := readBy(t, text)
		if old != canonical(t, []byte(show(want))) || current != old {
			t.Fatalf("%s: %s and %s instead of %s in\n%s\nbefore:\n%s", s.name, old, current, show(want), text, s.text)
		}
	}
	s.text = text
	return true
}

// FuzzEdit parses any text, and changes it at random.
func FuzzEdit(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.text, uint64(1), s.format == document.JSON)
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64, isJSON bool) {
		format := document.YAML
		if isJSON {
			format = document.JSON
		}
		d, err := document.Parse(text, format)
		if err != nil {
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		want := drawChange(r, d.Value())
		changed, err := d.Edit(want)
		if err != nil {
			return
		}
		if got := parse(t, changed, format).Value(); show(got) != show(want) {
			t.Fatalf("%s instead of %s in\n%s", show(got), show(want), changed)
		}
	})
}
