package resource

import (
	"cmp"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// The attributes that several models have, and their conversions.

// Named has the attributes that name an object.
type Named struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// At returns the attributes that name the object.
func (n *Named) At() []types.String { return []types.String{n.Namespace, n.Name} }

// RefWithDefault returns the reference to the object, in the default namespace if none is set: the framework has
// defaults only for resources.
func (n *Named) RefWithDefault() eval.Ref {
	return eval.Ref{Namespace: cmp.Or(n.Namespace.ValueString(), terms.DefaultNamespace), Name: n.Name.ValueString()}
}

// Place has the attributes that all resources share: the name of the object, and how to write it.
type Place struct {
	Named

	FieldManager types.String   `tfsdk:"field_manager"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
	ID           types.String   `tfsdk:"id"`

	Kind eval.Kind `tfsdk:"-"` // of the object
}

// Ref returns the reference to the object.
func (p *Place) Ref() eval.Ref {
	return eval.Ref{Kind: p.Kind, Namespace: p.Namespace.ValueString(), Name: p.Name.ValueString()}
}

// SetRef stores the reference to the object, and the id that follows from it.
func (p *Place) SetRef(ref eval.Ref) {
	p.Namespace, p.Name = types.StringValue(ref.Namespace), types.StringValue(ref.Name)
	p.ID = types.StringValue(ref.String())
}

// RefKnown reports whether namespace and name are known.
func (p *Place) RefKnown() bool { return Known(p.Namespace, p.Name) }

// Taking has the attributes of counters and allocations, which take a value from one key.
type Taking struct {
	Place

	Key types.String `tfsdk:"key"`
}

// EntryID returns the id of the key.
func (t *Taking) EntryID() terms.EntryID {
	return terms.EntryID{Ref: t.Ref(), Key: t.Key.ValueString()}
}

// EntryKnown reports whether the key and its object are known.
func (t *Taking) EntryKnown() bool { return Known(t.Namespace, t.Name, t.Key) }

// Subject completes the description of a resource in diagnostics.
func (t *Taking) Subject(
	s message.Subject, op terms.Operation, within *session.Session,
) message.Subject {
	s.ID, s.Value, s.Op, s.Hide = t.EntryID(), path.Root("key"), op, message.HideIf(within.Hides(types.BoolNull()))
	return s
}

// Versioned is the version of the object in a state.
type Versioned struct {
	ResourceVersion types.String `tfsdk:"resource_version"`
	UID             types.String `tfsdk:"uid"`
}

// Version returns the version of the object; an invalid one without a state.
func (v *Versioned) Version() eval.Version {
	return eval.Version{UID: v.UID.ValueString(), ResourceVersion: v.ResourceVersion.ValueString()}
}

// SetVersion stores the version of the object.
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

// NewClaim returns the part of a claim that all resources of keys have.
func (k *KeysAttributes) NewClaim(id string, values, expected map[string]eval.Value) *Claim {
	return &Claim{Claim: decide.Claim{
		ID: id, Ref: k.Ref(), Values: values, Expected: expected,
		Adopt: k.AdoptExisting.ValueBool(), Scope: k.ConflictScope.ValueString(), Waits: !k.WaitForMatch.IsNull(),
	}}
}

// requiredOf returns the version that a configuration requires.
func requiredOf(version types.String) decide.Required {
	return decide.Required{Version: version.ValueString(), IsUnknown: version.IsUnknown()}
}

// Subject returns the part of a diagnostic that all resources of keys share. move is the next step for a key that moves
// between instances.
func (k *KeysAttributes) Subject(op terms.Operation, hide message.Hiding, move string) message.Subject {
	s := message.Subject{
		ID: terms.EntryID{Ref: k.Ref()}, Op: op, Hide: hide, Keys: map[string]message.KeyPaths{},
		Ways: message.Ways{OtherKeys: `set conflict_scope = "key" to ignore other keys.`, Move: move},
	}
	if op == terms.OpCreate || op == terms.OpUpdate {
		s.Wait = k.WaitForMatch
	}
	return s
}

// Kept returns the replaced values of the state, for a call that writes nothing: null if the values are hidden now, and
// unknown if that is not known yet.
func Kept[V attr.Value](was, null, unknown V, hide types.Bool, s *session.Session) V {
	switch {
	case was.IsNull():
		return was
	case hide.IsUnknown():
		return unknown
	case s.Hides(hide):
		return null
	}
	return was
}

// Ref returns the reference to the object of an identity.
func (i Identity) Ref() eval.Ref {
	return (&Named{Namespace: i.Namespace, Name: i.Name}).RefWithDefault()
}
