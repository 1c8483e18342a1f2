package soak

import (
	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// keyPart is what an operation is about one of its keys.
type keyPart struct {
	Key     string
	Expect  cas.Entry
	New     cas.Entry
	Held    cas.Held `json:",omitempty"`
	IsGuard bool     `json:",omitempty"`
	// Live is what the key held at the operation's Version, and Previous what an applied one found.
	Live     cas.Entry
	Previous cas.Entry
}

// parts are all keys that the operation is about.
func (o *op) parts() []keyPart {
	first := keyPart{Key: o.Key, Expect: o.Expect, New: o.New, Held: o.Held, Live: o.Live, Previous: o.Previous}
	return append([]keyPart{first}, o.Also...)
}

// fails tells whether the part does not hold where the key holds that entry, and why.
func (p *keyPart) fails(o *op, is cas.Entry) (cas.Reason, bool) {
	switch {
	case p.leaves(o, is):
		return 0, false
	case !p.IsGuard && p.Held == cas.HeldIsRefused && is.Holds(p.New):
		return cas.ReasonHeld, true
	case !is.Holds(p.Expect):
		return cas.ReasonKey, true
	default:
		return 0, false
	}
}

// leaves tells whether a key that is to be written, and that holds that entry, is left as it is, whatever was expected of it.
func (p *keyPart) leaves(o *op, is cas.Entry) bool {
	isNoChange := p.Held == cas.HeldIsJudged && is == p.New && is.Holds(p.Expect)
	return !p.IsGuard && (p.Held == cas.HeldIsDone && is.Holds(p.New) || o.GoneIsDone && is.IsAbsent() || isNoChange)
}

// writes tells whether the part writes where the key holds that entry.
func (p *keyPart) writes(o *op, is cas.Entry) bool { return !p.IsGuard && !p.leaves(o, is) }

// changes tells whether the part has the key hold something else than that entry. An engine sends nothing where no part does.
func (p *keyPart) changes(o *op, is cas.Entry) bool { return p.writes(o, is) && p.New != is }

// allGone tells whether there is nothing to remove, whatever the guards are.
func (o *op) allGone(is func(keyPart) cas.Entry) bool {
	if !o.GoneIsDone {
		return false
	}
	for _, p := range o.parts() {
		if !p.IsGuard && !is(p).IsAbsent() {
			return false
		}
	}
	return true
}

// toldFailing is the keys that a conflict over keys named.
func (o *op) toldFailing() map[string]cas.Reason {
	if o.Failed == nil && o.Verdict == cas.Conflict {
		return map[string]cas.Reason{o.Key: o.Reason}
	}
	return o.Failed
}

// makesVersion tells whether an applied write changed something, so that the version that it was answered is of its making.
func (o *op) makesVersion() bool {
	if o.Kind == writeOp || o.Kind == takeOp {
		return true
	}
	for _, p := range o.parts() {
		if p.writes(o, p.Previous) && !p.Expect.Holds(p.New) {
			return true
		}
	}
	return false
}

// changes tells whether the operation is to write something else than what it expects.
func (o *op) changes() bool {
	for _, p := range o.parts() {
		if !p.IsGuard && !p.Expect.Holds(p.New) {
			return true
		}
	}
	return false
}

// about tells whether the operation was to write the key.
func (o *op) about(key string) bool {
	for _, p := range o.parts() {
		if p.Key == key && !p.IsGuard {
			return true
		}
	}
	return false
}

// couldMake tells whether the operation makes of the one state the other, as far as its own keys go. A take makes one together
// with others.
func (o *op) couldMake(before, after map[string]cas.Entry) bool {
	if o.Kind == takeOp {
		return false
	}
	for _, p := range o.parts() {
		is := before[p.Key]
		if o.Kind == writeOp {
			return after[p.Key] == p.New
		}
		if _, fails := p.fails(o, is); fails {
			return false
		}
		becomes := is
		if p.writes(o, is) {
			becomes = p.New
		}
		if after[p.Key] != becomes {
			return false
		}
	}
	return true
}
