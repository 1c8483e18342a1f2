package driver

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/builtin"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/values"
)

// walk is one walk over a graph, with providers of its own.
type walk struct {
	w        *Workspace
	config   *configuration
	deferral bool

	mu        sync.Mutex
	processes map[string]*starting
	values    map[string]cty.Value // of blocks that are done
	state     *state
	diags     Diagnostics
	moved     []string // addresses that moved blocks moved to
	done      []string // messages of an apply about each object that it has finished
}

// starting is a process that is started by the first who needs it.
type starting struct {
	once  sync.Once
	p     *process
	diags Diagnostics
}

func (w *Workspace) walk(config *configuration, s *state, deferral bool) *walk {
	return &walk{
		w: w, config: config, deferral: deferral, state: s.clone(), processes: map[string]*starting{}, values: map[string]cty.Value{},
	}
}

// end ends the providers.
func (k *walk) end() {
	for _, s := range k.processes {
		if s.p != nil {
			s.p.end()
		}
	}
}

// scope returns the values that expressions can refer to by now.
func (k *walk) scope() *scope {
	k.mu.Lock()
	defer k.mu.Unlock()
	return &scope{k.config, maps.Clone(k.values)}
}

// scopeOf returns the known values of the blocks that a block refers to.
func (k *walk) scopeOf(b *block) *scope {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := &scope{k.config, map[string]cty.Value{}}
	for _, address := range b.references {
		if v, ok := k.values[address]; ok {
			s.values[address] = v
		}
	}
	return s
}

// process is the provider of a configuration, started and configured.
func (k *walk) process(ctx context.Context, name string) (*process, Diagnostics) {
	k.mu.Lock()
	s := k.processes[name]
	if s == nil {
		s = &starting{}
		k.processes[name] = s
	}
	k.mu.Unlock()
	first := false
	s.once.Do(func() {
		first = true
		s.p, s.diags = k.configure(ctx, name)
	})
	if !first && s.diags.HasErrors() {
		return nil, Diagnostics{{IsError: true, Summary: "the provider is not configured"}}.hidden()
	}
	if s.diags.HasErrors() {
		return nil, s.diags
	}
	if first {
		return s.p, s.diags
	}
	return s.p, nil
}

// upgraded is an object of the state as its provider has it now, and that provider.
func (k *walk) upgraded(ctx context.Context, address string, o *object) (server *process, prior *live, failed bool) {
	server, diags := k.process(ctx, o.provider)
	if k.report(diags) {
		return nil, nil, true
	}
	prior, diags = server.upgrade(ctx, address, o)
	return server, prior, k.report(diags)
}

func (k *walk) start(ctx context.Context, name string) (*process, error) {
	typ, _, _ := strings.Cut(name, ".")
	start := k.w.Providers[typ]
	if typ == "terraform" {
		start = builtin.Start
	}
	if start == nil {
		panic("no provider " + typ)
	}
	server, end := start(k.w.getenv)
	p := &process{server: server, end: end, deferral: k.deferral}
	var err error
	if p.schemas, err = k.w.schemas(ctx, typ, server); err != nil {
		end()
		return nil, err
	}
	return p, nil
}

func (k *walk) configure(ctx context.Context, name string) (*process, Diagnostics) {
	p, err := k.start(ctx, name)
	if err != nil {
		return nil, answered("", nil, err)
	}
	ty := values.TypeOfSchema(p.schemas.Provider)
	b := k.config.providers[name]
	if b == nil {
		b = &block{address: name, kind: "provider", body: &hclsyntax.Body{}}
	}
	v, _, more := decode(b, p.schemas.Provider, k.scopeOf(b).context(nil))
	diags := fromHCL("", more)
	if diags.HasErrors() {
		return p, diags
	}
	if diags = append(diags, k.validateProvider(ctx, p, b, v)...); diags.HasErrors() {
		return p, diags
	}
	p.configured = true
	configured, err := p.server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.4", Config: values.Encode(v, ty),
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: k.deferral},
	})
	if err != nil {
		return p, append(diags, answered("", nil, err)...)
	}
	return p, append(diags, k.placed(b, "", answered("", configured.Diagnostics, nil))...)
}

// hidden marks diagnostics that another one has said already.
func (d Diagnostics) hidden() Diagnostics {
	for i := range d {
		d[i].Address = hiddenAddress
	}
	return d
}

const hiddenAddress = "\x00"

// report takes diagnostics, and reports whether there is an error among them.
func (k *walk) report(d Diagnostics) (failed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, diag := range d {
		if diag.Address == hiddenAddress {
			continue
		}
		if k.config.blocks[blockOf(diag.Address)] == nil {
			diag.Address = "" // both command lines name a resource by its block
		}
		k.diags = append(k.diags, diag)
	}
	return d.HasErrors()
}

// placed says where in the configuration diagnostics are about.
func (k *walk) placed(b *block, address string, diags Diagnostics) Diagnostics {
	for i := range diags {
		if address != "" {
			diags[i].Address = address
		}
		if b == nil || b.rng.Filename == "" {
			continue
		}
		at := b.rng
		if body, ok := b.body.(*hclsyntax.Body); ok && diags[i].attribute != nil {
			if steps := diags[i].attribute.Steps(); len(steps) > 0 {
				if name, ok := steps[0].(tftypes.AttributeName); ok && body.Attributes[string(name)] != nil {
					at = body.Attributes[string(name)].SrcRange
				}
			}
		}
		diags[i].place = k.place(b, at)
	}
	return diags
}

func (k *walk) place(b *block, at hcl.Range) string {
	name := strings.Split(strings.TrimPrefix(b.address, "data."), ".")
	what := fmt.Sprintf("%s %q %q", b.kind, name[0], name[len(name)-1])
	if b.kind == "provider" {
		what = fmt.Sprintf("provider %q", name[0])
	}
	line := strings.Split(string(k.config.source), "\n")[at.Start.Line-1]
	return fmt.Sprintf("on main.tf line %d, in %s:\n  %d: %s", at.Start.Line, what, at.Start.Line, strings.TrimSpace(line))
}

// node is one thing to do.
type node struct {
	after []string
	do    func(ctx context.Context) (failed bool)
}

// run does all nodes, each after those that it comes after, and none after one that failed.
func (k *walk) run(ctx context.Context, nodes map[string]*node) {
	type ending struct {
		ended  chan struct{}
		failed bool
	}
	endings := map[string]*ending{}
	for name := range nodes {
		endings[name] = &ending{ended: make(chan struct{})}
	}
	slots := make(chan struct{}, k.w.parallelism())
	var all sync.WaitGroup
	for name, n := range nodes {
		all.Go(func() {
			own := endings[name]
			defer close(own.ended)
			for _, before := range n.after {
				if e := endings[before]; e != nil && e != own {
					<-e.ended
					own.failed = own.failed || e.failed
				}
			}
			if own.failed || ctx.Err() != nil || n.do == nil {
				return
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			own.failed = n.do(ctx)
		})
	}
	all.Wait()
}

// evaluate is the configuration of an instance.
func (k *walk) evaluate(p *process, in *instance) (cty.Value, bool) {
	v, sensitive, diags := decode(in.block, p.schemas.of(in.block), k.scopeOf(in.block).context(in.extra))
	in.sensitive = sensitive
	return v, k.report(k.placed(in.block, in.name(), fromHCL(in.name(), diags)))
}

// readData reads a data source.
func (k *walk) readData(ctx context.Context, p *process, in *instance, config cty.Value) (cty.Value, bool) {
	ty := values.TypeOfSchema(p.schemas.of(in.block))
	resp, err := p.server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: in.typ, Config: values.Encode(config, ty),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: k.deferral},
	})
	if err != nil {
		return cty.NilVal, k.report(answered(in.name(), nil, err))
	}
	if k.report(k.placed(in.block, in.name(), answered(in.name(), resp.Diagnostics, nil))) {
		return cty.NilVal, true
	}
	v, err := values.Decode(resp.State, ty)
	failed := k.report(answered(in.name(), nil, err))
	if !failed {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.state.data[in.name()] = v
	}
	return v, failed
}
