package adapter

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Attributes that several models have, with what these make of them.

// Named are the attributes that name an object.
type Named struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// At are the attributes that say where something is.
func (n *Named) At() []types.String { return []types.String{n.Namespace, n.Name} }

// RefWithDefault names the object, of the default namespace where none is given: the framework has defaults for resources alone.
func (n *Named) RefWithDefault() eval.Ref {
	return eval.Ref{Namespace: cmp.Or(n.Namespace.ValueString(), terms.DefaultNamespace), Name: n.Name.ValueString()}
}

// Place holds the attributes that all resources share: which object, and how to write it.
type Place struct {
	Named

	FieldManager types.String   `tfsdk:"field_manager"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
	ID           types.String   `tfsdk:"id"`

	Kind eval.Kind `tfsdk:"-"` // the resource's
}

// Ref names the object.
func (p *Place) Ref() eval.Ref {
	return eval.Ref{Kind: p.Kind, Namespace: p.Namespace.ValueString(), Name: p.Name.ValueString()}
}

// SetKind implements [KeysModel].
func (p *Place) SetKind(ofType eval.Kind) { p.Kind = ofType }

// SetRef names the object.
func (p *Place) SetRef(ref eval.Ref) {
	p.Namespace, p.Name, p.ID = types.StringValue(ref.Namespace), types.StringValue(ref.Name), types.StringValue(ref.String())
}

// RefKnown reports whether namespace and name are known.
func (p *Place) RefKnown() bool { return Known(p.Namespace, p.Name) }

// Taking holds the attributes that all resources share which take a value from one key.
type Taking struct {
	Place

	Key types.String `tfsdk:"key"`
}

// EntryID names the key.
func (t *Taking) EntryID() terms.EntryID {
	return terms.EntryID{Ref: t.Ref(), Key: t.Key.ValueString()}
}

// EntryKnown reports whether it is known which key it is.
func (t *Taking) EntryKnown() bool { return Known(t.Namespace, t.Name, t.Key) }

// Subject completes the description of a resource in diagnostics.
func (t *Taking) Subject(s diagnose.Subject, op terms.Operation, run *claim.Run) diagnose.Subject {
	s.ID, s.Value, s.Op, s.Hide = t.EntryID(), path.Root("key"), op, diagnose.HideIf(run.Hides(types.BoolNull()))
	return s
}

// Versioned is the version of the object in a state.
type Versioned struct {
	ResourceVersion types.String `tfsdk:"resource_version"`
	UID             types.String `tfsdk:"uid"`
}

// Version is the version of the object; not a valid one without a state.
func (v *Versioned) Version() eval.Version {
	return eval.Version{UID: v.UID.ValueString(), ResourceVersion: v.ResourceVersion.ValueString()}
}

// SetVersion notes the version of the object.
func (v *Versioned) SetVersion(to eval.Version) {
	v.UID, v.ResourceVersion = types.StringValue(to.UID), types.StringValue(to.ResourceVersion)
}

// Base are the attributes that all resources share which observe an object.
type Base struct {
	Place
	Versioned
}

// Shared are the attributes themselves.
func (b *Base) Shared() *Base { return b }

// KeysAttributes are the attributes that all resources of keys share.
type KeysAttributes struct {
	Base

	ExpectedResourceVerWO types.String `tfsdk:"expected_resource_version_wo"`
	ConflictScope         types.String `tfsdk:"conflict_scope"`
	WaitForMatch          types.String `tfsdk:"wait_for_match"`
	AdoptExisting         types.Bool   `tfsdk:"adopt_existing"`
	DeletionPolicy        types.String `tfsdk:"deletion_policy"`
	OnDrift               types.String `tfsdk:"on_drift"`

	Pin types.String `tfsdk:"-"` // the expected_resource_version_wo of the configuration
}

// SetDefaults sets the attributes of a new import. Without every default, the first plan would show an update.
func (k *KeysAttributes) SetDefaults(of terms.Defaults) {
	k.ConflictScope, k.DeletionPolicy = of.Of(terms.ConflictScope), of.Of(terms.DeletionPolicy)
	k.OnDrift = of.Of(terms.OnDrift)
	k.AdoptExisting = types.BoolValue(false)
}

// Validate finds nothing wrong: the schema checks what each attribute holds by itself.
func (*KeysAttributes) Validate() diag.Diagnostics { return nil }

// PlanWrite makes the version of a Secret unknown. A ConfigMap is written where an argument differs from the state.
func (k *KeysAttributes) PlanWrite() {
	if k.Kind == eval.Secret {
		k.ResourceVersion, k.UID = types.StringUnknown(), types.StringUnknown()
	}
}

// NewClaim fills in the parts of a claim that all resources of keys share.
func (k *KeysAttributes) NewClaim(run *claim.Run, id string, values, expected map[string]eval.Value) *claim.Claim {
	return &claim.Claim{Timeouts: k.Timeouts, Claim: decide.Claim{
		ID: id, Ref: k.Ref(), Values: values, Expected: expected, Adopt: k.AdoptExisting.ValueBool(),
		Required: requiredOf(k.Pin), Scope: k.ConflictScope.ValueString(), Policy: k.DeletionPolicy.ValueString(),
		OnDrift: k.OnDrift.ValueString(), Waits: !k.WaitForMatch.IsNull(), Version: k.Version(),
		FieldManager: run.FieldManagerOr(k.FieldManager),
	}}
}

// requiredOf returns the version that a configuration requires.
func requiredOf(version types.String) decide.Required {
	return decide.Required{Version: version.ValueString(), IsUnknown: version.IsUnknown()}
}

// revisionOf returns the version of write-only values; empty if it is null.
func revisionOf(version types.Int64) string {
	if version.IsNull() {
		return ""
	}
	return version.String()
}

// Subject returns the part of a diagnostic that all resources of keys share. move is the next step for a key that moves
// between instances.
func (k *KeysAttributes) Subject(op terms.Operation, hide diagnose.Hiding, move string) diagnose.Subject {
	s := diagnose.Subject{
		ID: terms.EntryID{Ref: k.Ref()}, Op: op, Hide: hide, Keys: map[string]diagnose.KeyPaths{},
		Ways: diagnose.Ways{OtherKeys: `set conflict_scope = "key" to ignore other keys.`, Move: move},
	}
	if op == terms.OpCreate || op == terms.OpUpdate {
		s.Wait = k.WaitForMatch
	}
	return s
}

// changeKnown reports whether the plan knows if an update writes. For a Secret, its revision decides.
func (k *KeysAttributes) changeKnown(valued bool, revision types.Int64) bool {
	if k.Kind == eval.Secret {
		return !revision.IsUnknown()
	}
	return valued
}

// hiding is how diagnostics show values. Those of a Secret are never shown.
func (k *KeysAttributes) hiding(run *claim.Run, hide types.Bool) diagnose.Hiding {
	if k.Kind == eval.Secret {
		return diagnose.ShowNothing
	}
	return diagnose.HideIf(run.Hides(hide))
}

// attribute is one of those that the schema of a Secret has as a write-only one.
func (k *KeysAttributes) attribute(name string) path.Path { return attributeOf(k.Kind, name) }

// Kept returns the values that the last write replaced, from the state. If values are hidden now, it returns null.
func Kept[V attr.Value](was, null, unknown V, hide types.Bool, run *claim.Run) V {
	switch {
	case was.IsNull():
		return was
	case hide.IsUnknown():
		return unknown
	case run.Hides(hide):
		return null
	}
	return was
}

// The identity of a whole ConfigMap or Secret is [Named].

// objectIdentitySchema is the schema of the identity of a whole object.
func objectIdentitySchema(kind eval.Kind) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{
			OptionalForImport: true, Description: fmt.Sprintf("Namespace of the %s. Default: \"default\".", kind),
		},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Name of the %s.", kind)},
	}}
}

// identities is the codec of an identity. That does not differ between kinds.
func identities[M any](schema func(eval.Kind) identityschema.Schema) func() *codec.Codec[M] {
	return codec.Of[M](func(context.Context) identityschema.Schema { return schema(eval.ConfigMap) })
}

// Imported parses an import's id or, without one, reads its identity. Where of is nil, the resource has no identity.
func Imported[I, ID any](
	ctx context.Context, req resource.ImportStateRequest, parse func(string) (ID, error), of func(I) (ID, error),
) (id ID, diags diag.Diagnostics) {
	title, subject := diagnose.TitleInvalidImportID, "import id"
	var err error
	if req.ID != "" || of == nil {
		id, err = parse(req.ID)
	} else {
		var identity I
		if diags = req.Identity.Get(ctx, &identity); diags.HasError() {
			return id, diags
		}
		title, subject = diagnose.TitleInvalidImportIdentity, "identity"
		id, err = of(identity)
	}
	if err != nil {
		diags.Append(title.With(diagnose.Detail(fmt.Sprintf("The %s %v.", subject, err), nil, "")))
	}
	return id, diags
}
