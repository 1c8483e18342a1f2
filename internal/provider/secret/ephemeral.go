package secret

import (
	"context"
	"encoding/base64"
	"maps"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/ephemeral/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// opened links an ephemeral resource to the configured provider.
type opened struct {
	adapter.Connection
}

// Configure implements [ephemeral.EphemeralResourceWithConfigure].
func (o *opened) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	resp.Diagnostics.Append(o.Connect(req.ProviderData)...)
}

// openedModel holds the attributes that all ephemeral resources share.
type openedModel struct {
	Namespace       types.String   `tfsdk:"namespace"`
	Name            types.String   `tfsdk:"name"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`
	Exists          types.Bool     `tfsdk:"exists"`
	UID             types.String   `tfsdk:"uid"`
	ResourceVersion types.String   `tfsdk:"resource_version"`
}

// openedAttributes is the schema of openedModel, with others added.
func openedAttributes(ctx context.Context, exists string, others map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"namespace": schema.StringAttribute{
			Optional: true, Computed: true, Validators: []validator.String{attributes.ValidNamespace()},
			MarkdownDescription: "Namespace of the Secret. Default: `default`.",
		},
		"name": schema.StringAttribute{
			Required: true, Validators: []validator.String{attributes.ValidName(cas.Secret)},
			MarkdownDescription: "Name of the Secret. It need not exist, so that a destroy can go ahead.",
		},
		"timeouts": openTimeouts(ctx),
		"exists":   schema.BoolAttribute{Computed: true, MarkdownDescription: exists},
		"uid":      schema.StringAttribute{Computed: true, MarkdownDescription: "`metadata.uid` of the Secret. Null if there is no Secret."},
		"resource_version": schema.StringAttribute{
			Computed: true, MarkdownDescription: "`resourceVersion` of the Secret. Null if there is no Secret.",
		},
	}
	maps.Copy(all, others)
	return all
}

func openTimeouts(ctx context.Context) schema.Attribute {
	attribute := timeouts.AttributesWithOpts(ctx, timeouts.Opts{OpenDescription: "Time limit of the read, such as `30s` or `2m`. Default: `1m`."})
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		if open, ok := nested.Attributes["open"].(schema.StringAttribute); ok {
			open.Validators = []validator.String{attributes.ValidTimeout()}
			nested.Attributes["open"] = open
		}
	}
	return attribute
}

// look reads the Secret and fills in the model. What is absent is no error: it would block a destroy.
func (o *opened) look(ctx context.Context, m *openedModel, key string) (*cas.Observation, diag.Diagnostics) {
	timeout, diags := m.Timeouts.Open(ctx, terms.DefaultTimeout)
	if diags.HasError() {
		return nil, diags
	}
	if m.Namespace.IsNull() { // ephemeral resources have no defaults of their own
		m.Namespace = types.StringValue(terms.DefaultNamespace)
	}
	id := terms.EntryID{Ref: cas.Ref{Kind: cas.Secret, Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}, Key: key}
	seen, diags := o.Look(ctx, id, "ephemeral resource", diagnose.ShowNothing, timeout)
	if diags.HasError() {
		return nil, diags
	}
	m.UID, m.ResourceVersion = types.StringNull(), types.StringNull()
	if v := seen.Version(); seen.Exists() {
		m.UID, m.ResourceVersion = types.StringValue(v.UID), types.StringValue(v.ResourceVersion)
	}
	return seen, nil
}

// valuesOf are the text and the base64 of what a key holds. Bytes that are no text have no text.
func valuesOf(e cas.Entry) (textual, encoded types.String) {
	textual, encoded = types.StringNull(), types.StringNull()
	b, ok := e.Binary()
	if !ok {
		return textual, encoded
	}
	if utf8.Valid(b) {
		textual = types.StringValue(string(b))
	}
	return textual, types.StringValue(base64.StdEncoding.EncodeToString(b))
}

var (
	_ ephemeral.EphemeralResourceWithConfigure = (*entryEphemeral)(nil)
	_ ephemeral.EphemeralResourceWithConfigure = (*wholeEphemeral)(nil)
)

// NewEntryEphemeral is the ephemeral resource cas_secret_entry.
func NewEntryEphemeral() ephemeral.EphemeralResource { return &entryEphemeral{} }

// entryEphemeral is the ephemeral resource cas_secret_entry.
type entryEphemeral struct {
	opened
}

// entryEphemeralModel is the schema as Go values.
type entryEphemeralModel struct {
	openedModel

	Key         types.String `tfsdk:"key"`
	Value       types.String `tfsdk:"value"`
	ValueBase64 types.String `tfsdk:"value_base64"`
}

func (*entryEphemeral) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_secret_entry"
}

func (*entryEphemeral) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one key of a Secret for this run alone, or says that it does not exist. Terraform stores nothing of it.",
		Attributes: openedAttributes(ctx, "Whether the key exists. `false` if the Secret does not exist.", map[string]schema.Attribute{
			"key": schema.StringAttribute{
				Required: true, Validators: []validator.String{attributes.ValidKey(cas.Secret)},
				MarkdownDescription: "Key in the Secret: 1 to 253 characters of `[-._a-zA-Z0-9]`. It must not be `.` or begin with `..`.",
			},
			"value": schema.StringAttribute{
				Computed: true, Sensitive: true, MarkdownDescription: "Text of the key. Null if the key is absent or holds bytes that are no UTF-8.",
			},
			"value_base64": schema.StringAttribute{
				Computed: true, Sensitive: true, MarkdownDescription: "Bytes of the key, in base64. Null if the key is absent.",
			},
		}),
	}
}

// Open implements [ephemeral.EphemeralResource].
func (e *entryEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m entryEphemeralModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	seen, diags := e.look(ctx, &m.openedModel, m.Key.ValueString())
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	live := seen.Entry(m.Key.ValueString())
	m.Exists = types.BoolValue(!live.IsAbsent())
	m.Value, m.ValueBase64 = valuesOf(live)
	resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
}

// NewSecretEphemeral is the ephemeral resource cas_secret.
func NewSecretEphemeral() ephemeral.EphemeralResource { return &wholeEphemeral{} }

// wholeEphemeral is the ephemeral resource cas_secret.
type wholeEphemeral struct {
	opened
}

// wholeEphemeralModel is the schema as Go values.
type wholeEphemeralModel struct {
	openedModel

	Type       types.String `tfsdk:"type"`
	Data       types.Map    `tfsdk:"data"`
	BinaryData types.Map    `tfsdk:"binary_data"`
}

func (*wholeEphemeral) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_secret"
}

func (*wholeEphemeral) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	values := func(description string) schema.Attribute {
		return schema.MapAttribute{
			Computed: true, Sensitive: true, ElementType: types.StringType,
			MarkdownDescription: description + " Empty if it has none; null if there is no Secret.",
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a Secret for this run alone, or says that it does not exist. Terraform stores nothing of it.",
		Attributes: openedAttributes(ctx, "Whether the Secret exists.", map[string]schema.Attribute{
			"type":        schema.StringAttribute{Computed: true, MarkdownDescription: "Type of the Secret. Null if there is no Secret."},
			"data":        values("Keys with text, and their values."),
			"binary_data": values("Keys with bytes that are no UTF-8, and their values in base64."),
		}),
	}
}

// Open implements [ephemeral.EphemeralResource].
func (e *wholeEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m wholeEphemeralModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	seen, diags := e.look(ctx, &m.openedModel, "")
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.Exists, m.Type = types.BoolValue(seen.Exists()), types.StringNull()
	m.Data, m.BinaryData = types.MapNull(types.StringType), types.MapNull(types.StringType)
	if seen.Exists() {
		textual, encoded := map[string]string{}, map[string]string{}
		for key, each := range seen.Entries() {
			if text, bytes := valuesOf(each); !text.IsNull() {
				textual[key] = text.ValueString()
			} else {
				encoded[key] = bytes.ValueString()
			}
		}
		m.Type = types.StringValue(seen.Type())
		m.Data, m.BinaryData = adapter.MapOf(textual), adapter.MapOf(encoded)
	}
	resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
}
