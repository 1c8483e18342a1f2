package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewSource is the data source cas_object_fields.
func NewSource() datasource.DataSource { return &source{} }

type source struct{ adapter.Connection }

// sourceModel is the data source's schema as Go values.
type sourceModel struct {
	adapter.Observed

	APIVersion types.String   `tfsdk:"api_version"`
	Kind       types.String   `tfsdk:"kind"`
	Namespace  types.String   `tfsdk:"namespace"`
	Name       types.String   `tfsdk:"name"`
	Paths      types.List     `tfsdk:"paths"`
	Values     types.Dynamic  `tfsdk:"values"`
	Exists     types.Bool     `tfsdk:"exists"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
}

var sourceCodec = codec.Of[sourceModel](sourceSchema)

// Metadata implements [datasource.DataSource].
func (*source) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_object_fields"
}

// Schema implements [datasource.DataSource].
func (*source) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = sourceSchema(ctx)
}

func sourceSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads fields of an object of any kind, or says that it does not exist.",
		Attributes: map[string]schema.Attribute{
			"api_version": schema.StringAttribute{
				Required: true, Validators: []validator.String{validAPIVersion()},
				MarkdownDescription: "Version of the API in which paths are read, such as `v1` or `apps/v1`.",
			},
			"kind": schema.StringAttribute{Required: true, Validators: []validator.String{validKind()}, MarkdownDescription: "Kind of the object, such as `Deployment`."},
			"namespace": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attributes.ValidNamespace()},
				MarkdownDescription: "Namespace of the object. Required for kinds that have namespaces, and none for others.",
			},
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{validName()}, MarkdownDescription: "Name of the object. It need not exist."},
			"paths": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1)},
				MarkdownDescription: "Paths of the fields to read, also such as `status.readyReplicas`.",
			},
			"values": schema.DynamicAttribute{
				Computed: true, MarkdownDescription: "What the fields hold, by path as `paths` has it; null for one that is absent. Null as a whole if there is no object.",
			},
			"exists":           schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the object exists."},
			"uid":              schema.StringAttribute{Computed: true, MarkdownDescription: "`metadata.uid` of the object. Null if there is none."},
			"resource_version": schema.StringAttribute{Computed: true, MarkdownDescription: "`resourceVersion` of the object, for `expected_resource_version_wo`. Null if there is none."},
			"timeouts": schema.SingleNestedAttribute{
				Optional: true, CustomType: timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"read": types.StringType}}},
				Attributes: map[string]schema.Attribute{"read": schema.StringAttribute{
					Optional: true, Validators: []validator.String{attributes.ValidTimeout()}, Description: "Time limit of the read, such as `30s` or `2m`. Default: `1m`.",
				}},
			},
		},
	}
}

// Configure implements [datasource.DataSourceWithConfigure].
func (s *source) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	resp.Diagnostics.Append(s.Connect(req.ProviderData)...)
}

// Read implements [datasource.DataSource].
func (s *source) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	m, diags := sourceCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := m.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if !s.Run.Configured() && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(adapter.NotRead("data source"))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ref := cas.Ref{Kind: terms.KindOf(m.APIVersion.ValueString(), m.Kind.ValueString()), Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
	about := diagnose.Subject{
		ID: terms.EntryID{Ref: ref}, APIVersion: m.APIVersion.ValueString(), Noun: ref.Kind.String(), Ways: diagnose.Ways{Grant: "get"},
		Op: terms.OpRead, Limit: terms.OpRead, IsImport: true, Hide: diagnose.HideIf(s.Run.Hides(types.BoolNull())), Keys: map[string]diagnose.KeyPaths{},
	}
	seen, err := s.Run.Engine.ObserveFields(ctx, ref, m.APIVersion.ValueString(), 0) // never an earlier read: a write may be judged by it
	if err != nil {
		resp.Diagnostics.Append(about.Diagnose(err))
		return
	}
	m.Exists, m.Values = types.BoolValue(seen.Exists()), types.DynamicNull()
	if seen.Exists() {
		m.SetVersion(seen.Version())
		resp.Diagnostics.Append(m.fill(seen, ref, about)...)
	}
	resp.Diagnostics.Append(sourceCodec().Encode(ctx, m, &resp.State.Raw)...)
}

// fill takes in what the fields hold.
func (m *sourceModel) fill(seen *cas.Observation, ref cas.Ref, about diagnose.Subject) (diags diag.Diagnostics) {
	values, of := map[string]attr.Value{}, map[string]attr.Type{}
	for i, spelling := range adapter.KeysOf(m.Paths) {
		at := path.Root("paths").AtListIndex(i)
		key, err := cas.ReadKey(ref.Kind, spelling)
		if err != nil {
			diags.Append(invalidAt(at, diagnose.TitleInvalidFieldPath, err.Error()))
			continue
		}
		e, err := seen.Field(key)
		if about.Keys[key] = (diagnose.KeyPaths{Value: at}); err != nil {
			diags.Append(about.Diagnose(&cas.FieldError{Ref: ref, Key: key, Err: err}))
			continue
		}
		values[spelling], of[spelling] = valueOf(e)
	}
	m.Values = types.DynamicValue(types.ObjectValueMust(of, values))
	return diags
}
