package adapter

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// kubernetesObject is the state of kubernetes_config_map, kubernetes_secret and their _v1.
type kubernetesObject struct {
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
	Type       string            `json:"type"` // of a Secret
}

// MoveState implements [resource.ResourceWithMoveState]. It runs on a provider that is not configured.
func (r *Whole) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: r.move}}
}

func (r *Whole) move(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	state, diags := r.MovedState(ctx, req)
	resp.Diagnostics.Append(diags...)
	if state == nil {
		return
	}
	resp.Diagnostics.Append(r.encode(ctx, state, resp.TargetIdentity, &resp.TargetState)...)
	m := r.Recall(ctx, resp.TargetPrivate, &resp.Diagnostics)
	m.Baseline(r.claim(state, nil, m))
	resp.Diagnostics.Append(m.Keep(ctx, resp.TargetPrivate)...)
}

// MovedState is the state of a resource of hashicorp/kubernetes as one of ours; nil if it is not movable.
func (r *Whole) MovedState(ctx context.Context, req resource.MoveStateRequest) (*Object, diag.Diagnostics) {
	from := map[cas.Kind]string{cas.ConfigMap: "kubernetes_config_map", cas.Secret: "kubernetes_secret"}[r.Kind]
	if !fromKubernetes(req, from, from+"_v1") {
		return nil, nil
	}
	var source kubernetesObject
	if err := json.Unmarshal(req.SourceRawState.JSON, &source); err != nil || len(source.Metadata) != 1 || source.Metadata[0].Name == "" {
		return nil, diag.Diagnostics{unmovable(req.SourceTypeName, "import the "+r.Kind.String()+" with the id namespace/name.")}
	}
	meta := source.Metadata[0]
	state := r.blank(ctx, cas.Ref{Namespace: cmp.Or(meta.Namespace, terms.DefaultNamespace), Name: meta.Name})
	state.Labels, state.Annotations = movedMap(meta.Labels), movedMap(meta.Annotations)
	state.Data, state.BinaryData = movedMap(source.Data), movedMap(source.BinaryData)
	state.Immutable, state.Type = types.BoolValue(source.Immutable), types.StringValue(source.Type)
	state.SetVersion(cas.Version{UID: meta.UID, ResourceVersion: meta.ResourceVersion})
	if meta.GenerateName != "" {
		state.GenerateName = types.StringValue(meta.GenerateName)
	}
	if r.Kind == cas.Secret {
		state.Seal()
		state.Keys = ListOf(slices.Sorted(maps.Keys(state.BinaryData.Elements())))
	}
	return state, nil
}

// movedMap is a map of hashicorp/kubernetes, which makes no difference between one that is empty and one that is not given.
func movedMap(m map[string]string) types.Map {
	if len(m) == 0 {
		return types.MapNull(types.StringType)
	}
	return MapOf(m)
}
