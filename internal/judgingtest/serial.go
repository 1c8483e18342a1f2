package judgingtest

import (
	"bytes"
	"errors"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// ErrNext is the error of a computed key.
var ErrNext = errors.New("cannot be computed")

// next is what a computed key becomes: its text twice, where it has any.
func next(live judging.Entry) (judging.Entry, error) {
	if v, ok := live.Text(); ok {
		return judging.Text(v + v), nil
	}
	return judging.Entry{}, ErrNext
}

// txnEntries are few, so that expectations hold as often as not; two of them are the same after NFC.
var txnEntries = []judging.Entry{
	{}, judging.Text("1"), judging.Text("2"), judging.Text("caf\u00e9"), judging.Text("cafe\u0301"), judging.Binary([]byte("1")),
}

// Label is the key of a label that some transactions set, whatever it holds.
var Label = judging.LabelKey("l")

// Held draws what each of the keys holds. Some hold nothing.
func (c *Choices) Held(keys []string) map[string]judging.Entry {
	entries := map[string]judging.Entry{}
	for _, key := range keys {
		if e := txnEntries[c.Pick(len(txnEntries))]; !e.IsAbsent() {
			entries[key] = e
		}
	}
	return entries
}

// Txn draws one about up to four keys. A removal takes nothing over.
func (c *Choices) Txn(keys []string, was map[string]judging.Entry) *judging.Txn {
	t := &judging.Txn{FieldManager: []string{"engine", "engine", "engine", "other"}[c.Pick(4)], GoneIsDone: c.Pick(4) == 0}
	for _, key := range keys {
		if c.Coin() {
			continue
		}
		k := judging.KeySwap{Key: key, Expect: was[key]} // which holds, where nothing came first
		if c.Pick(3) == 0 {
			k.Expect = txnEntries[c.Pick(len(txnEntries))]
		}
		switch kind := c.Pick(8); {
		case kind < 3:
			k.IsGuard = true
		case t.GoneIsDone:
		case kind == 3:
			k.Next = next
		default:
			k.New, k.Held = txnEntries[c.Pick(len(txnEntries))], judging.Held(c.Pick(3))
		}
		t.Keys = append(t.Keys, k)
	}
	if c.Pick(8) == 0 && !t.GoneIsDone {
		t.Keys = append(t.Keys, judging.KeySwap{Key: Label, Expect: judging.Anything(), New: judging.Text(strconv.Itoa(c.Pick(3)))})
	}
	return t
}

// Same reports whether two entries count as the same: the same text after NFC, the same bytes, or nothing both.
func Same(a, b judging.Entry) bool {
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
	Entries map[string]judging.Entry
	Own     map[string]bool // keys that this process wrote or took over
}

// Outcome is what a Txn comes to.
type Outcome struct {
	Failed   map[string]judging.Reason
	Computed bool // an error of Next
	Previous map[string]judging.Entry
	Wrote    bool
}

// Do brings a Txn to its end.
func (s *Serial) Do(t *judging.Txn) (o Outcome) {
	there, left := map[string]bool{}, 0 // what is to be removed and is there
	for _, k := range t.Keys {
		there[k.Key] = !s.Entries[k.Key].IsAbsent()
		if !k.IsGuard && there[k.Key] {
			left++
		}
	}
	o.Failed, o.Previous = map[string]judging.Reason{}, map[string]judging.Entry{}
	for _, k := range t.Keys {
		o.Previous[k.Key] = s.Entries[k.Key]
	}
	if t.GoneIsDone && left == 0 {
		return o
	}
	for _, k := range t.Keys {
		if t.GoneIsDone && !k.IsGuard && there[k.Key] && s.Own[k.Key] {
			o.Failed[k.Key] = judging.ReasonOwn
		}
	}
	if len(o.Failed) > 0 {
		return o
	}
	becomes := map[string]judging.Entry{}
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
		case k.IsGuard && holdsExpected, t.GoneIsDone && !k.IsGuard && !there[k.Key]:
		case k.IsGuard:
			o.Failed[k.Key] = judging.ReasonKey
		case holdsNew && k.Held == judging.HeldIsDone:
			taken = append(taken, k.Key)
		case holdsNew && k.Held == judging.HeldIsRefused:
			o.Failed[k.Key] = judging.ReasonHeld
		case !holdsExpected:
			o.Failed[k.Key] = judging.ReasonKey
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
