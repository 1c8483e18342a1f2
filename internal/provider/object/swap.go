package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewSwap is the action cas_object_swap.
func NewSwap() action.Action {
	return resource.NewSwap[swapModel]("object_swap", anyObject, swapSchema)
}

// swapModel is the action's schema as Go values.
type swapModel struct {
	resource.SwapAttributes
	fieldMaps
}

func swapSchema(context.Context) schema.Schema {
	all := places("It must exist before the swap.", "")
	all["fields"] = schema.DynamicAttribute{
		Optional: true, MarkdownDescription: "Values to write, by path: any JSON value; null to remove the field, which " +
			"needs an expectation. Other fields stay as they are.",
	}
	all["expected_fields"] = schema.DynamicAttribute{
		Optional: true,
		MarkdownDescription: "Values that fields must hold before the write, by path, as the API server stores them; null " +
			"if the field must be absent. A field of `fields` that is not here must be absent, or already hold the value to " +
			"write. A field that is only here is a guard: the request compares it and never writes it.",
	}
	return attributes.Swap("Swaps fields of an existing object of any kind in one atomic request, all or none, only if "+
		"every field holds its expected value. An action has no state. Needs Terraform 1.14.", "object", all)
}

func (m *swapModel) At() []types.String { return m.places(m.Named) }

// Validate checks what the schema does not.
func (m *swapModel) Validate() diag.Diagnostics {
	diags := m.check()
	fields, _ := m.fields()
	expected, _ := m.expected()
	if !fields.isNamed || !expected.isNamed || diags.HasError() {
		return diags
	}
	if len(fields.entries) == 0 && len(expected.entries) == 0 {
		diags.Append(message.MissingKeys.Problem(path.Root("fields"),
			"there must be at least one field in fields or expected_fields"))
	}
	for key, e := range fields.entries {
		if _, expects := expected.entries[key]; fields.isKnown && e.IsAbsent() && !expects {
			diags.Append(message.InvalidAttributeCombination.Problem(fields.at(key),
				"null removes the field, so expected_fields must name it, too"))
		}
	}
	return diags
}

// Claim translates the fields to a claim.
func (m *swapModel) Claim() *resource.Claim {
	fields, _ := m.fields()
	expected, _ := m.expected()
	c := &resource.Claim{Claim: decide.Claim{
		Ref: m.ref(m.Named), APIVersion: m.APIVersion.ValueString(), Values: fields.entries, Expected: expected.entries,
	}}
	c.About = func(terms.Operation) message.Subject {
		s := message.Subject{ID: terms.EntryID{Ref: c.Ref}}
		describe(&s, c.APIVersion, fields, expected)
		return s
	}
	return c
}
