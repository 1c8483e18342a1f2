package driver

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver/values"
)

// Workspace is a configuration and a state, as a folder is to a command line. One command at a time.
type Workspace struct {
	Profile Profile
	// Providers by local name. terraform_data is there without one.
	Providers map[string]Start
	// Sources are the providers' addresses, for moves between them.
	Sources map[string]string
	// Env is the environment of the providers.
	Env map[string]string
	// Validate says when providers are asked whether a configuration is valid.
	Validate Validation
	// Heard, if it is not nil, gets the output of each command.
	Heard func(Diagnostics)
	// Parallelism is how many operations a walk does at a time, 10 by default.
	Parallelism int

	source string
	state  state

	mu    sync.Mutex
	seen  map[string]*schemas
	valid map[string]bool // what was validated, with the environment, and nothing was said
}

// Result holds the output of a command, and how the command ended.
type Result struct {
	Diagnostics Diagnostics
	Done        []string // of an apply, what was written and removed
	Plan        *Plan    // of a plan that succeeded
	// ExitCode is 0, 1 for an error, or 2 for a plan with changes, as with -detailed-exitcode.
	ExitCode int
}

// String returns the output of the command.
func (r *Result) String() string {
	s := strings.Join(append(r.Done, ""), "\n")
	if r.Plan != nil {
		s = r.Plan.String()
	}
	return s + r.Diagnostics.String()
}

func (w *Workspace) ended(diags Diagnostics) *Result {
	if w.Heard != nil {
		w.Heard(diags)
	}
	r := &Result{Diagnostics: diags}
	if diags.HasErrors() {
		r.ExitCode = 1
	}
	return r
}

// Write makes source the configuration.
func (w *Workspace) Write(source string) { w.source = source }

func (w *Workspace) getenv(name string) string { return w.Env[name] }

func (w *Workspace) parallelism() int {
	if w.Parallelism > 0 {
		return w.Parallelism
	}
	return 10
}

func (w *Workspace) sourceOf(name string) string { return w.Sources[name] }

// schemas returns the schemas of a provider, which is asked once.
func (w *Workspace) schemas(ctx context.Context, typ string, server tfprotov6.ProviderServer) (*schemas, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.seen[typ]; s != nil {
		return s, nil
	}
	s, err := schemasOf(ctx, server, w.Profile)
	if err != nil {
		return nil, err
	}
	if w.seen == nil {
		w.seen = map[string]*schemas{}
	}
	w.seen[typ] = s
	return s, nil
}

// typeOf is the type of a managed resource's values. Its provider has been started before.
func (w *Workspace) typeOf(typ string) cty.Type {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.seen {
		if schema := s.ResourceSchemas[typ]; schema != nil {
			return values.TypeOfSchema(schema)
		}
	}
	panic("no provider has served " + typ)
}

func (w *Workspace) parsed(variables map[string]string) (*configuration, Diagnostics) {
	config, diags := parse(w.source)
	if !diags.HasErrors() {
		diags = append(diags, config.setVariables(variables)...)
	}
	return config, fromHCL("", diags)
}

// MakePlan plans, and saves nothing: the plan is in the result.
func (w *Workspace) MakePlan(ctx context.Context, o Options) *Result {
	config, diags := w.parsed(o.Variables)
	if diags.HasErrors() {
		return w.ended(diags)
	}
	if w.Validate != ValidateUse {
		invalid := w.validated(w.source+fmt.Sprint(o.Variables), func() Diagnostics {
			validation := w.walk(config, &state{}, false)
			validation.validate(ctx)
			return validation.diags
		})
		if invalid.HasErrors() {
			return w.ended(invalid)
		}
	}
	p, more := w.makePlan(ctx, config, &w.state, o)
	r := w.ended(append(diags, more...))
	if r.ExitCode == 0 {
		r.Plan = p
		if p.HasChanges() {
			r.ExitCode = 2
		}
	}
	return r
}

// Apply applies a plan, unless the state has changed since it was made.
func (w *Workspace) Apply(ctx context.Context, p *Plan) *Result {
	if p.serial != w.state.serial {
		return w.ended(Diagnostics{{IsError: true, Summary: "Saved plan is stale"}})
	}
	for name := range p.config.ephemeral { // no plan has their values
		if value, isGiven := w.Env["TF_VAR_"+name]; isGiven {
			p.config.variables[name] = cty.StringVal(value)
		}
	}
	after, done, diags := w.applyPlan(ctx, p)
	w.save(after)
	r := w.ended(diags)
	r.Done = done
	return r
}

// Refresh is the command of this name: a plan that keeps only its refresh.
func (w *Workspace) Refresh(ctx context.Context, o Options) *Result {
	r := w.MakePlan(ctx, o)
	if r.Plan != nil {
		w.save(r.Plan.state)
		r.Plan, r.ExitCode = nil, 0
	}
	return r
}

// save keeps a state. Each one makes the plans before it stale; on a command line, only one that differs does.
func (w *Workspace) save(s *state) {
	s.serial = w.state.serial + 1
	w.state = *s
}

// Import is the command of this name: an object comes into the state as it is.
func (w *Workspace) Import(ctx context.Context, address, id string) *Result {
	config, diags := w.parsed(nil)
	if diags.HasErrors() {
		return w.ended(diags)
	}
	k := w.walk(config, &w.state, false)
	defer k.end()
	in := &instance{block: config.blocks[blockOf(address)]}
	if in.block == nil || in.name() != address {
		panic("no block to import into: " + address)
	}
	server, diags := k.process(ctx, in.provider)
	if diags.HasErrors() {
		return w.ended(diags)
	}
	l, diags := server.importState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: in.typ, ID: id})
	if diags.HasErrors() {
		return w.ended(diags)
	}
	if l, diags = server.read(ctx, address, in.typ, l); diags.HasErrors() {
		return w.ended(diags)
	}
	if l.isNull() {
		return w.ended(Diagnostics{{IsError: true, Summary: "Cannot import non-existent remote object", Detail: "While attempting to import an existing object to " + address + ", the provider detected that no object exists with the given id."}})
	}
	k.set(address, server.stored(in, l, in.references))
	w.save(k.state)
	return w.ended(diags)
}

// Taint marks an object as to be replaced, or takes that back.
func (w *Workspace) Taint(address string, tainted bool) {
	s := w.state.clone()
	o := *s.slots[address].current
	o.tainted = tainted
	s.slots[address].current = &o
	w.save(s)
}

// Forget removes an object from the state alone.
func (w *Workspace) Forget(address string) {
	s := w.state.clone()
	delete(s.slots, address)
	w.save(s)
}

// Put puts into the state an object that no command has brought there. Its attributes are JSON.
func (w *Workspace) Put(address, typ, attributes string) {
	s := w.state.clone()
	provider, _, _ := strings.Cut(typ, "_")
	s.slots[address] = &slot{&object{value: []byte(attributes), typ: typ, provider: provider}, map[string]*object{}}
	w.save(s)
}

// Object is one object in the state.
type Object struct {
	Address  string // with an instance key
	Deposed  string // the key of a deposed object
	Type     string
	Value    cty.Value
	Private  []byte // as the provider gave it
	Identity []byte // JSON; nil: none
	Tainted  bool
}

func (o *object) decoded(ty cty.Type) cty.Value {
	v, err := ctyjson.Unmarshal(o.value, ty)
	if err != nil {
		panic(err)
	}
	return v
}

// Objects are all that the state tracks.
func (w *Workspace) Objects() (all []Object) {
	view := func(address, deposed string, o *object) {
		all = append(all, Object{address, deposed, o.typ, o.decoded(w.typeOf(o.typ)), bytes.Clone(o.private), bytes.Clone(o.identity), o.tainted})
	}
	for address, s := range w.state.slots {
		if s.current != nil {
			view(address, "", s.current)
		}
		for key, o := range s.deposed {
			view(address, key, o)
		}
	}
	return all
}

// Outputs returns the outputs of the last apply.
func (w *Workspace) Outputs() map[string]cty.Value { return w.state.outputs }

// Data are the data sources that the last command read, by address.
func (w *Workspace) Data() map[string]cty.Value { return w.state.data }

// slot is the content of a state under an address.
type slot struct {
	current *object
	deposed map[string]*object
}

// state is kept from one command to the next.
type state struct {
	serial  int
	slots   map[string]*slot
	outputs map[string]cty.Value
	data    map[string]cty.Value // of the last walk
}

func (s *state) clone() *state {
	c := &state{serial: s.serial, slots: map[string]*slot{}, outputs: maps.Clone(s.outputs), data: map[string]cty.Value{}}
	for address, was := range s.slots {
		c.slots[address] = &slot{was.current, maps.Clone(was.deposed)}
	}
	return c
}

// blockOf is the address of the block of an instance.
func blockOf(address string) string {
	block, _, _ := strings.Cut(address, "[")
	return block
}

func (k *walk) current(address string) *object {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.state.slots[address]; s != nil {
		return s.current
	}
	return nil
}

// set puts an object into the state; nil removes it.
func (k *walk) set(address string, o *object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.state.slots[address]
	if s == nil {
		s = &slot{deposed: map[string]*object{}}
		k.state.slots[address] = s
	}
	s.current = o
	if o == nil && len(s.deposed) == 0 {
		delete(k.state.slots, address)
	}
}

// know makes the values of a block known to what comes after it.
func (k *walk) know(address string, v cty.Value) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.values[address] = v
}

// fromState returns the values in the state of blocks that need no action.
func (k *walk) fromState(types func(typ string) cty.Type) {
	byBlock := map[string][]string{}
	for address, s := range k.state.slots {
		if s.current != nil {
			byBlock[blockOf(address)] = append(byBlock[blockOf(address)], address)
		}
	}
	for b, addresses := range byBlock {
		slices.Sort(addresses)
		byKey, values := map[string]cty.Value{}, []cty.Value{}
		for _, address := range addresses {
			o := k.state.slots[address].current
			v, err := ctyjson.Unmarshal(o.value, types(o.typ))
			if err != nil {
				panic(err)
			}
			values = append(values, v)
			byKey[strings.Trim(strings.TrimPrefix(address, b), `["]`)] = v
		}
		switch {
		case addresses[0] == b:
			k.values[b] = values[0]
		case strings.Contains(addresses[0], `["`):
			k.values[b] = cty.ObjectVal(byKey)
		default:
			ordered := make([]cty.Value, len(values))
			for i := range ordered {
				if v, ok := byKey[fmt.Sprint(i)]; ok {
					ordered[i] = v
				} else {
					ordered[i] = cty.DynamicVal
				}
			}
			k.values[b] = cty.TupleVal(ordered)
		}
	}
}
