package configmap

import (
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// beforeFirst makes a hook that does something before the first request with the method reaches the server.
func beforeFirst(method string, do func()) func(*http.Request) testcluster.Fault {
	var once sync.Once
	return func(r *http.Request) testcluster.Fault {
		if r.Method == method {
			once.Do(do)
		}
		return testcluster.Fault{}
	}
}

// manyEntries is n entries k0, k1, … of the ConfigMap of a resource, and what they hold.
func manyEntries(n int, of, value string, lines ...string) (body string, want fixture.Data) {
	want = fixture.Data{}
	for i := range n {
		want[fmt.Sprintf("k%d", i)] = value
	}
	return fmt.Sprintf(`resource "cas_configmap_entry" "each" {
  for_each  = toset([for i in range(%d) : "k${i}"])
  namespace = %s.namespace
  name      = %[2]s.name
  key       = each.key
  value     = %q
  %s
}
`, n, of, value, strings.Join(lines, "\n  ")), want
}

// Entries and their ConfigMap are created, updated and destroyed in one run without a conflict among them.
func TestConfigMapAndItsEntriesLiveInOneConfiguration(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 20} {
		t.Run(fmt.Sprintf("%d entries", n), func(t *testing.T) {
			p := fixture.NewPipeline(t)
			with := func(tier, value string) fixture.Data {
				body, want := manyEntries(n, "cas_configmap.all", value)
				p.Write(fixture.WholeBlock("all", `labels = { tier = `+fixture.Quoted(tier)+` }`) + body)
				return want
			}
			want := with("a", "1")
			p.PlanApply()
			p.WantWhole("testmap", fixture.Whole{Labels: fixture.Data{"tier": "a"}, Data: want})
			p.PlanNothing()

			// Both at once, by the versions of one plan, and then one of the two alone.
			want = with("b", "2")
			p.Wants(p.Plan(), fmt.Sprintf("0 to add, %d to change", n+1))
			p.Apply()
			p.WantWhole("testmap", fixture.Whole{Labels: fixture.Data{"tier": "b"}, Data: want})
			p.PlanNothing()
			with("c", "2")
			p.Wants(p.Plan(), "1 to change")
			p.Apply()
			want = with("c", "3")
			p.Wants(p.Plan(), fmt.Sprintf("%d to change", n))
			p.Apply()
			p.WantWhole("testmap", fixture.Whole{Labels: fixture.Data{"tier": "c"}, Data: want})

			p.PlanApply("-destroy")
			p.WantState()
			p.WantNone("testmap")

			// And with the plan in the same process, both removed from the configuration.
			with("a", "1")
			p.PlanApply()
			p.Planned(fixture.Nothing)
			p.WantState()
			p.WantNone("testmap")
		})
	}
}

// A write of another writer between the plan and the apply refuses all of them, and nothing is lost.
func TestConfigMapAndItsEntriesAfterAForeignWrite(t *testing.T) {
	p := fixture.NewPipeline(t)
	body, want := manyEntries(3, "cas_configmap.all", "1")
	p.Planned(fixture.WholeBlock("all", fixture.Deletes) + body)
	p.Plan("-destroy")
	p.Set("testmap", "theirs", "1")
	p.ApplyRefused(wholeConflict, "Nothing was removed.")
	want["theirs"] = "1"
	p.WantLive("testmap", want)
	p.Destroy()
	p.WantNone("testmap")
}

// The ConfigMap is removed last. A write of another writer after the removal of the entries is a conflict.
func TestConfigMapForeignWriteBeforeItsRemoval(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	body, _ := manyEntries(1, "cas_configmap.all", "1")
	p.Planned(fixture.WholeBlock("all") + body)
	p.Plan("-destroy")
	proxy.SetHook(beforeFirst(http.MethodDelete, func() { p.Set("testmap", "theirs", "1") }))
	p.ApplyRefused("cas_configmap_entry.each[\"k0\"]: Destruction complete", wholeConflict, "Nothing was removed.")
	p.WantLive("testmap", fixture.Data{"theirs": "1"})
	p.WantState("all")
}

func TestConfigMapOfGeneratedNameIsReplacedBeforeItIsDestroyed(t *testing.T) {
	p := fixture.NewPipeline(t)
	const n = 20
	with := func(prefix, value string) fixture.Data {
		body, want := manyEntries(n, "cas_configmap.all", value)
		p.Write(fixture.WholeBlock("all", fmt.Sprintf("generate_name = %q", prefix), fixture.CreateFirst) + body)
		return want
	}
	want := with("first-", "1")
	p.Wants(p.Plan(), "(known after apply)")
	p.Apply()
	first := name(p, "all", "first-")
	p.WantLive(first, want)
	p.PlanNothing()

	want = with("second-", "2")
	p.PlanApply()
	second := name(p, "all", "second-")
	p.WantLive(second, want)
	p.WantNone(first)
	p.PlanNothing()

	p.Destroy()
}

// The removal of a deposed object is planned when it is applied. It must not count a later write as the plan's observation.
func TestDeposedConfigMapWithAForeignWriteBetweenPlanAndApply(t *testing.T) {
	p := fixture.NewPipeline(t)
	with := func(prefix string) {
		p.Write(fixture.WholeBlock("all", fmt.Sprintf("generate_name = %q", prefix), `data = { foo = "1" }`, fixture.Deletes, fixture.CreateFirst))
	}
	with("first-")
	p.PlanApply()
	first := name(p, "all", "first-")
	with("second-")
	p.Plan()
	p.Set(first, "foo", "theirs")
	p.ApplyRefused(wholeConflict, `Key: foo Expected: "1" Found: "theirs"`, "Nothing was removed.")
	p.WantLive(first, fixture.Data{"foo": "theirs"})
	p.WantState("all", "deposed all")
	p.WantLive(name(p, "all", "second-"), fixture.Data{"foo": "1"})
	p.PlanApply()
	if p.WantState("all"); p.Exists(first) {
		t.Error("the first is there still")
	}
}

// name is the name that a resource has, which must be of the prefix.
func name(p *fixture.Pipeline, resource, prefix string) string {
	p.Helper()
	name, _ := p.State()[resource].Attributes["name"].(string)
	if !regexp.MustCompile("^" + prefix + "[a-z0-9]{5}$").MatchString(name) {
		p.Fatalf("the name is %q, want %s and five characters", name, prefix)
	}
	if got := p.Live(name).GenerateName; got != prefix {
		p.Errorf("metadata.generateName is %q, want %q", got, prefix)
	}
	return name
}

func TestImmutableConfigMapIsReplacedWhereItMustBe(t *testing.T) {
	t.Parallel()
	first := []string{`labels = { a = "1" }`, `data = { foo = "1" }`, `binary_data = { raw = "AQ==" }`, `immutable = true`}
	for name, test := range map[string]struct {
		to       []string
		replaced string // the attribute that forces it; "" where nothing does
		want     fixture.Whole
	}{
		"data": {
			[]string{`labels = { a = "1" }`, `data = { foo = "2" }`, `binary_data = { raw = "AQ==" }`, `immutable = true`},
			"data",
			fixture.Whole{Labels: fixture.Data{"a": "1"}, Data: fixture.Data{"foo": "2"}, Bytes: map[string][]byte{"raw": {1}}, Immutable: true},
		},
		"binary_data": {
			[]string{`data = { foo = "1" }`, `binary_data = {}`, `immutable = true`},
			"binary_data",
			fixture.Whole{Data: fixture.Data{"foo": "1"}, Immutable: true},
		},
		"the mark": {
			[]string{`data = { foo = "1" }`}, "immutable", fixture.Whole{Data: fixture.Data{"foo": "1"}},
		},
		"labels": {
			[]string{`labels = { b = "2" }`, `annotations = { c = "3" }`, `data = { foo = "1" }`, `immutable = true`},
			"",
			fixture.Whole{
				Labels: fixture.Data{"b": "2"}, Annotations: fixture.Data{"c": "3"},
				Data: fixture.Data{"foo": "1"}, Bytes: map[string][]byte{"raw": {1}}, Immutable: true,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Planned(fixture.WholeBlock("all", first...))
			uid := p.Live("testmap").UID
			p.Write(fixture.WholeBlock("all", test.to...))
			out := p.Plan()
			if test.replaced != "" {
				p.Wants(out, "1 to add, 0 to change, 1 to destroy")
				if !regexp.MustCompile(test.replaced + ` = [^#]*# forces replacement`).MatchString(out) {
					t.Errorf("%s forces nothing:\n%s", test.replaced, out)
				}
			} else {
				p.Wants(out, "0 to add, 1 to change, 0 to destroy")
			}
			p.Apply()
			p.WantWhole("testmap", test.want)
			if (p.Live("testmap").UID != uid) != (test.replaced != "") {
				t.Errorf("replaced: %t", p.Live("testmap").UID != uid)
			}
			p.PlanNothing()
		})
	}
}

func TestImmutableConfigMapWhoseDataWasLeftToOthers(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `immutable = true`))
	p.Write(fixture.WholeBlock("all", `immutable = true`, `data = {}`))
	p.Wants(p.Plan(), "1 to change") // there is no value to change
	p.Apply()
	p.PlanNothing()
	p.Planned(fixture.WholeBlock("all", `immutable = true`))
	p.Write(fixture.WholeBlock("all", `immutable = true`, `data = { foo = "1" }`))
	p.Wants(p.Plan(), "1 to add, 0 to change, 1 to destroy")
	p.Apply()
	p.WantWhole("testmap", fixture.Whole{Data: fixture.Data{"foo": "1"}, Immutable: true})
}

func TestImmutableConfigMapChangedByOthersBeforeItIsReplaced(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`, `immutable = true`))
	p.Write(fixture.WholeBlock("all", `data = { foo = "2" }`, `immutable = true`))
	p.Plan()
	p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Labels = fixture.Data{"theirs": "1"} })
	p.ApplyRefused(wholeConflict, "Nothing was removed.")
	p.WantLive("testmap", fixture.Data{"foo": "1"})
	p.PlanApply()
	p.WantLive("testmap", fixture.Data{"foo": "2"})
}

func TestConfigMapIsReplacedByOneOfTheSameName(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", fixture.Deletes, `data = { foo = "1" }`))
	uid := p.Live("testmap").UID
	p.PlanApply("-replace=cas_configmap.all")
	if p.Live("testmap").UID == uid {
		t.Error("it was not replaced")
	}
	p.PlanNothing()
	p.Plan("-replace=cas_configmap.all")
	p.Set("testmap", "foo", "foreign")
	p.ApplyRefused(wholeConflict, `Key: foo Expected: "1" Found: "foreign"`, "Nothing was removed.")
	p.WantLive("testmap", fixture.Data{"foo": "foreign"})

	p.Write(fixture.WholeBlock("all", `name = "other"`, `data = { foo = "1" }`))
	p.Wants(p.Plan(), "# forces replacement")
	p.Apply()
	p.WantLive("other", fixture.Data{"foo": "1"})
	p.WantNone("testmap")

	// Two of one name cannot be, and nothing is lost in trying.
	p.Write(fixture.WholeBlock("all", `name = "other"`, `data = { foo = "1" }`, fixture.CreateFirst))
	p.Plan("-replace=cas_configmap.all")
	p.ApplyRefused(wholeExists, "with create_before_destroy, use generate_name.")
	p.WantLive("other", fixture.Data{"foo": "1"})
	if state := p.State(); len(state) != 1 { // OpenTofu leaves it deposed
		t.Errorf("the state tracks %v", state)
	}
}

func TestTaintedConfigMap(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
	p.Do("taint", "cas_configmap.all")
	p.PlanRefused([]string{wholeExists, "If this resource is tainted, run terraform untaint with the address above."})
	p.Do("untaint", "cas_configmap.all")
	p.PlanNothing()
	p.Do("taint", "cas_configmap.all")
	uid := p.Live("testmap").UID
	p.Export("CAS_PLAN_CHECK", "warning")
	p.Plan()
	p.ApplyRefused("Error: ConfigMap Has Other Keys", "keys that this resource may not have written", "run terraform untaint with its address.")
	p.Do("untaint", "cas_configmap.all")
	p.PlanNothing()
	p.PlanApply("-replace=cas_configmap.all")
	if p.Live("testmap").UID == uid {
		t.Error("it was not replaced")
	}
	p.PlanNothing()
}

// A generated name that is taken is not taken over: another one is made.
func TestConfigMapGeneratedNameThatIsTaken(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	p.Write(fixture.WholeBlock("all", `generate_name = "app-"`, `data = { foo = "1" }`))
	p.Plan()
	var taken string
	proxy.SetHook(beforeFirst(http.MethodPost, func() {
		requests := proxy.Requests()
		taken = path.Base(requests[len(requests)-2].Path) // of the look before it
		p.Create(taken, fixture.Data{"foo": "theirs"})
	}))
	p.Apply()
	if name := name(p, "all", "app-"); name == taken || taken == "" {
		t.Errorf("the name is %q, and %q was taken", name, taken)
	}
	p.WantLive(taken, fixture.Data{"foo": "theirs"})
	p.PlanNothing()

	p.Planned(fixture.WholeBlock("long", fmt.Sprintf("generate_name = %q", strings.Repeat("p", 200))))
	if name, _ := p.State()["long"].Attributes["name"].(string); len(name) != 63 {
		t.Errorf("the name is %q, of %d characters", name, len(name))
	}
}

// After a lost response to a creation, the provider reads the object by its name.
func TestConfigMapAnswerToACreationThatIsLost(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`name = "testmap"`, `generate_name = "app-"`} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Proxied()
			p.Write(fixture.WholeBlock("all", name, `data = { foo = "1" }`))
			p.Plan()
			proxy.SetHook(fixture.OnceFor(t, http.MethodPost, testcluster.Fault{DropAfter: true}))
			p.Apply()
			if p.WantState("all")["all"].Attributes["uid"] == nil {
				t.Error("the state has no uid")
			}
			p.PlanNothing()
			list, err := p.Cluster.Client().CoreV1().ConfigMaps(p.Namespace).List(p.Context(), metav1.ListOptions{})
			if err != nil || len(list.Items) != 1 {
				t.Errorf("%d ConfigMaps (%v), want 1", len(list.Items), err)
			}
		})
	}
}
