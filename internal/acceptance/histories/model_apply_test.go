package histories

import (
	"maps"
	"slices"
	"strconv"
)

// apply applies a plan, and gives the titles of errors.
func (m *model) apply(w *workspace, pl *modelPlan, f fault) (errs []string, p *process) {
	p = &process{model: m, chains: map[string][]int{}, fault: f}
	if pl.serial != w.serial {
		return []string{titleStale}, p
	}
	state := maps.Clone(pl.state)
	w.save(state)
	for _, b := range slices.Backward(w.blocks) { // what depends on something goes first
		address := b.address()
		c, ok := pl.changes[address]
		if !ok || c.action != "delete" && c.action != "delete, create" {
			continue
		}
		now, title := p.remove(state[address], c)
		if now == nil {
			delete(state, address)
		} else {
			state[address] = now
		}
		if title != "" || p.halts() {
			return p.ending(title), p
		}
	}
	for _, b := range w.blocks {
		address := b.address()
		c, ok := pl.changes[address]
		if !ok || c.to == nil {
			continue
		}
		var now *tracking
		var title string
		if c.action == "update" {
			now, title = p.update(c.to, state[address])
		} else {
			now, title = p.create(c.to)
		}
		if title == "" {
			found := now.values
			if now.block, now.nulls = *c.to, nil; now.secret {
				now.values, now.expected = found, nil
			}
			if now.kind == "whole" {
				now.values, now.unnamed = found, false
			}
			state[address] = now
		}
		if title != "" || p.halts() {
			return p.ending(title), p
		}
	}
	return nil, p
}

// halts reports whether the run was interrupted.
func (p *process) halts() bool { return p.fired && p.fault.kind == "interrupt" }

func (p *process) ending(title string) (errs []string) {
	if title != "" {
		errs = append(errs, title)
	}
	if p.halts() {
		errs = append(errs, titleHalted)
	}
	return errs
}

func (p *process) remove(was *tracking, c change) (now *tracking, title string) {
	if c.saw != nil && c.saw.drift != "" {
		as := *was
		as.drift = c.saw.drift
		defer func(drift string) {
			if now != nil {
				now.drift = drift
			}
		}(was.drift)
		was = &as
	}
	known := *was
	if was.tainted && c.to != nil { // its replacement knows nothing of it
		known.first, known.written = nil, nil
		known.forgot = was.kind == "whole"
	}
	switch was.kind {
	case "counter":
		return nil, ""
	case "whole":
		base := was.version
		if c.saw != nil {
			base = c.saw.version
		}
		if was.policy == "abandon" {
			return nil, ""
		}
		for {
			o := p.live[was.cm]
			if o == nil {
				return nil, ""
			}
			if !p.leads(was.cm, base) {
				return &known, titleConflict
			}
			if known.policy == "release" && len(known.unowned(o)) > 0 {
				return &known, titleOthersOf(was.cm)
			}
			again, title := p.send(write{cm: was.cm, base: o.version, removes: true})
			switch title {
			case "":
			case titlePluginFailed:
				return was, title
			default:
				return &known, title
			}
			if !again {
				return nil, ""
			}
		}
	}
	if was.policy == "abandon" || len(was.values) == 0 {
		return nil, ""
	}
	switch title = p.removeKeys(&known, c.saw); title {
	case "":
		return nil, ""
	case titlePluginFailed:
		return was, title
	}
	known.lost = known.lost || known.first == nil
	return &known, title
}

func (p *process) removeKeys(was *tracking, saw *sight) (title string) {
	if saw != nil {
		was = was.withBack(saw.values)
	}
	base, want := was.version, was.values
	at := was.at
	if was.secret { // it compares the version in both scopes
		at = (&block{}).at
	}
	if saw != nil && saw.first != nil {
		as := *was
		as.first, was = saw.first, &as
	}
	if saw != nil {
		if slices.ContainsFunc(saw.needs, func(key string) bool { return was.values[key] != "" && !was.stays(was, key, was.values[key]) }) {
			return titleWouldFail
		}
		if saw.needs == nil {
			base = saw.version
		}
		if saw.values != nil {
			want = saw.values
		}
	}
	going := maps.Clone(want)
	maps.DeleteFunc(going, func(key, v string) bool { return was.values[key] == "" || was.stays(was, key, v) })
	var rules []rule
	for _, key := range namesIn(was.values) {
		if _, goes := going[key]; !goes {
			continue
		}
		r := rule{key: key, want: want[key], isOpen: was.secret && want[key] != ""}
		if was.policy == "restore" {
			r.to, r.adopts = was.first[key], was.first[key] != ""
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return ""
	}
	if o := p.live[was.cm]; was.refuses(going) != "" && o != nil {
		live := map[string]string{}
		for key := range going {
			live[key] = o.data[key]
		}
		if title := was.refuses(live); title != "" {
			return title
		}
	}
	_, _, title = p.commit(was.cm, "remove", at(base), rules)
	return title
}

func (p *process) create(b *block) (now *tracking, title string) {
	now = &tracking{}
	switch b.kind {
	case "counter":
		now.number, title = p.take(b)
		return now, title
	case "whole":
		for {
			if p.live[b.cm] != nil {
				return nil, titleExists(b.cm)
			}
			uid := p.last + 1
			again, title := p.send(write{cm: b.cm, data: b.held()})
			if now.version = (version{uid, uid + 1}); !again {
				now.values, now.written, now.first = b.values, b.held(), map[string]string{labelKey: ""}
				return now, title
			}
		}
	}
	rules := b.createRules()
	before, after, title := p.commit(b.cm, "create", nil, rules)
	if title != "" {
		return nil, title
	}
	now.wrote(b, rules, before, after)
	now.values = b.values
	now.first, now.written = map[string]string{}, map[string]string{}
	for key, v := range b.values {
		now.first[key], now.written[key] = before.data[key], v
	}
	return now, ""
}

// wrote notes what a write left and replaced.
func (t *tracking) wrote(b *block, rules []rule, before, after *liveMap) {
	t.version, t.previous = after.version, nil
	if before == after {
		return
	}
	t.previous = map[string]string{}
	for _, r := range rules {
		if isHeld := r.adopts && before.data[r.key] == r.to; !r.guard && !isHeld {
			t.previous[r.key] = before.data[r.key]
		}
	}
	if b.kind == "entry" && before.data[b.onlyKey()] == "" {
		t.previous = nil
	}
}

func (p *process) update(b *block, was *tracking) (now *tracking, title string) {
	next := *was
	now = &next
	switch b.kind {
	case "counter":
		if b.trigger != was.trigger {
			now.number, title = p.take(b)
		}
		return now, title
	case "whole":
		return p.updateWhole(b, was)
	}
	account := func(rules []rule, before, after *liveMap) {
		first, written := map[string]string{}, map[string]string{}
		if b.secret {
			now.values = map[string]string{}
		}
		originals := was.first
		if after != nil && after.uid != was.uid { // the resource has written nothing to it yet
			originals = map[string]string{}
			for _, r := range rules {
				if _, known := was.first[r.key]; known {
					originals[r.key] = before.data[r.key]
				}
			}
		}
		for key := range b.values {
			_, wrote := was.written[key]
			_, had := was.values[key]
			if original, known := originals[key]; known {
				first[key] = original
			} else if !had && !wrote && before != nil {
				first[key] = before.data[key]
			}
			switch {
			case !wrote && !had:
			case !b.secret || b.values[key] == was.values[key]: // also where it was not known
				written[key] = was.values[key]
			case wrote:
				written[key] = was.written[key]
			}
			if b.secret {
				now.values[key] = was.values[key]
			}
			for _, r := range rules {
				if r.key == key && !r.guard {
					written[key] = after.data[key]
					if r.adopts && before.data[key] == r.to { // another writer may have changed it since
						written[key] = r.to
					}
					if b.secret {
						now.values[key] = written[key]
					}
				}
			}
		}
		now.first, now.written = first, written
	}
	if !b.writes(was) {
		account(nil, nil, nil)
		return now, ""
	}
	rules, title := b.updateRules(was)
	if title != "" {
		return nil, title
	}
	if title, _ := b.overDrift(was, nil); title != "" { // the apply judges it again, by the state, before it reads
		return nil, title
	}
	before, after, title := p.commit(b.cm, "update", b.updatesAt(was), rules)
	if title != "" {
		return nil, title
	}
	now.wrote(b, rules, before, after)
	account(rules, before, after)
	return now, ""
}

// take takes a number. After a lost response it takes another one, if the object has changed.
func (p *process) take(b *block) (int, string) {
	for isLost := false; ; {
		n, title := p.next(b)
		switch {
		case title != "" && isLost:
			return 0, titleUnknown
		case title != "":
			return 0, title
		}
		w := write{cm: b.cm, base: p.live[b.cm].version, computes: true, data: map[string]string{b.key: strconv.Itoa(n + 1)}}
		again, title := p.send(w)
		if !again {
			return n, title
		}
		isLost = p.fault.kind != "overtaken"
	}
}

// imports brings what is there into a state.
func (m *model) imports(w *workspace, b *block) (title string) {
	o := m.live[b.cm]
	if o == nil {
		return titleNone(b.cm)
	}
	now := &tracking{block: block{kind: b.kind, label: b.label, secret: b.secret, cm: b.cm, fields: b.fields, document: b.document, scope: "object", policy: "release", drift: "error", expected: map[string]string{}}, version: o.version}
	if b.kind == "whole" {
		now.scope, now.expected, now.unnamed = "", nil, true
		if data := entries(o.data); len(data) > 0 || b.secret {
			now.values = data
		}
		if o.data[labelKey] != "" {
			now.labels = labelOf(o.data)
		}
		now.written, now.first = now.held(), map[string]string{}
		if label := o.data[labelKey]; label != "" {
			now.first[labelKey] = label
		}
	} else {
		if b.fields {
			now.scope = "key"
		}
		now.values = map[string]string{}
		for key := range b.values {
			if now.values[key] = o.data[key]; now.values[key] == "" {
				return titleNoKey
			}
		}
		now.first, now.written = now.values, now.values
	}
	state := maps.Clone(w.state)
	state[b.address()] = now
	w.save(state)
	return ""
}
