package terms

import "github.com/hashicorp/terraform-plugin-framework/types"

// Values of missing_object: what a plan says of an object that does not exist, and that no resource of the plan makes.
const (
	MissingWarning = "warning"
	MissingError   = "error"
)

// The attributes of resources for which the provider block can give a default.
const (
	ConflictScope  = "conflict_scope"
	DeletionPolicy = "deletion_policy"
	MissingObject  = "missing_object"
	OnDrift        = "on_drift"
)

// usual is what each of them is where neither the resource nor the provider block gives it.
var usual = map[string]string{ConflictScope: ScopeObject, DeletionPolicy: PolicyRelease, MissingObject: MissingWarning, OnDrift: DriftWarning}

// Defaults are what the provider block gives. The zero value is what there is without a block.
type Defaults struct{ given types.Object }

// DefaultsOf reads the block, null where there is none.
func DefaultsOf(given types.Object) Defaults {
	if given.IsNull() {
		return Defaults{}
	}
	return Defaults{given}
}

// Of is the default of an attribute, unknown where the block is not known yet. It reports false of any other attribute.
func (d Defaults) Of(attribute string) (types.String, bool) {
	value, ok := usual[attribute]
	switch given, _ := d.given.Attributes()[attribute].(types.String); {
	case !ok:
		return types.StringNull(), false
	case d.given.IsUnknown() || given.IsUnknown():
		return types.StringUnknown(), true
	case d.given.IsNull() || given.IsNull():
		return types.StringValue(value), true
	default:
		return given, true
	}
}

// Known is the default of an attribute, or what it usually is while that is not known.
func (d Defaults) Known(attribute string) types.String {
	if value, _ := d.Of(attribute); !value.IsUnknown() {
		return value
	}
	return types.StringValue(usual[attribute])
}

// usualOfFields are those that differ for fields of objects of any kind.
var usualOfFields = map[string]string{ConflictScope: ScopeField, DeletionPolicy: PolicyRelease}

// OfFields is a default as a resource of fields has it: another one where the provider block gives none, and by its own name.
func (d Defaults) OfFields(attribute string, value types.String) types.String {
	given, isGiven := d.given.Attributes()[attribute].(types.String)
	own, isOwn := usualOfFields[attribute]
	switch {
	case isOwn && !d.given.IsUnknown() && (!isGiven || given.IsNull()):
		return types.StringValue(own)
	case value.ValueString() == ScopeKey:
		return types.StringValue(ScopeField)
	default:
		return value
	}
}
