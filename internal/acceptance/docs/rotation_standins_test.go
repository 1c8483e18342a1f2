package docs

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The providers hashicorp/random and cyrilgdn/postgresql are in no Go module that tests could build, and a test asks no registry for them. These
// have the names and the schemas that the story uses. Neither is about Kubernetes, which is real here as everywhere.

// plainProvider implements the methods that all stand-ins without a configuration share.
type plainProvider struct{ name string }

func (p plainProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = p.name
}

func (plainProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (plainProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (plainProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (plainProvider) Resources(context.Context) []func() resource.Resource { return nil }

// randomStandIn has ephemeral passwords.
type randomStandIn struct{ plainProvider }

func (randomStandIn) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return passwordStandIn{} }}
}

type passwordStandIn struct{}

func (passwordStandIn) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "random_password"
}

func (passwordStandIn) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = ephemeralschema.Schema{Attributes: map[string]ephemeralschema.Attribute{
		"length":  ephemeralschema.Int64Attribute{Required: true},
		"special": ephemeralschema.BoolAttribute{Optional: true, Computed: true},
		"result":  ephemeralschema.StringAttribute{Computed: true, Sensitive: true},
	}}
}

func (passwordStandIn) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	resp.Result.Raw = req.Config.Raw
	resp.Diagnostics.Append(resp.Result.SetAttribute(ctx, path.Root("result"), rand.Text()+rand.Text())...)
}

// postgresStandIn has roles, and notes the passwords that they got.
type postgresStandIn struct {
	plainProvider

	mu        sync.Mutex
	passwords []string
	fails     bool // to set the next password
}

func (p *postgresStandIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &roleStandIn{p} }}
}

// got returns the passwords that roles got since it was last called.
func (p *postgresStandIn) got() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	passwords := p.passwords
	p.passwords = nil
	return passwords
}

type roleStandIn struct{ of *postgresStandIn }

func (*roleStandIn) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "postgresql_role"
}

func (*roleStandIn) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name":                schema.StringAttribute{Required: true},
		"login":               schema.BoolAttribute{Optional: true},
		"password_wo":         schema.StringAttribute{Optional: true, WriteOnly: true, Sensitive: true},
		"password_wo_version": schema.StringAttribute{Optional: true},
	}}
}

// alter notes the password of the configuration, unless it fails.
func (r *roleStandIn) alter(ctx context.Context, config tfsdk.Config) (diags diag.Diagnostics) {
	var password types.String
	diags.Append(config.GetAttribute(ctx, path.Root("password_wo"), &password)...)
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if r.of.fails {
		r.of.fails = false
		diags.AddError("The database cannot be reached", "")
		return diags
	}
	r.of.passwords = append(r.of.passwords, password.ValueString())
	return diags
}

func (r *roleStandIn) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	if resp.Diagnostics = r.alter(ctx, req.Config); !resp.Diagnostics.HasError() {
		resp.State.Raw = req.Plan.Raw
	}
}

func (r *roleStandIn) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	if resp.Diagnostics = r.alter(ctx, req.Config); !resp.Diagnostics.HasError() {
		resp.State.Raw = req.Plan.Raw
	}
}

func (*roleStandIn) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*roleStandIn) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func rotationStandIns() (map[string]provider.Provider, *postgresStandIn) {
	postgres := &postgresStandIn{plainProvider: plainProvider{"postgresql"}}
	return map[string]provider.Provider{"hashicorp/random": randomStandIn{plainProvider{"random"}}, "cyrilgdn/postgresql": postgres}, postgres
}
