package histories

import (
	"maps"
	"slices"
)

// This is what DESIGN.md and the documentation say of the provider, as a small program: two ConfigMaps and two Secrets, workspaces that plan and
// apply one after the other, and others who write in between. It knows nothing of the provider's code, and its words are spelled out here.

// Titles of diagnostics.
const (
	titleConflict     = "Compare-And-Swap Conflict"
	titleMismatch     = "Expected Value Mismatch"
	titleHeld         = "Key Already Holds The Value"
	titleKeyExists    = "Key Already Exists"
	titleMapExists    = "ConfigMap Already Exists"
	titleSecretExists = "Secret Already Exists"
	titleNoMap        = "ConfigMap Not Found"
	titleNotYet       = "ConfigMap Does Not Exist Yet"
	titleNoSecret     = "Secret Not Found"
	titleNoSecretYet  = "Secret Does Not Exist Yet"
	titleNeeds        = "Expected Value Missing"
	titleChanged      = "Value Changed Since Last Apply"
	titlePerhaps      = "Value May Have Changed Since Last Apply"
	titleExisted      = "Key Existed Before Terraform"
	titleStays        = "Key Stays In Place"
	titleMoves        = "Key Moves Between Instances"
	titleTwice        = "Key Written Twice"
	titleUndoes       = "Data Undoes Another Resource"
	titleLeft         = "No Longer Managed"
	titleUnmanaged    = "Unmanaged Keys Will Change"
	titleWouldFail    = "Replacement Would Fail"
	titlePutBack      = "Value Will Be Put Back"
	titleNotACounter  = "Not A Counter"
	titleNoKey        = "Key Not Found"
	titleUnknown      = "Write Outcome Unknown"
	titleCanceled     = "Operation Canceled"
	titleHalted       = "execution halted"
	titleStale        = "Saved plan is stale"
	titlePluginFailed = "Plugin error"
)

// version stands for the uid and resourceVersion of a ConfigMap. Each write makes a number of its own. The zero value is none.
type version struct{ uid, rv int }

// liveMap is a ConfigMap or a Secret.
type liveMap struct {
	version

	data, labels map[string]string
}

// block is a resource block. An empty value is the absent entry.
type block struct {
	kind, label   string
	secret        bool              // it is about a Secret, whose values no state has
	fields        bool              // its keys are fields of an object of another kind
	cm            string            // the name of its ConfigMap or Secret
	key           string            // of a counter
	owns          []string          // keys that it may have, which no other block of the workspace has
	trigger       string            // of a counter
	values        map[string]string // of a whole ConfigMap or Secret nil: left to others
	labels        map[string]string // of a whole one; nil: left to others
	expected      map[string]string
	scope, policy string
	drift         string // on_drift
	adopt         bool
	revision      int // of a Secret's values; 0: null
}

func (b *block) address() string { return b.kind + "." + b.label }

// same reports whether Terraform finds no difference between the arguments. It sees none between those that are write-only.
func (b *block) same(c *block) bool {
	if b.secret {
		return b.cm == c.cm && b.scope == c.scope && b.policy == c.policy && b.drift == c.drift && b.adopt == c.adopt && b.revision == c.revision &&
			sameMap(b.labels, c.labels) && (b.kind != "data" || sameNames(b.values, c.values)) // the names of keys are an attribute
	}
	return b.cm == c.cm && b.trigger == c.trigger && b.scope == c.scope && b.policy == c.policy && b.drift == c.drift && b.adopt == c.adopt &&
		sameMap(b.values, c.values) && sameMap(b.labels, c.labels) && sameMap(b.expected, c.expected)
}

func sameNames(a, b map[string]string) bool { return slices.Equal(namesIn(a), namesIn(b)) }

func sameMap(a, b map[string]string) bool { return (a == nil) == (b == nil) && maps.Equal(a, b) }

// tracking is a resource in a state: its arguments, what a refresh found, and what the provider remembers of it. It is never changed.
type tracking struct {
	block // values: what the keys hold, as last seen; of a Secret, as the tags tell, which no write goes by; of a whole one, all that it holds
	version

	number   int
	previous map[string]string // nil: null
	first    map[string]string // what the keys held first; a key that is not there is not known
	written  map[string]string // what the keys were last written to hold; a key that is not there is not known; of a whole ConfigMap nil: left to others
	labeled  map[string]string // the same of the labels of a whole ConfigMap
	inDoubt  []doubt           // what writes may have left, if what became of them is not known
	nulls    map[string]string // of fields: those that vanished, which the state has as null
	lost     bool              // what the keys held first is not known any more
	forgot   bool              // of a whole ConfigMap or Secret: nothing is known of what was written
	tainted  bool
	alike    bool // of a Secret: the tags of different values happen to be the same, so that nothing tells drift
}

// doubt is what a write may have left: of keys, those that it was to change.
type doubt struct{ values, labels map[string]string }

type workspace struct {
	serial int
	blocks []*block // each depends on those before it
	used   int      // how many of them the configuration has
	// readsFirst: what has no block is read before its removal is planned.
	readsFirst bool
	// plansOrphans: its removal is planned with -refresh-only as well, and dropped.
	plansOrphans bool
	// stores: what the plan of a creation saw reaches its apply, and a plan is told from an apply.
	stores  bool
	refused bool // the last plan was
	state   map[string]*tracking
	plans   []*modelPlan
}

func (w *workspace) save(state map[string]*tracking) { w.state, w.serial = state, w.serial+1 }

// write is what one request does to a ConfigMap: only while that is at the base, or there is none where the base is none.
type write struct {
	cm           string
	base         version
	removes      bool
	isTraceless  bool              // a removal from a Secret that goes by what its plan saw
	goneIsDone   bool              // what it removes may be removed by anybody
	data, labels map[string]string // an empty value removes
}

// leavesNothing reports whether a ConfigMap has nothing by which managedFields tell whose the write was: it only removes, or creates without content.
// A Secret that is created has a type.
func (w write) leavesNothing() bool {
	isRemoved := func(m map[string]string) bool {
		return !slices.ContainsFunc(slices.Collect(maps.Values(m)), func(v string) bool { return v != "" })
	}
	isCreated := w.base == version{}
	return !w.removes && isRemoved(w.data) && isRemoved(w.labels) && (!isCreated || !isSecret(w.cm))
}

type model struct {
	live   map[string]*liveMap
	spaces []*workspace
	late   []write // by processes that are dead: they may land yet
	landed bool    // the last of them that came
	last   int     // number that was given out
	bound  map[int]string
}

// clone makes another world. What is not changed in place is shared.
func (m *model) clone() *model {
	c := &model{maps.Clone(m.live), nil, slices.Clone(m.late), m.landed, m.last, maps.Clone(m.bound)}
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

	chains   map[string][]int             // the versions of each ConfigMap that this process's own writes lead from and to
	declared map[string]map[string]string // by whole objects of a plan, by ConfigMap
	keys     map[string]touch             // what a plan does to keys, by ConfigMap and key
	unread   bool                         // the state may be old, and the client tells a plan from an apply: the check of an update warns
	writes   int
	fault    fault
	fired    bool
	// leftNoTrace: a removal landed, its answer was lost, and nothing told that it was this process's.
	leftNoTrace bool
	// isUntold: a write landed that leaves nothing, and its answer was lost: nothing tells whose it was (internal/cas/doc.go, What is not promised).
	isUntold bool
}

// fault is what happens to one write that would land: the at-th of the process.
type fault struct {
	kind    string // kill before, kill after, interrupt, lose before, lose after, overtaken
	at      int
	other   bool   // another writer comes before anybody looks what became of the write
	key     string // which that one writes; a label where it is empty
	value   string
	noWatch bool

	world string // after a lost answer: settled, unknown, no trace
}

// leads reports whether a ConfigMap is where a version leads by this process's own writes alone.
func (p *process) leads(cm string, v version) bool {
	o, chain := p.live[cm], p.chains[cm]
	return v == o.version || slices.Contains(chain, o.rv) && slices.Contains(chain, v.rv)
}

// send sends a write that would land. It gives an error, or that the write has to be judged again.
func (p *process) send(w write) (again bool, title string) {
	p.writes++
	isLost := p.writes == p.fault.at && p.fault.kind == "lose after"
	p.isUntold = p.isUntold || isLost && !w.goneIsDone && w.leavesNothing()
	// Nothing leads over a removal without a read, which the first write of a process can be: a Secret's plan keeps no digest that would tell it
	// from one that did more (DESIGN.md, Unknown outcomes).
	p.leftNoTrace = p.leftNoTrace || isLost && p.fault.world == "no trace" && w.isTraceless && len(p.chains[w.cm]) == 0
	land := func() {
		if p.land(w); w.removes || isLost && p.leftNoTrace {
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
	case "overtaken":
		was := p.live[w.cm]
		if interferes(); p.live[w.cm] != was {
			return true, "" // as the API server says by a 409
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

// read refreshes; nil where there is nothing any more.
func (m *model) read(was *tracking) *tracking {
	if was.kind == "counter" {
		return was
	}
	o := m.live[was.cm]
	if o == nil || was.kind == "entry" && o.data[was.onlyKey()] == "" {
		return nil
	}
	known := was
	if was.kind != "whole" {
		known, _ = was.again(o)
	}
	now := *known
	now.version = o.version
	if was.kind == "whole" {
		if was.values != nil || was.secret {
			now.values = o.data
		}
		if was.labels != nil {
			now.labels = o.labels
		}
		for _, d := range was.inDoubt {
			values, labels := now.values, now.labels
			if was.secret { // no state says what it manages
				values, labels = only(d.values != nil, o.data), only(d.labels != nil, o.labels)
			}
			if sameMap(d.values, values) && sameMap(d.labels, labels) {
				now.written, now.labeled = values, labels
			}
		}
		return &now
	}
	now.values, now.nulls = map[string]string{}, map[string]string{}
	for _, of := range []map[string]string{was.values, was.written, was.nulls} {
		for key := range of {
			if v := o.data[key]; v != "" {
				now.values[key] = v
			} else if was.fields {
				now.nulls[key] = ""
			}
		}
	}
	for _, d := range was.inDoubt { // what is found was written, then
		for key, v := range d.values {
			if written, known := was.written[key]; known && written != v && v == o.data[key] {
				now.written = maps.Clone(now.written)
				now.written[key] = v
			}
		}
	}
	if was.kind == "entry" && was.first == nil && !was.lost {
		now.first, now.written = now.values, now.values
	}
	return &now
}

// only is a map, or nil.
func only(is bool, m map[string]string) map[string]string {
	if is {
		return m
	}
	return nil
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
