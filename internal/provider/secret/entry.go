package secret

import (
	"context"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
)

// NewEntry is cas_secret_entry, a resource of one key.
func NewEntry() fwresource.Resource {
	return keys.NewEntry("secret_entry", eval.Secret, entrySchema)
}

func entrySchema(ctx context.Context) schema.Schema {
	return attributes.OfEntry(ctx, "Writes one key of an existing Secret only if it holds the expected value, in one "+
		"atomic request. No value is stored in the state or the plan.",
		eval.Secret, "shop/database/password", map[string]schema.Attribute{
			"value_wo": attributes.Text(eval.Secret,
				"Text to write. Set exactly one of `value_wo` and `value_base64_wo`."),
			"value_base64_wo":  attributes.Text(eval.Secret, "Bytes to write, in standard base64."),
			"value_wo_version": attributes.Revision("`value_wo` or `value_base64_wo`", ""),
			"expected_value_wo": attributes.Text(eval.Secret, "Text that the key must hold before the write. If you do not set "+
				"it, the key must not exist yet for a create, and the Secret must be unchanged since the plan for an update. With "+
				"`conflict_scope = \"key\"`, an update requires this attribute. Do not take it from the ephemeral resource "+
				"`cas_secret_entry`, which reads the key again at apply: the expectation would always hold."),
			"expected_value_base64_wo": attributes.Text(eval.Secret,
				"Bytes that the key must hold before the write, in standard base64."),
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update. `object` " +
				"(default): any change to the Secret that this apply did not make. `key`: only a change to this key, which then " +
				"needs `expected_value_wo`. For a delete, any change to the Secret is a conflict, since the state has no value " +
				"to compare."),
			"on_drift": attributes.OnDrift("What to do if somebody else changed the key after the last apply. Each plan " +
				"warns. An update that writes the key is refused with `error` (default), and overwrites the change with " +
				"`overwrite`. The update is also permitted if the key holds `expected_value_wo`. A missing key is created " +
				"again, unless `expected_value_wo` is set."),
		})
}
