package driver

import (
	"context"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/values"
)

// Start starts a provider in an environment of its own, and gives what ends its process.
type Start func(getenv func(string) string) (server tfprotov6.ProviderServer, end func())

// schemas are the schemas that a provider serves.
type schemas struct {
	*tfprotov6.GetProviderSchemaResponse

	identities map[string]*tfprotov6.ResourceIdentitySchema
}

func schemasOf(ctx context.Context, server tfprotov6.ProviderServer, profile Profile) (*schemas, error) {
	all, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	s := &schemas{GetProviderSchemaResponse: all}
	if profile.Identity {
		identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
		if err != nil {
			return nil, err
		}
		s.identities = identities.IdentitySchemas
	}
	return s, nil
}

// of is the schema of a block.
func (s *schemas) of(b *block) *tfprotov6.Schema {
	var schema *tfprotov6.Schema
	switch b.kind {
	case "provider":
		schema = s.Provider
	case "data":
		schema = s.DataSourceSchemas[b.typ]
	default:
		schema = s.ResourceSchemas[b.typ]
	}
	if schema == nil {
		panic("no schema for " + b.address)
	}
	return schema
}

// decode evaluates a block. Arguments that are made of sensitive variables are sensitive; no provider hears of that.
func decode(b *block, schema *tfprotov6.Schema, ctx *hcl.EvalContext) (v cty.Value, sensitive map[string]bool, diags hcl.Diagnostics) {
	v, diags = hcldec.Decode(b.body, values.DecoderOf(schema).Spec, ctx)
	if diags.HasErrors() {
		return v, nil, diags
	}
	v, marks := v.UnmarkDeepWithPaths()
	sensitive = map[string]bool{}
	for _, mark := range marks {
		if step, ok := mark.Path[0].(cty.GetAttrStep); ok {
			sensitive[step.Name] = true
		}
	}
	attributes := v.AsValueMap()
	for _, a := range schema.Block.Attributes {
		if a.NestedType == nil {
			continue
		}
		ty := values.Optional(values.TypeOf(a.ValueType()), a.NestedType)
		nested, err := convert.Convert(attributes[a.Name], ty)
		if err != nil {
			return v, nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Incorrect attribute value type", Detail: a.Name + ": " + err.Error()}}
		}
		if nested.IsNull() {
			nested = cty.NullVal(ty.WithoutOptionalAttributesDeep())
		}
		attributes[a.Name] = nested
	}
	// A provider does not keep what is known of an unknown value.
	plain, err := cty.Transform(cty.ObjectVal(attributes), func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		panic(err)
	}
	return plain, sensitive, nil
}

// process is a provider that runs for one configuration in one walk.
type process struct {
	server     tfprotov6.ProviderServer
	end        func()
	schemas    *schemas
	configured bool
	deferral   bool
}

// object is an instance as a state has it: in bytes.
type object struct {
	value    []byte // JSON
	private  []byte
	identity []byte // JSON
	tainted  bool
	version  int64
	deps     []string // addresses of blocks
	first    bool     // create_before_destroy
	typ      string
	provider string
}

// live is an object in the hands of a walk.
type live struct {
	value    cty.Value
	private  []byte
	identity cty.Value // cty.NilVal: none
	tainted  bool
}

func (l *live) isNull() bool { return l == nil || l.value.IsNull() }

func (p *process) typeOf(typ string) cty.Type {
	return values.TypeOfSchema(p.schemas.ResourceSchemas[typ])
}

func (p *process) identityType(typ string) (cty.Type, bool) {
	s := p.schemas.identities[typ]
	if s == nil {
		return cty.NilType, false
	}
	return values.TypeOf(s.ValueType()), true
}

func (p *process) wireIdentity(typ string, v cty.Value) *tfprotov6.ResourceIdentityData {
	ty, ok := p.identityType(typ)
	if !ok || v == cty.NilVal || v.IsNull() {
		return nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: values.Encode(v, ty)}
}

func (p *process) unwireIdentity(typ string, v *tfprotov6.ResourceIdentityData) (cty.Value, error) {
	ty, ok := p.identityType(typ)
	if !ok || v == nil || v.IdentityData == nil {
		return cty.NilVal, nil
	}
	return values.Decode(v.IdentityData, ty)
}

// answered returns the diagnostics of a response. A failed call is a diagnostic, too.
func answered(address string, all []*tfprotov6.Diagnostic, err error) Diagnostics {
	var diags Diagnostics
	for _, d := range all {
		diags = append(diags, Diagnostic{
			IsError: d.Severity == tfprotov6.DiagnosticSeverityError, Summary: d.Summary, Detail: d.Detail, Address: address, attribute: d.Attribute,
		})
	}
	if err != nil {
		diags = append(diags, Diagnostic{IsError: true, Summary: "Plugin error", Detail: err.Error(), Address: address})
	}
	return diags
}

// upgrade takes an object over from a state. Each walk does so for each object that it looks at.
func (p *process) upgrade(ctx context.Context, address string, o *object) (*live, Diagnostics) {
	ty := p.typeOf(o.typ)
	resp, err := p.server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: o.typ, Version: o.version, RawState: &tfprotov6.RawState{JSON: o.value},
	})
	if err != nil {
		return nil, answered(address, nil, err)
	}
	diags := answered(address, resp.Diagnostics, nil)
	if diags.HasErrors() {
		return nil, diags
	}
	l := &live{private: o.private, tainted: o.tainted}
	l.value, err = values.Decode(resp.UpgradedState, ty)
	if ty, ok := p.identityType(o.typ); ok && err == nil && o.identity != nil {
		// Of another version it would be upgraded. The framework refuses to upgrade what is of its own.
		l.identity, err = ctyjson.Unmarshal(o.identity, ty)
	}
	return l, append(diags, answered(address, nil, err)...)
}

// read refreshes an object. A null value is missing.
func (p *process) read(ctx context.Context, address, typ string, l *live) (*live, Diagnostics) {
	ty := p.typeOf(typ)
	resp, err := p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: typ, CurrentState: values.Encode(l.value, ty), Private: l.private, CurrentIdentity: p.wireIdentity(typ, l.identity),
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: p.deferral},
	})
	if err != nil {
		return nil, answered(address, nil, err)
	}
	diags := answered(address, resp.Diagnostics, nil)
	if diags.HasErrors() {
		return nil, diags
	}
	if resp.Deferred != nil {
		return l, diags
	}
	now := &live{private: resp.Private, tainted: l.tainted}
	now.value, err = values.Decode(resp.NewState, ty)
	if err == nil {
		now.identity, err = p.unwireIdentity(typ, resp.NewIdentity)
	}
	return now, append(diags, answered(address, nil, err)...)
}

// planned is a response of PlanResourceChange.
type planned struct {
	live

	replaces []string // top-level attributes
	deferred bool
}

// replacing are the attributes for whose sake an object has to be replaced: of those that the provider names, the ones that change.
func (p planned) replacing(prior *live) []string {
	if prior.isNull() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.replaces), func(name string) bool {
		return p.value.GetAttr(name).RawEquals(prior.value.GetAttr(name))
	})
}

// plan asks for the change of an object. A nil prior is none; a null configuration is a removal.
func (p *process) plan(
	ctx context.Context, address, typ string, prior *live, config cty.Value, private []byte,
) (planned, Diagnostics) {
	schema, ty := p.schemas.ResourceSchemas[typ], p.typeOf(typ)
	was, proposed, identity := cty.NullVal(ty), cty.NullVal(ty), cty.NilVal
	if prior != nil { // null if it is missing
		was, identity = prior.value, prior.identity
	}
	if !config.IsNull() {
		proposed = values.ProposedNew(schema.Block, was, config)
	}
	resp, err := p.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typ, PriorState: values.Encode(was, ty), ProposedNewState: values.Encode(proposed, ty), Config: values.Encode(config, ty), PriorPrivate: private,
		PriorIdentity:      p.wireIdentity(typ, identity),
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: p.deferral},
	})
	if err != nil {
		return planned{}, answered(address, nil, err)
	}
	diags := answered(address, resp.Diagnostics, nil)
	if diags.HasErrors() {
		return planned{}, diags
	}
	out := planned{live: live{private: resp.PlannedPrivate}, deferred: resp.Deferred != nil}
	for _, path := range resp.RequiresReplace {
		if name, ok := path.Steps()[0].(tftypes.AttributeName); ok {
			out.replaces = append(out.replaces, string(name))
		}
	}
	out.value, err = values.Decode(resp.PlannedState, ty)
	if err == nil {
		out.identity, err = p.unwireIdentity(typ, resp.PlannedIdentity)
	}
	diags = append(diags, answered(address, nil, err)...)
	if config.IsNull() && !diags.HasErrors() && !out.value.IsNull() {
		diags = append(diags, Diagnostic{IsError: true, Summary: "Provider produced invalid plan", Detail: "a removal is planned with a value", Address: address})
	}
	if !config.IsNull() && !diags.HasErrors() {
		if wrong := values.InvalidPlan(schema.Block, was, config, out.value); wrong != "" {
			diags = append(diags, Diagnostic{IsError: true, Summary: "Provider produced invalid plan", Detail: wrong, Address: address})
		}
	}
	return out, diags
}

// apply makes a change. It returns the object of the state after the change, also if the change fails.
func (p *process) apply(ctx context.Context, address, typ string, prior *live, to planned, config cty.Value) (*live, Diagnostics) {
	ty := p.typeOf(typ)
	was := cty.NullVal(ty)
	if !prior.isNull() {
		was = prior.value
	}
	resp, err := p.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: typ, PriorState: values.Encode(was, ty), PlannedState: values.Encode(to.value, ty), Config: values.Encode(config, ty), PlannedPrivate: to.private,
		PlannedIdentity: p.wireIdentity(typ, to.identity),
	})
	if err != nil {
		return prior, answered(address, nil, err)
	}
	diags := answered(address, resp.Diagnostics, nil)
	now := &live{private: resp.Private}
	now.value, err = values.Decode(resp.NewState, ty)
	if err == nil {
		now.identity, err = p.unwireIdentity(typ, resp.NewIdentity)
	}
	diags = append(diags, answered(address, nil, err)...)
	if !diags.HasErrors() {
		if wrong := values.Departs("", to.value, now.value); wrong != "" {
			diags = append(diags, Diagnostic{IsError: true, Summary: "Provider produced inconsistent result after apply", Detail: wrong, Address: address})
		}
	}
	if diags.HasErrors() && !prior.isNull() {
		now.tainted = prior.tainted
	}
	return now, diags
}

// stored is an object in bytes.
func (p *process) stored(in *instance, l *live, deps []string) *object {
	raw, err := ctyjson.Marshal(l.value, p.typeOf(in.typ))
	if err != nil {
		panic(err)
	}
	o := &object{
		value: raw, private: l.private, tainted: l.tainted, typ: in.typ, provider: in.provider, deps: deps, first: in.createFirst,
		version: p.schemas.ResourceSchemas[in.typ].Version,
	}
	if ty, ok := p.identityType(in.typ); ok && l.identity != cty.NilVal && !l.identity.IsNull() {
		if o.identity, err = ctyjson.Marshal(l.identity, ty); err != nil {
			panic(err)
		}
	}
	return o
}
