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
	given    map[string]string
	ofFields bool
}

// DefaultsOf reads the block, whose values are known.
func DefaultsOf(block types.Object) Defaults {
	given := map[string]string{}
	for attribute, value := range block.Attributes() {
		if text, ok := value.(types.String); ok && !text.IsNull() {
			given[attribute] = text.ValueString()
		}
	}
	return Defaults{given: given}
}

// OfFields returns the defaults of a resource of fields. Its narrow scope is the usual one, and has another name.
func (d Defaults) OfFields() Defaults {
	d.ofFields = true
	return d
}

// Of returns the default of an attribute; null for any other attribute.
func (d Defaults) Of(attribute string) types.String {
	value, isDefault := usual[attribute]
	given, isGiven := d.given[attribute]
	switch {
	case !isDefault:
		return types.StringNull()
	case isGiven:
		value = given
	case d.ofFields && attribute == ConflictScope:
		value = ScopeKey
	}
	if d.ofFields && value == ScopeKey {
		value = ScopeField
	}
	return types.StringValue(value)
}

// Gives reports whether the provider block sets the attribute.
func (d Defaults) Gives(attribute string) bool {
	_, isGiven := d.given[attribute]
	return isGiven
}
