package histories

import (
	"maps"
	"slices"
)

// A whole ConfigMap or Secret has a value for each key: its label, and all keys of data, if it has data at all.

// held are the values of a whole object, with its label.
func (b *block) held() map[string]string {
	all := maps.Clone(b.values)
	if all == nil {
		all = map[string]string{}
	}
	if label := b.labels["l"]; label != "" {
		all[labelKey] = label
	}
	return all
}

// labelOf returns the label among the keys of an object, as an attribute has it.
func labelOf(data map[string]string) map[string]string {
	labels := map[string]string{}
	if label := data[labelKey]; label != "" {
		labels["l"] = label
	}
	return labels
}

// has returns the keys that no other resource may have.
func (b *block) has() []string {
	if b.values == nil {
		return nil
	}
	return allKeys
}

// isKept reports whether an update leaves a key as it is.
func (b *block) isKept(was *tracking, key string) bool {
	v, had := b.held()[key], was.held()[key]
	switch {
	case !b.secret || key == labelKey:
		return v == had
	case was.values == nil || b.revision != was.revision:
		return false
	}
	return (v == "") == (had == "")
}

// plannedKeys are the keys that an update gives a value, or removes. found has what is there.
func (b *block) plannedKeys(was *tracking, found map[string]string) (keys []string) {
	if b.values != nil {
		keys = namesIn(b.values, was.values)
		if was.values == nil {
			keys = namesIn(b.values, entries(found))
		}
	}
	if b.labels["l"] != "" {
		keys = append(keys, labelKey)
	}
	return keys
}

// labelAction returns the action for the label where the block no longer names it.
func (b *block) labelAction(was *tracking) (action string, isGone bool) {
	held := was.held()
	if held[labelKey] == "" || b.labels["l"] != "" || was.unnamed {
		return "", false
	}
	of := *was
	of.secret = false
	return b.action(&of, labelKey, held[labelKey]), true
}

// wholeRules returns the rules of an update.
func (b *block) wholeRules(was *tracking, found map[string]string) (rules []rule) {
	held, planned := was.held(), b.held()
	for _, key := range b.plannedKeys(was, found) {
		r := rule{key: key, want: held[key], to: planned[key], isOpen: b.secret && key != labelKey}
		isImported := b.secret && was.revision == 0 && key != labelKey
		switch {
		case b.isKept(was, key):
			r.guard = true
		case held[key] == "" || isImported:
			r.want, r.isOpen, r.adopts = "", false, true
		}
		rules = append(rules, r)
	}
	if action, isGone := b.labelAction(was); isGone && !isLeft(action) {
		rules = append(rules, rule{key: labelKey, want: held[labelKey], adopts: true})
	}
	return rules
}

// isLeft reports whether an action leaves a key as it is.
func isLeft(action string) bool {
	return action == "done" || action == "keep" || action == "keep, and say so"
}

// writesWhole reports whether an update has something to write.
func (b *block) writesWhole(was *tracking) bool {
	isRewritten := b.values != nil && (was.values == nil || b.secret && b.revision != was.revision)
	isWritten := func(r rule) bool { return !r.guard }
	return isRewritten || slices.ContainsFunc(b.wholeRules(was, nil), isWritten)
}

// wholeDrift compares the state with the last write: overwritten and left report whether an update overwrites a change by
// somebody else, or leaves one as it is.
func (b *block) wholeDrift(was *tracking) (overwritten, left, accepted bool) {
	held, planned := was.held(), b.held()
	if was.alike || was.written == nil || was.forgot {
		return false, false, false
	}
	for _, key := range b.plannedKeys(was, nil) {
		written, isKnown := was.written[key]
		switch live := held[key]; {
		case written == live, !isKnown && (key == labelKey || was.values == nil):
		case planned[key] == live:
			accepted = true
		case live == "": // it is created again
		case b.isKept(was, key):
			left = true
		default:
			overwritten = true
		}
	}
	return overwritten, left, accepted
}

// accepts reports whether an update without a write moves the baseline of drift, or forgets a key that vanished.
func (b *block) accepts(was *tracking) bool {
	_, _, accepted := b.wholeDrift(was)
	held, planned := was.held(), b.held()
	for key := range was.written {
		accepted = accepted || held[key] == "" && planned[key] == ""
	}
	return accepted
}

// planWhole checks an update in place, or no update at all.
func (p *process) planWhole(b *block, was *tracking) (title string, warnings []string) {
	if title = p.touches(b.address(), b.cm, b.has(), nil); title != "" {
		return title, nil
	}
	switch action, _ := b.labelAction(was); action {
	case "refuse":
		return titleChanged, nil
	case "keep, and say so":
		warnings = append(warnings, titleStays)
	case "remove what changed":
		warnings = append(warnings, titleChanged)
	case "remove what existed":
		warnings = append(warnings, titleExisted)
	}
	if b.values == nil && len(was.values) > 0 {
		warnings = append(warnings, titleStays)
	}
	overwritten, left, _ := b.wholeDrift(was)
	if b.writesWhole(was) {
		var found map[string]string
		if o := p.live[b.cm]; o != nil {
			found = o.data
		}
		if _, title = p.judge(b.cm, "update", []version{was.version}, b.wholeRules(was, found)); title != "" {
			return title, warnings
		}
		switch {
		case overwritten && b.drift == "error":
			title = titleChanged
		case overwritten:
			warnings = append(warnings, titleChanged)
		}
	}
	if b.secret && left {
		warnings = append(warnings, titleChanged)
	}
	return title, warnings
}

// updateWhole makes an update.
func (p *process) updateWhole(b *block, was *tracking) (now *tracking, title string) {
	next := *was
	now = &next
	before := p.live[b.cm]
	if b.writesWhole(was) {
		overwritten, _, _ := b.wholeDrift(was)
		if action, _ := b.labelAction(was); action == "refuse" || overwritten && b.drift == "error" {
			return nil, titleChanged // by the state, before the version is compared
		}
		var found map[string]string
		if before != nil {
			found = before.data
		}
		var after *liveMap
		if before, after, title = p.commit(b.cm, "update", []version{was.version}, b.wholeRules(was, found)); title != "" {
			return nil, title
		}
		now.version = after.version
	}
	held, planned := was.held(), b.held()
	now.written, now.first, now.forgot = map[string]string{}, map[string]string{}, false
	for key, v := range planned {
		written, isKnown := was.written[key]
		switch {
		case !b.isKept(was, key) || v == held[key]:
			now.written[key] = v
		case isKnown:
			now.written[key] = written
		default:
			now.written[key] = held[key]
		}
	}
	if first, isKnown := was.first[labelKey]; planned[labelKey] != "" && isKnown {
		now.first[labelKey] = first
	} else if _, wrote := was.written[labelKey]; planned[labelKey] != "" && held[labelKey] == "" && !wrote && before != nil {
		now.first[labelKey] = before.data[labelKey]
	}
	if now.values = b.values; b.values != nil && b.secret {
		now.values = map[string]string{}
		for key, v := range b.values {
			if now.values[key] = v; b.isKept(was, key) {
				now.values[key] = held[key]
			}
		}
	}
	return now, ""
}
