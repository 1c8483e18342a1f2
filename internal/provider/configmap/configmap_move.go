package configmap

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// kubernetesConfigMap is the state of kubernetes_config_map and kubernetes_config_map_v1.
type kubernetesConfigMap struct {
	Metadata []struct {
		Namespace       string            `json:"namespace"`
		Name            string            `json:"name"`
		GenerateName    string            `json:"generate_name"`
		Labels          map[string]string `json:"labels"`
		Annotations     map[string]string `json:"annotations"`
		ResourceVersion string            `json:"resource_version"`
		UID             string            `json:"uid"`
	} `json:"metadata"`
	Data       map[string]string `json:"data"`
	BinaryData map[string]string `json:"binary_data"`
	Immutable  bool              `json:"immutable"`
}

// MoveState implements [resource.ResourceWithMoveState]. It runs on a provider that is not configured.
func (*wholeResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveConfigMap}}
}

func moveConfigMap(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	state, diags := movedState(req)
	resp.Diagnostics.Append(diags...)
	if state == nil {
		return
	}
	if resp.TargetIdentity != nil {
		resp.Diagnostics.Append(state.EncodeIdentity(ctx, &resp.TargetIdentity.Raw)...)
	}
	resp.Diagnostics.Append(wholeCodec().Encode(ctx, *state, &resp.TargetState.Raw)...)
	resp.Diagnostics.Append(claim.SetBaseline(ctx, resp.TargetPrivate, state.content())...)
}

// movedState is the state of a resource of hashicorp/kubernetes as one of ours; nil if it is not movable.
func movedState(req resource.MoveStateRequest) (*wholeModel, diag.Diagnostics) {
	if !adapter.FromKubernetes(req, "kubernetes_config_map", "kubernetes_config_map_v1") {
		return nil, nil
	}
	var source kubernetesConfigMap
	if err := json.Unmarshal(req.SourceRawState.JSON, &source); err != nil || len(source.Metadata) != 1 || source.Metadata[0].Name == "" {
		return nil, diag.Diagnostics{adapter.Unmovable(req.SourceTypeName, "Import the ConfigMap instead, with the id namespace/name.")}
	}
	from := source.Metadata[0]
	ref := cas.Ref{Namespace: from.Namespace, Name: from.Name}
	if ref.Namespace == "" {
		ref.Namespace = terms.DefaultNamespace
	}
	state := &wholeModel{
		Place: adapter.NewPlace(ref), Labels: movedMap(from.Labels), Annotations: movedMap(from.Annotations),
		Data: movedMap(source.Data), BinaryData: movedMap(source.BinaryData), Immutable: types.BoolValue(source.Immutable),
		HideValues: types.BoolValue(false), OnDrift: types.StringValue(terms.DriftWarning),
	}
	state.setRef(ref)
	state.SetVersion(cas.Version{UID: from.UID, ResourceVersion: from.ResourceVersion})
	if from.GenerateName != "" {
		state.GenerateName = types.StringValue(from.GenerateName)
	}
	return state, nil
}

// movedMap is a map of hashicorp/kubernetes, which makes no difference between one that is empty and one that is not given.
func movedMap(m map[string]string) types.Map {
	if len(m) == 0 {
		return types.MapNull(types.StringType)
	}
	return mapOf(m)
}
