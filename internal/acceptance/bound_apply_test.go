package acceptance_test

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
)

// A client that stores planned private data tells the plan of an apply from a plan. So what is written is judged once, by the write.

func TestWhatACreateRefusesLeavesNothingDeposed(t *testing.T) {
	onEach(t, func(p *pipeline, stores bool) {
		p.made(createFirst, `conflict_scope = "key"`)
		p.write(entryBlock("foo", `key = "baz"`, `value = "2"`, createFirst, `conflict_scope = "key"`))
		p.plan()
		p.set("testmap", "baz", "foreign")
		p.applyRefused("Error: Key Already Exists")
		p.wantLive("testmap", data{"foo": "1", "bar": "kept", "baz": "foreign"})
		if stores {
			p.wantState("foo")
		} else {
			p.wantState("deposed foo")
		}
	})
}

func TestAnApplyThatIsToldSendsNoDryRun(t *testing.T) {
	for name, config := range map[string]func(value string) string{
		"entry": func(value string) string { return entryBlock("foo", "value = "+quoted(value)) },
		"configmap": func(value string) string {
			return wholeBlock("it", `name = "other"`, "data = { foo = "+quoted(value)+" }")
		},
		"counter": func(value string) string { return counterBlock("it", "triggers = { a = "+quoted(value)+" }") },
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *pipeline, stores bool) {
				p.create("testmap", data{})
				proxy := p.proxied()
				for _, value := range []string{"1", "2"} { // a create and an update
					p.writeRehearsed(config(value))
					p.plan()
					proxy.Reset()
					p.apply()
					want := 1
					if stores {
						want = 0
					}
					p.wantWrites(proxy, "value "+value, want, 1)
				}
			})
		})
	}
}

func TestStateKeepsNothingOfAPlan(t *testing.T) {
	for name, config := range map[string]func(value string) string{
		"entry": func(value string) string { return entryBlock("foo", "value = "+quoted(value)) },
		"data":  func(value string) string { return dataBlock("it", "data = { foo = "+quoted(value)+" }") },
		"configmap": func(value string) string {
			return wholeBlock("it", `name = "other"`, "data = { foo = "+quoted(value)+" }")
		},
		"counter": func(value string) string { return counterBlock("it", "triggers = { a = "+quoted(value)+" }") },
	} {
		t.Run(name, func(t *testing.T) {
			p := on(t, driver.Terraform116)
			p.create("testmap", data{})
			for _, value := range []string{"1", "2"} { // a create and an update
				p.planned(config(value))
				p.state()
			}
			proxy := p.refusing()
			p.write("")
			if name == "counter" {
				return // nothing is removed
			}
			p.plan()
			p.applyRefused()
			p.state()
			proxy.SetHook(nil)
		})
	}
}

func TestUnreachableServerIsAnErrorWithoutARefresh(t *testing.T) {
	p := on(t, driver.Terraform116)
	p.made()
	p.write(entryBlock("foo", `value = "2"`))
	p.leadTo(&rest.Config{Host: refusedAddress})
	p.planRefused([]string{"Error: API Server Unreachable"}, "-refresh=false")
}
