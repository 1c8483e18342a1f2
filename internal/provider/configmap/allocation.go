package configmap

import (
	"context"
	"maps"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ resource.Checked                      = (*allocationResource)(nil)
	_ fwresource.ResourceWithImportState    = (*allocationResource)(nil)
	_ fwresource.ResourceWithValidateConfig = (*allocationResource)(nil)
)

// NewAllocation is cas_configmap_allocation.
func NewAllocation() fwresource.Resource {
	r := &allocationResource{resource.NewModeled[allocationModel]("configmap_allocation", eval.ConfigMap,
		allocationSchema)}
	r.ImportForm = terms.AllocationIDForm
	return r
}

// allocationResource is cas_configmap_allocation.
type allocationResource struct {
	resource.Modeled[allocationModel]
}

// allocationModel is the resource's schema as Go values. After a create or a delete of unknown outcome it has an id
// and no value.
type allocationModel struct {
	resource.Taking
	Ranges

	Claimant    types.String `tfsdk:"claimant"`
	Prefer      types.String `tfsdk:"prefer"`
	WaitForFree types.String `tfsdk:"wait_for_free"`
	Value       types.String `tfsdk:"value"`
	Number      types.Int64  `tfsdk:"number"`
}

// has stores a member of the pool. While numbers is unknown, it is not known whether the value is a number.
func (m *allocationModel) has(member pool.Member) {
	m.ID, m.Value, m.Number = types.StringValue(member.ID), types.StringValue(member.Value), types.Int64Null()
	n, err := strconv.ParseInt(member.Value, 10, 64)
	switch {
	case m.Numbers.IsUnknown() && m.Kind() == "":
		m.Number = types.Int64Unknown()
	case m.Kind() == "numbers" && err == nil:
		m.Number = types.Int64Value(n)
	}
}

// setUnknown records that it is not known whether the pool contains a member with the id, or will.
func (m *allocationModel) setUnknown(id string) {
	m.ID, m.Value, m.Number = types.StringValue(id), types.StringNull(), types.Int64Null()
}

func (r *allocationResource) ValidateConfig(
	ctx context.Context, req fwresource.ValidateConfigRequest, resp *fwresource.ValidateConfigResponse,
) {
	m := r.Decode(ctx, req.Config.Raw, &resp.Diagnostics)
	from, diags := m.Range(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || from == nil || m.Prefer.IsNull() || m.Prefer.IsUnknown() {
		return
	}
	if prefer := m.Prefer.ValueString(); !from.Contains(prefer) {
		resp.Diagnostics.Append(r.about(m, terms.OpCreate).Diagnose(&pool.OutsideError{Value: prefer}))
	}
}

// ModifyPlan plans whether the apply takes a value, and checks whether it can.
func (r *allocationResource) ModifyPlan(
	ctx context.Context, req fwresource.ModifyPlanRequest, resp *fwresource.ModifyPlanResponse,
) {
	if r.Session == nil {
		return
	}
	p, memory := r.Planning(ctx, &req, resp)
	resp.Diagnostics.Append(memory.Keep(ctx, resp.Private)...)
	var state *allocationModel
	release := func() {
		resp.Diagnostics.Append(p.CheckRelease(ctx, r.allocation(state, nil), memory.Token(), state.Timeouts,
			r.about(state, terms.OpDelete))...)
	}
	if !req.State.Raw.IsNull() {
		state = r.Decode(ctx, req.State.Raw, &resp.Diagnostics)
	}
	if req.Plan.Raw.IsNull() {
		if !resp.Diagnostics.HasError() {
			release()
		}
		return
	}
	plan := r.Decode(ctx, req.Plan.Raw, &resp.Diagnostics)
	from, diags := plan.Range(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !plan.EntryKnown() {
		return
	}
	if state == nil {
		if plan.Numbers.IsNull() {
			plan.Number = types.Int64Null()
			resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
		}
		if from != nil && resource.Known(plan.Prefer, plan.Claimant) {
			resp.Diagnostics.Append(p.CheckAllocate(ctx, r.allocation(plan, from), plan.Timeouts,
				r.about(plan, terms.OpCreate))...)
		}
		return
	}
	was, kind := state.Kind(), plan.Kind()
	fits := from != nil && from.Contains(state.Value.ValueString())
	isAnother := was != "" && kind != "" && was != kind && !fits
	switch { // the creation of a replace is planned by a call of its own
	case plan.EntryID() != state.EntryID():
		release()
		return
	case state.Value.IsNull(): // of unknown outcome, and not tainted
		plan.Value = types.StringUnknown()
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
		resp.RequiresReplace.Append(path.Root("value"))
		release()
		return
	case isAnother && p.IsApply(): // of an update, whose plan did not know it
		resp.Diagnostics.Append(r.about(plan, terms.OpUpdate).KnownTooLate(was))
		return
	case isAnother:
		resp.RequiresReplace.Append(path.Root(kind))
		release()
		return
	}
	if !req.Plan.Raw.Equal(req.State.Raw) {
		plan.has(pool.Member{ID: state.ID.ValueString(), Value: state.Value.ValueString()})
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	}
	about := r.about(plan, terms.OpUpdate)
	planned := r.allocation(plan, from)
	planned.Value = state.Value.ValueString()
	resp.Diagnostics.Append(p.KeepAllocation(ctx, planned, memory.Token(), about)...)
	if value := plan.Value.ValueString(); from != nil && !from.Contains(value) {
		resp.Diagnostics.Append(about.OutsideRange(value))
	}
}

// Create takes a free value. If the outcome is unknown, the state has only the id, and the next apply releases that: a
// creation that failed and has a state is tainted.
func (r *allocationResource) Create(
	ctx context.Context, req fwresource.CreateRequest, resp *fwresource.CreateResponse,
) {
	plan := r.Decode(ctx, req.Plan.Raw, &resp.Diagnostics)
	timeout, diags := plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	from, diags := plan.Range(ctx)
	resp.Diagnostics.Append(diags...)
	memory := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	memory.NewToken()
	member, isUnknown, diags := r.Session.Allocate(ctx, r.allocation(plan, from), timeout, r.about(plan, terms.OpCreate))
	resp.Diagnostics.Append(diags...)
	switch {
	case isUnknown:
		plan.setUnknown(member.ID)
	case diags.HasError():
		return
	default:
		plan.has(member)
	}
	resp.Diagnostics.Append(memory.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.State.Raw)...)
}

// Read drops an allocation that is no longer in the pool, or that belongs to another claimant. After an unknown
// outcome it does nothing, since a request may still arrive.
func (r *allocationResource) Read(ctx context.Context, req fwresource.ReadRequest, resp *fwresource.ReadResponse) {
	state := r.Decode(ctx, req.State.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Session.Configured() || state.Value.IsNull() {
		return
	}
	about := r.about(state, terms.OpRead)
	found, diags := r.Session.Allocated(ctx, r.allocation(state, nil), state.Timeouts, about)
	resp.Diagnostics.Append(diags...)
	switch {
	case diags.HasError():
		return
	case !found.IsThere && found.Other.Value != "":
		resp.Diagnostics.Append(about.AllocationTakenOver(found.Other,
			"The state drops it, and the next apply takes a new one."))
		resp.State.RemoveResource(ctx)
		return
	case !found.IsThere:
		resp.Diagnostics.Append(about.AllocationLost(state.Value.ValueString()))
		resp.State.RemoveResource(ctx)
		return
	}
	member := found.Member
	state.has(member)
	if member.Claimant != state.Claimant.ValueString() {
		state.Claimant = resource.TextOf(member.Claimant)
	}
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *state, &resp.State.Raw)...)
}

func (r *allocationResource) Update(
	ctx context.Context, req fwresource.UpdateRequest, resp *fwresource.UpdateResponse,
) {
	plan, state := r.Decode(ctx, req.Plan.Raw, &resp.Diagnostics), r.Decode(ctx, req.State.Raw, &resp.Diagnostics)
	timeout, diags := plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	memory := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	memory.Plan = decide.Notes{}
	resp.Diagnostics.Append(memory.Keep(ctx, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.has(pool.Member{ID: state.ID.ValueString(), Value: state.Value.ValueString()})
	if plan.Claimant.ValueString() != state.Claimant.ValueString() {
		a := r.allocation(plan, nil)
		a.Wait = 0
		resp.Diagnostics.Append(r.Session.Reclaim(ctx, a, timeout, r.about(plan, terms.OpUpdate))...)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.State.Raw)...)
	}
}

// Delete gives the value back. If the outcome is unknown, the state has only the id: the release may be applied after
// somebody has decided to keep the resource.
func (r *allocationResource) Delete(
	ctx context.Context, req fwresource.DeleteRequest, resp *fwresource.DeleteResponse,
) {
	state := r.Decode(ctx, req.State.Raw, &resp.Diagnostics)
	timeout, diags := state.Timeouts.Delete(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	isUnknown, diags := r.Session.Release(ctx, r.allocation(state, nil), timeout, r.about(state, terms.OpDelete))
	if resp.Diagnostics.Append(diags...); isUnknown {
		state.setUnknown(state.ID.ValueString())
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *state, &resp.State.Raw)...)
	}
}

// ImportState implements [fwresource.ResourceWithImportState]. The refresh that follows puts in the claimant.
func (r *allocationResource) ImportState(
	ctx context.Context, req fwresource.ImportStateRequest, resp *fwresource.ImportStateResponse,
) {
	id, err := terms.ParseAllocationID(req.ID)
	if err != nil {
		resp.Diagnostics.Append(resource.InvalidImportID(err))
		return
	}
	m, memory := r.Decode(ctx, codec.Nulls, &resp.Diagnostics), r.Recall(ctx, resp.Private, &resp.Diagnostics)
	m.SetRef(id.Ref)
	m.ID, m.Key, m.Value = types.StringNull(), types.StringValue(id.Key), types.StringValue(id.Value)
	memory.NewToken()
	member, diags := r.Session.Adopt(ctx, r.allocation(m, nil), r.about(m, terms.OpRead))
	resp.Diagnostics.Append(diags...)
	m.SetOnly(id.Value)
	m.has(member)
	resp.Diagnostics.Append(memory.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *m, &resp.State.Raw)...)
}

// allocation is the allocation that the model of a plan wants, or that the model of a state has.
func (r *allocationResource) allocation(m *allocationModel, from pool.Range) session.Allocation {
	a := session.Allocation{EntryID: m.EntryID(), From: from, FieldManager: r.Session.FieldManagerOr(m.FieldManager)}
	a.Member = pool.Member{Value: m.Prefer.ValueString(), Claimant: m.Claimant.ValueString(), ID: m.ID.ValueString()}
	if from == nil {
		a.Value = m.Value.ValueString()
	}
	if d, err := time.ParseDuration(m.WaitForFree.ValueString()); err == nil { // the schema has validated it
		a.Wait = d
	}
	return a
}

func (r *allocationResource) about(m *allocationModel, op terms.Operation) message.Subject {
	s := m.Subject(message.Allocating(op), op, r.Session)
	if op == terms.OpCreate {
		s.Wait = m.WaitForFree
	}
	return s
}

func allocationSchema(ctx context.Context) schema.Schema {
	all := RangeAttributes(
		"Takes the lowest free number. Set exactly one of `numbers`, `cidr` and `names`. A change of the range takes "+
			"nothing new; a change from one of the three to another replaces the resource, unless the new range contains the "+
			"value.",
		"Takes the lowest free prefix of a length. One that overlaps any prefix or address in the pool is not free.",
		"Takes the first free name. With `wait_for_free`, this is a semaphore.",
		[]validator.Object{objectvalidator.ExactlyOneOf(path.MatchRoot("numbers"), path.MatchRoot("cidr"),
			path.MatchRoot("names"))}, nil)
	maps.Copy(all, map[string]schema.Attribute{
		"claimant": schema.StringAttribute{
			Optional: true, Validators: []validator.String{stringvalidator.LengthBetween(1, pool.MostClaimant)},
			MarkdownDescription: "Who uses the value, for people: 1 to 128 bytes, such as `shop/web`. It is in the pool, and " +
				"in the messages that others get when the pool is full. A change is written to the pool.",
		},
		"prefer": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Value to take, such as `30005`. If it is not free, this is an error that names its " +
				"claimant. Only used when a value is taken: a change takes nothing new.",
		},
		"wait_for_free": schema.StringAttribute{
			Optional: true, Validators: []validator.String{attributes.ValidTimeout()},
			MarkdownDescription: "Maximum time that a create waits while everything is taken, or while there is no ConfigMap, " +
				"such as `15m`. The time comes on top of `timeouts.create`. Needs the verb `watch`. Default: no wait.",
		},
		"id": attributes.Computed("The random `id` of the allocation in the pool. Only what has it is released."),
		"value": attributes.Computed("What was taken, such as `30000`, `10.0.3.0/24` or `b`. Null after a create or a " +
			"delete of unknown outcome: the next apply releases and replaces it, and a destroy releases it."),
		"number": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "`value` as a number. Null with `cidr` and `names`.",
		},
	})
	return attributes.OfTaking(ctx, "Takes a free number, CIDR or name from a pool that one key of an existing "+
		"ConfigMap holds, and gives it back on destroy. No two runs get the same.",
		"Key that holds the pool, as JSON. If it is absent, the pool is empty.", all)
}
