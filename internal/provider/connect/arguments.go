// Package connect makes a client's configuration of the provider's arguments, the environment, kubeconfigs, and the pod that it runs in.
package connect

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Environment has the sources of arguments beside the configuration: variables, the home directory and the account of
// the pod.
type Environment struct {
	Getenv    func(string) string
	HomeDir   func() (string, error)
	InCluster func() (*rest.Config, error)
}

// Process is the environment of this process.
func Process() Environment {
	return Environment{Getenv: os.Getenv, HomeDir: os.UserHomeDir, InCluster: rest.InClusterConfig}
}

// argument is one resolved argument. An empty value counts as missing. An argument that the configuration sets to an
// empty value is not looked up in the environment.
type argument struct {
	value string
	name  string    // as the user knows it: the argument, or the environment variable that gave it
	path  path.Path // empty if the value is from the environment or may contain a credential: Terraform prints the line of an error
}

func (a argument) given() bool {
	return a.value != ""
}

// notFound is for an argument that names what the kubeconfig does not have.
func (a argument) notFound(kind string, names []string) diag.Diagnostic {
	return notFound(a.path, fmt.Sprintf("%s names the %s %q, which the kubeconfig does not have.", a.name, kind, a.value), kind, a.value, names)
}

func (a argument) fromEnvironment() bool {
	return len(a.path.Steps()) == 0
}

// arguments is the part of the configuration that says which cluster, and who we are there.
type arguments struct {
	host, tlsServerName, clusterCA, proxyURL           argument
	token, clientCert, clientKey                       argument
	context, contextAuthInfo, contextCluster, insecure argument
	configPaths                                        []argument
	exec                                               *clientcmdapi.ExecConfig
}

// credentials lists the credentials that are given, an exec block apart.
func (a arguments) credentials() []argument {
	return slices.DeleteFunc(
		[]argument{a.token, a.clientCert, a.clientKey},
		func(c argument) bool { return !c.given() })
}

// arguments resolves a wholly known model: the configuration comes before the environment.
func (e Environment) arguments(ctx context.Context, model Model) (arguments, diag.Diagnostics) {
	args := arguments{
		host:            e.credential(model.Host, "host", EnvHost, "@"),
		token:           e.credential(model.Token, "token", EnvToken, ""),
		tlsServerName:   e.text(model.TLSServerName, "tls_server_name", EnvTLSServerName),
		clientCert:      e.credential(model.ClientCertificate, "client_certificate", EnvClientCertificate, "PRIVATE KEY"),
		clientKey:       e.credential(model.ClientKey, "client_key", EnvClientKey, ""),
		clusterCA:       e.credential(model.ClusterCACertificate, "cluster_ca_certificate", EnvClusterCACertificate, "PRIVATE KEY"),
		proxyURL:        e.credential(model.ProxyURL, "proxy_url", EnvProxyURL, "@"),
		context:         e.text(model.ConfigContext, "config_context", EnvContext),
		contextAuthInfo: e.text(model.ConfigContextAuthInfo, "config_context_auth_info", EnvContextAuthInfo),
		contextCluster:  e.text(model.ConfigContextCluster, "config_context_cluster", EnvContextCluster),
	}
	args.token.value = strings.TrimSpace(args.token.value) // file() keeps the newline at the end

	var diags, more diag.Diagnostics
	args.insecure, more = e.flag(model.Insecure, "insecure", EnvInsecure)
	diags.Append(more...)
	args.configPaths, more = e.configPaths(ctx, model)
	diags.Append(more...)
	args.exec, more = execConfig(ctx, model.Exec)
	diags.Append(more...)

	// A variable that chooses from a kubeconfig does no harm where host has said which server, and there is none.
	if args.host.given() && len(args.configPaths) == 0 {
		for _, choice := range []*argument{&args.context, &args.contextAuthInfo, &args.contextCluster} {
			if choice.fromEnvironment() {
				*choice = argument{}
			}
		}
	}
	return args, diags
}

func (e Environment) text(configured types.String, name, env string) argument {
	if !configured.IsNull() {
		return argument{value: configured.ValueString(), name: name, path: path.Root(name)}
	}
	return argument{value: e.Getenv(env), name: env}
}

// credential returns an argument that is a secret, or may contain one by mistake: a password in a URL, a key beside its
// certificate. An error about the argument names no attribute path, since Terraform prints the line. A value that
// contains mark contains a secret.
func (e Environment) credential(configured types.String, name, env, mark string) argument {
	a := e.text(configured, name, env)
	if strings.Contains(a.value, mark) {
		a.path = path.Empty()
	}
	return a
}

// flag resolves to an argument that is given when the flag is true.
func (e Environment) flag(configured types.Bool, name, env string) (argument, diag.Diagnostics) {
	text := types.StringNull()
	if !configured.IsNull() {
		text = types.StringValue(strconv.FormatBool(configured.ValueBool()))
	}
	a := e.text(text, name, env)
	on, err := strconv.ParseBool(a.value)
	switch {
	case err != nil && a.given():
		return argument{}, diag.Diagnostics{diagnose.TitleInvalidEnvironmentVariable.With(
			fmt.Sprintf("The environment variable %s must be true or false, not %q.", env, a.value))}
	case !on:
		return argument{}, nil
	}
	return a, nil
}

// configPaths resolves which kubeconfig files to read. Either argument comes before both variables.
func (e Environment) configPaths(ctx context.Context, model Model) ([]argument, diag.Diagnostics) {
	var paths []argument
	var diags diag.Diagnostics
	add := func(value, name string, at path.Path) {
		if value == "" {
			return
		}
		if isContent(value) {
			diags.Append(diagnose.TitleInvalidProviderArgument.At(path.Empty(), fmt.Sprintf("%s must be the path of a kubeconfig file, but its value looks like the content of one.", name)))
			return
		}
		expanded, err := e.expandHome(value)
		if err != nil {
			diags.Append(diagnose.TitleInvalidProviderArgument.At(at, fmt.Sprintf("The path %q in %s cannot be expanded: %s.", value, name, err)))
			return
		}
		paths = append(paths, argument{value: expanded, name: name, path: at})
	}

	switch {
	case !model.ConfigPath.IsNull():
		add(model.ConfigPath.ValueString(), "config_path", path.Root("config_path"))
	case len(model.ConfigPaths.Elements()) > 0:
		var configured []string
		diags.Append(model.ConfigPaths.ElementsAs(ctx, &configured, false)...)
		for i, value := range configured {
			add(value, "config_paths", path.Root("config_paths").AtListIndex(i))
		}
	case e.Getenv(EnvConfigPath) != "":
		add(e.Getenv(EnvConfigPath), EnvConfigPath, path.Empty())
	case isContent(e.Getenv(EnvConfigPaths)):
		add(e.Getenv(EnvConfigPaths), EnvConfigPaths, path.Empty()) // whole: its first line, split, looks like a path
	default:
		for _, value := range filepath.SplitList(e.Getenv(EnvConfigPaths)) {
			add(value, EnvConfigPaths, path.Empty())
		}
	}
	return paths, diags
}

// isContent reports whether the value of a path argument is the content of a kubeconfig: YAML, JSON, or the base64 of
// either. No message may repeat that content.
func isContent(value string) bool {
	const longestPath = 4096
	return strings.ContainsAny(value, "\n{") || strings.HasPrefix(value, "YXBpVmVyc2lvbjog") || len(value) > longestPath
}

// expandHome replaces a leading ~, the process's own home directory only.
func (e Environment) expandHome(name string) (string, error) {
	rest, found := strings.CutPrefix(name, "~")
	if !found {
		return name, nil
	}
	if rest != "" && !os.IsPathSeparator(rest[0]) {
		return "", fmt.Errorf("~ stands for your own home directory only")
	}
	home, err := e.HomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, rest), nil
}

func execConfig(ctx context.Context, block types.List) (*clientcmdapi.ExecConfig, diag.Diagnostics) {
	var models []execModel
	diags := block.ElementsAs(ctx, &models, false)
	if diags.HasError() || len(models) == 0 {
		return nil, diags
	}

	exec := &clientcmdapi.ExecConfig{
		APIVersion:      models[0].APIVersion.ValueString(),
		Command:         models[0].Command.ValueString(),
		InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode,
	}
	diags.Append(models[0].Args.ElementsAs(ctx, &exec.Args, false)...)
	var variables map[string]string
	diags.Append(models[0].Env.ElementsAs(ctx, &variables, false)...)
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		exec.Env = append(exec.Env, clientcmdapi.ExecEnvVar{Name: name, Value: variables[name]})
	}
	return exec, diags
}

// PlanCheck resolves plan_check: the configuration, then the environment, then the default.
func (e Environment) PlanCheck(configured types.String) (terms.PlanCheck, diag.Diagnostics) {
	if configured.IsUnknown() {
		configured = types.StringNull()
	}
	value := terms.PlanCheck(e.text(configured, "plan_check", terms.EnvPlanCheck).value)
	switch value {
	case "":
		return terms.PlanCheckError, nil
	case terms.PlanCheckError, terms.PlanCheckWarning, terms.PlanCheckOff: // of a configuration, the schema has validated it
		return value, nil
	}
	return "", diag.Diagnostics{diagnose.TitleInvalidEnvironmentVariable.With(fmt.Sprintf(
		"The environment variable %s must be one of %q, %q and %q, not %q.",
		terms.EnvPlanCheck, terms.PlanCheckError, terms.PlanCheckWarning, terms.PlanCheckOff, value))}
}

// PlanDryRun resolves plan_dry_run likewise.
func (e Environment) PlanDryRun(configured types.Bool) (bool, diag.Diagnostics) {
	dryRun, diags := e.flag(configured, "plan_dry_run", terms.EnvPlanDryRun)
	return dryRun.given(), diags
}
