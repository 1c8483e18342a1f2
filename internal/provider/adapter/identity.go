package adapter

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// The identity of a whole ConfigMap or Secret is [Named].

// entryIdentity is the identity of one key.
type entryIdentity struct {
	Named

	Key types.String `tfsdk:"key"`
}

// dataIdentity is the identity of several keys. Its keys change with those of the resource.
type dataIdentity struct {
	Named

	Keys types.List `tfsdk:"keys"`
}

// objectIdentitySchema is the schema of the identity of a whole object.
func objectIdentitySchema(kind cas.Kind) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{
			OptionalForImport: true, Description: fmt.Sprintf("Namespace of the %s. Default: \"default\".", kind),
		},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Name of the %s.", kind)},
	}}
}

// entryIdentitySchema is the schema of entryIdentity.
func entryIdentitySchema(kind cas.Kind) identityschema.Schema {
	s := objectIdentitySchema(kind)
	s.Attributes["key"] = identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Key in the %s.", kind)}
	return s
}

// dataIdentitySchema is the schema of dataIdentity.
func dataIdentitySchema(kind cas.Kind) identityschema.Schema {
	s := objectIdentitySchema(kind)
	s.Attributes["keys"] = identityschema.ListAttribute{
		ElementType: types.StringType, OptionalForImport: true, Description: fmt.Sprintf("Keys in the %s. Default: all its keys.", kind),
	}
	return s
}

// identities is the codec of an identity. That does not differ between kinds.
func identities[M any](schema func(cas.Kind) identityschema.Schema) func() *codec.Codec[M] {
	return codec.Of[M](func(context.Context) identityschema.Schema { return schema(cas.ConfigMap) })
}

var (
	objectIdentities = identities[Named](objectIdentitySchema)
	entryIdentities  = identities[entryIdentity](entryIdentitySchema)
	dataIdentities   = identities[dataIdentity](dataIdentitySchema)
)

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

// importedData are the keys that an import names; none for all.
func importedData(ctx context.Context, req resource.ImportStateRequest) (terms.DataID, diag.Diagnostics) {
	return Imported(ctx, req, terms.ParseDataID, func(i dataIdentity) (terms.DataID, error) {
		id := terms.DataID{Ref: i.RefWithDefault(), Keys: slices.Sorted(slices.Values(KeysOf(i.Keys)))}
		return id, id.Check()
	})
}
