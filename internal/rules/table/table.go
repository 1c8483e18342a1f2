// Package table has the rules of the engine and of the provider, and how to take each of them out.
//
// A row names a function and an edit, so that it stays as it is where lines move and variables get other names. For example:
//
//	rule("A caller whose write was refused may leave at once", "cas.committer.perform", "never !a.isSigned()", "TestContextThatEndsAtEveryPoint"),
//
// The method perform of cas.committer has the lines
//
//	if !w.isSigned() { // a signed one may have landed, if something on the way sent it twice
//		c.release(tasks)
//	}
//
// Without the rule, this condition never holds, and then TestContextThatEndsAtEveryPoint must fail. These are the edits:
//
//	never P    the nearest if or case around P never runs its body; P may be in its init, its condition or its body
//	always P   its condition always holds
//	skip P     the statement that has P is not run
//	without P  the operand of && or ||, the argument, the element or the case that has P is left out
//	P -> R     R stands in the place of P; true and false keep P in the source, so that all variables are used
//
// P is a pattern: a Go expression or statement. A letter a to z in it matches any expression, as for gofmt -r, and the same letter always matches the
// same expression. In R, a letter of P stands for the expression that it matched, and self for the receiver. An edit does not look for its if, case or
// statement outside of the closure, loop, else or case of a select that P is in. P must match in one place of the function that the edit can change;
// an edit that begins with "every" changes all such places.
package table

import (
	"slices"
	"strings"
)

// Rule is one that must hold, and how to take it out.
type Rule struct {
	Says  string
	In    string // package.Function or package.Type.Method
	Edit  string
	Tests []string // that fail then: TestX or TestX/a_subtest; package.TestX where several packages have one
}

func rule(says, in, edit string, tests ...string) Rule { return Rule{says, in, edit, tests} }

// subtests makes rules of one function. Their tests are a test's subtests, in words, or others by their name.
func subtests(of, in string) func(says, edit string, tests ...string) Rule {
	return func(says, edit string, tests ...string) Rule {
		for i, test := range tests {
			if !strings.HasPrefix(test, "Test") {
				tests[i] = of + "/" + strings.ReplaceAll(test, " ", "_")
			}
		}
		return rule(says, in, edit, tests...)
	}
}

// All is all rules: of what doc.go of the engine promises, and of what that rests on; and of the provider.
func All() []Rule {
	return slices.Concat(queued, judged, written, fields, providerApplied, providerPlanned, providerTold)
}
