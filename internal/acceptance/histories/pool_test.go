package histories

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	k8stypes "k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// someNumbers has the numbers that other writers use.
var someNumbers = []int{1, 2, 3, 4, 5, 6, 7}

// poolShare is how many steps of histories go to a pool: a tenth of the others'.
const poolShare = 10

// poolMustHappen has the operations and verdicts that the histories of a pool must contain.
var poolMustHappen = []string{
	"plan: create", "plan: update", "plan: delete", "plan: delete, create", "plan: " + titleGone, "plan: " + titleTakenOver,
	"apply: ", "apply: " + titleFull, "apply: " + titleGone, "apply: " + titleUnknown, "import: ", "import: " + titleWithoutID, "import: " + titleNothingThere,
	"op refresh", "op taint", "op untaint", "op forget", "op by hand", "op remove", "op take over", "op rename", "op remove the pool", "an unknown one is replaced", "an unknown one is destroyed",
}

// TestHistoriesOfAPool runs random histories of allocations of one pool, on the driver and on a model of its own, and holds every verdict, every state and the
// pool of the one against the other after each step.
func TestHistoriesOfAPool(t *testing.T) {
	tally, seed := &tally{counts: map[string]int{}}, testcluster.Seed(t)
	again := onlyAgain(t)
	for part := range uint64(parts) {
		missing := slices.DeleteFunc(slices.Clone(poolMustHappen), func(what string) bool { return tally.counts[what] > 0 })
		if part > 0 && (t.Failed() || len(missing) == 0 || again) {
			break
		}
		if part == parts-1 {
			t.Errorf("it never happened: %q", missing)
			break
		}
		if part > 0 {
			t.Logf("what has not happened yet: %q", missing)
		}
		t.Run(fmt.Sprint("part ", part), func(t *testing.T) {
			for lane := range uint64(lanes) {
				t.Run(fmt.Sprint(lane), func(t *testing.T) {
					l := newLab(t, tally)
					for round := uint64(0); l.walked < *historySteps/poolShare/lanes; round++ {
						if again {
							rapid.Check(t, l.poolHistory)
							break
						}
						check(t, ((seed*parts+part)*lanes+lane)*10_000_000+round*1_000, l.poolHistory)
					}
				})
			}
		})
	}
	for _, what := range slices.Sorted(maps.Keys(tally.counts)) {
		t.Logf("%7d  %s", tally.counts[what], what)
	}
}

// poolLab is one history: two workspaces on the driver, and the model.
type poolLab struct {
	*lab
	*rapid.T

	name    string
	model   *poolModel
	runs    []*run
	wasAt   string          // resourceVersion after the last step
	writes  int             // of the model, at that
	known   map[string]bool // all ids that ever were
	strange int             // ids that others have written
}

func (l *lab) poolHistory(t *rapid.T) {
	l.names++
	h := &poolLab{lab: l, T: t, name: fmt.Sprint("q", l.names), known: map[string]bool{}, model: &poolModel{members: map[int]poolMember{}}}
	if err := l.make(h.name, nil, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := &run{route: l.route(), Workspace: &driver.Workspace{Env: map[string]string{}, Validate: driver.ValidateUse}}
		r.Profile = pick(t, "profile", driver.Terraform111, driver.OpenTofu, driver.Terraform116)
		r.Providers = map[string]driver.Start{"cas": r.start(l)}
		h.runs, h.model.spaces = append(h.runs, r), append(h.model.spaces, &poolWorkspace{state: map[string]poolTracking{}})
	}
	t.Cleanup(func() {
		for _, r := range h.runs {
			l.giveBack(r.route)
		}
		_, _ = l.send("DELETE", h.name, "", nil, false)
	})
	for n := range h.runs {
		h.configure(n)
	}
	h.wasAt = h.read()
	t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
		h.T = t
		l.walked++
		h.step()
		h.compare()
	}})
}

func (h *poolLab) count(what string) {
	h.add(what)
	h.Log(what)
}

func (h *poolLab) step() {
	n := pick(h.T, "workspace", 0, 1)
	w, r := h.model.spaces[n], h.runs[n]
	tracked := slices.Sorted(maps.Keys(w.state))
	ops := []string{"apply", "apply", "apply", "apply", "configure", "configure", "foreign", "foreign", "refresh", "import"}
	if len(tracked) > 0 {
		ops = append(ops, "taint", "forget")
	}
	switch op := pick(h.T, "operation", ops...); op {
	case "configure":
		h.configure(n)
	case "apply":
		h.apply(n)
	case "foreign":
		h.changeByHand()(h.model.members)
		h.model.version++
		h.put()
	case "refresh":
		h.count("op refresh")
		state, _, warnings := h.model.plan(w, false, false, "")
		w.state = state
		h.compareMessages("refresh: ", r.Refresh(context.Background(), driver.Options{}), "", warnings)
	case "import":
		h.imports(n)
	case "taint":
		label := pick(h.T, "label", tracked...)
		was := w.state[label]
		if was.tainted {
			op = "untaint"
		}
		h.count("op " + op)
		was.tainted = !was.tainted
		w.state[label] = was
		r.Taint(allocationOf(label), was.tainted)
	case "forget":
		label := pick(h.T, "label", tracked...)
		h.count("op forget")
		delete(w.state, label)
		r.Forget(allocationOf(label))
	}
}

func allocationOf(label string) string { return "cas_configmap_allocation." + label }

func (h *poolLab) configure(n int) {
	w, r := h.model.spaces[n], h.runs[n]
	w.blocks = nil
	body := fmt.Sprintf("provider \"cas\" {\n  config_path = %q\n}\n", r.route.kubeconfig)
	most := pick(h.T, "most", 2, 5, 7, 7)
	var before []string
	for _, label := range []string{"a", "b", "c"}[:pick(h.T, "blocks", 0, 1, 2, 2, 3, 3, 3, 3)] {
		b := poolBlock{label, pick(h.T, "claimant", "x", "y"), 1, most}
		w.blocks = append(w.blocks, b)
		body += fmt.Sprintf("resource \"cas_configmap_allocation\" %q {\n  namespace = %q\n  name = %q\n  key = \"pool\"\n  claimant = %q\n  numbers = { from = 1, to = %d }\n  depends_on = [%s]\n}\n",
			label, h.Namespace, h.name, b.claimant, most, strings.Join(before, ", "))
		before = append(before, allocationOf(label))
	}
	h.Logf("workspace %d:\n%s", n, body)
	r.Write(body)
}

// changeByHand makes a change by hand.
func (h *poolLab) changeByHand() func(map[int]poolMember) {
	op, value := pick(h.T, "by hand", "by hand", "remove", "take over", "rename", "remove the pool"), pick(h.T, "value", someNumbers...)
	if op == "remove the pool" && !oneIn(h.T, "is sure", 3) {
		op = "remove"
	}
	h.count("op " + op)
	h.strange++
	strange := fmt.Sprint("STRANGE-", h.strange)
	return func(members map[int]poolMember) {
		m, isThere := members[value]
		switch {
		case op == "by hand" && !isThere:
			members[value] = poolMember{Claimant: "hand"}
		case op == "remove":
			delete(members, value)
		case op == "remove the pool":
			clear(members)
		case op == "take over" && isThere:
			members[value] = poolMember{strange, "thief"}
		case op == "rename" && isThere:
			members[value] = poolMember{m.ID, "renamed"}
		}
	}
}

// put writes the model's pool, as somebody else.
func (h *poolLab) put() {
	h.model.exists = true
	text, err := json.Marshal(named(h.model.members))
	if err != nil {
		h.Fatal(err)
	}
	h.patch(string(text))
}

func (h *poolLab) patch(text string) {
	body, err := json.Marshal(map[string]any{"data": map[string]any{"pool": text + strings.Repeat(" ", 1+h.model.version%7)}}) // whatever it is, a version of its own
	if err == nil {
		_, err = h.send("PATCH", h.name, k8stypes.MergePatchType, body, false)
	}
	if err != nil {
		h.lab.Error(err)
	}
}

func (h *poolLab) apply(n int) {
	w, r := h.model.spaces[n], h.runs[n]
	o := driver.Options{NoRefresh: oneIn(h.T, "no refresh", 4), Destroy: oneIn(h.T, "destroy", 6)}
	replace := ""
	if len(w.blocks) > 0 && !o.Destroy && oneIn(h.T, "replace", 4) {
		replace = pick(h.T, "which", w.blocks...).label
		o.Replace = []string{allocationOf(replace)}
	}
	state, changes, warnings := h.model.plan(w, o.NoRefresh, o.Destroy, replace)
	if isMixed(changes) { // what has no block goes at the same time as others come: in no order
		o.Destroy, o.Replace, replace = true, nil, ""
		state, changes, warnings = h.model.plan(w, o.NoRefresh, o.Destroy, replace)
	}
	made := r.MakePlan(context.Background(), o)
	h.compareMessages("plan: ", made, "", warnings)
	got := map[string]string{}
	for _, c := range made.Plan.Changes {
		if c.Action != driver.NoOp {
			got[c.Address] = string(c.Action)
		}
	}
	want := map[string]string{}
	for label, c := range changes {
		want[allocationOf(label)] = c.action
		h.count("plan: " + c.action)
		switch {
		case state[label].id == "" || state[label].value > 0:
		case c.action == "delete":
			h.count("an unknown one is destroyed")
		default:
			h.count("an unknown one is replaced")
		}
	}
	if !maps.Equal(got, want) {
		h.Fatalf("the plan makes %v, want %v", got, want)
	}
	if oneIn(h.T, "another is faster", 4) {
		h.changeByHand()(h.model.members)
		h.model.version++
		h.put()
	}
	h.model.loss = poolLoss{}
	if oneIn(h.T, "a response is lost", 2) {
		h.model.loss = poolLoss{at: pick(h.T, "at", 1, 1, 2), isBefore: oneIn(h.T, "before", 2), isUnread: !oneIn(h.T, "is read", 3)}
		if !oneIn(h.T, "no other comes first", 3) {
			value := pick(h.T, "value", someNumbers...)
			h.model.loss.other = func(members map[int]poolMember) {
				if _, isThere := members[value]; !isThere {
					members[value] = poolMember{Claimant: "hand"}
				}
			}
		}
		h.strike(r, h.model.loss)
	}
	result := r.Apply(context.Background(), made.Plan)
	r.route.proxy.SetHook(nil)
	h.model.newID = func(label string) string { return h.idOf(r, label) }
	title := h.model.apply(w, state, changes)
	h.compareMessages("apply: ", result, title, nil)
}

// isMixed reports whether some only go, and not all.
func isMixed(changes map[string]poolChange) bool {
	going := 0
	for _, c := range changes {
		if c.action == "delete" {
			going++
		}
	}
	return going > 0 && going < len(changes)
}

// idOf is the id that a state has for an allocation that was taken just now, which must be new.
func (h *poolLab) idOf(r *run, label string) string {
	for _, o := range r.Objects() {
		if o.Address == allocationOf(label) {
			id := o.Value.GetAttr("id").AsString()
			if h.known[id] {
				h.Fatalf("%s has the id %s, which was there before", label, id)
			}
			h.known[id] = true
			return id
		}
	}
	return "" // it took nothing
}

// strike loses a response.
func (h *poolLab) strike(r *run, loss poolLoss) {
	var writes atomic.Int32
	var isRefused atomic.Bool // the next read
	other := func() {
		if loss.other == nil {
			return
		}
		members, text := h.live()
		was := maps.Clone(members)
		if loss.other(members); !maps.Equal(was, members) {
			all, err := json.Marshal(named(members))
			if err != nil || string(all) == text {
				h.lab.Error(err, text)
			}
			h.patch(string(all))
		}
	}
	r.route.proxy.SetHook(func(req *http.Request) testcluster.Fault {
		switch {
		case req.Method == http.MethodGet && isRefused.CompareAndSwap(true, false):
			return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusForbidden, Body: "no"}}
		case req.Method != http.MethodPatch || int(writes.Add(1)) != loss.at:
			return testcluster.Fault{}
		}
		isRefused.Store(loss.isUnread)
		if loss.isBefore {
			other()
			return testcluster.Fault{DropBefore: true}
		}
		return testcluster.Fault{DropAfter: true, Answered: func(*http.Response) { other() }}
	})
}

func (h *poolLab) imports(n int) {
	w, r := h.model.spaces[n], h.runs[n]
	tracked := map[string]bool{}
	for _, w := range h.model.spaces {
		for _, t := range w.state {
			tracked[t.id] = true
		}
	}
	value := pick(h.T, "value", someNumbers...)
	for _, b := range w.blocks {
		if _, isThere := w.state[b.label]; isThere || tracked[h.model.members[value].ID] { // two states must not have one
			continue
		}
		result := r.Import(context.Background(), allocationOf(b.label), fmt.Sprintf("%s/%s/pool/%d", h.Namespace, h.name, value))
		h.compareMessages("import: ", result, h.model.imports(w, b.label, value), nil)
		return
	}
}

// compareMessages compares the diagnostics of a command with the required title of an error, if any, and the required
// warnings.
func (h *poolLab) compareMessages(what string, result *driver.Result, title string, warnings []string) {
	h.count(what + title)
	got := ended(result)
	var want []string
	if title != "" {
		want = []string{title}
	}
	if !slices.Equal(got.errs, want) {
		h.Fatalf("%sgot %v, want %q", what, result.Diagnostics, title)
	}
	var said []string
	for _, title := range got.warnings {
		if title == titleGone || title == titleTakenOver {
			said = append(said, title)
		}
	}
	if what == "apply: " {
		return // it says again what the plan said
	}
	for _, title := range set(warnings) {
		h.count(what + title)
	}
	if !slices.Equal(set(said), set(warnings)) {
		h.Fatalf("%swarned of %q, want %q", what, said, warnings)
	}
}

// live returns the members of the pool, and its text.
func (h *poolLab) live() (map[int]poolMember, string) {
	o, err := h.get(h.name)
	if err != nil {
		h.lab.Fatal(err)
	}
	all, members := map[string]poolMember{}, map[int]poolMember{}
	text, isThere := o.Data["pool"]
	if isThere {
		err = json.Unmarshal([]byte(text), &all)
	}
	for name, m := range all {
		value, wrong := strconv.Atoi(name)
		if members[value] = m; wrong != nil {
			err = wrong
		}
	}
	if err != nil {
		h.lab.Fatal(err, text)
	}
	return members, text
}

func (h *poolLab) read() string {
	o, err := h.get(h.name)
	if err != nil && !apierrors.IsNotFound(err) {
		h.Fatal(err)
	}
	return o.ResourceVersion
}

// compare holds the pool and the states against the model's.
func (h *poolLab) compare() {
	if got, text := h.live(); !maps.Equal(got, h.model.members) {
		h.Fatalf("the pool has %v, want %v\n%s", got, h.model.members, text)
	}
	now := h.read()
	if wrote := h.model.version != h.writes; wrote != (now != h.wasAt) {
		h.Fatalf("something was written: %t, want %t", !wrote, wrote)
	}
	h.wasAt, h.writes = now, h.model.version
	for n, w := range h.model.spaces {
		got := map[string]poolTracking{}
		for _, o := range h.runs[n].Objects() {
			label := strings.TrimPrefix(o.Address, "cas_configmap_allocation.")
			t := poolTracking{poolBlock: poolBlock{label: label}, tainted: o.Tainted}
			for name, to := range map[string]*string{"id": &t.id, "claimant": &t.claimant} {
				if v := o.Value.GetAttr(name); !v.IsNull() {
					*to = v.AsString()
				}
			}
			if v := o.Value.GetAttr("value"); !v.IsNull() {
				t.value, _ = strconv.Atoi(v.AsString())
			}
			if v := o.Value.GetAttr("numbers"); !v.IsNull() {
				first, _ := v.GetAttr("from").AsBigFloat().Int64()
				last, _ := v.GetAttr("to").AsBigFloat().Int64()
				t.first, t.last = int(first), int(last)
			}
			got[label] = t
		}
		if !maps.Equal(got, w.state) {
			h.Fatalf("workspace %d has %+v, want %+v", n, got, w.state)
		}
	}
}
