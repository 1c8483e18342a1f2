package attributes

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// Attributes of values. Those of Secrets are write-only, and have no validators: those of the framework would point at them.

const writeOnly = " Write-only: Terraform does not store it, so another value alone plans nothing, and an apply of a saved plan takes the value that there is at apply. Needs Terraform 1.11 or OpenTofu 1.11."

// Text is a text, or base64 with ValidBase64.
func Text(kind cas.Kind, description string, valid ...validator.String) schema.StringAttribute {
	if kind == cas.Secret {
		return schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: description + writeOnly}
	}
	return schema.StringAttribute{Optional: true, Validators: valid, MarkdownDescription: description}
}

// Map is a map of Text by key.
func Map(kind cas.Kind, description string, valid ...validator.String) schema.MapAttribute {
	if kind == cas.Secret {
		return schema.MapAttribute{ElementType: types.StringType, Optional: true, WriteOnly: true, MarkdownDescription: description + writeOnly}
	}
	return schema.MapAttribute{
		ElementType: types.StringType, Optional: true, MarkdownDescription: description,
		Validators: []validator.Map{mapvalidator.KeysAre(ValidKey(kind)), mapvalidator.ValueStringsAre(valid...)},
	}
}

// OneOfBoth demands that just one of two attributes is set.
func OneOfBoth(a, b string) validator.String {
	return stringvalidator.ExactlyOneOf(path.MatchRoot(a), path.MatchRoot(b))
}

// NotWith demands that the attribute is not set together with another one.
func NotWith(other string) validator.String {
	return stringvalidator.ConflictsWith(path.MatchRoot(other))
}

// Revision is the version of write-only values. besides is what is written without a change of it.
func Revision(values, besides string) schema.Int64Attribute {
	return schema.Int64Attribute{
		Optional: true, Computed: true, Default: int64default.StaticInt64(1),
		MarkdownDescription: "Any whole number. Change it to write " + values + " again: Terraform cannot see that a write-only value has changed, so the provider " +
			"writes on create and when this number changes. " + besides + "After an import it is null, so the first apply writes. Default: `1`.",
	}
}

// ComputedKeys is a list of keys that the provider gives.
func ComputedKeys(description string) schema.ListAttribute {
	return schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
}
