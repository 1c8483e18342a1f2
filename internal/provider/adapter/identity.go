package adapter

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// The identity of a whole ConfigMap or Secret is [Named].

// objectIdentitySchema is the schema of the identity of a whole object.
func objectIdentitySchema(kind cas.Kind) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{
			OptionalForImport: true, Description: fmt.Sprintf("Namespace of the %s. Default: \"default\".", kind),
		},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Name of the %s.", kind)},
	}}
}

// identities is the codec of an identity. That does not differ between kinds.
func identities[M any](schema func(cas.Kind) identityschema.Schema) func() *codec.Codec[M] {
	return codec.Of[M](func(context.Context) identityschema.Schema { return schema(cas.ConfigMap) })
}

// Imported parses an import's id or, without one, reads its identity. Where of is nil, the resource has no identity.
func Imported[I, ID any](
	ctx context.Context, req resource.ImportStateRequest, parse func(string) (ID, error), of func(I) (ID, error),
) (id ID, diags diag.Diagnostics) {
	title, subject := diagnose.TitleInvalidImportID, "import id"
	var err error
	if req.ID != "" || of == nil {
		id, err = parse(req.ID)
	} else {
		var identity I
		if diags = req.Identity.Get(ctx, &identity); diags.HasError() {
			return id, diags
		}
		title, subject = diagnose.TitleInvalidImportIdentity, "identity"
		id, err = of(identity)
	}
	if err != nil {
		diags.Append(title.With(diagnose.Detail(fmt.Sprintf("The %s %v.", subject, err), nil, "")))
	}
	return id, diags
}
