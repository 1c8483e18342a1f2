package acceptance_test

import (
	"maps"
	"slices"
	"strconv"
)

// This is what DESIGN.md and the documentation say of the provider, as a small program: two ConfigMaps, workspaces that plan and apply one after
// the other, and others who write in between. It knows nothing of the provider's code, and its words are spelled out here.

// Titles of diagnostics.
const (
	titleConflict     = "Compare-And-Swap Conflict"
	titleMismatch     = "Expected Value Mismatch"
	titleHeld         = "Key Already Holds The Value"
	titleKeyExists    = "Key Already Exists"
	titleMapExists    = "ConfigMap Already Exists"
	titleNoMap        = "ConfigMap Not Found"
	titleNotYet       = "ConfigMap Does Not Exist Yet"
	titleChanged      = "Value Changed Since Last Apply"
	titleUnmanaged    = "Unmanaged Keys Will Change"
	titleWouldFail    = "Replacement Would Fail"
	titleNoOriginal   = "Nothing Known To Restore"
	titleNotACounter  = "Not A Counter"
	titleNoKey        = "Key Not Found"
	titleNotImported  = "Cannot import non-existent remote object"
	titleUnknown      = "Write Outcome Unknown"
	titleCanceled     = "Operation Canceled"
	titleHalted       = "execution halted"
	titleStale        = "Saved plan is stale"
	titlePluginFailed = "Plugin error"
)

// version stands for the uid and resourceVersion of a ConfigMap. Each write makes a number of its own. The zero value is none.
type version struct{ uid, rv int }

// liveMap is a ConfigMap.
type liveMap struct {
	version

	data, labels map[string]string
}

// block is a resource block. An empty value is the absent entry.
type block struct {
	kind, label   string
	cm            string            // the name of its ConfigMap
	key           string            // of a counter
	owns          []string          // keys that it may have, which no other block of the workspace has
	trigger       string            // of a counter
	values        map[string]string // of a whole ConfigMap nil: left to others
	labels        map[string]string // of a whole ConfigMap; nil: left to others
	expected      map[string]string
	scope, policy string
	adopt         bool
}

func (b *block) address() string { return b.kind + "." + b.label }

func (b *block) same(c *block) bool {
	return b.cm == c.cm && b.trigger == c.trigger && b.scope == c.scope && b.policy == c.policy && b.adopt == c.adopt &&
		sameMap(b.values, c.values) && sameMap(b.labels, c.labels) && sameMap(b.expected, c.expected)
}

func sameMap(a, b map[string]string) bool { return (a == nil) == (b == nil) && maps.Equal(a, b) }

// tracking is a resource in a state: its arguments, what a refresh found, and what the provider remembers of it. It is never changed.
type tracking struct {
	block // values: what the keys hold, as last seen
	version

	number   int
	previous map[string]string // nil: null
	first    map[string]string // what the keys held first; a key that is not there is not known
	written  map[string]string // what the keys were last written to hold
	lost     bool              // what the keys held first is not known any more
	tainted  bool
}

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

type workspace struct {
	serial int
	blocks []*block // each depends on those before it
	used   int      // how many of them the configuration has
	// readsFirst: what has no block is read before its removal is planned.
	readsFirst bool
	refused    bool // the last plan was
	state      map[string]*tracking
	plans      []*modelPlan
}

func (w *workspace) save(state map[string]*tracking) { w.state, w.serial = state, w.serial+1 }

// write is what one request does to a ConfigMap: only while that is at the base, or there is none where the base is none.
type write struct {
	cm           string
	base         version
	removes      bool
	data, labels map[string]string // an empty value removes
}

type model struct {
	live   map[string]*liveMap
	spaces []*workspace
	late   []write // by processes that are dead: they may land yet
	last   int     // number that was given out
	bound  map[int]string
}

// clone makes another world. What is not changed in place is shared.
func (m *model) clone() *model {
	c := &model{maps.Clone(m.live), nil, slices.Clone(m.late), m.last, maps.Clone(m.bound)}
	for _, w := range m.spaces {
		w := *w
		w.state, w.plans = maps.Clone(w.state), slices.Clone(w.plans)
		c.spaces = append(c.spaces, &w)
	}
	return c
}

func (m *model) number() int { m.last++; return m.last }

// is reports whether a number stands for a text of the API server's. The first text that is seen for a number is the one.
func (m *model) is(number int, text string) bool {
	if got, ok := m.bound[number]; ok || number == 0 {
		return got == text
	}
	for _, other := range m.bound {
		if other == text {
			return false
		}
	}
	m.bound[number] = text
	return true
}

func (m *model) land(w write) bool {
	o := m.live[w.cm]
	switch {
	case o == nil && w.base == version{} && !w.removes:
		o = &liveMap{version: version{uid: m.number()}}
	case o == nil || o.version != w.base:
		return false
	case w.removes:
		delete(m.live, w.cm)
		return true
	}
	m.live[w.cm] = &liveMap{version{o.uid, m.number()}, with(o.data, w.data), with(o.labels, w.labels)}
	return true
}

func with(all, changes map[string]string) map[string]string {
	all = maps.Clone(all)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_, v string) bool { return v == "" })
	return all
}

// foreign is a write of another's: of a key, or of a label where that is empty.
func (m *model) foreign(cm, key, value string) {
	w := write{cm: cm, data: map[string]string{key: value}}
	if key == "" {
		w.data, w.labels = nil, map[string]string{"l": value}
	}
	if o := m.live[cm]; o != nil {
		if w.base = o.version; maps.Equal(with(o.data, w.data), o.data) && maps.Equal(with(o.labels, w.labels), o.labels) {
			return
		}
	}
	m.land(w)
}

// process is a provider that runs.
type process struct {
	*model

	chains map[string][]int // the versions of each ConfigMap that this process's own writes lead from and to
	writes int
	fault  fault
	fired  bool
}

// fault is what happens to one write that would land: the at-th of the process.
type fault struct {
	kind    string // kill before, kill after, interrupt, lose before, lose after
	at      int
	other   bool   // another writer comes before anybody looks what became of the write
	key     string // which that one writes; a label where it is empty
	value   string
	noWatch bool

	world string // after a lost answer: settled, unknown
}

// leads reports whether a ConfigMap is where a version leads by this process's own writes alone.
func (p *process) leads(cm string, v version) bool {
	o, chain := p.live[cm], p.chains[cm]
	return v == o.version || slices.Contains(chain, o.rv) && slices.Contains(chain, v.rv)
}

// send sends a write that would land. It gives an error, or that the write has to be judged again.
func (p *process) send(w write) (again bool, title string) {
	p.writes++
	land := func() {
		if p.land(w); w.removes {
			return
		}
		if chain := p.chains[w.cm]; len(chain) == 0 || chain[len(chain)-1] != w.base.rv {
			p.chains[w.cm] = []int{w.base.rv}
		}
		p.chains[w.cm] = append(p.chains[w.cm], p.live[w.cm].rv)
	}
	interferes := func() {
		if p.fault.other {
			p.foreign(w.cm, p.fault.key, p.fault.value)
		}
	}
	if p.writes != p.fault.at {
		land()
		return false, ""
	}
	p.fired = true
	switch p.fault.kind {
	case "kill before":
		p.late = append(p.late, w)
		return false, titlePluginFailed
	case "kill after":
		land()
		return false, titlePluginFailed
	case "lose before":
		if interferes(); p.fault.world == "unknown" {
			return false, titleUnknown
		}
		if p.fault.other {
			return true, ""
		}
		land()
	case "lose after":
		land()
		if interferes(); p.fault.world == "unknown" {
			return false, titleUnknown
		}
	default:
		land()
	}
	return false, ""
}

// rule is what must hold of one key, and what it becomes.
type rule struct {
	key, want, to string
	guard         bool // it is compared only
	adopts        bool // what holds already is done
	refuses       bool // what holds already is refused
	isExpected    bool // the configuration says what the key must hold
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
		case live == r.want:
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
		return nil, titleNoMap
	}
	for _, v := range at {
		if !p.leads(cm, v) {
			return nil, titleConflict
		}
	}
	return judge(o, op, rules)
}

// commit judges and writes, and gives the ConfigMap before and after.
func (p *process) commit(cm, op string, at []version, rules []rule, labels map[string]string) (before, after *liveMap, title string) {
	for {
		data, title := p.judge(cm, op, at, rules)
		before = p.live[cm]
		if title != "" || before == nil || len(data) == 0 && len(labels) == 0 {
			return before, before, title
		}
		w := write{cm: cm, base: before.version, data: data, labels: labels}
		next := p.last + 1 // which a landing gives
		again, title := p.send(w)
		if !again {
			after = &liveMap{version{before.uid, next}, with(before.data, data), with(before.labels, labels)}
			return before, after, title
		}
	}
}

// read refreshes; nil where there is nothing any more.
func (m *model) read(was *tracking) *tracking {
	if was.kind == "counter" {
		return was
	}
	o := m.live[was.cm]
	if o == nil || was.kind == "entry" && o.data[was.onlyKey()] == "" {
		return nil
	}
	now := *was
	now.version = o.version
	if was.kind == "whole" {
		if was.values != nil {
			now.values = o.data
		}
		if was.labels != nil {
			now.labels = o.labels
		}
		return &now
	}
	now.values = map[string]string{}
	for _, of := range []map[string]string{was.values, was.written} {
		for key := range of {
			if v := o.data[key]; v != "" {
				now.values[key] = v
			}
		}
	}
	if was.kind == "entry" && was.first == nil && !was.lost {
		now.first, now.written = now.values, now.values
	}
	return &now
}

func (b *block) onlyKey() string {
	for key := range b.values {
		return key
	}
	return ""
}

func namesIn(of ...map[string]string) []string {
	all := map[string]string{}
	for _, m := range of {
		maps.Copy(all, m)
	}
	return slices.Sorted(maps.Keys(all))
}

// firstRule is what must hold of a key that the state does not have.
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

// updateRules are those of entries and data. An error is about keys that cannot be put back.
func (b *block) updateRules(was *tracking) (rules []rule, title string) {
	for _, key := range namesIn(b.values, was.values, b.expected) {
		held, has := was.values[key]
		want, isExpected := b.expected[key]
		if !isExpected {
			want = held
		}
		switch {
		case b.values[key] != "" && b.values[key] == held:
			rules = append(rules, rule{key: key, want: held, guard: true, isExpected: isExpected && want == held})
		case b.values[key] != "" && has:
			rules = append(rules, rule{key: key, want: want, to: b.values[key], isExpected: isExpected})
		case b.values[key] != "":
			rules = append(rules, b.firstRule(key))
		case has && b.policy != "abandon":
			r := rule{key: key, want: want, adopts: true, isExpected: isExpected}
			if b.policy == "restore" {
				original, known := was.first[key]
				if r.to = original; !known {
					title = titleNoOriginal
				}
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
	maps.DeleteFunc(gone, func(key, _ string) bool { return b.values[key] != "" })
	if b.policy == "abandon" {
		return nil
	}
	return gone
}

// writes reports whether an update has something to write.
func (b *block) writes(was *tracking) bool {
	for key, v := range b.values {
		if was.values[key] != v {
			return true
		}
	}
	return len(b.dropped(was)) > 0
}

func (b *block) at(v version) []version {
	if b.scope == "key" || v == (version{}) {
		return nil
	}
	return []version{v}
}

// changedSince reports whether a key that is there is not what was last written.
func (t *tracking) changedSince(live map[string]string) bool {
	for key, v := range live {
		if written, ok := t.written[key]; ok && v != "" && v != written {
			return true
		}
	}
	return false
}

// wholeRules are what an update of a whole ConfigMap does.
func (b *block) wholeRules(was *tracking) (rules []rule, labels map[string]string) {
	if b.values != nil {
		for _, key := range namesIn(b.values, was.values) {
			if b.values[key] != was.values[key] {
				rules = append(rules, rule{key: key, want: was.values[key], to: b.values[key]})
			}
		}
	}
	labels = map[string]string{}
	if b.labels != nil {
		for _, key := range namesIn(b.labels, was.labels) {
			if b.labels[key] != was.labels[key] {
				labels[key] = b.labels[key]
			}
		}
	}
	return rules, labels
}

// takenOver is the state with the parts that a block manages from now on, as they are live.
func (b *block) takenOver(was *tracking, o *liveMap) (with *tracking, takes bool) {
	now := *was
	if was.values == nil && b.values != nil {
		takes = true
		if o != nil {
			now.values = o.data
		}
	}
	if was.labels == nil && b.labels != nil {
		takes = true
		if o != nil {
			now.labels = o.labels
		}
	}
	return &now, takes
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
	for i, b := range w.blocks {
		address := b.address()
		was := pl.state[address]
		unread := was
		isUsed := i < w.used && !o.destroy
		if isUsed && failed {
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
			says(title, warning)
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
			now.block = *c.to
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
	switch was.kind {
	case "counter":
		return nil, ""
	case "whole":
		base := was.version
		if c.saw != nil {
			base = c.saw.version
		}
		for {
			o := p.live[was.cm]
			if o == nil {
				return nil, ""
			}
			if !p.leads(was.cm, base) {
				return was, titleConflict
			}
			again, title := p.send(write{cm: was.cm, base: o.version, removes: true})
			if title != "" {
				return was, title
			}
			if !again {
				return nil, ""
			}
		}
	}
	if was.policy == "abandon" || len(was.values) == 0 {
		return nil, ""
	}
	known := *was
	if was.tainted && c.to != nil { // its replacement knows nothing of it
		known.first, known.written = nil, nil
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
	base, want := was.version, was.values
	if saw != nil {
		if slices.ContainsFunc(saw.needs, func(key string) bool { return was.values[key] != "" }) {
			return titleWouldFail
		}
		if saw.needs == nil {
			base = saw.version
		}
		if saw.values != nil {
			want = saw.values
		}
	}
	var rules []rule
	for _, key := range namesIn(was.values) {
		r := rule{key: key, want: want[key]}
		if was.policy == "restore" {
			original, known := was.first[key]
			if !known {
				return titleNoOriginal
			}
			r.to, r.adopts = original, original != ""
		}
		rules = append(rules, r)
	}
	if o := p.live[was.cm]; was.policy == "restore" && was.changedSince(want) && o != nil {
		live := map[string]string{}
		for key := range was.values {
			live[key] = o.data[key]
		}
		if was.changedSince(live) {
			return titleChanged
		}
	}
	_, _, title = p.commit(was.cm, "remove", was.at(base), rules, nil)
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
				return nil, titleMapExists
			}
			uid := p.last + 1
			again, title := p.send(write{cm: b.cm, data: b.values, labels: b.labels})
			if now.version = (version{uid, uid + 1}); !again {
				return now, title
			}
		}
	}
	rules := b.createRules()
	before, after, title := p.commit(b.cm, "create", nil, rules, nil)
	if title != "" {
		return nil, title
	}
	now.wrote(b, rules, before, after)
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
		with, takes := b.takenOver(was, p.live[b.cm])
		if takes && p.live[b.cm] == nil {
			return nil, titleNoMap
		}
		rules, labels := b.wholeRules(with)
		if len(rules)+len(labels) == 0 {
			return now, ""
		}
		_, after, title := p.commit(b.cm, "whole", []version{was.version}, rules, labels)
		if title == "" {
			now.version = after.version
		}
		return now, title
	}
	account := func(rules []rule, before, after *liveMap) {
		first, written := map[string]string{}, map[string]string{}
		for key := range b.values {
			_, wrote := was.written[key]
			_, had := was.values[key]
			if original, known := was.first[key]; known {
				first[key] = original
			} else if !had && !wrote && before != nil {
				first[key] = before.data[key]
			}
			if wrote {
				written[key] = was.written[key]
			}
			for _, r := range rules {
				if r.key == key && !r.guard {
					written[key] = after.data[key]
				}
			}
		}
		now.first, now.written = first, written
	}
	if !b.writes(was) {
		if b.kind == "data" {
			account(nil, nil, nil)
		}
		return now, ""
	}
	rules, title := b.updateRules(was)
	if title != "" {
		return nil, title
	}
	before, after, title := p.commit(b.cm, "update", b.at(was.version), rules, nil)
	if title != "" {
		return nil, title
	}
	now.wrote(b, rules, before, after)
	if b.kind == "data" {
		account(rules, before, after)
	} else {
		now.written = map[string]string{b.onlyKey(): after.data[b.onlyKey()]}
	}
	return now, ""
}

// take takes a number.
func (p *process) take(b *block) (int, string) {
	for {
		n, title := p.next(b)
		if title != "" {
			return 0, title
		}
		w := write{cm: b.cm, base: p.live[b.cm].version, data: map[string]string{b.key: strconv.Itoa(n + 1)}}
		again, title := p.send(w)
		if !again {
			return n, title
		}
	}
}

// imports brings what is there into a state.
func (m *model) imports(w *workspace, b *block) (title string) {
	o := m.live[b.cm]
	if o == nil {
		return titleNotImported
	}
	now := &tracking{block: block{kind: b.kind, label: b.label, cm: b.cm, scope: "object", policy: "delete", expected: map[string]string{}}, version: o.version}
	if b.kind == "whole" {
		now.scope, now.policy, now.expected = "", "", nil
		if len(o.data) > 0 {
			now.values = o.data
		}
		if len(o.labels) > 0 {
			now.labels = o.labels
		}
	} else {
		now.values = map[string]string{}
		for key := range b.values {
			if now.values[key] = o.data[key]; now.values[key] == "" && b.kind == "entry" {
				return titleNotImported
			} else if now.values[key] == "" {
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
