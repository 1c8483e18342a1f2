package provider

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/connect"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
)

// arguments of a provider block, by name: string, bool, int, float64, []string, exec, or unknown.
type block map[string]any

type exec struct {
	apiVersion, command string
	args                []string
	env                 map[string]string
}

type unknown struct{}

// providerConfig returns the configuration that Terraform would send for the block: every argument, null if missing.
func providerConfig(t *testing.T, given block) tfsdk.Config {
	t.Helper()
	schema := providerSchema()
	object, ok := schema.Type().TerraformType(t.Context()).(tftypes.Object)
	if !ok {
		t.Fatal("the schema is no object")
	}
	values := make(map[string]tftypes.Value, len(object.AttributeTypes))
	for name, kind := range object.AttributeTypes {
		values[name] = tftypes.NewValue(kind, nil)
	}
	for name, value := range given {
		kind, ok := object.AttributeTypes[name]
		if !ok {
			t.Fatalf("there is no argument %s", name)
		}
		values[name] = terraformValue(kind, value)
	}
	return tfsdk.Config{Schema: schema, Raw: tftypes.NewValue(object, values)}
}

func terraformValue(kind tftypes.Type, value any) tftypes.Value {
	switch value := value.(type) {
	case unknown:
		return tftypes.NewValue(kind, tftypes.UnknownValue)
	case []string:
		return tftypes.NewValue(kind, texts(value))
	case exec:
		variables := map[string]tftypes.Value{}
		for name, text := range value.env {
			variables[name] = tftypes.NewValue(tftypes.String, text)
		}
		list, _ := kind.(tftypes.List)
		return tftypes.NewValue(kind, []tftypes.Value{tftypes.NewValue(list.ElementType, map[string]tftypes.Value{
			"api_version": tftypes.NewValue(tftypes.String, value.apiVersion),
			"command":     tftypes.NewValue(tftypes.String, value.command),
			"args":        tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, texts(value.args)),
			"env":         tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, variables),
		})})
	}
	return tftypes.NewValue(kind, value)
}

func texts(of []string) []tftypes.Value {
	values := make([]tftypes.Value, len(of))
	for i, text := range of {
		values[i] = tftypes.NewValue(tftypes.String, text)
	}
	return values
}

func providerModelOf(t *testing.T, given block) connect.Model {
	t.Helper()
	var model connect.Model
	if diags := providerConfig(t, given).Get(t.Context(), &model); diags.HasError() {
		t.Fatal(problems(diags))
	}
	return model
}

// configured runs Configure as the server does, and fails the test on any diagnostic.
func configured(t *testing.T, env connect.Environment, given block) *session.Session {
	t.Helper()
	return configure(t, newProvider("test", env), given)
}

// unconfigured is the provider as Terraform asks it before there is a configuration.
func unconfigured(t *testing.T) tfprotov6.ProviderServer {
	t.Helper()
	server, err := providerserver.NewProtocol6WithError(newProvider("test", emptyEnvironment(nil)))()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func configure(t *testing.T, p provider.Provider, given block) *session.Session {
	t.Helper()
	var resp provider.ConfigureResponse
	p.Configure(t.Context(), provider.ConfigureRequest{Config: providerConfig(t, given)}, &resp)
	if len(resp.Diagnostics) > 0 {
		t.Fatal(problems(resp.Diagnostics))
	}
	data, ok := resp.ResourceData.(*session.Session)
	if !ok {
		t.Fatalf("resources get %T", resp.ResourceData)
	}
	return data
}

// emptyEnvironment has the variables given, a home directory, and no pod around it.
func emptyEnvironment(variables map[string]string) connect.Environment {
	return connect.Environment{
		Getenv:    func(name string) string { return variables[name] },
		HomeDir:   func() (string, error) { return "", errors.New("no home") },
		InCluster: func() (*rest.Config, error) { return nil, rest.ErrNotInCluster },
	}
}

// waysToConfigure end every diagnostic about a configuration that does not say which cluster to use.
const waysToConfigure = `

  Kubeconfig:   config_path or config_paths (KUBE_CONFIG_PATH, KUBE_CONFIG_PATHS), and config_context (KUBE_CTX) to choose a context
  Server:       host (KUBE_HOST) and cluster_ca_certificate (KUBE_CLUSTER_CA_CERT_DATA)
  Credentials:  token (KUBE_TOKEN), client_certificate and client_key (KUBE_CLIENT_CERT_DATA, KUBE_CLIENT_KEY_DATA), or an exec block
  In a pod:     nothing: the pod's service account is used

Set config_path, for example to "~/.kube/config". KUBECONFIG and ~/.kube/config are not read otherwise.`

// problem is a diagnostic in comparable form, without the ways to configure.
type problem struct {
	Path, Summary, Detail string
}

func problems(diags diag.Diagnostics) []problem {
	var found []problem
	for _, d := range diags {
		p := problem{Summary: d.Summary(), Detail: strings.TrimSuffix(d.Detail(), waysToConfigure)}
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			p.Path = at.Path().String()
		}
		found = append(found, p)
	}
	return found
}

// write puts the files into a folder of the test's own and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
