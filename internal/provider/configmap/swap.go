package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewSwap is the action cas_configmap_swap.
func NewSwap() action.Action {
	return resource.NewSwap[swapModel]("configmap_swap", eval.ConfigMap, swapSchema)
}

// swapModel is the action's schema as Go values.
type swapModel struct {
	resource.SwapAttributes
	keys.Maps
}

func swapSchema(context.Context) schema.Schema {
	return attributes.Swap("Swaps keys of an existing ConfigMap in one atomic request, all or none, only if every key "+
		"holds its expected value. An action has no state. Needs Terraform 1.14.", "ConfigMap", map[string]schema.Attribute{
		"namespace": attributes.OptionalNamespace("ConfigMap"),
		"name": attributes.Required("Name of the ConfigMap. It must exist before the swap.",
			attributes.ValidName(eval.ConfigMap)),
		"data": attributes.Map(eval.ConfigMap, "Text to write, by key; null to remove the key, which needs an "+
			"expectation. Other keys stay as they are.", attributes.ValidValueSize()),
		"binary_data": attributes.Map(eval.ConfigMap, "Bytes to write to `binaryData`, by key, in standard base64; null to "+
			"remove the key. No key may be in both maps.", attributes.ValidBase64()),
		"expected_data": attributes.Map(eval.ConfigMap, "Text that each key must hold before the write; null if the key "+
			"must be absent. A key of `data` or `binary_data` that is not listed here must be absent, or already hold the "+
			"value to write. A key that is listed only here is a guard: the request compares it and never writes it.",
			attributes.ValidValueSize()),
		"expected_binary_data": attributes.Map(eval.ConfigMap, "Bytes that each key must hold before the write, in "+
			"standard base64. Works like `expected_data`. No key may be in both.", attributes.ValidBase64()),
	})
}

// Validate checks the maps together. The schema checks each map alone.
func (m *swapModel) Validate() diag.Diagnostics {
	diags := m.Check(eval.ConfigMap, true)
	for _, of := range []types.Map{m.Data, m.BinaryData, m.ExpectedData, m.ExpectedBinaryData} {
		if of.IsUnknown() {
			return diags
		}
	}
	expected := m.Expected(eval.ConfigMap)
	if len(expected) == 0 && len(m.Values(eval.ConfigMap)) == 0 {
		diags.Append(message.MissingKeys.Problem(path.Root("data"),
			"there must be at least one key in data, binary_data, expected_data or expected_binary_data"))
	}
	for attribute, of := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData} {
		for key, v := range of.Elements() {
			if _, expects := expected[key]; v.IsNull() && !expects {
				diags.Append(message.InvalidAttributeCombination.Problem(path.Root(attribute).AtMapKey(key),
					"null removes the key, so expected_data or expected_binary_data must name it, too"))
			}
		}
	}
	return diags
}

// Claim translates the maps to a claim.
func (m *swapModel) Claim() *resource.Claim {
	ref := m.RefWithDefault()
	values := decide.Claim{Ref: ref, Values: m.Values(eval.ConfigMap), Expected: m.Expected(eval.ConfigMap)}
	return &resource.Claim{Claim: values, About: func(terms.Operation) message.Subject {
		s := message.Subject{ID: terms.EntryID{Ref: ref}}
		m.Describe(&s, eval.ConfigMap)
		return s
	}}
}
