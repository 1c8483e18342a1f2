// Package secret has the resources and ephemeral resources of Secrets. No value of a Secret is in a state: a model has a `config` with the
// write-only attributes, and a claim goes by the version that these have there. Package adapter does the rest, as for ConfigMaps.
package secret

import (
	"encoding/base64"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func refOf(p *adapter.Place) cas.Ref {
	ref := p.Ref()
	ref.Kind = cas.Secret
	return ref
}

// planWrite makes unknown what a write changes.
func planWrite(o *adapter.Observed) {
	o.ResourceVersion, o.UID = types.StringUnknown(), types.StringUnknown()
}

// entryFrom converts a text or base64 value to an entry. It is absent if both are null, or if the base64 is none, which is refused elsewhere.
func entryFrom(textual, encoded types.String) cas.Entry {
	if !textual.IsNull() {
		return cas.Binary([]byte(textual.ValueString()))
	}
	b, err := base64.StdEncoding.DecodeString(encoded.ValueString())
	if encoded.IsNull() || err != nil {
		return cas.Entry{}
	}
	return cas.Binary(b)
}

// subject is what diagnostics about all resources of Secrets have in common. They never show a value.
func subject(id terms.EntryID, noun, place string, op terms.Operation, wait types.String) diagnose.Subject {
	s := diagnose.Subject{ID: id, Noun: noun, Place: place, Op: op, Limit: op, Hide: diagnose.ShowNothing, Wait: types.StringNull()}
	if op == terms.OpCreate || op == terms.OpUpdate {
		s.Wait = wait
	}
	return s
}

// invalid is an error about a write-only attribute. It points at another one: Terraform prints the line that an error points at, which may
// have the value.
func invalid(title diagnose.ErrorTitle, at, attribute, problem string) diag.Diagnostic {
	return title.At(path.Root(at), fmt.Sprintf("Attribute %s: %s.", attribute, problem))
}

// valueProblem says what is wrong with a value, without its length; nothing where it is fine or not known yet.
func valueProblem(textual, encoded types.String) (title diagnose.ErrorTitle, problem string) {
	b := []byte(textual.ValueString())
	if !encoded.IsNull() && !encoded.IsUnknown() {
		var err error
		if b, err = base64.StdEncoding.Strict().DecodeString(encoded.ValueString()); err != nil {
			return diagnose.TitleInvalidBase64, "must be canonical standard base64, as base64encode() gives it"
		}
	}
	if len(b) > cas.MaxSize {
		return diagnose.TitleValueTooLarge, fmt.Sprintf("all values of a Secret must have at most %d bytes together", cas.MaxSize)
	}
	return "", ""
}
