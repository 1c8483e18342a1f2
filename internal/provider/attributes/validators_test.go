package attributes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
)

// Each validator gets a value at the edge of its range, and refuses the value under its own title, or accepts it. A
// validator accepts null and unknown values.
func TestValidatorsRefuseUnderTheirTitles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of     validator.String
		title  string
		right  []string
		refuse []string
	}{
		"namespace":       {ValidNamespace(), "Invalid Namespace", []string{"shop", strings.Repeat("x", 63)}, []string{"", "Shop", "a.b", strings.Repeat("x", 64)}},
		"name":            {ValidName(eval.ConfigMap), "Invalid ConfigMap Name", []string{"a.b", strings.Repeat("x", 253)}, []string{"", "a_b", strings.Repeat("x", 254)}},
		"name, a Secret":  {ValidName(eval.Secret), "Invalid Secret Name", []string{"a"}, []string{""}},
		"key":             {ValidKey(eval.ConfigMap), "Invalid ConfigMap Key", []string{"-._A", ".x"}, []string{"", ".", "..", "..x", "a/b"}},
		"key, a Secret":   {ValidKey(eval.Secret), "Invalid Secret Key", []string{"a"}, []string{"a b"}},
		"value":           {ValidValueSize(), "Value Too Large", []string{"", strings.Repeat("x", 1048576)}, []string{strings.Repeat("x", 1048577)}},
		"base64":          {ValidBase64(), "Invalid Base64", []string{"", "AA=="}, []string{"AA", "AB==", "AA==\n", strings.Repeat("AAAA", 349526)}},
		"timeout":         {ValidTimeout(), "Invalid Timeout", []string{"1ns", "1h30m"}, []string{"", "0s", "-1s", "60"}},
		"version":         {ValidResourceVersion(), "Invalid Resource Version", []string{"1", "18446744073709551616"}, []string{"", "0", "01", "x"}},
		"field manager":   {ValidFieldManager()[0], "Invalid Field Manager", []string{"é", strings.Repeat("x", 128)}, []string{"", strings.Repeat("x", 129), "a\nb"}},
		"rule of our own": {Rule("none", &message.Row{Title: "A Title"}, func(string) []string { return []string{"is wrong."} }), "A Title", nil, []string{"any"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			titles := func(v types.String) (all []string) {
				resp := &validator.StringResponse{}
				test.of.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("it"), ConfigValue: v}, resp)
				for _, d := range resp.Diagnostics {
					all = append(all, d.Summary())
					if !strings.HasPrefix(d.Detail(), "Attribute it: ") || !strings.HasSuffix(d.Detail(), ".") || strings.HasSuffix(d.Detail(), "..") {
						t.Errorf("%s: %q", v, d.Detail())
					}
				}
				return all
			}
			for _, s := range test.right {
				if got := titles(types.StringValue(s)); got != nil {
					t.Errorf("%.20q is refused: %v", s, got)
				}
			}
			for _, s := range test.refuse {
				if diff := cmp.Diff([]string{test.title}, titles(types.StringValue(s))); diff != "" {
					t.Errorf("%.20q (-want +got):\n%s", s, diff)
				}
			}
			if got := append(titles(types.StringNull()), titles(types.StringUnknown())...); got != nil {
				t.Errorf("what is not there is refused: %v", got)
			}
			if said := test.of.Description(t.Context()); said == "" || said != test.of.MarkdownDescription(t.Context()) {
				t.Errorf("it is described as %q", said)
			}
		})
	}
}

// wait_for_match waits for a write of another writer, so neither a version nor drift may forbid that write.
func TestWaitDemandsThatItCanWait(t *testing.T) {
	t.Parallel()
	const scope = `Attribute wait_for_match: conflict_scope must be "key", or the write that it waits for is a conflict.`
	of := schema.Schema{Attributes: map[string]schema.Attribute{
		"wait_for_match": Wait(eval.ConfigMap, "key", ""), "conflict_scope": Scope(""),
		"expected_resource_version_wo": pin(eval.ConfigMap),
	}}
	for name, test := range map[string]struct {
		wait, scope any
		want        []string
	}{
		"of keys":                     {"2m", "key", nil},
		"of the object":               {"2m", "object", []string{scope}},
		"of what a default says":      {"2m", nil, nil},
		"of what is not known yet":    {"2m", tftypes.UnknownValue, nil},
		"for how long is not known":   {tftypes.UnknownValue, "object", []string{scope}},
		"no wait, of the object":      {nil, "object", nil},
		"no wait, and nothing chosen": {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := of.Type().TerraformType(t.Context())
			config := tfsdk.Config{Schema: of, Raw: tftypes.NewValue(object, map[string]tftypes.Value{
				"wait_for_match": tftypes.NewValue(tftypes.String, test.wait), "conflict_scope": tftypes.NewValue(tftypes.String, test.scope),
				"expected_resource_version_wo": tftypes.NewValue(tftypes.String, nil),
			})}
			var wait types.String
			if diags := config.GetAttribute(t.Context(), path.Root("wait_for_match"), &wait); diags.HasError() {
				t.Fatal(diags)
			}
			var got []string
			for _, v := range Wait(eval.ConfigMap, "key", "").Validators {
				resp := &validator.StringResponse{}
				v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("wait_for_match"), ConfigValue: wait, Config: config}, resp)
				for _, d := range resp.Diagnostics {
					got = append(got, d.Detail())
				}
				if v.Description(t.Context()) == "" || v.MarkdownDescription(t.Context()) != v.Description(t.Context()) {
					t.Error("it is not described")
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnnotationsAreLimitedTogether(t *testing.T) {
	t.Parallel()
	of := func(size int) types.Map {
		return types.MapValueMust(types.StringType, map[string]attr.Value{"note": types.StringValue(strings.Repeat("x", size-len("note")))})
	}
	if diags := InvalidAnnotations(of(256 << 10)); len(diags) > 0 {
		t.Errorf("as much as they may have: %v", diags)
	}
	diags := InvalidAnnotations(of(256<<10 + 1))
	if len(diags) != 1 || diags[0].Summary() != "Annotations Too Large" || !strings.HasPrefix(diags[0].Detail(), "Attribute annotations: ") {
		t.Errorf("a byte more: %v", diags)
	}
	if diags := InvalidAnnotations(types.MapNull(types.StringType)); len(diags) > 0 {
		t.Errorf("none: %v", diags)
	}
}

// Another generate_name replaces the resource, except for a prefix that can have made the imported name.
func TestNewNamePrefixReplaces(t *testing.T) {
	t.Parallel()
	of := schema.Schema{Attributes: map[string]schema.Attribute{"name": Computed(""), "generate_name": Computed("")}}
	for name, test := range map[string]struct {
		was, config any // generate_name
		want        bool
	}{
		"the same":                          {"shop-", "shop-", false},
		"another":                           {"shop-", "other-", true},
		"none any more":                     {"shop-", nil, false},
		"imported, which it can be made of": {nil, "shop-", false},
		"imported, which it cannot be":      {nil, "other-", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := of.Type().TerraformType(t.Context())
			raw := func(prefix any) tftypes.Value {
				return tftypes.NewValue(object, map[string]tftypes.Value{
					"name": tftypes.NewValue(tftypes.String, "shop-abcde"), "generate_name": tftypes.NewValue(tftypes.String, prefix),
				})
			}
			text := func(v any) types.String {
				if s, ok := v.(string); ok {
					return types.StringValue(s)
				}
				return types.StringNull()
			}
			planned := text(test.config)
			if test.config == nil {
				planned = text(test.was) // it is computed
			}
			req := planmodifier.StringRequest{
				Path: path.Root("generate_name"), StateValue: text(test.was), ConfigValue: text(test.config), PlanValue: planned,
				State: tfsdk.State{Schema: of, Raw: raw(test.was)}, Plan: tfsdk.Plan{Schema: of, Raw: raw(test.config)},
			}
			resp := &planmodifier.StringResponse{PlanValue: planned}
			newNamePrefix().PlanModifyString(t.Context(), req, resp)
			if resp.RequiresReplace != test.want || resp.Diagnostics.HasError() {
				t.Errorf("it replaces: %t, want %t (%v)", resp.RequiresReplace, test.want, resp.Diagnostics)
			}
		})
	}
}
