package attributes

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Timeouts is the timeouts of a resource: HashiCorp's attribute, with validators that name the attribute and want a
// time above zero. reads describes the operations that the timeout of a read limits. A resource whose delete sends no
// request has no timeout for it.
func Timeouts(ctx context.Context, reads string, deletes bool) schema.Attribute {
	attribute := timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, CreateDescription: "Time limit of a create, such as `30s` or `2m`. Default: `1m`.",
		Read: true, ReadDescription: "Time limit of " + reads + " Default: `1m`.",
		Update: true, UpdateDescription: "Time limit of an update. Default: `1m`.",
		Delete: deletes, DeleteDescription: "Time limit of a delete. Default: `1m`. Apply a new limit before you destroy.",
	})
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

// Timeout returns the timeouts of an action or a data source: one limit, with the name of its operation.
func Timeout(name, of string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		Attributes: map[string]schema.Attribute{name: schema.StringAttribute{
			Optional: true, Validators: []validator.String{ValidTimeout()},
			MarkdownDescription: "Time limit of " + of + ", such as `30s` or `2m`. Default: `1m`.",
		}},
	}
}

// Limit is the value of a Timeout. Its validator has not judged what was unknown then, so this does.
func Limit(ctx context.Context, of types.Object) (time.Duration, diag.Diagnostics) {
	var judged validator.StringResponse
	for name, limit := range of.Attributes() { // there is one
		text, _ := limit.(types.String)
		ValidTimeout().ValidateString(ctx, validator.StringRequest{
			Path:        path.Root("timeouts").AtName(name),
			ConfigValue: text,
		}, &judged)
		if d, err := time.ParseDuration(text.ValueString()); err == nil && !judged.Diagnostics.HasError() {
			return d, judged.Diagnostics
		}
	}
	return terms.DefaultTimeout, judged.Diagnostics
}

// Wait is wait_for_match of a resource. It requires a conflict_scope, which needs says for people together with all
// else that it needs.
func Wait(kind eval.Kind, scope, needs string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: []validator.String{ValidTimeout(), waits{scope}, NotWith("expected_resource_version_wo")},
		MarkdownDescription: fmt.Sprintf("Maximum time that an apply waits for the %s and for the expected values, such as "+
			"`2m`. The apply writes once they match. The time is added to the operation's timeout. The plan warns if the "+
			"apply would have to wait. Needs %s. Default: no wait.", kind, needs),
	}
}

// waits requires the conflict_scope beside wait_for_match in which the write of another writer is no conflict.
type waits struct{ scope string }

var _ validator.String = waits{}

func (w waits) Description(context.Context) string {
	return fmt.Sprintf("conflict_scope must be %q", w.scope)
}

func (w waits) MarkdownDescription(ctx context.Context) string { return w.Description(ctx) }

func (w waits) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() {
		return
	}
	var scope types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("conflict_scope"), &scope)...)
	if scope.IsNull() { // the plan has the provider's default
		scope = types.StringUnknown()
	}
	resp.Diagnostics.Append(NotWaiting(w.scope, scope)...)
}

// NotWaiting refuses a conflict_scope with which wait_for_match cannot wait: it needs the narrow one.
func NotWaiting(narrow string, scope types.String) (diags diag.Diagnostics) {
	if !scope.IsUnknown() && scope.ValueString() != narrow {
		diags.Append(message.InvalidAttributeCombination.Problem(path.Root("wait_for_match"),
			fmt.Sprintf("conflict_scope must be %q, or the write that it waits for is a conflict", narrow)))
	}
	return diags
}
