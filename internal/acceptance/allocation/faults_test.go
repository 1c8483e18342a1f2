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

// faults decides, with a fixed seed, what becomes of requests. A third of all writes get no answer, whether they arrived or not. Of those that cannot be found out
// about, watches are refused as well.
type faults struct {
	refusesWatches bool

	mu     sync.Mutex
	random *rand.Rand
	lost   int
}

func (f *faults) meets(r *http.Request) testcluster.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.random.IntN(100)
	switch {
	case r.Method == http.MethodPatch && n < 25:
		f.lost++
		return testcluster.Fault{DropAfter: true}
	case r.Method == http.MethodPatch && n < 35:
		f.lost++
		return testcluster.Fault{DropBefore: true}
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/configmaps") && f.refusesWatches:
		return testcluster.Fault{Answer: &testcluster.Answer{
			Status: http.StatusGone, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old"}`,
		}}
	}
	return testcluster.Fault{}
}

// owners is who has which value, by what processes were told.
type owners struct {
	mu sync.Mutex
	of map[string]int
}

func (o *owners) lets(process int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.of, func(_ string, owner int) bool { return owner == process })
}

// ids is which allocations a state has.
func ids(s *fixture.Session) map[any]bool {
	all := map[any]bool{}
	for _, each := range s.State() {
		all[each.Attributes["id"]] = true
	}
	return all
}

// TestProcessesUnderFaultsShareNothingAndLeakNothing has six processes take and release from one pool of fifty. At no time have two of them one value, and what is in
// the pool at the end is what the states have: a doubt is kept there, and released from there.
func TestProcessesUnderFaultsShareNothingAndLeakNothing(t *testing.T) {
	for name, f := range map[string]*faults{
		"that can be got over": {random: rand.New(rand.NewPCG(31, 1))},
		"that cannot":          {random: rand.New(rand.NewPCG(31, 2)), refusesWatches: true},
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
				proxy.SetHook(f.meets)
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
								continue // it may be one that this apply released, without an answer: another may have it
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
							held.lets(i) // before it is released: another may have it then
							write(0)
							s.Run("apply") // where it is not known what came of it, the state still has it
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
			if !f.refusesWatches && refused > 0 {
				t.Errorf("%d applies ended in doubt", refused)
			}
			if f.lost < 10 {
				t.Errorf("only %d answers got lost", f.lost)
			}
			t.Logf("%d answers got lost, %d applies ended in doubt, %d are taken", f.lost, refused, len(members))
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
