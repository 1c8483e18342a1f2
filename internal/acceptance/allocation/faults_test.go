package allocation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// faults decides, with a fixed seed, which fault a request meets. A third of all writes lose their response, whether
// they arrive or not. With refusesReads, the read that follows such a write is refused, so that its outcome is
// unknown.
type faults struct {
	refusesReads bool

	mu     sync.Mutex
	random *rand.Rand
	lost   int
}

// hook returns the faults of one process.
func (f *faults) hook() func(*http.Request) testcluster.Fault {
	wasLost := false
	return func(r *http.Request) testcluster.Fault {
		f.mu.Lock()
		defer f.mu.Unlock()
		n := f.random.IntN(100)
		switch {
		case r.Method == http.MethodPatch && n < 35:
			f.lost++
			wasLost = true
			return testcluster.Fault{DropAfter: n < 25, DropBefore: n >= 25}
		case r.Method == http.MethodGet && wasLost && f.refusesReads:
			wasLost = false
			return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusForbidden, Body: "no"}}
		}
		return testcluster.Fault{}
	}
}

// owners has the process that each value was given to.
type owners struct {
	mu sync.Mutex
	of map[string]int
}

func (o *owners) lets(process int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.of, func(_ string, owner int) bool { return owner == process })
}

// ids returns the ids of the allocations of a state.
func ids(s *fixture.Session) map[any]bool {
	all := map[any]bool{}
	for _, each := range s.State() {
		all[each.Attributes["id"]] = true
	}
	return all
}

// TestProcessesUnderFaultsShareNothingAndLeakNothing runs six processes that take and release values of one pool of
// fifty. No two processes ever have the same value, and at the end the states have every member of the pool: an
// allocation of unknown outcome stays in its state until it is released.
func TestProcessesUnderFaultsShareNothingAndLeakNothing(t *testing.T) {
	for name, f := range map[string]*faults{
		"whose outcome a read shows": {random: rand.New(rand.NewPCG(31, 1))},
		"of unknown outcome":         {random: rand.New(rand.NewPCG(31, 2)), refusesReads: true},
	} {
		t.Run(name, func(t *testing.T) {
			const processes, rounds = 6, 4
			p := fixture.NewPipeline(t)
			p.Create("testmap", nil)
			held := owners{of: map[string]int{}}
			sessions := make([]*fixture.Session, processes)
			refused := 0
			var running sync.WaitGroup
			for i := range sessions {
				s := fixture.NewSession(t)
				sessions[i] = s
				proxy := p.Cluster.Proxy(t)
				proxy.SetHook(f.hook())
				write := func(n int) {
					(&fixture.Pipeline{Fixture: p.Fixture, On: s}).WriteFor(p.Cluster.Kubeconfig(t, proxy.Config), "",
						block("a", fmt.Sprintf("count = %d", n), `numbers = { from = 1, to = 50 }`, fmt.Sprintf(`claimant = "process-%d"`, i)))
				}
				running.Go(func() {
					for round := range rounds {
						write(1 + (i+round)%5)
						before := ids(s)
						took := s.Run("apply")
						mine := s.State()
						held.mu.Lock()
						if took.ExitCode != 0 {
							refused++
							if out := testcli.Flat(took.All()); !strings.Contains(out, "Error: Write Outcome Unknown") {
								t.Errorf("process %d:\n%s", i, out)
							}
						}
						for _, each := range mine {
							value, isText := each.Attributes["value"].(string)
							if took.ExitCode != 0 && before[each.Attributes["id"]] {
								continue // this apply may have released it, and another process may have it
							}
							if owner, has := held.of[value]; isText && has && owner != i {
								t.Errorf("%s is of process %d and of process %d", value, owner, i)
							}
							if isText {
								held.of[value] = i
							}
						}
						held.mu.Unlock()
						s.Run("refresh") // while others take
						if round < rounds-1 {
							held.lets(i) // before the release: another process may have it then
							write(0)
							s.Run("apply") // if the outcome is unknown, the state still has it
						}
					}
				})
			}
			running.Wait()

			members, known := pool(p.Fixture), map[any]bool{}
			for i, s := range sessions {
				maps.Copy(known, ids(s))
				for name, each := range s.State() {
					id := each.Attributes["id"]
					value, isText := each.Attributes["value"].(string)
					if isText && each.Status == "" && members[value]["id"] != id {
						t.Errorf("process %d has lost %s, %s: the pool says %v", i, name, value, members[value])
					}
				}
			}
			for value, m := range members {
				if !known[m["id"]] {
					t.Errorf("no state has %s: %v", value, m)
				}
			}
			if f.refusesReads != (refused > 0) {
				t.Errorf("the outcome of %d applies is unknown", refused)
			}
			if f.lost < 10 {
				t.Errorf("only %d responses were lost", f.lost)
			}
			t.Logf("%d responses were lost, the outcome of %d applies is unknown, %d values are taken", f.lost, refused, len(members))
			for _, s := range sessions {
				for range 20 {
					if r := s.Destroy(); r.ExitCode == 0 {
						break
					}
				}
			}
			wantTaken(p.Fixture)
		})
	}
}
