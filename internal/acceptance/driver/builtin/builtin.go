// Package builtin serves terraform_data, which both command lines have in them.
//
// It must not know the driver, nor the provider under test.
package builtin

import (
	"context"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/values"
)

// builtin serves terraform_data, which both command lines have in them.
type builtin struct {
	tfprotov6.ProviderServer // none of its other methods is called
}

var dataSchema = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
	{Name: "id", Type: tftypes.String, Computed: true},
	{Name: "input", Type: tftypes.DynamicPseudoType, Optional: true},
	{Name: "output", Type: tftypes.DynamicPseudoType, Computed: true},
	{Name: "triggers_replace", Type: tftypes.DynamicPseudoType, Optional: true},
}}}

var dataType = values.TypeOf(dataSchema.ValueType())

// Start starts a provider that knows terraform_data alone.
func Start(func(string) string) (tfprotov6.ProviderServer, func()) {
	return builtin{}, func() {}
}

func (builtin) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{
		Provider: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}}, ResourceSchemas: map[string]*tfprotov6.Schema{"terraform_data": dataSchema},
	}, nil
}

func (builtin) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (builtin) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (builtin) ValidateProviderConfig(
	_ context.Context, req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

func (builtin) ValidateResourceConfig(
	context.Context, *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (builtin) UpgradeResourceState(
	_ context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	v, err := ctyjson.Unmarshal(req.RawState.JSON, dataType)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: values.Encode(v, dataType)}, nil
}

func (builtin) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
}

func (builtin) PlanResourceChange(
	_ context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.ProposedNewState}
	prior, err := values.Decode(req.PriorState, dataType)
	if err != nil {
		return nil, err
	}
	proposed, err := values.Decode(req.ProposedNewState, dataType)
	if err != nil || proposed.IsNull() {
		return resp, err
	}
	attributes := proposed.AsValueMap()
	if prior.IsNull() {
		attributes["id"] = cty.UnknownVal(cty.String)
	}
	if prior.IsNull() || !prior.GetAttr("input").RawEquals(attributes["input"]) {
		if attributes["output"] = attributes["input"]; !attributes["input"].IsNull() {
			attributes["output"] = cty.UnknownVal(attributes["input"].Type())
		}
	}
	if !prior.IsNull() && !prior.GetAttr("triggers_replace").RawEquals(attributes["triggers_replace"]) {
		resp.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("triggers_replace")}
	}
	resp.PlannedState = values.Encode(cty.ObjectVal(attributes), dataType)
	return resp, nil
}

var dataIDs atomic.Int64

func (builtin) ApplyResourceChange(
	_ context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	planned, err := values.Decode(req.PlannedState, dataType)
	if err != nil || planned.IsNull() {
		return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState}, err
	}
	attributes := planned.AsValueMap()
	if !attributes["id"].IsKnown() {
		attributes["id"] = cty.StringVal("data-" + cty.NumberIntVal(dataIDs.Add(1)).AsBigFloat().Text('f', 0))
	}
	attributes["output"] = attributes["input"]
	return &tfprotov6.ApplyResourceChangeResponse{NewState: values.Encode(cty.ObjectVal(attributes), dataType)}, nil
}
