package secret

import (
	"context"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
)

// NewData is cas_secret_data, a resource of several keys.
func NewData() fwresource.Resource { return keys.NewData("secret_data", eval.Secret, dataSchema) }

func dataSchema(ctx context.Context) schema.Schema {
	return attributes.OfData(ctx, "Writes several keys of an existing Secret in one atomic request, all or none, only "+
		"if every key holds its expected value. No value is stored in the state or the plan.",
		eval.Secret, "shop/database:password,user", map[string]schema.Attribute{
			"data_wo": attributes.Map(eval.Secret, "Text to write, by key. Set at least one key here or in `binary_data_wo`, "+
				"and no key in both. The resource ignores other keys. If you remove a key from the map, `deletion_policy` applies "+
				"to it at once."),
			"binary_data_wo": attributes.Map(eval.Secret, "Bytes to write, by key, in standard base64."),
			"data_wo_version": attributes.Revision("`data_wo` and `binary_data_wo`",
				"Keys that you add to the maps, and keys that vanished, are written anyway. "),
			"expected_data_wo": attributes.Map(eval.Secret, "Text that each key must hold before the write; null if the key "+
				"must be absent. For a key of `data_wo` that is not listed here, a create requires the key to be absent, and an "+
				"update requires the Secret to be unchanged since the plan. With `conflict_scope = \"key\"`, an update requires "+
				"every key to be listed. A key that is listed only here is a guard: the request compares it and never writes it."),
			"expected_binary_data_wo": attributes.Map(eval.Secret, "Bytes that each key must hold before the write, in "+
				"standard base64. Works like `expected_data_wo`."),
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update. `object` " +
				"(default): any change to the Secret that this apply did not make. `key`: only a change to one of these keys or " +
				"guards, which then need `expected_data_wo`. For the removal of a key, any change to the Secret is a conflict, " +
				"since the state has no value to compare."),
			"on_drift": attributes.OnDrift("What to do if somebody else changed one of the keys after the last apply. Each " +
				"plan warns. An update that writes the key is refused with `error` (default), and overwrites the change with " +
				"`overwrite`. The update is also permitted if you set a new expected value that the key holds. A missing " +
				"key is created again, unless an expected value is set."),
			"keys": attributes.ComputedKeys("Keys that this resource has in the Secret, sorted."),
		})
}
