// Package configmap has the resources and data sources of ConfigMaps. A resource translates its model to what package claim does, and back:
// keys.go for all resources of keys, of which cas_configmap_entry has one and cas_configmap_data many; configmap.go for a whole ConfigMap;
// counter.go for a number.
package configmap

import (
	"context"
	"encoding/base64"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// connection links a resource or data source to the configured provider.
type connection struct {
	run *claim.Run // nil while a configuration is validated
}

// Configure implements [resource.ResourceWithConfigure].
func (c *connection) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	resp.Diagnostics.Append(c.connect(req.ProviderData)...)
}

// connect stores the provider's data. There is none while a configuration is validated.
func (c *connection) connect(providerData any) diag.Diagnostics {
	run, ok := providerData.(*claim.Run)
	if !ok && providerData != nil {
		return diag.Diagnostics{diagnose.TitleUnexpectedError.With(diagnose.Detail(
			fmt.Sprintf("The provider handed over a %T.", providerData), nil, diagnose.Report))}
	}
	c.run = run
	return nil
}

// invalidID is for an id, or an identity, of which the error says what is wrong.
func invalidID(title diagnose.ErrorTitle, subject string, err error) diag.Diagnostic {
	return title.With(diagnose.Detail(fmt.Sprintf("The %s %v.", subject, err), nil, ""))
}

// place holds the attributes that all resources share: which ConfigMap, and how to write it.
type place struct {
	Namespace    types.String   `tfsdk:"namespace"`
	Name         types.String   `tfsdk:"name"`
	FieldManager types.String   `tfsdk:"field_manager"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
	ID           types.String   `tfsdk:"id"`
}

// newPlace is the place of an imported resource.
func newPlace(ref cas.Ref) place {
	operations := map[string]attr.Type{}
	for _, operation := range []terms.Operation{terms.OpCreate, terms.OpRead, terms.OpUpdate, terms.OpDelete} {
		operations[string(operation)] = types.StringType
	}
	p := place{Namespace: types.StringValue(ref.Namespace), Name: types.StringValue(ref.Name)}
	p.Timeouts.Object = types.ObjectNull(operations)
	return p
}

func (p *place) ref() cas.Ref {
	return cas.Ref{Namespace: p.Namespace.ValueString(), Name: p.Name.ValueString()}
}

func (p *place) refKnown() bool { return known(p.Namespace, p.Name) }

// observed is the version of the ConfigMap in a state.
type observed struct {
	ResourceVersion types.String `tfsdk:"resource_version"`
	UID             types.String `tfsdk:"uid"`
}

func (o *observed) version() cas.Version {
	return cas.Version{UID: o.UID.ValueString(), ResourceVersion: o.ResourceVersion.ValueString()}
}

func (o *observed) setVersion(to cas.Version) {
	o.UID, o.ResourceVersion = types.StringValue(to.UID), types.StringValue(to.ResourceVersion)
}

// known reports whether all values are known.
func known(values ...types.String) bool {
	for _, v := range values {
		if v.IsUnknown() {
			return false
		}
	}
	return true
}

// agrees reports whether two values are equal, or may be once the first is known.
func agrees(value, with types.String) bool { return value.IsUnknown() || value.Equal(with) }

// schemaCodec makes the codec of a resource's schema when it is first needed.
func schemaCodec[M any](r resource.Resource) func() *codec.Codec[M] {
	return sync.OnceValue(func() *codec.Codec[M] {
		var resp resource.SchemaResponse
		r.Schema(context.Background(), resource.SchemaRequest{}, &resp)
		return codec.New[M](context.Background(), resp.Schema.Type())
	})
}

// identityCodec makes the codec of a resource's identity when it is first needed.
func identityCodec[M any](r resource.ResourceWithIdentity) func() *codec.Codec[M] {
	return sync.OnceValue(func() *codec.Codec[M] {
		var resp resource.IdentitySchemaResponse
		r.IdentitySchema(context.Background(), resource.IdentitySchemaRequest{}, &resp)
		return codec.New[M](context.Background(), resp.IdentitySchema.Type())
	})
}

// entryFrom converts a text or base64 value to an entry. It is absent if both are null.
func entryFrom(textual, encoded types.String) cas.Entry {
	if !textual.IsNull() {
		return cas.Text(textual.ValueString())
	}
	if !encoded.IsNull() {
		b, err := base64.StdEncoding.DecodeString(encoded.ValueString())
		if err == nil {
			return cas.Binary(b)
		}
	}
	return cas.Entry{}
}

// entryValues converts an entry to value and value_base64.
func entryValues(e cas.Entry) (textual, encoded types.String) {
	textual, encoded = types.StringNull(), types.StringNull()
	if v, ok := e.Text(); ok {
		textual = types.StringValue(v)
	} else if b, ok := e.Binary(); ok {
		encoded = types.StringValue(base64.StdEncoding.EncodeToString(b))
	}
	return textual, encoded
}
