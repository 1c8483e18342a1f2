package resource

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
)

// Moves describes the states of hashicorp/kubernetes that a family can convert.
type Moves[M any] struct {
	// Suffixes are the ends of the names of the resource types, after kubernetes_config_map or kubernetes_secret.
	Suffixes []string
	// TakeOver stores a state in the model, and returns its claim. It reports false for a state that hashicorp/kubernetes
	// cannot have written.
	TakeOver func(m *M, raw []byte) (*Claim, bool)
}

// MoveState implements [fwresource.ResourceWithMoveState]: it refuses every state, with the next step.
func (t *Type) MoveState(context.Context) []fwresource.StateMover {
	return []fwresource.StateMover{{
		StateMover: func(_ context.Context, req fwresource.MoveStateRequest, resp *fwresource.MoveStateResponse) {
			resp.Diagnostics.Append(t.cannotMove(fmt.Sprintf(
				"A moved block cannot turn a %s into a cas_%s.", req.SourceTypeName, t.Name)))
		},
	}}
}

// cannotMove returns the error about a state that a moved block does not convert.
func (t *Type) cannotMove(why string) diag.Diagnostic {
	next := "Replace the moved block by a removed block with destroy = false. "
	if t.ImportForm != "" {
		next += "Then import the new resource with the id " + t.ImportForm + "."
	} else {
		next += "The new resource then takes a number of its own."
	}
	return message.StateCannotBeMoved.With(message.Detail(why+" Nothing was moved.", nil, next))
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

// MovedState converts the state of a resource of hashicorp/kubernetes, from any registry, and returns its claim as
// well; nil if the state is not movable. OpenTofu before 1.11.12 and 1.12.4 names the source provider only by the name
// that its types begin with (opentofu/opentofu#4352).
func (r *Resource[M]) MovedState(
	ctx context.Context, req fwresource.MoveStateRequest,
) (*M, *Claim, diag.Diagnostics) {
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
