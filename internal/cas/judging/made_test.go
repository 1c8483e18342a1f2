package judging_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// changesOf are changes of fields, each as "path from to".
func changesOf(t *testing.T, all ...string) (changes []judging.Change) {
	t.Helper()
	for _, each := range all {
		words := strings.Split(each+" ", " ")
		changes = append(changes, judging.Change{Key: fieldKey(t, words[0]), From: entryOf(t, words[1]), To: entryOf(t, words[2])})
	}
	return changes
}

// Given a write of fields of which some are not there, nor what they are in; then it has made the topmost map or list of that, unless others in its request write
// into that as well.
func TestWhatAWriteMakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before  string
		changes []string
		others  []string
		after   string
		want    map[string]string // what is in it beside
	}{
		"a map":                          {`{}`, []string{`spec.m.a  1`}, nil, `{"m":{"a":1}}`, map[string]string{"spec.m": `{}`}},
		"the topmost":                    {`{}`, []string{`spec.m.n.a  1`, `spec.m.o.b  2`}, nil, `{"m":{"n":{"a":1},"o":{"b":2}}}`, map[string]string{"spec.m": `{"n":{},"o":{}}`}},
		"a map, and defaults":            {`{}`, []string{`spec.m.a  1`}, nil, `{"m":{"a":1,"b":{"c":2}}}`, map[string]string{"spec.m": `{"b":{"c":2}}`}},
		"another form of a value":        {`{}`, []string{`spec.m.a  "1000m"`}, nil, `{"m":{"a":"1"}}`, map[string]string{"spec.m": `{}`}},
		"a list":                         {`{}`, []string{`spec.l[id=1]  {"id":1}`}, nil, `{"l":[{"id":1}]}`, map[string]string{"spec.l": `[]`}},
		"a map in an element":            {`{"l":[{"id":1}]}`, []string{`spec.l[id=1].m.a  1`}, nil, `{"l":[{"id":1,"m":{"a":1}}]}`, map[string]string{"spec.l[id=1].m": `{}`}},
		"a map that was there":           {`{"m":{}}`, []string{`spec.m.a  1`}, nil, `{"m":{"a":1}}`, map[string]string{}},
		"a field of its own":             {`{}`, []string{`spec.m  {"a":1}`}, nil, `{"m":{"a":1}}`, map[string]string{}},
		"what is not kept":               {`{}`, []string{`spec.m.a  1`}, nil, `{}`, map[string]string{}},
		"what is not there shall not be": {`{}`, []string{`spec.m.a  `}, nil, `{}`, map[string]string{}},
		"another's is in it":             {`{}`, []string{`spec.m.a  1`}, []string{`spec.m.b  2`}, `{"m":{"a":1,"b":2}}`, map[string]string{}},
		"another's is beside":            {`{}`, []string{`spec.m.a  1`}, []string{`spec.n.b  2`}, `{"m":{"a":1},"n":{"b":2}}`, map[string]string{"spec.m": `{}`}},
		"by two selectors": {
			`{"l":[{"id":1,"name":"x"}]}`, []string{`spec.l[id=1].m.a  1`, `spec.l[name=x].m.b  2`}, nil, `{"l":[{"id":1,"name":"x","m":{"a":1,"b":2}}]}`, map[string]string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes, want := changesOf(t, test.changes...), map[string]string{}
			for path, rest := range test.want {
				want[fieldKey(t, path)] = entryOf(t, rest).Digest()
			}
			got := object{spec: test.before}.observed(t).Makes(changes, slices.Concat(changes, changesOf(t, test.others...)), object{spec: test.after}.observed(t))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Given a map, or a list, that a write made, with this in it beside; when what was written into it is removed, and this is in it by then; then it goes as well, or it stays.
func TestWhatIsEmptiedGoes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		made, rest string
		now        string
		removed    []string
		goes       bool
	}{
		"nothing else":              {"spec.m", `{}`, `{"m":{"a":1}}`, []string{`spec.m.a 1`}, true},
		"the defaults that came":    {"spec.m", `{"d":2}`, `{"m":{"a":1,"d":2}}`, []string{`spec.m.a 1`}, true},
		"another value of them":     {"spec.m", `{"d":2}`, `{"m":{"a":1,"d":3}}`, []string{`spec.m.a 1`}, false},
		"something else":            {"spec.m", `{}`, `{"m":{"a":1,"b":1}}`, []string{`spec.m.a 1`}, false},
		"a field that stays":        {"spec.m", `{}`, `{"m":{"a":1,"b":1}}`, []string{`spec.m.b 1`}, false},
		"all of several":            {"spec.m", `{}`, `{"m":{"a":1,"b":1}}`, []string{`spec.m.a 1`, `spec.m.b 1`}, true},
		"one that is gone":          {"spec.m", `{}`, `{"m":{"b":1}}`, []string{`spec.m.a `, `spec.m.b 1`}, true},
		"a list":                    {"spec.l", `[]`, `{"l":[{"id":1}]}`, []string{`spec.l[id=1] {"id":1}`}, true},
		"a list with another in it": {"spec.l", `[]`, `{"l":[{"id":1},{"id":2}]}`, []string{`spec.l[id=1] {"id":1}`}, false},
		"it is gone":                {"spec.m", `{}`, `{"n":1}`, []string{`spec.m.a `, `spec.n 1`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			txn := &judging.Txn{GoneIsDone: true}
			for _, c := range changesOf(t, test.removed...) {
				txn.Keys = append(txn.Keys, judging.KeySwap{Key: c.Key, Expect: c.From})
			}
			made := fieldKey(t, test.made)
			txn.Keys = append(txn.Keys, judging.KeySwap{Key: made, IsGuard: true, Rest: entryOf(t, test.rest).Digest()})
			j := judging.Judge(txn, object{spec: test.now}.observed(t), &judging.Lineage{})
			goes := slices.ContainsFunc(j.Changes, func(c judging.Change) bool { return c.Key == made && c.Writes() })
			if j.Decision != judging.DecideWrite || goes != test.goes {
				t.Errorf("%v: %v, %v", j.Decision, j.Err, slices.Collect(maps.Keys(judging.FieldsOf(j.Changes))))
			}
		})
	}
}
