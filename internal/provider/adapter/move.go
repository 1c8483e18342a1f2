package adapter

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// MovableModel is the model of a resource that takes over states of hashicorp/kubernetes as well.
type MovableModel[M any] interface {
	KeysModel[M]
	// movesFrom returns the types of such states, which begin with a prefix.
	movesFrom(prefix string) []string
	// takeOver stores a state in the model, and returns its claim. It reports false for a state that hashicorp/kubernetes
	// cannot have written.
	takeOver(raw []byte) (*claim.Claim, bool)
}

// Movable implements the resources that take over states of hashicorp/kubernetes as well.
type Movable[M any, P MovableModel[M]] struct{ Keys[M, P] }

var _ resource.ResourceWithMoveState = (*Movable[Object, *Object])(nil)

// NewWhole is a resource of whole objects.
func NewWhole(name string, kind eval.Kind, definition func(context.Context) schema.Schema) *Movable[Object, *Object] {
	r := &Movable[Object, *Object]{NewKeys[Object](name, kind, terms.ConfigMapIDForm, definition)}
	r.IsWhole = true
	return r
}

// NewData is a resource of several keys. A change of keys is an update of it, and no replace.
func NewData(name string, kind eval.Kind, definition func(context.Context) schema.Schema) *Movable[DataModel, *DataModel] {
	r := &Movable[DataModel, *DataModel]{NewKeys[DataModel](name, kind, terms.DataIDForm, definition)}
	r.MutableIdentity = true // with the keys
	return r
}

// MoveState implements [resource.ResourceWithMoveState]. No type of this provider takes over a state of another type.
func (t *Type) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{
		StateMover: func(_ context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
			resp.Diagnostics.Append(t.cannotMove(fmt.Sprintf("A moved block cannot turn a %s into a cas_%s.", req.SourceTypeName, t.Name)))
		},
	}}
}

// cannotMove is for a state that a moved block does not convert.
func (t *Type) cannotMove(why string) diag.Diagnostic {
	next := "Replace the moved block by a removed block with destroy = false. "
	if t.ImportForm != "" {
		next += "Then import the new resource with the id " + t.ImportForm + "."
	} else {
		next += "The new resource then takes a number of its own."
	}
	return diagnose.TitleStateCannotBeMoved.With(diagnose.Detail(why+" Nothing was moved.", nil, next))
}

// MoveState implements [resource.ResourceWithMoveState]. It runs on a provider that is not configured. If the state has no
// version, the next refresh reads the version, and every write waits for that refresh. The originals of the keys are lost.
func (r *Movable[M, P]) MoveState(ctx context.Context) []resource.StateMover {
	return append([]resource.StateMover{{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
		state, claimed, diags := r.MovedState(ctx, req)
		if resp.Diagnostics.Append(diags...); state == nil {
			return
		}
		resp.Diagnostics.Append(r.encode(ctx, state, resp.TargetIdentity, &resp.TargetState)...)
		m := r.Recall(ctx, resp.TargetPrivate, &resp.Diagnostics)
		m.Memory = decide.Rebased(m.Memory, &claimed.Claim)
		resp.Diagnostics.Append(m.Keep(ctx, resp.TargetPrivate)...)
	}}}, r.Keys.MoveState(ctx)...)
}

// MovedState converts the state of a resource of hashicorp/kubernetes, from any registry, and returns its claim as well; nil
// if the state is not movable. OpenTofu before 1.11.12 and 1.12.4 names the source provider only by the name that its types
// begin with (opentofu/opentofu#4352).
func (r *Movable[M, P]) MovedState(ctx context.Context, req resource.MoveStateRequest) (P, *claim.Claim, diag.Diagnostics) {
	state := r.Blank(ctx)
	from := state.movesFrom(map[eval.Kind]string{eval.ConfigMap: "kubernetes_config_map", eval.Secret: "kubernetes_secret"}[r.Kind])
	isKubernetes := strings.HasSuffix(req.SourceProviderAddress, "/hashicorp/kubernetes") || req.SourceProviderAddress == "kubernetes"
	if !isKubernetes || req.SourceRawState == nil || !slices.Contains(from, req.SourceTypeName) {
		return nil, nil, nil
	}
	claimed, ok := state.takeOver(req.SourceRawState.JSON)
	if !ok {
		return nil, nil, diag.Diagnostics{r.cannotMove("The state of " + req.SourceTypeName + " does not have the form that hashicorp/kubernetes writes.")}
	}
	return state, claimed, nil
}

// kubernetesManager is the default of that provider, which the state has although no configuration named it.
const kubernetesManager = "Terraform"

// movesFrom implements [MovableModel].
func (*DataModel) movesFrom(prefix string) []string { return []string{prefix + "_v1_data"} }

// takeOver implements [MovableModel]. There has been one schema only. The values of a Secret become the baseline, and are not kept.
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
	m.SetRef(eval.Ref{Namespace: source.Metadata[0].Namespace, Name: source.Metadata[0].Name})
	if manager := source.FieldManager; manager != "" && manager != kubernetesManager {
		m.FieldManager = types.StringValue(manager)
	}
	of := Maps{Data: MapOf(texts)}
	if m.setKeys(of.names()); m.Kind != eval.Secret {
		m.Data = of.Data
	}
	return &claim.Claim{Claim: decide.Claim{Values: of.Values(m.Kind)}}, true
}

// movesFrom implements [MovableModel].
func (*Object) movesFrom(prefix string) []string { return []string{prefix, prefix + "_v1"} }

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
	m.SetRef(eval.Ref{Namespace: cmp.Or(meta.Namespace, terms.DefaultNamespace), Name: meta.Name})
	m.Labels, m.Annotations = movedMap(meta.Labels), movedMap(meta.Annotations)
	m.Immutable, m.Type = types.BoolValue(source.Immutable), types.StringValue(source.Type)
	m.GenerateName = TextOf(meta.GenerateName)
	m.SetVersion(eval.Version{UID: meta.UID, ResourceVersion: meta.ResourceVersion})
	data, binaryData := movedMap(source.Data), movedMap(source.BinaryData)
	if m.Kind == eval.Secret {
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
