package histories

import (
	"maps"
	"slices"
)

// These are the rules of DESIGN.md and the documentation, as a small program: two ConfigMaps and two Secrets,
// workspaces that plan and apply one after the other, and others who write in between. It knows nothing of the
// provider's code, and its words are spelled out here.

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
	titleExisted      = "Key Existed Before Terraform"
	titleStays        = "Key Stays In Place"
	titleMoves        = "Key Moves Between Instances"
	titleTwice        = "Key Written Twice"
	titleWouldFail    = "Replacement Would Fail"
	titleOthers       = "ConfigMap Has Other Keys"
	titleSecretOthers = "Secret Has Other Keys"
	titlePutBack      = "Value Will Be Put Back"
	titleNotACounter  = "Not A Counter"
	titleNoKey        = "Key Not Found"
	titleUnknown      = "Write Outcome Unknown"
	titleCanceled     = "Operation Canceled"
	titleHalted       = "execution halted"
	titleStale        = "Saved plan is stale"
	titlePluginFailed = "Plugin error"
)

// version represents the uid and resourceVersion of a ConfigMap. Each write makes a number of its own. The zero value
// is none.
type version struct{ uid, rv int }

// liveMap is a ConfigMap or a Secret. Its label is one of the keys.
type liveMap struct {
	version

	data map[string]string
}

// labelKey is the key of the label l among the keys of an object. Only a whole object has it.
const labelKey = "label"

// entries are the keys of a map without the label.
func entries(of map[string]string) map[string]string {
	all := maps.Clone(of)
	delete(all, labelKey)
	return all
}

// block is a resource block. An empty value is the absent entry.
type block struct {
	kind, label   string
	secret        bool              // it is about a Secret, whose values no state has
	fields        bool              // its keys are fields of an object of another kind, or of a document
	document      bool              // its keys are fields of a document
	cm            string            // the name of its ConfigMap or Secret
	key           string            // of a counter
	owns          []string          // keys that it may have, which no other block of the workspace has
	trigger       string            // of a counter
	values        map[string]string // of a whole ConfigMap or Secret nil: it has no data
	labels        map[string]string // of a whole one; nil: it has none
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
	block // values: what the keys hold, as last seen; of a Secret, by the tags, which no write uses; of a whole one, all that it holds
	version

	number   int
	previous map[string]string // nil: null
	first    map[string]string // what the keys held first; a key that is not there is not known
	written  map[string]string // what the keys were last written to hold; a key that is not there is not known; of a whole one with the label
	unnamed  bool              // of a whole one: it was imported, and no update has named its label yet
	nulls    map[string]string // of fields: those that vanished, which the state has as null
	lost     bool              // what the keys held first is no longer known
	forgot   bool              // of a whole ConfigMap or Secret: nothing is known of earlier writes
	tainted  bool
	alike    bool // of a Secret: the tags of different values happen to be the same, so that nothing tells drift
}

type workspace struct {
	serial int
	blocks []*block // each depends on those before it
	used   int      // how many of them the configuration has
	// readsFirst: what has no block is read before its removal is planned.
	readsFirst bool
	// plansOrphans: its removal is planned with -refresh-only as well, and dropped.
	plansOrphans bool
	refused      bool // the last plan was
	state        map[string]*tracking
	plans        []*modelPlan
}

func (w *workspace) save(state map[string]*tracking) { w.state, w.serial = state, w.serial+1 }

// write has the changes of one request. It is applied only to the base version; with the zero version, only if there
// is no object.
type write struct {
	cm       string
	base     version
	removes  bool
	computes bool              // it takes a number
	data     map[string]string // an empty value removes
	// isDone reports, for a removal of keys, whether nothing is left to do; nil for another write.
	isDone func(now *liveMap) bool
}

// sets reports whether the write sets anything. Removals leave no trace in managedFields, and neither does a ConfigMap
// that is created empty; a Secret has a type.
func (w write) sets() bool {
	isSet := func(v string) bool { return v != "" }
	return slices.ContainsFunc(slices.Collect(maps.Values(w.data)), isSet) || w.base == version{} && isSecret(w.cm)
}

// isIn reports whether an object contains what the write sets, and nothing that it removes.
func (w write) isIn(o *liveMap) bool {
	for key, v := range w.data {
		if o.data[key] != v {
			return false
		}
	}
	return true
}

type model struct {
	live   map[string]*liveMap
	spaces []*workspace
	late   []write // by processes that are dead: they may still be applied
	landed bool    // the last of them that came
	last   int     // number that was given out
	bound  map[int]string
	// owned: another field manager owns the key before the step, by ConfigMap and key. The API server decides that.
	owned map[string]map[string]bool
}

// clone makes another world. The worlds share everything that is never changed in place.
func (m *model) clone() *model {
	c := &model{maps.Clone(m.live), nil, slices.Clone(m.late), m.landed, m.last, maps.Clone(m.bound), m.owned}
	for _, w := range m.spaces {
		w := *w
		w.state, w.plans = maps.Clone(w.state), slices.Clone(w.plans)
		c.spaces = append(c.spaces, &w)
	}
	return c
}

func (m *model) number() int { m.last++; return m.last }

// is reports whether a number represents a text of the API server. The first text that is seen for a number decides.
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
	m.live[w.cm] = &liveMap{version{o.uid, m.number()}, with(o.data, w.data)}
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

// writeAsOther applies a write of another writer: to a key, or to a label if the key is empty.
func (m *model) writeAsOther(cm, key, value string) {
	w := write{cm: cm, data: map[string]string{key: value}}
	if key == "" {
		w.data = map[string]string{labelKey: value}
	}
	if o := m.live[cm]; o != nil {
		if w.base = o.version; maps.Equal(with(o.data, w.data), o.data) {
			return
		}
	}
	m.land(w)
}

// process is a provider that runs.
type process struct {
	*model

	chains map[string][]int // the versions of each ConfigMap that this process's own writes lead from and to
	keys   map[string]touch // what a plan does to keys, by ConfigMap and key
	writes int
	fault  fault
	fired  bool
	// isEither: a write was applied and its response was lost, so that its outcome may be applied or unknown.
	isEither bool
}

// fault happens to one write that would be applied: the at-th of the process.
type fault struct {
	kind  string // kill before, kill after, interrupt, lose before, lose after, overtaken
	at    int
	other bool   // another writer comes before anybody looks what became of the write
	key   string // which that one writes; a label where it is empty
	value string

	// isUnknown: after a lost response, a write whose outcome may be applied or unknown is unknown.
	isUnknown bool
}

// leads reports whether a ConfigMap is where a version leads by this process's own writes alone.
func (p *process) leads(cm string, v version) bool {
	o, chain := p.live[cm], p.chains[cm]
	return v == o.version || slices.Contains(chain, o.rv) && slices.Contains(chain, v.rv)
}

// send sends a write that would be applied. It returns an error, or that the write must be evaluated again.
func (p *process) send(w write) (again bool, title string) {
	land := func(isChained bool) {
		if p.land(w); w.removes {
			return
		}
		chain := p.chains[w.cm]
		if !isChained {
			chain = nil
		} else if len(chain) == 0 || chain[len(chain)-1] != w.base.rv {
			chain = []int{w.base.rv}
		}
		p.chains[w.cm] = append(chain, p.live[w.cm].rv)
	}
	interferes := func() {
		if p.fault.other {
			p.writeAsOther(w.cm, p.fault.key, p.fault.value)
		}
	}
	if p.writes++; p.writes != p.fault.at {
		land(true)
		return false, ""
	}
	p.fired = true
	was := p.live[w.cm]
	switch p.fault.kind {
	case "kill before":
		p.late = append(p.late, w)
		return false, titlePluginFailed
	case "kill after":
		land(true)
		return false, titlePluginFailed
	case "overtaken":
		if interferes(); p.live[w.cm] != was {
			return true, "" // the API server answers 409
		}
		land(true)
	case "lose before":
		if interferes(); p.live[w.cm] == was {
			land(true) // by the same request, which is sent again
			return false, ""
		}
		return p.settle(w, false)
	case "lose after":
		land(isKeyed(w.cm) && w.base != version{})
		landed := p.live[w.cm]
		if interferes(); p.live[w.cm] != landed {
			delete(p.chains, w.cm)
		}
		return p.settle(w, p.live[w.cm] == landed)
	default:
		land(true)
	}
	return false, ""
}

// settle decides about a write whose response was lost, and whose object has changed. isAlone: the write made its
// present version.
func (p *process) settle(w write, isAlone bool) (again bool, title string) {
	now := p.live[w.cm]
	isLanded := isAlone || p.fault.kind == "lose after"
	isOther := now == nil || now.uid != w.base.uid
	switch {
	case w.removes:
		return !isOther, "" // the next evaluation reports a conflict
	case w.computes:
		delete(p.chains, w.cm)
		return true, ""
	case w.base == version{}:
		if !isAlone || !w.sets() {
			return false, titleUnknown
		}
		return false, ""
	}
	isApplied := isLanded && !isOther && w.sets() && w.isIn(now)
	if isApplied && (!isAlone || !isKeyed(w.cm)) { // managedFields may show no change within one second
		p.isEither = true
		isApplied = !p.fault.isUnknown
	}
	switch {
	case isApplied:
		return false, ""
	case w.isDone != nil && w.isDone(now):
		delete(p.chains, w.cm)
		return false, ""
	}
	return false, titleUnknown
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
	if !was.secret && (was.forgot || was.lost && was.written == nil) { // the values of the state are the baseline
		as := *was
		as.written, as.forgot = was.held(), false
		known = &as
	}
	known, _ = known.again(o)
	now := *known
	now.version = o.version
	if was.kind == "whole" {
		if was.values != nil {
			now.values = entries(o.data)
		}
		if was.labels != nil {
			now.labels = labelOf(o.data)
		}
		return &now
	}
	now.values, now.nulls = map[string]string{}, map[string]string{}
	for _, of := range []map[string]string{known.values, known.written, known.nulls} {
		for key := range of {
			if v := o.data[key]; v != "" {
				now.values[key] = v
			} else if was.fields {
				now.nulls[key] = ""
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
