package driver

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// instance is the object as an instance of a block that is not there any more.
func (o *object) instance(address string) *instance {
	return &instance{block: &block{address: address, kind: "resource", typ: o.typ, provider: o.provider, createFirst: o.first}}
}

// orphan plans the removal of an object without a block.
func (p *planner) orphan(ctx context.Context, address string) (failed bool) {
	o := p.current(address)
	server, prior, failed := p.upgraded(ctx, address, o)
	if failed {
		return true
	}
	in := o.instance(address)
	readFirst := p.w.Profile.ReadsOrphansFirst
	refresh := func() bool {
		now, diags := server.read(ctx, address, o.typ, prior)
		if p.report(diags) {
			return true
		}
		p.drift(prior, now)
		prior = now
		p.keep(server, in, now)
		return false
	}
	refreshes := p.refresh && !p.plan.Options.MinimalRefresh
	if refreshes && readFirst && refresh() {
		return true
	}
	if prior.isNull() || p.plan.Options.RefreshOnly && !p.w.Profile.PlansOrphans {
		return false
	}
	c, failed := p.removal(ctx, server, address, "", o.typ, prior)
	if failed {
		return true
	}
	if refreshes && !readFirst && refresh() {
		return true
	}
	if !prior.isNull() && !p.plan.Options.RefreshOnly {
		p.change(c)
	}
	return false
}

func (p *planner) removal(ctx context.Context, server *process, address, deposed, typ string, prior *live) (*Change, bool) {
	ty := server.typeOf(typ)
	pl, diags := server.plan(ctx, address, typ, prior, cty.NullVal(ty), prior.private)
	if p.report(p.placed(p.config.blocks[blockOf(address)], address, diags)) {
		return nil, true
	}
	return &Change{Address: address, Deposed: deposed, Action: Delete, Before: prior.value, After: cty.NullVal(ty), planned: pl, typ: typ}, false
}

// deposed plans the removal of an object that a replacement left behind.
func (p *planner) deposed(ctx context.Context, address, key string) (failed bool) {
	o := p.state.slots[address].deposed[key]
	server, prior, failed := p.upgraded(ctx, address, o)
	if failed {
		return true
	}
	if p.refresh && !p.plan.Options.MinimalRefresh {
		now, diags := server.read(ctx, address, o.typ, prior)
		if p.report(diags) {
			return true
		}
		p.mu.Lock()
		if prior = now; now.isNull() {
			delete(p.state.slots[address].deposed, key)
		} else {
			p.state.slots[address].deposed[key] = server.stored(o.instance(address), now, o.deps)
		}
		p.mu.Unlock()
	}
	if prior.isNull() || p.plan.Options.RefreshOnly {
		return false
	}
	c, failed := p.removal(ctx, server, address, key, o.typ, prior)
	if !failed {
		p.change(c)
	}
	return failed
}

// destroyAll plans the removal of everything, by processes of their own, without reading.
func (p *planner) destroyAll(ctx context.Context) {
	p.fromState(p.w.typeOf)
	nodes := map[string]*node{}
	for address, s := range p.state.slots {
		for key := range s.deposed {
			nodes[address+" deposed "+key] = &node{do: func(ctx context.Context) bool { return p.deposed(ctx, address, key) }}
		}
		if s.current == nil {
			continue
		}
		n := &node{}
		for other, dependent := range p.state.slots { // whose removal is planned before, as it will be done before
			if dependent.current != nil && slices.Contains(dependent.current.deps, blockOf(address)) {
				n.after = append(n.after, other)
			}
		}
		nodes[address] = n
		n.do = func(ctx context.Context) bool {
			server, prior, failed := p.upgraded(ctx, address, s.current)
			if failed {
				return true
			}
			c, failed := p.removal(ctx, server, address, "", s.current.typ, prior)
			if !failed {
				p.change(c)
			}
			return failed
		}
	}
	p.run(ctx, nodes)
}
