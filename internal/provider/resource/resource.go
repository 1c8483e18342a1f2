// Package resource has the one generic resource: it decodes, decides with package decide, reads or writes, and encodes.
//
// A [Family] translates its model to a [Claim], and a result back to the model: package keys has the families of
// ConfigMaps and Secrets, package object the family of fields of any kind. A claim describes the request of a resource
// about one object. It has nothing to do with a PersistentVolumeClaim. Where to look:
//
//   - resource.go, plan.go: the functions that Terraform calls; connection.go, move.go: the smaller ones
//   - operation.go: one such call, with the claims of its plan and its state
//   - model.go, values.go: attributes that all families share
//   - memory.go: how private state is stored
//   - check.go: how a create and an update are checked at plan
//   - write.go: how a create and an update are applied
//   - delete.go: how a removal is checked and applied
//   - read.go: how a refresh reads
//   - whole.go: how a whole object is created and removed
//   - report.go: which diagnostics a decision has
//   - found.go: data sources and ephemeral resources; swap.go: actions
package resource

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
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
	Claim func(Call[M]) *Claim

	// PlanWrite makes unknown what a write changes, where Terraform does not: a plan with the arguments of its state may
	// have to write. It may be nil.
	PlanWrite func(Call[M])
	// Result stores the result of a write, except for the id and the version. Written is nil if there was no write.
	Result func(Call[M], *Written)
	// Read stores what a read found, and reports whether the resource still exists.
	Read func(Call[M], *Seen) bool

	// Reword copies the spelling of the state to a plan for each value that differs only in spelling. It may be nil.
	Reword func(plan, state *M)
	// Moves reads a state of hashicorp/kubernetes. It may be nil.
	Moves *Moves[M]
}

// Call has the models of one call of Terraform, and the other facts that a family needs.
type Call[M any] struct {
	Model   *M // of the plan; of the state where there is no plan
	Config  *M // of the plan
	State   *M // nil for a create
	Memory  *Memory
	Session *session.Session
}

// Values returns the model with the values to write. For a Secret that is the configuration; nil without a plan.
func (c Call[M]) Values(kind eval.Kind) *M {
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
	Format     types.String `tfsdk:"format,optional"`
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
func (r *Resource[M]) decodeState(ctx context.Context, raw tftypes.Value, m *Memory, diags *diag.Diagnostics) Call[M] {
	state := r.decode(ctx, raw, diags)
	return Call[M]{Model: state, State: state, Memory: m, Session: r.Session}
}

// decodePlan returns the call about a plan. state is null for a create.
func (r *Resource[M]) decodePlan(
	ctx context.Context, plan, config, state tftypes.Value, m *Memory, diags *diag.Diagnostics,
) Call[M] {
	c := Call[M]{Model: r.decode(ctx, plan, diags), Config: r.decode(ctx, config, diags), Memory: m, Session: r.Session}
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
	return Call[M]{Model: c.State, State: c.State, Memory: c.Memory, Session: c.Session}
}

// encode puts a model into a state, and its identity into identity, which may be nil.
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
		return diag.Diagnostics{invalidImport(message.InvalidImportIdentity, "identity", err)}
	}
	return r.identities().Encode(ctx, identity, raw)
}

// ID returns the id of a state.
func (r *Resource[M]) ID(state *M) string { return r.family.Base(state).ID.ValueString() }

// setID sets the id of a plan or of a state.
func (r *Resource[M]) setID(c Call[M]) { r.family.Base(c.Model).ID = types.StringValue(r.family.ID(c)) }

// claim translates a plan or a state to a claim.
func (r *Resource[M]) claim(c Call[M]) *Claim {
	b, claimed := r.family.Base(c.Model), r.family.Claim(c)
	claimed.Version, claimed.Timeouts = b.Version(), b.Timeouts
	claimed.FieldManager = r.Session.FieldManagerOr(b.FieldManager)
	claimed.Policy, claimed.OnDrift = b.DeletionPolicy.ValueString(), b.OnDrift.ValueString()
	if c.Config != nil {
		claimed.Required = requiredOf(r.family.Base(c.Config).ExpectedResourceVerWO)
	}
	return claimed
}

// About describes a resource in diagnostics about an operation.
func (r *Resource[M]) About(c Call[M], op terms.Operation) message.Subject {
	return r.claim(c).About(op)
}

// operation returns the operation of a call with a plan.
func (r *Resource[M]) operation(c Call[M]) *operation {
	var prior *Claim
	if c.State != nil {
		prior = r.claim(c.stateOf())
	}
	return newOperation(r.Session, prior, r.claim(c), c.Memory)
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
	return r.decode(ctx, ObjectOf(values), new(diag.Diagnostics))
}

// ObjectOf returns an object with these attributes.
func ObjectOf(values map[string]tftypes.Value) tftypes.Value {
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

// keep copies from the state what only a write changes.
func (r *Resource[M]) keep(c Call[M]) {
	r.family.Base(c.Model).Versioned = r.family.Base(c.State).Versioned
	r.family.Result(c, nil)
	r.setID(c)
}

// takeIn stores the result of a write.
func (r *Resource[M]) takeIn(c Call[M], written Written) {
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
	written, diags := r.operation(c).applyCreate(ctx)
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
	written, diags := r.operation(c).applyUpdate(ctx)
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
		resp.Diagnostics.Append(newOperation(r.Session, r.claim(c), nil, m).applyDelete(ctx)...)
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
	if !r.Session.Configured() {
		return
	}
	seen, diags := read(ctx, r.Session, r.claim(c), m)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || seen == nil {
		return
	}
	if !r.family.Read(c, seen) {
		if seen.IsImport {
			resp.Diagnostics.Append(r.Session.NothingThere(ctx, r.About(c, terms.OpRead), seen.Snapshot))
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
		r.family.Read(Call[M]{Model: state, State: state, Session: r.Session}, &Seen{Snapshot: seen, IsImport: true})
		r.family.Base(state).SetVersion(seen.Version())
	}
	return state, err
}

// ImportState implements [fwresource.ResourceWithImportState]. The refresh that follows puts in the rest.
func (r *Resource[M]) ImportState(
	ctx context.Context, req fwresource.ImportStateRequest, resp *fwresource.ImportStateResponse,
) {
	title, subject := message.InvalidImportID, "import id"
	var identity Identity
	var err error
	if req.ID != "" {
		identity, err = r.family.ParseID(req.ID)
	} else {
		title, subject = message.InvalidImportIdentity, "identity"
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

// InvalidImportID returns the error about the id of an import, for lists and allocations.
func InvalidImportID(err error) diag.Diagnostic {
	return invalidImport(message.InvalidImportID, "import id", err)
}

func invalidImport(title *message.Row, subject string, err error) diag.Diagnostic {
	return title.With(message.Detail(fmt.Sprintf("The %s %v.", subject, err), nil, ""))
}
