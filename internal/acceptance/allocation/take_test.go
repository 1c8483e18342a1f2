package allocation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestAllocationsTakeTheLowestFreeAndGiveItBack(t *testing.T) {
	for name, row := range map[string]struct {
		before fixture.Data
		lines  []string
		want   []string // of three
		next   string   // after the first of them went
	}{
		"numbers":              {nil, []string{ofFive}, []string{"30000", "30001", "30002"}, "30000"},
		"numbers with a gap":   {hand("30001"), []string{ofFive}, []string{"30000", "30002", "30003"}, "30000"},
		"numbers with except":  {nil, []string{`numbers = { from = 30000, to = 30004, except = [30001] }`}, []string{"30000", "30002", "30003"}, "30000"},
		"prefixes":             {nil, []string{`cidr = { within = ["10.0.0.0/12"], prefix = 24 }`}, []string{"10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"}, "10.0.0.0/24"},
		"prefixes and others":  {hand("10.0.0.0/23", "10.0.3.7"), []string{`cidr = { within = ["10.0.0.0/12"], prefix = 24 }`}, []string{"10.0.2.0/24", "10.0.4.0/24", "10.0.5.0/24"}, "10.0.2.0/24"},
		"prefixes with except": {nil, []string{`cidr = { within = ["fd00::/48"], prefix = 64, except = ["fd00::/63"] }`}, []string{"fd00:0:0:2::/64", "fd00:0:0:3::/64", "fd00:0:0:4::/64"}, "fd00:0:0:2::/64"},
		"names":                {nil, []string{`names = ["a", "b", "c"]`}, []string{"a", "b", "c"}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", row.before)
			by := len(pool(p.Fixture))
			p.Planned(several(3, row.lines...))
			wantValues(p, row.want...)
			for value, m := range pool(p.Fixture) {
				if since, _ := m["since"].(string); m["claimant"] != "hand" && !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`).MatchString(since) {
					t.Errorf("%s was taken %q", value, since)
				}
			}
			p.PlanNothing()
			for address, each := range p.State() {
				if each.Attributes["value"] == row.next {
					p.Do("taint", "cas_configmap_allocation."+address)
				}
			}
			p.PlanApply()
			wantValues(p, row.want...)
			p.Destroy()
			if left := pool(p.Fixture); len(left) != by {
				t.Errorf("the destroy leaves %v", left)
			}
		})
	}
}

func TestAllocationKeepsWhatOthersWroteIntoThePool(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"bar": "kept", "foo": `{ "30001": {"note": {"a": [1.50]}, "claimant": "hand"}, "lamp": {"id": 7} }`})
	p.Planned(block("a", ofFive, web))
	all := wantTaken(p.Fixture, "30000", "30001", "lamp")
	if got := fmt.Sprint(all["30001"], all["lamp"]); got != "map[claimant:hand note:map[a:[1.5]]] map[id:7]" || all["30000"]["claimant"] != "shop/web" {
		t.Errorf("%v", all)
	}
	// Somebody adds a note to this allocation. A new claimant leaves the note.
	p.Set("testmap", "foo", strings.Replace(p.Live("testmap").Data["foo"], `{"claimant":"shop/web"`, `{"note":"ours","claimant":"shop/web"`, 1))
	p.Planned(block("a", ofFive, `claimant = "shop/api"`))
	if got := wantTaken(p.Fixture, "30000", "30001", "lamp")["30000"]; got["note"] != "ours" || got["claimant"] != "shop/api" || got["since"] != all["30000"]["since"] {
		t.Errorf("%v", got)
	}
	wantValues(p, "30000")
	if live := p.Live("testmap").Data["bar"]; live != "kept" {
		t.Error(live)
	}
	p.Destroy()
	wantTaken(p.Fixture, "30001", "lamp")
}

func TestAllocationThatPrefersAValue(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", hand("30001"))
	p.Planned(block("a", ofFive, `prefer = "30003"`))
	wantValues(p, "30003")
	p.Write(block("a", ofFive, `prefer = "30003"`) + block("b", ofFive, `prefer = "30001"`))
	p.Wants(p.Plan(), "Warning: Value Is Taken", `Wanted: "30001"`, "Claimant: hand")
	p.ApplyRefused("Error: Value Is Taken", "The preferred value is taken. Nothing was written.", `Wanted: "30001"`, "Claimant: hand")
	wantValues(p, "30003")
	wantTaken(p.Fixture, "30001", "30003")
	p.Write(block("b", ofFive, `prefer = "30009"`))
	p.PlanRefused([]string{"Error: Value Outside The Range", `Wanted: "30009"`})
	// A change of prefer alone takes nothing new, and a replace gets the same value again.
	p.Planned(block("a", ofFive, `prefer = "30004"`))
	wantValues(p, "30003")
	p.PlanApply("-replace=cas_configmap_allocation.a")
	wantValues(p, "30004")
}

func TestFullPoolNamesWhoHasIt(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": `{"30000": {}, "30009": {"claimant": "outside"}}`})
	p.Planned(several(4, ofFive))
	p.Write(several(5, ofFive))
	p.Wants(p.Plan(), "Warning: Pool Is Full", "Taken: 5", "Claimants: no claimant (1), team-0 (1), team-1 (1), team-2 (1), team-3 (1)", "!outside")
	p.ApplyRefused("Error: Pool Is Full", "Everything in the range is taken. Nothing was written.", "Taken: 5", "team-3 (1)")
	wantValues(p, "30001", "30002", "30003", "30004")
	const grown = `numbers = { from = 30000, to = 30014 }`
	p.Planned(several(13, grown))
	p.Write(several(14, grown))
	p.Wants(p.Plan(), "Warning: Pool Is Full", "Taken: 15", " and 5 more")
	p.ApplyRefused("Error: Pool Is Full", "Taken: 15", " and 5 more")
	if got := values(p); len(got) != 13 {
		t.Errorf("%v", got)
	}
}

func TestPoolThatShrinksAndMovesLeavesWhatIsTaken(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Planned(several(2, ofFive))
	p.Write(several(2, `numbers = { from = 30001, to = 30001 }`))
	p.Wants(p.Plan(), "Warning: Value Outside The Range", `Value: "30000"`, "It stays valid.", `!Value: "30001"`, "0 to add, 2 to change, 0 to destroy")
	p.Apply()
	wantValues(p, "30000", "30001")
	p.Planned(several(3, `numbers = { from = 31000, to = 31004 }`))
	wantValues(p, "30000", "30001", "31000")
}

// Another sort of value is another allocation. The old one is released by its id, wherever it is by then.
func TestChangeToAnotherSortOfValueReplacesTheAllocation(t *testing.T) {
	const ofNames, ofNets = `names = ["a", "b"]`, `cidr = { within = ["10.0.0.0/8"], prefix = 24 }`
	for name, row := range map[string]struct{ from, was, to, want string }{
		"numbers to names":    {ofFive, "30000", ofNames, "a"},
		"numbers to prefixes": {ofFive, "30000", ofNets, "10.0.0.0/24"},
		"prefixes to numbers": {ofNets, "10.0.0.0/24", ofFive, "30000"},
		"names to prefixes":   {ofNames, "a", ofNets, "10.0.0.0/24"},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", nil)
			p.Planned(block("a", row.from, web))
			id := idOf(p, "a")
			p.Write(block("a", row.to, web))
			p.Wants(p.Plan(), "1 to add, 0 to change, 1 to destroy")
			// Somebody renames it, and gives its old value to another, after the plan.
			p.Set("testmap", "foo", fmt.Sprintf(`{%q: {"id": "ANOTHER"}, "renamed": {"id": %q}}`, row.was, id))
			p.Apply()
			wantValues(p, row.want)
			wantTaken(p.Fixture, row.was, row.want)
		})
	}
}

// While the sort of value is unknown, the plan does not guess, and replaces nothing.
func TestSortOfValueThatIsNotKnownYet(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", nil)
	write := func(sort string, revision int) {
		p.Write(fmt.Sprintf("resource \"terraform_data\" \"sort\" {\n  input = { is = %q, revision = %d }\n}\n", sort, revision) + block("a", web,
			`numbers = terraform_data.sort.output.is == "numbers" ? { from = 30000, to = 30004 } : null`,
			`cidr    = terraform_data.sort.output.is == "cidr" ? { within = ["10.0.0.0/8"], prefix = 24 } : null`))
	}
	write("none", 0)
	p.Plan()
	p.ApplyRefused("one (and only one) of [numbers,cidr,names] is required")
	wantTaken(p.Fixture)
	write("numbers", 1)
	p.PlanApply()
	wantValues(p, "30000")
	p.Wants(p.Do("state", "show", "cas_configmap_allocation.a"), "number = 30000")
	p.PlanNothing()

	write("numbers", 2)
	p.Wants(p.Plan(), "0 to add, 2 to change, 0 to destroy")
	p.Apply()
	wantValues(p, "30000")
	p.PlanNothing()

	write("cidr", 3)
	p.Wants(p.Plan(), "0 to add, 2 to change, 0 to destroy")
	refused := []string{"Error: Invalid Allocation", "The plan did not know yet that numbers is null.", "Nothing was written.", "Run terraform plan again: it replaces the allocation."}
	if strings.Contains(p.CLI.CLI, "tofu") { // OpenTofu does not tell a plan from an apply, so that it is the one that refuses
		refused = []string{"Error: Provider produced inconsistent final plan", "changed the planned action from Update to DeleteThenCreate"}
	}
	p.ApplyRefused(refused...)
	wantTaken(p.Fixture, "30000")
	p.Wants(p.Plan(), "1 to add, 0 to change, 1 to destroy")
	p.Apply()
	wantValues(p, "10.0.0.0/24")
	wantTaken(p.Fixture, "10.0.0.0/24")
	p.PlanNothing()
}

// However often it is tried, a take says one time: that of its first try.
func TestAllocationTriedAgainSaysWhenItWasFirstTried(t *testing.T) {
	for name, meets := range map[string]func(*fixture.Pipeline) testcluster.Fault{
		"a conflict": func(p *fixture.Pipeline) testcluster.Fault {
			p.Set("testmap", "foo", `{"30000": {"claimant": "hand"}}`)
			return testcluster.Fault{}
		},
		"it never arrived": func(*fixture.Pipeline) testcluster.Fault { return testcluster.Fault{DropBefore: true} },
		"the server is busy": func(*fixture.Pipeline) testcluster.Fault {
			return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Proxied()
			p.Create("testmap", nil)
			p.Write(block("a", ofFive))
			p.Plan()
			proxy.Reset()
			var tried atomic.Bool
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method != http.MethodPatch || !tried.CompareAndSwap(false, true) {
					return testcluster.Fault{}
				}
				<-time.After(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // the next try is in another second
				return meets(p)
			})
			p.Apply()
			since := map[any]bool{pool(p.Fixture)[values(p)[0]]["since"]: true}
			tries := 0
			for _, r := range proxy.Requests() {
				if r.Method != http.MethodPatch {
					continue
				}
				tries++
				for _, m := range takenIn(t, r.Body) {
					if m["claimant"] != "hand" {
						since[m["since"]] = true
					}
				}
			}
			if tries != 2 || len(since) != 1 {
				t.Errorf("%d tries, of %v", tries, since)
			}
		})
	}
}

// takenIn is the pool in a merge patch.
func takenIn(t *testing.T, body []byte) (all map[string]member) {
	t.Helper()
	var patch struct{ Data map[string]string }
	if err := json.Unmarshal(body, &patch); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(patch.Data["foo"]), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestKeyThatHoldsNoPoolStaysAsItIs(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "30000", "a list": "[]", "a member that is no object": `{"30000": "web"}`, "a member that is there twice": `{"1": {}, "1": {}}`, "nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": text})
			p.Write(block("a", ofFive))
			p.PlanRefused([]string{"Error: Not A Pool", "foo holds no pool: "})
			p.Set("testmap", "foo", "{}")
			p.Plan()
			p.Set("testmap", "foo", text)
			p.ApplyRefused("Error: Not A Pool", "Nothing was written.")
			p.WantLive("testmap", fixture.Data{"foo": text})
			p.WantState()
		})
	}
}

func TestPoolOfAConfigMapThatCannotBeWritten(t *testing.T) {
	immutable := true
	for name, row := range map[string]struct {
		change      func(*fixture.Fixture)
		plan, apply []string
	}{
		"gone": {func(f *fixture.Fixture) { f.Remove("testmap") }, []string{"Warning: ConfigMap Does Not Exist Yet"}, []string{"Error: ConfigMap Not Found"}},
		"immutable": {func(f *fixture.Fixture) {
			f.Change("testmap", func(cm *corev1.ConfigMap) { cm.Immutable = &immutable })
		}, nil, []string{"Error: ConfigMap Is Immutable"}},
		"too large": {
			func(f *fixture.Fixture) {
				f.Set("testmap", "bar", strings.Repeat("x", 1<<20-len(`{"30000":{"claimant":"hand"}}`)-20))
			},
			[]string{"Warning: ConfigMap Too Large"},
			[]string{"Error: ConfigMap Too Large", "Fit: 1 allocations, and all of them are taken"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", hand("30000"))
			p.Write(block("a", ofFive))
			p.Plan()
			row.change(p.Fixture)
			p.ApplyRefused(row.apply...)
			if row.plan == nil {
				p.PlanRefused(row.apply)
			} else {
				p.Wants(p.Plan(), row.plan...)
			}
			p.WantState()
		})
	}
}

// Of as many as the ConfigMap has room for and one more, one is refused, which says how many fit, and no other suffers.
func TestOneAllocationMoreThanFits(t *testing.T) {
	const fit = 20
	members := make([]string, fit)
	for i := range members {
		members[i] = fmt.Sprintf(`"%d":{"claimant":"shop/web","id":"0123456789ABCDEF","since":"2026-11-25T01:47:11Z"}`, 30000+i)
	}
	text := "{\n" + strings.Join(members, ",\n") + "\n}"
	filler := strings.Repeat("x", 1<<20-len("foo"+text+"bar"))
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"bar": filler})
	p.Write(block("a", fmt.Sprintf("count = %d", fit+1), web, `numbers = { from = 30000, to = 30099 }`))
	p.Plan()
	if out := p.ApplyRefused("Error: ConfigMap Too Large", "Fit: 20 allocations, and all of them are taken"); strings.Count(out, "Error: ") != 1 {
		t.Errorf("more than one is refused:\n%s", out)
	}
	if got := values(p); len(got) != fit || len(p.Live("testmap").Data["foo"]) != len(text) {
		t.Errorf("%d are taken: %v", len(got), got)
	}
	p.Wants(p.Plan(), "Warning: ConfigMap Too Large", "Fit: 20 allocations, and all of them are taken", "1 to add")
	p.Destroy()
	wantTaken(p.Fixture)
}

func TestAllocationsShareRequests(t *testing.T) {
	const n = 200
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	proxy := p.Proxied()
	p.Write(several(n, `numbers = { from = 1, to = 1000 }`))
	p.Plan()
	proxy.Reset()
	p.Apply()
	took := fixture.RequestsOf(proxy)
	if got := values(p); len(got) != n {
		t.Errorf("%d values", len(got))
	}
	proxy.Reset()
	p.Destroy()
	wantTaken(p.Fixture)
	released := fixture.RequestsOf(proxy)
	if t.Logf("%d requests for %d allocations, %d to refresh and release them", took, n, released); took > 3*n/10 || released > 3*n/10 {
		t.Errorf("that is more than 0.3 each")
	}
}

func TestEntryAndAllocationOfOneKeyAreTwoOwners(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Write(fixture.EntryBlock("e", `value = "{}"`) + block("a", ofFive))
	p.PlanRefused([]string{"Error: Key Written Twice"})
	p.Write(fixture.CounterBlock("n") + block("a", ofFive))
	p.PlanRefused([]string{"Error: Key Written Twice"})
}

func TestAllocationInvalidConfiguration(t *testing.T) {
	f := fixture.New(t)
	rows := map[string]string{
		"":                               "[numbers,cidr,names]",
		ofFive + "\n" + `names = ["a"]`:  "[numbers,cidr,names]",
		`numbers = { from = 2, to = 1 }`: "from (2) must not be above to (1)",
		`cidr = { within = ["10.0.0.1/8"], prefix = 24 }`:                "10.0.0.1/8 has bits behind its length: write 10.0.0.0/8",
		`cidr = { within = ["ten"], prefix = 24 }`:                       `must hold prefixes such as 10.0.0.0/12, not "ten"`,
		`cidr = { within = ["10.0.0.0/24"], prefix = 8 }`:                "must be between 24 and 32 for 10.0.0.0/24, not 8",
		`cidr = { within = ["10.0.0.0/8", "10.1.0.0/16"], prefix = 24 }`: "10.1.0.0/16 overlaps another one",
		`numbers = { from = 0, to = 1, except = [null] }`:                `Attribute numbers.except: must hold numbers, not null.`,
		`names = ["a", "a"]`:                                            `Attribute names: has "a" twice.`,
		`names = ["a\ufffd"]`:                                           `must hold texts of 1 to 128 bytes without U+FFFD, not "a`,
		ofFive + "\n" + `prefer = "7"`:                                  "The preferred value is not in the range.",
		ofFive + "\n" + `wait_for_free = "soon"`:                        `must be a duration above zero`,
		ofFive + "\n" + `claimant = "` + strings.Repeat("x", 129) + `"`: "must be between 1 and 128",
	}
	config, wants := "", map[string][]string{}
	for lines, want := range rows {
		label := fmt.Sprintf("c%d", len(wants))
		wants[label] = []string{want}
		config += block(label, lines)
	}
	f.RunInvalidBlocks(config, wants)
}

func TestNameInAnotherUnicodeFormIsTaken(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "{\"cafe\u0301\": {\"claimant\": \"hand\"}}"})
	p.Planned(block("a", "names = [\"caf\u00e9\", \"b\"]"))
	wantTaken(p.Fixture, "cafe\u0301", "b")
}

func TestAllocationNeedsNoMoreThanItsRole(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.ProxiedAs(p.User("allocates", "configmaps", "get", "patch"))
	p.Create("testmap", nil)
	p.Planned(block("a", ofFive))
	wantValues(p, "30000")
	p.Destroy()
	wantTaken(p.Fixture)
	if n := proxy.Count(http.MethodPatch); n != 2 {
		t.Errorf("%d patches", n)
	}
}
