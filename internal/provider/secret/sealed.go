// Package secret has the resources and ephemeral resources of Secrets: their schemas, whose write-only attributes no state has. Package adapter does the rest, as for ConfigMaps.
package secret

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

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
