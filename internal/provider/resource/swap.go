package resource

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// SwapAttributes has the attributes that all actions share.
type SwapAttributes struct {
	Named

	ExpectedResourceVersion types.String `tfsdk:"expected_resource_version"`
	WaitForMatch            types.String `tfsdk:"wait_for_match"`
	FieldManager            types.String `tfsdk:"field_manager"`
	HideValues              types.Bool   `tfsdk:"hide_values"`
	Timeouts                types.Object `tfsdk:"timeouts"`
}

// Shared returns the attributes.
func (m *SwapAttributes) Shared() *SwapAttributes { return m }

// SwapModel is the model of an action that swaps parts of an object.
type SwapModel[M any] interface {
	*M
	Shared() *SwapAttributes
	// Validate checks a configuration beyond its schema.
	Validate() diag.Diagnostics
	// At returns the attributes that name the object.
	At() []types.String
	// Claim translates the action to a claim, except for the attributes that all actions share.
	Claim() *Claim
}

// swap implements the actions. An action has no state: only its configuration has expected values.
type swap[M any, P SwapModel[M]] struct{ Modeled[M] }

// NewSwap returns an action.
func NewSwap[M any, P SwapModel[M]](
	name string, kind eval.Kind, definition func(context.Context) schema.Schema,
) interface {
	action.ActionWithConfigure
	action.ActionWithModifyPlan
	action.ActionWithValidateConfig
} {
	return &swap[M, P]{NewModeled[M](name, kind, definition)}
}

func (s *swap[M, P]) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + s.Name
}

func (s *swap[M, P]) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	Describe(ctx, s.Definition, &resp.Schema.MarkdownDescription, &resp.Schema.Attributes)
}

func (s *swap[M, P]) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	resp.Diagnostics.Append(s.Connect(req.ProviderData)...)
}

func (s *swap[M, P]) ValidateConfig(
	ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse,
) {
	if m := P(s.Decode(ctx, req.Config.Raw, &resp.Diagnostics)); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(m.Validate()...)
	}
}

// claim translates a model to a claim.
func (s *swap[M, P]) claim(m P) *Claim {
	shared, c := m.Shared(), m.Claim()
	c.Required = requiredOf(shared.ExpectedResourceVersion)
	c.FieldManager = s.Session.FieldManagerOr(shared.FieldManager)
	about := c.About
	c.About = func(op terms.Operation) message.Subject {
		a := about(op)
		a.Noun, a.ImportID, a.Op = "swap", nil, op
		a.Wait, a.Hide = shared.WaitForMatch, message.HideIf(s.Session.Hides(shared.HideValues))
		a.Ways = message.Ways{Missing: fmt.Sprintf(
			"If this run creates the %s, trigger the action after that. Otherwise create it first.", s.Kind)}
		return a
	}
	return c
}

// ModifyPlan makes the checks of an invocation at plan.
func (s *swap[M, P]) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if s.Session == nil {
		return
	}
	m := P(s.Decode(ctx, req.Config.Raw, &resp.Diagnostics))
	timeout, diags := attributes.Limit(ctx, m.Shared().Timeouts)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() && Known(m.At()...) {
		claimed := s.claim(m)
		p := s.Session.Planning(req.ClientCapabilities.DeferralAllowed)
		about := claimed.about(s.Session, terms.OpInvoke)
		resp.Diagnostics.Append(
			p.CheckSwap(ctx, decide.Swap(&claimed.Claim), req.Config.Raw.IsFullyKnown(), timeout, about)...)
	}
}

func (s *swap[M, P]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	m := P(s.Decode(ctx, req.Config.Raw, &resp.Diagnostics))
	timeout, diags := attributes.Limit(ctx, m.Shared().Timeouts)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	say := func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
	resp.Diagnostics.Append(invoke(ctx, s.Session, s.claim(m), m.Shared().WaitForMatch, timeout, say)...)
}

// invoke writes the keys of the claim of an action, which has no state, and reports its progress with say. A conflict
// has written nothing.
func invoke(
	ctx context.Context, s *session.Session, c *Claim, wait types.String, timeout time.Duration,
	say func(format string, args ...any),
) diag.Diagnostics {
	if limit := wait.ValueString(); limit != "" {
		say("Waiting up to %s for the expected state of %s", limit, c.Ref)
	} else {
		say("Comparing %s with the expected state", c.Ref)
	}
	if !s.Configured() {
		return diag.Diagnostics{session.NotConfigured()}
	}
	t := decide.Swap(&c.Claim)
	about := c.about(s, terms.OpInvoke)
	result, err := s.Commit(ctx, t, about, timeout)
	diags := diagnoseWrite(t, result, err, about)
	if diags.HasError() {
		return diags
	}
	replaced, version := decide.Replaced(t, decide.Result(result)), result.After.Version().ResourceVersion
	if replaced == nil {
		say("%s is as expected at resourceVersion %s; nothing to write", c.Ref, version)
		return diags
	}
	var wrote, removed []string
	for _, key := range c.Keys() {
		was, touched := replaced[key]
		name, _ := message.NameOf(key)
		switch value := c.Values[key]; {
		case !touched, value == was:
		case value.IsAbsent():
			removed = append(removed, name)
		default:
			wrote = append(wrote, name)
		}
	}
	for _, done := range []struct {
		what, where string
		keys        []string
	}{{"Removed", "from", removed}, {"Wrote", "to", wrote}} {
		if len(done.keys) > 0 {
			say("%s %s %s %s, now at resourceVersion %s", done.what, strings.Join(done.keys, ", "), done.where, c.Ref, version)
		}
	}
	return diags
}
