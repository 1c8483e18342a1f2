package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// identity is the identity of fields. It changes with the fields, and with the version of the API.
type identity struct {
	typeMeta
	adapter.Named

	Paths types.List `tfsdk:"paths"`
}

var identities = codec.Of[identity](func(context.Context) identityschema.Schema { return new(fieldsModel).IdentitySchema(anyObject) })

func (*fieldsModel) IdentitySchema(cas.Kind) identityschema.Schema {
	required := func(description string) identityschema.Attribute {
		return identityschema.StringAttribute{RequiredForImport: true, Description: description}
	}
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"api_version": required("Version of the API, such as \"apps/v1\"."),
		"kind":        required("Kind of the object, such as \"Deployment\"."),
		"namespace":   identityschema.StringAttribute{OptionalForImport: true, Description: "Namespace of the object; none for kinds without namespaces."},
		"name":        required("Name of the object."),
		"paths":       identityschema.ListAttribute{ElementType: types.StringType, RequiredForImport: true, Description: "Paths of the fields."},
	}}
}

func (m *fieldsModel) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	keys := m.keys()
	if id, err := terms.ParseFieldsID(m.ID.ValueString()); err == nil && len(keys) == 0 { // of an import
		keys = id.Keys
	}
	for i, key := range keys {
		keys[i], _ = diagnose.NameOf(key)
	}
	return identities().Encode(ctx, identity{m.typeMeta, m.Named, adapter.ListOf(keys)}, raw)
}

func (m *fieldsModel) Import(ctx context.Context, req resource.ImportStateRequest) ([]string, diag.Diagnostics) {
	id, diags := adapter.Imported(ctx, req, terms.ParseFieldsID, func(i identity) (terms.FieldsID, error) {
		return terms.NewFieldsID(i.APIVersion.ValueString(), i.ObjectKind.ValueString(), i.Namespace.ValueString(), i.Name.ValueString(), adapter.KeysOf(i.Paths))
	})
	if diags.HasError() {
		return nil, diags
	}
	m.APIVersion, m.ObjectKind, m.Namespace, m.Name = types.StringValue(id.APIVersion), types.StringValue(id.Kind.String()), types.StringNull(), types.StringValue(id.Name)
	if id.Namespace != "" {
		m.Namespace = types.StringValue(id.Namespace)
	}
	m.ID = types.StringValue(id.String())
	m.SetKind(id.Kind)
	return id.Keys, nil
}
