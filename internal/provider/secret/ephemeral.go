package secret

import (
	"context"
	"maps"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/ephemeral/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// opened implements the ephemeral resources.
type opened[M any, P adapter.FoundModel[M]] struct {
	adapter.Finder[M, P]

	name   string // as it follows the provider's
	schema func(context.Context) schema.Schema
}

func newOpened[M any, P adapter.FoundModel[M]](name string, of func(context.Context) schema.Schema, models func() *codec.Codec[M]) ephemeral.EphemeralResourceWithConfigure {
	return &opened[M, P]{adapter.Finder[M, P]{Noun: "ephemeral resource", Kind: cas.Secret, Codec: models}, name, of}
}

// Metadata implements [ephemeral.EphemeralResource].
func (o *opened[M, P]) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + o.name
}

// Schema implements [ephemeral.EphemeralResource].
func (o *opened[M, P]) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = o.schema(ctx)
}

// Configure implements [ephemeral.EphemeralResourceWithConfigure].
func (o *opened[M, P]) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	resp.Diagnostics.Append(o.Connect(req.ProviderData)...)
}

// Open implements [ephemeral.EphemeralResource].
func (o *opened[M, P]) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	resp.Diagnostics.Append(o.Find(ctx, req.Config.Raw, &resp.Result.Raw)...)
}

// openedModel holds the attributes that all ephemeral resources share.
type openedModel struct {
	adapter.Found

	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// Timeout implements [adapter.FoundModel].
func (m *openedModel) Timeout(ctx context.Context) (time.Duration, diag.Diagnostics) {
	return m.Timeouts.Open(ctx, terms.DefaultTimeout)
}

// openedAttributes is the schema of openedModel, with others added.
func openedAttributes(exists string, others map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"namespace": schema.StringAttribute{
			Optional: true, Computed: true, Validators: []validator.String{attributes.ValidNamespace()},
			MarkdownDescription: "Namespace of the Secret. Default: `default`.",
		},
		"name": schema.StringAttribute{
			Required: true, Validators: []validator.String{attributes.ValidName(cas.Secret)},
			MarkdownDescription: "Name of the Secret. It need not exist, so that a destroy can go ahead.",
		},
		"timeouts": schema.SingleNestedAttribute{
			Optional: true, CustomType: timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"open": types.StringType}}},
			Attributes: map[string]schema.Attribute{"open": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attributes.ValidTimeout()},
				Description: "Time limit of the read, such as `30s` or `2m`. Default: `1m`.",
			}},
		},
		"exists": schema.BoolAttribute{Computed: true, MarkdownDescription: exists},
		"uid":    schema.StringAttribute{Computed: true, MarkdownDescription: "`metadata.uid` of the Secret. Null if there is no Secret."},
		"resource_version": schema.StringAttribute{
			Computed: true, MarkdownDescription: "`resourceVersion` of the Secret. Null if there is no Secret.",
		},
	}
	maps.Copy(all, others)
	return all
}

// readable makes a text of bytes that are one, as long as Terraform leaves it as it is: it makes NFC of every text.
func readable(e cas.Entry) cas.Entry {
	if b, ok := e.Binary(); ok && utf8.Valid(b) && norm.NFC.IsNormal(b) {
		return cas.Text(string(b))
	}
	return e
}

// NewEntryEphemeral is the ephemeral resource cas_secret_entry.
func NewEntryEphemeral() ephemeral.EphemeralResource {
	return newOpened("secret_entry", entryEphemeralSchema, entryEphemeralCodec)
}

// entryEphemeralModel is the schema as Go values.
type entryEphemeralModel struct {
	openedModel
	adapter.FoundEntry
}

var entryEphemeralCodec = codec.Of[entryEphemeralModel](entryEphemeralSchema)

func entryEphemeralSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads one key of a Secret for this run alone, or says that it does not exist. Terraform stores nothing of it.",
		Attributes: openedAttributes("Whether the key exists. `false` if the Secret does not exist.", map[string]schema.Attribute{
			"key": schema.StringAttribute{
				Required: true, Validators: []validator.String{attributes.ValidKey(cas.Secret)},
				MarkdownDescription: attributes.KeyDescription(cas.Secret),
			},
			"value": schema.StringAttribute{
				Computed: true, Sensitive: true, MarkdownDescription: "Text of the key. Null if the key is absent, or holds bytes that are no UTF-8 or no NFC: Terraform would change " +
					"them.",
			},
			"value_base64": schema.StringAttribute{
				Computed: true, Sensitive: true, MarkdownDescription: "Bytes of the key, in base64. Null if the key is absent.",
			},
		}),
	}
}

// Fill implements [adapter.FoundModel].
func (m *entryEphemeralModel) Fill(seen *cas.Observation) {
	live := seen.Entry(m.Key.ValueString())
	m.Exists = types.BoolValue(!live.IsAbsent())
	m.Value, _ = adapter.ValuesOf(readable(live))
	_, m.ValueBase64 = adapter.ValuesOf(live)
}

// NewSecretEphemeral is the ephemeral resource cas_secret.
func NewSecretEphemeral() ephemeral.EphemeralResource {
	return newOpened("secret", wholeEphemeralSchema, wholeEphemeralCodec)
}

// wholeEphemeralModel is the schema as Go values.
type wholeEphemeralModel struct {
	openedModel

	Type       types.String `tfsdk:"type"`
	Data       types.Map    `tfsdk:"data"`
	BinaryData types.Map    `tfsdk:"binary_data"`
}

var wholeEphemeralCodec = codec.Of[wholeEphemeralModel](wholeEphemeralSchema)

func wholeEphemeralSchema(context.Context) schema.Schema {
	values := func(description string) schema.Attribute {
		return schema.MapAttribute{
			Computed: true, Sensitive: true, ElementType: types.StringType,
			MarkdownDescription: description + " Empty if it has none; null if there is no Secret.",
		}
	}
	return schema.Schema{
		MarkdownDescription: "Reads a Secret for this run alone, or says that it does not exist. Terraform stores nothing of it.",
		Attributes: openedAttributes("Whether the Secret exists.", map[string]schema.Attribute{
			"type":        schema.StringAttribute{Computed: true, MarkdownDescription: "Type of the Secret. Null if there is no Secret."},
			"data":        values("Keys with text, and their values."),
			"binary_data": values("Keys with bytes that are no UTF-8 or no NFC, which Terraform would change, and their values in base64."),
		}),
	}
}

// Fill implements [adapter.FoundModel].
func (m *wholeEphemeralModel) Fill(seen *cas.Observation) {
	if !seen.Exists() {
		return // all is null
	}
	entries := seen.Entries()
	for key, e := range entries {
		entries[key] = readable(e)
	}
	texts, others := adapter.MapsOf(entries)
	m.Type = types.StringValue(seen.Type())
	m.Data, m.BinaryData = adapter.MapOf(texts), adapter.MapOf(others)
}
