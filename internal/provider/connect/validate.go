package connect

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// missing is for a configuration that does not say which cluster to use.
func missing(at path.Path, happened string) diag.Diagnostic {
	return diagnose.TitleMissingKubernetesConfiguration.At(at, diagnose.Detail(happened, []diagnose.Fact{
		{Name: "Kubeconfig", Value: "config_path or config_paths (KUBE_CONFIG_PATH, KUBE_CONFIG_PATHS), and config_context (KUBE_CTX) to choose a context"},
		{Name: "Server", Value: "host (KUBE_HOST) and cluster_ca_certificate (KUBE_CLUSTER_CA_CERT_DATA)"},
		{Name: "Credentials", Value: "token (KUBE_TOKEN), client_certificate and client_key " +
			"(KUBE_CLIENT_CERT_DATA, KUBE_CLIENT_KEY_DATA), or an exec block"},
		{Name: "In a pod", Value: "nothing: the pod's service account is used"},
	}, `Set config_path, for example to "~/.kube/config". KUBECONFIG and ~/.kube/config are not read otherwise.`))
}

// UnusableClient is the diagnostic for a configuration from which client-go cannot build a client.
func UnusableClient(err error) diag.Diagnostic {
	return diagnose.TitleInvalidKubeconfig.At(path.Empty(), readable(err))
}

// notFound is for a name that a kubeconfig does not have, among those of its kind that it has.
func notFound(at path.Path, happened, kind, name string, names []string) diag.Diagnostic {
	next := "Use one of these."
	if len(names) == 0 {
		next = "Use another kubeconfig."
	}
	return diagnose.TitleInvalidKubeconfig.At(at, diagnose.Detail(happened, []diagnose.Fact{
		{Name: "Existing " + kind + "s", Value: diagnose.Nearest(name, names)},
	}, next))
}

// validate finds what is wrong with the arguments by themselves.
func (a arguments) validate() diag.Diagnostics {
	var diags diag.Diagnostics
	refuse := func(wrong argument, detail string) {
		diags.Append(diagnose.TitleInvalidProviderArgument.At(wrong.path, fmt.Sprintf("%s %s.", wrong.name, detail)))
	}

	exclude := func(one, other argument) { // one may be from the environment, so the schema cannot exclude the pair
		if one.given() && other.given() {
			diags.Append(diagnose.TitleConflictingProviderArguments.At(one.path, fmt.Sprintf("%s and %s must not be set together.", one.name, other.name)))
		}
	}
	exclude(a.insecure, a.clusterCA)
	if a.exec != nil {
		for _, credential := range a.credentials() {
			exclude(argument{value: a.exec.Command, name: "exec", path: path.Root("exec")}, credential)
		}
	}
	if a.host.given() {
		if detail := hostProblem(a.host.value); detail != "" {
			refuse(a.host, detail)
		}
	}
	if a.proxyURL.given() && !isProxyURL(a.proxyURL.value) {
		refuse(a.proxyURL, "must be a URL with the scheme http, https or socks5")
	}

	sound := true
	for _, certificate := range []argument{a.clusterCA, a.clientCert} {
		if _, err := cert.ParseCertsPEM([]byte(certificate.value)); certificate.given() && err != nil {
			refuse(certificate, "must be a PEM-encoded certificate"+pemHint(certificate.value))
			sound = false
		}
	}
	if block, _ := pem.Decode([]byte(a.clientKey.value)); a.clientKey.given() && (block == nil || !strings.HasSuffix(block.Type, "PRIVATE KEY")) {
		refuse(a.clientKey, "must be a PEM-encoded private key"+pemHint(a.clientKey.value))
		sound = false
	}
	if sound && a.clientCert.given() && a.clientKey.given() {
		if _, err := tls.X509KeyPair([]byte(a.clientCert.value), []byte(a.clientKey.value)); err != nil {
			refuse(a.clientKey, fmt.Sprintf("does not match %s: %s", a.clientCert.name, err))
		}
	}
	return diags
}

// checkPairs finds half a credential that neither the arguments nor the kubeconfig's user completes.
func (a arguments) checkPairs(user *clientcmdapi.AuthInfo) diag.Diagnostic {
	if user == nil {
		user = clientcmdapi.NewAuthInfo()
	}
	needs := func(half argument, name, env string, there bool) diag.Diagnostic {
		if !half.given() || there {
			return nil
		}
		return diagnose.TitleInvalidProviderArgument.At(half.path, fmt.Sprintf("%s needs %s (%s) as well.", half.name, name, env))
	}
	for _, problem := range []diag.Diagnostic{
		needs(a.clientCert, "client_key", EnvClientKey, a.clientKey.given() || user.ClientKey != "" || len(user.ClientKeyData) > 0),
		needs(a.clientKey, "client_certificate", EnvClientCertificate, a.clientCert.given() || user.ClientCertificate != "" || len(user.ClientCertificateData) > 0),
	} {
		if problem != nil {
			return problem
		}
	}
	return nil
}

// checkTransport finds credentials that client-go would leave out in silence, and certificates that it cannot load.
func (a arguments) checkTransport(config *rest.Config) diag.Diagnostic {
	if !rest.IsConfigTransportTLS(*config) {
		refused := a.credentials()
		if a.exec != nil {
			refused = append(refused, argument{name: "exec", path: path.Root("exec")})
		}
		if len(refused) > 0 {
			at := a.host.path // not the credential, whose line Terraform would print
			if !a.host.given() {
				at = a.kubeconfigPath()
			}
			return diagnose.TitleInvalidProviderArgument.At(at, fmt.Sprintf(
				"%s would not be sent: the server's URL is not https, and credentials are never sent over plain HTTP.", refused[0].name))
		}
	}
	if _, err := rest.TLSConfigFor(config); err != nil {
		return diagnose.TitleInvalidKubeconfig.At(a.kubeconfigPath(), readable(err))
	}
	return nil
}

// CheckDefaults refuses defaults that are not known at plan: each plan of a resource shows the values in force.
func CheckDefaults(defaults types.Object) diag.Diagnostics {
	const problem = "the value must be known at plan; use a literal or an input variable, not an attribute of a resource"
	at := path.Root("defaults")
	if defaults.IsUnknown() {
		return diag.Diagnostics{diagnose.TitleInvalidProviderArgument.Problem(at, problem)}
	}
	for _, name := range slices.Sorted(maps.Keys(defaults.Attributes())) {
		if defaults.Attributes()[name].IsUnknown() {
			return diag.Diagnostics{diagnose.TitleInvalidProviderArgument.Problem(at.AtName(name), problem)}
		}
	}
	return nil
}

// hostProblem is "" where host is a URL that a client can be built on.
func hostProblem(host string) string {
	parsed, err := url.Parse(host)
	switch {
	case err != nil, parsed.Host == "", parsed.Scheme != "https" && parsed.Scheme != "http":
		return "must be a URL with its scheme, such as https://10.0.0.1:6443"
	case parsed.User != nil:
		return "must not contain a user name or a password"
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return "must not contain a query or a fragment"
	}
	return ""
}

// isServer reports whether a kubeconfig's server can be used. As for kubectl, its scheme may be left out.
func isServer(server string) bool {
	parsed, _, err := rest.DefaultServerURL(server, "", schema.GroupVersion{}, true)
	return err == nil && parsed.Host != "" && parsed.User == nil && (parsed.Scheme == "https" || parsed.Scheme == "http")
}

func isProxyURL(proxy string) bool {
	parsed, err := url.Parse(proxy)
	return err == nil && parsed.Host != "" && slices.Contains([]string{"http", "https", "socks5"}, parsed.Scheme)
}

// pemHint guesses what was given instead of PEM.
func pemHint(value string) string {
	if decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(value)); err == nil && strings.HasPrefix(string(decoded), "-----BEGIN") {
		return "; this value is base64: use base64decode()"
	}
	if strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~") || strings.HasPrefix(value, ".") {
		return "; this value looks like a path: use file()"
	}
	return ""
}

var yamlLine = regexp.MustCompile(`yaml: line \d+`)

// withoutContent words why a kubeconfig cannot be read. The parsers' own messages can quote it, and its secrets.
func withoutContent(err error) string {
	unreadable, isUnreadable := errors.AsType[*fs.PathError](err)
	wrongType, isWrong := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case isUnreadable:
		return unreadable.Err.Error()
	case runtime.IsNotRegisteredError(err):
		return "it is not of the kind Config of the version v1"
	case isWrong && wrongType.Field != "":
		kind, _, _ := strings.Cut(wrongType.Value, " ") // what follows "number" is the number
		return fmt.Sprintf("its field %s must not be of the JSON type %s", wrongType.Field, kind)
	}
	if line := yamlLine.FindString(err.Error()); line != "" {
		return "it is not valid YAML, in " + strings.TrimPrefix(line, "yaml: ")
	}
	return "it is not a kubeconfig in YAML or JSON"
}

// readable joins what client-go found wrong into sentences, without its prefixes.
func readable(err error) string {
	reasons := []error{err}
	if several, ok := errors.AsType[utilerrors.Aggregate](err); ok {
		reasons = several.Errors()
	}
	var lines []string
	for _, reason := range reasons {
		lines = append(lines, strings.TrimSuffix(reason.Error(), "."))
	}
	return "The client cannot be configured: " + strings.Join(lines, "; ") + "."
}
