package adapter

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ObjectIdentity is the identity of a whole ConfigMap or Secret.
type ObjectIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// EntryIdentity is the identity of one key.
type EntryIdentity struct {
	ObjectIdentity

	Key types.String `tfsdk:"key"`
}

// DataIdentity is the identity of several keys. Its keys change with those of the resource.
type DataIdentity struct {
	ObjectIdentity

	Keys types.List `tfsdk:"keys"`
}

// ObjectIdentitySchema is the schema of ObjectIdentity.
func ObjectIdentitySchema(kind cas.Kind) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{
			OptionalForImport: true, Description: fmt.Sprintf("Namespace of the %s. Default: \"default\".", kind),
		},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Name of the %s.", kind)},
	}}
}

// EntryIdentitySchema is the schema of EntryIdentity.
func EntryIdentitySchema(kind cas.Kind) identityschema.Schema {
	s := ObjectIdentitySchema(kind)
	s.Attributes["key"] = identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Key in the %s.", kind)}
	return s
}

// DataIdentitySchema is the schema of DataIdentity.
func DataIdentitySchema(kind cas.Kind) identityschema.Schema {
	s := ObjectIdentitySchema(kind)
	s.Attributes["keys"] = identityschema.ListAttribute{
		ElementType: types.StringType, OptionalForImport: true, Description: fmt.Sprintf("Keys in the %s. Default: all its keys.", kind),
	}
	return s
}

// identities makes the codec of an identity when it is first needed. That does not differ between kinds.
func identities[M any](schema func(cas.Kind) identityschema.Schema) func() *codec.Codec[M] {
	return sync.OnceValue(func() *codec.Codec[M] { return codec.New[M](context.Background(), schema(cas.ConfigMap).Type()) })
}

var (
	objectIdentities = identities[ObjectIdentity](ObjectIdentitySchema)
	entryIdentities  = identities[EntryIdentity](EntryIdentitySchema)
	dataIdentities   = identities[DataIdentity](DataIdentitySchema)
)

// Identity is the identity of the object.
func (p *Place) Identity() ObjectIdentity { return ObjectIdentity{p.Namespace, p.Name} }

// Encode puts the identity into raw.
func (i ObjectIdentity) Encode(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return objectIdentities().Encode(ctx, i, raw)
}

// Encode puts the identity into raw.
func (i EntryIdentity) Encode(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return entryIdentities().Encode(ctx, i, raw)
}

// Encode puts the identity into raw.
func (i DataIdentity) Encode(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return dataIdentities().Encode(ctx, i, raw)
}

// DataIdentityOf is the identity of the keys that an id names, which include vanished ones.
func DataIdentityOf(p *Place) DataIdentity {
	i := DataIdentity{p.Identity(), types.ListNull(types.StringType)}
	if id, err := terms.ParseDataID(p.ID.ValueString()); err == nil && len(id.Keys) > 0 {
		i.Keys = ListOf(id.Keys)
	}
	return i
}

func (i ObjectIdentity) ref(kind cas.Kind) cas.Ref {
	ref := cas.Ref{Kind: kind, Namespace: i.Namespace.ValueString(), Name: i.Name.ValueString()}
	if ref.Namespace == "" {
		ref.Namespace = terms.DefaultNamespace
	}
	return ref
}

// imported parses an import's id or, without one, checks the id that its identity stands for.
func imported[I, ID any](
	ctx context.Context, req resource.ImportStateRequest, parse func(string) (ID, error), of func(I) ID, check func(ID) error,
) (id ID, diags diag.Diagnostics) {
	title, subject := diagnose.TitleInvalidImportID, "import id"
	var err error
	if req.ID != "" {
		id, err = parse(req.ID)
	} else {
		var identity I
		if diags = req.Identity.Get(ctx, &identity); diags.HasError() {
			return id, diags
		}
		title, subject, id = diagnose.TitleInvalidImportIdentity, "identity", of(identity)
		err = check(id)
	}
	if err != nil {
		diags.Append(title.With(diagnose.Detail(fmt.Sprintf("The %s %v.", subject, err), nil, "")))
	}
	return id, diags
}

// ImportedObject is the object that an import names.
func ImportedObject(ctx context.Context, req resource.ImportStateRequest, kind cas.Kind) (cas.Ref, diag.Diagnostics) {
	ref, diags := imported(ctx, req, terms.ParseConfigMapID, func(i ObjectIdentity) cas.Ref { return i.ref(kind) }, terms.CheckObject)
	ref.Kind = kind
	return ref, diags
}

// ImportedEntry is the key that an import names.
func ImportedEntry(ctx context.Context, req resource.ImportStateRequest, kind cas.Kind) (terms.EntryID, diag.Diagnostics) {
	id, diags := imported(ctx, req, terms.ParseEntryID, func(i EntryIdentity) terms.EntryID {
		return terms.EntryID{Ref: i.ref(kind), Key: i.Key.ValueString()}
	}, terms.EntryID.Check)
	id.Kind = kind
	return id, diags
}

// ImportedData are the keys that an import names; none for all.
func ImportedData(ctx context.Context, req resource.ImportStateRequest, kind cas.Kind) (terms.DataID, diag.Diagnostics) {
	id, diags := imported(ctx, req, terms.ParseDataID, func(i DataIdentity) terms.DataID {
		id := terms.DataID{Ref: i.ref(kind)}
		for _, key := range i.Keys.Elements() {
			if s, ok := key.(types.String); ok {
				id.Keys = append(id.Keys, s.ValueString())
			}
		}
		slices.Sort(id.Keys)
		return id
	}, terms.DataID.Check)
	id.Kind = kind
	return id, diags
}
