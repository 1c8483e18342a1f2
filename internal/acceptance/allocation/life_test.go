package allocation

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const address = "cas_configmap_allocation.a"

func idOf(p *fixture.Pipeline, name string) any {
	p.Helper()
	return p.State()[name].Attributes["id"]
}

func TestReplacedAllocationGivesBackItsOwn(t *testing.T) {
	for name, row := range map[string]struct {
		lines []string
		want  string
	}{
		"destroyed first": {[]string{ofFive}, "30000"},
		"created first":   {[]string{ofFive, "lifecycle { create_before_destroy = true }"}, "30001"},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", nil)
			p.Planned(block("a", row.lines...))
			was := idOf(p, "a")
			p.PlanApply("-replace=" + address)
			wantValues(p, row.want)
			wantTaken(p.Fixture, row.want)
			if idOf(p, "a") == was {
				t.Error("the id is the same")
			}
			p.Do("taint", address)
			p.PlanApply()
			wantTaken(p.Fixture, "30000")
			wantValues(p, "30000")
		})
	}
}

func TestFullPoolLetsItsOnlyHolderBeReplaced(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Planned(block("a", `names = ["only"]`))
	p.PlanApply("-replace=" + address) // at least a warning, since it is released first
	wantValues(p, "only")
}

func TestImportedAllocationIsReleased(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": `{"30002": {"claimant": "lost", "id": "ABC"}, "30003": {"claimant": "hand"}, "10.0.0.0/24": {"id": "NET"}}`})
	p.Write(block("a", ofFive, `claimant = "lost"`))
	id := p.Namespace + "/testmap/foo/"
	p.Wants(p.Ended(p.On.Run("import", address, id+"30003"), 1, "import"), "Error: Allocation Without An ID", "Claimant: hand")
	p.Wants(p.Ended(p.On.Run("import", address, id+"30004"), 1, "import"), "Error: Nothing To Import")
	p.Wants(p.Ended(p.On.Run("import", address, p.Namespace+"/testmap/fooo/30002"), 1, "import"), "Error: Key Not Found", "Did you mean foo?", "namespace/name/key/value")
	p.Wants(p.Ended(p.On.Run("import", address, p.Namespace+"/testmop/foo/30002"), 1, "import"), "Error: ConfigMap Not Found", "Did you mean testmap?")
	was := p.Live("testmap").Data["foo"]
	p.Set("testmap", "foo", `{"30002": {"id": "ABC"}, "30003": {"id": "ABC"}}`) // one that is lost would be followed to the other
	for _, value := range []string{"30002", "30003"} {
		p.Wants(p.Ended(p.On.Run("import", address, id+value), 1, "import"), "Error: Allocation Without An ID", "no id of its own")
	}
	p.Set("testmap", "foo", was)
	p.Wants(p.Ended(p.On.Run("import", address, "30002"), 1, "import"), "namespace/name/key/value")
	p.Do("import", address, id+"30002")
	wantValues(p, "30002")
	p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy") // of the range, which no pool knows
	p.Apply()
	if n := p.State()["a"].Attributes["number"]; n != 30002.0 {
		t.Errorf("number %v", n)
	}
	p.PlanNothing()
	p.Destroy()
	wantTaken(p.Fixture, "30003", "10.0.0.0/24")
	p.Write(block("a", `cidr = { within = ["10.0.0.0/8"], prefix = 24 }`))
	p.Do("import", address, id+"10.0.0.0/24")
	wantValues(p, "10.0.0.0/24")
	p.Destroy()
	wantTaken(p.Fixture, "30003")
}

func TestAllocationThatSomebodyRenamedIsFollowed(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Planned(block("a", ofFive, web))
	was := p.Live("testmap").Data["foo"]
	p.Set("testmap", "foo", strings.Replace(was, "30000", "30003", 1))
	p.PlanNothing()
	p.Planned(block("a", ofFive, `claimant = "shop/api"`))
	wantValues(p, "30003")
	if n := p.State()["a"].Attributes["number"]; n != 30003.0 {
		t.Errorf("number %v", n)
	}
	p.Set("testmap", "foo", was)
	p.Ended(p.On.Destroy("-refresh=false"), 0, "destroy")
	wantTaken(p.Fixture)
}

func TestForgottenAllocationStaysTaken(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Planned(block("a", ofFive))
	p.Do("state", "rm", address)
	p.PlanApply()
	wantValues(p, "30001")
	p.Destroy()
	wantTaken(p.Fixture, "30000")
}

func TestAllocationThatSomebodyRemoved(t *testing.T) {
	for name, change := range map[string]func(*fixture.Fixture){
		"the member":    func(f *fixture.Fixture) { f.Set("testmap", "foo", `{"30001": {}}`) },
		"the key":       func(f *fixture.Fixture) { f.Unset("testmap", "foo") },
		"the ConfigMap": func(f *fixture.Fixture) { f.Remove("testmap") },
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", nil)
			p.Planned(block("a", ofFive))
			change(p.Fixture)
			p.Wants(p.Plan(), "Warning: Allocation Gone", `Value: "30000"`, "1 to add")
			p.Ended(p.On.Destroy("-refresh=false"), 0, "destroy")
			p.WantState()
		})
	}
}

func TestAllocationThatAnotherTookOver(t *testing.T) {
	const theirs = `{"30000": {"claimant": "thief", "id": "THEIRS"}}`
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Planned(block("a", ofFive, web))
	p.Set("testmap", "foo", theirs)
	p.Write(block("a", ofFive, `claimant = "shop/api"`))
	p.Plan("-refresh=false")
	p.ApplyRefused("Error: Allocation Gone")
	p.Wants(p.Ended(p.On.Destroy("-refresh=false"), 0, "destroy"), "Warning: Allocation Taken Over", "Claimant: thief")
	p.WantLive("testmap", fixture.Data{"foo": theirs})
	p.WantState()

	p.PlanApply()
	wantValues(p, "30001")
	p.Set("testmap", "foo", strings.Replace(theirs, "30000", "30001", 1))
	p.Wants(p.Plan(), "Warning: Allocation Taken Over", "Claimant: thief", "1 to add")
	p.Apply()
	wantValues(p, "30000")
}

// other takes the lowest free value as another process, which uses no proxy.
func other(p *fixture.Fixture) {
	s := fixture.NewSession(p)
	s.Write("main.tf", p.ConfigFor(p.Cluster.Kubeconfig(p, p.Cluster.Config), "", block("other", ofFive, `claimant = "other"`)))
	if r := s.Run("apply"); r.ExitCode != 0 {
		p.Error(r.All())
	}
}

// spoil replaces the pool by text that is no pool: a write whose response was lost is then unknown. restore puts the
// pool back.
func spoil(f *fixture.Fixture) (restore func()) {
	pool := f.Live("testmap").Data["foo"]
	f.Set("testmap", "foo", "none")
	return func() { f.Set("testmap", "foo", pool) }
}

func TestAllocationOfUnknownOutcomeIsReleasedByTheNextApply(t *testing.T) {
	for name, row := range map[string]struct {
		fault  func(spoils func()) testcluster.Fault
		during []string // taken while the outcome is unknown
		after  string
		left   []string
	}{
		"the write was applied": {func(spoils func()) testcluster.Fault {
			return testcluster.Fault{Answered: func(*http.Response) { spoils() }, DropAfter: true}
		}, []string{"30000", "30001"}, "30000", []string{"30001"}},
		"the write was not applied": {func(spoils func()) testcluster.Fault {
			spoils()
			return testcluster.Fault{DropBefore: true}
		}, []string{"30000"}, "30001", []string{"30000"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			proxy := p.Proxied()
			p.Create("testmap", nil)
			p.Write(block("a", ofFive))
			p.Plan()
			restore := func() {}
			var met atomic.Bool
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method != http.MethodPatch || !met.CompareAndSwap(false, true) {
					return testcluster.Fault{}
				}
				return row.fault(func() {
					other(p.Fixture)
					restore = spoil(p.Fixture)
				})
			})
			p.ApplyRefused("Error: Write Outcome Unknown", "Run terraform apply again: it releases what this one may have taken, and takes a value again.")
			restore()
			state := p.WantState("a")["a"]
			if id, _ := state.Attributes["id"].(string); state.Status != "tainted" || id == "" || state.Attributes["value"] != nil {
				t.Errorf("the state has %+v", state)
			}
			wantTaken(p.Fixture, row.during...)
			p.Plan()
			p.Apply()
			wantValues(p, row.after)
			p.Destroy()
			wantTaken(p.Fixture, row.left...)
		})
	}
}

// After a lost response, an allocation finds itself in the pool, and a release finds that nothing is left to do.
func TestAllocationAfterALostResponse(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	p.Create("testmap", nil)
	p.Write(block("a", ofFive))
	p.Plan()
	proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{Answered: func(*http.Response) { other(p.Fixture) }, DropAfter: true}))
	p.Apply()
	wantTaken(p.Fixture, "30000", "30001")
	wantValues(p, "30000")
	proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{Answered: func(*http.Response) { other(p.Fixture) }, DropAfter: true}))
	p.Wants(p.Destroy(), "!Taken Over") // another took the value once it was free
	wantTaken(p.Fixture, "30000", "30001")
}

// late holds all writes except the first ones, and has the deadline of their callers pass. arrive sends them on, and
// fails the test unless the API server refuses each of them.
func late(p *fixture.Pipeline, proxy *testcluster.Proxy, first int) (arrive func()) {
	held, come := make(chan chan int, 10), make(chan struct{})
	var writes atomic.Int32
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodPatch || int(writes.Add(1)) <= first {
			return testcluster.Fault{}
		}
		answered := make(chan int, 1)
		held <- answered
		p.PassDeadlines()
		return testcluster.Fault{HoldBefore: come, Answered: func(r *http.Response) { answered <- r.StatusCode }}
	})
	return func() {
		p.Helper()
		close(come)
		if len(held) == 0 {
			p.Error("no write is late")
		}
		for range len(held) {
			if status := <-<-held; status != http.StatusConflict {
				p.Errorf("what came late was answered with %d", status)
			}
		}
	}
}

// A take whose answer never came may still be on its way when its release finds nothing. It must not land after that: nobody would know of it.
func TestTakeThatArrivesAfterItsReleaseTakesNothing(t *testing.T) {
	for name, row := range map[string]struct {
		before fixture.Data
		next   func(p *fixture.Pipeline)
		left   []string
	}{
		"destroyed":                   {hand("30001"), func(p *fixture.Pipeline) { p.Destroy() }, []string{"30001"}},
		"destroyed, of an absent key": {nil, func(p *fixture.Pipeline) { p.Destroy() }, nil},
		"destroyed, of a full ConfigMap": {nil, func(p *fixture.Pipeline) {
			const full = "{\n\"30001\":{\"claimant\":\"hand\"}\n}" // to the byte
			p.Set("testmap", "foo", full)
			p.Set("testmap", "bar", strings.Repeat("x", 1<<20-len(full)))
			p.Destroy()
		}, []string{"30001"}},
		"destroyed without a refresh":  {nil, func(p *fixture.Pipeline) { p.Destroy("-refresh=false") }, nil},
		"taken out of a configuration": {hand("30001"), func(p *fixture.Pipeline) { p.Applied("") }, []string{"30001"}},
		"replaced, and destroyed":      {nil, func(p *fixture.Pipeline) { p.PlanApply(); p.Destroy() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Proxied()
			p.Create("testmap", row.before)
			p.Write(block("a", ofFive))
			p.Plan()
			arrive := late(p, proxy, 0)
			p.ApplyRefused("Error: Write Outcome Unknown")
			p.WantState("a")
			proxy.SetHook(nil)
			row.next(p)
			p.WantState()
			arrive()
			wantTaken(p.Fixture, row.left...)
		})
	}
}

// A release without a response may arrive after another apply has kept the allocation, which must then stay.
func TestReleaseThatArrivesAfterAllReleasesNothing(t *testing.T) {
	for name, row := range map[string]struct {
		next func(p *fixture.Pipeline)
		want []string
	}{
		"kept after all":                    {func(p *fixture.Pipeline) { p.Wants(p.Plan(), "1 to add, 0 to change, 1 to destroy"); p.Apply() }, []string{"30000"}},
		"kept after all, without a refresh": {func(p *fixture.Pipeline) { p.PlanApply("-refresh=false") }, []string{"30000"}},
		"kept after all, with a new claimant": {func(p *fixture.Pipeline) {
			p.Planned(block("a", ofFive, `claimant = "kept"`))
		}, []string{"30000"}},
		"destroyed again, and taken by another": {func(p *fixture.Pipeline) { p.Destroy(); other(p.Fixture) }, []string{"30000"}},
		"replaced":                              {func(p *fixture.Pipeline) { p.PlanApply("-replace=" + address) }, []string{"30000"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Proxied()
			p.Create("testmap", nil)
			p.Planned(block("a", ofFive))
			id := idOf(p, "a")
			arrive := late(p, proxy, 0)
			p.Wants(p.Ended(p.On.Destroy(), 1, "destroy"), "Error: Write Outcome Unknown", "A configuration that keeps the allocation takes a value again, which may be another one.")
			if got := p.WantState("a")["a"].Attributes; got["id"] != id || got["value"] != nil {
				t.Errorf("the state has %v", got)
			}
			proxy.SetHook(nil)
			row.next(p)
			arrive()
			wantTaken(p.Fixture, row.want...)
			if len(p.State()) > 0 {
				wantValues(p, row.want...)
				p.PlanNothing()
			}
		})
	}
}

// An allocation of unknown outcome is replaced even after terraform untaint.
func TestUntaintedAllocationOfUnknownOutcomeIsReplaced(t *testing.T) {
	for _, flag := range []string{"-refresh=true", "-refresh=false"} {
		t.Run(flag, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Proxied()
			p.Create("testmap", nil)
			p.Write(block("a", ofFive))
			p.Plan()
			restore := func() {}
			spoils := func(*http.Response) {
				other(p.Fixture)
				restore = spoil(p.Fixture)
			}
			proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{Answered: spoils, DropAfter: true}))
			p.ApplyRefused("Error: Write Outcome Unknown")
			restore()
			wantTaken(p.Fixture, "30000", "30001")
			p.Do("untaint", address)
			p.Wants(p.Plan(flag), "1 to add, 0 to change, 1 to destroy")
			p.Apply()
			wantValues(p, "30000")
			wantTaken(p.Fixture, "30000", "30001")
			p.PlanNothing()
		})
	}
}

// The next apply repeats a release of unknown outcome, also if create_before_destroy deposed the allocation. Another
// claimant who has the value by then keeps it.
func TestReleaseOfADeposedAllocationIsRepeated(t *testing.T) {
	again, gone := func(p *fixture.Pipeline) { p.PlanApply() }, func(p *fixture.Pipeline) { p.Destroy() }
	for name, row := range map[string]struct {
		isLost bool // only the response is lost, and another takes the value at once; otherwise the write arrives late
		next   func(p *fixture.Pipeline)
		left   []string
	}{
		"it was applied":                                 {true, again, []string{"30000", "30001"}},
		"it was applied, and all is destroyed":           {true, gone, []string{"30000"}},
		"it comes late":                                  {false, again, []string{"30001"}},
		"it comes late, and another has taken the value": {false, func(p *fixture.Pipeline) { again(p); other(p.Fixture) }, []string{"30000", "30001"}},
		"it comes late, and all is destroyed":            {false, gone, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Proxied()
			p.Create("testmap", nil)
			p.Planned(block("a", ofFive, "lifecycle { create_before_destroy = true }"))
			was := idOf(p, "a")
			p.Plan("-replace=" + address)
			arrive, restore := func() {}, func() {}
			if row.isLost {
				var writes atomic.Int32
				proxy.SetHook(func(r *http.Request) testcluster.Fault {
					if r.Method != http.MethodPatch || writes.Add(1) != 2 {
						return testcluster.Fault{}
					}
					return testcluster.Fault{Answered: func(*http.Response) {
						other(p.Fixture)
						restore = spoil(p.Fixture)
					}, DropAfter: true}
				})
			} else {
				arrive = late(p, proxy, 1)
			}
			p.ApplyRefused("Error: Write Outcome Unknown")
			restore()
			state := p.WantState("a", "deposed a")
			if got := state["deposed a"].Attributes; got["id"] != was || got["value"] != nil || state["a"].Attributes["value"] != "30001" {
				t.Errorf("the state has %v", state)
			}
			proxy.SetHook(nil)
			row.next(p)
			arrive()
			wantTaken(p.Fixture, row.left...)
			if len(p.State()) > 0 {
				wantValues(p, "30001")
				p.PlanNothing()
			}
		})
	}
}
