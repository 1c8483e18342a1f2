package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// kubernetesData is the state of a kubernetes_config_map_v1_data, of which there has been one schema only.
type kubernetesData struct {
	Metadata []struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Data         map[string]*string `json:"data"`
	FieldManager *string            `json:"field_manager"`
}

// kubernetesManager is that provider's default, which stands in the state though no configuration named it.
const kubernetesManager = "Terraform"

// MoveState takes over the state of hashicorp/kubernetes' resource. No cluster is known here: the next refresh finds the version, without
// which nothing is written. What the keys held at first is not known any more.
func (*configMapDataResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveKubernetesData}}
}

func moveKubernetesData(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if !fromKubernetes(req, "kubernetes_config_map_v1_data") {
		return
	}
	var source kubernetesData
	if json.Unmarshal(req.SourceRawState.JSON, &source) != nil || len(source.Metadata) != 1 {
		resp.Diagnostics.Append(unmovable(req.SourceTypeName, "Import the keys instead, with the id namespace/name:key1,key2."))
		return
	}
	id := terms.DataID{Ref: cas.Ref{Namespace: source.Metadata[0].Namespace, Name: source.Metadata[0].Name}}
	values, written := map[string]attr.Value{}, digests{}
	for key, value := range source.Data {
		if value != nil {
			values[key], written[key] = types.StringValue(*value), cas.Text(*value).Digest()
		}
	}
	state := newDataModel(id)
	state.Data = types.MapValueMust(types.StringType, values)
	if manager := source.FieldManager; manager != nil && *manager != "" && *manager != kubernetesManager {
		state.FieldManager = types.StringValue(*manager)
	}
	state.setID()
	if resp.TargetIdentity != nil {
		resp.Diagnostics.Append(dataIdentityCodec().Encode(ctx, state.identity(), &resp.TargetIdentity.Raw)...)
	}
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.TargetState.Raw)...)
	resp.Diagnostics.Append(setPrivate(ctx, resp.TargetPrivate, privateLost, true)...)
	resp.Diagnostics.Append(setPrivate(ctx, resp.TargetPrivate, privateWritten, written)...)
}
