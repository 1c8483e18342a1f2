package resource

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Claim is a [decide.Claim] with the parts that a decision does not need.
type Claim struct {
	decide.Claim

	Timeouts timeouts.Value
	About    func(terms.Operation) message.Subject // describes the resource; [Claim.about] adds the rest
}

// about describes the resource in diagnostics about an operation of a session.
func (c *Claim) about(s *session.Session, op terms.Operation) message.Subject {
	about := c.About(op)
	about.Manager, about.Writes = c.FieldManager, s.Writes
	return about
}

// paths returns the paths that an instance with this claim has: its keys and, of a whole object, the object itself and
// the maps whose entries all belong to it.
func (c *Claim) paths() []string {
	paths := append(c.Keys(), c.Maps()...)
	if c.Whole != nil {
		paths = append(paths, session.ObjectPath)
	}
	return paths
}

// operation is one call of Terraform that plans or makes a change: the prior state and the plan of one resource
// instance.
type operation struct {
	session *session.Session
	prior   *Claim // of the state; nil for a creation
	plan    *Claim // nil for a removal
	memory  *Memory
	update  decide.UpdateDecision // empty for a creation and a removal
}

// newOperation returns an operation with its decision about an update. prior is nil for a creation, and plan for a
// removal.
func newOperation(s *session.Session, prior, plan *Claim, m *Memory) *operation {
	o := &operation{session: s, prior: prior, plan: plan, memory: m}
	if prior != nil && plan != nil {
		if plan.Known.Keys {
			plan.Values = decide.WithRemoved(&plan.Claim, &prior.Claim)
		}
		o.update = decide.Update(&plan.Claim, &prior.Claim, m.Memory)
	}
	return o
}

// priorClaim returns the claim of the state; an empty one for a creation.
func (o *operation) priorClaim() *decide.Claim {
	if o.prior == nil {
		return new(decide.Claim)
	}
	return &o.prior.Claim
}

// about describes the resource in diagnostics about an operation.
func (o *operation) about(op terms.Operation) message.Subject {
	c := o.plan
	if c == nil || op == terms.OpDelete {
		c = o.prior
	}
	about := c.about(o.session, op)
	if op == terms.OpCreate {
		about.Given = o.session.GivenIn(c.Keys())
		if c.Whole != nil && c.Required.Version != "" {
			about.Ways.Missing = "To create it, remove expected_resource_version_wo."
		}
	}
	if op == terms.OpUpdate {
		about.DestroyRefused = decide.RefusesDestroy(&o.prior.Claim, o.memory.Memory)
	}
	return about
}
