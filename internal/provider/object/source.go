package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewSource is the data source cas_object_fields.
func NewSource() datasource.DataSource {
	return resource.NewSource[source]("object_fields", anyObject, sourceSchema)
}

// source is its schema as Go values.
type source struct {
	resource.Found
	root

	Paths  types.List    `tfsdk:"paths"`
	Values types.Dynamic `tfsdk:"values"`
}

func sourceSchema(context.Context) schema.Schema {
	all := places("It need not exist.", "")
	all["paths"] = schema.ListAttribute{
		Required: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1)},
		MarkdownDescription: "Paths of the fields to read, also such as `status.readyReplicas`.",
	}
	all["values"] = schema.DynamicAttribute{
		Computed: true, MarkdownDescription: "What the fields hold, by path as `paths` has it; null for one that is " +
			"absent. Null as a whole if there is no object.",
	}
	return attributes.OfFound("Reads fields of an object of any kind, or says that it does not exist.", anyObject,
		"Whether the object exists.", ", for `expected_resource_version_wo`", all)
}

func (m *source) Locate(eval.Kind) message.Subject {
	about := message.Subject{
		ID: terms.EntryID{Ref: m.ref(m.Named)}, APIVersion: m.apiVersion(), IsSource: true,
		Keys: map[string]message.KeyPaths{},
	}
	if m.isDocument() {
		about.ID.Ref = m.RefWithDefault()
		about.ID.Kind, about.ID.Key = eval.ConfigMap, m.Key.ValueString()
		m.Namespace = types.StringValue(about.ID.Namespace)
	}
	return about
}

func (m *source) Fill(_ context.Context, seen *eval.Snapshot, about message.Subject) (diags diag.Diagnostics) {
	if !seen.Exists() || m.isDocument() && seen.Value(about.ID.Key).IsAbsent() {
		return nil // all is null
	}
	values := map[string]tftypes.Value{}
	for i, spelling := range resource.KeysOf(m.Paths) {
		at := path.Root("paths").AtListIndex(i)
		key, err := m.keyRead(spelling)
		if err != nil {
			diags.Append(message.InvalidFieldPath.Problem(at, err.Error()))
			continue
		}
		e, err := seen.Lookup(key)
		if about.Keys[key] = (message.KeyPaths{Value: at}); err != nil {
			diags.Append(about.Diagnose(&eval.FieldError{Ref: about.ID.Ref, Key: key, Err: err}))
			continue
		}
		values[spelling] = valueOf(e)
	}
	m.Values = dynamicOf(values)
	return diags
}
