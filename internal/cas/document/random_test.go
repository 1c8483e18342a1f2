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

// step makes one change of a document, or sets all of it after some changes, and reports whether the edit is possible.
func step(t *testing.T, r *rand.Rand, s *sample) bool {
	t.Helper()
	d := parse(t, s.text, s.format)
	at, to := drawChange(r, d.Value())
	want := set(d.Value(), at, to)
	c := change(d.Value(), at, to)
	if r.IntN(2) == 0 {
		for range r.IntN(3) {
			at, to := drawChange(r, want)
			want = set(want, at, to)
		}
		c = document.Change{Value: want}
	}
	edited, err := d.Edit([]document.Change{c})
	if err != nil {
		t.Logf("%s: %v: %s", s.name, err, show(want))
		return false
	}
	text := edited.Text()
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
		at, to := drawChange(r, d.Value())
		want := set(d.Value(), at, to)
		edited, err := d.Edit([]document.Change{change(d.Value(), at, to)})
		if err != nil {
			return
		}
		changed := edited.Text()
		if got := parse(t, changed, format).Value(); show(got) != show(want) {
			t.Fatalf("%s instead of %s in\n%s", show(got), show(want), changed)
		}
	})
}
