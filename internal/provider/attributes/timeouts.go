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

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Timeouts is the timeouts of a resource: HashiCorp's attribute, with validators that name the attribute and want a time above zero. reads is what that of a
// read limits. A resource whose delete sends no request has none of that.
func Timeouts(ctx context.Context, reads string, deletes bool) schema.Attribute {
	attribute := timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, CreateDescription: "Time limit of a create, such as `30s` or `2m`. Default: `1m`.",
		Read: true, ReadDescription: "Time limit of " + reads + " Default: `1m`.",
		Update: true, UpdateDescription: "Time limit of an update. Default: `1m`.",
		Delete: deletes, DeleteDescription: "Time limit of a delete. Default: `1m`. Apply a change of it before you destroy.",
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

// Wait is wait_for_match of a resource. It requires a conflict_scope, which needs says for people together with all else that it needs.
func Wait(kind cas.Kind, scope, needs string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: []validator.String{ValidTimeout(), waits{scope}, NotWith("expected_resource_version_wo")},
		MarkdownDescription: fmt.Sprintf("Maximum time that an apply waits for the %s and for the expected values, such as `2m`. It writes as soon as they "+
			"match. The time comes on top of the operation's timeout. The plan warns if the apply would have to wait. Needs %s. Default: no wait.", kind, needs),
	}
}

// waits demands of the attributes beside wait_for_match that they let it wait for another's write.
type waits struct{ scope string }

var _ validator.String = waits{}

func (w waits) Description(context.Context) string {
	return fmt.Sprintf(`conflict_scope must be %q, and on_drift must not be "error"`, w.scope)
}

func (w waits) MarkdownDescription(ctx context.Context) string { return w.Description(ctx) }

func (w waits) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() {
		return
	}
	var scope, drift types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("conflict_scope"), &scope)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("on_drift"), &drift)...)
	if scope.IsNull() { // the plan has the provider's default
		scope = types.StringUnknown()
	}
	resp.Diagnostics.Append(NotWaiting(w.scope, scope, drift)...)
}

// NotWaiting says what of a conflict_scope and an on_drift does not go with wait_for_match, which needs the narrow scope.
func NotWaiting(narrow string, scope, drift types.String) (diags diag.Diagnostics) {
	at := path.Root("wait_for_match")
	if !scope.IsUnknown() && scope.ValueString() != narrow {
		diags.Append(diagnose.TitleInvalidAttributeCombination.Problem(at, fmt.Sprintf("conflict_scope must be %q, or the write that it waits for is a conflict", narrow)))
	}
	if drift.ValueString() == terms.DriftError {
		diags.Append(diagnose.TitleInvalidAttributeCombination.Problem(at, fmt.Sprintf(
			"on_drift must not be %q, because the write that it waits for counts as drift", terms.DriftError)))
	}
	return diags
}
