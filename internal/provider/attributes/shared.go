// Package attributes has the attributes that several resources share, and what may be written into them.
package attributes

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Attributes that several resources have.

// Namespace is the namespace of the ConfigMap; a change replaces the resource.
func Namespace() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(terms.DefaultNamespace),
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}, Validators: []validator.String{ValidNamespace()},
		MarkdownDescription: "Namespace of the ConfigMap. Default: `default`. A change replaces the resource.",
	}
}

// Pin is expected_resource_version_wo.
func Pin() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, WriteOnly: true, Validators: []validator.String{ValidResourceVersion()},
		MarkdownDescription: "Version that the ConfigMap must have before a create or update, such as the `resource_version` of a data source. " +
			"Versions from this apply's own writes after it are fine as well. Write-only: Terraform does not store it, and a change of it alone " +
			"is no diff. Needs Terraform 1.11 or OpenTofu 1.11.",
	}
}

// PinnedVersion is the value of Pin. Write-only attributes are in the configuration alone.
func PinnedVersion(ctx context.Context, config tfsdk.Config) (types.String, diag.Diagnostics) {
	var values map[string]tftypes.Value
	if err := config.Raw.As(&values); err != nil {
		return types.StringNull(), codec.Unconvertible(err)
	}
	value, err := types.StringType.ValueFromTerraform(ctx, values["expected_resource_version_wo"])
	if err != nil {
		return types.StringNull(), codec.Unconvertible(err)
	}
	pin, _ := value.(types.String)
	return pin, nil
}

// Scope is conflict_scope.
func Scope(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(terms.ScopeObject),
		Validators:          []validator.String{stringvalidator.OneOf(terms.ScopeObject, terms.ScopeKey)},
		MarkdownDescription: description,
	}
}

// Policy is deletion_policy.
func Policy(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(terms.PolicyDelete),
		Validators:          []validator.String{stringvalidator.OneOf(terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon)},
		MarkdownDescription: description,
	}
}

// OnDrift is on_drift.
func OnDrift(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(terms.DriftWarning),
		Validators:          []validator.String{stringvalidator.OneOf(terms.DriftWarning, terms.DriftError, terms.DriftOff)},
		MarkdownDescription: description,
	}
}

// Flag is an optional bool that is false by default.
func Flag(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false), MarkdownDescription: description}
}

// Hide is hide_value or hide_values; previous, where it is not empty, is the attribute with what a write replaced.
func Hide(previous string) schema.BoolAttribute {
	if previous != "" {
		previous = " `" + previous + "` stays null."
	}
	return Flag("Show lengths and SHA-256 digests instead of values in diagnostics, also where they quote the API server." + previous +
		" A provider cannot see Terraform's `sensitive` marks, so set it if values are sensitive. Default: `false`.")
}

// FieldManager is the field_manager of a resource.
func FieldManager() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: ValidFieldManager(),
		MarkdownDescription: "Name of this writer in `managedFields`. Default: the provider's `field_manager`.",
	}
}

// ResourceVersion is the resource_version that was last observed.
func ResourceVersion() schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: "`metadata.resourceVersion` of the ConfigMap after the last write or refresh.",
	}
}

// UID is the uid that was last observed.
func UID() schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: "`metadata.uid` of the ConfigMap after the last write or refresh."}
}

// Timeouts is the timeouts of a resource.
func Timeouts(ctx context.Context) schema.Attribute {
	return WithTimeoutValidators(timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, CreateDescription: "Time limit of a create, such as `30s` or `2m`. Default: `1m`.",
		Read: true, ReadDescription: "Time limit of a refresh, and of the check at plan. Default: `1m`.",
		Update: true, UpdateDescription: "Time limit of an update. Default: `1m`.",
		Delete: true, DeleteDescription: "Time limit of a delete. Default: `1m`. Apply a change of it before you destroy.",
	}))
}

// WithTimeoutValidators is HashiCorp's attribute, with validators that name the attribute and want a time above zero.
func WithTimeoutValidators(attribute schema.Attribute) schema.Attribute {
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		for name, each := range nested.Attributes {
			if s, ok := each.(schema.StringAttribute); ok {
				s.Validators = []validator.String{ValidTimeout()}
				nested.Attributes[name] = s
			}
		}
	}
	return attribute
}
