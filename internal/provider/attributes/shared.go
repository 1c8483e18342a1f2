// Package attributes has the attributes that several resources share, and what may be written into them.
package attributes

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Attributes that several resources have.

// OfKeys adds to the attributes of a resource of keys those that all such resources share.
func OfKeys(ctx context.Context, kind cas.Kind, others map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"namespace": Namespace(kind),
		"name": schema.StringAttribute{
			Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}, Validators: []validator.String{ValidName(kind)},
			MarkdownDescription: fmt.Sprintf("Name of the %s. It must exist before the write. A change replaces the resource.", kind),
		},
		"expected_resource_version_wo": pin(kind),
		"wait_for_match":               Wait(kind, path.MatchRoot("expected_resource_version_wo")),
		"field_manager":                FieldManager(),
		"timeouts":                     Timeouts(ctx),
		"resource_version":             ResourceVersion(kind),
		"uid":                          UID(kind),
	}
	maps.Copy(all, others)
	return all
}

// Key is the key of an entry; a change replaces the resource.
func Key(kind cas.Kind) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}, Validators: []validator.String{ValidKey(kind)},
		MarkdownDescription: fmt.Sprintf("Key in the %s: 1 to 253 characters of `[-._a-zA-Z0-9]`. It must not be `.` or begin with `..`. "+
			"A change replaces the resource.", kind),
	}
}

// Namespace is the namespace of an object; a change replaces the resource.
func Namespace(kind cas.Kind) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(terms.DefaultNamespace),
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}, Validators: []validator.String{ValidNamespace()},
		MarkdownDescription: fmt.Sprintf("Namespace of the %s. Default: `default`. A change replaces the resource.", kind),
	}
}

// pin is expected_resource_version_wo.
func pin(kind cas.Kind) schema.StringAttribute {
	source := ", such as the `resource_version` of a data source"
	if kind == cas.Secret { // which has none, and the ephemeral one is read again at apply
		source = ""
	}
	return schema.StringAttribute{
		Optional: true, WriteOnly: true, Validators: []validator.String{ValidResourceVersion()},
		MarkdownDescription: fmt.Sprintf("Version that the %s must have before a create or update%s. "+
			"This provider's writes in the same apply may have raised it since. Write-only: Terraform does not store it, and a change of it alone "+
			"is no diff. Needs Terraform 1.11 or OpenTofu 1.11.", kind, source),
	}
}

// PinnedVersion is the value of expected_resource_version_wo. Write-only attributes are in the configuration alone.
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

// Policy is deletion_policy, and takes one of the values.
func Policy(description string, values ...string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(terms.PolicyDelete),
		Validators:          []validator.String{stringvalidator.OneOf(values...)},
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
func ResourceVersion(kind cas.Kind) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: fmt.Sprintf("`metadata.resourceVersion` of the %s after the last write or refresh.", kind),
	}
}

// UID is the uid that was last observed.
func UID(kind cas.Kind) schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true, MarkdownDescription: fmt.Sprintf("`metadata.uid` of the %s after the last write or refresh.", kind),
	}
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
