package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func newEntryIDFunction() function.Function { return &entryIDFunction{} }

func newParseEntryIDFunction() function.Function { return &parseEntryIDFunction{} }

// entryIDFunction is provider::cas::entry_id.
type entryIDFunction struct{}

func (*entryIDFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "entry_id"
}

func (*entryIDFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Id of an entry",
		MarkdownDescription: "Returns the id `namespace/name/key` of one key of a ConfigMap, for an `import` block. An invalid name is an error.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "namespace", MarkdownDescription: "Namespace of the ConfigMap."},
			function.StringParameter{Name: "name", MarkdownDescription: "Name of the ConfigMap."},
			function.StringParameter{Name: "key", MarkdownDescription: "Key in the ConfigMap."},
		},
		Return: function.StringReturn{},
	}
}

func (*entryIDFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var id terms.EntryID
	if resp.Error = req.Arguments.Get(ctx, &id.Namespace, &id.Name, &id.Key); resp.Error != nil {
		return
	}
	for i, part := range id.Parts() {
		if len(part.Problems) > 0 {
			resp.Error = function.NewArgumentFuncError(int64(i), // the CLI adds the full stop
				fmt.Sprintf("The %s %q is not valid: %s", part.Name, part.Value, strings.TrimSuffix(strings.Join(part.Problems, "; "), ".")))
			return
		}
	}
	resp.Error = resp.Result.Set(ctx, id.String())
}

// parseEntryIDFunction is provider::cas::parse_entry_id.
type parseEntryIDFunction struct{}

func (*parseEntryIDFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_entry_id"
}

var entryIDType = map[string]attr.Type{"namespace": types.StringType, "name": types.StringType, "key": types.StringType}

func (*parseEntryIDFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Parts of the id of an entry",
		MarkdownDescription: "Returns the `namespace`, `name` and `key` of an id `namespace/name/key` as an object. An invalid id is an error.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "id", MarkdownDescription: "Id of an entry: `namespace/name/key`, for example `shop/settings/foo`."},
		},
		Return: function.ObjectReturn{AttributeTypes: entryIDType},
	}
}

func (*parseEntryIDFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var s string
	if resp.Error = req.Arguments.Get(ctx, &s); resp.Error != nil {
		return
	}
	id, err := terms.ParseEntryID(s)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("The id %v", err))
		return
	}
	resp.Error = resp.Result.Set(ctx, types.ObjectValueMust(entryIDType, map[string]attr.Value{
		"namespace": types.StringValue(id.Namespace), "name": types.StringValue(id.Name), "key": types.StringValue(id.Key),
	}))
}
