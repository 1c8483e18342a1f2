package acceptance_test

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// A key that vanished and that the configuration no longer names is another's, when it comes back.
func TestAKeyThatVanishedAndIsNamedNoLongerIsForgotten(t *testing.T) {
	for _, onDrift := range []string{"warning", "error", "off"} {
		t.Run(onDrift, func(t *testing.T) {
			p := newPipeline(t)
			p.testmap(contents{})
			block := func(values string) string {
				return dataBlock("it", "data = { "+values+" }", `on_drift = "`+onDrift+`"`)
			}
			p.planned(block(`a = "1", b = "1"`))
			p.unset("testmap", "b")
			p.planned(block(`a = "1"`))
			if got, want := p.state()["it"].Attributes["id"], p.namespace+"/testmap:a"; got != want {
				t.Errorf("id is %v, want %s", got, want)
			}
			p.planNothing()
			p.set("testmap", "b", "1")
			p.planNothing()
			p.planned("")
			p.wantLive("testmap", data{"b": "1"})
		})
	}
}

// What is not known when it is planned is told when it is applied.
func TestDriftThatNoPlanCouldTell(t *testing.T) {
	drifting(t, nil, func(p *pipeline, block func(string, ...string) string) {
		p.setenv("CAS_PLAN_CHECK", "off")
		p.set("testmap", "foo", "9")
		p.write(block("2"))
		p.wants(p.plan(), "!"+driftWarned)
		p.wants(p.apply(), driftWarned)
		p.wantLive("testmap", data{"foo": "2"})
	})
}

// The removal of a replace goes by the on_drift of its plan, and by what its plan accepts.
func TestDriftOfAReplace(t *testing.T) {
	refuses := `on_drift = "error"`
	frozen := func(value, label, onDrift string) string {
		return wholeBlock("it", `data = { foo = "`+value+`" }`, `labels = { l = "`+label+`" }`, "immutable = true", onDrift)
	}
	label := func(cm *corev1.ConfigMap) { cm.Labels["l"] = "9" }
	tests := map[string]func(p *pipeline){
		"a ConfigMap, with a warning": func(p *pipeline) {
			p.planned(frozen("1", "1", refuses))
			p.change("testmap", label)
			p.write(frozen("2", "1", refuses))
			p.planRefused([]string{driftRefused})
			p.planned(frozen("2", "1", `on_drift = "warning"`))
		},
		"a ConfigMap that accepts": func(p *pipeline) {
			p.planned(frozen("1", "1", refuses))
			p.change("testmap", label)
			p.planned(frozen("2", "9", refuses))
		},
		"an entry that goes elsewhere, with a warning": func(p *pipeline) {
			p.testmap(contents{})
			p.planned(entryBlock("it", `key = "old"`, `value = "1"`, refuses))
			p.set("testmap", "old", "9")
			p.write(entryBlock("it", `key = "foo"`, `value = "2"`, refuses))
			p.planRefused([]string{driftRefused})
			p.planned(entryBlock("it", `key = "foo"`, `value = "2"`, `on_drift = "warning"`))
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			test(p)
			if got := p.live("testmap").Data; len(got) != 1 || got["foo"] != "2" {
				t.Errorf("live: %v", got)
			}
		})
	}
}

// A write whose outcome is unknown is nobody else's, also where another one was lost after it.
func TestDriftAfterWritesOfUnknownOutcome(t *testing.T) {
	lost := func(p *pipeline, fault testcluster.Fault, unwatched string) {
		proxy := p.proxied()
		hook := onceFor(p.T, http.MethodPatch, fault)
		proxy.SetHook(func(r *http.Request) testcluster.Fault {
			if r.URL.Query().Has("watch") {
				return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusForbidden, Body: unwatched}}
			}
			return hook(r)
		})
		p.writeFor(p.kubeconfig, "", entryBlock("it", `value = "2"`, `on_drift = "error"`))
	}
	p := newPipeline(t)
	p.testmap(contents{})
	direct := p.kubeconfig
	p.planned(entryBlock("it", `value = "1"`, `on_drift = "error"`))
	lost(p, testcluster.Fault{DropAfter: true}, "no")
	p.plan()
	p.applyRefused("Error: Write Outcome Unknown")
	p.wantLive("testmap", data{"foo": "2"})
	p.kubeconfig = direct

	p.write(entryBlock("it", `value = "3"`, `on_drift = "error"`))
	p.wants(p.plan(), "!"+driftRefused) // the write landed, and it was ours
	p.write(entryBlock("it", `value = "2"`, `on_drift = "error"`))
	p.planNothing()
	p.planApply("-refresh-only")
	p.set("testmap", "foo", "1") // by hand, to what it held before
	p.planRefused([]string{driftRefused})
}

// What is put back already is restored.
func TestRestoreOfWhatSomebodyPutBack(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "0"})
	p.planned(entryBlock("it", `value = "1"`, `expected_value = "0"`, `deletion_policy = "restore"`, `on_drift = "error"`))
	p.set("testmap", "foo", "0")
	p.planned("")
	p.wantLive("testmap", data{"foo": "0"})
	p.wantState()
}

// A label that is ignored from now on stays, so it is no drift.
func TestDriftOfALabelThatIsIgnoredFromNowOn(t *testing.T) {
	p := newPipeline(t)
	block := func(value string) string {
		return wholeBlock("it", `data = { foo = "`+value+`" }`, `labels = { l = "1" }`, `on_drift = "error"`)
	}
	p.planned(block("1"))
	p.change("testmap", func(cm *corev1.ConfigMap) { cm.Labels["other"] = "9" })
	p.planApply("-refresh-only")
	p.writeFor(p.kubeconfig, `  ignore_labels = ["^other$"]`, block("2"))
	p.planApply()
	p.wantWhole("testmap", whole{Labels: data{"l": "1", "other": "9"}, Data: data{"foo": "2"}})
}

// A counter and an entry on one key.
func TestACounterAndAnEntryWriteOneKey(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "7"})
	counters := counterBlock("a", `key = "foo"`) + counterBlock("b", `key = "foo"`)
	p.write(counters + entryBlock("e", `key = "foo"`, `value = "9"`, `expected_value = "7"`))
	p.planRefused([]string{twiceRefused})
	p.planned(counters) // which share a key
	p.wantLive("testmap", data{"foo": "9"})
}

// With abandon a destroy would go ahead, so the message says how.
func TestDriftThatBlocksADestroy(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	p.planned(entryBlock("it", `value = "1"`, `on_drift = "error"`, `deletion_policy = "abandon"`))
	p.set("testmap", "foo", "9")
	p.destroyRefused([]string{driftRefused, "CAS_PLAN_CHECK=warning terraform destroy"})
	p.setenv("CAS_PLAN_CHECK", "warning")
	p.destroy()
	p.wantLive("testmap", data{"foo": "9"})
}
