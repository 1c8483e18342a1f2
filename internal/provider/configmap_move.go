package provider

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
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

// fromKubernetes tells whether a state is moved from a resource of hashicorp/kubernetes, from whichever registry. OpenTofu before 1.11.12
// and 1.12.4 tells but the name that the resource's type begins with (opentofu/opentofu#4352).
func fromKubernetes(req resource.MoveStateRequest, resourceTypes ...string) bool {
	isKubernetes := strings.HasSuffix(req.SourceProviderAddress, "/hashicorp/kubernetes") || req.SourceProviderAddress == "kubernetes"
	return isKubernetes && req.SourceRawState != nil && slices.Contains(resourceTypes, req.SourceTypeName)
}

// unmovable is for a state that hashicorp/kubernetes cannot have written.
func unmovable(resourceType, instead string) diag.Diagnostic {
	return diagnose.TitleStateCannotBeMoved.With("The state of " + resourceType + " is not as hashicorp/kubernetes writes it. " + instead)
}

// MoveState implements [resource.ResourceWithMoveState]. It runs on a provider that is not configured.
func (*configMapResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveConfigMap}}
}

func moveConfigMap(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if !fromKubernetes(req, "kubernetes_config_map", "kubernetes_config_map_v1") {
		return
	}
	var source kubernetesConfigMap
	if err := json.Unmarshal(req.SourceRawState.JSON, &source); err != nil || len(source.Metadata) != 1 || source.Metadata[0].Name == "" {
		resp.Diagnostics.Append(unmovable(req.SourceTypeName, "Import the ConfigMap instead, with the id namespace/name."))
		return
	}
	from := source.Metadata[0]
	ref := cas.Ref{Namespace: from.Namespace, Name: from.Name}
	if ref.Namespace == "" {
		ref.Namespace = terms.DefaultNamespace
	}
	for attribute, value := range map[string]any{
		"id": ref.String(), "namespace": ref.Namespace, "name": ref.Name,
		"labels": movedMap(from.Labels), "annotations": movedMap(from.Annotations),
		"data": movedMap(source.Data), "binary_data": movedMap(source.BinaryData), "immutable": source.Immutable,
		"hide_values": false, "uid": from.UID, "resource_version": from.ResourceVersion,
	} {
		resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root(attribute), value)...)
	}
	if from.GenerateName != "" {
		resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("generate_name"), from.GenerateName)...)
	}
	resp.Diagnostics.Append(resp.TargetIdentity.Set(ctx, configMapIdentity{
		Namespace: types.StringValue(ref.Namespace), Name: types.StringValue(ref.Name),
	})...)
}

// movedMap is a map of hashicorp/kubernetes, which makes no difference between one that is empty and one that is not given.
func movedMap(m map[string]string) types.Map {
	if len(m) == 0 {
		return types.MapNull(types.StringType)
	}
	return mapOf(m)
}
