package configmap

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (*dataResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	title, subject, text := diagnose.TitleInvalidImportID, "import id", req.ID
	if req.ID == "" {
		var identity dataIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		if resp.Diagnostics.HasError() {
			return
		}
		id := terms.DataID{Ref: cas.Ref{Namespace: identity.Namespace.ValueString(), Name: identity.Name.ValueString()}}
		if id.Namespace == "" {
			id.Namespace = terms.DefaultNamespace
		}
		for _, key := range identity.Keys.Elements() {
			id.Keys = append(id.Keys, stringOf(key).ValueString())
		}
		title, subject, text = diagnose.TitleInvalidImportIdentity, "identity", id.String()
	}
	id, err := terms.ParseDataID(text)
	if err != nil {
		resp.Diagnostics.Append(invalidID(title, subject, err))
		return
	}
	state := newDataModel(id)
	resp.Diagnostics.Append(state.encodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.State.Raw)...)
	resp.Diagnostics.Append(claim.Import(ctx, resp.Private, id.Keys...)...)
}

// newDataModel is the state of a resource of which nothing but its id is known.
func newDataModel(id terms.DataID) dataModel {
	null := types.MapNull(types.StringType)
	m := dataModel{
		keysAttributes: importedKeys(id.Ref), PreviousData: null, HideValues: types.BoolValue(false),
		dataMaps: dataMaps{Data: null, BinaryData: null, ExpectedData: null, ExpectedBinaryData: null},
	}
	m.ID = types.StringValue(id.String())
	return m
}

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
func (*dataResource) MoveState(context.Context) []resource.StateMover {
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
	state := newDataModel(id)
	values := map[string]attr.Value{}
	for key, value := range source.Data {
		if value != nil {
			values[key] = types.StringValue(*value)
		}
	}
	state.Data = types.MapValueMust(types.StringType, values)
	if manager := source.FieldManager; manager != nil && *manager != "" && *manager != kubernetesManager {
		state.FieldManager = types.StringValue(*manager)
	}
	state.setID()
	if resp.TargetIdentity != nil {
		resp.Diagnostics.Append(state.encodeIdentity(ctx, &resp.TargetIdentity.Raw)...)
	}
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.TargetState.Raw)...)
	resp.Diagnostics.Append(claim.Moved(ctx, resp.TargetPrivate, entriesFrom(state.Data, state.BinaryData))...)
}
