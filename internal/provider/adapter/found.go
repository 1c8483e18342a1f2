package adapter

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Found is what data sources and ephemeral resources say of any object.
type Found struct {
	Observed

	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Exists    types.Bool   `tfsdk:"exists"`
}

// Shared is what was found itself.
func (m *Found) Shared() *Found { return m }

// About is the key that all is about; none here.
func (*Found) About() string { return "" }

// FoundEntry is what they say of one key, beside Found.
type FoundEntry struct {
	Key         types.String `tfsdk:"key"`
	Value       types.String `tfsdk:"value"`
	ValueBase64 types.String `tfsdk:"value_base64"`
}

// About is the key.
func (m *FoundEntry) About() string { return m.Key.ValueString() }

// FoundModel is the model of a data source or of an ephemeral resource.
type FoundModel[M any] interface {
	*M
	Shared() *Found
	// About is the key that all is about; empty where it is the whole object.
	About() string
	Timeout(ctx context.Context) (time.Duration, diag.Diagnostics)
	// Fill takes in what a read found. What is absent is no error: it would block a destroy.
	Fill(seen *cas.Observation)
}

// foundWrong is a FoundModel that may find what it cannot take in.
type foundWrong interface {
	// Wrong says what is wrong with what Fill was given, or with the configuration.
	Wrong(ctx context.Context, id terms.EntryID, hide diagnose.Hiding) diag.Diagnostics
}

// Finder implements data sources and ephemeral resources.
type Finder[M any, P FoundModel[M]] struct {
	Connection

	Noun  string // what it is: "data source"
	Kind  cas.Kind
	Codec func() *codec.Codec[M]
}

// Find reads the object that the configuration names, and puts what it found into a result. It never reuses an earlier read, since a write
// may be judged by the result.
func (f *Finder[M, P]) Find(ctx context.Context, config tftypes.Value, result *tftypes.Value) diag.Diagnostics {
	decoded, diags := f.Codec().Decode(ctx, config)
	m := P(&decoded)
	timeout, more := m.Timeout(ctx)
	diags.Append(more...)
	if diags.HasError() {
		return diags
	}
	if !f.Run.Configured() {
		return diag.Diagnostics{diagnose.TitleProviderNotConfigured.With(diagnose.Detail(
			"The provider's configuration is not known yet. Nothing was read.", nil,
			"Add a depends_on to the "+f.Noun+" that names what the provider's configuration comes from."))}
	}
	found := m.Shared()
	if found.Namespace.IsNull() { // the framework has no defaults here
		found.Namespace = types.StringValue(terms.DefaultNamespace)
	}
	id := terms.EntryID{Ref: cas.Ref{Kind: f.Kind, Namespace: found.Namespace.ValueString(), Name: found.Name.ValueString()}, Key: m.About()}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	seen, err := f.Run.Engine.Observe(ctx, id.Ref, 0)
	if err != nil {
		about := diagnose.Subject{
			ID: id, Noun: f.Kind.String(), Ways: diagnose.Ways{Grant: "get"}, Op: terms.OpRead, Limit: terms.OpRead,
			Hide: diagnose.HideIf(f.Run.Hides(types.BoolNull())),
		}
		if f.Kind == cas.Secret {
			about.Hide = diagnose.ShowNothing
		}
		return diag.Diagnostics{about.Diagnose(err)}
	}
	found.Exists = types.BoolValue(seen.Exists())
	if seen.Exists() {
		found.SetVersion(seen.Version())
	}
	m.Fill(seen)
	if read, ok := any(m).(foundWrong); ok {
		diags.Append(read.Wrong(ctx, id, diagnose.HideIf(f.Run.Hides(types.BoolNull())))...)
	}
	if diags.HasError() {
		return diags
	}
	return append(diags, f.Codec().Encode(ctx, decoded, result)...)
}
