package histories

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// rule has the requirement of one key, and its new value.
type rule struct {
	key, want, to string
	guard         bool // it is compared only
	adopts        bool // what holds already is done
	refuses       bool // what holds already is refused
	isExpected    bool // the configuration says what the key must hold
	isOpen        bool // it may hold anything
}

// judge holds rules against a ConfigMap: done means that there is nothing to write.
func judge(o *liveMap, op string, rules []rule) (data map[string]string, title string) {
	data = map[string]string{}
	titles := map[string]bool{}
	for _, r := range rules {
		live := o.data[r.key]
		switch {
		case op == "remove" && live == "":
		case r.adopts && live == r.to:
		case r.refuses && live == r.to:
			titles[titleHeld] = true
		case live == r.want || r.isOpen:
			if !r.guard && live != r.to {
				data[r.key] = r.to
			}
		case r.isExpected && op != "remove":
			titles[titleMismatch] = true
		case op == "create" || op == "update" && r.want == "":
			titles[titleKeyExists] = true
		default:
			titles[titleConflict] = true
		}
	}
	switch len(titles) {
	case 0:
		return data, ""
	case 1:
		return nil, slices.Collect(maps.Keys(titles))[0]
	default:
		return nil, titleConflict
	}
}

func isSecret(name string) bool { return name == "s" || name == "t" }

// titleNone is the title where there is no ConfigMap, or no Secret.
func titleNone(name string) string {
	if isSecret(name) {
		return titleNoSecret
	}
	return titleNoMap
}

// titleExists is the title where there is a ConfigMap, or a Secret, already.
func titleExists(name string) string {
	if isSecret(name) {
		return titleSecretExists
	}
	return titleMapExists
}

// judge is judge with what must hold of the whole ConfigMap.
func (p *process) judge(cm, op string, at []version, rules []rule) (data map[string]string, title string) {
	o := p.live[cm]
	if op == "remove" {
		gone := o == nil || !slices.ContainsFunc(rules, func(r rule) bool { return o.data[r.key] != "" })
		if gone {
			return nil, ""
		}
	}
	if o == nil {
		return nil, titleNone(cm)
	}
	for _, v := range at {
		if !p.leads(cm, v) {
			return nil, titleConflict
		}
	}
	return judge(o, op, rules)
}

// commit evaluates and writes, and returns the ConfigMap before and after.
func (p *process) commit(
	cm, op string, at []version, rules []rule,
) (before, after *liveMap, title string) {
	for {
		data, title := p.judge(cm, op, at, rules)
		before = p.live[cm]
		if title != "" || before == nil || len(data) == 0 {
			return before, before, title
		}
		w := write{cm: cm, base: before.version, data: data}
		if op == "remove" {
			w.isDone = func(now *liveMap) bool { return isRemoved(now, at, rules) }
		}
		next := p.last + 1 // which a landing gives
		again, title := p.send(w)
		if !again {
			after = &liveMap{version{before.uid, next}, with(before.data, data)}
			if p.isEither { // the state takes the version that the read found
				after = p.live[cm]
			}
			return before, after, title
		}
	}
}

// isRemoved reports whether a removal of keys finds nothing to do.
func isRemoved(o *liveMap, at []version, rules []rule) bool {
	if o == nil || !slices.ContainsFunc(rules, func(r rule) bool { return o.data[r.key] != "" }) {
		return true
	}
	data, title := judge(o, "remove", rules)
	isOther := func(v version) bool { return v != o.version }
	return title == "" && len(data) == 0 && !slices.ContainsFunc(at, isOther)
}

// firstRule returns the rule of a key that the state does not have.
func (b *block) firstRule(key string) rule {
	want, isExpected := b.expected[key]
	r := rule{key: key, want: want, to: b.values[key], isExpected: isExpected}
	r.adopts = b.adopt || isExpected && want == r.to
	r.refuses = !r.adopts
	return r
}

func (b *block) createRules() (rules []rule) {
	for _, key := range namesIn(b.values, b.expected) {
		r := b.firstRule(key)
		if b.values[key] == "" {
			r = rule{key: key, want: b.expected[key], guard: true, isExpected: true}
		}
		rules = append(rules, r)
	}
	return rules
}

// updateRules returns the rules of an update of an entry or data. An error is about keys that need an expectation.
func (b *block) updateRules(was *tracking) (rules []rule, title string) {
	for _, key := range namesIn(b.values, was.values, b.expected) {
		held, has := was.values[key]
		want, isExpected := b.expected[key]
		isOpen := b.secret && !isExpected
		if !isExpected {
			want = held
		}
		switch {
		case b.values[key] != "" && b.keeps(was, key):
			rules = append(rules, rule{key: key, guard: true, isOpen: true})
		case b.secret && b.values[key] != "" && (was.revision == 0 || !has): // imported: nothing has been written yet
			rules = append(rules, b.firstRule(key))
		case b.secret && b.values[key] != "":
			rules = append(rules, rule{key: key, want: want, to: b.values[key], isExpected: isExpected, isOpen: isOpen})
			if isOpen && b.scope == "key" {
				title = titleNeeds
			}
		case b.values[key] != "" && b.values[key] == held:
			rules = append(rules, rule{key: key, want: held, guard: true, isExpected: isExpected && want == held})
		case b.values[key] != "" && has:
			rules = append(rules, rule{key: key, want: want, to: b.values[key], isExpected: isExpected})
		case b.values[key] != "":
			rules = append(rules, b.firstRule(key))
		case has && b.dropped(was)[key] != "":
			r := rule{key: key, want: want, adopts: true, isExpected: isExpected, isOpen: isOpen}
			if b.policy == "restore" {
				r.to = was.first[key]
			}
			rules = append(rules, r)
		case isExpected:
			rules = append(rules, rule{key: key, want: want, guard: true, isExpected: true})
		}
	}
	return rules, title
}

// dropped are the keys that an update gives up.
func (b *block) dropped(was *tracking) map[string]string {
	gone := maps.Clone(was.values)
	maps.DeleteFunc(gone, func(key, v string) bool { return b.values[key] != "" || b.stays(was, key, v) })
	return gone
}

// action returns the action for a key that a block releases, by the block's policy. The key holds v.
func (b *block) action(was *tracking, key, v string) string {
	first, isKnown := was.first[key]
	written, isNoted := was.written[key]
	switch {
	case isNoted:
	case was.secret: // the state has no value to compare with
		written = v
	default:
		written = was.values[key]
	}
	isWritten := v == written || was.alike
	isCautious := b.policy == "release" || b.policy == "restore"
	switch {
	case v == "":
		return "done"
	case b.policy == "abandon":
		return "keep"
	case isCautious && (!isWritten || !isKnown || b.policy == "release" && first != ""):
		return "keep, and say so"
	case b.policy == "restore" && first != "":
		return "restore"
	case !isWritten && b.drift == "error":
		return "refuse"
	case !isWritten:
		return "remove what changed"
	case b.policy == "delete" && first != "":
		return "remove what existed"
	}
	return "remove"
}

// staysWhatever reports whether a removal leaves a key as it is, whatever it holds: it was there before, or what it held first is not known.
func (t *tracking) staysWhatever(key string) bool {
	first, known := t.first[key]
	return t.policy == "abandon" || t.policy == "restore" && !known || t.policy == "release" && (!known || first != "")
}

// putsBack reports whether a destroy puts back what a key held first.
func (t *tracking) putsBack(live map[string]string) bool {
	return slices.ContainsFunc(namesIn(t.values), func(key string) bool {
		return t.action(t, key, live[key]) == "restore" && live[key] != t.first[key]
	})
}

// stays reports whether a block leaves a key as it is when it releases the key.
func (b *block) stays(was *tracking, key, v string) bool {
	action := b.action(was, key, v)
	return action == "done" || strings.HasPrefix(action, "keep")
}

// writes reports whether an update has something to write.
func (b *block) writes(was *tracking) bool {
	if b.secret {
		for key := range b.values {
			if was.values[key] == "" {
				return true
			}
		}
		return b.revision != was.revision || len(b.dropped(was)) > 0
	}
	for key, v := range b.values {
		if was.values[key] != v {
			return true
		}
	}
	return len(b.dropped(was)) > 0
}

// keeps reports whether an update leaves a key of a Secret as it is, whatever the block says: its version is the same.
func (b *block) keeps(was *tracking, key string) bool {
	return b.secret && b.revision == was.revision && was.values[key] != ""
}

// updatesAt is the version that an update needs. Keys that it drops from a Secret are compared by version only.
func (b *block) updatesAt(was *tracking) []version {
	if b.secret && len(b.dropped(was)) > 0 {
		return (&block{}).at(was.version)
	}
	return b.at(was.version)
}

func (b *block) at(v version) []version {
	if b.scope == "key" || v == (version{}) {
		return nil
	}
	return []version{v}
}

// drifted compares the state with the last write. title names the drift if the block would overwrite some of it;
// accepted reports whether the block has some of the new values.
func (b *block) drifted(was *tracking) (title string, accepted bool) {
	if was.alike {
		return "", false
	}
	compare := func(written, live, planned map[string]string, key string) {
		switch {
		case written[key] == live[key]:
		case planned[key] == live[key]:
			accepted = true
		case live[key] == "": // it is created again
		default:
			title = titleChanged
		}
	}
	for key := range b.values {
		want, named := b.expected[key]
		had, wasNamed := was.expected[key]
		isNew := !wasNamed || want != had
		if b.secret { // no state has an expectation: one that holds counts
			isNew = want == was.values[key]
		}
		isAcknowledged := named && isNew && b.values[key] != was.values[key]
		_, known := was.written[key]
		switch {
		case isAcknowledged, !known:
		default:
			compare(was.written, was.values, b.values, key)
		}
	}
	return title, accepted
}

// refuses gives a title where a removal must not remove keys that hold this.
func (t *tracking) refuses(live map[string]string) string {
	title, _ := t.removal(t, live)
	return title
}

// removal returns the error and the warnings of a plan that releases keys with these values.
func (b *block) removal(was *tracking, live map[string]string) (title string, warnings []string) {
	for key, v := range live {
		switch b.action(was, key, v) {
		case "refuse":
			return titleChanged, nil
		case "keep, and say so":
			warnings = append(warnings, titleStays)
		case "remove what changed":
			warnings = append(warnings, titleChanged)
		case "remove what existed":
			warnings = append(warnings, titleExisted)
		case "restore":
			if v != was.first[key] {
				warnings = append(warnings, titlePutBack)
			}
		}
	}
	return "", warnings
}

// next is the number that a counter would take.
func (p *process) next(b *block) (int, string) {
	o := p.live[b.cm]
	if o == nil {
		return 0, titleNoMap
	}
	v := o.data[b.key]
	if v == "" {
		return 0, ""
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, titleNotACounter
	}
	return n, ""
}
