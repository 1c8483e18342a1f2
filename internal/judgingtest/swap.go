package judgingtest

import "github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"

// Swap asks for one key to be written if, and only if, its expectation holds: a Txn of one key.
type Swap struct {
	Ref          judging.Ref
	Key          string
	Expect       judging.Entry
	New          judging.Entry
	Held         judging.Held
	GoneIsDone   bool
	At           []judging.Version
	Seen         judging.Version
	FieldManager string
}

// Txn is what the swap stands for.
func (s Swap) Txn() *judging.Txn {
	return &judging.Txn{
		Ref: s.Ref, Keys: []judging.KeySwap{{Key: s.Key, Expect: s.Expect, New: s.New, Held: s.Held}},
		GoneIsDone: s.GoneIsDone, At: s.At, Seen: s.Seen, FieldManager: s.FieldManager,
	}
}
