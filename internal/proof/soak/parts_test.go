package soak

import "github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"

// keyPart describes one key of an operation.
type keyPart struct {
	Key     string
	Expect  eval.Value
	New     eval.Value
	Held    eval.IfEqual `json:",omitempty"`
	IsGuard bool         `json:",omitempty"`
	// Live is the entry at the operation's Version. Previous is the entry that an applied operation replaced.
	Live     eval.Value
	Previous eval.Value
}

// parts returns all keys of the operation.
func (o *op) parts() []keyPart {
	first := keyPart{Key: o.Key, Expect: o.Expect, New: o.New, Held: o.Held, Live: o.Live, Previous: o.Previous}
	return append([]keyPart{first}, o.Also...)
}

// fails reports whether the part's condition fails on the live entry, and the reason.
func (p *keyPart) fails(o *op, is eval.Value) (eval.Reason, bool) {
	switch {
	case p.leaves(o, is):
		return 0, false
	case !p.IsGuard && p.Held == eval.Reject && is.Matches(p.New):
		return eval.ReasonEqual, true
	case !is.Matches(p.Expect):
		return eval.ReasonKey, true
	default:
		return 0, false
	}
}

// leaves reports whether an assignment keeps the live entry, whatever the condition on the key.
func (p *keyPart) leaves(o *op, is eval.Value) bool {
	isNoChange := p.Held == eval.Compare && is == p.New && is.Matches(p.Expect)
	return !p.IsGuard && (p.Held == eval.Adopt && is.Matches(p.New) || o.GoneIsDone && is.IsAbsent() || isNoChange)
}

// writes reports whether the part assigns a value when the key holds the entry.
func (p *keyPart) writes(o *op, is eval.Value) bool { return !p.IsGuard && !p.leaves(o, is) }

// changes reports whether the part assigns another value than the live entry. The engine sends no request if no part does.
func (p *keyPart) changes(o *op, is eval.Value) bool { return p.writes(o, is) && p.New != is }

// allGone reports whether every key of a removal is absent already, whatever its guards.
func (o *op) allGone(is func(keyPart) eval.Value) bool {
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

// toldFailing returns the keys that a conflict named.
func (o *op) toldFailing() map[string]eval.Reason {
	if o.Failed == nil && o.Verdict == eval.Conflict {
		return map[string]eval.Reason{o.Key: o.Reason}
	}
	return o.Failed
}

// makesVersion reports whether an applied write changed the object, so that the version in its response is new.
func (o *op) makesVersion() bool {
	if o.Kind == writeOp || o.Kind == takeOp {
		return true
	}
	for _, p := range o.parts() {
		if p.writes(o, p.Previous) && !p.Expect.Matches(p.New) {
			return true
		}
	}
	return false
}

// about reports whether the operation assigns the key.
func (o *op) about(key string) bool {
	for _, p := range o.parts() {
		if p.Key == key && !p.IsGuard {
			return true
		}
	}
	return false
}

// couldMake reports whether the operation turns before into after on its own keys. A take shares its write with others.
func (o *op) couldMake(before, after map[string]eval.Value) bool {
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
