package secret

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewEntry is cas_secret_entry, a resource of one key.
func NewEntry() resource.Resource { return entryType.New() }

var entryType = adapter.NewKeys[entryModel]("secret_entry", cas.Secret, entrySchema)

// entryModel is the resource's schema as Go values.
type entryModel struct {
	adapter.EntryAttributes
	sealed[entryModel]

	ValueWO               types.String `tfsdk:"value_wo"`
	ValueBase64WO         types.String `tfsdk:"value_base64_wo"`
	ValueWOVersion        types.Int64  `tfsdk:"value_wo_version"`
	ExpectedValueWO       types.String `tfsdk:"expected_value_wo"`
	ExpectedValueBase64WO types.String `tfsdk:"expected_value_base64_wo"`
}

func entrySchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Writes one key of an existing Secret only if it holds the expected value, in one atomic request. No value is stored in the " +
			"state or the plan.",
		Attributes: attributes.OfEntry(ctx, cas.Secret, "shop/database/password", map[string]schema.Attribute{
			"value_wo":         writeOnlyText("Text to write. Set exactly one of `value_wo` and `value_base64_wo`."),
			"value_base64_wo":  writeOnlyText("Bytes to write, in standard base64."),
			"value_wo_version": revision("`value_wo` or `value_base64_wo`", ""),
			"expected_value_wo": writeOnlyText("Text that the key must hold before the write. If you do not set it, the key must not exist yet for a create, and the " +
				"Secret must be unchanged since the plan for an update. With `conflict_scope = \"key\"`, an update requires this attribute. Do not take it from the ephemeral resource " +
				"`cas_secret_entry`, which reads the key again at apply and so expects whatever is there."),
			"expected_value_base64_wo": writeOnlyText("Bytes that the key must hold before the write, in standard base64."),
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update. `object` (default): any change to the Secret that this " +
				"apply did not make. `key`: only a change to this key, which then needs `expected_value_wo`. For a delete, any change to the Secret is a " +
				"conflict, since the state has no value to compare."),
			"deletion_policy": attributes.Policy("What happens to the key on destroy. `release` (default) removes it if this resource created it, and leaves it if it existed before, was "+
				"imported, adopted or moved, or if somebody else changed it since, unless `on_drift` says otherwise; the plan says so. `delete` removes it, even if it "+
				"existed before Terraform. "+
				"`abandon` leaves it as it is.",
				terms.PolicyDelete, terms.PolicyAbandon),
			"on_drift": attributes.OnDrift("What to do if somebody else changed the key after the last apply. `warning` (default) warns at plan, and an update " +
				"overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. To overwrite it without a warning or an " +
				"error, set `expected_value_wo` to what the key holds now. If the key is gone, the plan creates it again."),
		}),
	}
}

// Validate checks the write-only attributes. Validators of the framework would point at them.
func (m *entryModel) Validate() (diags diag.Diagnostics) {
	const at = "value_wo_version"
	if m.ValueWO.IsNull() && m.ValueBase64WO.IsNull() {
		diags.Append(invalid(diagnose.TitleInvalidAttributeCombination, at, "value_wo", "set either value_wo or value_base64_wo"))
	}
	for name, both := range map[string][2]types.String{
		"value": {m.ValueWO, m.ValueBase64WO}, "expected_value": {m.ExpectedValueWO, m.ExpectedValueBase64WO},
	} {
		textual, encoded := name+"_wo", name+"_base64_wo"
		named := textual
		if both[0].IsNull() {
			named = encoded
		}
		if isSet(both[0]) && isSet(both[1]) {
			diags.Append(invalid(diagnose.TitleInvalidAttributeCombination, at, textual, "must not be set together with "+encoded))
		} else if title, problem := valueProblem(both[0], both[1]); problem != "" {
			diags.Append(invalid(title, at, named, problem))
		}
	}
	return diags
}

// isSet reports whether an attribute is known to have a value: one that is not known yet may turn out null.
func isSet(s types.String) bool { return !s.IsNull() && !s.IsUnknown() }

// Claim translates the entry to a claim of one key.
func (m *entryModel) Claim(*claim.Run) *claim.Claim {
	id := m.EntryID()
	values, expected := map[string]cas.Entry{id.Key: cas.Anything()}, map[string]cas.Entry{}
	placed, valued, expects := m.RefKnown() && !m.Key.IsUnknown(), true, true
	if w := m.config; w != nil {
		if valued = adapter.Known(w.ValueWO, w.ValueBase64WO); valued {
			values[id.Key] = adapter.EntryFrom(cas.Secret, w.ValueWO, w.ValueBase64WO)
		}
		expects = adapter.Known(w.ExpectedValueWO, w.ExpectedValueBase64WO)
		if e := adapter.EntryFrom(cas.Secret, w.ExpectedValueWO, w.ExpectedValueBase64WO); expects && !e.IsAbsent() {
			expected[id.Key] = e
		}
	}
	c := m.NewClaim(id.String(), values, expected)
	c.Revision = m.ValueWOVersion
	c.Known = claim.Known{
		Place: placed, Keys: placed, Values: valued, Change: !m.ValueWOVersion.IsUnknown(),
		All: valued && expects && !m.ConflictScope.IsUnknown() && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, values, expected) }
	return c
}

func (m *entryModel) about(op terms.Operation, values, expected map[string]cas.Entry) diagnose.Subject {
	of := diagnose.KeyPaths{Value: path.Root("value_wo"), Expected: path.Root("expected_value_wo")}
	if w := m.config; w != nil && !w.ValueBase64WO.IsNull() {
		of.Value = path.Root("value_base64_wo")
	}
	if w := m.config; w != nil && !w.ExpectedValueBase64WO.IsNull() {
		of.Expected = path.Root("expected_value_base64_wo")
	}
	key := m.Key.ValueString()
	if e, ok := expected[key]; ok {
		of.Want = &e
	}
	s := m.Subject(op, diagnose.ShowNothing, "Use for_each over the keys, so that each instance keeps its key, or add a moved block.", of)
	s.Revision, s.Values = "value_wo_version", []cas.Entry{values[key], expected[key]}
	return s
}

// Refresh implements [adapter.KeysModel]. The entry exists as long as its key does.
func (m *entryModel) Refresh(seen *claim.Seen) bool {
	return !seen.Entry(m.Key.ValueString()).IsAbsent()
}
