package driver

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// Action is the planned action on one object.
type Action string

// The actions of a plan.
const (
	NoOp             Action = "no-op"
	Create           Action = "create"
	Read             Action = "read"
	Update           Action = "update"
	Delete           Action = "delete"
	DeleteThenCreate Action = "delete, create"
	CreateThenDelete Action = "create, delete"
	Deferred         Action = "deferred"
)

// Change is the planned change of one object.
type Change struct {
	Address string // with an instance key
	Deposed string // the key of a deposed object
	Action  Action
	Before  cty.Value // null for a create
	After   cty.Value // null for a delete; unknowns where the apply will tell
	// Tainted, Forced, Imported and Moved say why.
	Tainted, Forced, Imported, Moved bool

	replaces []string // attributes that do not change in place

	in      *instance // nil without a block
	planned planned
	typ     string
}

// Options are the flags of a plan.
type Options struct {
	Destroy     bool
	RefreshOnly bool
	NoRefresh   bool
	// MinimalRefresh is -minimal-refresh: only what changes is refreshed.
	MinimalRefresh bool
	Replace        []string
	Variables      map[string]string
	// AllowDeferral is -allow-deferral, which Terraform has as an experiment.
	AllowDeferral bool
}

// Plan is a saved plan.
type Plan struct {
	Changes []*Change // in no order
	Options Options

	config  *configuration
	state   *state // refreshed
	serial  int    // of the state that it was made of
	values  map[string]cty.Value
	outputs map[string]cty.Value
	drifted bool // the refresh changed something
}

// HasChanges reports whether there is something to apply.
func (p *Plan) HasChanges() bool {
	if p.Options.RefreshOnly {
		return p.drifted
	}
	return slices.ContainsFunc(p.Changes, func(c *Change) bool { return c.Action != NoOp && c.Action != Read || c.Imported || c.Moved }) ||
		!sameOutputs(p.state.outputs, p.outputs)
}

func sameOutputs(a, b map[string]cty.Value) bool {
	for name, v := range b {
		if was, ok := a[name]; !ok || !was.RawEquals(v) {
			return false
		}
	}
	for name := range a {
		if _, ok := b[name]; !ok {
			return false
		}
	}
	return true
}

// makePlan plans a change of a state.
func (w *Workspace) makePlan(ctx context.Context, config *configuration, from *state, o Options) (*Plan, Diagnostics) {
	p := &Plan{Options: o, config: config, serial: from.serial}
	if o.Destroy && !o.NoRefresh && len(from.slots) > 0 {
		// A destroy plans as usual first, for the refresh; what that warns of is dropped.
		usual := o
		usual.Destroy = false
		refreshed, diags := w.makePlan(ctx, config, from, usual)
		if diags.HasErrors() {
			return nil, diags
		}
		from = refreshed.state
	}
	k := w.walk(config, from, o.AllowDeferral)
	defer k.end()
	k.move(ctx)
	k.prune()
	if o.MinimalRefresh && !w.Profile.PlansBeforeRefresh {
		panic("-minimal-refresh, with a profile that has none")
	}
	pl := &planner{walk: k, plan: p, refresh: !o.NoRefresh && !o.Destroy}
	if o.Destroy {
		pl.destroyAll(ctx)
	} else {
		pl.usual(ctx)
	}
	p.state, p.values = k.state, k.values
	if o.Destroy {
		p.outputs = map[string]cty.Value{}
	} else if !k.diags.HasErrors() {
		p.outputs = k.evaluateOutputs()
	}
	return p, k.diags
}

func (k *walk) evaluateOutputs() map[string]cty.Value {
	values := map[string]cty.Value{}
	ctx := k.scope().context(nil)
	for name, e := range k.config.outputs {
		v, diags := e.Value(ctx)
		k.report(fromHCL("", diags))
		values[name], _ = v.UnmarkDeep()
	}
	return values
}

// prune drops the slots that are empty.
func (k *walk) prune() {
	for address, s := range k.state.slots {
		if s.current == nil && len(s.deposed) == 0 {
			delete(k.state.slots, address)
		}
	}
}

type planner struct {
	*walk

	plan    *Plan
	refresh bool
}

func (p *planner) change(c *Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan.Changes = append(p.plan.Changes, c)
}

// usual plans all blocks, and the removal of objects without a block.
func (p *planner) usual(ctx context.Context) {
	nodes := map[string]*node{}
	for address, b := range p.config.blocks {
		nodes[address] = &node{after: b.needs, do: func(ctx context.Context) bool { return p.block(ctx, b) }}
	}
	for address, s := range p.state.slots {
		for key := range s.deposed {
			nodes[address+" deposed "+key] = &node{do: func(ctx context.Context) bool { return p.deposed(ctx, address, key) }}
		}
		if s.current != nil && p.config.blocks[blockOf(address)] == nil {
			n := &node{do: func(ctx context.Context) bool { return p.orphan(ctx, address) }}
			if provider := p.config.providers[s.current.provider]; provider != nil {
				n.after = provider.references
			}
			nodes[address] = n
		}
	}
	p.run(ctx, nodes)
}

// block plans the instances of a block, and the removal of those that it has no more.
func (p *planner) block(ctx context.Context, b *block) (failed bool) {
	if _, diags := p.process(ctx, b.provider); p.report(diags) { // also where there is no instance
		return true
	}
	instances, diags := p.scopeOf(b).expand(b)
	if p.report(p.placed(b, b.address, fromHCL(b.address, diags))) {
		return true
	}
	values := make([]cty.Value, len(instances))
	nodes, names := map[string]*node{}, map[string]bool{}
	for i, in := range instances {
		names[in.name()] = true
		nodes[in.name()] = &node{do: func(ctx context.Context) bool {
			v, bad := p.instance(ctx, in)
			values[i] = v
			if bad {
				p.mu.Lock()
				failed = true
				p.mu.Unlock()
			}
			return bad
		}}
	}
	p.mu.Lock()
	for address, s := range p.state.slots {
		if blockOf(address) == b.address && !names[address] && s.current != nil {
			nodes[address] = &node{do: func(ctx context.Context) bool { return p.orphan(ctx, address) }}
		}
	}
	p.mu.Unlock()
	p.run(ctx, nodes)
	if !failed && ctx.Err() == nil {
		p.know(b.address, together(b, instances, values))
	}
	return failed
}

func (p *planner) instance(ctx context.Context, in *instance) (cty.Value, bool) {
	server, diags := p.process(ctx, in.provider)
	if p.report(diags) {
		return cty.NilVal, true
	}
	if in.kind == "data" {
		return p.data(ctx, server, in)
	}
	prior, imported, failed := p.prior(ctx, server, in)
	if failed {
		return cty.NilVal, true
	}
	if p.plan.Options.MinimalRefresh && !imported && !prior.isNull() {
		config, failed := p.evaluateValid(ctx, server, in)
		if failed {
			return cty.NilVal, true
		}
		c, diags := p.decide(ctx, server, in, prior, config)
		if diags.HasErrors() || c.Action == NoOp { // else it is planned again, and these are dropped
			p.keep(server, in, prior)
			return p.decided(in, c, diags, false)
		}
	}
	if prior, failed = p.refreshed(ctx, server, in, prior, imported); failed {
		return cty.NilVal, true
	}
	if p.plan.Options.RefreshOnly {
		if prior.isNull() {
			return cty.DynamicVal, false
		}
		return prior.value, false
	}
	config, failed := p.evaluateValid(ctx, server, in)
	if failed {
		return cty.NilVal, true
	}
	c, diags := p.decide(ctx, server, in, prior, config)
	return p.decided(in, c, diags, imported)
}

// decided takes a change into the plan, unless it was refused.
func (p *planner) decided(in *instance, c *Change, diags Diagnostics, imported bool) (cty.Value, bool) {
	if p.report(p.placed(in.block, in.name(), diags)) {
		return cty.NilVal, true
	}
	c.Imported, c.Moved = imported, slices.Contains(p.moved, c.Address)
	p.change(c)
	return c.After, false
}

// data reads a data source, unless the read and its validation have to wait for the apply.
func (p *planner) data(ctx context.Context, server *process, in *instance) (cty.Value, bool) {
	config, failed := p.evaluate(server, in)
	if failed {
		return cty.NilVal, true
	}
	if config.IsWhollyKnown() && !p.pending(in.dependsOn) {
		if p.report(p.validateConfig(ctx, server, in.block, in.name(), config)) {
			return cty.NilVal, true
		}
		return p.readData(ctx, server, in, config)
	}
	values := config.AsValueMap()
	for _, a := range server.schemas.of(in.block).Block.Attributes {
		if a.Computed && values[a.Name].IsNull() {
			values[a.Name] = cty.UnknownVal(values[a.Name].Type())
		}
	}
	after := cty.ObjectVal(values)
	p.change(&Change{Address: in.name(), Action: Read, After: after, in: in, typ: in.typ})
	return after, false
}

// pending reports whether one of the blocks is changed by this plan.
func (p *planner) pending(blocks []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.plan.Changes, func(c *Change) bool {
		return c.Action != NoOp && slices.Contains(blocks, blockOf(c.Address))
	})
}

// decide finds out what an instance needs.
func (p *planner) decide(ctx context.Context, server *process, in *instance, prior *live, config cty.Value) (*Change, Diagnostics) {
	address := in.name()
	c := &Change{Address: address, in: in, typ: in.typ, Before: cty.NullVal(server.typeOf(in.typ))}
	replace := DeleteThenCreate
	if in.createFirst {
		replace = CreateThenDelete
	}
	var diags Diagnostics
	if prior == nil || prior.isNull() || prior.tainted {
		var gone *live // what the refresh did not find any more leaves its private state and its identity
		private := []byte(nil)
		if prior != nil && !prior.tainted {
			gone, private = prior, prior.private
		}
		if c.planned, diags = server.plan(ctx, address, in.typ, gone, config, private); diags.HasErrors() {
			return nil, diags
		}
		c.After, c.Action = c.planned.value, Create
		if !prior.isNull() {
			c.Before, c.Action, c.Tainted = prior.value, replace, true
		}
		return p.deferred(c), diags
	}
	c.Before = prior.value
	if c.planned, diags = server.plan(ctx, address, in.typ, prior, config, prior.private); diags.HasErrors() {
		return nil, diags
	}
	c.replaces = c.planned.replacing(prior)
	c.Forced = slices.Contains(p.plan.Options.Replace, address)
	switch {
	case len(c.replaces) > 0 || c.Forced:
		c.Action = replace
		var replaced *live
		if p.w.Profile.KeepsIdentity {
			replaced = &live{value: cty.NullVal(server.typeOf(in.typ)), identity: c.planned.identity}
		}
		var more Diagnostics
		c.planned, more = server.plan(ctx, address, in.typ, replaced, config, c.planned.private)
		if more.HasErrors() { // its warnings are dropped
			return nil, append(diags, more...)
		}
	case c.planned.value.RawEquals(prior.value):
		c.Action = NoOp
	default:
		c.Action = Update
	}
	c.After = c.planned.value
	return p.deferred(c), diags
}

func (p *planner) deferred(c *Change) *Change {
	if c.planned.deferred {
		c.Action = Deferred
	}
	return c
}
