package configmap

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (*dataResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, diags := adapter.ImportedData(ctx, req, cas.ConfigMap)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	state := newDataModel(id)
	resp.Diagnostics.Append(state.EncodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.State.Raw)...)
	resp.Diagnostics.Append(claim.Import(ctx, resp.Private, id.Keys...)...)
}

// newDataModel is the state of a resource of which nothing but its id is known.
func newDataModel(id terms.DataID) dataModel {
	null := types.MapNull(types.StringType)
	m := dataModel{
		KeysAttributes: adapter.ImportedKeys(id.Ref), PreviousData: null, HideValues: types.BoolValue(false),
		dataMaps: dataMaps{Data: null, BinaryData: null, ExpectedData: null, ExpectedBinaryData: null},
	}
	m.ID = types.StringValue(id.String())
	return m
}

// MoveState takes over the state of hashicorp/kubernetes' resource. No cluster is known here: the next refresh finds the version, without
// which nothing is written. What the keys held at first is not known any more.
func (*dataResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveKubernetesData}}
}

func moveKubernetesData(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if !adapter.FromKubernetes(req, "kubernetes_config_map_v1_data") {
		return
	}
	var source adapter.KubernetesData
	if json.Unmarshal(req.SourceRawState.JSON, &source) != nil || len(source.Metadata) != 1 {
		resp.Diagnostics.Append(adapter.Unmovable(req.SourceTypeName, "import the keys with the id namespace/name:key1,key2."))
		return
	}
	id := terms.DataID{Ref: cas.Ref{Namespace: source.Metadata[0].Namespace, Name: source.Metadata[0].Name}}
	state := newDataModel(id)
	values := map[string]attr.Value{}
	for key, value := range source.Data {
		if value != nil {
			values[key] = types.StringValue(*value)
		}
	}
	state.Data = types.MapValueMust(types.StringType, values)
	state.FieldManager = source.Manager()
	state.SetID()
	if resp.TargetIdentity != nil {
		resp.Diagnostics.Append(state.EncodeIdentity(ctx, &resp.TargetIdentity.Raw)...)
	}
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.TargetState.Raw)...)
	resp.Diagnostics.Append(claim.Moved(ctx, resp.TargetPrivate, cas.ConfigMap, entriesFrom(state.Data, state.BinaryData))...)
}
