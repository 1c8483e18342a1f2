package acceptance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// KIND in what a row wants stands for the kind.
const (
	conflicts     = "Compare-And-Swap Conflict"
	mismatches    = "Expected Value Mismatch"
	exists        = "Key Already Exists"
	alreadyHeld   = "Key Already Holds The Value"
	changedSince  = "Value Changed Since Last Apply"
	notFound      = "KIND Not Found"
	needsExpected = "Expected Value Missing"
	wouldFail     = "Replacement Would Fail"
)

// kindRow is one case for each kind, each form and each scope: foo of testmap is created with the value 2, updated from 1 to 2, destroyed while it
// holds 1, or replaced in place.
type kindRow struct {
	found    data // before anything else; nil: no object
	expected string
	lines    string
	check    string // plan_check
	before   func(o object)
	foreign  func(o object) // between plan and apply

	// verdict has the title of the error of the apply, or of the plan after "plan: ". What is left out passes. The keys are scopes, behind
	// "Secret " where a Secret's is another one.
	verdict map[string]string
	warns   map[string]string // what the plan warns of, by the same keys; "!" and a title: it does not
	after   data              // where it passes; nil: no object
	isQuiet bool              // where it passes, nothing is written
}

// of is what a row has for a kind in a scope.
func (k objectKind) of(by map[string]string, scope string) string {
	text, own := by[k.name+" "+scope]
	if !own {
		text = by[scope]
	}
	return strings.ReplaceAll(text, "KIND", k.name)
}

func both(verdict string) map[string]string {
	return map[string]string{"object": verdict, "key": verdict}
}

// onlyObject is the verdict on a foreign change that key scope ignores.
var onlyObject = map[string]string{"object": conflicts}

// byVersion is the same of a removal: a Secret's goes by the version in both scopes, since no state has the value.
var byVersion = map[string]string{"object": conflicts, "Secret key": conflicts}

func setsKey(key, value string) func(object) { return func(o object) { o.set(key, value) } }

func undoes(o object) {
	o.set("foo", "9")
	o.set("foo", "1")
}

func recreates(with data) func(object) { return func(o object) { o.recreate(with) } }

var (
	kept = data{"bar": "kept"}
	one  = data{"foo": "1", "bar": "kept"}
	two  = data{"foo": "2", "bar": "kept"}
)

var kindRows = map[string]map[string]kindRow{
	"create": {
		"absent":               {found: kept, after: two},
		"held":                 {found: two, verdict: both("plan: " + alreadyHeld)},
		"held, adopted":        {found: two, lines: "adopt_existing = true", after: two, isQuiet: true},
		"held, expected":       {found: two, expected: "2", after: two, isQuiet: true},
		"expectation holds":    {found: one, expected: "1", after: two},
		"expectation does not": {found: data{"foo": "3"}, expected: "1", verdict: both("plan: " + mismatches)},
		"expected and absent":  {found: kept, expected: "1", verdict: both("plan: " + mismatches)},
		"exists":               {found: one, verdict: both("plan: " + exists)},
		"exists, adopted":      {found: one, lines: "adopt_existing = true", verdict: both("plan: " + exists)},
		"no object": {
			foreign: func(o object) { o.create(kept) }, warns: both("KIND Does Not Exist Yet"), after: two,
		},
		"no object, at apply either": {verdict: both(notFound)},
		"then exists":                {found: kept, foreign: setsKey("foo", "3"), verdict: both(exists)},
		"then held":                  {found: kept, foreign: setsKey("foo", "2"), verdict: both(alreadyHeld)},
		"then expectation not":       {found: one, expected: "1", foreign: setsKey("foo", "3"), verdict: both(mismatches)},
		"then another key":           {found: data{}, foreign: setsKey("bar", "kept"), after: two},
		"then gone":                  {found: kept, foreign: object.remove, verdict: both(notFound)},
		"plan_check warning":         {found: one, check: "warning", warns: both(exists), verdict: both(exists)},
		"plan_check off":             {found: one, check: "off", warns: both("!" + exists), verdict: both(exists)},
	},
	"update": {
		// No state has the value of a Secret. In key scope, only an expectation says what an update is held to.
		"quiet": {after: two, verdict: map[string]string{"Secret key": "plan: " + needsExpected}},
		"quiet, plan_check off": {
			check: "off", after: two, verdict: map[string]string{"Secret key": needsExpected},
		},
		"another wrote, not expected": {
			foreign: setsKey("foo", "3"), verdict: map[string]string{"object": conflicts, "key": conflicts, "Secret key": "plan: " + needsExpected},
		},
		"expected":                  {expected: "1", after: two},
		"expectation does not hold": {expected: "3", verdict: both("plan: " + mismatches)},
		"another wrote":             {expected: "1", foreign: setsKey("foo", "3"), verdict: map[string]string{"object": conflicts, "key": mismatches}},
		"another wrote the same":    {expected: "1", foreign: setsKey("foo", "2"), verdict: map[string]string{"object": conflicts, "key": mismatches}},
		"removed": {
			expected: "1", foreign: func(o object) { o.unset("foo") }, verdict: map[string]string{"object": conflicts, "key": mismatches},
		},
		"another key":        {expected: "1", foreign: setsKey("bar", "theirs"), verdict: onlyObject, after: data{"foo": "2", "bar": "theirs"}},
		"label":              {expected: "1", foreign: object.label, verdict: onlyObject, after: two},
		"undone":             {expected: "1", foreign: undoes, verdict: onlyObject, after: two},
		"recreated":          {expected: "1", foreign: recreates(one), verdict: onlyObject, after: two},
		"recreated, another": {expected: "1", foreign: recreates(data{"foo": "3"}), verdict: map[string]string{"object": conflicts, "key": mismatches}},
		"gone":               {expected: "1", foreign: object.remove, verdict: both(notFound)},
		"over drift": {
			before: setsKey("foo", "9"), after: two, warns: both(changedSince),
			verdict: map[string]string{"Secret key": "plan: " + needsExpected},
		},
		"over drift, refused": {
			before: setsKey("foo", "9"), lines: `on_drift = "error"`,
			verdict: map[string]string{
				"object": "plan: " + changedSince, "key": "plan: " + changedSince, "Secret key": "plan: " + needsExpected,
			},
		},
		"over drift, off": {
			before: setsKey("foo", "9"), lines: `on_drift = "off"`, after: two, warns: both("!" + changedSince),
			verdict: map[string]string{"Secret key": "plan: " + needsExpected},
		},
		"over drift that it names": {
			before: setsKey("foo", "9"), expected: "9", lines: `on_drift = "error"`, after: two, warns: both("!" + changedSince),
		},
	},
	"destroy": {
		"quiet":         {after: kept},
		"goes":          {foreign: func(o object) { o.unset("foo") }, after: kept},
		"object goes":   {foreign: object.remove},
		"another wrote": {foreign: setsKey("foo", "3"), verdict: both(conflicts)},
		"another key":   {foreign: setsKey("bar", "theirs"), verdict: byVersion, after: data{"bar": "theirs"}},
		"label":         {foreign: object.label, verdict: byVersion, after: kept},
		"undone":        {foreign: undoes, verdict: byVersion, after: kept},
		"recreated":     {foreign: recreates(one), verdict: byVersion, after: kept},
		"drift":         {before: setsKey("foo", "9"), warns: both(changedSince), after: kept},
		"drift, refused": {
			before: setsKey("foo", "9"), lines: `on_drift = "error"`, verdict: both("plan: " + changedSince),
		},
		"drift, refused, plan_check off": {
			before: setsKey("foo", "9"), lines: `on_drift = "error"`, check: "off", verdict: both(changedSince),
		},
		"existed before": {found: one, lines: "adopt_existing = true", warns: both("Key Existed Before Terraform"), after: kept},
		"abandoned":      {lines: `deletion_policy = "abandon"`, foreign: setsKey("foo", "3"), after: data{"foo": "3", "bar": "kept"}, isQuiet: true},
	},
	"replace": {
		"quiet":         {after: one},
		"adopted":       {lines: "adopt_existing = true", verdict: both("plan: " + wouldFail)},
		"abandoned":     {lines: `deletion_policy = "abandon"`, verdict: both("plan: " + wouldFail)},
		"expected":      {expected: "1", verdict: both("plan: " + wouldFail)},
		"another wrote": {foreign: setsKey("foo", "3"), verdict: both(conflicts)},
		"another key":   {foreign: setsKey("bar", "theirs"), verdict: byVersion, after: data{"foo": "1", "bar": "theirs"}},
		"undone":        {foreign: undoes, verdict: byVersion, after: one},
	},
}

func TestMatrixOfBothKinds(t *testing.T) {
	for op, rows := range kindRows {
		for name, row := range rows {
			for _, scope := range []string{"object", "key"} {
				t.Run(fmt.Sprintf("%s/%s/%s", op, name, scope), func(t *testing.T) {
					onKinds(t, func(p *pipeline, o object, form string) { row.run(p, o, form, op, scope) })
				})
			}
		}
	}
}

func (r kindRow) run(p *pipeline, o object, form, op, scope string) {
	block := func(value, expected string) string {
		return o.kind.block(form, value, expected, "conflict_scope = "+quoted(scope), r.lines)
	}
	args := map[string][]string{"destroy": {"-destroy"}, "replace": {"-replace=" + o.kind.address(form)}}[op]
	switch {
	case op == "create":
		if r.found != nil {
			o.create(r.found)
		}
		p.write(block("2", r.expected))
	default:
		if r.found == nil {
			r.found = kept
		}
		o.create(r.found)
		p.planned(block("1", ""))
	}
	switch op {
	case "update":
		p.write(block("2", r.expected))
	case "replace":
		p.write(block("1", r.expected))
	}
	if r.before != nil {
		r.before(o)
	}
	p.setenv("CAS_PLAN_CHECK", r.check)
	verdict, warning := o.kind.of(r.verdict, scope), o.kind.of(r.warns, scope)
	unchanged := func(before *liveObject) {
		if diff := cmp.Diff(before, o.live()); diff != "" {
			p.Errorf("the object changed (-before +after):\n%s", diff)
		}
	}
	if title, atPlan := strings.CutPrefix(verdict, "plan: "); atPlan {
		before := o.live()
		p.planRefused([]string{"Error: " + title}, args...)
		unchanged(before)
		return
	}
	said := p.plan(args...)
	if unwanted, is := strings.CutPrefix(warning, "!"); is {
		p.wants(said, "!"+unwanted)
	} else if warning != "" {
		p.wants(said, "Warning: "+warning)
	}
	if r.foreign != nil {
		r.foreign(o)
	}
	before := o.live()
	if verdict != "" {
		p.applyRefused("Error: " + verdict)
		unchanged(before)
		return
	}
	p.apply()
	if r.isQuiet {
		unchanged(before)
	}
	var got data
	if live := o.live(); live != nil {
		got = live.Data
	}
	if diff := cmp.Diff(r.after, got, cmpopts.EquateEmpty()); diff != "" {
		p.Errorf("live (-want +got):\n%s", diff)
	}
	if op == "destroy" {
		p.wantState()
		return
	}
	if op != "replace" || r.expected == "" {
		p.planNothing("-refresh=false")
	}
	p.planNothing()
}
