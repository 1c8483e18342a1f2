package acceptance_test

import (
	"maps"
	"slices"
)

// sight is what the plan of a removal saw.
type sight struct {
	version

	values map[string]string // nil: what the state says
	needs  []string          // of a tainted resource's replacement: the keys that it needs as they are
}

// change is what a plan does to one resource.
type change struct {
	action string
	saw    *sight
	to     *block // nil for a removal
}

type modelPlan struct {
	serial  int
	refresh bool // nothing else
	state   map[string]*tracking
	changes map[string]change
}

// planRemoval notes what a removal goes by.
func (p *process) planRemoval(was *tracking) (saw *sight, title, warning string) {
	o := p.live[was.cm]
	switch was.kind {
	case "counter":
		return nil, "", ""
	case "whole":
		if o == nil {
			return nil, "", ""
		}
		return &sight{version: o.version}, "", ""
	}
	if was.policy == "abandon" {
		return nil, "", ""
	}
	saw = &sight{values: map[string]string{}}
	for key := range was.values {
		if o != nil {
			saw.values[key] = o.data[key]
		}
	}
	if o != nil {
		saw.version = o.version
	}
	if was.changedSince(saw.values) {
		if was.policy == "restore" {
			return nil, titleChanged, ""
		}
		warning = titleChanged
	}
	return saw, "", warning
}

// planCreation checks a creation. replaced is what is removed first, in the same place; made are the ConfigMaps that the plan makes.
func (p *process) planCreation(b *block, replaced *tracking, made map[string]bool) (title, warning string) {
	o := p.live[b.cm]
	notYet := func(title string) (string, string) {
		switch {
		case title == titleNoMap && made[b.cm]:
			return "", ""
		case title == titleNoMap:
			return "", titleNotYet
		}
		return title, ""
	}
	switch b.kind {
	case "whole":
		if replaced != nil {
			return "", ""
		}
		made[b.cm] = true
		if o != nil {
			return titleMapExists, ""
		}
		return "", ""
	case "counter":
		_, title := p.next(b)
		return notYet(title)
	}
	rules := b.createRules()
	if replaced != nil {
		for _, key := range namesIn(replaced.values) {
			want := b.expected[key] != ""
			keeps := replaced.policy == "abandon" || replaced.policy == "restore" && replaced.first[key] != ""
			if b.adopt && b.values[key] != "" || want || b.values[key] != "" && keeps {
				return titleWouldFail, ""
			}
		}
		rules = slices.DeleteFunc(rules, func(r rule) bool { _, removed := replaced.values[r.key]; return removed })
		if len(rules) == 0 {
			return "", ""
		}
	}
	_, title = p.judge(b.cm, "create", nil, rules)
	return notYet(title)
}

// planUpdate checks an update in place.
func (p *process) planUpdate(b *block, was *tracking, made map[string]bool) (title, warning string) {
	o := p.live[b.cm]
	switch {
	case b.kind == "counter" && b.trigger == was.trigger:
		return "", ""
	case b.kind == "counter":
		return p.planCreation(b, nil, made)
	case b.kind == "whole":
		with, takes := b.takenOver(was, o)
		if takes && o == nil {
			return titleNoMap, ""
		}
		rules, labels := b.wholeRules(with)
		if len(rules)+len(labels) == 0 {
			return "", ""
		}
		if was.values == nil && b.values != nil && !maps.Equal(b.values, with.values) ||
			was.labels == nil && b.labels != nil && !maps.Equal(b.labels, with.labels) {
			warning = titleUnmanaged
		}
		_, title = p.judge(b.cm, "whole", []version{was.version}, rules)
		return title, warning
	case !b.writes(was):
		return "", ""
	}
	if b.kind == "data" && was.changedSince(b.dropped(was)) {
		if b.policy == "restore" {
			return titleChanged, ""
		}
		warning = titleChanged
	}
	rules, title := b.updateRules(was)
	if title == "" {
		_, title = p.judge(b.cm, "update", b.at(was.version), rules)
	}
	return title, warning
}

// needs are the keys that a creation needs as they are.
func (b *block) needs() (keys []string) {
	for key := range b.values {
		if b.adopt {
			keys = append(keys, key)
		}
	}
	for key, v := range b.expected {
		if v != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// writes reports whether the plan makes a key hold a value, or might: a counter's is not known.
func (pl *modelPlan) writes(key, value string) bool {
	for _, c := range pl.changes {
		if c.to != nil && (c.to.values[key] == value || c.to.kind == "counter" && c.to.key == key) {
			return true
		}
	}
	return false
}

type planOptions struct {
	destroy, noRefresh, refreshOnly bool
	replace                         string
}

// plan plans, and gives the titles of errors and of warnings.
func (m *model) plan(w *workspace, o planOptions) (made *modelPlan, errs, warnings []string) {
	from := w.state
	if o.destroy && !o.noRefresh && len(w.state) > 0 { // for nothing there is nothing to refresh
		usual := o
		usual.destroy = false
		refreshed, errs, warnings := m.plan(w, usual)
		if len(errs) > 0 {
			return nil, errs, warnings
		}
		from = refreshed.state
	}
	p := &process{model: m, chains: map[string][]int{}}
	pl := &modelPlan{serial: w.serial, refresh: o.refreshOnly, state: maps.Clone(from), changes: map[string]change{}}
	says := func(title, warning string) bool {
		if title != "" {
			errs = append(errs, title)
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
		return title != ""
	}
	creations, failed := map[string]bool{}, false
	order := upTo(len(w.blocks))
	if o.destroy {
		slices.Reverse(order) // what depends on something is planned to go before it
	}
	for _, i := range order {
		b := w.blocks[i]
		address := b.address()
		was := pl.state[address]
		unread := was
		isUsed := i < w.used && !o.destroy
		if (isUsed || o.destroy) && failed {
			continue
		}
		if was != nil && !o.noRefresh && !o.destroy {
			if was = m.read(was); was == nil {
				delete(pl.state, address)
			} else {
				pl.state[address] = was
			}
		}
		if o.refreshOnly {
			if unread != nil && !isUsed && !w.readsFirst { // planned all the same, and dropped
				_, title, warning := p.planRemoval(unread)
				says(title, warning)
			}
			continue
		}
		if was == nil && !isUsed {
			continue
		}
		if !isUsed {
			if !w.readsFirst {
				was = unread
			}
			saw, title, warning := p.planRemoval(was)
			failed = says(title, warning) || failed
			pl.changes[address] = change{"delete", saw, nil}
			continue
		}
		c, title, warning := p.planBlock(b, was, o.replace == address, creations)
		failed = says(title, warning)
		if c.action != "no-op" {
			pl.changes[address] = c
		}
	}
	return pl, errs, warnings
}

func (p *process) planBlock(b *block, was *tracking, forced bool, made map[string]bool) (c change, title, warning string) {
	c = change{"no-op", nil, b}
	switch {
	case was == nil:
		c.action = "create"
		title, warning = p.planCreation(b, nil, made)
		return c, title, warning
	case was.tainted:
		c.action = "delete, create"
		if needs := b.needs(); len(needs) > 0 && b.cm == was.cm && (b.kind == "entry" || b.kind == "data") {
			c.saw = &sight{needs: needs}
		}
		title, warning = p.planCreation(b, nil, made)
		return c, title, warning
	case b.cm != was.cm:
		c.action = "delete, create"
		if c.saw, title, warning = p.planRemoval(was); title != "" {
			return c, title, warning
		}
		title, _ = p.planCreation(b, nil, made) // the warnings of the second half are dropped
		return c, title, warning
	case !b.same(&was.block):
		c.action = "update"
		if title, warning = p.planUpdate(b, was, made); title != "" {
			return c, title, warning
		}
	}
	if forced {
		c.action = "delete, create"
		c.saw = &sight{version: was.version}
		title, _ = p.planCreation(b, was, made)
	}
	return c, title, warning
}
