package configmap

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
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

// fromKubernetes reports whether a state is moved from a resource of hashicorp/kubernetes, from whichever registry. OpenTofu before 1.11.12
// and 1.12.4 tells but the name that the resource's type begins with (opentofu/opentofu#4352).
func fromKubernetes(req resource.MoveStateRequest, resourceTypes ...string) bool {
	isKubernetes := strings.HasSuffix(req.SourceProviderAddress, "/hashicorp/kubernetes") || req.SourceProviderAddress == "kubernetes"
	return isKubernetes && req.SourceRawState != nil && slices.Contains(resourceTypes, req.SourceTypeName)
}

// unmovable is for a state that hashicorp/kubernetes cannot have written.
func unmovable(resourceType, instead string) diag.Diagnostic {
	return diagnose.TitleStateCannotBeMoved.With(diagnose.Detail("The state of "+resourceType+" is not as hashicorp/kubernetes writes it.", nil, instead))
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
		resp.Diagnostics.Append(state.encodeIdentity(ctx, &resp.TargetIdentity.Raw)...)
	}
	resp.Diagnostics.Append(wholeCodec().Encode(ctx, *state, &resp.TargetState.Raw)...)
	resp.Diagnostics.Append(claim.SetBaseline(ctx, resp.TargetPrivate, state.content())...)
}

// movedState is the state of a resource of hashicorp/kubernetes as one of ours; nil if it is not movable.
func movedState(req resource.MoveStateRequest) (*wholeModel, diag.Diagnostics) {
	if !fromKubernetes(req, "kubernetes_config_map", "kubernetes_config_map_v1") {
		return nil, nil
	}
	var source kubernetesConfigMap
	if err := json.Unmarshal(req.SourceRawState.JSON, &source); err != nil || len(source.Metadata) != 1 || source.Metadata[0].Name == "" {
		return nil, diag.Diagnostics{unmovable(req.SourceTypeName, "Import the ConfigMap instead, with the id namespace/name.")}
	}
	from := source.Metadata[0]
	ref := cas.Ref{Namespace: from.Namespace, Name: from.Name}
	if ref.Namespace == "" {
		ref.Namespace = terms.DefaultNamespace
	}
	state := &wholeModel{
		place: newPlace(ref), Labels: movedMap(from.Labels), Annotations: movedMap(from.Annotations),
		Data: movedMap(source.Data), BinaryData: movedMap(source.BinaryData), Immutable: types.BoolValue(source.Immutable),
		HideValues: types.BoolValue(false), OnDrift: types.StringValue(terms.DriftWarning),
	}
	state.setRef(ref)
	state.setVersion(cas.Version{UID: from.UID, ResourceVersion: from.ResourceVersion})
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
