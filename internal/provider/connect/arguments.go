// Package connect builds the configuration of a client from the arguments of the provider, the environment, kubeconfigs
// and the pod that the provider runs in.
package connect

import (
	"context"
	"crypto/tls"
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
	"k8s.io/client-go/util/cert"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
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
	name  string    // the argument, or the environment variable that gave the value
	path  path.Path // empty if the value is from the environment, or may contain a credential
}

func (a argument) given() bool {
	return a.value != ""
}

// refused is the error about a value that the argument must not have.
func (a argument) refused(requirement string) diag.Diagnostic {
	return message.InvalidProviderArgument.At(a.path, fmt.Sprintf("%s %s.", a.name, requirement))
}

// arguments is the part of the configuration that selects the cluster and the user.
type arguments struct {
	host, tlsServerName, clusterCA, proxyURL           argument
	token, clientCert, clientKey                       argument
	context, contextAuthInfo, contextCluster, insecure argument
	configPaths                                        []argument
	exec                                               *clientcmdapi.ExecConfig
}

// credentials lists the credentials that are given.
func (a arguments) credentials() []argument {
	given := slices.DeleteFunc([]argument{a.token, a.clientCert, a.clientKey}, func(c argument) bool { return !c.given() })
	if a.exec != nil {
		given = append(given, argument{value: a.exec.Command, name: "exec", path: path.Root("exec")})
	}
	return given
}

// arguments resolves a wholly known model: the configuration comes before the environment.
func (e Environment) arguments(ctx context.Context, model Model) (arguments, diag.Diagnostics) {
	var diags, more diag.Diagnostics
	args := arguments{
		host:          e.text(model.Host, "host", EnvHost),
		token:         e.text(model.Token, "token", EnvToken),
		tlsServerName: e.text(model.TLSServerName, "tls_server_name", EnvTLSServerName),
		clientCert:    e.text(model.ClientCertificate, "client_certificate", EnvClientCertificate),
		clientKey:     e.text(model.ClientKey, "client_key", EnvClientKey),
		clusterCA:     e.text(model.ClusterCACertificate, "cluster_ca_certificate", EnvClusterCACertificate),
		proxyURL:      e.text(model.ProxyURL, "proxy_url", EnvProxyURL),
	}
	args.token.value = strings.TrimSpace(args.token.value) // file() keeps the newline at the end
	args.clientKey.path = path.Empty()
	args.insecure, diags = e.flag(model.Insecure, "insecure", EnvInsecure)
	args.configPaths, more = e.configPaths(ctx, model)
	diags.Append(more...)
	args.exec, more = execConfig(ctx, model.Exec)
	diags.Append(more...)

	choices := e
	if args.host.given() && len(args.configPaths) == 0 { // a variable for other kubeconfigs does no harm
		choices.Getenv = func(string) string { return "" }
	}
	args.context = choices.text(model.ConfigContext, "config_context", EnvContext)
	args.contextAuthInfo = choices.text(model.ConfigContextAuthInfo, "config_context_auth_info", EnvContextAuthInfo)
	args.contextCluster = choices.text(model.ConfigContextCluster, "config_context_cluster", EnvContextCluster)
	return args, diags
}

// text resolves one argument. Terraform prints the line of an attribute path: the argument has none if it may contain a
// password in a URL, or a key beside its certificate.
func (e Environment) text(configured types.String, name, env string) argument {
	if configured.IsNull() {
		return argument{value: e.Getenv(env), name: env}
	}
	a := argument{value: configured.ValueString(), name: name, path: path.Root(name)}
	if strings.Contains(a.value, "@") || strings.Contains(a.value, "PRIVATE KEY") {
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
		return argument{}, diag.Diagnostics{message.InvalidEnvironmentVariable.With(
			fmt.Sprintf("The environment variable %s must be true or false, not %q.", env, a.value))}
	case !on:
		return argument{}, nil
	}
	return a, nil
}

// configPaths resolves the kubeconfig files to read. Either argument comes before both variables.
func (e Environment) configPaths(ctx context.Context, model Model) ([]argument, diag.Diagnostics) {
	var files []argument
	var diags diag.Diagnostics
	switch {
	case !model.ConfigPath.IsNull() || e.Getenv(EnvConfigPath) != "" && len(model.ConfigPaths.Elements()) == 0:
		files = []argument{e.text(model.ConfigPath, "config_path", EnvConfigPath)}
	case len(model.ConfigPaths.Elements()) > 0:
		var configured []string
		diags = model.ConfigPaths.ElementsAs(ctx, &configured, false)
		for i, value := range configured {
			files = append(files, argument{value, "config_paths", path.Root("config_paths").AtListIndex(i)})
		}
	default:
		for _, value := range filepath.SplitList(e.Getenv(EnvConfigPaths)) {
			files = append(files, argument{value: value, name: EnvConfigPaths})
		}
	}

	files = slices.DeleteFunc(files, func(file argument) bool { return !file.given() })
	for i, file := range files {
		inHome, found := strings.CutPrefix(file.value, "~")
		switch {
		case isContent(file.value):
			file.path = path.Empty()
			diags.Append(file.refused("must be the path of a kubeconfig file, but its value looks like the content of one"))
		case found && (inHome == "" || os.IsPathSeparator(inHome[0])):
			home, err := e.HomeDir()
			if err != nil {
				diags.Append(file.refused(fmt.Sprintf("must not begin with ~: %s", err)))
			}
			files[i].value = filepath.Join(home, inHome)
		}
	}
	return files, diags
}

// isContent reports whether the value of a path argument is the content of a kubeconfig: YAML, JSON, or the base64 of
// either. No message may repeat that content.
func isContent(value string) bool {
	const longestPath = 4096
	return strings.ContainsAny(value, "\n{") || strings.HasPrefix(value, "YXBpVmVyc2lvbjog") || len(value) > longestPath
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

// validate refuses what client-go would ignore in silence, or report without the name of an argument.
func (a arguments) validate() diag.Diagnostics {
	var diags diag.Diagnostics
	exclude := func(one, other argument) { // one may be from the environment, so the schema cannot exclude the pair
		if one.given() && other.given() {
			diags.Append(message.ConflictingProviderArguments.At(one.path,
				fmt.Sprintf("%s and %s must not be set together.", one.name, other.name)))
		}
	}
	exclude(a.insecure, a.clusterCA)
	if credentials := a.credentials(); a.exec != nil && len(credentials) > 1 {
		exclude(credentials[len(credentials)-1], credentials[0])
	}

	const pemHint = "use file() for the path of a file, and base64decode() for base64"
	if _, err := cert.ParseCertsPEM([]byte(a.clusterCA.value)); a.clusterCA.given() && err != nil {
		diags.Append(a.clusterCA.refused("must be a PEM-encoded certificate; " + pemHint))
	}
	_, err := tls.X509KeyPair([]byte(a.clientCert.value), []byte(a.clientKey.value))
	switch {
	case !a.clientCert.given() && !a.clientKey.given():
	case !a.clientKey.given():
		diags.Append(a.clientCert.refused(fmt.Sprintf("needs client_key (%s) as well", EnvClientKey)))
	case !a.clientCert.given():
		diags.Append(a.clientKey.refused(fmt.Sprintf("needs client_certificate (%s) as well", EnvClientCertificate)))
	case err != nil:
		diags.Append(a.clientCert.refused(fmt.Sprintf(
			"must be a PEM-encoded certificate, and %s its PEM-encoded key: %s; %s", a.clientKey.name, err, pemHint)))
	}
	return diags
}

// PlanCheck resolves plan_check: the configuration, then the environment, then the default.
func (e Environment) PlanCheck(configured types.String) (terms.PlanCheck, diag.Diagnostics) {
	if configured.IsUnknown() {
		configured = types.StringNull()
	}
	switch value := terms.PlanCheck(e.text(configured, "plan_check", terms.EnvPlanCheck).value); value {
	case "":
		return terms.PlanCheckError, nil
	case terms.PlanCheckError, terms.PlanCheckWarning, terms.PlanCheckOff: // the schema has validated a configured one
		return value, nil
	default:
		return "", diag.Diagnostics{message.InvalidEnvironmentVariable.With(fmt.Sprintf(
			"The environment variable %s must be one of %q, %q and %q, not %q.",
			terms.EnvPlanCheck, terms.PlanCheckError, terms.PlanCheckWarning, terms.PlanCheckOff, value))}
	}
}

// PlanDryRun resolves plan_dry_run likewise.
func (e Environment) PlanDryRun(configured types.Bool) (bool, diag.Diagnostics) {
	dryRun, diags := e.flag(configured, "plan_dry_run", terms.EnvPlanDryRun)
	return dryRun.given(), diags
}
