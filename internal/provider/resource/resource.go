// Package resource has the resources, and the code that they share with data sources, ephemeral resources and actions.
// A resource translates its model to a claim of package claim, and back. resource.go does so for each [Family] of
// resources: entries (entry.go), several keys (data.go), whole objects (object.go), and in package object the fields of
// any kind. found.go reads for data sources and ephemeral resources, and swap.go writes for actions.
package resource

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Family describes the resources with one model. [New] makes a resource of it. A function that may be nil says so.
type Family[M any] struct {
	Type

	// Base returns the attributes that all families share.
	Base func(*M) *Base

	// Identity has the attributes of an identity.
	Identity map[string]identityschema.Attribute
	// ParseID reads an id, as an import and a state have it.
	ParseID func(id string) (Identity, error)
	// Locate sets the attributes of an import by an identity. It returns the keys; none for all keys of the object.
	Locate func(*M, Identity) (keys []string, err error)
	// ID returns the id of a plan or of a state.
	ID func(Call[M]) string

	// Validate checks a configuration beyond its schema.
	Validate func(*M) diag.Diagnostics
	// Adjust sets attributes of a plan that follow from its configuration and its state. It may be nil.
	Adjust func(Call[M])
	// MayLeave says that the values to write are in the write-only maps data_wo and binary_data_wo. With ignore_changes, a
	// plan gets null in place of them, and the apply gets the maps of the configuration.
	MayLeave bool

	// Claim translates a plan or a state, except for the attributes that all families share.
	Claim func(Call[M]) *claim.Claim

	// PlanWrite makes unknown what a write changes, where Terraform does not: a plan with the arguments of its state may
	// have to write. It may be nil.
	PlanWrite func(Call[M])
	// Result stores the result of a write, except for the id and the version; nil if the resource writes nothing.
	Result func(Call[M], *claim.Written)
	// Read stores what a read found, and reports whether the resource still exists.
	Read func(Call[M], *claim.Seen) bool

	// Reword gives a plan the words of its state where both say the same in different words. It may be nil.
	Reword func(plan, state *M)
	// Moves reads a state of hashicorp/kubernetes. It may be nil.
	Moves *Moves[M]
}

// Call has the models of one call of Terraform, and what it knows beside them.
type Call[M any] struct {
	Model  *M // of the plan; of the state where there is no plan
	Config *M // of the plan
	State  *M // nil for a create
	Memory *claim.Memory
	Run    *claim.Run
}

// values returns the model with the values to write. For a Secret that is the configuration; nil without a plan.
func (c Call[M]) values(kind eval.Kind) *M {
	if kind == eval.Secret {
		return c.Config
	}
	return c.Model
}

// Identity has the attributes of all identities. Each family has some of them.
type Identity struct {
	APIVersion types.String `tfsdk:"api_version,optional"`
	Kind       types.String `tfsdk:"kind,optional"`
	Namespace  types.String `tfsdk:"namespace"`
	Name       types.String `tfsdk:"name"`
	Key        types.String `tfsdk:"key,optional"`
	Keys       types.List   `tfsdk:"keys,optional"`
	Paths      types.List   `tfsdk:"paths,optional"`
}

// Resource implements the resources of a family. Terraform calls ModifyPlan
//
//   - for a create, an update and each half of a replace when it plans, and for all but the removal again when it
//     applies;
//   - for a removal when it plans (for what create_before_destroy deposed: when it applies), with a null plan; what
//     that puts into private state then reaches Delete;
//   - for a replace twice, as an update and then as a create, which gets the private state of the first.
type Resource[M any] struct {
	Modeled[M]

	family     Family[M]
	identities func() *codec.Codec[Identity]
}

// New returns a resource of a family.
func New[M any](f Family[M]) *Resource[M] {
	r := &Resource[M]{Modeled: NewModeled[M](f.Name, f.Kind, f.Definition), family: f}
	r.Type = f.Type
	r.identities = codecOf[Identity](f.Name, func(context.Context) identityschema.Schema { return r.identitySchema() })
	return r
}

// decode returns the model of a configuration, a plan or a state.
func (r *Resource[M]) decode(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) *M {
	m := r.Decode(ctx, raw, diags)
	r.family.Base(m).Kind = r.Kind
	return m
}

// decodeState returns the call about a state, without a plan.
func (r *Resource[M]) decodeState(ctx context.Context, raw tftypes.Value, m *claim.Memory, diags *diag.Diagnostics) Call[M] {
	state := r.decode(ctx, raw, diags)
	return Call[M]{Model: state, State: state, Memory: m, Run: r.Run}
}

// decodePlan returns the call about a plan. state is null for a create.
func (r *Resource[M]) decodePlan(
	ctx context.Context, plan, config, state tftypes.Value, m *claim.Memory, diags *diag.Diagnostics,
) Call[M] {
	c := Call[M]{Model: r.decode(ctx, plan, diags), Config: r.decode(ctx, config, diags), Memory: m, Run: r.Run}
	if !state.IsNull() {
		c.State = r.decode(ctx, state, diags)
	}
	if r.family.Adjust != nil && !diags.HasError() {
		r.family.Adjust(c)
	}
	return c
}

// stateOf returns the call about the state before a plan.
func (c Call[M]) stateOf() Call[M] {
	return Call[M]{Model: c.State, State: c.State, Memory: c.Memory, Run: c.Run}
}

// encode puts a model into a state, and its identity into the one beside it.
func (r *Resource[M]) encode(
	ctx context.Context, m *M, identity *tfsdk.ResourceIdentity, state *tfsdk.State,
) (diags diag.Diagnostics) {
	if identity != nil {
		diags = r.EncodeIdentity(ctx, m, &identity.Raw)
	}
	return append(diags, r.Codec().Encode(ctx, *m, &state.Raw)...)
}

// EncodeIdentity puts the identity of a model into raw. The id has all that an identity has.
func (r *Resource[M]) EncodeIdentity(ctx context.Context, m *M, raw *tftypes.Value) diag.Diagnostics {
	identity, err := r.family.ParseID(r.ID(m))
	if err != nil {
		return diag.Diagnostics{invalidImport(diagnose.TitleInvalidImportIdentity, "identity", err)}
	}
	return r.identities().Encode(ctx, identity, raw)
}

// ID returns the id of a state.
func (r *Resource[M]) ID(state *M) string { return r.family.Base(state).ID.ValueString() }

// setID sets the id of a plan or of a state.
func (r *Resource[M]) setID(c Call[M]) { r.family.Base(c.Model).ID = types.StringValue(r.family.ID(c)) }

// claim translates a plan or a state to a claim.
func (r *Resource[M]) claim(c Call[M]) *claim.Claim {
	b, claimed := r.family.Base(c.Model), r.family.Claim(c)
	claimed.Version, claimed.Timeouts = b.Version(), b.Timeouts
	claimed.FieldManager = r.Run.FieldManagerOr(b.FieldManager)
	claimed.Policy, claimed.OnDrift = b.DeletionPolicy.ValueString(), b.OnDrift.ValueString()
	if c.Config != nil {
		claimed.Required = requiredOf(r.family.Base(c.Config).ExpectedResourceVerWO)
	}
	return claimed
}

// About describes a resource in diagnostics about an operation.
func (r *Resource[M]) About(c Call[M], op terms.Operation) diagnose.Subject {
	return r.claim(c).About(op)
}

// change returns the subject of a call with a plan.
func (r *Resource[M]) change(c Call[M]) *claim.Change {
	var prior *claim.Claim
	if c.State != nil {
		prior = r.claim(c.stateOf())
	}
	return claim.NewChange(r.Run, prior, r.claim(c), c.Memory)
}

// Import returns the state of an import before its first read, and the keys that it names.
func (r *Resource[M]) Import(ctx context.Context, i Identity) (state *M, keys []string, err error) {
	state = r.blank(ctx)
	keys, err = r.family.Locate(state, i)
	return state, keys, err
}

// blank returns a state with only the defaults. Without each of them, the first plan after an import shows an update.
func (r *Resource[M]) blank(ctx context.Context) *M {
	values, defaults := map[string]tftypes.Value{}, r.defaults()
	for name, attribute := range r.Definition(ctx).Attributes {
		if value := defaults.Of(name); !value.IsNull() {
			values[name] = tftypes.NewValue(tftypes.String, value.ValueString())
		} else if flag, isFlag := attribute.(schema.BoolAttribute); isFlag && flag.Default != nil {
			values[name] = tftypes.NewValue(tftypes.Bool, false)
		}
	}
	return r.decode(ctx, objectOf(values), new(diag.Diagnostics))
}

// objectOf returns an object with these attributes.
func objectOf(values map[string]tftypes.Value) tftypes.Value {
	ofType := map[string]tftypes.Type{}
	for name, value := range values {
		ofType[name] = value.Type()
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: ofType}, values)
}

// IdentitySchema implements [fwresource.ResourceWithIdentity].
func (r *Resource[M]) IdentitySchema(
	_ context.Context, _ fwresource.IdentitySchemaRequest, resp *fwresource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = r.identitySchema()
}

func (r *Resource[M]) identitySchema() identityschema.Schema {
	return identityschema.Schema{Attributes: r.family.Identity}
}

// ValidateConfig implements [fwresource.ResourceWithValidateConfig].
func (r *Resource[M]) ValidateConfig(
	ctx context.Context, req fwresource.ValidateConfigRequest, resp *fwresource.ValidateConfigResponse,
) {
	if config := r.decode(ctx, req.Config.Raw, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.family.Validate(config)...)
	}
}

// ModifyPlan makes the checks of an apply at plan.
func (r *Resource[M]) ModifyPlan(
	ctx context.Context, req fwresource.ModifyPlanRequest, resp *fwresource.ModifyPlanResponse,
) {
	if r.Run == nil {
		return
	}
	ctx, m := r.Planning(ctx, &req, resp)
	defer func() { resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...) }()
	if req.Plan.Raw.IsNull() {
		c := r.decodeState(ctx, req.State.Raw, m, &resp.Diagnostics)
		if !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(claim.NewChange(r.Run, r.claim(c), nil, m).PlanDelete(ctx, true)...)
		}
		return
	}
	c := r.decodePlan(ctx, req.Plan.Raw, req.Config.Raw, req.State.Raw, m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ch := r.change(c)
	switch {
	case c.State == nil:
		r.planCreate(ctx, c, ch, resp)
		return
	case req.Plan.Raw.Equal(req.State.Raw) && r.Kind == eval.ConfigMap:
		ch = claim.NewChange(r.Run, ch.Prior, ch.Prior, m)
		ch.NoteReplace()
		resp.Diagnostics.Append(ch.PlanUnchanged(ctx)...)
		resp.Diagnostics.Append(r.acceptDrift(ctx, c, ch, resp)...)
	case !ch.Plan.Known.Place || ch.Plan.ID != ch.Prior.ID:
		mayBeSame := !ch.Plan.Known.Place && r.mayBeSame(req.Plan.Raw, req.State.Raw)
		resp.Diagnostics.Append(ch.PlanReplace(ctx, mayBeSame)...)
	default:
		r.planUpdate(ctx, c, ch, resp)
	}
	if !r.Run.IsApply(ctx) {
		r.planNoChange(ctx, c, req.State.Raw, resp)
	}
}

// mayBeSame reports whether a plan may turn out to have the place of its state.
func (r *Resource[M]) mayBeSame(plan, state tftypes.Value) bool {
	var planned, had map[string]tftypes.Value
	if plan.As(&planned) != nil || state.As(&had) != nil {
		return false
	}
	for name, attribute := range r.family.Identity {
		_, isText := attribute.(identityschema.StringAttribute)
		if isText && planned[name].IsKnown() && !planned[name].Equal(had[name]) {
			return false
		}
	}
	return true
}

// planNoChange plans the state itself if the plan differs from the state in words alone. Any other plan has the words
// of the configuration, which its apply stores. An apply plans each change again: there the words of the state would
// differ from the first plan.
func (r *Resource[M]) planNoChange(
	ctx context.Context, c Call[M], raw tftypes.Value, resp *fwresource.ModifyPlanResponse,
) {
	if r.family.Reword == nil || len(resp.RequiresReplace) > 0 {
		return
	}
	var reworded tftypes.Value
	r.family.Reword(c.Model, c.State)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *c.Model, &reworded)...)
	if reworded.Equal(raw) { // which compares no types
		resp.Plan.Raw = raw
	}
}

func (r *Resource[M]) planCreate(
	ctx context.Context, c Call[M], ch *claim.Change, resp *fwresource.ModifyPlanResponse,
) {
	if ch.Plan.IsNamed() {
		r.setID(c)
		r.planWrite(c)
	}
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *c.Model, &resp.Plan.Raw)...)
	resp.Diagnostics.Append(ch.PlanCreate(ctx)...)
}

func (r *Resource[M]) planUpdate(
	ctx context.Context, c Call[M], ch *claim.Change, resp *fwresource.ModifyPlanResponse,
) {
	planned := ch.Plan
	ch.NoteReplace()
	if planned.IsNamed() && (!planned.Open || planned.Whole != nil) {
		r.setID(c)
	}
	ch.Memory.Plan.Left = r.family.MayLeave && !planned.Open
	isUnchanged := planned.Known.Change && ch.Update.Txn == nil
	switch {
	case isUnchanged && planned.Open && len(ch.Update.Released) > 0: // the update records that the resource releases the keys
		r.planWrite(c)
	case !planned.Known.Change, isUnchanged && (planned.Open || planned.IsSecret() && !planned.Known.Values):
		// The plan stays as it is: its difference from the state makes unknown what a write changes, since the apply may
		// have to write after all.
	case isUnchanged:
		r.keep(c)
	default:
		r.planWrite(c)
	}
	r.keepUID(c, ch)
	resp.Diagnostics.Append(ch.PlanUpdate(ctx)...)
	for _, attribute := range ch.Update.Replaces {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(attribute))
		r.planWrite(c)
	}
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *c.Model, &resp.Plan.Raw)...)
	if len(ch.Update.Replaces) == 0 && isUnchanged {
		resp.Diagnostics.Append(r.acceptDrift(ctx, c, ch, resp)...)
	}
}

func (r *Resource[M]) planWrite(c Call[M]) {
	if r.family.PlanWrite != nil {
		r.family.PlanWrite(c)
	}
}

// keepUID keeps the uid in the plan of an update for which another object would be a conflict.
func (r *Resource[M]) keepUID(c Call[M], ch *claim.Change) {
	if uid := ch.Prior.Version.UID; ch.Plan.Scope == terms.ScopeObject && uid != "" {
		r.family.Base(c.Model).UID = types.StringValue(uid)
	}
}

// acceptDrift plans an update that moves the baseline of drift, and writes nothing to the cluster, if the plan accepts
// drift.
func (r *Resource[M]) acceptDrift(
	ctx context.Context, c Call[M], ch *claim.Change, resp *fwresource.ModifyPlanResponse,
) diag.Diagnostics {
	if !ch.Update.AcceptsDrift {
		return nil
	}
	r.setID(c)
	r.family.Base(c.Model).ResourceVersion = types.StringUnknown()
	if ch.Plan.Open {
		r.planWrite(c)
		r.keepUID(c, ch)
	}
	return r.Codec().Encode(ctx, *c.Model, &resp.Plan.Raw)
}

// keep copies from the state what only a write changes.
func (r *Resource[M]) keep(c Call[M]) {
	r.family.Base(c.Model).Versioned = r.family.Base(c.State).Versioned
	r.family.Result(c, nil)
	r.setID(c)
}

// takeIn stores the result of a write.
func (r *Resource[M]) takeIn(c Call[M], written claim.Written) {
	r.family.Base(c.Model).SetVersion(written.After.Version())
	r.family.Result(c, &written)
	r.setID(c)
}

// Create implements [fwresource.Resource].
func (r *Resource[M]) Create(ctx context.Context, req fwresource.CreateRequest, resp *fwresource.CreateResponse) {
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	c := r.decodePlan(ctx, req.Plan.Raw, req.Config.Raw, noState, m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	written, diags := r.change(c).ApplyCreate(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // nothing is set: the next plan of a tainted resource could not pass its check
	}
	r.takeIn(c, written)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.encode(ctx, c.Model, resp.Identity, &resp.State)...)
}

// noState is the state before a create.
var noState = tftypes.NewValue(tftypes.DynamicPseudoType, nil)

// Update implements [fwresource.Resource].
func (r *Resource[M]) Update(ctx context.Context, req fwresource.UpdateRequest, resp *fwresource.UpdateResponse) {
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	config := req.Config.Raw
	if m.Plan.Left {
		config = withoutMaps(config)
	}
	c := r.decodePlan(ctx, req.Plan.Raw, config, req.State.Raw, m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	written, diags := r.change(c).ApplyUpdate(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return // the framework keeps the prior state
	}
	if written.After != nil {
		r.takeIn(c, written)
	} else {
		r.keep(c)
	}
	resp.Diagnostics.Append(r.encode(ctx, c.Model, resp.Identity, &resp.State)...)
}

// withoutMaps returns a configuration without the maps of values, as the plan had it.
func withoutMaps(config tftypes.Value) tftypes.Value {
	var values map[string]tftypes.Value
	if config.As(&values) != nil {
		return config
	}
	values = maps.Clone(values)
	for _, name := range []string{"data_wo", "binary_data_wo"} {
		values[name] = tftypes.NewValue(values[name].Type(), nil)
	}
	return tftypes.NewValue(config.Type(), values)
}

// Delete implements [fwresource.Resource].
func (r *Resource[M]) Delete(ctx context.Context, req fwresource.DeleteRequest, resp *fwresource.DeleteResponse) {
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	c := r.decodeState(ctx, req.State.Raw, m, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(claim.NewChange(r.Run, r.claim(c), nil, m).ApplyDelete(ctx)...)
		resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	}
}

// Read implements [fwresource.Resource].
func (r *Resource[M]) Read(ctx context.Context, req fwresource.ReadRequest, resp *fwresource.ReadResponse) {
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	c := r.decodeState(ctx, req.State.Raw, m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(r.EncodeIdentity(ctx, c.Model, &resp.Identity.Raw)...)
	if !r.Run.Configured() {
		return
	}
	seen, diags := r.Run.Read(ctx, r.claim(c), m)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || seen == nil {
		return
	}
	if !r.family.Read(c, seen) {
		if seen.IsImport {
			resp.Diagnostics.Append(r.Run.NothingThere(ctx, r.About(c, terms.OpRead), seen.Snapshot))
		}
		resp.State.RemoveResource(ctx)
		return
	}
	r.family.Base(c.Model).SetVersion(seen.Version())
	if seen.IsImport {
		imported := r.claim(c)
		if missing := seen.Missing(); imported.Whole == nil && (len(missing) > 0 || len(seen.Keys) == 0) {
			resp.Diagnostics.Append(imported.About(terms.OpRead).NotImported(missing, seen.Snapshot))
			return
		}
		r.setID(c)
		m.Memory = decide.Imported(m.Memory, &imported.Claim, seen.Keys, seen.Snapshot)
	}
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.encode(ctx, c.Model, resp.Identity, &resp.State)...)
}

// Found returns the state of an import that finds a snapshot.
func (r *Resource[M]) Found(ctx context.Context, i Identity, seen *eval.Snapshot) (*M, error) {
	state, _, err := r.Import(ctx, i)
	if err == nil {
		r.family.Read(Call[M]{Model: state, State: state, Run: r.Run}, &claim.Seen{Snapshot: seen, IsImport: true})
		r.family.Base(state).SetVersion(seen.Version())
	}
	return state, err
}

// ImportState implements [fwresource.ResourceWithImportState]. The refresh that follows puts in the rest.
func (r *Resource[M]) ImportState(
	ctx context.Context, req fwresource.ImportStateRequest, resp *fwresource.ImportStateResponse,
) {
	title, subject := diagnose.TitleInvalidImportID, "import id"
	var identity Identity
	var err error
	if req.ID != "" {
		identity, err = r.family.ParseID(req.ID)
	} else {
		title, subject = diagnose.TitleInvalidImportIdentity, "identity"
		identity, resp.Diagnostics = r.identities().Decode(ctx, req.Identity.Raw)
	}
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	var state *M
	var keys []string
	if err == nil {
		state, keys, err = r.Import(ctx, identity)
	}
	if err != nil {
		resp.Diagnostics.Append(invalidImport(title, subject, err))
		return
	}
	resp.Diagnostics.Append(r.encode(ctx, state, resp.Identity, &resp.State)...)
	m.Imports(keys...)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
}

// InvalidImportID returns the error about the id of an import.
func InvalidImportID(err error) diag.Diagnostic {
	return invalidImport(diagnose.TitleInvalidImportID, "import id", err)
}

func invalidImport(title *diagnose.Row, subject string, err error) diag.Diagnostic {
	return title.With(diagnose.Detail(fmt.Sprintf("The %s %v.", subject, err), nil, ""))
}
