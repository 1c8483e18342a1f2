package driver

import (
	"bytes"
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/values"
)

// move gives objects the addresses, and the types, that moved blocks say.
func (k *walk) move(ctx context.Context) {
	servers := unconfigured{}
	defer servers.end()
	for range k.config.moved { // one may follow another
		for _, m := range k.config.moved {
			s := k.state.slots[m.from]
			if s == nil || s.current == nil || k.state.slots[m.to] != nil {
				continue
			}
			delete(k.state.slots, m.from)
			k.state.slots[m.to] = s
			k.moved = append(k.moved, m.to)
			to := k.config.blocks[blockOf(m.to)]
			if to == nil || to.typ == s.current.typ || !k.w.Profile.MovesApart {
				continue
			}
			server := servers.of(ctx, k, to)
			if server == nil {
				return
			}
			l, diags := server.move(ctx, k.w.sourceOf(s.current.provider), s.current, m.to, to.typ)
			if !k.report(k.placed(to, m.to, diags)) {
				s.current = server.stored(&instance{block: to}, l, s.current.deps)
			}
		}
	}
}

// move changes the type of an object.
func (p *process) move(ctx context.Context, source string, o *object, address, typ string) (*live, Diagnostics) {
	resp, err := p.server.MoveResourceState(ctx, &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: source, SourceTypeName: o.typ, SourceSchemaVersion: o.version,
		SourceState: &tfprotov6.RawState{JSON: o.value}, SourcePrivate: o.private, TargetTypeName: typ,
	})
	if err != nil {
		return nil, answered(address, nil, err)
	}
	diags := answered(address, resp.Diagnostics, nil)
	if diags.HasErrors() {
		return nil, diags
	}
	l := &live{private: resp.TargetPrivate}
	if l.value, err = values.Decode(resp.TargetState, p.typeOf(typ)); err == nil {
		l.identity, err = p.unwireIdentity(typ, resp.TargetIdentity)
	}
	return l, append(diags, answered(address, nil, err)...)
}

// importBlock imports what an import block names.
func (p *planner) importBlock(ctx context.Context, server *process, in *instance, i importing) (*live, Diagnostics) {
	req := &tfprotov6.ImportResourceStateRequest{TypeName: in.typ}
	if i.id != nil {
		id, diags := i.id.Value(p.scope().context(nil))
		if diags.HasErrors() {
			return nil, fromHCL(in.name(), diags)
		}
		req.ID = id.AsString()
	} else {
		v, diags := i.identity.Value(p.scope().context(nil))
		if diags.HasErrors() {
			return nil, fromHCL(in.name(), diags)
		}
		ty, ok := server.identityType(in.typ)
		if !ok {
			panic("an import by identity, with a profile that knows none")
		}
		values := v.AsValueMap()
		for name, t := range ty.AttributeTypes() {
			if _, given := values[name]; !given {
				values[name] = cty.NullVal(t)
			}
		}
		req.Identity = server.wireIdentity(in.typ, cty.ObjectVal(values))
	}
	return server.importState(ctx, req)
}

func (p *process) importState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*live, Diagnostics) {
	resp, err := p.server.ImportResourceState(ctx, req)
	if err != nil {
		return nil, answered("", nil, err)
	}
	diags := answered("", resp.Diagnostics, nil)
	if diags.HasErrors() {
		return nil, diags
	}
	if len(resp.ImportedResources) != 1 {
		return nil, append(diags, Diagnostic{IsError: true, Summary: "Import returned no resources"})
	}
	found := resp.ImportedResources[0]
	l := &live{private: found.Private}
	if l.value, err = values.Decode(found.State, p.typeOf(req.TypeName)); err == nil {
		l.identity, err = p.unwireIdentity(req.TypeName, found.Identity)
	}
	return l, append(diags, answered("", nil, err)...)
}

// prior is the state of an instance, from a state or from an import.
func (p *planner) prior(ctx context.Context, server *process, in *instance) (prior *live, imported, failed bool) {
	address := in.name()
	o := p.current(address)
	switch {
	case o != nil && o.typ != in.typ: // moved, and not apart
		var diags Diagnostics
		prior, diags = server.move(ctx, p.w.sourceOf(o.provider), o, address, in.typ)
		if p.report(p.placed(in.block, address, diags)) {
			return nil, false, true
		}
		prior.identity = cty.NilVal // which OpenTofu drops
	case o != nil:
		var diags Diagnostics
		if prior, diags = server.upgrade(ctx, address, o); p.report(p.placed(in.block, address, diags)) {
			return nil, false, true
		}
	default:
		for _, i := range p.config.imports {
			if i.to == address {
				v, diags := p.importBlock(ctx, server, in, i)
				if p.report(diags) {
					return nil, false, true
				}
				prior, imported = v, true
			}
		}
	}
	if prior.isNull() {
		return nil, false, false
	}
	return prior, imported, false
}

// refreshed reads an instance, unless the plan does not, and puts it into the state.
func (p *planner) refreshed(ctx context.Context, server *process, in *instance, prior *live, imported bool) (*live, bool) {
	if prior.isNull() {
		return nil, false
	}
	if p.refresh || imported {
		now, diags := server.read(ctx, in.name(), in.typ, prior)
		if p.report(p.placed(in.block, in.name(), diags)) {
			return nil, true
		}
		if imported && now.isNull() {
			return nil, p.report(Diagnostics{{IsError: true, Summary: "Cannot import non-existent remote object", Detail: "The provider found nothing."}})
		}
		p.drift(prior, now)
		prior = now
	}
	p.keep(server, in, prior)
	return prior, false
}

func (p *planner) drift(was, now *live) {
	if !was.value.RawEquals(now.value) || !bytes.Equal(was.private, now.private) { // also what nobody sees
		p.mu.Lock()
		p.plan.drifted = true
		p.mu.Unlock()
	}
}

// keep puts what was read into the state.
func (p *planner) keep(server *process, in *instance, l *live) {
	if l.isNull() {
		p.set(in.name(), nil)
		return
	}
	var deps []string
	if o := p.current(in.name()); o != nil {
		deps = o.deps
	}
	p.set(in.name(), server.stored(in, l, deps))
}
