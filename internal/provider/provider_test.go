package provider

import (
	"errors"
	"fmt"
	"net"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/connect"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func TestProviderSchema(t *testing.T) {
	t.Parallel()
	if diags := providerSchema().ValidateImplementation(t.Context()); diags.HasError() {
		t.Fatal(problems(diags))
	}
	for name, attribute := range providerSchema().Attributes {
		if !attribute.IsOptional() || attribute.IsRequired() {
			t.Errorf("%s is not optional", name)
		}
		secret := name == "token" || name == "password" || name == "client_key"
		if attribute.IsSensitive() != secret {
			t.Errorf("%s: sensitive is %t", name, attribute.IsSensitive())
		}
	}
}

func TestProvider_metadata(t *testing.T) {
	t.Parallel()
	var resp provider.MetadataResponse
	newProvider("1.2.3", connect.Process()).Metadata(t.Context(), provider.MetadataRequest{}, &resp)
	if want := (provider.MetadataResponse{TypeName: "cas", Version: "1.2.3"}); resp != want {
		t.Errorf("metadata %+v, want %+v", resp, want)
	}
}

func TestProvider_validate(t *testing.T) {
	t.Parallel()
	const v1 = "client.authentication.k8s.io/v1"
	tests := map[string]struct {
		given block
		want  []problem
	}{
		"nothing given": {},
		"everything unknown": {
			given: block{
				"host": unknown{}, "token": unknown{}, "config_path": unknown{}, "config_paths": unknown{}, "exec": unknown{},
				"qps": unknown{}, "burst_limit": unknown{}, "field_manager": unknown{}, "plan_check": unknown{}, "plan_dry_run": unknown{},
			},
		},
		"config_path and config_paths": {
			given: block{"config_path": "a", "config_paths": []string{"b"}},
			want: []problem{{
				"config_path", "Invalid Attribute Combination",
				`Attribute "config_paths" cannot be specified when "config_path" is specified`,
			}},
		},
		"exec and every other credential": {
			given: block{
				"exec": exec{apiVersion: v1, command: "c"}, "token": "t", "client_certificate": "c", "client_key": "k",
			},
			want: []problem{
				{"exec", "Invalid Attribute Combination", `Attribute "token" cannot be specified when "exec" is specified`},
				{"exec", "Invalid Attribute Combination", `Attribute "client_certificate" cannot be specified when "exec" is specified`},
				{"exec", "Invalid Attribute Combination", `Attribute "client_key" cannot be specified when "exec" is specified`},
			},
		},
		"exec with a version that is gone, and no command": {
			given: block{"exec": exec{apiVersion: "client.authentication.k8s.io/v1alpha1"}},
			want: []problem{
				{"exec[0].api_version", "Invalid Attribute Value Match", `Attribute exec[0].api_version value must be one of: ` +
					`["client.authentication.k8s.io/v1" "client.authentication.k8s.io/v1beta1"], got: "client.authentication.k8s.io/v1alpha1"`},
				{"exec[0].command", "Invalid Attribute Value Length", "Attribute exec[0].command string length must be at least 1, got: 0"},
			},
		},
		"exec with a nameless variable": {
			given: block{"exec": exec{apiVersion: v1, command: "c", env: map[string]string{"": "x"}}},
			want: []problem{{
				`exec[0].env[""]`, "Invalid Attribute Value Length",
				`Attribute exec[0].env[""] string length must be at least 1, got: 0`,
			}},
		},
		"plan_check with another word": {
			given: block{"plan_check": "ignore"},
			want: []problem{{
				"plan_check", "Invalid Attribute Value Match",
				`Attribute plan_check value must be one of: ["error" "warning" "off"], got: "ignore"`,
			}},
		},
		"an empty field_manager": {
			given: block{"field_manager": ""},
			want:  []problem{{"field_manager", "Invalid Field Manager", "Attribute field_manager: must be 1 to 128 bytes long, not 0."}},
		},
		"a field_manager of 128 bytes": {
			given: block{"field_manager": strings.Repeat("ü", 64)},
		},
		"a field_manager that is too long and not printable": {
			given: block{"field_manager": strings.Repeat("x", 128) + "\n"},
			want: []problem{{
				"field_manager", "Invalid Field Manager",
				"Attribute field_manager: must be 1 to 128 bytes long, not 129; must hold only printable characters.",
			}},
		},
		"no requests at all": {
			given: block{"qps": 0.0, "burst_limit": 0},
			want: []problem{
				{"burst_limit", "Invalid Attribute Value", "Attribute burst_limit value must be between 1 and 1000000, got: 0"},
				{"qps", "Invalid Attribute Value", "Attribute qps value must be at least 0.010000, got: 0.000000"},
			},
		},
		"burst_limit without qps": {
			given: block{"burst_limit": 5},
			want: []problem{{
				"burst_limit", "Invalid Attribute Combination",
				`Attribute "qps" must be specified when "burst_limit" is specified`,
			}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := providerConfig(t, test.given).Raw
			config, err := tfprotov6.NewDynamicValue(raw.Type(), raw)
			if err != nil {
				t.Fatal(err)
			}
			server, err := providerserver.NewProtocol6WithError(newProvider("test", connect.Process()))()
			if err != nil {
				t.Fatal(err)
			}
			resp, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: &config})
			if err != nil {
				t.Fatal(err)
			}
			var got []problem
			for _, d := range resp.Diagnostics {
				got = append(got, problem{pathText(d), d.Summary, d.Detail})
			}
			anyOrder := cmpopts.SortSlices(func(a, b problem) bool { return a.Path+a.Detail < b.Path+b.Detail })
			if diff := cmp.Diff(test.want, got, anyOrder); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

type settings struct {
	FieldManager string
	HideValues   bool
	PlanCheck    terms.PlanCheck
	Rehearses    bool
}

func settingsOf(data *session.Session) settings {
	return settings{data.FieldManager, data.HideValues, data.PlanCheck, bool(data.Rehearsal)}
}

func TestProvider_settings(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		given block
		env   map[string]string
		want  settings
	}{
		"defaults": {
			want: settings{"terraform-provider-cas", false, terms.PlanCheckError, false},
		},
		"everything given": {
			given: block{"field_manager": "me", "hide_values": true, "plan_check": "warning", "plan_dry_run": true},
			want:  settings{"me", true, terms.PlanCheckWarning, true},
		},
		"plan_check from the environment": {
			env:  map[string]string{"CAS_PLAN_CHECK": "off"},
			want: settings{"terraform-provider-cas", false, terms.PlanCheckOff, false},
		},
		"plan_check before the environment": {
			given: block{"plan_check": "error"},
			env:   map[string]string{"CAS_PLAN_CHECK": "off"},
			want:  settings{"terraform-provider-cas", false, terms.PlanCheckError, false},
		},
		"plan_check before a wrong environment": {
			given: block{"plan_check": "off"},
			env:   map[string]string{"CAS_PLAN_CHECK": "never"},
			want:  settings{"terraform-provider-cas", false, terms.PlanCheckOff, false},
		},
		"plan_dry_run from the environment": {
			env:  map[string]string{"CAS_PLAN_DRY_RUN": "true"},
			want: settings{"terraform-provider-cas", false, terms.PlanCheckError, true},
		},
		"plan_dry_run before the environment": {
			given: block{"plan_dry_run": false},
			env:   map[string]string{"CAS_PLAN_DRY_RUN": "1"},
			want:  settings{"terraform-provider-cas", false, terms.PlanCheckError, false},
		},
		"an empty variable": {
			env:  map[string]string{"CAS_PLAN_CHECK": "", "CAS_PLAN_DRY_RUN": ""},
			want: settings{"terraform-provider-cas", false, terms.PlanCheckError, false},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := block{"host": server}
			for name, value := range test.given {
				given[name] = value
			}
			data := configured(t, emptyEnvironment(test.env), given)
			if data.Engine == nil {
				t.Error("there is no engine")
			}
			if diff := cmp.Diff(test.want, settingsOf(data)); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProvider_configureFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		given block
		env   map[string]string
		want  []problem
	}{
		"a wrong CAS_PLAN_CHECK": {
			given: block{"host": server},
			env:   map[string]string{"CAS_PLAN_CHECK": "never"},
			want: []problem{{
				"", "Invalid Environment Variable",
				`The environment variable CAS_PLAN_CHECK must be one of "error", "warning" and "off", not "never".`,
			}},
		},
		"a wrong CAS_PLAN_CHECK while the configuration is unknown": {
			given: block{"host": unknown{}},
			env:   map[string]string{"CAS_PLAN_CHECK": "never"},
			want: []problem{{
				"", "Invalid Environment Variable",
				`The environment variable CAS_PLAN_CHECK must be one of "error", "warning" and "off", not "never".`,
			}},
		},
		"a wrong CAS_PLAN_DRY_RUN": {
			given: block{"host": server},
			env:   map[string]string{"CAS_PLAN_DRY_RUN": "maybe"},
			want: []problem{{
				"", "Invalid Environment Variable", `The environment variable CAS_PLAN_DRY_RUN must be true or false, not "maybe".`,
			}},
		},
		"no configuration": {
			want: []problem{{"", "Missing Kubernetes Configuration", "Nothing says which Kubernetes cluster to use."}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resp provider.ConfigureResponse
			p := newProvider("test", emptyEnvironment(test.env))
			p.Configure(t.Context(), provider.ConfigureRequest{Config: providerConfig(t, test.given)}, &resp)
			if diff := cmp.Diff(test.want, problems(resp.Diagnostics)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if resp.ResourceData != nil || resp.DataSourceData != nil {
				t.Error("resources are handed data of a provider that could not be configured")
			}
		})
	}
}

func TestProvider_unknownConfiguration(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		given          block
		wantHideValues bool
	}{
		"host":        {given: block{"host": unknown{}}},
		"token":       {given: block{"host": server, "token": unknown{}}},
		"paths":       {given: block{"config_paths": unknown{}}},
		"exec":        {given: block{"host": server, "exec": unknown{}}},
		"hide_values": {given: block{"host": server, "hide_values": unknown{}}, wantHideValues: true},
		"plan_check":  {given: block{"host": server, "plan_check": unknown{}, "field_manager": unknown{}}},
	}
	for name, test := range tests {
		for _, deferral := range []bool{false, true} {
			mode := " without deferral"
			if deferral {
				mode = " with deferral"
			}
			t.Run(name+mode, func(t *testing.T) {
				t.Parallel()
				req := provider.ConfigureRequest{Config: providerConfig(t, test.given)}
				req.ClientCapabilities.DeferralAllowed = deferral
				var resp provider.ConfigureResponse
				newProvider("test", emptyEnvironment(nil)).Configure(t.Context(), req, &resp)

				if len(resp.Diagnostics) > 0 {
					t.Fatal(problems(resp.Diagnostics))
				}
				want := &session.Session{
					FieldManager: terms.DefaultFieldManager, HideValues: test.wantHideValues, PlanCheck: terms.PlanCheckError,
					Defaults: terms.DefaultsOf(types.ObjectNull(nil)),
				}
				got, ok := resp.ResourceData.(*session.Session)
				if !ok || !reflect.DeepEqual(got, want) {
					t.Errorf("resources get %+v, want %+v", got, want)
				}
				if resp.DataSourceData != resp.ResourceData {
					t.Error("data sources get something else")
				}
				if deferred := resp.Deferred != nil && resp.Deferred.Reason == provider.DeferredReasonProviderConfigUnknown; deferred != deferral {
					t.Errorf("deferred is %t, want %t", deferred, deferral)
				}
			})
		}
	}
}

func TestProvider_configureMakesNoRequest(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connections atomic.Int32
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = connection.Close()
		}
	}()

	data := configured(t, emptyEnvironment(nil), block{"host": "https://" + listener.Addr().String(), "token": "t"})
	if data.Engine == nil {
		t.Fatal("there is no engine")
	}
	before := connections.Load()
	if _, err := data.Engine.Observe(t.Context(), eval.Ref{Namespace: "anywhere", Name: "testmap"}, "", 0); err == nil {
		t.Error("a server that hangs up was read")
	}
	after := connections.Load()
	_ = listener.Close()
	<-closed
	if before != 0 || after == 0 {
		t.Errorf("%d connections after Configure, want 0; %d after a read, want some", before, after)
	}
}

// pathText writes a path as the framework does.
func pathText(d *tfprotov6.Diagnostic) string {
	var text strings.Builder
	for _, step := range d.Attribute.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			text.WriteString("." + string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&text, "[%d]", step)
		case tftypes.ElementKeyString:
			fmt.Fprintf(&text, "[%q]", string(step))
		}
	}
	return strings.TrimPrefix(text.String(), ".")
}

func TestClosingEndsWhatTheFactoryMade(t *testing.T) {
	t.Parallel()
	factory, closeAll := New("test", os.Getenv)
	engines := []*cas.Engine{configure(t, factory(), block{"host": server}).Engine, configure(t, factory(), block{"host": server}).Engine}
	closeAll()
	for _, e := range engines {
		if _, err := e.Observe(t.Context(), eval.Ref{Namespace: "default", Name: "testmap"}, "", 0); !errors.Is(err, cas.ErrClosed) {
			t.Errorf("%v, want %v", err, cas.ErrClosed)
		}
	}
}
