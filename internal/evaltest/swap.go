package evaltest

import "github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"

// Swap asks for one key to be written if, and only if, its expectation holds: a Txn of one key.
type Swap struct {
	Ref             eval.Ref
	Key             string
	Expect          eval.Value
	New             eval.Value
	IfEqual         eval.IfEqual
	IgnoreMissing   bool
	RequireVersions []eval.Version
	ObservedAt      eval.Version
	FieldManager    string
}

// Txn returns the transaction that makes the swap.
func (s Swap) Txn() *eval.Txn {
	return &eval.Txn{
		Ref: s.Ref, Keys: []eval.KeySwap{{Key: s.Key, Expect: s.Expect, New: s.New, IfEqual: s.IfEqual}},
		IgnoreMissing: s.IgnoreMissing, RequireVersions: s.RequireVersions, ObservedAt: s.ObservedAt, FieldManager: s.FieldManager,
	}
}
