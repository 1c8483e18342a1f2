package attributes

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// OfFound returns the schema of a data source or an ephemeral resource that reads an object: the attributes that all of
// them share, and others. exists describes the attribute exists. use describes the use of the version; it may be empty.
func OfFound(
	description string, kind eval.Kind, exists, use string, others ...map[string]schema.Attribute,
) schema.Schema {
	limit, reason := "read", ""
	if kind == eval.Secret {
		limit, reason = "open", ", so that a destroy can go ahead"
	}
	namespace := OptionalNamespace(kind.String())
	namespace.Computed = true
	return of(description, append([]map[string]schema.Attribute{{
		"namespace": namespace,
		"name":      Required(fmt.Sprintf("Name of the %s. It need not exist%s.", kind, reason), ValidName(kind)),
		"timeouts":  Timeout(limit, "the read"),
		"exists":    schema.BoolAttribute{Computed: true, MarkdownDescription: exists},
		"uid":       Computed(fmt.Sprintf("`metadata.uid` of the %[1]s. Null if there is no %[1]s.", kind)),
		"resource_version": Computed(fmt.Sprintf("`resourceVersion` of the %[1]s%[2]s. Null if there is no %[1]s.", kind,
			use)),
	}}, others...)...)
}

// OfFoundEntry returns the schema of a data source or an ephemeral resource that reads one key. textual and encoded end
// the descriptions of the text and of the bytes.
func OfFoundEntry(
	description string, kind eval.Kind, use, textual, encoded string, others map[string]schema.Attribute,
) schema.Schema {
	found := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, Sensitive: kind == eval.Secret, MarkdownDescription: description}
	}
	return OfFound(description, kind, fmt.Sprintf("Whether the key exists. `false` if the %s does not exist.", kind), use,
		map[string]schema.Attribute{
			"key":          Required(KeyDescription(kind), ValidKey(kind)),
			"value":        found("Text of the key. Null if the key is absent" + textual + "."),
			"value_base64": found("Bytes of the key, in base64. Null if the key is absent" + encoded + "."),
		}, others)
}

// FoundMap returns the attribute of a map that was read.
func FoundMap(kind eval.Kind, description string) schema.Attribute {
	return schema.MapAttribute{
		Computed: true, Sensitive: kind == eval.Secret, ElementType: types.StringType,
		MarkdownDescription: fmt.Sprintf("%s Empty if it has none; null if there is no %s.", description, kind),
	}
}
