package terms

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A resource of fields has a narrow scope with a name of its own. It is the usual scope.
func TestDefaultsOfFields(t *testing.T) {
	t.Parallel()
	scope := map[string]attr.Type{ConflictScope: types.StringType}
	block := func(value types.String) types.Object {
		return types.ObjectValueMust(scope, map[string]attr.Value{ConflictScope: value})
	}
	for name, test := range map[string]struct {
		given          types.Object
		keys, ofFields string
	}{
		"no block":           {types.ObjectNull(scope), ScopeObject, ScopeField},
		"a block without it": {block(types.StringNull()), ScopeObject, ScopeField},
		"the narrow one":     {block(types.StringValue(ScopeKey)), ScopeKey, ScopeField},
		"the wide one":       {block(types.StringValue(ScopeObject)), ScopeObject, ScopeObject},
	} {
		d := DefaultsOf(test.given)
		if keys, ofFields := d.Of(ConflictScope).ValueString(), d.OfFields().Of(ConflictScope).ValueString(); keys != test.keys || ofFields != test.ofFields {
			t.Errorf("%s: %q, and %q of fields, want %q and %q", name, keys, ofFields, test.keys, test.ofFields)
		}
	}
}
