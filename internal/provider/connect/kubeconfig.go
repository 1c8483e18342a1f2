package connect

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the auth-providers that a kubeconfig can name
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// ClientConfig turns a wholly known model into a client's configuration. It reads files, and makes no request.
//
// The cluster and the user come from the kubeconfig files, else from the pod that this runs in; each argument
// overrides its part. A configuration without errors names a server: there is no falling back to localhost.
func (e Environment) ClientConfig(ctx context.Context, model Model, userAgent string) (*rest.Config, diag.Diagnostics) {
	args, diags := e.arguments(ctx, model)
	diags.Append(args.validate()...)
	if diags.HasError() {
		return nil, diags
	}

	base, problem := e.baseConfig(args)
	if problem != nil {
		diags.Append(problem)
		return nil, diags
	}
	config, problem := args.override(base)
	if problem != nil {
		diags.Append(problem)
		return nil, diags
	}

	config.UserAgent = userAgent
	config.QPS = -1 // client-go would allow 5 requests a second
	if !model.QPS.IsNull() {
		config.QPS = float32(model.QPS.ValueFloat64())
		config.Burst = int(model.BurstLimit.ValueInt64())
	}
	return config, diags
}

// baseConfig loads what the arguments override: kubeconfig files, the pod's service account, or nothing where the
// arguments name a server.
func (e Environment) baseConfig(args arguments) (*clientcmdapi.Config, diag.Diagnostic) {
	if len(args.configPaths) > 0 {
		return loadKubeconfigs(args.configPaths)
	}
	for _, choice := range []argument{args.context, args.contextAuthInfo, args.contextCluster} {
		if choice.given() {
			return nil, missing(choice.path, fmt.Sprintf("%s chooses from a kubeconfig, but no kubeconfig is given.", choice.name))
		}
	}
	if args.host.given() {
		return clientcmdapi.NewConfig(), nil
	}
	if e.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		return e.inClusterConfig()
	}
	return nil, missing(path.Empty(), "Nothing says which Kubernetes cluster to use.")
}

// inClusterConfig words the pod's configuration as a kubeconfig, so that arguments override both alike.
func (e Environment) inClusterConfig() (*clientcmdapi.Config, diag.Diagnostic) {
	const name = "in-cluster"
	pod, err := e.InCluster()
	if err != nil {
		return nil, missing(path.Empty(), fmt.Sprintf(
			"Nothing says which Kubernetes cluster to use, and the service account of this pod cannot be used: %s.", err))
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: pod.Host, CertificateAuthority: pod.CAFile}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: pod.BearerToken, TokenFile: pod.BearerTokenFile}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return config, nil
}

// loadKubeconfigs merges files as kubectl does, except that each must exist.
func loadKubeconfigs(files []argument) (*clientcmdapi.Config, diag.Diagnostic) {
	rules := &clientcmd.ClientConfigLoadingRules{}
	for _, file := range files {
		rules.Precedence = append(rules.Precedence, file.value)
	}
	config, err := rules.Load()
	for _, file := range files { // it names no file, and leaves out what is missing
		if _, missing := os.Stat(file.value); err == nil && missing == nil {
			continue
		}
		if _, err := clientcmd.LoadFromFile(file.value); err != nil {
			return nil, diagnose.TitleInvalidKubeconfig.At(file.path, fmt.Sprintf(
				"The kubeconfig file %q, from %s, cannot be read: %s.", file.value, file.name, withoutContent(err)))
		}
	}
	if err != nil {
		return nil, diagnose.TitleInvalidKubeconfig.At(files[0].path, fmt.Sprintf("The kubeconfig files cannot be merged: %s.", withoutContent(err)))
	}
	return config, nil
}

// override applies the arguments to what was loaded.
func (a arguments) override(base *clientcmdapi.Config) (*rest.Config, diag.Diagnostic) {
	contextName, problem := a.choose(base)
	if problem != nil {
		return nil, problem
	}
	chosen := clientcmdapi.Context{Cluster: a.contextCluster.value, AuthInfo: a.contextAuthInfo.value}
	if found := base.Contexts[contextName]; found != nil {
		chosen = *found
		if a.contextCluster.given() {
			chosen.Cluster = a.contextCluster.value
		}
		if a.contextAuthInfo.given() {
			chosen.AuthInfo = a.contextAuthInfo.value
		}
	}
	if problem := a.checkCluster(base, chosen.Cluster); problem != nil {
		return nil, problem
	}
	if user := base.AuthInfos[chosen.AuthInfo]; user != nil {
		base.AuthInfos[chosen.AuthInfo] = a.withoutReplaced(user)
	}
	if problem := a.checkPairs(base.AuthInfos[chosen.AuthInfo]); problem != nil {
		return nil, problem
	}

	overrides := &clientcmd.ConfigOverrides{
		Context: clientcmdapi.Context{Cluster: a.contextCluster.value, AuthInfo: a.contextAuthInfo.value},
		ClusterInfo: clientcmdapi.Cluster{
			Server:                   a.host.value,
			TLSServerName:            a.tlsServerName.value,
			InsecureSkipTLSVerify:    a.insecure.given(),
			CertificateAuthorityData: []byte(a.clusterCA.value),
			ProxyURL:                 a.proxyURL.value,
		},
		AuthInfo: clientcmdapi.AuthInfo{
			Token:                 a.token.value,
			ClientCertificateData: []byte(a.clientCert.value),
			ClientKeyData:         []byte(a.clientKey.value),
			Exec:                  a.exec,
		},
	}
	// Where a token is refreshed, an auth-provider of the kubeconfig writes it back to where it was loaded from.
	access := &clientcmd.ClientConfigLoadingRules{}
	for _, file := range a.configPaths {
		access.Precedence = append(access.Precedence, file.value)
	}
	config, err := clientcmd.NewNonInteractiveClientConfig(*base, contextName, overrides, access).ClientConfig()
	if err != nil {
		return nil, diagnose.TitleInvalidKubeconfig.At(a.kubeconfigPath(), readable(err))
	}
	return config, a.checkTransport(config)
}

// choose returns the context to use, "" where the arguments say everything that a context would.
func (a arguments) choose(base *clientcmdapi.Config) (string, diag.Diagnostic) {
	if a.contextCluster.given() && base.Clusters[a.contextCluster.value] == nil {
		return "", a.contextCluster.notFound("cluster", slices.Collect(maps.Keys(base.Clusters)))
	}
	if a.contextAuthInfo.given() && base.AuthInfos[a.contextAuthInfo.value] == nil {
		return "", a.contextAuthInfo.notFound("user", slices.Collect(maps.Keys(base.AuthInfos)))
	}

	name, contexts := cmp.Or(a.context.value, base.CurrentContext), slices.Collect(maps.Keys(base.Contexts))
	switch {
	case name != "" && base.Contexts[name] != nil:
		return name, a.checkContext(base, name)
	case a.context.given():
		return "", a.context.notFound("context", contexts)
	case name != "":
		return "", notFound(a.kubeconfigPath(), fmt.Sprintf("The kubeconfig does not have its current context, %q.", name), "context", name, contexts)
	case a.host.given() || a.contextCluster.given():
		return "", nil
	default:
		return "", notFound(a.kubeconfigPath(), "The kubeconfig has no current context, and config_context is not set.", "context", "", contexts)
	}
}

// checkContext finds what clientcmd passes over in silence: without its user, a context is anonymous.
func (a arguments) checkContext(base *clientcmdapi.Config, name string) diag.Diagnostic {
	user := base.Contexts[name].AuthInfo
	if user != "" && base.AuthInfos[user] == nil && !a.contextAuthInfo.given() {
		return notFound(a.kubeconfigPath(), fmt.Sprintf("The context %q names the user %q, which the kubeconfig does not have.", name, user),
			"user", user, slices.Collect(maps.Keys(base.AuthInfos)))
	}
	cluster := base.Contexts[name].Cluster
	if base.Clusters[cluster] == nil && !a.contextCluster.given() && !a.host.given() {
		return notFound(a.kubeconfigPath(), fmt.Sprintf("The context %q names the cluster %q, which the kubeconfig does not have.", name, cluster),
			"cluster", cluster, slices.Collect(maps.Keys(base.Clusters)))
	}
	return nil
}

func (a arguments) checkCluster(base *clientcmdapi.Config, name string) diag.Diagnostic {
	cluster := base.Clusters[name]
	if cluster == nil {
		return nil // host is given, else choose had refused
	}
	if !a.host.given() && !isServer(cluster.Server) {
		return diagnose.TitleInvalidKubeconfig.At(a.kubeconfigPath(), fmt.Sprintf(
			"The server of the cluster %q of the kubeconfig must be a URL such as https://10.0.0.1:6443, without a user name.", name))
	}
	if cluster.ProxyURL != "" && !a.proxyURL.given() && !isProxyURL(cluster.ProxyURL) {
		return diagnose.TitleInvalidKubeconfig.At(a.kubeconfigPath(), fmt.Sprintf(
			"The proxy-url of the cluster %q of the kubeconfig must be a URL with the scheme http, https or socks5.", name))
	}
	return nil
}

// withoutReplaced drops the user's own credentials of each kind that the arguments do not give, once they give any:
// the server would choose between two, and clientcmd prefers a token file to the token that overrides it.
func (a arguments) withoutReplaced(user *clientcmdapi.AuthInfo) *clientcmdapi.AuthInfo {
	if len(a.credentials()) == 0 && a.exec == nil {
		return user
	}
	kept := user.DeepCopy()
	kept.Token, kept.TokenFile, kept.Username, kept.Password = "", "", "", ""
	kept.Exec, kept.AuthProvider = nil, nil
	if !a.clientCert.given() && !a.clientKey.given() {
		kept.ClientCertificate, kept.ClientCertificateData = "", nil
		kept.ClientKey, kept.ClientKeyData = "", nil
	}
	return kept
}

// kubeconfigPath is where a fault of the kubeconfig is shown.
func (a arguments) kubeconfigPath() path.Path {
	if len(a.configPaths) == 0 {
		return path.Empty()
	}
	return a.configPaths[0].path
}
