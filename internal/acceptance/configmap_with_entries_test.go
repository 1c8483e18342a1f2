package acceptance_test

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
func manyEntries(n int, of, value string, lines ...string) (body string, want data) {
	want = data{}
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

// Entries and their ConfigMap are created, updated and destroyed in one run: none of it is foreign to the others.
func TestConfigMapAndItsEntriesLiveInOneConfiguration(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 20} {
		t.Run(fmt.Sprintf("%d entries", n), func(t *testing.T) {
			p := newPipeline(t)
			with := func(tier, value string) data {
				body, want := manyEntries(n, "cas_configmap.all", value)
				p.write(wholeBlock("all", `labels = { tier = `+quoted(tier)+` }`) + body)
				return want
			}
			want := with("a", "1")
			p.planApply()
			p.wantWhole("testmap", whole{Labels: data{"tier": "a"}, Data: want})
			p.planNothing()

			// Both at once, by the versions of one plan, and then one of the two alone.
			want = with("b", "2")
			p.wants(p.plan(), fmt.Sprintf("0 to add, %d to change", n+1))
			p.apply()
			p.wantWhole("testmap", whole{Labels: data{"tier": "b"}, Data: want})
			p.planNothing()
			with("c", "2")
			p.wants(p.plan(), "1 to change")
			p.apply()
			want = with("c", "3")
			p.wants(p.plan(), fmt.Sprintf("%d to change", n))
			p.apply()
			p.wantWhole("testmap", whole{Labels: data{"tier": "c"}, Data: want})

			p.planApply("-destroy")
			p.wantState()
			p.wantNone("testmap")

			// And with the plan in the same process, both removed from the configuration.
			with("a", "1")
			p.planApply()
			p.planned(nothing)
			p.wantState()
			p.wantNone("testmap")
		})
	}
}

// A foreign write between the plan and the apply refuses every one of them, and nothing is lost.
func TestConfigMapAndItsEntriesAfterAForeignWrite(t *testing.T) {
	p := newPipeline(t)
	body, want := manyEntries(3, "cas_configmap.all", "1")
	p.planned(wholeBlock("all") + body)
	p.plan("-destroy")
	p.set("testmap", "theirs", "1")
	p.applyRefused(wholeConflict, "Nothing was removed.")
	want["theirs"] = "1"
	p.wantLive("testmap", want)
	p.destroy()
	p.wantNone("testmap")
}

// The ConfigMap goes last. What comes between the removal of the entries and its own is foreign.
func TestConfigMapForeignWriteBeforeItsRemoval(t *testing.T) {
	p := newPipeline(t)
	proxy := p.proxied()
	body, _ := manyEntries(1, "cas_configmap.all", "1")
	p.planned(wholeBlock("all") + body)
	p.plan("-destroy")
	proxy.SetHook(beforeFirst(http.MethodDelete, func() { p.set("testmap", "theirs", "1") }))
	p.applyRefused("cas_configmap_entry.each[\"k0\"]: Destruction complete", wholeConflict, "Nothing was removed.")
	p.wantLive("testmap", data{"theirs": "1"})
	p.wantState("all")
}

func TestConfigMapOfGeneratedNameIsReplacedBeforeItIsDestroyed(t *testing.T) {
	p := newPipeline(t)
	const n = 20
	with := func(prefix, value string) data {
		body, want := manyEntries(n, "cas_configmap.all", value)
		p.write(wholeBlock("all", fmt.Sprintf("generate_name = %q", prefix), createFirst) + body)
		return want
	}
	want := with("first-", "1")
	p.wants(p.plan(), "(known after apply)")
	p.apply()
	first := p.name("all", "first-")
	p.wantLive(first, want)
	p.planNothing()

	want = with("second-", "2")
	p.planApply()
	second := p.name("all", "second-")
	p.wantLive(second, want)
	p.wantNone(first)
	p.planNothing()

	p.destroy()
}

// What was deposed is planned when it is applied, and must not take for the plan's observation what was written since.
func TestDeposedConfigMapWithAForeignWriteBetweenPlanAndApply(t *testing.T) {
	p := newPipeline(t)
	with := func(prefix string) {
		p.write(wholeBlock("all", fmt.Sprintf("generate_name = %q", prefix), `data = { foo = "1" }`, createFirst))
	}
	with("first-")
	p.planApply()
	first := p.name("all", "first-")
	with("second-")
	p.plan()
	p.set(first, "foo", "theirs")
	p.applyRefused(wholeConflict, `Key: foo Expected: "1" Found: "theirs"`, "Nothing was removed.")
	p.wantLive(first, data{"foo": "theirs"})
	p.wantState("all", "deposed all")
	p.wantLive(p.name("all", "second-"), data{"foo": "1"})
	p.planApply()
	if p.wantState("all"); p.exists(first) {
		t.Error("the first is there still")
	}
}

// name is the name that a resource has, which must be of the prefix.
func (p *pipeline) name(resource, prefix string) string {
	p.Helper()
	name, _ := p.state()[resource].Attributes["name"].(string)
	if !regexp.MustCompile("^" + prefix + "[a-z0-9]{5}$").MatchString(name) {
		p.Fatalf("the name is %q, want %s and five characters", name, prefix)
	}
	if got := p.live(name).GenerateName; got != prefix {
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
		want     whole
	}{
		"data": {
			[]string{`labels = { a = "1" }`, `data = { foo = "2" }`, `binary_data = { raw = "AQ==" }`, `immutable = true`},
			"data",
			whole{Labels: data{"a": "1"}, Data: data{"foo": "2"}, Bytes: map[string][]byte{"raw": {1}}, Immutable: true},
		},
		"binary_data": {
			[]string{`data = { foo = "1" }`, `binary_data = {}`, `immutable = true`},
			"binary_data",
			whole{Data: data{"foo": "1"}, Immutable: true},
		},
		"the mark": {
			[]string{`data = { foo = "1" }`}, "immutable", whole{Data: data{"foo": "1"}},
		},
		"labels": {
			[]string{`labels = { b = "2" }`, `annotations = { c = "3" }`, `data = { foo = "1" }`, `immutable = true`},
			"",
			whole{
				Labels: data{"b": "2"}, Annotations: data{"c": "3"},
				Data: data{"foo": "1"}, Bytes: map[string][]byte{"raw": {1}}, Immutable: true,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.planned(wholeBlock("all", first...))
			uid := p.live("testmap").UID
			p.write(wholeBlock("all", test.to...))
			out := p.plan()
			if test.replaced != "" {
				p.wants(out, "1 to add, 0 to change, 1 to destroy")
				if !regexp.MustCompile(test.replaced + ` = [^#]*# forces replacement`).MatchString(out) {
					t.Errorf("%s forces nothing:\n%s", test.replaced, out)
				}
			} else {
				p.wants(out, "0 to add, 1 to change, 0 to destroy")
			}
			p.apply()
			p.wantWhole("testmap", test.want)
			if (p.live("testmap").UID != uid) != (test.replaced != "") {
				t.Errorf("replaced: %t", p.live("testmap").UID != uid)
			}
			p.planNothing()
		})
	}
}

func TestImmutableConfigMapWhoseDataWasLeftToOthers(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `immutable = true`))
	p.write(wholeBlock("all", `immutable = true`, `data = {}`))
	p.wants(p.plan(), "1 to change") // there is no value to change
	p.apply()
	p.planNothing()
	p.planned(wholeBlock("all", `immutable = true`))
	p.write(wholeBlock("all", `immutable = true`, `data = { foo = "1" }`))
	p.wants(p.plan(), "1 to add, 0 to change, 1 to destroy")
	p.apply()
	p.wantWhole("testmap", whole{Data: data{"foo": "1"}, Immutable: true})
}

func TestImmutableConfigMapChangedByOthersBeforeItIsReplaced(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "1" }`, `immutable = true`))
	p.write(wholeBlock("all", `data = { foo = "2" }`, `immutable = true`))
	p.plan()
	p.change("testmap", func(cm *corev1.ConfigMap) { cm.Labels = data{"theirs": "1"} })
	p.applyRefused(wholeConflict, "Nothing was removed.")
	p.wantLive("testmap", data{"foo": "1"})
	p.planApply()
	p.wantLive("testmap", data{"foo": "2"})
}

func TestConfigMapIsReplacedByOneOfTheSameName(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	uid := p.live("testmap").UID
	p.planApply("-replace=cas_configmap.all")
	if p.live("testmap").UID == uid {
		t.Error("it was not replaced")
	}
	p.planNothing()
	p.plan("-replace=cas_configmap.all")
	p.set("testmap", "foo", "foreign")
	p.applyRefused(wholeConflict, `Key: foo Expected: "1" Found: "foreign"`, "Nothing was removed.")
	p.wantLive("testmap", data{"foo": "foreign"})

	p.write(wholeBlock("all", `name = "other"`, `data = { foo = "1" }`))
	p.wants(p.plan(), "# forces replacement")
	p.apply()
	p.wantLive("other", data{"foo": "1"})
	p.wantNone("testmap")

	// Two of one name cannot be, and nothing is lost in trying.
	p.write(wholeBlock("all", `name = "other"`, `data = { foo = "1" }`, createFirst))
	p.plan("-replace=cas_configmap.all")
	p.applyRefused(wholeExists, "with create_before_destroy, use generate_name.")
	p.wantLive("other", data{"foo": "1"})
	p.wantState("deposed all") // Terraform's doing, where what it plans while applying is refused
}

func TestTaintedConfigMap(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	p.do("taint", "cas_configmap.all")
	p.planRefused([]string{wholeExists, "If this resource is tainted, run terraform untaint with the address above."})
	p.do("untaint", "cas_configmap.all")
	p.planNothing()
	p.do("taint", "cas_configmap.all")
	uid := p.live("testmap").UID
	p.setenv("CAS_PLAN_CHECK", "warning")
	p.planApply()
	if p.live("testmap").UID == uid {
		t.Error("it was not replaced")
	}
	p.planNothing()
}

// A generated name that is taken is not taken over: another one is made.
func TestConfigMapGeneratedNameThatIsTaken(t *testing.T) {
	p := newPipeline(t)
	proxy := p.proxied()
	p.write(wholeBlock("all", `generate_name = "app-"`, `data = { foo = "1" }`))
	p.plan()
	var taken string
	proxy.SetHook(beforeFirst(http.MethodPost, func() {
		requests := proxy.Requests()
		taken = path.Base(requests[len(requests)-2].Path) // of the look before it
		p.create(taken, data{"foo": "theirs"})
	}))
	p.apply()
	if name := p.name("all", "app-"); name == taken || taken == "" {
		t.Errorf("the name is %q, and %q was taken", name, taken)
	}
	p.wantLive(taken, data{"foo": "theirs"})
	p.planNothing()

	p.planned(wholeBlock("long", fmt.Sprintf("generate_name = %q", strings.Repeat("p", 200))))
	if name, _ := p.state()["long"].Attributes["name"].(string); len(name) != 63 {
		t.Errorf("the name is %q, of %d characters", name, len(name))
	}
}

// An answer that gets lost is found out about, by the name.
func TestConfigMapAnswerToACreationThatIsLost(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`name = "testmap"`, `generate_name = "app-"`} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			proxy := p.proxied()
			p.write(wholeBlock("all", name, `data = { foo = "1" }`))
			p.plan()
			proxy.SetHook(onceFor(t, http.MethodPost, testcluster.Fault{DropAfter: true}))
			p.apply()
			if p.wantState("all")["all"].Attributes["uid"] == nil {
				t.Error("the state has no uid")
			}
			p.planNothing()
			list, err := p.cluster.Client().CoreV1().ConfigMaps(p.namespace).List(p.Context(), metav1.ListOptions{})
			if err != nil || len(list.Items) != 1 {
				t.Errorf("%d ConfigMaps (%v), want 1", len(list.Items), err)
			}
		})
	}
}
