package commandlines

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// interruptedKeys are the entries of one ConfigMap that an interrupted run is about.
var interruptedKeys = []string{"k0", "k1", "k2", "k3"}

// interruptedOp is the operation that an interrupt ends.
type interruptedOp struct {
	before, after string // what the entries hold; "" for no entries
	action        string // the action that a plan shows for an entry that is left
}

var interruptedOps = map[string]interruptedOp{
	"create":  {after: "new", action: "will be created"},
	"update":  {before: "old", after: "new", action: "will be updated in-place"},
	"destroy": {before: "old", action: "will be destroyed"},
}

// interruptedAt says how the proxy treats the first write, and all requests after it. The context of the provider's
// operations has ended when stopped is closed: the provider gives up a read of another ConfigMap then.
type interruptedAt struct {
	beforeWrite bool // the write is never reached: reads are held
	byInterrupt bool // there is no such point where a timeout passes
	first       func(r *http.Request, stopped <-chan struct{}) testcluster.Fault
	after       testcluster.Fault
	landed      bool // the first write
	unknown     bool // what became of it cannot be found out
}

var interruptedPoints = map[string]interruptedAt{
	"nothing is sent": {beforeWrite: true, byInterrupt: true},
	"the write is on its way": {byInterrupt: true, landed: true, first: func(_ *http.Request, stopped <-chan struct{}) testcluster.Fault {
		return testcluster.Fault{HoldBefore: stopped}
	}},
	"the write has landed, and its answer comes late": {byInterrupt: true, landed: true, first: func(_ *http.Request, stopped <-chan struct{}) testcluster.Fault {
		return testcluster.Fault{HoldAfter: stopped}
	}},
	"the write has landed, and its answer is lost": {
		landed: true, first: func(*http.Request, <-chan struct{}) testcluster.Fault { return testcluster.Fault{DropAfter: true} },
	},
	"the write has landed, and the API server is gone": {landed: true, unknown: true, first: func(*http.Request, <-chan struct{}) testcluster.Fault {
		return testcluster.Fault{DropAfter: true}
	}, after: testcluster.Fault{DropBefore: true}},
	"the write got lost, and the API server is gone": {unknown: true, first: func(*http.Request, <-chan struct{}) testcluster.Fault {
		return testcluster.Fault{DropBefore: true}
	}, after: testcluster.Fault{DropBefore: true}},
}

func TestInterruptedRunTellsTheTruth(t *testing.T) {
	t.Parallel()
	for op, what := range interruptedOps {
		for point, at := range interruptedPoints {
			t.Run(op+"/"+point, func(t *testing.T) {
				r := newInterruptedRun(fixture.NewCLIPipeline(t), what)
				r.interrupt(at)
			})
		}
	}
}

// The deadline is the provider's own, so the driver shows as much as a command line does.
func TestWriteThatRunsOutOfTimeTellsTheTruth(t *testing.T) {
	t.Parallel()
	for op, what := range interruptedOps {
		for point, at := range interruptedPoints {
			if at.byInterrupt || op == "destroy" {
				continue
			}
			t.Run(op+"/"+point, func(t *testing.T) {
				r := newInterruptedRun(fixture.NewPipeline(t), what)
				r.timeOut(at)
			})
		}
	}
}

// interruptedRun is a run of the provider, through a proxy.
type interruptedRun struct {
	*fixture.Pipeline
	interruptedOp
	proxy *testcluster.Proxy
}

func newInterruptedRun(p *fixture.Pipeline, what interruptedOp) *interruptedRun {
	p.Helper()
	r := &interruptedRun{Pipeline: p, interruptedOp: what}
	r.Create("testmap", fixture.Data{"bar": "kept"})
	r.Create("other", fixture.Data{"foo": "old"})
	r.proxy = r.Proxied()
	if what.before != "" {
		r.Applied(r.entries(what.before))
	}
	return r
}

// entries is the configuration of the entries, with further lines in each; none where value is empty.
func (r *interruptedRun) entries(value string, lines ...string) string {
	var b strings.Builder
	for _, key := range interruptedKeys {
		if value != "" {
			b.WriteString(fixture.EntryBlock(key, append(lines, fmt.Sprintf("key = %q\nvalue = %q", key, value))...))
		}
	}
	return b.String()
}

// interrupt plans, and interrupts the apply where the point says.
func (r *interruptedRun) interrupt(at interruptedAt) {
	r.Helper()
	// Another entry, in a ConfigMap of its own, that is read when the interrupt comes.
	canary := fixture.EntryBlock("canary", `name = "other"`, `value = "new"`, `expected_value = "old"`)
	r.planUnjudged(r.entries(r.after) + canary)

	reached, stopped := make(chan struct{}, 100), make(chan struct{})
	var stop sync.Once
	hook := r.hook(at, reached, stopped)
	r.proxy.SetHook(func(q *http.Request) testcluster.Fault {
		if strings.HasSuffix(q.URL.Path, "/other") {
			reached <- struct{}{}
			go func() {
				<-q.Context().Done()
				stop.Do(func() { close(stopped) })
			}()
			return testcluster.Fault{HoldBefore: stopped, DropBefore: true}
		}
		return hook(q)
	})
	running := r.CLI.Start("apply", fixture.PlanFile)
	<-reached
	<-reached
	if err := running.Interrupt(); err != nil {
		r.Fatal(err)
	}
	result := running.Wait()
	r.Wants(diagnosticOfKey(testcli.Flat(result.All()), r.Namespace+"/other", "foo"), "Operation Canceled", "The operation was canceled. Nothing was written")
	r.tellsTheTruth(result, at)
}

// planUnjudged plans without checks, so that the apply reads before it writes on each command line.
func (r *interruptedRun) planUnjudged(body string) {
	r.Helper()
	r.Write(body)
	r.Export("CAS_PLAN_CHECK", "off")
	r.Plan()
	r.Export("CAS_PLAN_CHECK", "error")
}

// timeOut plans, and has the deadlines pass at the first write.
func (r *interruptedRun) timeOut(at interruptedAt) {
	r.Helper()
	r.planUnjudged(r.entries(r.after))
	reached := make(chan struct{}, 100)
	hook := r.hook(at, reached, nil)
	r.proxy.SetHook(func(q *http.Request) testcluster.Fault {
		fault := hook(q)
		if len(reached) > 0 {
			r.PassDeadlines()
		}
		return fault
	})
	result := r.On.Apply(fixture.PlanFile)
	if len(reached) == 0 {
		r.Error("the point was not reached")
	}
	r.tellsTheTruth(result, at)
}

// hook does with the entries' requests what the point says, and tells when it is reached.
func (r *interruptedRun) hook(at interruptedAt, reached chan<- struct{}, stopped <-chan struct{}) func(*http.Request) testcluster.Fault {
	var mu sync.Mutex
	writes := 0
	return func(q *http.Request) testcluster.Fault {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case at.beforeWrite && q.Method == http.MethodGet:
			reached <- struct{}{}
			return testcluster.Fault{HoldBefore: q.Context().Done(), DropBefore: true}
		case writes > 0:
			return at.after
		case q.Method == http.MethodPatch && !at.beforeWrite:
			writes++
			reached <- struct{}{}
			return at.first(q, stopped)
		}
		return testcluster.Fault{}
	}
}

// tellsTheTruth holds what a run that was cut short said against what the ConfigMap and the state hold, and then goes on
// as the output says.
func (r *interruptedRun) tellsTheTruth(result testcli.Result, at interruptedAt) {
	r.Helper()
	r.proxy.SetHook(nil)
	output := testcli.Flat(result.All())
	if (result.ExitCode == 1) != strings.Contains(output, "Error: ") || result.ExitCode > 1 {
		r.Errorf("ended with %d:\n%s", result.ExitCode, output)
	}
	state, live := r.State(), r.Live("testmap").Data
	left, unknown := map[string]string{}, 0
	for _, key := range interruptedKeys {
		said := diagnosticOfKey(output, r.Namespace+"/testmap", key)
		tracked, isTracked := state[key]
		held, isHeld := live[key]
		isDone := held == r.after && isHeld == (r.after != "")
		isStored := isTracked == (r.after != "") && (!isTracked || tracked.Attributes["value"] == r.after)
		isUndone := isTracked == (r.before != "") && (!isTracked || tracked.Attributes["value"] == r.before)
		switch {
		case strings.Contains(said, "Write Outcome Unknown"):
			unknown++
			if !isUndone {
				r.Errorf("the outcome of %s is unknown, and the state has %v", key, tracked)
			}
			r.Wants(said, "or may change yet.", "resourceVersion: ", " before the write", "EOF")
		case said != "":
			if isDone || !isUndone || !strings.Contains(said, "othing was ") {
				r.Errorf("%s holds %q (%v), the state has %v, and it was said:\n%s", key, held, isHeld, tracked, said)
			}
		case isDone != isStored || isDone == isUndone:
			r.Errorf("%s holds %q (%v), the state has %v, and nothing was said of it:\n%s", key, held, isHeld, tracked, output)
		}
		switch {
		case !isDone, r.before != "" && r.after != "" && !isStored: // the next update records a value that was written
			left[key] = r.action
		case r.before == "" && !isStored:
			left[key] = "refused"
		}
	}
	if at.unknown != (unknown > 0) {
		r.Errorf("%d of unknown outcome:\n%s", unknown, output)
	}
	if at.landed == (len(left) == len(interruptedKeys)) && !at.unknown {
		r.Errorf("left to be done: %v, landed: %v:\n%s", left, at.landed, output)
	}
	r.goesOn(output, left)
}

// goesOn plans what is left, which must be just that, and does it.
func (r *interruptedRun) goesOn(output string, left map[string]string) {
	r.Helper()
	refused := 0
	for _, action := range left {
		if action == "refused" {
			refused++
		}
	}
	r.Write(r.entries(r.after))
	if refused > 0 {
		refusal := r.PlanRefused([]string{"Key Already Holds The Value"})
		if n := strings.Count(refusal, "Error: "); n != refused {
			r.Errorf("%d errors, want %d:\n%s", n, refused, refusal)
		}
		r.Wants(output, "import it, or set adopt_existing = true.")
		r.Write(r.entries(r.after, "adopt_existing = true"))
		for key := range left {
			left[key] = r.action
		}
	}
	applied := r.On.Run("apply", "-auto-approve")
	r.Ended(applied, 0, "apply")
	got := plannedActions(applied.Stdout)
	if refused > 0 { // those that are stored change their adopt_existing
		for key, action := range got {
			if action == interruptedOps["update"].action {
				delete(got, key)
			}
		}
	}
	if diff := cmp.Diff(left, got); diff != "" {
		r.Errorf("planned (-want +got):\n%s\nafter\n%s", diff, output)
	}
	r.PlanNothing()
	want := fixture.Data{"bar": "kept"}
	for _, key := range interruptedKeys {
		if r.after != "" {
			want[key] = r.after
		}
	}
	r.WantLive("testmap", want)
}

var plannedAction = regexp.MustCompile(`(?m)^ +# cas_configmap_entry\.(\w+) (.*\bbe .*)$`)

// plannedActions returns the actions that a printed plan lists, by resource.
func plannedActions(printed string) map[string]string {
	actions := map[string]string{}
	for _, match := range plannedAction.FindAllStringSubmatch(printed, -1) {
		actions[match[1]] = match[2]
	}
	return actions
}

// diagnosticOfKey is the one error in the output that is about the key.
func diagnosticOfKey(output, configMap, key string) string {
	for _, d := range strings.Split(output, "Error: ")[1:] {
		if strings.Contains(d, "ConfigMap: "+configMap+" Key: "+key+" ") {
			return "Error: " + d
		}
	}
	return ""
}

func TestWaitForMatchIsInterruptedAtOnce(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "0"})
	proxy := p.Proxied()
	p.Write(fixture.Waiter(`wait_for_match = "24h"`))
	p.Plan()
	waits := make(chan struct{})
	p.OnWatches(proxy, func() testcluster.Fault { return fixture.Watched(func() { close(waits) }) })
	proxy.Reset()
	running := p.CLI.Start("apply", fixture.PlanFile)
	<-waits
	if err := running.Interrupt(); err != nil {
		t.Fatal(err)
	}
	p.Wants(p.Ended(running.Wait(), 1, "apply"), "Error: Operation Canceled", "The operation was canceled while it waited. Nothing was written.",
		`Expected: "1"`, `Found: "0"`, "Waited: ", "!Write Outcome Unknown")
	want := fixture.RequestCounts{Gets: 1, Watches: 1}
	if strings.Contains(p.CLI.CLI, "tofu") { // the plan of the apply checks the create
		want.Gets++
	}
	if got := fixture.CountsOf(proxy); got != want {
		t.Errorf("%+v, want %+v: %v", got, want, proxy.Requests())
	}
	p.WantLive("testmap", fixture.Data{"foo": "0"})
	p.WantState()
}
