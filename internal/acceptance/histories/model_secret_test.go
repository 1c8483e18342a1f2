package histories

import (
	"maps"
)

// A whole Secret differs from a whole ConfigMap: no state has its values, so plan and apply compare with live values.

// against returns the values that a block writes, and the state to compare them with: both have the live values of keys
// that keep their version. If the object has changed since the state, only the names of keys are compared.
func (b *block) against(was *tracking, o *liveMap) (writes *block, with *tracking, isNamed bool) {
	w, t := *b, *was
	writes, with = &w, &t
	if t.values = nil; b.values != nil && o != nil {
		t.values = o.data
	}
	if was.labels == nil && b.labels != nil && o != nil {
		t.labels = o.labels
	}
	if b.values == nil || was.written == nil || was.revision != b.revision {
		return writes, with, false
	}
	if isNamed = o != nil && o.version != was.version; isNamed {
		t.values, t.labels = map[string]string{}, was.labels
		for key := range was.values {
			t.values[key] = notKnown
		}
	}
	w.values = maps.Clone(b.values)
	for key := range w.values {
		if v := t.values[key]; v != "" {
			w.values[key] = v
		}
	}
	return writes, with, isNamed
}

// notKnown represents a value in the state of a Secret.
const notKnown = "not known"

// takes reports whether only what is there says what a block changes.
func (b *block) takes(was *tracking) bool {
	return b.values != nil || was.labels == nil && b.labels != nil
}

// takesOver reports whether a block begins to manage a part, or writes its values again. Such a write requires the
// version.
func (b *block) takesOver(was *tracking) bool {
	isKept := was.written != nil && was.revision == b.revision
	return b.values != nil && !isKept || was.labels == nil && b.labels != nil
}

func (p *process) planWholeSecret(b *block, was *tracking) (isUpdate bool, title string, warnings []string) {
	o := p.live[b.cm]
	isUpdate = !b.same(&was.block)
	if b.takes(was) && o == nil {
		return isUpdate, titleNoSecret, warnings
	}
	warnings = b.leavesParts(was)
	writes, with, isNamed := b.against(was, o)
	rules, labels := writes.wholeRules(with)
	_, accepted := b.drifted(with)
	if len(rules)+len(labels) == 0 {
		if b.takesOver(was) {
			if _, title = p.judge(b.cm, "whole", []version{was.version}, nil); title != "" {
				return isUpdate, title, warnings
			}
		}
		isNoted := (was.written == nil) != (b.values == nil) // that the values are others' from now on, or this resource's
		if !isNamed {
			warnings = append(warnings, b.keptDrift(writes, with)...)
		}
		return isUpdate || isNoted || !isNamed && accepted, "", warnings
	}
	isUpdate = true
	isOwn, isSame := was.revision != 0 && was.written != nil, o != nil && o.uid == was.uid // another object is a conflict, whatever it holds
	if isSame && (b.values != nil && !isOwn && !maps.Equal(b.values, with.values) || was.labels == nil && b.labels != nil && !isNamed && !maps.Equal(b.labels, with.labels)) {
		warnings = append(warnings, titleUnmanaged)
	}
	if title = p.touchesAll(b, rules); title != "" {
		return isUpdate, title, warnings
	}
	if _, title = p.judge(b.cm, "whole", []version{was.version}, rules); title != "" {
		return isUpdate, title, warnings
	}
	if !isNamed {
		title, warnings = writes.overDrift(with, warnings)
		warnings = append(warnings, b.keptDrift(writes, with)...)
	}
	return isUpdate, title, warnings
}

// leavesParts returns the warnings about parts that a plan no longer manages. The state of a Secret shows whether the
// resource had the values.
func (b *block) leavesParts(was *tracking) []string {
	hasValues := len(was.values) > 0 && (!b.secret || was.written != nil)
	if hasValues && b.values == nil || len(was.labels) > 0 && b.labels == nil {
		return []string{titleLeft}
	}
	return nil
}

// keptDrift returns the warnings about values that somebody else changed, and that a plan leaves as they are.
func (b *block) keptDrift(writes *block, with *tracking) []string {
	left := *b
	left.values, left.labels = maps.Clone(b.values), nil
	maps.DeleteFunc(left.values, func(key, _ string) bool { return writes.values[key] != with.values[key] })
	seen := *with
	seen.values, seen.written = maps.Clone(with.values), maps.Clone(with.written)
	for _, of := range []map[string]string{seen.values, seen.written} {
		maps.DeleteFunc(of, func(key, _ string) bool { return left.values[key] == "" })
	}
	return left.leavesDrift(&seen)
}

func (p *process) updateWholeSecret(b *block, was *tracking) (now *tracking, title string) {
	o := p.live[b.cm]
	if b.takes(was) && o == nil {
		return nil, titleNoSecret
	}
	writes, with, isNamed := b.against(was, o)
	rules, labels := writes.wholeRules(with)
	isPlanned := len(rules)+len(labels) > 0 || b.takesOver(was)
	if isPlanned { // the plan is made again
		if _, title := p.judge(b.cm, "whole", []version{was.version}, rules); title != "" {
			return nil, title
		}
	}
	if isNamed { // now what is there counts
		as := *was
		as.version = o.version
		writes, with, _ = b.against(&as, o)
		rules, labels = writes.wholeRules(with)
	}
	next := *was
	now = &next
	if isPlanned || len(rules)+len(labels) > 0 { // what finds nothing left to write takes the version that it found
		if title, _ := writes.drifted(with); title != "" && b.drift == "error" {
			return nil, title
		}
		_, after, title := p.commit(b.cm, "whole", []version{was.version}, rules, labels)
		if title != "" {
			return &tracking{block: *writes}, title
		}
		now.version, now.values = after.version, after.data
	}
	now.labeled, now.written, now.forgot = b.labels, nil, false
	if b.values != nil {
		now.written = maps.Clone(writes.values)
	}
	for key, v := range now.written {
		if written, known := was.written[key]; known && with.values[key] == v && b.values[key] != v {
			now.written[key] = written // it stays drift
		}
	}
	return now, ""
}
