package resource

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Found has the attributes that all data sources and ephemeral resources share.
type Found struct {
	Named
	Versioned

	Exists   types.Bool   `tfsdk:"exists"`
	Timeouts types.Object `tfsdk:"timeouts"`
}

// Shared returns the attributes that all such models have.
func (m *Found) Shared() *Found { return m }

// Locate implements [FoundModel].
func (m *Found) Locate(kind eval.Kind) message.Subject {
	ref := m.RefWithDefault()
	ref.Kind, m.Namespace = kind, types.StringValue(ref.Namespace)
	return message.Subject{ID: terms.EntryID{Ref: ref}}
}

// FoundKey adds the attribute that names one key.
type FoundKey struct {
	Found

	Key types.String `tfsdk:"key"`
}

// Locate implements [FoundModel].
func (m *FoundKey) Locate(kind eval.Kind) message.Subject {
	about := m.Found.Locate(kind)
	about.ID.Key = m.Key.ValueString()
	return about
}

// FoundEntry adds the value of one key.
type FoundEntry struct {
	FoundKey

	Value       types.String `tfsdk:"value"`
	ValueBase64 types.String `tfsdk:"value_base64"`
}

// FoundModel is the model of a data source or of an ephemeral resource.
type FoundModel[M any] interface {
	*M
	Shared() *Found
	// Locate names the object to read.
	Locate(kind eval.Kind) message.Subject
	// Fill stores the result of a read. A missing object is no error, because an error would block a destroy.
	Fill(ctx context.Context, seen *eval.Snapshot, about message.Subject) diag.Diagnostics
}

// finder is the part that data sources and ephemeral resources share.
type finder[M any, P FoundModel[M]] struct {
	Modeled[M]

	noun string // what it is: "data source"
}

// find reads the object that the configuration names into a result. It never reuses an earlier read, since the
// configuration may expect the result of a write. If the provider's configuration is unknown and the client allows it,
// the framework has deferred the read already.
func (f *finder[M, P]) find(
	ctx context.Context, config tftypes.Value, result *tftypes.Value,
) (diags diag.Diagnostics) {
	m := P(f.Decode(ctx, config, &diags))
	found := m.Shared()
	timeout, more := attributes.Limit(ctx, found.Timeouts)
	if diags.Append(more...); diags.HasError() {
		return diags
	}
	if !f.Session.Configured() {
		return diag.Diagnostics{message.ProviderNotConfigured.With(message.Detail(
			"The provider's configuration is not known yet. Nothing was read.", nil,
			"Add a depends_on to the "+f.noun+" that names what the provider's configuration comes from."))}
	}
	about := m.Locate(f.Kind)
	about.Noun, about.Op, about.Ways.Grant = about.ID.Kind.String(), terms.OpRead, "get"
	if about.Hide = message.HideIf(f.Session.Hides(types.BoolNull())); f.Kind == eval.Secret {
		about.Hide = message.ShowNothing
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	seen, err := f.Session.Engine.Observe(ctx, about.ID.Ref, about.APIVersion, 0)
	if err != nil {
		return diag.Diagnostics{about.Diagnose(err)}
	}
	isFound := seen.Exists() && (about.ID.Key == "" || !seen.Value(about.ID.Key).IsAbsent())
	found.Exists = types.BoolValue(isFound)
	if seen.Exists() {
		found.SetVersion(seen.Version())
	}
	if diags.Append(m.Fill(ctx, seen, about)...); diags.HasError() {
		return diags
	}
	return append(diags, f.Codec().Encode(ctx, *m, result)...)
}

type dataSource[M any, P FoundModel[M]] struct{ finder[M, P] }

// NewSource returns a data source.
func NewSource[M any, P FoundModel[M]](
	name string, kind eval.Kind, definition func(context.Context) schema.Schema,
) datasource.DataSourceWithConfigure {
	return &dataSource[M, P]{finder[M, P]{NewModeled[M](name, kind, definition), "data source"}}
}

func (s *dataSource[M, P]) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_" + s.Name
}

func (s *dataSource[M, P]) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	Describe(ctx, s.Definition, &resp.Schema.MarkdownDescription, &resp.Schema.Attributes)
}

func (s *dataSource[M, P]) Configure(
	_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse,
) {
	resp.Diagnostics.Append(s.Connect(req.ProviderData)...)
}

func (s *dataSource[M, P]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(s.find(ctx, req.Config.Raw, &resp.State.Raw)...)
}

type ephemeralResource[M any, P FoundModel[M]] struct{ finder[M, P] }

// NewEphemeral returns an ephemeral resource.
func NewEphemeral[M any, P FoundModel[M]](
	name string, kind eval.Kind, definition func(context.Context) schema.Schema,
) ephemeral.EphemeralResourceWithConfigure {
	return &ephemeralResource[M, P]{finder[M, P]{NewModeled[M](name, kind, definition), "ephemeral resource"}}
}

func (e *ephemeralResource[M, P]) Metadata(
	_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_" + e.Name
}

func (e *ephemeralResource[M, P]) Schema(
	ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse,
) {
	Describe(ctx, e.Definition, &resp.Schema.MarkdownDescription, &resp.Schema.Attributes)
}

func (e *ephemeralResource[M, P]) Configure(
	_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse,
) {
	resp.Diagnostics.Append(e.Connect(req.ProviderData)...)
}

func (e *ephemeralResource[M, P]) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	resp.Diagnostics.Append(e.find(ctx, req.Config.Raw, &resp.Result.Raw)...)
}
