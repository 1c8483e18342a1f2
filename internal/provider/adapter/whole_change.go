package adapter

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// change is an update of a whole object. The apply plans again, and both plans must agree, whatever is there by then. So what is computed goes by
// the state and the configuration alone; what is live decides what is refused and warned of, and what the write expects.
type change struct {
	*Whole

	plan, state *Object
	memory      *claim.Memory
	isOwn       bool    // of a Secret: this resource wrote the values
	isKept      bool    // of a Secret: the values have the version that was written, so that only keys which are new or gone are a change
	known       *Object // the state; of a Secret that is kept, with the names of its keys
}

func (r *Whole) changeOf(plan, state *Object, m *claim.Memory) change {
	isOwn := r.ownsValues(state, m)
	c := change{Whole: r, plan: plan, state: state, memory: m, isOwn: isOwn, isKept: isOwn && plan.keepsValues(state), known: state}
	if c.isKept {
		c.known = state.named()
	}
	return c
}

// claims is the change as package claim knows it. was is the object as it is, and diagnostics speak of what was expected.
func (c change) claims(was, expected *Object) *claim.Change {
	about := func(op terms.Operation) diagnose.Subject { return c.About(c.plan, expected, op) }
	ch := &claim.Change{Memory: c.memory, Plan: c.claim(c.plan, about), Prior: c.claim(was, about)}
	if c.isKept {
		ch.Plan.Whole.Keeps = c.writes(was).content().BinaryData
	}
	return ch
}

// look reads what the state does not say: the parts that are taken over, and the values of a Secret.
func (c change) look(ctx context.Context, age time.Duration) (*cas.Observation, error) {
	live, err := c.Run.Engine.Observe(ctx, c.state.Ref(), age)
	if err == nil && !live.Exists() {
		err = &cas.NotFoundError{Ref: c.state.Ref()}
	}
	return live, err
}

// writes is what the object shall be. was is what it is.
func (c change) writes(was *Object) *Object {
	if c.isKept {
		return keepValues(c.plan, was)
	}
	return c.plan
}

// isPlanned reports whether the plan is to write, or takes over what the state has left to others.
func (c change) isPlanned() bool {
	return c.plan.takesOver(c.known) || c.update(c.writes(c.known), c.known) != nil
}

// txn is what the update sends; nil where it sends nothing. A plan to write that finds nothing left to be written is a transaction without keys:
// another writer is a conflict all the same.
func (c change) txn(was *Object) *cas.Txn {
	t := c.update(c.writes(was), was)
	if t == nil && c.isPlanned() {
		return &cas.Txn{Ref: c.state.Ref(), At: []cas.Version{c.state.Version()}, Seen: cas.Basis{Version: c.state.Version()}}
	}
	return t
}

// planComputed says of the computed attributes which ones the update changes.
func (c change) planComputed() {
	plan, changes := c.plan, false
	switch {
	case plan.contentKnown():
		changes = c.isPlanned()
	case c.isKept && !plan.BinaryData.IsUnknown():
		changes = !ListOf(slices.Sorted(maps.Keys(plan.BinaryData.Elements()))).Equal(c.state.Keys)
	}
	switch {
	case changes:
		plan.ResourceVersion, plan.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
	case !plan.contentKnown() || c.isKept:
		// The framework made them unknown where an argument differs from the state: the apply may be given other keys by an ephemeral map.
	case c.isOwn && plan.BinaryData.IsNull(): // the update records that the values are left to others: the state has no argument that says so
		plan.ResourceVersion, plan.Keys = types.StringUnknown(), c.state.Keys
	default:
		plan.ResourceVersion, plan.Keys = c.state.ResourceVersion, c.state.Keys
	}
}
