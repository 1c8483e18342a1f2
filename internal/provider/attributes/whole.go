package attributes

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Unmanaged describes a map of keys that is omitted.
const Unmanaged = " The ConfigMap then has no others. If you omit it, the resource does not manage them. If you omit " +
	"it later, the last values stay."

// OfWhole is the schema of a resource of whole objects: the attributes that all such resources share, and others.
func OfWhole(
	ctx context.Context, description string, kind eval.Kind, others map[string]schema.Attribute,
) schema.Schema {
	replaces, keeps := stringplanmodifier.RequiresReplace(), stringplanmodifier.UseStateForUnknown()
	const named = " The resource manages those that it names. `deletion_policy` applies to one that you remove."
	return ofObject(ctx, description, kind, "`namespace/name`, for example `shop/settings`.", map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Optional: true, Computed: true, PlanModifiers: []planmodifier.String{keeps, replaces},
			Validators: []validator.String{
				OneOfBoth("name", "generate_name"), ValidName(kind),
			},
			MarkdownDescription: fmt.Sprintf("Name of the %s. Set exactly one of `name` and `generate_name`. A change "+
				"replaces the resource.", kind),
		},
		"generate_name": schema.StringAttribute{
			Optional: true, Computed: true,
			PlanModifiers: []planmodifier.String{keeps, newNamePrefix()},
			Validators: []validator.String{
				Rule("the beginning of a "+kind.String()+"'s name (RFC 1123 subdomain)", message.InvalidNamePrefix,
					terms.NamePrefixProblems),
			},
			MarkdownDescription: "Prefix of the name. On create, the provider cuts it to 58 characters and appends five " +
				"random ones. A change replaces the resource.",
		},
		"expected_resource_version_wo": pin(kind, NotWith("generate_name")),
		"labels": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			Validators: []validator.Map{
				mapvalidator.NoNullValues(),
				mapvalidator.KeysAre(Rule("a label's key", message.InvalidLabelKey, utilvalidation.IsQualifiedName)),
				mapvalidator.ValueStringsAre(Rule("a label's value", message.InvalidLabelValue, utilvalidation.IsValidLabelValue)),
			},
			MarkdownDescription: fmt.Sprintf("Labels of the %s."+named, kind),
		},
		"annotations": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			Validators: []validator.Map{
				mapvalidator.NoNullValues(),
				mapvalidator.KeysAre(Rule("an annotation's key", message.InvalidAnnotationKey, func(s string) []string {
					return utilvalidation.IsQualifiedName(strings.ToLower(s))
				})),
			},
			MarkdownDescription: fmt.Sprintf("Annotations of the %s."+named, kind),
		},
		"on_drift": OnDrift("What an update does if somebody else changed, after the last apply, a value that this " +
			"resource manages. `error` (default) refuses to overwrite the change. `overwrite` warns at plan and overwrites it."),
		"deletion_policy": OneOf(fmt.Sprintf("What a destroy, or the removal in a replacement, does with the %[1]s. "+
			"`release` (default) deletes the %[1]s only if this resource wrote or imported the value of each key. Keys of "+
			"another field manager stop the plan, and other keys that still exist stop the apply. `delete` deletes the %[1]s "+
			"with all keys. `abandon` leaves the %[1]s in place. Apply the policy before the destroy. The policy also applies "+
			"to a label or an annotation that you remove: `release` removes one that this resource added, `delete` any.", kind),
			terms.PolicyRelease, terms.PolicyDelete, terms.PolicyAbandon),
	}, others)
}

// InvalidAnnotations says whether annotations are too large together.
func InvalidAnnotations(annotations types.Map) (diags diag.Diagnostics) {
	all := map[string]string{}
	for key, value := range annotations.Elements() {
		if s, ok := value.(types.String); ok {
			all[key] = s.ValueString()
		}
	}
	if err := validation.ValidateAnnotationsSize(all); err != nil {
		at := path.Root("annotations")
		diags.Append(message.AnnotationsTooLarge.Problem(at, err.Error()))
	}
	return diags
}

// newNamePrefix replaces the resource where the configuration gives another generate_name than the one that its name
// was made of. The state of an import does not have that.
func newNamePrefix() planmodifier.String {
	const description = "A change replaces the resource."
	isOther := func(
		ctx context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse,
	) {
		var name types.String
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &name)...)
		isSame := req.StateValue.IsNull() && terms.IsGenerated(name.ValueString(), req.PlanValue.ValueString())
		resp.RequiresReplace = !req.ConfigValue.IsNull() && !isSame
	}
	return stringplanmodifier.RequiresReplaceIf(isOther, description, description)
}
