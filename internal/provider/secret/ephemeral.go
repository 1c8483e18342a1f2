package secret

import (
	"context"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
)

// readable makes a text of bytes that are one, as long as Terraform leaves it as it is: it makes NFC of every text.
func readable(e eval.Value) eval.Value {
	if b, ok := e.Binary(); ok && utf8.Valid(b) && norm.NFC.IsNormal(b) {
		return eval.Text(string(b))
	}
	return e
}

// NewEntryEphemeral is the ephemeral resource cas_secret_entry.
func NewEntryEphemeral() ephemeral.EphemeralResource {
	return resource.NewEphemeral[entryEphemeral]("secret_entry", eval.Secret, entryEphemeralSchema)
}

// entryEphemeral is its schema as Go values.
type entryEphemeral struct{ resource.FoundEntry }

func entryEphemeralSchema(context.Context) schema.Schema {
	return attributes.OfFoundEntry("Reads one key of a Secret for this run alone, or says that it does not exist. "+
		"Terraform stores nothing of it.",
		eval.Secret, "", ", or holds bytes that are no UTF-8 or no NFC: Terraform would change them", "", nil)
}

func (m *entryEphemeral) Fill(_ context.Context, seen *eval.Snapshot, about message.Subject) diag.Diagnostics {
	live := seen.Value(about.ID.Key)
	m.Value, _ = resource.ValuesOf(readable(live))
	_, m.ValueBase64 = resource.ValuesOf(live)
	return nil
}

// NewSecretEphemeral is the ephemeral resource cas_secret.
func NewSecretEphemeral() ephemeral.EphemeralResource {
	return resource.NewEphemeral[wholeEphemeral]("secret", eval.Secret, wholeEphemeralSchema)
}

// wholeEphemeral is its schema as Go values.
type wholeEphemeral struct {
	resource.Found

	Type       types.String `tfsdk:"type"`
	Data       types.Map    `tfsdk:"data"`
	BinaryData types.Map    `tfsdk:"binary_data"`
}

func wholeEphemeralSchema(context.Context) schema.Schema {
	return attributes.OfFound("Reads a Secret for this run alone, or says that it does not exist. Terraform stores "+
		"nothing of it.",
		eval.Secret, "Whether the Secret exists.", "", map[string]schema.Attribute{
			"type": attributes.Computed("Type of the Secret. Null if there is no Secret."),
			"data": attributes.FoundMap(eval.Secret, "Keys with text, and their values."),
			"binary_data": attributes.FoundMap(eval.Secret, "Keys with bytes that are no UTF-8 or no NFC, which Terraform "+
				"would change, and their values in base64."),
		})
}

func (m *wholeEphemeral) Fill(_ context.Context, seen *eval.Snapshot, _ message.Subject) diag.Diagnostics {
	if !seen.Exists() {
		return nil // all is null
	}
	entries := seen.Entries()
	for key, e := range entries {
		entries[key] = readable(e)
	}
	texts, others := resource.MapsOf(entries)
	m.Type = types.StringValue(seen.Type())
	m.Data, m.BinaryData = resource.MapOf(texts), resource.MapOf(others)
	return nil
}
