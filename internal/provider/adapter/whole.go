package adapter

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ObjectCodec converts between the objects of a schema and an Object.
type ObjectCodec interface {
	Decode(ctx context.Context, raw tftypes.Value) (Object, diag.Diagnostics)
	Encode(ctx context.Context, m Object, raw *tftypes.Value) diag.Diagnostics
}

// Whole implements the resources of whole objects.
type Whole struct {
	Type

	Codec func() ObjectCodec
}

// decode is the model of a configuration, a plan or a state.
func (r *Whole) decode(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) *Object {
	m, more := r.Codec().Decode(ctx, raw)
	diags.Append(more...)
	m.Kind = r.Kind
	return &m
}

// decodePlan is the model of a plan. Of a Secret, the configuration alone has the values.
func (r *Whole) decodePlan(ctx context.Context, plan tfsdk.Plan, config tfsdk.Config, diags *diag.Diagnostics) *Object {
	m := r.decode(ctx, plan.Raw, diags)
	if r.Kind == cas.Secret {
		m.BinaryData = r.decode(ctx, config.Raw, diags).BinaryData
	}
	return m
}

// encode puts a model into a state, and its identity into the one beside it.
func (r *Whole) encode(ctx context.Context, m *Object, identity *tfsdk.ResourceIdentity, state *tfsdk.State) (diags diag.Diagnostics) {
	if identity != nil {
		diags = m.Identity().Encode(ctx, &identity.Raw)
	}
	return append(diags, r.Codec().Encode(ctx, *m, &state.Raw)...)
}

// blank is the state of an object of which nothing but its name is known. Every default is set, or the first plan would show an update.
func (r *Whole) blank(ctx context.Context, ref cas.Ref) *Object {
	m := r.decode(ctx, codec.Nulls, new(diag.Diagnostics))
	m.Immutable, m.HideValues, m.OnDrift = types.BoolValue(false), types.BoolValue(false), types.StringValue(terms.DriftWarning)
	m.SetRef(ref)
	return m
}

// IdentitySchema implements [resource.ResourceWithIdentity].
func (r *Whole) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = objectIdentitySchema(r.Kind)
}

// writing is the context of a write, which ends with the operation's timeout.
func (r *Whole) writing(
	ctx context.Context, limit func(context.Context, time.Duration) (time.Duration, diag.Diagnostics), diags *diag.Diagnostics,
) (context.Context, context.CancelFunc) {
	timeout, more := limit(ctx, terms.DefaultTimeout)
	diags.Append(more...)
	if !r.Run.Configured() {
		diags.Append(claim.NotConfigured())
	}
	return context.WithTimeout(ctx, timeout)
}

// Create implements [resource.Resource].
func (r *Whole) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	ctx, cancel := r.writing(ctx, plan.Timeouts.Create, &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}

	ref, result, err := r.create(ctx, plan)
	about := r.About(plan, nil, terms.OpCreate)
	about.ID.Ref = ref
	if err != nil {
		resp.Diagnostics.Append(about.Diagnose(err)) // nothing is set: a tainted ConfigMap could not pass the check of its next plan
		return
	}
	stored := r.stored(result.After, plan)
	resp.Diagnostics.Append(about.Admitted(plan.content(), r.live(result.After, plan).content())...)
	m.AccountWhole(stored)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	plan.SetRef(ref)
	plan.observe(result.After)
	resp.Diagnostics.Append(r.encode(ctx, plan, resp.Identity, &resp.State)...)
}

// create makes the ConfigMap under its name, or under one that is generated: another one where that is taken. It looks first,
// unless the plan's check just has: an answer that gets lost can be settled where it is known that there was none before.
func (r *Whole) create(ctx context.Context, plan *Object) (ref cas.Ref, result cas.TxnResult, err error) {
	ref = plan.Ref()
	attempts := 1
	if plan.Name.IsUnknown() {
		attempts = terms.NameAttempts
	}
	for range attempts {
		if plan.Name.IsUnknown() {
			ref.Name = terms.GenerateName(plan.GenerateName.ValueString())
		}
		if _, err = r.Run.Engine.Observe(ctx, ref, cas.Fresh); err != nil {
			return ref, result, err
		}
		result, err = r.Run.Engine.Create(ctx, r.creation(plan, ref))
		var exists *cas.ExistsError
		if !errors.As(err, &exists) {
			break
		}
	}
	return ref, result, err
}

func (r *Whole) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	timeout, diags := state.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(state.Identity().Encode(ctx, &resp.Identity.Raw)...)
	if !r.Run.Configured() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	seen, err := r.Run.Observe(ctx, state.Ref(), "", cas.Fresh, func(seen *cas.Observation) bool { return !seen.Exists() })
	switch {
	case err != nil:
		resp.Diagnostics.Append(r.About(state, nil, terms.OpRead).Diagnose(err))
		return
	case !seen.Exists():
		resp.State.RemoveResource(ctx)
		return
	case state.UID.IsNull(): // of an import
		r.adopt(state, seen)
		m.AccountWhole(state.content())
	default:
		r.refresh(state, seen)
		m.RefreshWhole(seen.Version(), r.found(seen, state))
	}
	r.Run.NoteRefresh(m)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.encode(ctx, state, resp.Identity, &resp.State)...)
}

// Update implements [resource.Resource].
func (r *Whole) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan := r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	ctx, cancel := r.writing(ctx, plan.Timeouts.Update, &resp.Diagnostics)
	defer cancel()
	m.ForgetPlan()
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.write(ctx, plan, state, m)...)
	}
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return // the framework keeps the prior state
	}
	resp.Diagnostics.Append(r.encode(ctx, plan, resp.Identity, &resp.State)...)
}

// write writes what is to be changed, if anything, and notes the version after it.
func (r *Whole) write(ctx context.Context, plan, state *Object, m *claim.Memory) (diags diag.Diagnostics) {
	about, c := r.About(plan, state, terms.OpUpdate), r.changeOf(plan, state, m)
	was, looks := state, plan.takesOver(state)
	if looks {
		live, err := c.look(ctx, 0)
		if err != nil {
			return diag.Diagnostics{about.Diagnose(err)}
		}
		was = r.takenOver(plan, state, live)
	}
	writes, txn := c.writes(was), c.txn(was)
	if txn == nil {
		plan.Observed, plan.Keys = state.Observed, state.Keys
		m.MoveBaseline(was.content(), plan.content(), writes.content())
		return nil
	}
	if looks { // what another has written since the plan is a conflict, before it is drift
		if _, err := r.Run.Engine.Check(ctx, txn, cas.ReadOnly); err != nil {
			return diag.Diagnostics{about.Diagnose(err)}
		}
	}
	if diags = r.Run.CheckDriftWhole(ctx, c.claims(was, state)); diags.HasError() {
		return diags
	}
	result, err := r.Run.Once(txn, terms.OpUpdate, func() (cas.TxnResult, error) { return r.Run.Engine.Commit(ctx, txn) })
	if err != nil {
		m.DoubtWhole(err, writes.content())
		return append(diags, about.Diagnose(err))
	}
	plan.observe(result.After)
	diags.Append(about.Admitted(writes.content(), r.live(result.After, plan).content())...)
	m.MoveBaseline(was.content(), plan.content(), r.stored(result.After, plan))
	return diags
}

// Delete implements [resource.Resource].
func (r *Whole) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.Run.Delete(ctx, r.removal(state, m))...)
		resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	}
}

// claim is what a plan or a state claims of the object.
func (r *Whole) claim(o *Object, about func(terms.Operation) diagnose.Subject) *claim.Claim {
	return &claim.Claim{
		ID: o.Ref().String(), Ref: o.Ref(), Version: o.Version(), OnDrift: o.OnDrift.ValueString(), Timeouts: o.Timeouts,
		Known: claim.Known{Values: true}, About: about,
		Whole: &claim.Whole{
			Content: o.content(), Found: func(seen *cas.Observation) diagnose.Content { return r.found(seen, o) }, Ignored: r.Run.Ignored,
		},
	}
}

// removal is what the removal of a ConfigMap is about.
func (r *Whole) removal(state *Object, m *claim.Memory) *claim.Change {
	return &claim.Change{Memory: m, Prior: r.claim(state, func(op terms.Operation) diagnose.Subject { return r.About(state, state, op) })}
}

// ImportState implements [resource.ResourceWithImportState]. The refresh that follows puts in the rest.
func (r *Whole) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ref, diags := importedObject(ctx, req)
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.encode(ctx, r.blank(ctx, ref), resp.Identity, &resp.State)...)
	}
}

// Imported is the state of an import of what was observed.
func (r *Whole) Imported(ctx context.Context, ref cas.Ref, seen *cas.Observation) *Object {
	m := r.blank(ctx, ref)
	r.adopt(m, seen)
	return m
}
