package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the auth-providers that a kubeconfig can name
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
)

// ClientConfig turns a wholly known model into the configuration of a client. It reads files, and makes no request.
//
// The cluster and the user come from the kubeconfig files, else from the pod that the provider runs in; each argument
// overrides its part. A configuration without errors names a server: there is no fallback to localhost or KUBECONFIG.
func (e Environment) ClientConfig(ctx context.Context, model Model, userAgent string) (*rest.Config, diag.Diagnostics) {
	args, diags := e.arguments(ctx, model)
	diags.Append(args.validate()...)
	if diags.HasError() {
		return nil, diags
	}
	rules := &clientcmd.ClientConfigLoadingRules{}
	for _, file := range args.configPaths {
		rules.Precedence = append(rules.Precedence, file.value)
	}
	kubeconfig, problem := e.load(args, rules)
	if problem != nil {
		return nil, append(diags, problem)
	}
	chosen, problem := args.choose(kubeconfig)
	if problem != nil {
		return nil, append(diags, problem)
	}

	// The API server would choose between two credentials, and client-go prefers a token file to a token.
	if user := kubeconfig.AuthInfos[chosen.AuthInfo]; user != nil && len(args.credentials()) > 0 {
		kubeconfig.AuthInfos[chosen.AuthInfo] = &clientcmdapi.AuthInfo{
			Impersonate: user.Impersonate, ImpersonateUID: user.ImpersonateUID,
			ImpersonateGroups: user.ImpersonateGroups, ImpersonateUserExtra: user.ImpersonateUserExtra,
		}
	}
	overrides := &clientcmd.ConfigOverrides{
		Context: chosen,
		ClusterInfo: clientcmdapi.Cluster{
			Server:                   args.host.value,
			TLSServerName:            args.tlsServerName.value,
			InsecureSkipTLSVerify:    args.insecure.given(),
			CertificateAuthorityData: []byte(args.clusterCA.value),
			ProxyURL:                 args.proxyURL.value,
		},
		AuthInfo: clientcmdapi.AuthInfo{
			Token:                 args.token.value,
			ClientCertificateData: []byte(args.clientCert.value),
			ClientKeyData:         []byte(args.clientKey.value),
			Exec:                  args.exec,
		},
	}
	contextName := cmp.Or(args.context.value, kubeconfig.CurrentContext)
	config, err := clientcmd.NewNonInteractiveClientConfig(*kubeconfig, contextName, overrides, rules).ClientConfig()
	if err == nil {
		_, err = rest.TLSConfigFor(config)
	}
	if err != nil {
		return nil, append(diags, UnusableClient(args.kubeconfigPath(), err))
	}
	config.UserAgent = userAgent
	config.QPS = -1 // client-go would allow 5 requests a second
	if !model.QPS.IsNull() {
		config.QPS = float32(model.QPS.ValueFloat64())
		config.Burst = int(model.BurstLimit.ValueInt64())
	}
	return config, diags
}

// load returns the kubeconfig that the arguments override: the merged files, the account of the pod as a kubeconfig, or
// an empty one if an argument names a server.
func (e Environment) load(args arguments, rules clientcmd.ClientConfigLoader) (*clientcmdapi.Config, diag.Diagnostic) {
	for _, file := range args.configPaths { // the rules skip a missing file, and their errors can quote credentials
		if _, err := clientcmd.LoadFromFile(file.value); err != nil {
			reason := "it is not a kubeconfig in YAML or JSON. `kubectl config view --kubeconfig=PATH` shows the error"
			if unreadable, ok := errors.AsType[*fs.PathError](err); ok {
				reason = unreadable.Err.Error()
			}
			return nil, message.InvalidKubeconfig.At(file.path, fmt.Sprintf(
				"The kubeconfig file %q, from %s, cannot be read: %s.", file.value, file.name, reason))
		}
	}
	config, err := rules.Load()
	if err != nil {
		return nil, UnusableClient(args.kubeconfigPath(), err)
	}
	chooses := args.context.given() || args.contextCluster.given() || args.contextAuthInfo.given()
	if len(args.configPaths) > 0 || args.host.given() || chooses {
		return config, nil
	}

	const name = "in-cluster"
	missing := "Nothing says which Kubernetes cluster to use."
	if e.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		pod, err := e.InCluster()
		if err == nil {
			config.Clusters[name] = &clientcmdapi.Cluster{Server: pod.Host, CertificateAuthority: pod.CAFile}
			config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: pod.BearerToken, TokenFile: pod.BearerTokenFile}
			config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
			config.CurrentContext = name
			return config, nil
		}
		missing += fmt.Sprintf(" The service account of this pod cannot be used: %s.", err)
	}
	return nil, message.MissingKubernetesConfiguration.With(message.Detail(missing, []message.Fact{
		{Name: "Kubeconfig", Value: "config_path or config_paths (KUBE_CONFIG_PATH, KUBE_CONFIG_PATHS), " +
			"and config_context (KUBE_CTX) to choose a context"},
		{Name: "Server", Value: "host (KUBE_HOST) and cluster_ca_certificate (KUBE_CLUSTER_CA_CERT_DATA)"},
		{Name: "Credentials", Value: "token (KUBE_TOKEN), client_certificate and client_key " +
			"(KUBE_CLIENT_CERT_DATA, KUBE_CLIENT_KEY_DATA), or an exec block"},
		{Name: "In a pod", Value: "nothing: the pod's service account is used"},
	}, `Set config_path, for example to "~/.kube/config". KUBECONFIG and ~/.kube/config are not read otherwise.`))
}

// choose returns the cluster and the user of the context to use. It refuses a name that the kubeconfig lacks, which
// clientcmd replaces by a default in silence, and a URL that client-go would quote with its password.
func (a arguments) choose(config *clientcmdapi.Config) (clientcmdapi.Context, diag.Diagnostic) {
	fallback := func(given argument, value, name string) argument {
		if given.given() {
			return given
		}
		return argument{value: value, name: name, path: a.kubeconfigPath()}
	}
	lookup := func(name argument, kind string, optional bool, names []string) diag.Diagnostic {
		if slices.Contains(names, name.value) || optional && !name.given() {
			return nil
		}
		next := "Use one of these."
		if len(names) == 0 {
			next = "Set config_path to another kubeconfig."
		}
		happened := fmt.Sprintf("%s must be a %s of the kubeconfig, not %q.", name.name, kind, name.value)
		return message.InvalidKubeconfig.At(name.path, message.Detail(happened, []message.Fact{
			{Name: "Existing " + kind + "s", Value: message.Nearest(name.value, names)},
		}, next))
	}

	name := fallback(a.context, config.CurrentContext, "config_context, or the current context of the kubeconfig,")
	chosen := cmp.Or(config.Contexts[name.value], clientcmdapi.NewContext())
	clusterName := fallback(a.contextCluster, chosen.Cluster,
		fmt.Sprintf("config_context_cluster, or the cluster of the context %q,", name.value))
	userName := fallback(a.contextAuthInfo, chosen.AuthInfo,
		fmt.Sprintf("config_context_auth_info, or the user of the context %q,", name.value))
	hasHost := a.host.given()
	problem := cmp.Or(
		lookup(name, "context", hasHost || a.contextCluster.given(), slices.Collect(maps.Keys(config.Contexts))),
		lookup(clusterName, "cluster", hasHost, slices.Collect(maps.Keys(config.Clusters))),
		lookup(userName, "user", true, slices.Collect(maps.Keys(config.AuthInfos))),
	)
	if problem != nil {
		return clientcmdapi.Context{}, problem
	}

	cluster := cmp.Or(config.Clusters[clusterName.value], clientcmdapi.NewCluster())
	server := fallback(a.host, cluster.Server, fmt.Sprintf("host, or the server of the cluster %q,", clusterName.value))
	proxy := fallback(a.proxyURL, cluster.ProxyURL,
		fmt.Sprintf("proxy_url, or that of the cluster %q,", clusterName.value))
	credentials := a.credentials()
	switch location := parseURL(server.value, "https", "http"); {
	case location == nil, location.User != nil, location.RawQuery != "", location.Fragment != "":
		problem = server.refused("must be a URL such as https://10.0.0.1:6443, without a user name, query or fragment")
	case location.Scheme == "http" && len(credentials) > 0:
		problem = server.refused(fmt.Sprintf("must be an https URL: client-go never sends %s over plain HTTP",
			credentials[0].name))
	case proxy.given() && parseURL(proxy.value, "http", "https", "socks5") == nil:
		problem = proxy.refused("must be a URL with the scheme http, https or socks5")
	}
	return clientcmdapi.Context{Cluster: clusterName.value, AuthInfo: userName.value}, problem
}

// parseURL returns nil if the text is not a URL of one of the schemes. Errors of package url quote the text.
func parseURL(text string, schemes ...string) *url.URL {
	location, err := url.Parse(text)
	if err != nil || location.Host == "" || !slices.Contains(schemes, location.Scheme) {
		return nil
	}
	return location
}

// kubeconfigPath is the attribute of an error about the kubeconfig.
func (a arguments) kubeconfigPath() path.Path {
	if len(a.configPaths) == 0 {
		return path.Empty()
	}
	return a.configPaths[0].path
}

// UnusableClient is the diagnostic for a configuration from which client-go cannot build a client.
func UnusableClient(at path.Path, err error) diag.Diagnostic {
	return message.InvalidKubeconfig.At(at,
		"The client cannot be configured: "+strings.TrimSuffix(err.Error(), ".")+".")
}
