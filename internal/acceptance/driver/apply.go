package driver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/values"
)

func number(n int) string { return strconv.Itoa(n) }

// applier applies a plan.
type applier struct {
	*walk

	plan    *Plan
	deposed map[string]string // keys that this apply gave, by address
}

// applyPlan applies a plan, and gives the state afterwards, also where something failed.
func (w *Workspace) applyPlan(ctx context.Context, p *Plan) (*state, []string, Diagnostics) {
	k := w.walk(p.config, p.state, w.Profile.DefersInApply)
	defer k.end()
	a := &applier{walk: k, plan: p, deposed: map[string]string{}}
	maps.Copy(k.state.data, p.state.data) // what the plan could read is not read again
	k.fromState(w.typeOf)
	for address, v := range p.values { // data sources that were read by the plan
		if _, known := k.values[address]; !known && v.IsWhollyKnown() {
			k.values[address] = v
		}
	}
	a.run(ctx, a.nodes())
	if ctx.Err() != nil {
		k.report(Diagnostics{{IsError: true, Summary: "execution halted"}})
	}
	switch {
	case p.Options.Destroy:
		k.state.outputs = map[string]cty.Value{}
	case !k.diags.HasErrors():
		k.state.outputs = k.evaluateOutputs()
	}
	k.prune()
	if !k.diags.HasErrors() {
		n := map[string]int{}
		for _, line := range k.done {
			_, what, _ := strings.Cut(line, ": ")
			n[what]++
		}
		k.done = append(k.done, fmt.Sprintf("Apply complete! Resources: %d added, %d changed, %d destroyed.",
			n["Creation complete"], n["Modifications complete"], n["Destruction complete"]))
	}
	return k.state, k.done, k.diags
}

// nodes returns the steps and their order: a block that refers to another block is written after it, and removed before it.
func (a *applier) nodes() map[string]*node {
	nodes := map[string]*node{}
	removals := map[string][]string{} // nodes that remove, by block
	writes := map[string][]string{}   // nodes that write, by block
	deps := map[string][]string{}     // of removed objects, by node
	for _, c := range a.plan.Changes {
		block := blockOf(c.Address)
		write, remove := "write "+c.Address, "remove "+c.Address+c.Deposed
		switch c.Action {
		case Create, Update, Read, DeleteThenCreate, CreateThenDelete:
			n := &node{after: slices.Clone(a.config.blocks[block].needs)}
			n.do = func(ctx context.Context) bool { return a.write(ctx, c) }
			nodes[write] = n
			writes[block] = append(writes[block], write)
			if c.Action == DeleteThenCreate {
				n.after = append(n.after, remove)
			}
		default: // nothing is written
		}
		switch c.Action {
		case Delete, DeleteThenCreate:
			nodes[remove] = &node{do: func(ctx context.Context) bool { return a.remove(ctx, c) }}
		case CreateThenDelete:
			nodes[remove] = &node{after: []string{write}, do: func(ctx context.Context) bool { return a.removeDeposed(ctx, c.Address, a.deposed[c.Address]) }}
		default:
			continue
		}
		removals[block] = append(removals[block], remove)
		if o := a.current(c.Address); o != nil {
			deps[remove] = o.deps
			if p := a.config.providers[o.provider]; p != nil && !a.plan.Options.Destroy {
				nodes[remove].after = append(nodes[remove].after, p.references...)
			}
		}
	}
	for remove, needed := range deps {
		for _, block := range needed {
			for _, other := range removals[block] {
				nodes[other].after = append(nodes[other].after, remove)
			}
			if len(removals[block]) == 0 {
				for _, other := range writes[block] {
					nodes[other].after = append(nodes[other].after, remove)
				}
			}
		}
	}
	for _, c := range a.plan.Changes { // what create_before_destroy left goes once nobody needs it
		if c.Action == CreateThenDelete {
			for address, b := range a.config.blocks {
				if slices.Contains(b.references, blockOf(c.Address)) {
					nodes["remove "+c.Address].after = append(nodes["remove "+c.Address].after, address)
				}
			}
		}
	}
	for address, b := range a.config.blocks {
		if a.plan.Options.Destroy {
			break
		}
		nodes[address] = &node{after: append(slices.Clone(b.references), writes[address]...), do: func(ctx context.Context) bool {
			if a.w.Profile.StartsForAll {
				if _, diags := a.process(ctx, b.provider); a.report(diags) {
					return true
				}
			}
			return a.learn(b)
		}}
	}
	return nodes
}

func (a *applier) says(address, what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = append(a.done, address+": "+what+" complete")
}

// learn makes the values of a block known, once its instances are written.
func (a *applier) learn(b *block) bool {
	instances, diags := a.scopeOf(b).expand(b)
	if a.report(fromHCL(b.address, diags)) {
		return true
	}
	if b.kind == "data" {
		return false // known from the plan, or since it was read
	}
	values := make([]cty.Value, len(instances))
	for i, in := range instances {
		o := a.current(in.name())
		if o == nil {
			return true // the plan only refreshes, and found it gone
		}
		values[i] = o.decoded(a.w.typeOf(in.typ))
	}
	a.know(b.address, together(b, instances, values))
	return false
}

// write creates, updates or reads.
func (a *applier) write(ctx context.Context, c *Change) bool {
	server, diags := a.process(ctx, c.in.provider)
	if a.report(diags) {
		return true
	}
	// The values of each and count may be known only now.
	instances, more := a.scopeOf(c.in.block).expand(c.in.block)
	if a.report(fromHCL(c.Address, more)) {
		return true
	}
	in := instances[slices.IndexFunc(instances, func(i *instance) bool { return i.name() == c.Address })]
	if c.Action == Read {
		config, failed := a.evaluateValid(ctx, server, in)
		if failed {
			return true
		}
		v, failed := a.readData(ctx, server, in, config)
		if !failed {
			a.know(in.address, v)
		}
		return failed
	}
	var prior *live
	if c.Action == Update {
		if prior, diags = server.upgrade(ctx, c.Address, a.current(c.Address)); a.report(diags) {
			return true
		}
	}
	config, failed := a.evaluateValid(ctx, server, in)
	if failed {
		return true
	}
	deposed := ""
	if c.Action == CreateThenDelete {
		deposed = a.depose(c.Address) // what the second plan refuses stays so; what the creation refuses is put back
	}
	var private []byte
	if prior != nil {
		private = prior.private
	}
	// Planned again: what was unknown may be known. The private state of the first plan is not handed over.
	second, diags := server.plan(ctx, c.Address, c.typ, prior, config, private)
	if a.report(a.placed(in.block, c.Address, diags)) {
		return true
	}
	if wrong := values.Departs("", c.After, second.value); wrong != "" {
		return a.report(Diagnostics{{IsError: true, Summary: "Provider produced inconsistent final plan", Detail: wrong, Address: c.Address}})
	}
	if names := second.replacing(prior); len(names) > 0 {
		return a.report(Diagnostics{{
			IsError: true, Summary: "Provider produced inconsistent final plan", Detail: "an update became a replacement, for " + strings.Join(names, ", "),
			Address: c.Address,
		}})
	}
	if prior != nil && second.value.RawEquals(prior.value) {
		return false // what was unknown turned out to be what is there: the provider is not asked to write
	}
	now, diags := server.apply(ctx, c.Address, c.typ, prior, second, config)
	failed = a.report(a.placed(in.block, c.Address, diags))
	if !failed {
		a.says(c.Address, map[bool]string{true: "Modifications", false: "Creation"}[c.Action == Update])
	}
	switch {
	case now.isNull() && c.Action == CreateThenDelete:
		a.restore(c.Address, deposed)
	case now.isNull() && failed && prior != nil: // stays as it was
	case now.isNull():
		a.set(c.Address, nil)
	default:
		now.tainted = failed && prior == nil || now.tainted
		a.set(c.Address, server.stored(in, now, in.references))
	}
	return failed
}

// depose makes room for a replacement, and gives the key under which the object is kept until it is removed.
func (a *applier) depose(address string) (key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.state.slots[address]
	key = fmt.Sprintf("%08x", len(s.deposed)+1)
	for s.deposed[key] != nil {
		key += "0"
	}
	s.deposed[key], s.current = s.current, nil
	a.deposed[address] = key
	return key
}

// restore puts back the object of a replacement that failed.
func (a *applier) restore(address, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.state.slots[address]
	s.current = s.deposed[key]
	delete(s.deposed, key)
}

// remove removes what the plan says, by the private state of the plan.
func (a *applier) remove(ctx context.Context, c *Change) bool {
	if c.Deposed != "" {
		return a.removeDeposed(ctx, c.Address, c.Deposed)
	}
	to := c.planned
	if c.Action == DeleteThenCreate {
		to.identity = cty.NilVal // the identity belongs to the created object
	}
	return a.removeObject(ctx, c.Address, "", a.current(c.Address), func(*process, *live) (planned, bool) { return to, false })
}

// removeDeposed removes what a replacement left behind, in this apply or an earlier one. Its removal is planned here.
// An earlier plan of the removal is dropped.
func (a *applier) removeDeposed(ctx context.Context, address, key string) bool {
	a.mu.Lock()
	o := a.state.slots[address].deposed[key]
	a.mu.Unlock()
	return a.removeObject(ctx, address, key, o, func(server *process, prior *live) (planned, bool) {
		pl, diags := server.plan(ctx, address, o.typ, prior, cty.NullVal(server.typeOf(o.typ)), prior.private)
		return pl, a.report(diags)
	})
}

func (a *applier) removeObject(
	ctx context.Context, address, deposed string, o *object, plan func(*process, *live) (planned, bool),
) bool {
	if o == nil {
		panic(fmt.Sprintf("nothing to remove at %s %s", address, deposed))
	}
	server, prior, failed := a.upgraded(ctx, address, o)
	if failed {
		return true
	}
	to, failed := plan(server, prior)
	if failed {
		return true
	}
	ty := server.typeOf(o.typ)
	to.value = cty.NullVal(ty)
	now, diags := server.apply(ctx, address, o.typ, prior, to, cty.NullVal(ty))
	if diags.HasErrors() && now.isNull() {
		now = prior
	}
	failed = a.report(a.placed(a.config.blocks[blockOf(address)], address, diags))
	if !failed {
		a.says(address, "Destruction")
	}
	var kept *object
	if !now.isNull() {
		now.tainted = prior.tainted
		kept = server.stored(o.instance(address), now, o.deps)
	}
	if deposed == "" {
		a.set(address, kept)
		return failed
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.state.slots[address]; kept == nil {
		delete(s.deposed, deposed)
	} else {
		s.deposed[deposed] = kept
	}
	return failed
}
