// Package nextsteps follows the next step of diagnostics. Each scene makes a mistake, finds the message, does literally
// what the message says, and ends without another change to make.
//
// It knows the protocol, HCL and ConfigMaps, and nothing inside the provider.
package nextsteps

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }

// scene is a mistake and the way that its message advises.
type scene struct {
	mistake func(p *fixture.Pipeline) string // returns the output that has the message
	title   string
	step    string                    // a part of the next step; NAMESPACE is the fixture's
	follow  func(p *fixture.Pipeline) // does what the step says
	ends    fixture.Data              // of testmap in the end; a key with "" is absent
}

func TestEveryNextStepIsFollowed(t *testing.T) {
	for name, s := range scenes {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Wants(s.mistake(p), s.title, p.Text(s.step))
			s.follow(p)
			p.PlanNothing()
			if s.ends == nil {
				return
			}
			live := p.Live("testmap").Data
			for key, want := range s.ends {
				if live[key] != want {
					t.Errorf("%s is %q in the end, want %q", key, live[key], want)
				}
			}
		})
	}
}

// planned makes the mistake in a plan: testmap holds live, and a configuration is refused.
func planned(live fixture.Data, body string) func(*fixture.Pipeline) string {
	return func(p *fixture.Pipeline) string {
		if live != nil {
			p.Create("testmap", live)
		}
		p.Write(body)
		return p.PlanRefused(nil)
	}
}

// applied makes the mistake in an apply: testmap holds live, a configuration is planned, and somebody writes meanwhile.
func applied(live fixture.Data, body string, meanwhile func(*fixture.Pipeline)) func(*fixture.Pipeline) string {
	return func(p *fixture.Pipeline) string {
		if live != nil {
			p.Create("testmap", live)
		}
		p.Write(body)
		p.Plan()
		meanwhile(p)
		return p.ApplyRefused()
	}
}

// changed makes the mistake in a plan that follows an apply of another configuration and a write by somebody else.
func changed(live fixture.Data, before string, meanwhile func(*fixture.Pipeline), body string, flags ...string) func(*fixture.Pipeline) string {
	return func(p *fixture.Pipeline) string {
		if live != nil {
			p.Create("testmap", live)
		}
		p.Planned(before)
		meanwhile(p)
		p.Write(body)
		return p.PlanRefused(nil, flags...)
	}
}

// applies writes a configuration, and plans and applies it.
func applies(body string, flags ...string) func(*fixture.Pipeline) {
	return func(p *fixture.Pipeline) { p.Planned(body, flags...) }
}

// runs runs a command, then plans and applies a configuration that may have no change.
func runs(body string, args ...string) func(*fixture.Pipeline) {
	return func(p *fixture.Pipeline) {
		p.Write(body)
		for i := range args {
			args[i] = p.Text(args[i])
		}
		p.Do(args...)
		p.Do("apply", "-auto-approve")
	}
}

// imports makes the mistake in an import: testmap has foo.
func imports(body, address, id string) func(*fixture.Pipeline) string {
	return func(p *fixture.Pipeline) string {
		p.Create("testmap", fixture.Data{"foo": "1"})
		p.Write(body)
		return p.Ended(p.On.Run("import", address, p.Text(id)), 1, "import")
	}
}

func nothing(*fixture.Pipeline) {}

func plansAgain(p *fixture.Pipeline) { p.PlanApply() }
