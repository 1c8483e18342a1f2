package driver

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/values"
)

// Validation says when providers are asked whether a configuration is valid: before each plan, in a process of its own, and again just before it is
// used.
type Validation int

const (
	ValidateAlways  Validation = iota // whenever a command line asks
	ValidateChanges                   // once of a process that is not configured and once of one that is; again after a diagnostic, or in another environment
	ValidateUse                       // as ValidateChanges, and only just before the use
)

// validated asks whether something is valid, unless nothing was said against it before, in the same environment. key identifies it.
func (w *Workspace) validated(key string, ask func() Diagnostics) Diagnostics {
	key += fmt.Sprint(w.Env)
	w.mu.Lock()
	known := w.valid[key]
	w.mu.Unlock()
	if known && w.Validate != ValidateAlways {
		return nil
	}
	diags := ask()
	if len(diags) == 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.valid == nil {
			w.valid = map[string]bool{}
		}
		w.valid[key] = true
	}
	return diags
}

// unconfigured are processes of their own, by type, that are never configured.
type unconfigured map[string]*process

// of is the process for a block; nil where it does not start, which is reported.
func (u unconfigured) of(ctx context.Context, k *walk, b *block) *process {
	typ, _, _ := strings.Cut(b.provider, ".")
	if u[typ] == nil {
		p, err := k.start(ctx, typ)
		if err != nil {
			k.report(answered("", nil, err))
			return nil
		}
		u[typ] = p
	}
	return u[typ]
}

func (u unconfigured) end() {
	for _, p := range u {
		p.end()
	}
}

// validate does what both command lines do before a plan, with providers that are not configured: all blocks, everything else unknown.
func (k *walk) validate(ctx context.Context) {
	for address := range k.config.blocks {
		k.values[address] = cty.DynamicVal
	}
	scope := k.scope()
	extra := map[string]cty.Value{
		"each":  cty.ObjectVal(map[string]cty.Value{"key": cty.UnknownVal(cty.String), "value": cty.DynamicVal}),
		"count": cty.ObjectVal(map[string]cty.Value{"index": cty.UnknownVal(cty.Number)}),
	}
	servers := unconfigured{}
	defer servers.end()
	for _, b := range k.config.blocks {
		server := servers.of(ctx, k, b)
		if server == nil {
			return
		}
		schema := server.schemas.of(b)
		v, _, diags := decode(b, schema, scope.context(extra))
		if k.report(k.placed(b, b.address, fromHCL(b.address, diags))) {
			continue
		}
		k.report(k.validateConfig(ctx, server, b, b.address, v))
	}
	for name, b := range k.config.providers {
		typ, _, _ := strings.Cut(name, ".")
		if p := servers[typ]; p != nil {
			v, _, diags := decode(b, p.schemas.Provider, scope.context(nil))
			if k.report(k.placed(b, "", fromHCL("", diags))) {
				continue
			}
			k.report(k.validateProvider(ctx, p, b, v))
		}
	}
}

func (k *walk) validateProvider(ctx context.Context, p *process, b *block, v cty.Value) Diagnostics {
	config := values.Encode(v, values.TypeOfSchema(p.schemas.Provider))
	return k.w.validated(b.address+string(config.MsgPack), func() Diagnostics {
		resp, err := p.server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
		if err != nil {
			return answered("", nil, err)
		}
		return k.placed(b, "", answered("", resp.Diagnostics, nil))
	})
}

func (k *walk) validateConfig(ctx context.Context, p *process, b *block, address string, v cty.Value) Diagnostics {
	config := values.Encode(v, values.TypeOfSchema(p.schemas.of(b)))
	return k.w.validated(fmt.Sprint(p.configured, b.kind, b.typ, string(config.MsgPack)), func() Diagnostics {
		if b.kind == "data" {
			resp, err := p.server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: b.typ, Config: config})
			if err != nil {
				return answered(address, nil, err)
			}
			return k.placed(b, address, answered(address, resp.Diagnostics, nil))
		}
		resp, err := p.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
			TypeName: b.typ, Config: config, ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
		if err != nil {
			return answered(address, nil, err)
		}
		return k.placed(b, address, answered(address, resp.Diagnostics, nil))
	})
}

// evaluateValid is the configuration of an instance, validated. That is done just before the plan or the read that it is for.
func (k *walk) evaluateValid(ctx context.Context, p *process, in *instance) (cty.Value, bool) {
	v, failed := k.evaluate(p, in)
	return v, failed || k.report(k.validateConfig(ctx, p, in.block, in.name(), v))
}
