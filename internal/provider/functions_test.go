package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func runFunction(t *testing.T, f function.Function, arguments ...string) (attr.Value, *function.FuncError) {
	t.Helper()
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	result, funcErr := definition.Definition.Return.NewResultData(t.Context())
	if funcErr != nil {
		t.Fatal(funcErr)
	}
	values := make([]attr.Value, len(arguments))
	for i, argument := range arguments {
		values[i] = types.StringValue(argument)
	}
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(values)}, &resp)
	return resp.Result.Value(), resp.Error
}

func TestEntryIDFunction(t *testing.T) {
	t.Parallel()
	const label = "a lowercase RFC 1123 label must consist of"
	for name, test := range map[string]struct {
		arguments []string
		want      string
		argument  int64
		problem   string
	}{
		"an id":              {arguments: []string{"shop", "settings.map", "A.b-C_1"}, want: "shop/settings.map/A.b-C_1"},
		"an empty namespace": {arguments: []string{"", "settings", "foo"}, problem: `The namespace "" is not valid: ` + label},
		"a namespace in capitals, and no key": {
			arguments: []string{"Shop", "settings", ""}, problem: `The namespace "Shop" is not valid: ` + label,
		},
		"a name with a slash": {
			arguments: []string{"shop", "a/b", "foo"}, argument: 1, problem: `The name "a/b" is not valid: a lowercase RFC 1123 subdomain must`,
		},
		"a key of dots": {
			arguments: []string{"shop", "settings", ".."}, argument: 2, problem: `The key ".." is not valid: must not be '..'`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := runFunction(t, newEntryIDFunction(), test.arguments...)
			if test.problem != "" {
				wantArgumentError(t, err, test.argument, test.problem)
				return
			}
			if err != nil || !got.Equal(types.StringValue(test.want)) {
				t.Errorf("%v, %v, want %s", got, err, test.want)
			}
		})
	}
}

func TestParseEntryIDFunction(t *testing.T) {
	t.Parallel()
	got, err := runFunction(t, newParseEntryIDFunction(), "shop/settings.map/A.b-C_1")
	want := types.ObjectValueMust(entryIDType, map[string]attr.Value{
		"namespace": types.StringValue("shop"), "name": types.StringValue("settings.map"), "key": types.StringValue("A.b-C_1"),
	})
	if err != nil || !got.Equal(want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for id, problem := range map[string]string{
		"":                  `The id "" is not of the form namespace/name/key`,
		"settings/foo":      `The id "settings/foo" is not of the form namespace/name/key`,
		"shop/settings/a/b": `The id "shop/settings/a/b" is not of the form namespace/name/key`,
		"shop//foo":         `The id "shop//foo" has an invalid name, "": a lowercase RFC 1123 subdomain must`,
		"shop/settings/":    `The id "shop/settings/" has an invalid key, "": a valid config key must consist of`,
		"shop/settings/..":  `The id "shop/settings/.." has an invalid key, "..": must not be '..'`,
		"/settings/foo":     `The id "/settings/foo" has an invalid namespace, "": a lowercase RFC 1123 label must`,
		"Shop/settings/foo": `The id "Shop/settings/foo" has an invalid namespace, "Shop": a lowercase RFC 1123 label must`,
	} {
		_, err := runFunction(t, newParseEntryIDFunction(), id)
		wantArgumentError(t, err, 0, problem)
	}
}

func wantArgumentError(t *testing.T, err *function.FuncError, argument int64, problem string) {
	t.Helper()
	if err == nil || err.FunctionArgument == nil || !strings.HasPrefix(err.Text, problem) || strings.HasSuffix(err.Text, ".") {
		t.Errorf("%v, want one about argument %d that begins with %q and ends without a full stop", err, argument, problem)
		return
	}
	if diff := cmp.Diff(argument, *err.FunctionArgument); diff != "" {
		t.Errorf("argument (-want +got):\n%s", diff)
	}
}
