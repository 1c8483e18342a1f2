package configmap

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// A counter has no import, and therefore no identity: the cluster does not know which number belongs to which
// resource.
var _ resource.Checked = (*counterResource)(nil)

// NewCounter is cas_configmap_counter.
func NewCounter() fwresource.Resource {
	return &counterResource{resource.NewModeled[counterModel]("configmap_counter", eval.ConfigMap, counterSchema)}
}

// counterResource is cas_configmap_counter.
type counterResource struct {
	resource.Modeled[counterModel]
}

// counterModel is the resource's schema as Go values.
type counterModel struct {
	resource.Taking

	Initial  types.Int64 `tfsdk:"initial"`
	Step     types.Int64 `tfsdk:"step"`
	Triggers types.Map   `tfsdk:"triggers"`
	Value    types.Int64 `tfsdk:"value"`
}

// ModifyPlan plans whether the apply takes a number, and checks whether it can.
func (r *counterResource) ModifyPlan(
	ctx context.Context, req fwresource.ModifyPlanRequest, resp *fwresource.ModifyPlanResponse,
) {
	if r.Session == nil {
		return
	}
	p, m := r.Planning(ctx, &req, resp)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	if req.Plan.Raw.IsNull() {
		return
	}
	plan := r.Decode(ctx, req.Plan.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !plan.EntryKnown() {
		return
	}
	if !req.State.Raw.IsNull() {
		state := r.Decode(ctx, req.State.Raw, &resp.Diagnostics)
		if resp.Diagnostics.HasError() || plan.EntryID() != state.EntryID() {
			return // a replace, whose creation is planned by a call of its own
		}
		if !plan.takesAfter(state) {
			plan.Value = state.Value
		}
	}
	plan.ID = types.StringValue(plan.EntryID().String())
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	switch {
	case !plan.Value.IsUnknown():
		resp.Diagnostics.Append(p.KeepNumber(ctx, r.counter(plan), r.about(plan, terms.OpUpdate))...)
	case plan.argumentsKnown():
		resp.Diagnostics.Append(p.CheckTake(ctx, r.counter(plan), plan.Timeouts, r.about(plan, terms.OpCreate))...)
	}
}

func (r *counterResource) Create(ctx context.Context, req fwresource.CreateRequest, resp *fwresource.CreateResponse) {
	plan := r.Decode(ctx, req.Plan.Raw, &resp.Diagnostics)
	timeout, diags := plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.take(ctx, plan, terms.OpCreate, timeout)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.State.Raw)...)
	}
}

// Read leaves the state as it is: the number is this resource's, whatever the key holds now.
func (*counterResource) Read(context.Context, fwresource.ReadRequest, *fwresource.ReadResponse) {
}

func (r *counterResource) Update(ctx context.Context, req fwresource.UpdateRequest, resp *fwresource.UpdateResponse) {
	plan := r.Decode(ctx, req.Plan.Raw, &resp.Diagnostics)
	state := r.Decode(ctx, req.State.Raw, &resp.Diagnostics)
	timeout, diags := plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	m.Plan = decide.Notes{}
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.takesAfter(state) {
		resp.Diagnostics.Append(r.take(ctx, plan, terms.OpUpdate, timeout)...)
	} else {
		plan.Value = state.Value
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.State.Raw)...)
	}
}

// Delete leaves the counter as it is: the number stays taken.
func (*counterResource) Delete(context.Context, fwresource.DeleteRequest, *fwresource.DeleteResponse) {
}

// take takes a number and puts it into the model.
func (r *counterResource) take(
	ctx context.Context, m *counterModel, op terms.Operation, timeout time.Duration,
) diag.Diagnostics {
	number, diags := r.Session.Take(ctx, r.counter(m), timeout, r.about(m, op))
	if !diags.HasError() {
		m.ID, m.Value = types.StringValue(m.EntryID().String()), types.Int64Value(number)
	}
	return diags
}

func (r *counterResource) counter(m *counterModel) cas.Counter {
	id := m.EntryID()
	return cas.Counter{
		Ref: id.Ref, Key: id.Key, Initial: m.Initial.ValueInt64(), Step: m.Step.ValueInt64(),
		FieldManager: r.Session.FieldManagerOr(m.FieldManager),
	}
}

// takesAfter reports whether the plan takes a new number. Only a change of triggers does that; null and an empty map
// are the same.
func (m *counterModel) takesAfter(state *counterModel) bool {
	if !m.Triggers.IsUnknown() && len(m.Triggers.Elements()) == 0 && len(state.Triggers.Elements()) == 0 {
		return false
	}
	return !m.Triggers.Equal(state.Triggers)
}

// argumentsKnown reports whether everything is known that decides about the next number.
func (m *counterModel) argumentsKnown() bool {
	return resource.AllKnown(m.Triggers) && !m.Initial.IsUnknown() && !m.Step.IsUnknown()
}

func (r *counterResource) about(m *counterModel, op terms.Operation) message.Subject {
	return m.Subject(message.Counting(), op, r.Session)
}

func counterSchema(ctx context.Context) schema.Schema {
	return attributes.OfTaking(ctx, "Takes the next free number from one key of an existing ConfigMap, so that no two "+
		"resources get the same number.",
		"Key that holds the next free number, as decimal text such as `42` or `-7`. If it is absent, `initial` is the "+
			"next free number.", map[string]schema.Attribute{
			"initial": schema.Int64Attribute{
				CustomType: attributes.WholeNumber{}, Optional: true, Computed: true, Default: int64default.StaticInt64(0),
				MarkdownDescription: "First number, used only while the key is absent. A change takes no new number. Default: `0`.",
			},
			"step": schema.Int64Attribute{
				CustomType: attributes.WholeNumber{}, Optional: true, Computed: true, Default: int64default.StaticInt64(1),
				Validators: []validator.Int64{int64validator.NoneOf(0)},
				MarkdownDescription: "Number to add to the key, not zero. A negative step counts down. With `10`, the resource " +
					"gets `value` and the nine numbers after it. A change takes no new number. Default: `1`.",
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Any values. If they change, the resource takes a new number.",
			},
			"timeouts": attributes.Timeouts(ctx, "the check at plan. A refresh sends no request.", false),
			"id": attributes.Computed("`namespace/name/key`, for example `shop/numbers/next_port`. All resources of one " +
				"counter have the same `id`."),
			"value": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "The number of this resource. It changes only with `triggers`, even if the key changes.",
			},
		})
}
