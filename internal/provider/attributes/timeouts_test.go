package attributes

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestLimit(t *testing.T) {
	t.Parallel()
	invoke := func(of attr.Value) types.Object {
		return types.ObjectValueMust(map[string]attr.Type{"invoke": types.StringType}, map[string]attr.Value{"invoke": of})
	}
	for name, test := range map[string]struct {
		of     types.Object
		want   time.Duration
		detail string
	}{
		"no block":      {of: types.ObjectNull(nil), want: time.Minute},
		"unknown block": {of: types.ObjectUnknown(nil), want: time.Minute},
		"null":          {of: invoke(types.StringNull()), want: time.Minute},
		"unknown":       {of: invoke(types.StringUnknown()), want: time.Minute},
		"a duration":    {of: invoke(types.StringValue("90s")), want: 90 * time.Second},
		"no duration": {
			of: invoke(types.StringValue("soon")), want: time.Minute,
			detail: `Attribute timeouts.invoke: must be a duration above zero, such as "30s" or "2m", not "soon".`,
		},
		"below zero": {
			of: invoke(types.StringValue("-1s")), want: time.Minute,
			detail: `Attribute timeouts.invoke: must be a duration above zero, such as "30s" or "2m", not "-1s".`,
		},
	} {
		got, diags := Limit(t.Context(), test.of)
		detail := ""
		for _, d := range diags {
			detail += d.Detail()
		}
		if got != test.want || detail != test.detail {
			t.Errorf("%s: %v, %q, want %v, %q", name, got, detail, test.want, test.detail)
		}
	}
}
