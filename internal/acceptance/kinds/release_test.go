package kinds

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// releaseTable has the content of foo after the resource that has it leaves the configuration, or after its resource of
// several keys no longer names foo. Rows are the way in which the resource got foo, and whether another writer has
// changed foo since; columns are deletion_policy, and on_drift if it matters. "gone" and "first" describe the live
// content: "first" is the content before the resource had foo. "kept" is the content at the plan, without a write
// request. The warning of the plan follows a colon. "refused" describes the plan. "lost" was created, and the refused
// replace of a tainted resource has lost its private state. "remade" was created, and then somebody made the object
// again, as it was. Fields of another object are like keys.
const releaseTable = `
how       since    | release       restore       delete/error  delete/overwrite abandon
created   -        | gone          gone          gone          gone            kept
created   changed  | kept:changed  kept:changed  refused       gone:changed    kept
existed   -        | kept:older    first:back    gone:older    gone:older      kept
existed   changed  | kept:changed  kept:changed  refused       gone:changed    kept
adopted   -        | kept:older    first         gone:older    gone:older      kept
adopted   changed  | kept:changed  kept:changed  refused       gone:changed    kept
remade    -        | kept:older    first         gone:older    gone:older      kept
remade    changed  | kept:changed  kept:changed  refused       gone:changed    kept
imported  -        | kept:older    first         gone:older    gone:older      kept
imported  changed  | kept:changed  kept:changed  refused       gone:changed    kept
moved     -        | kept:unknown  kept:unknown  gone          gone            kept
moved     changed  | kept:changed  kept:changed  refused       gone:changed    kept
lost      -        | kept:unknown  kept:unknown  gone          gone            kept
lost      changed  | kept:changed  kept:changed  refused       gone:changed    kept
`

// says is the text of a plan, by the word of the table.
var says = map[string]string{
	"kept:older": "Warning: Key Stays In Place", "kept:unknown": "It is not known what foo held before this resource wrote it, so it stays as it is.",
	"kept:changed": "foo does not hold what this resource last wrote, so it stays as it is.",
	"gone:older":   "Warning: Key Existed Before Terraform", "gone:changed": "Warning: Value Changed Since Last Apply",
	"refused":    "Error: Value Changed Since Last Apply",
	"first:back": "Warning: Value Will Be Put Back",
}

func TestKeysThatAreLetGo(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(releaseTable), "\n")
	_, head, _ := strings.Cut(lines[0], "|")
	for _, line := range lines[1:] {
		row, cells, _ := strings.Cut(line, "|")
		given := strings.Fields(row)
		for i, want := range strings.Fields(cells) {
			policy, drift, isNamed := strings.Cut(strings.Fields(head)[i], "/")
			if !isNamed {
				drift = "error"
			}
			for _, way := range []string{"removed", "dropped"} {
				t.Run(strings.Join([]string{given[0], given[1], policy, drift, way}, "/"), func(t *testing.T) {
					t.Parallel()
					let := func(p *fixture.Pipeline, o fixture.Object, form string) {
						if o.Kind.IsSecret() && policy == "restore" || form != "data" && given[0] == "moved" || form == "entry" && way == "dropped" ||
							given[0] == "lost" && (way == "removed" && policy != "delete" || o.Kind.IsSecret() && given[1] == "changed") {
							return // with another policy, nothing refuses the replace of a tainted resource; the state of a Secret is no baseline
						}
						letGo(p, o, form, given[0], given[1] == "changed", policy, drift, want, way == "dropped")
					}
					onKinds(t, let)
					onFields(t, let)
				})
			}
		}
	}
}

// letGo makes a resource that has foo, lets it go, and looks at what becomes of it. If isDropped is true, the resource stays and has another key.
func letGo(p *fixture.Pipeline, o fixture.Object, form, how string, isChanged bool, policy, drift, want string, isDropped bool) {
	p.Helper()
	terms := []string{"deletion_policy = " + fixture.Quoted(policy), "on_drift = " + fixture.Quoted(drift)}
	block := func(value, expected string, more ...string) string {
		return o.Kind.Block(form, value, expected, append(more, terms...)...)
	}
	first, expected := fixture.Data{"bar": "kept", "foo": "1"}, ""
	var more []string
	before := ""
	switch how {
	case "created", "lost", "remade":
		delete(first, "foo")
	case "existed":
		first["foo"], expected = "0", "0"
	case "adopted":
		more = []string{"adopt_existing = true"}
	case "imported":
		more = []string{"adopt_existing = true"}
		id := map[string]string{"entry": "${NAMESPACE}/testmap/foo", "data": "${NAMESPACE}/testmap:foo", "fields": "v1/" + o.Kind.Name + "/${NAMESPACE}/testmap/" + o.Kind.Key("foo")}[form]
		before = "import {\n  to = " + o.Kind.Address(form) + "\n  id = \"" + id + "\"\n}\n"
	case "moved":
		more = []string{"adopt_existing = true"}
		var others string
		others, before = ofKubernetes(o)
		o.Create(first)
		p.Planned(others)
	}
	if how != "moved" {
		o.Create(first)
	}
	if how == "lost" {
		loses(p, o, form, fixture.Deletes, "on_drift = "+fixture.Quoted(drift))
	}
	if how != "lost" {
		p.Planned(before + block("1", expected, more...))
	}
	if how == "remade" {
		first["foo"] = "1"
		o.Remove()
		o.Create(first)
	}
	if isChanged {
		o.Set("foo", "9")
	}
	was := o.Live()
	after := ""
	if isDropped {
		name := form + o.Kind.Suffix
		after = o.Kind.ResourceBlock(form, append(append([]string{name + ` = { "` + o.Kind.Key("other") + `" = "1" }`}, more...), terms...)...)
		if o.Kind.IsSecret() {
			after = strings.Replace(after, "data_wo =", "data_wo_version = 1\n  data_wo =", 1)
		}
	}
	p.Write(after)
	becomes, _, _ := strings.Cut(want, ":")
	if becomes == "refused" {
		p.PlanRefused([]string{o.Kind.InWords(says[want])})
		if diff := cmp.Diff(was, o.Live()); diff != "" {
			p.Errorf("the object changed (-before +after):\n%s", diff)
		}
		return
	}
	said := p.Plan()
	if text := says[want]; text != "" {
		p.Wants(said, o.Kind.InWords(text), "foo")
	} else {
		p.Wants(said, "!Warning: ")
	}
	p.Apply()
	live := o.Live()
	if !isDropped && becomes == "kept" {
		if diff := cmp.Diff(was, live); diff != "" {
			p.Errorf("the object changed (-before +after):\n%s", diff)
		}
		p.WantState()
		return
	}
	holds := fixture.Data{"bar": "kept"}
	if isDropped {
		holds["other"] = "1"
	}
	switch becomes {
	case "kept":
		holds["foo"] = was.Data["foo"]
	case "first":
		holds["foo"] = first["foo"]
	}
	if diff := cmp.Diff(holds, live.Data); diff != "" {
		p.Errorf("live (-want +got):\n%s", diff)
	}
	p.PlanNothing()
}

// ofKubernetes is a resource of hashicorp/kubernetes that has foo hold 1, and the block that moves it to this provider.
func ofKubernetes(o fixture.Object) (block, moved string) {
	from := map[bool]string{false: "kubernetes_config_map_v1_data", true: "kubernetes_secret_v1_data"}[o.Kind.IsSecret()]
	return "resource \"" + from + "\" \"it\" {\n  metadata {\n    name = \"testmap\"\n    namespace = NAMESPACE\n  }\n  data = { foo = \"1\" }\n}\n",
		"moved {\n  from = " + from + ".it\n  to = " + o.Kind.Address("data") + "\n}\n"
}

// loses has foo hold 1, by a resource that has forgotten what it wrote: it was tainted, and the removal of its replace was refused, which Terraform gives the memory of
// the creation.
func loses(p *fixture.Pipeline, o fixture.Object, form string, lines ...string) {
	p.Helper()
	address := o.Kind.Address(form)
	p.Planned(o.Kind.Block(form, "1", "", lines...))
	p.Do("taint", address)
	p.Write(o.Kind.Block(form, "1", "", append(lines, "adopt_existing = true")...))
	p.Plan()
	p.ApplyRefused("Replacement Would Fail")
	p.Do("untaint", address)
}

// Given an old state, and a plan without a refresh that reports that the key stays because another writer changed it;
// then the apply leaves the key, also if the old value is back by then.
func TestRemovalOfWhatItsPlanSaidStays(t *testing.T) {
	for name, then := range map[string]string{"quiet": "9", "put back": "1"} {
		t.Run(name, func(t *testing.T) {
			onKinds(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
				o.Create(kept)
				p.Planned(o.Kind.Block(form, "1", ""))
				o.Set("foo", "9")
				p.Wants(p.Plan("-destroy", "-refresh=false"), says["kept:changed"])
				o.Set("foo", then)
				was := o.Live()
				p.Apply()
				if diff := cmp.Diff(was, o.Live()); diff != "" {
					p.Errorf("the object changed (-before +after):\n%s", diff)
				}
				p.WantState()
			})
		})
	}
}

// Given keys that another writer has removed, and a resource that would restore their first values; then a destroy does
// not create them, nor does the removal of a tainted resource, which does not know the first values.
func TestDestroyPutsNothingBackThatSomebodyElseRemoved(t *testing.T) {
	for _, how := range []string{"destroyed", "replaced while tainted"} {
		test := func(p *fixture.Pipeline, o fixture.Object, form string) {
			if form == "entry" || o.Kind.IsSecret() {
				return // it ends with its key, or has no restore
			}
			const restores = `deletion_policy = "restore"`
			o.Create(fixture.Data{"bar": "kept", "foo": "0"})
			p.Planned(o.Kind.Block(form, "1", "0", restores))
			o.Unset("foo")
			if how == "destroyed" {
				p.Planned("")
				if diff := cmp.Diff(fixture.Data{"bar": "kept"}, o.Live().Data); diff != "" {
					p.Errorf("live (-want +got):\n%s", diff)
				}
				return
			}
			p.Do("taint", o.Kind.Address(form))
			p.Planned(o.Kind.Block(form, "2", "", restores))
			if diff := cmp.Diff(fixture.Data{"bar": "kept", "foo": "2"}, o.Live().Data); diff != "" {
				p.Errorf("live (-want +got):\n%s", diff)
			}
		}
		t.Run(how, func(t *testing.T) {
			onKinds(t, test)
			onFields(t, test)
		})
	}
}

// Given keys that all stay because of their originals; then a destroy sends nothing beside its refresh.
func TestDestroyOfKeysThatAllStaySendsNothing(t *testing.T) {
	onKinds(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(one)
		proxy := p.Proxied()
		p.Planned(o.Kind.Block(form, "1", "", "adopt_existing = true"))
		was := o.Live()
		p.Wants(p.Plan("-destroy", "-refresh=false"), o.Kind.InWords(says["kept:older"]))
		proxy.Reset()
		p.Apply()
		fixture.WantRequests(p.T, proxy, "destroy of what stays", map[string]int{})
		if diff := cmp.Diff(was, o.Live()); diff != "" {
			p.Errorf("the object changed (-before +after):\n%s", diff)
		}
		p.WantState()
	})
}

// Given a key that stays in place at a replace of the resource in the same place; then the plan refuses it before anything is removed.
func TestReplaceOfAKeyThatStaysIsRefused(t *testing.T) {
	for name, change := range map[string]func(o fixture.Object){"older": nil, "changed": setsKey("foo", "9")} {
		t.Run(name, func(t *testing.T) {
			onKinds(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
				found, lines := kept, ""
				if change == nil {
					found, lines = one, "adopt_existing = true"
				}
				o.Create(found)
				p.Planned(o.Kind.Block(form, "1", "", lines))
				if change != nil {
					change(o)
				}
				p.Write(o.Kind.Block(form, "1", "", fixture.Overwrites))
				p.PlanRefused([]string{"Error: " + wouldFail, "deletion_policy leaves the key in place"}, "-replace="+o.Kind.Address(form))
			})
		})
	}
}

// Given an object that somebody makes again between a plan and its apply, as it was; when the apply writes to it, by value alone; then what it held before that is
// what it held first.
func TestFirstWriteToAnObjectThatWasMadeAgain(t *testing.T) {
	t.Parallel()
	onKinds(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		const byKey = `conflict_scope = "key"`
		o.Create(fixture.Data{"bar": "kept"})
		p.Planned(o.Kind.Block(form, "1", "", byKey))
		p.Write(o.Kind.Block(form, "2", "1", byKey))
		p.Plan()
		o.Remove()
		o.Create(fixture.Data{"bar": "kept", "foo": "1"})
		p.Apply()
		p.Write(fixture.Nothing)
		p.Wants(p.Plan(), o.Kind.InWords(says["kept:older"]))
		p.Apply()
		if diff := cmp.Diff(fixture.Data{"bar": "kept", "foo": "2"}, o.Live().Data); diff != "" {
			p.Errorf("live (-want +got):\n%s", diff)
		}
	})
}
