package secret

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given a Secret with a text that is not in NFC, which Terraform would change; when a configuration copies what the ephemeral resources read;
// then the copy has the same bytes.
func TestEphemeralSecretIsCopiedByteByByte(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	holds := fixture.Data{"text": fixture.Composed, "decomposed": fixture.Decomposed, "raw": "\xff", "empty": ""}
	p.CreateSecret("database", holds)
	p.CreateSecret("entries", nil)
	p.CreateSecret("others", nil)
	const of = "{\n  namespace = NAMESPACE\n  name = \"database\"\n"
	p.Planned("ephemeral \"cas_secret\" \"all\" " + of + "}\n" +
		fixture.SecretBlock(`name = "copy"`, "data_wo = ephemeral.cas_secret.all.data", "binary_data_wo = ephemeral.cas_secret.all.binary_data") +
		"ephemeral \"cas_secret_entry\" \"one\" " + of + "  key = \"decomposed\"\n}\n" +
		fixture.SecretEntry(`name = "entries"`, `key = "one"`, "value_base64_wo = ephemeral.cas_secret_entry.one.value_base64") +
		strings.Replace(fixture.SecretData(`name = "others"`, `data_wo = { value = ephemeral.cas_secret_entry.one.value == null ? "null" : "a text" }`), "it", "other", 1))
	p.WantSecret("copy", holds)
	p.WantSecret("entries", fixture.Data{"one": fixture.Decomposed})
	p.WantSecret("others", fixture.Data{"value": "null"})
	p.PlanNothing()
}
