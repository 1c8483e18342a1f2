package histories

import (
	"maps"
	"slices"
)

// sight is the content that the plan of a removal saw.
type sight struct {
	version

	values map[string]string // nil: what the state says
	first  map[string]string // what the keys held first, of a ConfigMap that was made again; nil: what the state says
	drift  string            // on_drift of the plan of a replace; empty: the state's
	needs  []string          // of a tainted resource's replacement: the keys that it needs as they are
}

// change is the planned action of one resource.
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

// touch has the uses of one key by the resources of a plan.
type touch struct {
	removed bool
	writer  string
}

// touches notes which keys a resource has and which it removes, and gives the title where that does not go with what another one has or removes.
func (p *process) touches(address, cm string, has, removes []string) string {
	if p.keys == nil {
		p.keys = map[string]touch{}
	}
	moves, twice := false, false
	for _, key := range removes {
		t := p.keys[cm+"/"+key]
		t.removed, moves = true, moves || t.writer != ""
		p.keys[cm+"/"+key] = t
	}
	for _, key := range has {
		t := p.keys[cm+"/"+key]
		moves = moves || t.removed
		twice = twice || t.writer != "" && t.writer != address
		if t.writer == "" {
			t.writer = address
		}
		p.keys[cm+"/"+key] = t
	}
	switch {
	case moves:
		return titleMoves
	case twice:
		return titleTwice
	}
	return ""
}

// planRemoval records the content that a removal compares with.
func (p *process) planRemoval(was *tracking) (saw *sight, title string, warnings []string) {
	o := p.live[was.cm]
	switch was.kind {
	case "counter":
		return nil, "", nil
	case "whole":
		if o == nil || was.policy == "abandon" {
			return nil, "", nil
		}
		title, warnings = p.keepsWhole(was, was.unowned(o))
		return &sight{version: o.version}, title, warnings
	}
	if was.policy == "abandon" {
		return nil, "", nil
	}
	going := slices.DeleteFunc(namesIn(was.values), was.staysWhatever)
	if title := p.touches(was.address(), was.cm, nil, going); title != "" {
		return nil, title, nil
	}
	if o != nil {
		was = was.withBack(o.data)
	}
	saw = &sight{values: map[string]string{}} // without a ConfigMap, each key must be absent
	was, saw.first = was.again(o)
	for key := range was.values {
		saw.values[key] = ""
		if o != nil {
			saw.values[key], saw.version = o.data[key], o.version
		}
	}
	title, warnings = was.removal(was, saw.values)
	return saw, title, warnings
}

// withBack has also what vanished, and is there again.
func (t *tracking) withBack(found map[string]string) *tracking {
	as := *t
	as.values = maps.Clone(t.values)
	for key := range t.nulls {
		if found[key] != "" {
			as.values[key] = found[key]
		}
	}
	return &as
}

// again returns the tracking of a ConfigMap that was created again: the resource has written nothing to it yet.
// Unknown originals stay unknown.
func (t *tracking) again(o *liveMap) (now *tracking, first map[string]string) {
	if o == nil || o.uid == t.uid || t.first == nil {
		return t, nil
	}
	as := *t
	as.first = map[string]string{}
	for _, key := range namesIn(t.held(), t.nulls) {
		if _, known := t.first[key]; known {
			as.first[key] = o.data[key]
		}
	}
	return &as, as.first
}

// unowned returns the keys of a whole object whose values the resource did not write: release does not delete them.
func (t *tracking) unowned(o *liveMap) (keys []string) {
	if o == nil || t.policy == "abandon" {
		return nil
	}
	return slices.DeleteFunc(namesIn(entries(o.data)), func(key string) bool {
		return !t.forgot && (t.written[key] == o.data[key] || t.alike && t.written[key] != "")
	})
}

// keepsWhole refuses the plan to delete an object with keys of another field manager, and warns of other keys. With
// delete, it only warns.
func (p *process) keepsWhole(t *tracking, unowned []string) (title string, warnings []string) {
	for _, key := range unowned {
		if p.owned[t.cm][key] && t.policy != "delete" {
			title = titleOthersOf(t.cm)
		} else {
			warnings = []string{titleOthersOf(t.cm)}
		}
	}
	return title, warnings
}

func titleOthersOf(cm string) string {
	if isSecret(cm) {
		return titleSecretOthers
	}
	return titleOthers
}

// planCreation checks a creation. The resource replaced is removed first, in the same place; made has the ConfigMaps
// that the plan creates.
func (p *process) planCreation(b *block, replaced *tracking, made map[string]bool) (title string, warnings []string) {
	o := p.live[b.cm]
	notYet := func(title string) (string, []string) {
		switch {
		case (title == titleNoMap || title == titleNoSecret) && made[b.cm]:
			return "", nil
		case title == titleNoMap:
			return "", []string{titleNotYet}
		case title == titleNoSecret:
			return "", []string{titleNoSecretYet}
		}
		return title, nil
	}
	switch b.kind {
	case "whole":
		made[b.cm] = true
		switch {
		case replaced != nil && replaced.policy == "abandon":
			return titleWouldFail, nil
		case replaced != nil:
			return p.keepsWhole(replaced, replaced.unowned(o))
		}
		if title := p.touches(b.address(), b.cm, b.has(), nil); title != "" {
			return title, nil
		}
		if o != nil {
			return titleExists(b.cm), nil
		}
		return "", nil
	case "counter":
		if title := p.touches("counters", b.cm, []string{b.key}, nil); title != "" {
			return title, nil
		}
		_, title := p.next(b)
		return notYet(title)
	}
	rules := b.createRules()
	if replaced != nil {
		for _, key := range namesIn(replaced.values) {
			want := b.expected[key] != ""
			keeps := replaced.stays(replaced, key, replaced.values[key]) || replaced.policy == "restore" && replaced.first[key] != ""
			if b.adopt && b.values[key] != "" || want || b.values[key] != "" && keeps {
				return titleWouldFail, nil
			}
		}
		rules = slices.DeleteFunc(rules, func(r rule) bool { _, removed := replaced.values[r.key]; return removed })
	}
	var writes []string
	for _, r := range rules {
		if !r.guard {
			writes = append(writes, r.key)
		}
	}
	if title = p.touches(b.address(), b.cm, writes, nil); title != "" {
		return title, nil
	}
	if len(rules) == 0 {
		return "", nil
	}
	_, title = p.judge(b.cm, "create", nil, rules)
	return notYet(title)
}

// planUpdate checks an update in place.
func (p *process) planUpdate(b *block, was *tracking, made map[string]bool) (title string, warnings []string) {
	switch {
	case b.kind == "counter" && b.trigger == was.trigger:
		return p.touches("counters", b.cm, []string{b.key}, nil), nil
	case b.kind == "counter":
		return p.planCreation(b, nil, made)
	case b.kind == "whole":
		return p.planWhole(b, was)
	}
	if title = p.touches(b.address(), b.cm, namesIn(b.values), namesIn(b.dropped(was))); title != "" {
		return title, nil
	}
	if b.kind == "data" {
		gone := maps.Clone(was.values)
		maps.DeleteFunc(gone, func(key, _ string) bool { return b.values[key] != "" })
		if title, warnings = b.removal(was, gone); title != "" {
			return title, warnings
		}
	}
	if !b.writes(was) {
		return "", append(warnings, b.leavesDrift(was)...)
	}
	rules, title := b.updateRules(was)
	if title != "" {
		return title, warnings
	}
	if _, title = p.judge(b.cm, "update", b.updatesAt(was), rules); title != "" {
		return title, warnings
	}
	return b.overDrift(was, warnings)
}

// leavesDrift returns the warnings of a plan that leaves a Secret as it is. For a ConfigMap, the plan shows a change.
func (b *block) leavesDrift(was *tracking) (warnings []string) {
	if title, _ := b.drifted(was); b.secret && title != "" {
		warnings = append(warnings, title)
	}
	return warnings
}

// overDrift returns the error or the warnings of an update that overwrites a change by somebody else.
func (b *block) overDrift(was *tracking, warnings []string) (string, []string) {
	writes, leaves := *b, *b
	writes.values, leaves.values = maps.Clone(b.values), maps.Clone(b.values)
	maps.DeleteFunc(writes.values, func(key, _ string) bool { return b.keeps(was, key) })
	maps.DeleteFunc(leaves.values, func(key, _ string) bool { return !b.keeps(was, key) })
	warnings = append(warnings, leaves.leavesDrift(was)...)
	title, _ := writes.drifted(was)
	switch {
	case title != "" && b.drift == "error":
		return title, warnings
	case title != "":
		warnings = append(warnings, title)
	}
	return "", warnings
}

// forgets reports whether the state knows a key that is neither there nor in the block any more.
func (b *block) forgets(was *tracking) bool {
	for key := range was.written {
		if b.kind == "data" && b.values[key] == "" && was.values[key] == "" {
			return true
		}
	}
	return false
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

type planOptions struct {
	destroy, noRefresh, refreshOnly, removalsFirst bool
	replace                                        string
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
	says := func(title string, more []string) bool {
		if title != "" {
			errs = append(errs, title)
		}
		warnings = append(warnings, more...)
		return title != ""
	}
	creations, failed := map[string]bool{}, false
	order := upTo(len(w.blocks))
	switch {
	case o.destroy:
		slices.Reverse(order) // what depends on something is planned to go before it
	case o.removalsFirst:
		order = append(order[w.used:], order[:w.used]...)
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
			orphan := was
			if !w.readsFirst {
				orphan = unread
			}
			if orphan != nil && !isUsed && w.plansOrphans {
				_, title, more := p.planRemoval(orphan)
				says(title, more)
			}
			continue
		}
		if !isUsed {
			isGone := was == nil
			if !w.readsFirst { // a missing object is found after its removal is planned
				was = unread
			}
			if was == nil {
				continue
			}
			saw, title, more := p.planRemoval(was)
			failed = says(title, more) && o.destroy || failed // nothing that has a block waits for what has none
			if !isGone {
				pl.changes[address] = change{action: "delete", saw: saw}
			}
			continue
		}
		c, title, more := p.planBlock(b, was, o.replace == address, creations)
		failed = says(title, more)
		if c.action != "no-op" {
			pl.changes[address] = c
		}
	}
	return pl, errs, warnings
}

func (p *process) planBlock(b *block, was *tracking, forced bool, made map[string]bool) (c change, title string, warnings []string) {
	c = change{action: "no-op", to: b}
	switch {
	case was == nil:
		c.action = "create"
		title, warnings = p.planCreation(b, nil, made)
		return c, title, warnings
	case was.tainted:
		c.action = "delete, create"
		if needs := b.needs(); len(needs) > 0 && b.cm == was.cm && (b.kind == "entry" || b.kind == "data") {
			c.saw = &sight{needs: needs}
		}
		title, warnings = p.planCreation(b, nil, made)
		return c, title, warnings
	case b.cm != was.cm:
		c.action = "delete, create"
		as := *was
		as.drift = b.drift
		if c.saw, title, warnings = p.planRemoval(&as); title != "" {
			return c, title, warnings
		}
		if c.saw != nil {
			c.saw.drift = b.drift
		}
		title, more := p.planSecondHalf(b, nil, made)
		return c, title, append(warnings, more...)
	case b.kind == "whole":
		if title, warnings = p.planWhole(b, was); title != "" {
			return c, title, warnings
		}
		if !b.same(&was.block) || b.writesWhole(was) || b.accepts(was) || (b.values == nil) != (was.values == nil) {
			c.action = "update"
		}
	case !b.same(&was.block):
		c.action = "update"
		if title, warnings = p.planUpdate(b, was, made); title != "" {
			return c, title, warnings
		}
	default:
		switch b.kind {
		case "entry", "data":
			title = p.touches(b.address(), b.cm, namesIn(b.values), nil)
		case "counter":
			title = p.touches("counters", b.cm, []string{b.key}, nil)
		}
		if title != "" {
			return c, title, nil
		}
		warnings = b.leavesDrift(was)
		if _, accepted := b.drifted(was); accepted || b.forgets(was) {
			c.action = "update"
		}
	}
	if forced {
		c.action = "delete, create"
		c.saw = &sight{version: was.version, drift: b.drift}
		if title, _ := b.drifted(was); title == "" {
			c.saw.drift = "off"
		}
		replaced := *was
		replaced.drift = c.saw.drift
		var more []string
		title, more = p.planSecondHalf(b, &replaced, made)
		warnings = append(warnings, more...)
	}
	return c, title, warnings
}

// planSecondHalf plans the creation of a replace. The client tells its warnings only beside an error.
func (p *process) planSecondHalf(b *block, replaced *tracking, made map[string]bool) (title string, warnings []string) {
	if title, warnings = p.planCreation(b, replaced, made); title == "" {
		return "", nil
	}
	return title, warnings
}
