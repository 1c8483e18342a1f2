package resource

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Moves says which states of hashicorp/kubernetes a family reads.
type Moves[M any] struct {
	// Suffixes are the ends of the types of such states.
	Suffixes []string
	// TakeOver stores a state in the model, and returns its claim. It reports false for a state that hashicorp/kubernetes
	// cannot have written.
	TakeOver func(m *M, raw []byte) (*claim.Claim, bool)
}

// MoveState implements [fwresource.ResourceWithMoveState]. No type of this provider takes over a state of another type.
func (t *Type) MoveState(context.Context) []fwresource.StateMover {
	return []fwresource.StateMover{{
		StateMover: func(_ context.Context, req fwresource.MoveStateRequest, resp *fwresource.MoveStateResponse) {
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

// MoveState implements [fwresource.ResourceWithMoveState]. It runs on a provider that is not configured. If the state
// has no version, the next refresh reads the version, and every write waits for that refresh. The originals of the keys
// are lost.
func (r *Resource[M]) MoveState(ctx context.Context) []fwresource.StateMover {
	move := func(ctx context.Context, req fwresource.MoveStateRequest, resp *fwresource.MoveStateResponse) {
		state, claimed, diags := r.MovedState(ctx, req)
		resp.Diagnostics.Append(diags...)
		if state == nil {
			return
		}
		resp.Diagnostics.Append(r.encode(ctx, state, resp.TargetIdentity, &resp.TargetState)...)
		m := r.Recall(ctx, resp.TargetPrivate, &resp.Diagnostics)
		m.Memory = decide.Rebased(m.Memory, &claimed.Claim)
		resp.Diagnostics.Append(m.Keep(ctx, resp.TargetPrivate)...)
	}
	return append([]fwresource.StateMover{{StateMover: move}}, r.Type.MoveState(ctx)...)
}

// MovedState converts the state of a resource of hashicorp/kubernetes, from any registry, and returns its claim as well;
// nil if the state is not movable. OpenTofu before 1.11.12 and 1.12.4 names the source provider only by the name that
// its types begin with (opentofu/opentofu#4352).
func (r *Resource[M]) MovedState(
	ctx context.Context, req fwresource.MoveStateRequest,
) (*M, *claim.Claim, diag.Diagnostics) {
	address := req.SourceProviderAddress
	isKubernetes := strings.HasSuffix(address, "/hashicorp/kubernetes") || address == "kubernetes"
	prefixes := map[eval.Kind]string{eval.ConfigMap: "kubernetes_config_map", eval.Secret: "kubernetes_secret"}
	suffix, isOfKind := strings.CutPrefix(req.SourceTypeName, prefixes[r.Kind])
	if !isKubernetes || req.SourceRawState == nil || r.family.Moves == nil || !isOfKind ||
		!slices.Contains(r.family.Moves.Suffixes, suffix) {
		return nil, nil, nil
	}
	state := r.blank(ctx)
	claimed, ok := r.family.Moves.TakeOver(state, req.SourceRawState.JSON)
	if !ok {
		return nil, nil, diag.Diagnostics{r.cannotMove("The state of " + req.SourceTypeName +
			" does not have the form that hashicorp/kubernetes writes.")}
	}
	return state, claimed, nil
}

// kubernetesManager is the default of that provider, which the state has although no configuration named it.
const kubernetesManager = "Terraform"

// takeOver reads a state. There has been one schema only. The values of a Secret become the baseline, and are not kept.
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
	if manager := source.FieldManager; manager != "" && manager != kubernetesManager {
		m.FieldManager = types.StringValue(manager)
	}
	moved := Maps{Data: MapOf(texts)}
	ref := eval.Ref{Namespace: source.Metadata[0].Namespace, Name: source.Metadata[0].Name}
	m.setKeys(terms.DataID{Ref: ref, Keys: moved.names()})
	if m.Kind != eval.Secret {
		m.Data = moved.Data
	}
	return &claim.Claim{Claim: decide.Claim{Values: moved.Values(m.Kind)}}, true
}

// takeOver reads a state. The values of a Secret become the baseline, and are not kept.
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
	c := Call[Object]{Model: m}
	if m.Kind == eval.Secret {
		c.Config = &Object{Data: data, BinaryData: binaryData}
		m.Keys = ListOf(slices.Sorted(maps.Keys(sealed(c).Elements())))
	} else {
		m.Data, m.BinaryData = data, binaryData
	}
	return objectClaim(c), true
}

// movedMap is a map of hashicorp/kubernetes, which makes no difference between one that is empty and one that is not given.
func movedMap(m map[string]string) types.Map {
	if len(m) == 0 {
		return types.MapNull(types.StringType)
	}
	return MapOf(m)
}
