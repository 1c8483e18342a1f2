package acceptance_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8stypes "k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"pgregory.net/rapid"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var historySteps = flag.Int("history.steps", 10_000, "how many steps of random histories to take")

// Few histories at a time: what is too much is run for nothing.
func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
}

// lanes is how many histories run beside each other.
const lanes = 4

// TestHistories runs random histories of all resources, on the driver and on the model, and holds every verdict, state and live object of the
// one against the other. With -rapid.seed, or a file that rapid wrote, one of them is run again.
func TestHistories(t *testing.T) {
	t.Parallel()
	tally := &tally{counts: map[string]int{}}
	t.Run("at random", func(t *testing.T) {
		for i := range lanes {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				l := &lab{fixture: newFixture(t), tally: tally}
				l.maps = l.cluster.Client().CoreV1().ConfigMaps(l.namespace)
				t.Cleanup(l.dead.Wait)
				for tally.wants(*historySteps) {
					rapid.Check(t, l.history)
				}
			})
		}
	})
	tally.report(t)
}

// tally counts what happened.
type tally struct {
	mu      sync.Mutex
	counts  map[string]int
	lengths []int
}

// wants reports whether there are too few steps yet, or something has not happened yet that can in so many.
func (c *tally) wants(steps int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps() < steps || len(c.missing()) > 0 && c.steps() < 5*steps
}

func (c *tally) steps() (all int) {
	for _, n := range c.lengths {
		all += n
	}
	return all
}

// missing is what has not happened.
func (c *tally) missing() []string {
	return slices.DeleteFunc(slices.Clone(mustHappen), func(what string) bool { return c.counts[what] > 0 })
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

// mustHappen are the operations and verdicts of which every run must have some.
var mustHappen = []string{
	"op configure", "op plan", "op plan destroy", "op plan -refresh=false", "op plan -replace", "op apply", "op apply an older plan", "op refresh",
	"op import", "op taint", "op untaint", "op forget", "op set", "op unset", "op label", "op delete", "op create", "op land", "op interrupted plan",
	"fault kill before", "fault kill after", "fault interrupt", "fault lose before", "fault lose after", "landed", "came too late",
	"plan: passes", "apply: passes", "import: passes", "plan: " + titleMismatch, "plan: " + titleHeld, "plan: " + titleKeyExists, "plan: " + titleMapExists,
	"plan: " + titleConflict, "plan: " + titleNoMap, "plan: warns: " + titleNotYet, "plan: warns: " + titleChanged,
	"plan: warns: " + titleUnmanaged, "plan: " + titleWouldFail, "plan: " + titleNotACounter, "plan: " + titleCanceled,
	"apply: " + titleConflict, "apply: " + titleMismatch, "apply: " + titleKeyExists, "apply: " + titleNoMap, "apply: " + titleWouldFail,
	"apply: " + titleMapExists, "apply: " + titleHeld, "apply: " + titleNotACounter, "apply: " + titleNoOriginal, "apply: " + titleUnknown,
	"plan: " + titleChanged, "apply: " + titleStale, "apply: " + titleHalted, "apply: " + titlePluginFailed, "import: " + titleNotImported, "import: " + titleNoKey,
}

func (c *tally) report(t *testing.T) {
	t.Helper()
	if t.Failed() || len(c.lengths) == 0 {
		return
	}
	sort.Ints(c.lengths)
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		lines = append(lines, fmt.Sprintf("%7d  %s", c.counts[what], what))
	}
	median := c.lengths[len(c.lengths)/2]
	t.Logf("%d histories of %d steps, median %d:\n%s", len(c.lengths), c.steps(), median, strings.Join(lines, "\n"))
	if median < 12 {
		t.Errorf("a median of %d steps is too few", median)
	}
	for _, what := range c.missing() {
		t.Errorf("it never happened: %s", what)
	}
}

// lab is where histories are run one after the other.
type lab struct {
	*fixture
	*tally

	maps  typedcorev1.ConfigMapInterface
	names int
	dead  sync.WaitGroup // processes that were killed, and still wait

	mu   sync.Mutex
	idle []*route
}

// route is a way to the API server that one can cut.
type route struct {
	proxy      *testcluster.Proxy
	kubeconfig string
}

func (l *lab) route() *route {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.idle); n > 0 {
		r := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return r
	}
	p := l.cluster.Proxy(l.fixture)
	return &route{p, l.cluster.Kubeconfig(l.fixture, p.Config)}
}

func (l *lab) giveBack(r *route) {
	r.proxy.SetHook(nil)
	r.proxy.Reset()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, r)
}

// history is one that runs.
type history struct {
	*lab
	*rapid.T

	worlds []*model // what may be the case
	runs   []*run
	names  map[string]string // of ConfigMaps
	held   []held
	steps  int
}

// held is a write of a dead process that is on its way.
type held struct {
	byKey   bool // it is a JSON Patch, which is conditional on keys' values, not on a version
	release chan struct{}
	landed  chan struct{}
}

// run is a workspace on the driver.
type run struct {
	*driver.Workspace

	route *route
	plans []*driver.Plan
	died  chan struct{} // is closed when the process is killed
	cut   *route        // of the process that was
}

// outcome is how a command ended.
type outcome struct {
	errs, warnings []string
	actions        map[string]string
}

func (l *lab) history(t *rapid.T) {
	l.names++
	h := &history{lab: l, T: t, names: map[string]string{"a": fmt.Sprint("a", l.names), "b": fmt.Sprint("b", l.names)}}
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
			_ = l.maps.Delete(context.Background(), name, metav1.DeleteOptions{}) // it need not be there
		}
		l.tally.mu.Lock()
		l.lengths = append(l.lengths, h.steps)
		l.tally.mu.Unlock()
	})
	h.create("a", drawData(t))
	if oneIn(t, "b exists", 3) {
		h.create("b", drawData(t))
	}
	t.Repeat(map[string]func(*rapid.T){"step": h.step})
}

// pick draws one of several, all as often: rapid draws what is small more often, which would be the first ones. It shrinks to the first.
func pick[T any](t *rapid.T, what string, of ...T) T {
	return of[rapid.Custom(func(t *rapid.T) int {
		n := 0
		for range 8 {
			if n *= 2; rapid.Bool().Draw(t, "") {
				n++
			}
		}
		return n * len(of) / 256
	}).Draw(t, what)]
}

// oneIn is true once in n times.
func oneIn(t *rapid.T, what string, n int) bool {
	return pick(t, what, append(make([]bool, n-1), true)...)
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func drawData(t *rapid.T) map[string]string {
	data := map[string]string{}
	for _, key := range allKeys {
		if oneIn(t, "has "+key, 3) {
			data[key] = pick(t, "value", someValues...)
		}
	}
	return data
}

var (
	allKeys    = []string{"k0", "k1", "k2"}
	someValues = []string{"1", "2", "3"}
)

func (h *history) newRun(m *model, number int) *run {
	t := h.T
	w := &workspace{state: map[string]*tracking{}}
	r := &run{route: h.route(), Workspace: &driver.Workspace{Env: map[string]string{}, Validated: true}}
	r.Profile = pick(t, "profile", driver.Terraform111, driver.OpenTofu, driver.Terraform116)
	w.readsFirst = r.Profile.ReadsOrphansFirst
	r.Providers = map[string]driver.Start{"cas": r.start(h.lab)}
	own := rapid.Permutation(allKeys).Draw(t, "keys")
	if oneIn(t, "whole", 4) {
		w.blocks = append(w.blocks, &block{kind: "whole", label: "w"})
	}
	for i := range 2 {
		kind := pick(t, "kind", "entry", "entry", "data", "data", "counter")
		b := &block{kind: kind, label: fmt.Sprint("s", i), key: own[i]}
		b.values = map[string]string{own[i]: ""}
		if kind == "data" && i == 1 {
			b.values[own[2]] = ""
		}
		if kind == "counter" {
			b.values = nil
		}
		b.owns = slices.Sorted(maps.Keys(b.values))
		w.blocks = append(w.blocks, b)
	}
	m.spaces = append(m.spaces, w)
	for i := range w.blocks {
		h.draw(m, w, i)
	}
	w.used = len(w.blocks)
	h.runs = append(h.runs, r)
	h.write(w, r)
	h.runs = h.runs[:number]
	return r
}

// start starts providers that one can kill.
func (r *run) start(l *lab) driver.Start {
	return func(getenv func(string) string) (tfprotov6.ProviderServer, func()) {
		server, end := startProvider(getenv)
		died, cut := r.died, r.cut
		return &mortal{server, died}, func() {
			select {
			case <-died:
				l.dead.Go(func() {
					end()
					l.giveBack(cut)
				})
			default:
				end()
			}
		}
	}
}

// mortal is a provider that can be killed: who waits for it does not hear of it again.
type mortal struct {
	tfprotov6.ProviderServer

	died chan struct{}
}

func (s *mortal) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	type answer struct {
		resp *tfprotov6.ApplyResourceChangeResponse
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		resp, err := s.ProviderServer.ApplyResourceChange(ctx, req)
		answered <- answer{resp, err}
	}()
	select {
	case a := <-answered:
		return a.resp, a.err
	case <-s.died:
		return nil, errors.New("the process is gone")
	}
}

// draw gives a block other arguments. What is there is drawn often, or nothing would ever be expected that is the case.
func (h *history) draw(m *model, w *workspace, i int) {
	t, was := h.T, w.blocks[i]
	b := *was
	state := w.state[was.address()]
	isTainted := state != nil && state.tainted // and can be replaced elsewhere only
	if b.cm == "" || oneIn(t, "moves", 6) || isTainted && oneIn(t, "goes away", 2) {
		b.cm = pick(t, "configmap", "a", "a", "b")
		if b.kind == "whole" {
			b.cm = pick(t, "configmap", "b", "b", "a")
		}
	}
	live := map[string]string{}
	if o := m.live[b.cm]; o != nil {
		live = o.data
	}
	value := func(key, what string) string {
		if v := live[key]; v != "" && oneIn(t, what+" is there", 2) {
			return v
		}
		return pick(t, what, someValues...)
	}
	switch b.kind {
	case "whole":
		if b.values, b.labels = nil, nil; oneIn(t, "manages data", 2) {
			b.values = drawData(t)
		}
		if oneIn(t, "manages labels", 2) {
			b.labels = map[string]string{"l": pick(t, "label", someValues...)}
		}
		w.blocks[i] = &b
		return
	case "counter":
		b.trigger = pick(t, "trigger", someValues...)
		w.blocks[i] = &b
		return
	}
	b.expected = map[string]string{}
	own := b.owns
	b.values = map[string]string{}
	for n, key := range own {
		if n == 0 || !oneIn(t, "has key", 3) {
			b.values[key] = value(key, "value")
		}
	}
	isNew := func(key string) bool { return live[key] != "" && (state == nil || state.values[key] == "") }
	if b.kind == "entry" && oneIn(t, "expects", 3) {
		b.expected[own[0]] = value(own[0], "expected")
	}
	for _, key := range namesIn(b.values) { // most of what is there would be refused, otherwise
		if isNew(key) && !oneIn(t, "is refused", 3) {
			b.expected[key] = live[key]
		}
	}
	if b.kind == "data" {
		for _, key := range allKeys {
			switch pick(t, "expects", "", "", "", "", "", "", "", "", "", "absent", "value", "value") {
			case "absent":
				b.expected[key] = ""
			case "value":
				b.expected[key] = value(key, "expected")
			}
		}
	}
	b.scope = pick(t, "scope", "object", "object", "key")
	b.policy = pick(t, "policy", "delete", "restore", "restore", "abandon")
	b.adopt = oneIn(t, "adopts", 3)
	w.blocks[i] = &b
}

var typeNames = map[string]string{"entry": "cas_configmap_entry", "data": "cas_configmap_data", "whole": "cas_configmap", "counter": "cas_configmap_counter"}

func typed(b *block) string { return typeNames[b.kind] + "." + b.label }

// write writes the configuration of a workspace.
func (h *history) write(w *workspace, r *run) {
	var body strings.Builder
	fmt.Fprintf(&body, "provider \"cas\" {\n  config_path = %q\n}\n", r.route.kubeconfig)
	var before []string
	for _, b := range w.blocks[:w.used] {
		fmt.Fprintf(&body, "resource %q %q {\n  namespace = %q\n  name = %q\n  depends_on = [%s]\n", typeNames[b.kind], b.label, h.namespace, h.names[b.cm],
			strings.Join(before, ", "))
		before = append(before, typed(b))
		switch b.kind {
		case "entry":
			key := b.onlyKey()
			fmt.Fprintf(&body, "  key = %q\n  value = %q\n", key, b.values[key])
			if v := b.expected[key]; v != "" {
				fmt.Fprintf(&body, "  expected_value = %q\n", v)
			}
		case "counter":
			fmt.Fprintf(&body, "  key = %q\n  triggers = { t = %q }\n", b.key, b.trigger)
		default:
			for name, of := range map[string]map[string]string{"data": b.values, "labels": b.labels, "expected_data": b.expected} {
				if of == nil || name == "expected_data" && len(of) == 0 {
					continue
				}
				fmt.Fprintf(&body, "  %s = {\n", name)
				for key, v := range of {
					if literal := fmt.Sprintf("%q", v); v != "" {
						fmt.Fprintf(&body, "    %s = %s\n", key, literal)
					} else {
						fmt.Fprintf(&body, "    %s = null\n", key)
					}
				}
				body.WriteString("  }\n")
			}
		}
		if b.scope != "" {
			fmt.Fprintf(&body, "  conflict_scope = %q\n  deletion_policy = %q\n  adopt_existing = %t\n", b.scope, b.policy, b.adopt)
		}
		body.WriteString("}\n")
	}
	h.Logf("workspace %d is configured:\n%s", slices.Index(h.runs, r), body.String())
	r.Write(body.String())
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
			made, errs, _ := m.plan(m.spaces[n], planOptions{refreshOnly: true})
			if len(errs) == 0 {
				errs, _ = m.apply(m.spaces[n], made, fault{})
			}
			return outcome{errs: errs}
		})
	case "import":
		h.imports(n, pick(t, "address", missing...))
	case "taint", "forget":
		h.handle(n, op, pick(t, "address", tracked...))
	case "land":
		h.land()
	default:
		h.foreign(op)
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
		if oneIn(h.T, "all blocks", 2) { // siblings that write in one run
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
	h.add(op)
	var made *driver.Plan
	got := h.do(func() outcome {
		result := r.MakePlan(ctx, options)
		made = result.Plan
		out := ended(result)
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
	})
	h.verdicts("plan: ", got)
	if made != nil {
		r.plans = append(r.plans, made)
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
		f.kind = pick(t, "fault", "kill before", "kill before", "kill after", "interrupt", "lose before", "lose after")
		f.at = pick(t, "at", 1, 1, 2)
		if strings.HasPrefix(f.kind, "lose") {
			f.noWatch = oneIn(t, "may not watch", 2)
			if f.other = oneIn(t, "another comes first", 2); f.other {
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
	fired, byKey := &atomic.Bool{}, false
	was := r.route
	if f.kind != "" {
		h.strikes(r, f, fired, &byKey, cancel)
	}
	h.add("op apply")
	predict := func(world string) func(m *model) outcome {
		return func(m *model) outcome {
			f := f
			f.world = world
			w := m.spaces[n]
			errs, p := m.apply(w, w.plans[i], f)
			if world == "unknown" && !f.noWatch && !f.other && !byKey {
				return outcome{errs: []string{"a lost answer is settled"}}
			}
			if p.fired != fired.Load() {
				return outcome{errs: []string{fmt.Sprintf("the fault strikes: %t", p.fired)}}
			}
			return outcome{errs: errs}
		}
	}
	predictions := []func(*model) outcome{predict("settled")}
	if strings.HasPrefix(f.kind, "lose") {
		predictions = append(predictions, predict("unknown"))
	}
	got := h.do(func() outcome {
		out := ended(r.Apply(ctx, r.plans[i]))
		out.warnings = nil // the plan has had them
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

// strikes has a fault happen to a process that is to be started.
func (h *history) strikes(r *run, f fault, fired *atomic.Bool, byKey *bool, cancel func()) {
	died := make(chan struct{})
	r.died, r.cut = died, r.route
	var mu sync.Mutex
	writes := 0
	r.route.proxy.SetHook(func(req *http.Request) testcluster.Fault {
		mu.Lock()
		defer mu.Unlock()
		select {
		case <-died:
			return testcluster.Fault{DropBefore: true}
		default:
		}
		if f.noWatch && req.URL.Query().Has("watch") {
			return testcluster.Fault{Answer: &testcluster.Answer{
				Status: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}},
				Body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"forbidden"}`,
			}}
		}
		name, lands := h.wouldLand(req)
		if !lands {
			return testcluster.Fault{}
		}
		if writes++; writes != f.at {
			return testcluster.Fault{}
		}
		fired.Store(true)
		*byKey = req.Header.Get("Content-Type") == string(k8stypes.JSONPatchType)
		other := func() {
			if f.other {
				h.interfere(name, f.key, f.value)
			}
		}
		switch f.kind {
		case "kill before":
			on := held{*byKey, make(chan struct{}), make(chan struct{})}
			h.held = append(h.held, on)
			close(died)
			return testcluster.Fault{HoldBefore: on.release, Answered: func(*http.Response) { close(on.landed) }}
		case "kill after":
			return testcluster.Fault{DropAfter: true, Answered: func(*http.Response) { close(died) }}
		case "interrupt":
			cancel()
		case "lose before":
			other()
			return testcluster.Fault{DropBefore: true}
		case "lose after":
			return testcluster.Fault{DropAfter: true, Answered: func(*http.Response) { other() }}
		}
		return testcluster.Fault{}
	})
}

// wouldLand reports whether a request is a write that would be done, and of which ConfigMap.
func (h *history) wouldLand(req *http.Request) (name string, lands bool) {
	if req.Method == http.MethodGet {
		return "", false
	}
	ctx, rehearsed := context.Background(), []string{metav1.DryRunAll}
	name = req.URL.Path[strings.LastIndex(req.URL.Path, "/")+1:]
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return name, false
	}
	switch req.Method {
	case http.MethodPost:
		made := &corev1.ConfigMap{}
		if err = json.Unmarshal(body, made); err == nil {
			_, err = h.maps.Create(ctx, made, metav1.CreateOptions{DryRun: rehearsed})
		}
		name = made.Name
	case http.MethodDelete:
		o := metav1.DeleteOptions{}
		if err = json.Unmarshal(body, &o); err == nil {
			o.DryRun = rehearsed
			err = h.maps.Delete(ctx, name, o)
		}
	default:
		of := k8stypes.PatchType(req.Header.Get("Content-Type"))
		_, err = h.maps.Patch(ctx, name, of, body, metav1.PatchOptions{DryRun: rehearsed, FieldManager: "another-writer"})
	}
	return name, err == nil
}

// interfere writes as another writer: a key, or a label where that is empty.
func (h *history) interfere(name, key, value string) {
	ctx := context.Background()
	change := map[string]any{"data": map[string]any{key: value}}
	if value == "" {
		change = map[string]any{"data": map[string]any{key: nil}}
	}
	if key == "" {
		change = map[string]any{"metadata": map[string]any{"labels": map[string]any{"l": value}}}
	}
	body, err := json.Marshal(change)
	if err == nil {
		_, err = h.maps.Patch(ctx, name, k8stypes.MergePatchType, body, metav1.PatchOptions{FieldManager: "another-writer"})
	}
	if apierrors.IsNotFound(err) {
		made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: value}}
		if key == "" {
			made.Data, made.Labels = nil, map[string]string{"l": value}
		}
		_, err = h.maps.Create(ctx, made, metav1.CreateOptions{FieldManager: "another-writer"})
	}
	if err != nil {
		h.lab.Error(err)
	}
}

func (h *history) create(cm string, data map[string]string) {
	h.do(func() outcome {
		made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: h.names[cm]}, Data: data}
		if _, err := h.maps.Create(context.Background(), made, metav1.CreateOptions{FieldManager: "another-writer"}); err != nil {
			h.Fatal(err)
		}
		return outcome{}
	}, func(m *model) outcome {
		m.land(write{cm: cm, data: data})
		return outcome{}
	})
}

// foreign is what another writer does.
func (h *history) foreign(op string) {
	cm := pick(h.T, "configmap", "a", "a", "b")
	key, value := pick(h.T, "key", allKeys...), pick(h.T, "value", append(someValues, "x")...)
	if oneIn(h.T, "gets in the way", 2) { // of what a workspace is about to write
		w := pick(h.T, "of", h.worlds[0].spaces...)
		b := pick(h.T, "block", w.blocks...)
		cm = b.cm
		if b.kind == "counter" {
			key, value = b.key, pick(h.T, "number", "x", value)
		} else if len(b.values) > 0 {
			key = pick(h.T, "key", namesIn(b.values)...)
			value = pick(h.T, "value", b.values[key], value)
		}
	}
	isThere := h.worlds[0].live[cm] != nil
	switch {
	case !isThere:
		h.add("op create")
		h.create(cm, drawData(h.T))
		return
	case op == "delete or create":
		h.add("op delete")
		h.do(func() outcome {
			if err := h.maps.Delete(context.Background(), h.names[cm], metav1.DeleteOptions{}); err != nil {
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
	h.Logf("%s: %q is %q", cm, key, value)
	h.do(func() outcome {
		h.interfere(h.names[cm], key, value)
		return outcome{}
	}, func(m *model) outcome {
		m.foreign(cm, key, value)
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
	id := h.namespace + "/" + h.names[b.cm]
	switch b.kind {
	case "entry":
		id += "/" + b.onlyKey()
	case "data":
		id += ":" + strings.Join(namesIn(b.values), ",")
	}
	got := h.do(func() outcome { return ended(h.runs[n].Import(context.Background(), typed(b), id)) }, func(m *model) outcome {
		if title := m.imports(m.spaces[n], b); title != "" {
			return outcome{errs: []string{title}}
		}
		return outcome{}
	})
	h.verdicts("import: ", got)
}

// land lets go of the write of a dead process.
func (h *history) land() {
	h.add("op land")
	on := h.held[0]
	h.held = h.held[1:]
	landed := false
	lands := func(anyway bool) func(*model) outcome {
		return func(m *model) outcome {
			w := m.late[0]
			m.late = m.late[1:]
			if o := m.live[w.cm]; anyway && o != nil {
				w.base = o.version
			}
			landed = m.land(w)
			return outcome{}
		}
	}
	h.do(func() outcome {
		close(on.release)
		<-on.landed
		return outcome{}
	}, lands(false), lands(on.byKey))
	h.add(map[bool]string{true: "landed", false: "came too late"}[landed])
}

// add counts what happened, and says so where the history is shown.
func (h *history) add(what string) {
	h.tally.add(what)
	h.Log(what)
}

func ended(r *driver.Result) (o outcome) {
	for _, d := range r.Diagnostics {
		if d.IsError {
			o.errs = append(o.errs, d.Summary)
		} else {
			o.warnings = append(o.warnings, d.Summary)
		}
	}
	return o
}

func (o outcome) String() string {
	return fmt.Sprintf("errors %q, warnings %q, changes %v", set(o.errs), set(o.warnings), o.actions)
}

func set(titles []string) []string {
	titles = slices.Sorted(slices.Values(titles))
	return slices.Compact(titles)
}

func (h *history) verdicts(of string, o outcome) {
	for _, title := range set(o.errs) {
		h.add(of + title)
	}
	for _, title := range set(o.warnings) {
		h.add(of + "warns: " + title)
	}
	if len(o.errs) == 0 {
		h.add(of + "passes")
	}
}

// do does something, and has the model predict it in every world, in each of the ways that it may go. Worlds that turn out not to be the case
// are given up; there must be one that is.
func (h *history) do(run func() outcome, predictions ...func(*model) outcome) outcome {
	got := run()
	live := map[string]*corev1.ConfigMap{}
	for cm, name := range h.names {
		o, err := h.maps.Get(context.Background(), name, metav1.GetOptions{})
		if err == nil {
			live[cm] = o
		} else if !apierrors.IsNotFound(err) {
			h.Fatal(err)
		}
	}
	var worlds []*model
	var wrong []string
	for _, m := range h.worlds {
		for _, predict := range predictions {
			m := m.clone()
			want := predict(m)
			problem := "want " + want.String()
			if want.String() == got.String() {
				problem = h.differs(m, live)
			}
			if problem == "" {
				worlds = append(worlds, m)
			} else {
				wrong = append(wrong, problem)
			}
		}
	}
	if len(worlds) == 0 {
		h.Fatalf("got %s\n%s", got, strings.Join(wrong, "\n"))
	}
	h.worlds = worlds
	return got
}

// differs tells where the live ConfigMaps or the states are not what the model says.
func (h *history) differs(m *model, live map[string]*corev1.ConfigMap) string {
	for cm := range h.names {
		want, got := m.live[cm], live[cm]
		switch {
		case want == nil && got == nil:
		case want == nil || got == nil:
			return fmt.Sprintf("configmap %s: want %v, live %v", cm, want, got)
		case !maps.Equal(want.data, got.Data) || !maps.Equal(want.labels, got.Labels):
			return fmt.Sprintf("configmap %s: want %v %v, live %v %v", cm, want.data, want.labels, got.Data, got.Labels)
		case !m.is(want.uid, string(got.UID)) || !m.is(want.rv, got.ResourceVersion):
			return fmt.Sprintf("configmap %s: at another version than wanted", cm)
		}
	}
	for i, w := range m.spaces {
		got := map[string]driver.Object{}
		for _, o := range h.runs[i].Objects() {
			got[o.Address] = o
		}
		if len(got) != len(w.state) {
			return fmt.Sprintf("workspace %d: state has %v, want %v", i, slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(w.state)))
		}
		for _, want := range w.state {
			o, ok := got[typed(&want.block)]
			if !ok {
				return fmt.Sprintf("workspace %d: the state lacks %s", i, typed(&want.block))
			}
			if d := want.differs(m, o); d != "" {
				return fmt.Sprintf("workspace %d: %s: %s", i, o.Address, d)
			}
		}
	}
	return ""
}

func (t *tracking) differs(m *model, o driver.Object) string {
	text := func(name string) string {
		v := o.Value.GetAttr(name)
		if v.IsNull() {
			return ""
		}
		return v.AsString()
	}
	texts := func(name string) map[string]string {
		v := o.Value.GetAttr(name)
		if v.IsNull() {
			return nil
		}
		all := map[string]string{}
		for key, element := range v.AsValueMap() {
			if all[key] = ""; !element.IsNull() {
				all[key] = element.AsString()
			}
		}
		return all
	}
	differ := func(what string, want, got any) string { return fmt.Sprintf("%s is %v, want %v", what, got, want) }
	if o.Tainted != t.tainted {
		return differ("tainted", t.tainted, o.Tainted)
	}
	if t.kind == "counter" {
		if got, _ := o.Value.GetAttr("value").AsBigFloat().Int64(); int(got) != t.number {
			return differ("number", t.number, got)
		}
		return ""
	}
	if !m.is(t.uid, text("uid")) || !m.is(t.rv, text("resource_version")) {
		return "at another version than wanted: " + text("resource_version")
	}
	switch t.kind {
	case "entry":
		if got, want := text("value"), t.values[t.onlyKey()]; got != want {
			return differ("value", want, got)
		}
		if got, want := text("previous_value"), t.previous[t.onlyKey()]; got != want {
			return differ("previous_value", want, got)
		}
	case "data":
		if got := texts("data"); !maps.Equal(got, t.values) {
			return differ("data", t.values, got)
		}
		if got := texts("previous_data"); !sameMap(got, t.previous) {
			return differ("previous_data", t.previous, got)
		}
	case "whole":
		if got := texts("data"); !sameMap(got, t.values) {
			return differ("data", t.values, got)
		}
		if got := texts("labels"); !sameMap(got, t.labels) {
			return differ("labels", t.labels, got)
		}
	}
	return ""
}
