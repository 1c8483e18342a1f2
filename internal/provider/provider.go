// Package provider is the Terraform side of compare-and-swap for Kubernetes: it decodes configurations, calls
// package cas, and turns what that says into state and diagnostics.
package provider

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/configmap"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/connect"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/object"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/secret"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ provider.Provider                       = (*casProvider)(nil)
	_ provider.ProviderWithActions            = (*casProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*casProvider)(nil)
	_ provider.ProviderWithListResources      = (*casProvider)(nil)
)

type casProvider struct {
	version     string
	environment connect.Environment
	made        func(*cas.Engine)
}

// engines has the engines of all providers of one factory.
type engines struct {
	mu  sync.Mutex
	all []*cas.Engine
}

// New returns a factory of the provider, as providerserver wants it, and what ends the requests of all that it made.
// getenv looks environment variables up, as os.Getenv does.
func New(version string, getenv func(string) string) (factory func() provider.Provider, closeAll func()) {
	var made engines
	e := connect.Process()
	e.Getenv = getenv
	return func() provider.Provider {
		p := newProvider(version, e)
		p.made = made.add
		return p
	}, made.close
}

func newProvider(version string, e connect.Environment) *casProvider {
	return &casProvider{version: version, environment: e, made: func(*cas.Engine) {}}
}

func (e *engines) add(engine *cas.Engine) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, engine)
}

func (e *engines) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, engine := range e.all {
		engine.Close()
	}
}

func (p *casProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "cas"
	resp.Version = p.version
}

func (p *casProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

// Configure builds the client and sends no request. The resource that needs an unreachable cluster reports the error.
func (p *casProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model connect.Model
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}

	run, diags := p.settings(model)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(checkDefaults(model.Defaults)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if req.Config.Raw.IsFullyKnown() {
		run.Engine, diags = p.newEngine(ctx, model)
		resp.Diagnostics.Append(diags...)
		if resp.Diagnostics.HasError() {
			return
		}
	} else {
		tflog.Debug(ctx, "the provider's configuration is not wholly known yet: nothing is checked against the cluster")
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
		}
	}

	resp.ResourceData = run
	resp.DataSourceData = run
	resp.ActionData = run
	resp.EphemeralResourceData = run
	resp.ListResourceData = run
}

// settings is the part of the configuration that needs no client. An unknown argument gets the careful
// value.
func (p *casProvider) settings(model connect.Model) (*session.Session, diag.Diagnostics) {
	check, diags := p.environment.PlanCheck(model.PlanCheck)
	dryRun, more := p.environment.PlanDryRun(model.PlanDryRun)
	diags.Append(more...)
	run := &session.Session{
		FieldManager: terms.DefaultFieldManager,
		HideValues:   model.HideValues.IsUnknown() || model.HideValues.ValueBool(),
		PlanCheck:    check,
		Rehearsal:    cas.CheckMode(dryRun),
		Defaults:     terms.DefaultsOf(model.Defaults),
	}
	if manager := model.FieldManager.ValueString(); manager != "" {
		run.FieldManager = manager
	}
	return run, diags
}

// checkDefaults refuses defaults that are not known at plan: each plan of a resource shows the values in force.
func checkDefaults(defaults types.Object) diag.Diagnostics {
	const problem = "the value must be known at plan; use a literal or an input variable, not an attribute of a resource"
	at := path.Root("defaults")
	if defaults.IsUnknown() {
		return diag.Diagnostics{message.InvalidProviderArgument.Problem(at, problem)}
	}
	for _, name := range slices.Sorted(maps.Keys(defaults.Attributes())) {
		if defaults.Attributes()[name].IsUnknown() {
			return diag.Diagnostics{message.InvalidProviderArgument.Problem(at.AtName(name), problem)}
		}
	}
	return nil
}

func (p *casProvider) newEngine(ctx context.Context, model connect.Model) (*cas.Engine, diag.Diagnostics) {
	config, diags := p.environment.ClientConfig(ctx, model, "terraform-provider-cas/"+p.version)
	if diags.HasError() {
		return nil, diags
	}
	tflog.Debug(ctx, "configured the Kubernetes client", map[string]any{"host": config.Host})

	engine, err := cas.New(config, traceSwap)
	if err != nil {
		diags.Append(connect.UnusableClient(path.Empty(), err))
		return nil, diags
	}
	p.made(engine)
	return engine, diags
}

func (p *casProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		configmap.NewEntry,
		configmap.NewCounter,
		configmap.NewAllocation,
		configmap.NewConfigMap,
		configmap.NewData,
		object.NewFields,
		object.NewDocument,
		secret.NewEntry,
		secret.NewData,
		secret.NewSecret,
	}
}

func (p *casProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		secret.NewSecretEphemeral,
		secret.NewEntryEphemeral,
	}
}

func (p *casProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		configmap.NewConfigMapSource,
		configmap.NewEntrySource,
		configmap.NewAllocationsSource,
		object.NewSource,
		object.NewDocumentSource,
	}
}

func (p *casProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		configmap.NewSwap,
		object.NewSwap,
	}
}

func (p *casProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		configmap.NewConfigMapList,
		configmap.NewEntryList,
	}
}

// traceSubsystem is the name of package cas in the log. The environment variable TF_LOG_PROVIDER_CAS_ENGINE sets its
// level, which is otherwise the level of the provider.
const traceSubsystem = "cas"

// traceSwap logs the result of one call into package cas, and never values.
func traceSwap(ctx context.Context, e cas.Event) {
	ctx = tflog.NewSubsystem(ctx, traceSubsystem, tflog.WithLevelFromEnv("TF_LOG_PROVIDER_CAS_ENGINE"))
	tflog.SubsystemDebug(ctx, traceSubsystem, e.Operation, map[string]any{
		"configmap": e.Ref.String(),
		"key":       e.Key,
		"attempts":  e.Attempts,
		"batch":     e.Batch,
		"verdict":   string(e.Verdict),
		"ms":        e.Duration.Milliseconds(),
	})
}
