package kinds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A row has KIND in place of the kind.
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
	found    fixture.Data // before anything else; nil: no object
	expected string
	lines    string
	check    string // plan_check
	before   func(o fixture.Object)
	foreign  func(o fixture.Object) // between plan and apply

	// verdict has the title of the error of the apply, or of the plan after "plan: ". A scope without a verdict passes.
	// The keys are scopes, with the prefix "Secret " if the verdict of a Secret differs.
	verdict map[string]string
	warns   map[string]string // what the plan warns of, by the same keys; "!" and a title: it does not
	after   fixture.Data      // where it passes; nil: no object
	isQuiet bool              // where it passes, nothing is written
}

func both(verdict string) map[string]string {
	return map[string]string{"object": verdict, "key": verdict}
}

// onlyObject is the verdict on a change by another writer that key scope ignores.
var onlyObject = map[string]string{"object": conflicts}

// byVersion is the same for a removal. The removal of a Secret key compares the version in both scopes, since no state
// has the value.
var byVersion = map[string]string{"object": conflicts, "Secret key": conflicts}

func setsKey(key, value string) func(fixture.Object) {
	return func(o fixture.Object) { o.Set(key, value) }
}

func undoes(o fixture.Object) {
	o.Set("foo", "9")
	o.Set("foo", "1")
}

func recreates(with fixture.Data) func(fixture.Object) {
	return func(o fixture.Object) { o.Recreate(with) }
}

var (
	kept = fixture.Data{"bar": "kept"}
	one  = fixture.Data{"foo": "1", "bar": "kept"}
	two  = fixture.Data{"foo": "2", "bar": "kept"}
)

var kindRows = map[string]map[string]kindRow{
	"create": {
		"absent":               {found: kept, after: two},
		"held":                 {found: two, verdict: both("plan: " + alreadyHeld)},
		"held, adopted":        {found: two, lines: "adopt_existing = true", after: two, isQuiet: true},
		"held, expected":       {found: two, expected: "2", after: two, isQuiet: true},
		"expectation holds":    {found: one, expected: "1", after: two},
		"expectation does not": {found: fixture.Data{"foo": "3"}, expected: "1", verdict: both("plan: " + mismatches)},
		"expected and absent":  {found: kept, expected: "1", verdict: both("plan: " + mismatches)},
		"exists":               {found: one, verdict: both("plan: " + exists)},
		"exists, adopted":      {found: one, lines: "adopt_existing = true", verdict: both("plan: " + exists)},
		"no object": {
			foreign: func(o fixture.Object) { o.Create(kept) }, warns: both("KIND Does Not Exist Yet"), after: two,
		},
		"no object, at apply either": {verdict: both(notFound)},
		"then exists":                {found: kept, foreign: setsKey("foo", "3"), verdict: both(exists)},
		"then held":                  {found: kept, foreign: setsKey("foo", "2"), verdict: both(alreadyHeld)},
		"then expectation not":       {found: one, expected: "1", foreign: setsKey("foo", "3"), verdict: both(mismatches)},
		"then another key":           {found: fixture.Data{}, foreign: setsKey("bar", "kept"), after: two},
		"then gone":                  {found: kept, foreign: fixture.Object.Remove, verdict: both(notFound)},
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
			expected: "1", foreign: func(o fixture.Object) { o.Unset("foo") }, verdict: map[string]string{"object": conflicts, "key": mismatches},
		},
		"another key":        {expected: "1", foreign: setsKey("bar", "theirs"), verdict: onlyObject, after: fixture.Data{"foo": "2", "bar": "theirs"}},
		"label":              {expected: "1", foreign: fixture.Object.Label, verdict: onlyObject, after: two},
		"undone":             {expected: "1", foreign: undoes, verdict: onlyObject, after: two},
		"recreated":          {expected: "1", foreign: recreates(one), verdict: onlyObject, after: two},
		"recreated, another": {expected: "1", foreign: recreates(fixture.Data{"foo": "3"}), verdict: map[string]string{"object": conflicts, "key": mismatches}},
		"gone":               {expected: "1", foreign: fixture.Object.Remove, verdict: both(notFound)},
		"over drift": {
			before: setsKey("foo", "9"), lines: `on_drift = "overwrite"`, after: two, warns: both(changedSince),
			verdict: map[string]string{"Secret key": "plan: " + needsExpected},
		},
		"over drift, refused": {
			before: setsKey("foo", "9"),
			verdict: map[string]string{
				"object": "plan: " + changedSince, "key": "plan: " + changedSince, "Secret key": "plan: " + needsExpected,
			},
		},
		"over drift that it names": {
			before: setsKey("foo", "9"), expected: "9", after: two, warns: both("!" + changedSince),
		},
	},
	"destroy": {
		"quiet":          {after: kept},
		"goes":           {foreign: func(o fixture.Object) { o.Unset("foo") }, after: kept},
		"object goes":    {foreign: fixture.Object.Remove},
		"another wrote":  {foreign: setsKey("foo", "3"), verdict: both(conflicts)},
		"another key":    {foreign: setsKey("bar", "theirs"), verdict: byVersion, after: fixture.Data{"bar": "theirs"}},
		"label":          {foreign: fixture.Object.Label, verdict: byVersion, after: kept},
		"undone":         {foreign: undoes, verdict: byVersion, after: kept},
		"recreated":      {foreign: recreates(one), verdict: byVersion, after: kept},
		"drift":          {before: setsKey("foo", "9"), check: "warning", warns: both("Key Stays In Place"), after: fixture.Data{"foo": "9", "bar": "kept"}, isQuiet: true},
		"drift, deleted": {before: setsKey("foo", "9"), lines: fixture.Deletes + "\n  on_drift = \"overwrite\"", warns: both(changedSince), after: kept},
		"drift, refused": {
			before: setsKey("foo", "9"), lines: fixture.Deletes, verdict: both("plan: " + changedSince),
		},
		"drift, refused, plan_check off": {
			before: setsKey("foo", "9"), lines: fixture.Deletes, check: "off", verdict: both(changedSince),
		},
		"existed before": {found: one, lines: "adopt_existing = true", warns: both("Key Stays In Place"), after: one, isQuiet: true},
		"existed before, deleted": {
			found: one, lines: "adopt_existing = true\n  " + fixture.Deletes, warns: both("Key Existed Before Terraform"), after: kept,
		},
		"abandoned": {lines: `deletion_policy = "abandon"`, foreign: setsKey("foo", "3"), after: fixture.Data{"foo": "3", "bar": "kept"}, isQuiet: true},
	},
	"replace": {
		"quiet":         {after: one},
		"adopted":       {lines: "adopt_existing = true", verdict: both("plan: " + wouldFail)},
		"abandoned":     {lines: `deletion_policy = "abandon"`, verdict: both("plan: " + wouldFail)},
		"expected":      {expected: "1", verdict: both("plan: " + wouldFail)},
		"another wrote": {foreign: setsKey("foo", "3"), verdict: both(conflicts)},
		"another key":   {foreign: setsKey("bar", "theirs"), verdict: byVersion, after: fixture.Data{"foo": "1", "bar": "theirs"}},
		"undone":        {foreign: undoes, verdict: byVersion, after: one},
	},
}

func TestMatrixOfBothKinds(t *testing.T) {
	for op, rows := range kindRows {
		for name, row := range rows {
			for _, scope := range []string{"object", "key"} {
				t.Run(fmt.Sprintf("%s/%s/%s", op, name, scope), func(t *testing.T) {
					onKinds(t, func(p *fixture.Pipeline, o fixture.Object, form string) { row.run(p, o, form, op, scope) })
				})
			}
		}
	}
}

func (r kindRow) run(p *fixture.Pipeline, o fixture.Object, form, op, scope string) {
	block := func(value, expected string) string {
		return o.Kind.Block(form, value, expected, "conflict_scope = "+fixture.Quoted(scope), r.lines)
	}
	args := map[string][]string{"destroy": {"-destroy"}, "replace": {"-replace=" + o.Kind.Address(form)}}[op]
	if r.found == nil && op != "create" {
		r.found = kept
	}
	if r.found != nil {
		o.Create(r.found)
	}
	if op != "create" {
		p.Planned(block("1", ""))
	}
	switch op {
	case "create", "update":
		p.Write(block("2", r.expected))
	case "replace":
		p.Write(block("1", r.expected))
	}
	if r.before != nil {
		r.before(o)
	}
	p.Export("CAS_PLAN_CHECK", r.check)
	verdict, warning := o.Kind.Of(r.verdict, scope), o.Kind.Of(r.warns, scope)
	unchanged := func(before *fixture.LiveObject) {
		if diff := cmp.Diff(before, o.Live()); diff != "" {
			p.Errorf("the object changed (-before +after):\n%s", diff)
		}
	}
	if title, atPlan := strings.CutPrefix(verdict, "plan: "); atPlan {
		before := o.Live()
		p.PlanRefused([]string{"Error: " + title}, args...)
		unchanged(before)
		return
	}
	said := p.Plan(args...)
	if unwanted, is := strings.CutPrefix(warning, "!"); is {
		p.Wants(said, "!"+unwanted)
	} else if warning != "" {
		p.Wants(said, "Warning: "+warning)
	}
	if r.foreign != nil {
		r.foreign(o)
	}
	before := o.Live()
	if verdict != "" {
		p.ApplyRefused("Error: " + verdict)
		unchanged(before)
		return
	}
	p.Apply()
	if r.isQuiet {
		unchanged(before)
	}
	var got fixture.Data
	if live := o.Live(); live != nil {
		got = live.Data
	}
	if diff := cmp.Diff(r.after, got, cmpopts.EquateEmpty()); diff != "" {
		p.Errorf("live (-want +got):\n%s", diff)
	}
	if op == "destroy" {
		p.WantState()
		return
	}
	if op != "replace" || r.expected == "" {
		p.PlanNothing("-refresh=false")
	}
	p.PlanNothing()
}
