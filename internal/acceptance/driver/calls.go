package driver

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/values"
)

// Calls is one process of a provider that is configured, and takes the calls of actions and of lists one by one: no command of a Workspace
// makes them. Configurations are the bodies of blocks. In them, unknown is a value that is not known yet.
type Calls struct{ *process }

// Configure starts a provider with the body of its block. The caller ends it.
func Configure(ctx context.Context, start Start, body string) (*Calls, Diagnostics) {
	server, end := start(os.Getenv)
	c := &Calls{&process{server: server, end: end}}
	var err error
	if c.schemas, err = schemasOf(ctx, server, Profile{Identity: true}); err != nil {
		return c, answered("", nil, err)
	}
	config, diags := c.config("provider", c.schemas.Provider, body)
	if diags.HasErrors() {
		return c, diags
	}
	configured, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.14.0", Config: config})
	if err != nil {
		return c, answered("", nil, err)
	}
	return c, answered("", configured.Diagnostics, nil)
}

// End ends the process.
func (c *Calls) End() { c.end() }

func (c *Calls) value(typ string, schema *tfprotov6.Schema, body string) (cty.Value, Diagnostics) {
	if schema == nil {
		panic("no schema for " + typ)
	}
	file, diags := hclsyntax.ParseConfig([]byte(body), "body", hcl.InitialPos)
	if diags.HasErrors() {
		return cty.NilVal, fromHCL(typ, diags)
	}
	scope := &hcl.EvalContext{Variables: map[string]cty.Value{"unknown": cty.UnknownVal(cty.String)}}
	v, _, diags := decode(&block{body: file.Body}, schema, scope)
	return v, fromHCL(typ, diags)
}

func (c *Calls) config(typ string, schema *tfprotov6.Schema, body string) (*tfprotov6.DynamicValue, Diagnostics) {
	v, diags := c.value(typ, schema, body)
	if diags.HasErrors() {
		return nil, diags
	}
	return values.Encode(v, values.TypeOfSchema(schema)), diags
}

// PlanCreate plans the creation of a resource.
func (c *Calls) PlanCreate(ctx context.Context, typ, body string) Diagnostics {
	v, diags := c.value(typ, c.schemas.ResourceSchemas[typ], body)
	if diags.HasErrors() {
		return diags
	}
	_, diags = c.plan(ctx, typ, typ, nil, v, nil)
	return diags
}

// actions are the calls of actions, which ProviderServer has yet to have.
type actions interface {
	ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error)
	PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error)
	InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error)
}

func (c *Calls) action(typ, body string) (actions, *tfprotov6.DynamicValue, Diagnostics) {
	server, ok := c.server.(actions)
	if schema := c.schemas.ActionSchemas[typ]; ok && schema != nil {
		config, diags := c.config(typ, schema.Schema, body)
		return server, config, diags
	}
	panic("no schema for " + typ)
}

// PlanAction validates and plans an action.
func (c *Calls) PlanAction(ctx context.Context, typ, body string) Diagnostics {
	server, config, diags := c.action(typ, body)
	if diags.HasErrors() {
		return diags
	}
	validated, err := server.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: typ, Config: config})
	if err != nil {
		return answered(typ, nil, err)
	}
	if diags = answered(typ, validated.Diagnostics, nil); diags.HasErrors() {
		return diags
	}
	planned, err := server.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: typ, Config: config})
	if err != nil {
		return answered(typ, nil, err)
	}
	return append(diags, answered(typ, planned.Diagnostics, nil)...)
}

// InvokeAction invokes an action, and gives what it says on the way.
func (c *Calls) InvokeAction(ctx context.Context, typ, body string) (progress []string, diags Diagnostics) {
	server, config, diags := c.action(typ, body)
	if diags.HasErrors() {
		return nil, diags
	}
	stream, err := server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: typ, Config: config})
	if err != nil {
		return nil, answered(typ, nil, err)
	}
	for event := range stream.Events {
		switch e := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, e.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diags = append(diags, answered(typ, e.Diagnostics, nil)...)
		default:
			panic(fmt.Sprintf("the driver does not know this event: %T", e))
		}
	}
	return progress, diags
}

// Listed is one result of a list, with its identity and, where that was asked for, its resource as JSON.
type Listed struct{ Name, Identity, Resource string }

// List lists resources, at most limit of them.
func (c *Calls) List(ctx context.Context, typ, body string, limit int64, includeResource bool) (found []Listed, diags Diagnostics) {
	server, ok := c.server.(tfprotov6.ProviderServerWithListResource) //nolint:staticcheck // until ProviderServer has it
	if !ok {
		panic("no lists")
	}
	config, diags := c.config(typ, c.schemas.ListResourceSchemas[typ], body)
	if diags.HasErrors() {
		return nil, diags
	}
	validated, err := server.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: typ, Config: config})
	if err != nil {
		return nil, answered(typ, nil, err)
	}
	if diags = answered(typ, validated.Diagnostics, nil); diags.HasErrors() {
		return nil, diags
	}
	stream, err := server.ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: typ, Config: config, Limit: limit, IncludeResource: includeResource})
	if err != nil {
		return nil, answered(typ, nil, err)
	}
	for result := range stream.Results {
		diags = append(diags, answered(typ, result.Diagnostics, nil)...)
		if diags.HasErrors() {
			return found, diags
		}
		each := Listed{Name: result.DisplayName}
		if ty, ok := c.identityType(typ); ok && result.Identity != nil {
			each.Identity = inJSON(result.Identity.IdentityData, ty)
		}
		if result.Resource != nil {
			each.Resource = inJSON(result.Resource, c.typeOf(typ))
		}
		found = append(found, each)
	}
	return found, diags
}

func inJSON(v *tfprotov6.DynamicValue, ty cty.Type) string {
	value, err := values.Decode(v, ty)
	if err != nil {
		panic(err)
	}
	raw, err := ctyjson.Marshal(value, ty)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// Attribute is the path of the attribute that a diagnostic is about, empty where it is about none.
func (d Diagnostic) Attribute() string {
	if d.attribute == nil {
		return ""
	}
	return d.attribute.String()
}
