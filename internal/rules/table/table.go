// Package table has the rules of the engine and of the provider, and how to take each of them out.
package table

import "slices"

// Rule is one that must hold, and how to take it out.
type Rule struct {
	Says  string
	In    string   // the function that has it: package.Function or package.Type.Method
	Edit  string   // that takes it out
	Tests []string // that fail then: TestX, or TestX/a_subtest; with the package, pack.TestX, where several have a TestX
}

func rule(says, in, edit string, tests ...string) Rule { return Rule{says, in, edit, tests} }

// All is all rules: of what doc.go of the engine promises, and of what that rests on; and of the provider.
func All() []Rule {
	return slices.Concat(queued, judged, batched, sent, evident, whole, secrets,
		providerWritten, providerRemoved, providerStored, providerPlanned, providerBound, providerDrift, providerSecret, providerSaid, providerShown, providerConfigured,
		providerInvoked)
}
