// Package secret has the resources and ephemeral resources of Secrets. No value of a Secret is in a state: a model has a `config` with the
// write-only attributes, and a claim goes by the version that these have there. Package adapter does the rest, as for ConfigMaps.
package secret

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// sealed is what the models of keys of Secrets have in common.
type sealed[M any] struct {
	config *M `tfsdk:"-"` // of a plan, the configuration, which alone has the write-only attributes
}

// Configure implements [adapter.KeysModel].
func (s *sealed[M]) Configure(config *M) { s.config = config }

// SetPrevious does nothing: no state has a value.
func (*sealed[M]) SetPrevious(map[string]cas.Entry, *claim.Run) {}

// KeepPrevious does nothing: no state has a value.
func (*sealed[M]) KeepPrevious(*M, *claim.Run) {}

const writeOnly = " Write-only: Terraform does not store it. Needs Terraform 1.11 or OpenTofu 1.11."

// revision is the version of the write-only values. besides is what is written without a change of it.
func revision(values, besides string) schema.Int64Attribute {
	return schema.Int64Attribute{
		Optional: true, Computed: true, Default: int64default.StaticInt64(1),
		MarkdownDescription: "Any whole number. Change it to write " + values + " again: Terraform cannot see that a write-only value has changed, so the provider " +
			"writes on create and when this number changes. " + besides + "After an import it is null, so the first apply writes. Default: `1`.",
	}
}

func writeOnlyText(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: description + writeOnly}
}

func writeOnlyMap(description string) schema.MapAttribute {
	return schema.MapAttribute{ElementType: types.StringType, Optional: true, WriteOnly: true, MarkdownDescription: description + writeOnly}
}

// invalid is an error about a write-only attribute. It points at another one: Terraform prints the line that an error points at, which may
// have the value.
func invalid(title diagnose.ErrorTitle, at, attribute, problem string) diag.Diagnostic {
	return title.At(path.Root(at), fmt.Sprintf("Attribute %s: %s.", attribute, problem))
}

// valueProblem says what is wrong with a value, without its length; nothing where it is fine or not known yet.
func valueProblem(textual, encoded types.String) (title diagnose.ErrorTitle, problem string) {
	b := []byte(textual.ValueString())
	if !encoded.IsNull() && !encoded.IsUnknown() {
		if b, problem = attributes.DecodeBase64(encoded.ValueString()); problem != "" {
			return diagnose.TitleInvalidBase64, problem
		}
	}
	if len(b) > cas.MaxSize {
		return diagnose.TitleValueTooLarge, fmt.Sprintf("all values of a Secret must have at most %d bytes together", cas.MaxSize)
	}
	return "", ""
}

// invalidMaps checks what a map of text and one of base64 hold, alone and together. Where they say what to write, no value is null.
func invalidMaps(at, textName, encodedName string, textual, encoded types.Map, writes bool) (diags diag.Diagnostics) {
	size := 0
	for name, of := range map[string]types.Map{textName: textual, encodedName: encoded} {
		for _, key := range slices.Sorted(maps.Keys(of.Elements())) {
			attribute, v := fmt.Sprintf("%s[%q]", name, key), adapter.StringOf(of.Elements()[key])
			text, base64 := v, types.StringNull()
			if name == encodedName {
				text, base64 = base64, v
			}
			title, problem := valueProblem(text, base64)
			_, inBoth := textual.Elements()[key]
			switch problems := terms.KeyProblems(key); {
			case len(problems) > 0:
				diags = append(diags, invalid(diagnose.TitleInvalidConfigMapKey.Of(cas.Secret), at, attribute, problems[0]))
			case writes && v.IsNull():
				diags = append(diags, invalid(diagnose.TitleMissingValue, at, attribute, "must not be null; to remove the key, leave it out"))
			case name == encodedName && inBoth:
				diags = append(diags, invalid(diagnose.TitleKeyInBothMaps, at, attribute, "the key must not be in "+textName+" as well"))
			case problem != "":
				diags = append(diags, invalid(title, at, attribute, problem))
			}
			size += adapter.EntryFrom(cas.Secret, text, base64).Size()
		}
	}
	if writes && size > cas.MaxSize && len(diags) == 0 {
		diags = append(diags, invalid(diagnose.TitleValuesTooLarge, at, textName, fmt.Sprintf("all values together must have at most %d bytes", cas.MaxSize)))
	}
	return diags
}
