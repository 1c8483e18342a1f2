package histories

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	k8stypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"pgregory.net/rapid"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var historySteps = flag.Int("history.steps", 5_000, "how many steps of random histories to take")

// By default rapid runs 100 histories at a time, many more than the number of steps needs in the end.
func init() {
	if err := flag.Set("rapid.checks", "5"); err != nil {
		panic(err)
	}
}

const (
	lanes = 4  // of histories that run beside each other
	parts = 33 // at most: the first one has the steps that are asked for, each other a quarter of them
)

// TestHistories runs random histories of all resources, on the driver and on the model, and holds every verdict, state and live object of the
// one against the other. They go on, by a quarter each time, until all has happened that must. Lanes wait for each other then, so that one seed
// walks the same steps each time. With the -rapid.failfile or the -rapid.seed that a failure printed, only that history is run.
func TestHistories(t *testing.T) {
	tally, seed, again := &tally{counts: map[string]int{}}, testcluster.Seed(t), onlyAgain(t)
	for part := range parts {
		if part > 0 && (t.Failed() || len(tally.missing()) == 0 || again && len(tally.lengths) > 0) {
			break
		}
		steps := *historySteps / lanes
		if part > 0 {
			t.Logf("what has not happened yet: %s", strings.Join(tally.missing(), ", "))
			steps /= 4
		}
		t.Run(fmt.Sprint("part ", part), func(t *testing.T) {
			for i := range lanes {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					l := newLab(t, tally)
					if again {
						if rapid.Check(t, l.history); l.names == 0 {
							t.Fatal("no history was run: there is no such file")
						}
						return
					}
					lane := (seed*parts+uint64(part))*lanes + uint64(i)
					for round := uint64(0); l.walked < steps; round++ {
						check(t, (lane*10_000+round)*1_000, l.history) // rapid uses this seed and the next 54
					}
				})
			}
		})
	}
	if !again {
		tally.report(t)
	}
}

// onlyAgain reports whether rapid's flags name a history, and has rapid run no other.
func onlyAgain(t *testing.T) (is bool) {
	t.Helper()
	flag.Visit(func(f *flag.Flag) {
		others, named := map[string]string{"rapid.failfile": "0", "rapid.seed": "1"}[f.Name]
		if !named {
			return
		}
		is = true
		if err := flag.Set("rapid.checks", others); err != nil {
			t.Fatal(err)
		}
	})
	return is
}

var seeding sync.Mutex

// check is rapid.Check with a seed of its own.
func check(t *testing.T, seed uint64, history func(*rapid.T)) {
	t.Helper()
	seeding.Lock()
	if err := flag.Set("rapid.seed", fmt.Sprint(seed)); err != nil {
		t.Fatal(err)
	}
	seeded := sync.OnceFunc(func() {
		defer seeding.Unlock()
		if err := flag.Set("rapid.seed", "0"); err != nil {
			t.Error(err)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		seeded() // rapid has read it
		history(t)
	})
}

// tally counts what happened.
type tally struct {
	mu      sync.Mutex
	counts  map[string]int
	lengths []int
}

// missing returns the operations and verdicts that must still happen.
func (c *tally) missing() []string {
	must := mustHappen
	if *historySteps >= 50_000 {
		must = append(slices.Clone(must), rare...)
	}
	return slices.DeleteFunc(slices.Clone(must), func(what string) bool { return c.counts[what] > 0 })
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

// mustHappen has the operations and verdicts that every run must contain.
var mustHappen = []string{
	"op configure", "op plan", "op plan destroy", "op plan -refresh=false", "op plan -replace", "op apply", "op apply an older plan", "op refresh",
	"op import", "op taint", "op untaint", "op forget", "op set", "op unset", "op label", "op delete", "op create", "op land", "op interrupted plan",
	"fault kill before", "fault kill after", "fault interrupt", "fault lose before", "fault lose after", "fault overtaken", "landed", "came too late",
	"plan: passes", "apply: passes", "import: passes", "plan: " + titleMismatch, "plan: " + titleHeld, "plan: " + titleKeyExists, "plan: " + titleMapExists,
	"plan: " + titleConflict, "plan: warns: " + titleNotYet, "plan: warns: " + titleChanged, "plan: warns: " + titleExisted, "plan: warns: " + titleStays, "plan: warns: " + titlePutBack,
	"plan: " + titleWouldFail, "plan: " + titleNotACounter, "plan: " + titleCanceled,
	"apply: " + titleConflict, "apply: " + titleMismatch, "apply: " + titleKeyExists, "apply: " + titleNoMap, "apply: " + titleWouldFail,
	"apply: " + titleMapExists, "apply: " + titleHeld,
	"op rotate", "op rotate after a plan", "Secret op label", "Secret op set", "Secret op unset",
	"plan: " + titleChanged, "apply: " + titleStale, "apply: " + titleHalted, "apply: " + titlePluginFailed, "import: " + titleNoMap, "import: " + titleNoKey,
}

// rare has verdicts that some thousand steps can lack. The long histories of make soak must contain them.
var rare = []string{
	"plan: " + titleNoMap, "plan: " + titleTwice, "plan: " + titleMoves, "apply: " + titleNotACounter, "apply: " + titleUnknown,
	"plan: warns: " + titleOthers, "plan: " + titleOthers,
}

// Each resource of Secrets must have its own. Documents must as well, but are drawn less often.
func init() {
	const ofDocuments = "cas_configmap_document "
	mustHappen = append(mustHappen, ofDocuments+"op import", ofDocuments+"plan: create", ofDocuments+"plan: update", ofDocuments+"plan: delete")
	rare = append(rare, ofDocuments+"plan: delete, create", ofDocuments+"plan: warns: "+titleChanged, ofDocuments+"apply: "+titleConflict)
	for of, also := range map[string][]string{
		"cas_secret_entry": {"plan: " + titleKeyExists, "plan: warns: " + titleExisted, "plan: warns: " + titleNoSecretYet, "apply: " + titleMismatch},
		"cas_secret_data":  {"plan: " + titleNeeds, "plan: " + titleKeyExists, "plan: warns: " + titleExisted, "plan: warns: " + titleNoSecretYet, "apply: " + titleMismatch},
		"cas_secret":       {"plan: " + titleSecretExists, "plan: " + titleChanged},
	} {
		for _, what := range append(also, "plan: delete, create") {
			rare = append(rare, of+" "+what)
		}
		for _, what := range []string{"op import", "plan: create", "plan: update", "plan: delete", "plan: warns: " + titleChanged, "apply: " + titleConflict} {
			mustHappen = append(mustHappen, of+" "+what)
		}
	}
}

func (c *tally) report(t *testing.T) {
	t.Helper()
	if len(c.lengths) == 0 {
		t.Error("no history was run")
	}
	if t.Failed() {
		return
	}
	sort.Ints(c.lengths)
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		lines = append(lines, fmt.Sprintf("%7d  %s", c.counts[what], what))
	}
	all := 0
	for _, n := range c.lengths {
		all += n
	}
	median := c.lengths[len(c.lengths)/2]
	t.Logf("%d histories of %d steps, median %d:\n%s", len(c.lengths), all, median, strings.Join(lines, "\n"))
	if median < 12 {
		t.Errorf("a median of %d steps is too few", median)
	}
	for _, what := range c.missing() {
		t.Errorf("it never happened: %s", what)
	}
}

// lab is where histories are run one after the other.
type lab struct {
	*fixture.Fixture
	*tally

	names  int
	walked int            // steps
	dead   sync.WaitGroup // processes that were killed, and still wait

	client rest.Interface // of other writers
	config *rest.Config   // of all that reaches the API server

	mu    sync.Mutex
	idle  []*route
	wrote map[string]bool // what may have been written since it was last read, by name
}

// history is one that runs.
type history struct {
	*lab
	*rapid.T

	worlds []*model // what may be the case
	runs   []*run
	names  map[string]string            // of ConfigMaps, and of Secrets: "s" and "t"
	live   map[string]*corev1.ConfigMap // as they were last read
	held   []held
	steps  int
}

// run is a workspace on the driver.
type run struct {
	*driver.Workspace

	route *route
	plans []*driver.Plan
	died  chan struct{} // is closed when the process is killed
	cut   *route        // of the process that was
}

func (l *lab) history(t *rapid.T) {
	l.names++
	h := &history{lab: l, T: t, names: map[string]string{}, live: map[string]*corev1.ConfigMap{}}
	for _, name := range []string{"a", "b", "s", "t", "d", "w", "y"} {
		h.names[name] = fmt.Sprint(name, l.names)
		l.writes(h.names[name])
	}
	m := &model{live: map[string]*liveMap{}, bound: map[int]string{}}
	h.worlds = []*model{m}
	for i := range pick(t, "workspaces", 1, 2, 2) {
		h.runs = append(h.runs, h.newRun(m, i))
	}
	t.Cleanup(func() {
		for _, r := range h.runs {
			l.giveBack(r.route)
		}
		for _, name := range h.names {
			_, _ = l.send("DELETE", name, "", nil, false) // it need not be there
		}
		l.walked += h.steps
		l.tally.mu.Lock()
		l.lengths = append(l.lengths, h.steps)
		l.tally.mu.Unlock()
	})
	h.create("a", drawData(t))
	if oneIn(t, "b exists", 3) {
		h.create("b", drawData(t))
	}
	h.create("s", drawData(t))
	if oneIn(t, "t exists", 4) {
		h.create("t", drawData(t))
	}
	for _, cm := range []string{"d", "w", "y"} {
		if isNamed := func(b *block) bool { return b.fields }; slices.ContainsFunc(m.spaces, func(w *workspace) bool { return slices.ContainsFunc(w.blocks, isNamed) }) {
			h.create(cm, drawData(t))
		}
	}
	t.Repeat(map[string]func(*rapid.T){"step": h.step})
	for _, name := range h.names { // in the end every object is read
		l.writes(name)
	}
	h.T = t
	h.do(func() outcome { return outcome{} }, func(*model) outcome { return outcome{} })
}

func (h *history) step(t *rapid.T) {
	h.T = t
	h.steps++
	m := h.worlds[0]
	n := pick(t, "workspace", upTo(len(h.runs))...)
	w, r := m.spaces[n], h.runs[n]
	var ops []string
	often := func(n int, op string) { ops = append(ops, slices.Repeat([]string{op}, n)...) }
	often(6, "set")
	often(2, "unset")
	often(2, "label")
	often(2, "delete or create")
	often(6, "configure")
	often(2, "refresh")
	switch last := len(w.plans) - 1; {
	case last >= 0 && w.plans[last].serial == w.serial:
		often(4, "plan")
		often(24, "apply")
	case last >= 0:
		often(1, "apply")
		fallthrough
	default:
		often(16, "plan")
	}
	if w.refused {
		often(12, "configure")
	}
	tracked := slices.Sorted(maps.Keys(w.state))
	if len(tracked) > 0 {
		often(2, "taint")
		often(1, "forget")
	}
	var missing []*block
	for _, b := range w.blocks[:w.used] {
		if w.state[b.address()] == nil && b.kind != "counter" {
			missing = append(missing, b)
		}
	}
	if len(missing) > 0 {
		often(2, "import")
	}
	if len(m.late) > 0 {
		often(10, "land")
	}
	switch op := pick(t, "operation", ops...); op {
	case "configure":
		h.configure(n)
	case "plan":
		h.plan(n)
	case "apply":
		h.apply(n)
	case "refresh":
		h.add("op refresh")
		h.do(func() outcome {
			got := r.MakePlan(context.Background(), driver.Options{RefreshOnly: true})
			if got.Plan == nil {
				return ended(got)
			}
			return ended(r.Apply(context.Background(), got.Plan))
		}, func(m *model) outcome {
			made, errs, warnings := m.plan(m.spaces[n], planOptions{refreshOnly: true})
			if len(errs) > 0 {
				return outcome{errs: errs, warnings: warnings}
			}
			errs, _ = m.apply(m.spaces[n], made, fault{})
			return outcome{errs: errs}
		})
	case "import":
		h.imports(n, pick(t, "address", missing...))
	case "taint", "forget":
		h.handle(n, op, pick(t, "address", tracked...))
	case "land":
		h.land()
	default:
		h.actAsOther(op)
	}
}

func (h *history) configure(n int) {
	h.add("op configure")
	m := h.worlds[0]
	w := m.spaces[n]
	if oneIn(h.T, "blocks change", 5) {
		w.used = pick(h.T, "blocks", upTo(len(w.blocks)+1)...)
	} else {
		w.blocks = slices.Clone(w.blocks)
		which := []int{pick(h.T, "block", upTo(len(w.blocks))...)}
		if oneIn(h.T, "all blocks", 2) { // resources that write in one run
			which = upTo(len(w.blocks))
		}
		for _, i := range which {
			h.draw(m, w, i)
		}
	}
	w.refused = false
	for _, other := range h.worlds[1:] {
		other.spaces[n].blocks, other.spaces[n].used = w.blocks, w.used
	}
	h.write(w, h.runs[n])
}

func (h *history) plan(n int) {
	t, r, w := h.T, h.runs[n], h.worlds[0].spaces[n]
	var o planOptions
	options, op := driver.Options{}, "op plan"
	kinds := []string{"", "", "", "", "", "", "", "replace", "no refresh", "destroy"}
	for _, was := range w.state {
		if h.worlds[0].live[was.cm] == nil { // which a refresh would find out
			kinds = append(kinds, "no refresh")
		}
	}
	for _, was := range w.state {
		if h.worlds[0].live[was.cm] != nil && was.putsBack(h.worlds[0].live[was.cm].data) { // which few plans would do
			kinds = append(kinds, "destroy", "destroy", "destroy", "destroy")
		}
	}
	switch kind := pick(t, "kind of plan", kinds...); {
	case kind == "destroy":
		o.destroy, op = true, "op plan destroy"
	case kind == "no refresh":
		o.noRefresh, op = true, "op plan -refresh=false"
	case kind == "replace" && w.used > 0:
		b := pick(t, "replace", w.blocks[:w.used]...)
		o.replace, op = b.address(), "op plan -replace"
		options.Replace = []string{typed(b)}
	}
	options.Destroy, options.NoRefresh = o.destroy, o.noRefresh
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var fired atomic.Bool
	if oneIn(t, "interrupted", 40) {
		h.add("op interrupted plan")
		r.route.proxy.SetHook(func(*http.Request) testcluster.Fault {
			fired.Store(true)
			cancel()
			return testcluster.Fault{}
		})
		defer r.route.proxy.SetHook(nil)
	}
	predict := func(m *model, o planOptions) outcome {
		if fired.Load() {
			return outcome{errs: []string{titleCanceled}}
		}
		w := m.spaces[n]
		plan, errs, warnings := m.plan(w, o)
		out := outcome{errs: errs, warnings: warnings}
		if w.refused = len(errs) > 0; !w.refused {
			out.actions = map[string]string{}
			for _, b := range w.blocks {
				if c, ok := plan.changes[b.address()]; ok {
					out.actions[typed(b)] = c.action
				}
			}
			w.plans = append(slices.Clone(w.plans), plan)
		}
		return out
	}
	h.add(op)
	var made *driver.Plan
	got := h.do(func() outcome {
		result := r.MakePlan(ctx, options)
		made = result.Plan
		out := ended(result)
		if ctx.Err() != nil && len(out.errs) == 0 { // as the client says then
			made, out.errs = nil, []string{titleHalted}
		}
		if isHalted := slices.Contains(out.errs, titleHalted); fired.Load() { // what needs no request may have been said before: it is not compared
			out.errs = slices.DeleteFunc(out.errs, func(title string) bool { return title == titleMoves || title == titleTwice })
			out.warnings = slices.DeleteFunc(out.warnings, func(title string) bool { return !isHalted || title != titleChanged })
		}
		if made != nil {
			out.actions = map[string]string{}
			for _, c := range made.Changes {
				if c.Action != driver.NoOp {
					out.actions[c.Address] = string(c.Action)
				}
			}
		}
		return out
	}, func(m *model) outcome {
		return predict(m, o)
	}, func(m *model) outcome { // nothing says when an imported instance's removal is planned
		usual := predict(m.clone(), o)
		o := o
		o.removalsFirst = true
		out := predict(m, o)
		if !slices.Contains(out.errs, titleMoves) || out.String() == usual.String() {
			return outcome{errs: []string{"there is no other order"}}
		}
		return out
	}, func(m *model) outcome { // a warning of drift that the state tells asks only who wrote last
		if !fired.Load() || !o.noRefresh {
			return outcome{errs: []string{"its answer is needed"}}
		}
		if _, _, warnings := m.clone().plan(m.spaces[n], o); !slices.Contains(warnings, titleChanged) {
			return outcome{errs: []string{"there is no drift"}}
		}
		return outcome{errs: []string{titleHalted}, warnings: []string{titleChanged}}
	})
	h.verdicts("plan: ", got)
	if made == nil {
		return
	}
	r.plans = append(r.plans, made)
	plan := h.worlds[0].spaces[n].plans[len(r.plans)-1]
	for _, address := range slices.Sorted(maps.Keys(plan.changes)) {
		was := plan.state[address]
		if was == nil || !was.secret || len(was.values) == 0 || h.worlds[0].live[was.cm] == nil || !oneIn(t, "is rotated before the apply", 3) {
			continue
		}
		h.add("op rotate after a plan")
		h.writes(was.cm, pick(t, "key", namesIn(was.values)...), pick(t, "value", append(someValues, "x")...))
		h.apply(n)
		return
	}
}

func (h *history) apply(n int) {
	t, r := h.T, h.runs[n]
	i := len(r.plans) - 1
	if i > 0 && oneIn(t, "older", 6) {
		i = pick(t, "plan", upTo(i)...)
		h.add("op apply an older plan")
	}
	var f fault
	if oneIn(t, "faulty", 4) {
		f.kind = pick(t, "fault", "kill before", "kill before", "kill after", "interrupt", "lose before", "lose after", "overtaken")
		f.at = pick(t, "at", 1, 1, 2)
		if isLost := strings.HasPrefix(f.kind, "lose"); isLost || f.kind == "overtaken" {
			if f.other = !isLost || oneIn(t, "another comes first", 2); f.other {
				f.key = pick(t, "key", append(allKeys, "")...)
				f.value = pick(t, "value", someValues...)
				b := pick(t, "block", h.worlds[0].spaces[n].blocks...)
				if keys := namesIn(b.values); len(keys) > 0 && oneIn(t, "writes the same", 2) {
					f.key = pick(t, "key", keys...)
					f.value = cmp.Or(b.values[f.key], f.value)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	fired, isStill := &atomic.Bool{}, &atomic.Bool{}
	was := r.route
	if f.kind != "" {
		h.strikes(r, f, fired, isStill, cancel)
	}
	h.add("op apply")
	predict := func(isUnknown bool) func(m *model) outcome {
		return func(m *model) outcome {
			f := f
			f.isUnknown = isUnknown
			w := m.spaces[n]
			errs, p := m.apply(w, w.plans[i], f)
			switch {
			case isUnknown && !p.isEither:
				return outcome{errs: []string{"a read shows the outcome"}}
			case !isUnknown && p.isEither && isStill.Load():
				return outcome{errs: []string{"managedFields do not show the write"}}
			}
			if p.fired != fired.Load() {
				return outcome{errs: []string{fmt.Sprintf("the fault strikes: %t", p.fired)}}
			}
			return outcome{errs: errs}
		}
	}
	predictions := []func(*model) outcome{predict(false)}
	if f.kind == "lose after" {
		predictions = append(predictions, predict(true))
	}
	got := h.do(func() outcome {
		out := ended(r.Apply(ctx, r.plans[i]))
		out.warnings = nil // not compared: the second plan repeats the warnings of the first
		return out
	}, predictions...)
	h.verdicts("apply: ", got)
	if f.kind != "" {
		was.proxy.SetHook(nil)
	}
	if fired.Load() {
		h.add("fault " + f.kind)
		if strings.HasPrefix(f.kind, "kill") {
			was.proxy.SetHook(func(*http.Request) testcluster.Fault { return testcluster.Fault{DropBefore: true} })
			r.route = h.route()
			h.write(h.worlds[0].spaces[n], r)
		}
	}
	r.died, r.cut = nil, nil
}

// interfere writes as another writer: a key, or a label where that is empty.
func (h *history) interfere(name, key, value string) {
	if hasFields(name) && key != "" {
		h.interfereWithFields(name, key, value)
		return
	}
	change := map[string]any{plain(name): map[string]any{key: value}}
	if value == "" {
		change = map[string]any{"data": map[string]any{key: nil}}
	}
	if key == "" {
		change = map[string]any{"metadata": map[string]any{"labels": map[string]any{"l": value}}}
	}
	body, err := json.Marshal(change)
	if err == nil {
		_, err = h.send("PATCH", name, k8stypes.MergePatchType, body, false)
	}
	if apierrors.IsNotFound(err) {
		if key == "" {
			err = h.make(name, nil, map[string]string{"l": value})
		} else {
			err = h.make(name, map[string]string{key: value}, nil)
		}
	}
	if err != nil {
		h.lab.Error(err)
	}
}

// interfereWithFields is interfere with a field.
func (h *history) interfereWithFields(name, key, value string) {
	raw, err := h.send("GET", name, "", nil, false)
	switch {
	case apierrors.IsNotFound(err):
		err = h.make(name, map[string]string{key: value}, nil)
	case err == nil:
		object, wrong := decoded(raw)
		if raw, err = objectWith(name, object, map[string]string{key: value}); wrong == nil && err == nil {
			_, err = h.send("PUT", name, "", raw, false)
		}
	}
	if err != nil {
		h.lab.Error(err)
	}
}

func (h *history) create(cm string, data map[string]string) {
	h.do(func() outcome {
		if err := h.make(h.names[cm], data, nil); err != nil {
			h.Fatal(err)
		}
		return outcome{}
	}, func(m *model) outcome {
		m.land(write{cm: cm, data: data})
		return outcome{}
	})
}

// actAsOther makes another writer do something.
func (h *history) actAsOther(op string) {
	cm := pick(h.T, "object", "a", "a", "a", "b", "s", "s")
	key, value := pick(h.T, "key", allKeys...), pick(h.T, "value", append(someValues, "x")...)
	if oneIn(h.T, "gets in the way", 2) { // a workspace is about to write it
		w := pick(h.T, "of", h.worlds[0].spaces...)
		b := pick(h.T, "block", w.blocks...)
		if cm = b.cm; b.secret && b.kind == "whole" && h.worlds[0].live[cm] == nil && !oneIn(h.T, "is made", 8) {
			cm = "s" // a whole Secret that exists is refused
		}
		if b.kind == "counter" {
			key, value = b.key, pick(h.T, "number", "x", "x", value)
		} else if len(b.values) > 0 {
			key = pick(h.T, "key", namesIn(b.values)...)
			value = pick(h.T, "value", b.values[key], value)
		}
	}
	var secrets []*tracking // that a workspace holds, for another to rotate
	for _, w := range h.worlds[0].spaces {
		for _, address := range slices.Sorted(maps.Keys(w.state)) {
			if t := w.state[address]; t.secret && len(t.values) > 0 && h.worlds[0].live[t.cm] != nil {
				secrets = append(secrets, t)
			}
		}
	}
	if len(secrets) > 0 && oneIn(h.T, "rotates", 3) {
		of := pick(h.T, "of", secrets...)
		op, cm, key = "set", of.cm, pick(h.T, "key", namesIn(of.values)...)
		h.add("op rotate")
	}
	isThere := h.worlds[0].live[cm] != nil
	if op == "delete or create" && isThere && isSecret(cm) && oneIn(h.T, "is kept", 2) { // histories with values are worth more
		op = "set"
	}
	switch {
	case !isThere:
		h.add("op create")
		h.create(cm, drawData(h.T))
		return
	case op == "delete or create":
		h.add("op delete")
		h.do(func() outcome {
			if _, err := h.send("DELETE", h.names[cm], "", nil, false); err != nil {
				h.Fatal(err)
			}
			return outcome{}
		}, func(m *model) outcome {
			delete(m.live, cm)
			return outcome{}
		})
		return
	case op == "unset":
		value = ""
	case op == "label":
		key = ""
	}
	h.add("op " + op)
	if isSecret(cm) {
		h.add("Secret op " + op)
	}
	h.writes(cm, key, value)
}

// writes has another writer set a key, or a label where that is empty.
func (h *history) writes(cm, key, value string) {
	h.Logf("%s: %q is %q", cm, key, value)
	h.do(func() outcome {
		h.interfere(h.names[cm], key, value)
		return outcome{}
	}, func(m *model) outcome {
		m.writeAsOther(cm, key, value)
		return outcome{}
	})
}

// handle marks an object in the state, or forgets it.
func (h *history) handle(n int, op, address string) {
	was := h.worlds[0].spaces[n].state[address]
	if op == "taint" && was.tainted {
		op = "untaint"
	}
	h.add("op " + op)
	h.do(func() outcome {
		if op == "forget" {
			h.runs[n].Forget(typed(&was.block))
		} else {
			h.runs[n].Taint(typed(&was.block), op == "taint")
		}
		return outcome{}
	}, func(m *model) outcome {
		w := m.spaces[n]
		state := maps.Clone(w.state)
		if op == "forget" {
			delete(state, address)
		} else {
			now := *state[address]
			now.tainted = op == "taint"
			state[address] = &now
		}
		w.save(state)
		return outcome{}
	})
}

func (h *history) imports(n int, b *block) {
	h.add("op import")
	if b.secret || b.document {
		h.add(typeName(b) + " op import")
	}
	id := h.Namespace + "/" + h.names[b.cm]
	switch b.kind {
	case "entry":
		id += "/" + b.onlyKey()
	case "data":
		id += ":" + strings.Join(namesIn(b.values), ",")
	}
	if b.fields {
		id = h.fieldsID(b.cm, h.names[b.cm], namesIn(b.values))
	}
	got := h.do(func() outcome { return ended(h.runs[n].Import(context.Background(), typed(b), id)) }, func(m *model) outcome {
		if title := m.imports(m.spaces[n], b); title != "" {
			return outcome{errs: []string{title}}
		}
		return outcome{}
	})
	h.verdicts("import: ", got)
}

// add counts what happened, and says so where the history is shown.
func (h *history) add(what string) {
	h.tally.add(what)
	h.Log(what)
}
