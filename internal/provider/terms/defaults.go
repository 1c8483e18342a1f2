package terms

import "github.com/hashicorp/terraform-plugin-framework/types"

// The attributes of resources for which the provider block can give a default.
const (
	ConflictScope  = "conflict_scope"
	DeletionPolicy = "deletion_policy"
	OnDrift        = "on_drift"
)

// usual has the value of each attribute that neither the resource nor the provider block sets.
var usual = map[string]string{ConflictScope: ScopeObject, DeletionPolicy: PolicyRelease, OnDrift: DriftError}

// Defaults has the values of the provider block. A provider without a block has the zero value.
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
