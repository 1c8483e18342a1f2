package evaltest

import (
	"bytes"
	"errors"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// ErrNext is the error of a computed key.
var ErrNext = errors.New("cannot be computed")

// next computes a key: its text twice, if it has a text.
func next(live eval.Value) (eval.Value, error) {
	if v, ok := live.Text(); ok {
		return eval.Text(v + v), nil
	}
	return eval.Value{}, ErrNext
}

// txnEntries are few, so that expectations hold as often as not; two of them are the same after NFC.
var txnEntries = []eval.Value{
	{}, eval.Text("1"), eval.Text("2"), eval.Text("caf\u00e9"), eval.Text("cafe\u0301"), eval.Binary([]byte("1")),
}

// Label is the key of a label that some transactions set, whatever it holds.
var Label = eval.LabelKey("l")

// Drawn draws a value for each key. Some keys have none.
func (c *Choices) Drawn(keys []string) map[string]eval.Value {
	entries := map[string]eval.Value{}
	for _, key := range keys {
		if e := txnEntries[c.Pick(len(txnEntries))]; !e.IsAbsent() {
			entries[key] = e
		}
	}
	return entries
}

// Txn draws one about up to four keys. A removal takes nothing over.
func (c *Choices) Txn(keys []string, was map[string]eval.Value) *eval.Txn {
	t := &eval.Txn{FieldManager: []string{"engine", "engine", "engine", "other"}[c.Pick(4)], IgnoreMissing: c.Pick(4) == 0}
	for _, key := range keys {
		if c.Coin() {
			continue
		}
		k := eval.KeySwap{Key: key, Expect: was[key]} // which holds, where nothing came first
		if c.Pick(3) == 0 {
			k.Expect = txnEntries[c.Pick(len(txnEntries))]
		}
		switch kind := c.Pick(8); {
		case kind < 3:
			k.IsGuard = true
		case t.IgnoreMissing:
		case kind == 3:
			k.Next = next
		default:
			k.New, k.IfEqual = txnEntries[c.Pick(len(txnEntries))], eval.IfEqual(c.Pick(3))
		}
		t.Keys = append(t.Keys, k)
	}
	if c.Pick(8) == 0 && !t.IgnoreMissing {
		t.Keys = append(t.Keys, eval.KeySwap{Key: Label, Expect: eval.Anything(), New: eval.Text(strconv.Itoa(c.Pick(3)))})
	}
	return t
}

// Same reports whether two entries count as the same: the same text after NFC, the same bytes, or nothing both.
func Same(a, b eval.Value) bool {
	textA, isTextA := a.Text()
	textB, isTextB := b.Text()
	bytesA, isBytesA := a.Binary()
	bytesB, isBytesB := b.Binary()
	switch {
	case isTextA != isTextB || isBytesA != isBytesB:
		return false
	case isTextA:
		return norm.NFC.String(textA) == norm.NFC.String(textB)
	default:
		return !isBytesA || bytes.Equal(bytesA, bytesB)
	}
}

// Serial is a model of one object that transactions come to one after the other, written from what doc.go and txn.go say.
type Serial struct {
	Entries map[string]eval.Value
	Own     map[string]bool // keys that this process wrote or took over
}

// Outcome is the expected outcome of a Txn.
type Outcome struct {
	Failed   map[string]eval.Reason
	Computed bool // an error of Next
	Previous map[string]eval.Value
	Wrote    bool
}

// Do brings a Txn to its end.
func (s *Serial) Do(t *eval.Txn) (o Outcome) {
	there, left := map[string]bool{}, 0 // the removals of existing keys
	for _, k := range t.Keys {
		there[k.Key] = !s.Entries[k.Key].IsAbsent()
		if !k.IsGuard && there[k.Key] {
			left++
		}
	}
	o.Failed, o.Previous = map[string]eval.Reason{}, map[string]eval.Value{}
	for _, k := range t.Keys {
		o.Previous[k.Key] = s.Entries[k.Key]
	}
	if t.IgnoreMissing && left == 0 {
		return o
	}
	for _, k := range t.Keys {
		if t.IgnoreMissing && !k.IsGuard && there[k.Key] && s.Own[k.Key] {
			o.Failed[k.Key] = eval.ReasonOwn
		}
	}
	if len(o.Failed) > 0 {
		return o
	}
	becomes := map[string]eval.Value{}
	var taken []string
	for _, k := range t.Keys {
		is := s.Entries[k.Key]
		if k.Next != nil {
			to, err := next(is)
			becomes[k.Key], o.Computed = to, o.Computed || err != nil
			continue
		}
		holdsNew, holdsExpected := !k.IsGuard && Same(is, k.New), k.Expect.IsAnything() || Same(is, k.Expect)
		switch {
		case k.IsGuard && holdsExpected, t.IgnoreMissing && !k.IsGuard && !there[k.Key]:
		case k.IsGuard:
			o.Failed[k.Key] = eval.ReasonKey
		case holdsNew && k.IfEqual == eval.Adopt:
			taken = append(taken, k.Key)
		case holdsNew && k.IfEqual == eval.Reject:
			o.Failed[k.Key] = eval.ReasonEqual
		case !holdsExpected:
			o.Failed[k.Key] = eval.ReasonKey
		default:
			becomes[k.Key] = k.New
		}
	}
	if o.Computed || len(o.Failed) > 0 {
		return o
	}
	for _, key := range taken {
		s.Own[key] = true
	}
	for key, to := range becomes {
		s.Own[key] = true
		o.Wrote = o.Wrote || to != s.Entries[key]
		delete(s.Entries, key)
		if !to.IsAbsent() {
			s.Entries[key] = to
		}
	}
	return o
}
