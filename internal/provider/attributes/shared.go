// Package attributes has the attributes that several resources share, and what may be written into them.
package attributes

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ofObject is the schema of a resource that observes an object: the attributes that all such resources share, and
// others; id says what their id is.
func ofObject(
	ctx context.Context, description string, kind eval.Kind, id string, others ...map[string]schema.Attribute,
) schema.Schema {
	return of(description, append([]map[string]schema.Attribute{{
		"namespace":     Namespace(kind),
		"field_manager": fieldManager(),
		"timeouts":      Timeouts(ctx, "a refresh, and of the check at plan.", true),
		"id":            Computed(id),
		"resource_version": Computed(fmt.Sprintf("`metadata.resourceVersion` of the %s after the last write or refresh.",
			kind)),
		"uid": Computed(fmt.Sprintf("`metadata.uid` of the %s after the last write or refresh.", kind)),
	}}, others...)...)
}

// of is the schema of attributes. If several have one name, the last one counts.
func of(description string, several ...map[string]schema.Attribute) schema.Schema {
	all := map[string]schema.Attribute{}
	for _, each := range several {
		maps.Copy(all, each)
	}
	return schema.Schema{MarkdownDescription: description, Attributes: all}
}

// OfEntry is the schema of a resource of one key: the attributes that all such resources share, and others. example is
// one of its ids.
func OfEntry(
	ctx context.Context, description string, kind eval.Kind, example string, others map[string]schema.Attribute,
) schema.Schema {
	return ofKeys(ctx, description, kind, "`namespace/name/key`, for example `"+example+"`.", map[string]schema.Attribute{
		"key": Place(KeyDescription(kind), ValidKey(kind)),
		"adopt_existing": Flag("Take over a key that already holds the value, without a write. If `false`, refuse such a " +
			"key. Default: `false`."),
		"deletion_policy": policy(kind, "What happens to the key on destroy. `release` (default) removes a key that "+
			"this resource created. It leaves a key that existed before, was imported, adopted or moved, or that somebody "+
			"else changed; the plan names that key. `delete` removes the key, even if it existed before Terraform. ",
			"`restore` puts back the value from before the first write, import or adoption. ",
			"`abandon` leaves the key as it is."),
	}, others)
}

// OfData is OfEntry for a resource of several keys.
func OfData(
	ctx context.Context, description string, kind eval.Kind, example string, others map[string]schema.Attribute,
) schema.Schema {
	return ofKeys(ctx, description, kind, "`namespace/name:key1,key2` with the keys sorted, for example `"+example+"`.",
		map[string]schema.Attribute{
			"adopt_existing": Flag("Take over keys that already hold their values, without a write. Otherwise this is an " +
				"error. Default: `false`."),
			"deletion_policy": policy(kind, "What happens to the keys on destroy, and to a key that you remove from the "+
				"configuration. `release` (default) removes the keys that this resource created, and leaves those that existed "+
				"before, were imported, adopted or moved, or that somebody else changed since; the plan lists what stays. "+
				"`delete` removes them, even if they existed before Terraform. ",
				"`restore` puts back their values from before the first write (or from the import or adoption). ",
				"`abandon` leaves them as they are."),
		}, others)
}

// policy is deletion_policy. Nothing keeps the first values of a Secret, to restore them.
func policy(kind eval.Kind, does, restores, abandons string) schema.StringAttribute {
	if kind == eval.Secret {
		return OneOf(does+abandons, terms.PolicyRelease, terms.PolicyDelete, terms.PolicyAbandon)
	}
	return OneOf(does+restores+abandons, terms.PolicyRelease, terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon)
}

// ofKeys is the schema of a resource of keys.
func ofKeys(
	ctx context.Context, description string, kind eval.Kind, id string, others ...map[string]schema.Attribute,
) schema.Schema {
	return ofObject(ctx, description, kind, id, append([]map[string]schema.Attribute{{
		"name": Place(fmt.Sprintf("Name of the %s. It must exist before the write.", kind),
			ValidName(kind)),
		"expected_resource_version_wo": pin(kind),
		"wait_for_match":               Wait(kind, terms.ScopeKey, "`conflict_scope = \"key\"` and the verb `watch`"),
	}}, others...)...)
}

// OfTaking is the schema of a resource that takes a value from one key of a ConfigMap. key says what that holds.
func OfTaking(ctx context.Context, description, key string, others map[string]schema.Attribute) schema.Schema {
	return of(description, map[string]schema.Attribute{
		"namespace":     Namespace(eval.ConfigMap),
		"name":          Place("Name of the ConfigMap. It must exist before the apply.", ValidName(eval.ConfigMap)),
		"key":           Place(key, ValidKey(eval.ConfigMap)),
		"field_manager": fieldManager(),
		"timeouts":      Timeouts(ctx, "a refresh, and of the check at plan.", true),
	}, others)
}

// Place returns an attribute that names the place of a resource.
func Place(description string, valid validator.String) schema.StringAttribute {
	a := Required(description+" A change replaces the resource.", valid)
	a.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplace()}
	return a
}

// KeyDescription says what the key of an entry is.
func KeyDescription(kind eval.Kind) string {
	return fmt.Sprintf("Key in the %s: 1 to 253 characters of `[-._a-zA-Z0-9]`. It must not be `.` or begin with `..`.",
		kind)
}

// Computed is a text that the provider gives.
func Computed(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// Required is a text that must be given.
func Required(description string, valid validator.String) schema.StringAttribute {
	return schema.StringAttribute{Required: true, Validators: []validator.String{valid}, MarkdownDescription: description}
}

// OptionalNamespace is the namespace of a data source, an action or a list: the framework has no default for it.
func OptionalNamespace(of string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: []validator.String{ValidNamespace()}, MarkdownDescription: "Namespace of the " + of +
			". Default: `default`.",
	}
}

// Namespace is the namespace of an object; a change replaces the resource.
func Namespace(kind eval.Kind) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(terms.DefaultNamespace),
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		Validators:          []validator.String{ValidNamespace()},
		MarkdownDescription: fmt.Sprintf("Namespace of the %s. Default: `default`. A change replaces the resource.", kind),
	}
}

// pin returns the attribute expected_resource_version_wo.
func pin(kind eval.Kind, others ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, WriteOnly: true, Validators: append(others, ValidResourceVersion()),
		MarkdownDescription: fmt.Sprintf("`metadata.resourceVersion` at which you read the %[1]s. A create or update is "+
			"refused at any other version. At this version, a create may adopt existing values, or replace them without an "+
			"expected value. So may an update for keys or fields that the update adds. `on_drift` still applies to a value "+
			"that somebody changed after the last apply. Take the version from a variable or a data source, such as "+
			"`cas_object_fields` for any kind. Do not use an ephemeral resource, which Terraform reads again at apply. The "+
			"provider also accepts later versions that the same apply made. Write-only: Terraform does not store the value, "+
			"and a new value alone plans nothing. Needs Terraform 1.11 or OpenTofu 1.11.", kind),
	}
}

// Scope is conflict_scope.
func Scope(description string) schema.StringAttribute {
	return OneOf(description, terms.ScopeObject, terms.ScopeKey)
}

// OnDrift is on_drift.
func OnDrift(description string) schema.StringAttribute {
	return OneOf(description, terms.DriftError, terms.DriftOverwrite)
}

// OneOf takes its usual value, or one of the others. Where a configuration gives none, the plan has the provider's
// default.
func OneOf(description, usual string, others ...string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: description +
			" The provider's `defaults` can set another default.",
		Validators: []validator.String{stringvalidator.OneOf(append([]string{usual}, others...)...)},
	}
}

// Flag is an optional bool that is false by default.
func Flag(description string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true, Default: booldefault.StaticBool(false),
		MarkdownDescription: description,
	}
}

// Hide is hide_values; previous, where it is not empty, is the attribute with what a write replaced.
func Hide(previous string) schema.BoolAttribute {
	if previous != "" {
		previous = " `" + previous + "` stays null."
	}
	return Flag("Show lengths and SHA-256 digests instead of values in diagnostics, and no messages of the API " +
		"server." + previous + " Set this for sensitive values: a provider cannot see Terraform's `sensitive` marks. " +
		"Default: `false`.")
}

// fieldManager is the attribute field_manager of a resource.
func fieldManager() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: ValidFieldManager(),
		MarkdownDescription: "Name of this writer in `managedFields`. Default: the provider's `field_manager`.",
	}
}

// Attributes of values. In Secrets they are write-only, and have no validators: the validators of the framework would
// point at them.

const writeOnly = " Write-only: Terraform does not store it, so another value alone plans nothing, and an apply of a " +
	"saved plan takes the value that there is at apply. Needs Terraform 1.11 or OpenTofu 1.11."

// Text is a text, or base64 with ValidBase64.
func Text(kind eval.Kind, description string, valid ...validator.String) schema.StringAttribute {
	if kind == eval.Secret {
		return schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: description + writeOnly}
	}
	return schema.StringAttribute{Optional: true, Validators: valid, MarkdownDescription: description}
}

// Map is a map of Text by key.
func Map(kind eval.Kind, description string, valid ...validator.String) schema.MapAttribute {
	if kind == eval.Secret {
		return schema.MapAttribute{
			ElementType: types.StringType, Optional: true, WriteOnly: true,
			MarkdownDescription: description + writeOnly,
		}
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

// Revision is the version of write-only values. besides describes writes without a change of the version.
func Revision(values, besides string) schema.Int64Attribute {
	return schema.Int64Attribute{
		CustomType: WholeNumber{}, Optional: true, Computed: true, Default: int64default.StaticInt64(1),
		MarkdownDescription: "Any whole number. Change it to write " + values + " again: Terraform cannot see that a " +
			"write-only value has changed, so the provider writes on create and when this number " +
			"changes. " + besides + "After an import it is null, so the first apply writes. Default: `1`.",
	}
}

// ComputedKeys is a list of keys that the provider gives.
func ComputedKeys(description string) schema.ListAttribute {
	return schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
}

// Swap is the schema of an action that swaps parts of an object, which noun names: the attributes that all such
// actions share, and its own.
func Swap(description, noun string, own map[string]schema.Attribute) schema.Schema {
	return of(description, map[string]schema.Attribute{
		"expected_resource_version": schema.StringAttribute{
			Optional: true, Validators: []validator.String{ValidResourceVersion()},
			MarkdownDescription: fmt.Sprintf("Version that the %s must have before the write, such as the `resource_version` "+
				"of a data source. This provider's writes in the same apply may have raised it since.", noun),
		},
		"wait_for_match": schema.StringAttribute{
			Optional: true, Validators: []validator.String{ValidTimeout(), NotWith("expected_resource_version")},
			MarkdownDescription: fmt.Sprintf("Maximum time to wait for the %s and for the expected values, such as `2m`. The "+
				"action writes as soon as they match. The time comes on top of the timeout. The plan warns if the action would "+
				"have to wait. Needs the verb `watch`. Default: no wait.", noun),
		},
		"field_manager": fieldManager(),
		"hide_values":   schema.BoolAttribute{Optional: true, MarkdownDescription: Hide("").MarkdownDescription},
		"timeouts":      Timeout("invoke", "an invocation, and of the check at plan"),
	}, own)
}
