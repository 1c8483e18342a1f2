package adapter

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// MovableModel is the model of a resource that takes over states of hashicorp/kubernetes as well.
type MovableModel[M any] interface {
	KeysModel[M]
	// movesFrom gives the types of such states, which begin with a prefix, and what to import instead of one that cannot be read.
	movesFrom(prefix string) (resourceTypes []string, instead string)
	// takeOver takes in a state, and gives what it claims. It is false of one that hashicorp/kubernetes cannot have written.
	takeOver(raw []byte) (*claim.Claim, bool)
}

// Movable implements the resources that take over states of hashicorp/kubernetes as well.
type Movable[M any, P MovableModel[M]] struct{ Keys[M, P] }

var _ resource.ResourceWithMoveState = (*Movable[Object, *Object])(nil)

// NewWhole is a resource of whole objects.
func NewWhole(name string, kind cas.Kind, definition func(context.Context) schema.Schema) *Movable[Object, *Object] {
	r := &Movable[Object, *Object]{NewKeys[Object](name, kind, definition)}
	r.IsWhole = true
	return r
}

// NewData is a resource of several keys. A change of keys is an update of it, and no replace.
func NewData(name string, kind cas.Kind, definition func(context.Context) schema.Schema) *Movable[DataModel, *DataModel] {
	r := &Movable[DataModel, *DataModel]{NewKeys[DataModel](name, kind, definition)}
	r.MutableIdentity = true // with the keys
	return r
}

// MoveState implements [resource.ResourceWithMoveState]. It runs on a provider that is not configured: where the state does not have the version, the next refresh
// finds it, without which nothing is written. What the keys held at first is not known any more.
func (r *Movable[M, P]) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
		state, claimed, diags := r.MovedState(ctx, req)
		if resp.Diagnostics.Append(diags...); state == nil {
			return
		}
		resp.Diagnostics.Append(r.encode(ctx, state, resp.TargetIdentity, &resp.TargetState)...)
		m := r.Recall(ctx, resp.TargetPrivate, &resp.Diagnostics)
		m.Baseline(claimed)
		resp.Diagnostics.Append(m.Keep(ctx, resp.TargetPrivate)...)
	}}}
}

// MovedState is the state of a resource of hashicorp/kubernetes, from whichever registry, as one of ours, and what that claims; nil if it is not movable. OpenTofu
// before 1.11.12 and 1.12.4 tells but the name that the resource's type begins with (opentofu/opentofu#4352).
func (r *Movable[M, P]) MovedState(ctx context.Context, req resource.MoveStateRequest) (P, *claim.Claim, diag.Diagnostics) {
	state := r.Blank(ctx)
	from, instead := state.movesFrom(map[cas.Kind]string{cas.ConfigMap: "kubernetes_config_map", cas.Secret: "kubernetes_secret"}[r.Kind])
	isKubernetes := strings.HasSuffix(req.SourceProviderAddress, "/hashicorp/kubernetes") || req.SourceProviderAddress == "kubernetes"
	if !isKubernetes || req.SourceRawState == nil || !slices.Contains(from, req.SourceTypeName) {
		return nil, nil, nil
	}
	claimed, ok := state.takeOver(req.SourceRawState.JSON)
	if !ok {
		return nil, nil, diag.Diagnostics{diagnose.TitleStateCannotBeMoved.With(diagnose.Detail(
			"The state of "+req.SourceTypeName+" does not have the form that hashicorp/kubernetes writes. Nothing was moved.", nil,
			"Replace the moved block by a removed block with destroy = false. Then import the "+instead+"."))}
	}
	return state, claimed, nil
}

// kubernetesManager is that provider's default, which stands in the state though no configuration named it.
const kubernetesManager = "Terraform"

// movesFrom implements [MovableModel].
func (*DataModel) movesFrom(prefix string) ([]string, string) {
	return []string{prefix + "_v1_data"}, "keys with the id namespace/name:key1,key2"
}

// takeOver implements [MovableModel]. There has been one schema only. The values of a Secret tell drift, and are not kept.
func (m *DataModel) takeOver(raw []byte) (*claim.Claim, bool) {
	var source struct {
		Metadata []struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
		Data         map[string]*string `json:"data"`
		FieldManager string             `json:"field_manager"`
	}
	if json.Unmarshal(raw, &source) != nil || len(source.Metadata) != 1 {
		return nil, false
	}
	texts := map[string]string{}
	for key, value := range source.Data {
		if value != nil {
			texts[key] = *value
		}
	}
	m.SetRef(cas.Ref{Namespace: source.Metadata[0].Namespace, Name: source.Metadata[0].Name})
	if manager := source.FieldManager; manager != "" && manager != kubernetesManager {
		m.FieldManager = types.StringValue(manager)
	}
	of := Maps{Data: MapOf(texts)}
	if m.setKeys(of.names()); m.Kind != cas.Secret {
		m.Data = of.Data
	}
	return &claim.Claim{Values: of.Values(m.Kind)}, true
}

// movesFrom implements [MovableModel].
func (m *Object) movesFrom(prefix string) ([]string, string) {
	return []string{prefix, prefix + "_v1"}, m.Kind.String() + " with the id namespace/name"
}

// takeOver implements [MovableModel].
func (m *Object) takeOver(raw []byte) (*claim.Claim, bool) {
	var source struct {
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
	if json.Unmarshal(raw, &source) != nil || len(source.Metadata) != 1 || source.Metadata[0].Name == "" {
		return nil, false
	}
	meta := source.Metadata[0]
	m.SetRef(cas.Ref{Namespace: cmp.Or(meta.Namespace, terms.DefaultNamespace), Name: meta.Name})
	m.Labels, m.Annotations = movedMap(meta.Labels), movedMap(meta.Annotations)
	m.Immutable, m.Type = types.BoolValue(source.Immutable), types.StringValue(source.Type)
	m.GenerateName = TextOf(meta.GenerateName)
	m.SetVersion(cas.Version{UID: meta.UID, ResourceVersion: meta.ResourceVersion})
	data, binaryData := movedMap(source.Data), movedMap(source.BinaryData)
	if m.Kind == cas.Secret {
		m.sealed = seal(data, binaryData)
		m.Keys = ListOf(slices.Sorted(maps.Keys(m.sealed.Elements())))
	} else {
		m.Data, m.BinaryData = data, binaryData
	}
	return m.Claim(nil), true
}

// movedMap is a map of hashicorp/kubernetes, which makes no difference between one that is empty and one that is not given.
func movedMap(m map[string]string) types.Map {
	if len(m) == 0 {
		return types.MapNull(types.StringType)
	}
	return MapOf(m)
}
