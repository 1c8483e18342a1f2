// Package claim plans, writes, reads and deletes what resources ask for: it asks the engine, package decide decides,
// and package diagnose reports. It knows no schema and no resource.
//
// A [Claim] describes the request of a resource about one object. It has nothing to do with a PersistentVolumeClaim. A
// [Change] is one call: the claim of a plan, the claim of the prior state, and the [Memory] of the resource. Numbers
// ([Run.Take]) and swaps ([Run.Invoke]) have no Change.
//
// Where to look:
//
//   - memory.go: how private state is stored
//   - plan.go: how a create and an update are checked at plan
//   - write.go: how a create and an update are applied
//   - delete.go: how a removal is checked and applied
//   - read.go: how a refresh reads
//   - whole.go: how a whole object is created and removed
//   - report.go: which diagnostics a decision has
//   - once.go: swaps of actions and numbers of counters, which no later call reads, changes or removes
//   - run.go, registry.go: what the resources of one run share
package claim

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Claim describes fields of one object: those that a plan asks for, or those that a state has.
type Claim struct {
	decide.Claim

	Timeouts timeouts.Value
	About    func(terms.Operation) diagnose.Subject // describes the resource in diagnostics about an operation
}

// paths returns the paths that an instance with this claim has: its keys and, of a whole object, the object itself and
// the maps whose entries all belong to it.
func (c *Claim) paths() []string {
	paths := append(c.Keys(), c.Maps()...)
	if c.Whole != nil {
		paths = append(paths, objectPath)
	}
	return paths
}

// Change is one call of Terraform: one resource instance, its prior state, and its plan.
type Change struct {
	Run    *Run
	Prior  *Claim // of the state; nil for a creation
	Plan   *Claim // nil for a removal
	Memory *Memory
	Update decide.UpdateDecision // empty for a creation and a removal
}

// NewChange returns a call. prior is nil for a creation, and plan for a removal.
func NewChange(r *Run, prior, plan *Claim, m *Memory) *Change {
	ch := &Change{Run: r, Prior: prior, Plan: plan, Memory: m}
	if prior != nil && plan != nil {
		if plan.Known.Keys {
			plan.Values = decide.WithRemoved(&plan.Claim, &prior.Claim)
		}
		ch.Update = decide.Update(&plan.Claim, &prior.Claim, m.Memory)
	}
	return ch
}

// prior returns the claim of the state; an empty one for a creation.
func (ch *Change) prior() *decide.Claim {
	if ch.Prior == nil {
		return new(decide.Claim)
	}
	return &ch.Prior.Claim
}

// about describes the resource in diagnostics about an operation.
func (ch *Change) about(op terms.Operation) diagnose.Subject {
	c := ch.Plan
	if c == nil || op == terms.OpDelete {
		c = ch.Prior
	}
	about := ch.Run.about(c, op)
	if op == terms.OpCreate {
		about.Given = ch.Run.pools.givenIn(c.Keys())
		if c.Whole != nil && c.Required.Version != "" {
			about.Ways.Missing = "To create it, remove expected_resource_version_wo."
		}
	}
	if op == terms.OpUpdate {
		about.DestroyRefused = decide.RefusesDestroy(&ch.Prior.Claim, ch.Memory.Memory)
	}
	return about
}
