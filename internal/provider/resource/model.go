package resource

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
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

// At returns the attributes that say where something is.
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

// Base has the attributes that all families of resources share.
type Base struct {
	Place
	Versioned

	ExpectedResourceVerWO types.String `tfsdk:"expected_resource_version_wo"`
	DeletionPolicy        types.String `tfsdk:"deletion_policy"`
	OnDrift               types.String `tfsdk:"on_drift"`
}

// KeysAttributes has the attributes that all resources of keys share.
type KeysAttributes struct {
	Base

	ConflictScope types.String `tfsdk:"conflict_scope"`
	WaitForMatch  types.String `tfsdk:"wait_for_match"`
	AdoptExisting types.Bool   `tfsdk:"adopt_existing"`
}

// planWrite makes the version of a Secret unknown. A ConfigMap is written where an argument differs from the state.
func (k *KeysAttributes) planWrite() {
	if k.Kind == eval.Secret {
		k.ResourceVersion, k.UID = types.StringUnknown(), types.StringUnknown()
	}
}

// NewClaim returns the part of a claim that all resources of keys share.
func (k *KeysAttributes) NewClaim(id string, values, expected map[string]eval.Value) *claim.Claim {
	return &claim.Claim{Claim: decide.Claim{
		ID: id, Ref: k.Ref(), Values: values, Expected: expected,
		Adopt: k.AdoptExisting.ValueBool(), Scope: k.ConflictScope.ValueString(), Waits: !k.WaitForMatch.IsNull(),
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

// objectIdentity returns the attributes of the identity of an object, and others.
func objectIdentity(kind eval.Kind, others map[string]identityschema.Attribute) map[string]identityschema.Attribute {
	all := map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{
			OptionalForImport: true, Description: fmt.Sprintf("Namespace of the %s. Default: \"default\".", kind),
		},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Name of the %s.", kind)},
	}
	maps.Copy(all, others)
	return all
}

// identityOf returns the identity of an object.
func identityOf(ref eval.Ref) Identity {
	return Identity{
		Namespace: types.StringValue(ref.Namespace), Name: types.StringValue(ref.Name), Keys: types.ListNull(types.StringType),
	}
}

// ref names the object of an identity.
func (i Identity) ref() eval.Ref {
	return (&Named{Namespace: i.Namespace, Name: i.Name}).RefWithDefault()
}
