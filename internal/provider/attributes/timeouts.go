package attributes

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

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

// Timeout is the timeouts of what is no resource: it has one limit, by the name of what it does.
func Timeout(name, of string) schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{name: schema.StringAttribute{
		Optional: true, Validators: []validator.String{ValidTimeout()},
		MarkdownDescription: "Time limit of " + of + ", such as `30s` or `2m`. Default: `1m`.",
	}}}
}

// Limit is the value of a Timeout. Its validator has not judged what was unknown then, so this does.
func Limit(ctx context.Context, of types.Object) (time.Duration, diag.Diagnostics) {
	var judged validator.StringResponse
	for name, limit := range of.Attributes() { // there is one
		text, _ := limit.(types.String)
		ValidTimeout().ValidateString(ctx, validator.StringRequest{Path: path.Root("timeouts").AtName(name), ConfigValue: text}, &judged)
		if d, err := time.ParseDuration(text.ValueString()); err == nil && !judged.Diagnostics.HasError() {
			return d, judged.Diagnostics
		}
	}
	return terms.DefaultTimeout, judged.Diagnostics
}
