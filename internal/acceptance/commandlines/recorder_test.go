package commandlines

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// call is a request to a provider. The response is not recorded.
type call struct {
	ID      string // tells calls apart, also those of other processes
	Process string
	RPC     string
	Subject string // type, name and key of the object
	Said    string // its values
	Private string // ID of the call that answered the private state; empty: there is none
	Has     bool   // private state belongs to this kind of call
}

// recorder stands between a provider and what calls it, and writes the calls down. It wraps each private state that the provider
// answers, to know it when it comes back.
type recorder struct {
	tfprotov6.ProviderServer

	process string
	getenv  func(string) string
	note    func(call)
	calls   atomic.Int64

	schemas    *tfprotov6.GetProviderSchemaResponse
	identities *tfprotov6.GetResourceIdentitySchemasResponse
}

func newRecorder(inner tfprotov6.ProviderServer, process string, getenv func(string) string, note func(call)) *recorder {
	schemas, err := inner.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	identities, err := inner.GetResourceIdentitySchemas(context.Background(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		panic(err)
	}
	return &recorder{ProviderServer: inner, process: process, getenv: getenv, note: note, schemas: schemas, identities: identities}
}

// recordTo names the file that a plugin writes its calls to. Where it is set, this test binary is a plugin.
const recordTo = "RECORD_CALLS_TO"

// failsAfter names a call that fails although what it was to do is done, where it is about the subject.
const failsAfter = "RECORDED_CALL_FAILS"

// serveRecorded is the main function of a recorded plugin: each process that a command line starts is one of its own.
func serveRecorded(path string) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	start := fixture.StartProvider
	if filepath.Base(os.Args[0]) == standInBinary {
		start = (&fixture.KubernetesStandIn{}).Start
	}
	server, end := start(os.Getenv)
	defer end()
	process := fmt.Sprint(os.Getpid(), "@", time.Now().UnixNano()) // an id comes again
	r := newRecorder(server, process, os.Getenv, func(c call) {
		line, err := json.Marshal(c)
		if err == nil {
			_, err = file.Write(append(line, '\n')) // one write, so lines do not mix
		}
		if err != nil {
			panic(err)
		}
	})
	if err := tf6server.Serve("registry.terraform.io/terraform-cas/cas", func() tfprotov6.ProviderServer { return r }); err != nil {
		panic(err)
	}
}

// recordedCalls returns the calls of a process that writes to path, and empties the file.
func recordedCalls(path string) (all []call) {
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	for line := range strings.Lines(string(raw)) {
		c := call{}
		if err == nil {
			err = json.Unmarshal([]byte(line), &c)
		}
		all = append(all, c)
	}
	if err != nil {
		panic(err)
	}
	return all
}

// recordedStart is start for the driver, with a recorder in between.
func recordedStart(start driver.Start, note func(call)) driver.Start {
	var processes atomic.Int64
	return func(getenv func(string) string) (tfprotov6.ProviderServer, func()) {
		server, end := start(getenv)
		return newRecorder(server, fmt.Sprintf("%p-%d", &processes, processes.Add(1)), getenv, note), end
	}
}

// callLog keeps the calls of this process.
type callLog struct {
	mu  sync.Mutex
	all []call
}

func (l *callLog) add(c call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, c)
}

func (l *callLog) take() []call {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.all
	l.all = nil
	return taken
}

// called writes a call down, and returns its ID.
func (r *recorder) called(c call) string {
	c.Process = r.process
	c.ID = fmt.Sprintf("%s-%d", r.process, r.calls.Add(1))
	r.note(c)
	return c.ID
}

// stamped is a private state that says which call answered it.
type stamped struct {
	By  string
	Was []byte
}

func stamp(by string, private []byte) []byte {
	raw, err := json.Marshal(stamped{by, private})
	if err != nil {
		panic(err)
	}
	return raw
}

// unstamp takes the stamp off.
func unstamp(private *[]byte) (by string) {
	if len(*private) == 0 {
		return ""
	}
	var s stamped
	if err := json.Unmarshal(*private, &s); err != nil {
		panic(err)
	}
	*private = s.Was
	return s.By
}

// fails adds an error to what a call answers, where the test asked for it.
func (r *recorder) fails(rpc, subject string, diags *[]*tfprotov6.Diagnostic) {
	if r.getenv(failsAfter) == rpc+" "+subject {
		*diags = append(*diags, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: "The test has this call fail"})
	}
}

func (r *recorder) resource(typ string, v *tfprotov6.DynamicValue) tftypes.Value {
	return unpacked(v, r.schemas.ResourceSchemas[typ].ValueType())
}

func unpacked(v *tfprotov6.DynamicValue, ty tftypes.Type) tftypes.Value {
	if v == nil {
		return tftypes.NewValue(ty, nil)
	}
	value, err := v.Unmarshal(ty)
	if err != nil {
		panic(err)
	}
	return value
}

// subjectOf tells objects apart by the first of the values that says something.
func subjectOf(typ string, values ...tftypes.Value) string {
	for _, v := range values {
		var attributes map[string]tftypes.Value
		if v.IsNull() || !v.IsKnown() || v.As(&attributes) != nil {
			continue
		}
		id := typ
		for _, name := range []string{"name", "key"} {
			if a, ok := attributes[name]; ok {
				id += " " + strings.Trim(shape(a), `"`)
			}
		}
		return id
	}
	return typ
}

// shape shows the parts of a value that are null, unknown and known. Attributes that are null are left out, and the ones that differ
// from run to run are but known.
func shape(v tftypes.Value) string {
	switch {
	case !v.IsKnown():
		return "?"
	case v.IsNull():
		return "null"
	case v.Type().Is(tftypes.String):
		var s string
		_ = v.As(&s) // it is a string
		return fmt.Sprintf("%q", s)
	case v.Type().Is(tftypes.Bool):
		var b bool
		_ = v.As(&b) // it is a bool
		return fmt.Sprint(b)
	case v.Type().Is(tftypes.Number):
		var n big.Float
		_ = v.As(&n) // it is a number
		return n.String()
	}
	var elements []tftypes.Value
	if v.As(&elements) == nil {
		all := make([]string, len(elements))
		for i, e := range elements {
			all[i] = shape(e)
		}
		return "[" + strings.Join(all, " ") + "]"
	}
	var attributes map[string]tftypes.Value
	if err := v.As(&attributes); err != nil {
		panic(err)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		switch {
		case a.IsNull():
		case slices.Contains([]string{"resource_version", "expected_resource_version_wo", "uid", "config_path"}, name) && a.IsKnown():
			all = append(all, name+"=known")
		default:
			all = append(all, name+"="+shape(a))
		}
	}
	return "{" + strings.Join(all, " ") + "}"
}

// identity is the shape of an identity; empty: there is none.
func (r *recorder) identity(typ string, v *tfprotov6.ResourceIdentityData) string {
	if v == nil {
		return ""
	}
	return " identity=" + shape(unpacked(v.IdentityData, r.identities.IdentitySchemas[typ].ValueType()))
}

// deferral describes the capabilities of a client.
func deferral(allowed bool) string {
	if allowed {
		return " deferral"
	}
	return ""
}

func (r *recorder) ValidateProviderConfig(
	ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	r.called(call{RPC: "ValidateProviderConfig", Subject: "provider", Said: shape(unpacked(req.Config, r.schemas.Provider.ValueType()))})
	return r.ProviderServer.ValidateProviderConfig(ctx, req)
}

func (r *recorder) ConfigureProvider(
	ctx context.Context, req *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	can := cmp.Or(req.ClientCapabilities, &tfprotov6.ConfigureProviderClientCapabilities{})
	r.called(call{
		RPC: "ConfigureProvider", Subject: "provider",
		Said: shape(unpacked(req.Config, r.schemas.Provider.ValueType())) + deferral(can.DeferralAllowed),
	})
	return r.ProviderServer.ConfigureProvider(ctx, req)
}

func (r *recorder) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	can := cmp.Or(req.ClientCapabilities, &tfprotov6.ValidateResourceConfigClientCapabilities{})
	config := r.resource(req.TypeName, req.Config)
	r.called(call{
		RPC: "ValidateResourceConfig", Subject: subjectOf(req.TypeName, config),
		Said: fmt.Sprint(shape(config), " write-only=", can.WriteOnlyAttributesAllowed),
	})
	return r.ProviderServer.ValidateResourceConfig(ctx, req)
}

func (r *recorder) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	config := unpacked(req.Config, r.schemas.DataSourceSchemas[req.TypeName].ValueType())
	r.called(call{RPC: "ValidateDataResourceConfig", Subject: subjectOf("data."+req.TypeName, config), Said: shape(config)})
	return r.ProviderServer.ValidateDataResourceConfig(ctx, req)
}

func (r *recorder) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	can := cmp.Or(req.ClientCapabilities, &tfprotov6.ReadDataSourceClientCapabilities{})
	config := unpacked(req.Config, r.schemas.DataSourceSchemas[req.TypeName].ValueType())
	r.called(call{RPC: "ReadDataSource", Subject: subjectOf("data."+req.TypeName, config), Said: shape(config) + deferral(can.DeferralAllowed)})
	return r.ProviderServer.ReadDataSource(ctx, req)
}

func (r *recorder) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	state, err := req.RawState.Unmarshal(r.schemas.ResourceSchemas[req.TypeName].ValueType())
	if err != nil {
		return nil, err
	}
	r.called(call{RPC: "UpgradeResourceState", Subject: subjectOf(req.TypeName, state), Said: fmt.Sprint(shape(state), " version=", req.Version)})
	return r.ProviderServer.UpgradeResourceState(ctx, req)
}

func (r *recorder) UpgradeResourceIdentity(
	ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	r.called(call{RPC: "UpgradeResourceIdentity", Subject: req.TypeName, Said: fmt.Sprint("version=", req.Version)})
	return r.ProviderServer.UpgradeResourceIdentity(ctx, req)
}

func (r *recorder) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	can := cmp.Or(req.ClientCapabilities, &tfprotov6.ReadResourceClientCapabilities{})
	state := r.resource(req.TypeName, req.CurrentState)
	was := req.Private
	private := unstamp(&req.Private)
	id := r.called(call{
		RPC: "ReadResource", Subject: subjectOf(req.TypeName, state), Has: true, Private: private,
		Said: "current=" + shape(state) + r.identity(req.TypeName, req.CurrentIdentity) + deferral(can.DeferralAllowed),
	})
	resp, err := r.ProviderServer.ReadResource(ctx, req)
	switch {
	case err != nil:
	case private != "" && bytes.Equal(req.Private, resp.Private): // another stamp would be a change, which -refresh-only shows
		resp.Private = was
	default:
		resp.Private = stamp(id, resp.Private)
	}
	return resp, err
}

func (r *recorder) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	can := cmp.Or(req.ClientCapabilities, &tfprotov6.PlanResourceChangeClientCapabilities{})
	prior, config, proposed := r.resource(req.TypeName, req.PriorState), r.resource(req.TypeName, req.Config), r.resource(req.TypeName, req.ProposedNewState)
	id := r.called(call{
		RPC: "PlanResourceChange", Subject: subjectOf(req.TypeName, prior, config), Has: true, Private: unstamp(&req.PriorPrivate),
		Said: "prior=" + shape(prior) + " config=" + shape(config) + " proposed=" + shape(proposed) + r.identity(req.TypeName, req.PriorIdentity) +
			deferral(can.DeferralAllowed),
	})
	resp, err := r.ProviderServer.PlanResourceChange(ctx, req)
	if err == nil {
		resp.PlannedPrivate = stamp(id, resp.PlannedPrivate)
	}
	return resp, err
}

func (r *recorder) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	prior, config, after := r.resource(req.TypeName, req.PriorState), r.resource(req.TypeName, req.Config), r.resource(req.TypeName, req.PlannedState)
	subject := subjectOf(req.TypeName, prior, config)
	id := r.called(call{
		RPC: "ApplyResourceChange", Subject: subject, Has: true, Private: unstamp(&req.PlannedPrivate),
		Said: "prior=" + shape(prior) + " config=" + shape(config) + " planned=" + shape(after) + r.identity(req.TypeName, req.PlannedIdentity),
	})
	resp, err := r.ProviderServer.ApplyResourceChange(ctx, req)
	if err == nil {
		resp.Private = stamp(id, resp.Private)
		r.fails("ApplyResourceChange", subject, &resp.Diagnostics)
	}
	return resp, err
}

func (r *recorder) ImportResourceState(
	ctx context.Context, req *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	can := cmp.Or(req.ClientCapabilities, &tfprotov6.ImportResourceStateClientCapabilities{})
	_, of, _ := strings.Cut(req.ID, "/")
	id := r.called(call{
		RPC: "ImportResourceState", Subject: req.TypeName + " " + strings.ReplaceAll(of, "/", " "),
		Said: req.ID + r.identity(req.TypeName, req.Identity) + deferral(can.DeferralAllowed),
	})
	resp, err := r.ProviderServer.ImportResourceState(ctx, req)
	if err == nil {
		for _, found := range resp.ImportedResources {
			found.Private = stamp(id, found.Private)
		}
	}
	return resp, err
}

func (r *recorder) MoveResourceState(
	ctx context.Context, req *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	_, from, _ := strings.Cut(req.SourceProviderAddress, "/") // each command line has a registry of its own
	id := r.called(call{
		RPC: "MoveResourceState", Subject: req.TargetTypeName, Has: true, Private: unstamp(&req.SourcePrivate),
		Said: fmt.Sprint(from, " ", req.SourceTypeName, " version=", req.SourceSchemaVersion),
	})
	resp, err := r.ProviderServer.MoveResourceState(ctx, req)
	if err == nil {
		resp.TargetPrivate = stamp(id, resp.TargetPrivate)
	}
	return resp, err
}
