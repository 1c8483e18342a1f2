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
type Defaults struct {
	given    types.Object
	ofFields bool
}

// DefaultsOf reads the block, null where there is none.
func DefaultsOf(given types.Object) (d Defaults) {
	if !given.IsNull() {
		d.given = given
	}
	return d
}

// OfFields are the defaults as a resource of fields of objects of any kind has them: its narrow scope is the usual one, and has a name of its own.
func (d Defaults) OfFields() Defaults {
	d.ofFields = true
	return d
}

// Of is the default of an attribute, unknown where the block is not known yet. It reports false of any other attribute.
func (d Defaults) Of(attribute string) (types.String, bool) {
	_, ok := usual[attribute]
	switch given, _ := d.given.Attributes()[attribute].(types.String); {
	case !ok:
		return types.StringNull(), false
	case d.given.IsUnknown() || given.IsUnknown():
		return types.StringUnknown(), true
	case given.IsNull():
		return d.usual(attribute), true
	case d.ofFields && given.ValueString() == ScopeKey:
		return types.StringValue(ScopeField), true
	default:
		return given, true
	}
}

// Known is the default of an attribute, or what it usually is while that is not known.
func (d Defaults) Known(attribute string) types.String {
	if value, _ := d.Of(attribute); !value.IsUnknown() {
		return value
	}
	return d.usual(attribute)
}

func (d Defaults) usual(attribute string) types.String {
	if d.ofFields && attribute == ConflictScope {
		return types.StringValue(ScopeField)
	}
	return types.StringValue(usual[attribute])
}
