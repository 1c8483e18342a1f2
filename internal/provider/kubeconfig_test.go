package provider

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/connect"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const server = "https://127.0.0.1:6443"

// Two clusters, each with a user and a context; red is current.
const redAndBlue = `
apiVersion: v1
kind: Config
current-context: red
clusters:
- {name: red-cluster, cluster: {server: "https://127.0.0.1:1001", tls-server-name: red.test, proxy-url: "http://127.0.0.1:3001"}}
- {name: blue-cluster, cluster: {server: "https://127.0.0.1:1002"}}
users:
- {name: red-user, user: {token: red-token}}
- {name: blue-user, user: {username: blue, password: blue-password}}
contexts:
- {name: red, context: {cluster: red-cluster, user: red-user}}
- {name: blue, context: {cluster: blue-cluster, user: blue-user}}
`

// clientConfigOf builds the client's configuration, with $DIR in arguments and variables standing for the folder of
// the files, and returns it with the proxy that it would use.
func clientConfigOf(t *testing.T, files map[string]string, given block, variables map[string]string, pod *rest.Config) (config *rest.Config, proxy string, found []problem) {
	t.Helper()
	dir := write(t, files)
	inDir := func(text string) string { return strings.ReplaceAll(text, "$DIR", dir) }
	arguments := block{}
	for name, value := range given {
		switch value := value.(type) {
		case string:
			arguments[name] = inDir(value)
		case []string:
			var paths []string
			for _, path := range value {
				paths = append(paths, inDir(path))
			}
			arguments[name] = paths
		default:
			arguments[name] = value
		}
	}
	variables = maps.Clone(variables)
	for name, value := range variables {
		variables[name] = inDir(value)
	}

	env := emptyEnvironment(variables)
	env.HomeDir = func() (string, error) { return dir, nil }
	if pod != nil {
		env.InCluster = func() (*rest.Config, error) { return pod, nil }
	}
	config, diags := env.ClientConfig(t.Context(), providerModelOf(t, arguments), "terraform-provider-cas/1.2.3")
	for _, d := range diags {
		if d.Summary() == "Missing Kubernetes Configuration" && !strings.HasSuffix(d.Detail(), waysToConfigure) {
			t.Errorf("%s: %s does not list the ways to configure", d.Summary(), d.Detail())
		}
	}
	found = problems(diags)
	for i := range found {
		found[i].Detail = strings.ReplaceAll(found[i].Detail, dir, "$DIR")
	}
	if len(diags) > 0 {
		return nil, "", found
	}
	if config.Proxy != nil {
		url, err := config.Proxy(&http.Request{})
		if err != nil {
			t.Fatal(err)
		}
		proxy = url.String()
	}
	return config, proxy, nil
}

func TestClientConfig(t *testing.T) {
	t.Parallel()
	mine, theirs := testcluster.NewIdentity(t), testcluster.NewIdentity(t)
	blue := rest.Config{Host: "https://127.0.0.1:1002", Username: "blue", Password: "blue-password"}

	tests := map[string]struct {
		files     map[string]string
		given     block
		env       map[string]string
		pod       *rest.Config
		want      rest.Config
		wantProxy string
	}{
		"host alone": {
			given: block{"host": server},
			want:  rest.Config{Host: server},
		},
		"host with a path": {
			given: block{"host": server + "/k8s/clusters/c-1"},
			want:  rest.Config{Host: server + "/k8s/clusters/c-1"},
		},
		"host over plain HTTP": {
			given: block{"host": "http://127.0.0.1:8001"},
			want:  rest.Config{Host: "http://127.0.0.1:8001"},
		},
		"token": {
			given: block{"host": server, "token": "t"},
			want:  rest.Config{Host: server, BearerToken: "t"},
		},
		"token with the newline of a file": {
			given: block{"host": server, "token": "t\n"},
			want:  rest.Config{Host: server, BearerToken: "t"},
		},
		"insecure": {
			given: block{"host": server, "insecure": true},
			want:  rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		},
		"insecure turned off beside a certificate": {
			given: block{"host": server, "insecure": false, "cluster_ca_certificate": mine.Certificate},
			env:   map[string]string{"KUBE_INSECURE": "true"},
			want:  rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(mine.Certificate)}},
		},
		"tls_server_name": {
			given: block{"host": server, "tls_server_name": "api.test"},
			want:  rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{ServerName: "api.test"}},
		},
		"certificates": {
			given: block{"host": server, "client_certificate": mine.Certificate, "client_key": mine.Key, "cluster_ca_certificate": theirs.Certificate},
			want: rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{
				CertData: []byte(mine.Certificate), KeyData: []byte(mine.Key), CAData: []byte(theirs.Certificate),
			}},
		},
		"proxy_url": {
			given:     block{"host": server, "proxy_url": "socks5://127.0.0.1:1080"},
			want:      rest.Config{Host: server},
			wantProxy: "socks5://127.0.0.1:1080",
		},
		"exec": {
			given: block{"host": server, "exec": exec{
				apiVersion: "client.authentication.k8s.io/v1", command: "get-token",
				args: []string{"--cluster", "c"}, env: map[string]string{"B": "2", "A": "1"},
			}},
			want: rest.Config{Host: server, ExecProvider: &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1", Command: "get-token", Args: []string{"--cluster", "c"},
				Env:             []clientcmdapi.ExecEnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}},
				InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode,
			}},
		},
		"qps without burst_limit": {
			given: block{"host": server, "qps": 12.5},
			want:  rest.Config{Host: server, QPS: 12.5},
		},
		"qps and burst_limit": {
			given: block{"host": server, "qps": 12.5, "burst_limit": 25},
			want:  rest.Config{Host: server, QPS: 12.5, Burst: 25},
		},

		"everything of a server from the environment": {
			env: map[string]string{
				"KUBE_HOST": server, "KUBE_TLS_SERVER_NAME": "api.test", "KUBE_CLUSTER_CA_CERT_DATA": theirs.Certificate,
				"KUBE_TOKEN": "t", "KUBE_CLIENT_CERT_DATA": mine.Certificate, "KUBE_CLIENT_KEY_DATA": mine.Key,
				"KUBE_PROXY_URL": "http://127.0.0.1:3128",
			},
			want: rest.Config{Host: server, BearerToken: "t", TLSClientConfig: rest.TLSClientConfig{
				ServerName: "api.test", CertData: []byte(mine.Certificate), KeyData: []byte(mine.Key), CAData: []byte(theirs.Certificate),
			}},
			wantProxy: "http://127.0.0.1:3128",
		},
		"insecure from the environment": {
			env:  map[string]string{"KUBE_HOST": server, "KUBE_INSECURE": "1"},
			want: rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		},
		"the configuration before the environment": {
			given: block{"host": server, "token": "t", "tls_server_name": "api.test", "proxy_url": "http://127.0.0.1:3128"},
			env: map[string]string{
				"KUBE_HOST": "https://127.0.0.1:1", "KUBE_TOKEN": "other", "KUBE_TLS_SERVER_NAME": "other.test", "KUBE_PROXY_URL": "http://127.0.0.1:1",
			},
			want:      rest.Config{Host: server, BearerToken: "t", TLSClientConfig: rest.TLSClientConfig{ServerName: "api.test"}},
			wantProxy: "http://127.0.0.1:3128",
		},
		"an argument given as empty hides the environment": {
			given: block{"host": server, "token": ""},
			env:   map[string]string{"KUBE_TOKEN": "other"},
			want:  rest.Config{Host: server},
		},
		"half of a pair from the environment": {
			given: block{"host": server, "client_certificate": mine.Certificate},
			env:   map[string]string{"KUBE_CLIENT_KEY_DATA": mine.Key},
			want: rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{
				CertData: []byte(mine.Certificate), KeyData: []byte(mine.Key),
			}},
		},

		"the current context of a kubeconfig": {
			files:     map[string]string{"a": redAndBlue},
			given:     block{"config_path": "$DIR/a"},
			want:      rest.Config{Host: "https://127.0.0.1:1001", BearerToken: "red-token", TLSClientConfig: rest.TLSClientConfig{ServerName: "red.test"}},
			wantProxy: "http://127.0.0.1:3001",
		},
		"a path in the home directory": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "~/a", "config_context": "blue"},
			want:  blue,
		},
		"a kubeconfig and its context from the environment": {
			files: map[string]string{"a": redAndBlue},
			env:   map[string]string{"KUBE_CONFIG_PATH": "$DIR/a", "KUBE_CTX": "blue"},
			want:  blue,
		},
		"another user and another cluster than the context's": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "$DIR/a", "config_context_auth_info": "red-user", "config_context_cluster": "blue-cluster"},
			want:  rest.Config{Host: "https://127.0.0.1:1002", BearerToken: "red-token"},
		},
		"another user and another cluster from the environment": {
			files: map[string]string{"a": redAndBlue},
			env:   map[string]string{"KUBE_CONFIG_PATH": "~/a", "KUBE_CTX_AUTH_INFO": "red-user", "KUBE_CTX_CLUSTER": "blue-cluster"},
			want:  rest.Config{Host: "https://127.0.0.1:1002", BearerToken: "red-token"},
		},
		"a user and a cluster without a context": {
			files: map[string]string{"a": strings.Replace(redAndBlue, "current-context: red\n", "", 1)},
			given: block{"config_path": "$DIR/a", "config_context_auth_info": "red-user", "config_context_cluster": "blue-cluster"},
			want:  rest.Config{Host: "https://127.0.0.1:1002", BearerToken: "red-token"},
		},
		"several files, of which the first to name something counts": {
			files: map[string]string{
				"a": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}], current-context: x}`,
				"b": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:2"}}], users: [{name: u, user: {token: t}}], current-context: z}`,
				"c": `{contexts: [{name: x, context: {cluster: c, user: u}}]}`,
			},
			given: block{"config_paths": []string{"$DIR/a", "$DIR/b", "$DIR/c"}},
			want:  rest.Config{Host: "https://127.0.0.1:1", BearerToken: "t"},
		},
		"several files from the environment": {
			files: map[string]string{
				"a": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}], current-context: x}`,
				"b": `{contexts: [{name: x, context: {cluster: c, user: ""}}]}`,
			},
			env:  map[string]string{"KUBE_CONFIG_PATHS": "$DIR/a" + string(os.PathListSeparator) + string(os.PathListSeparator) + "~/b"},
			want: rest.Config{Host: "https://127.0.0.1:1"},
		},
		"config_paths before KUBE_CONFIG_PATH": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_paths": []string{"$DIR/a"}, "config_context": "blue"},
			env:   map[string]string{"KUBE_CONFIG_PATH": "$DIR/missing"},
			want:  blue,
		},
		"KUBE_CONFIG_PATH before KUBE_CONFIG_PATHS": {
			files: map[string]string{"a": redAndBlue},
			env:   map[string]string{"KUBE_CONFIG_PATH": "$DIR/a", "KUBE_CONFIG_PATHS": "$DIR/missing", "KUBE_CTX": "blue"},
			want:  blue,
		},
		"a file's own paths are relative to the file": {
			files: map[string]string{
				"ca.pem": theirs.Certificate,
				"token":  "from-the-file\n",
				"a": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1", certificate-authority: ca.pem}}],
					users: [{name: u, user: {tokenFile: token}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`,
			},
			given: block{"config_path": "$DIR/a"},
			want: rest.Config{
				Host: "https://127.0.0.1:1", BearerToken: "from-the-file\n", BearerTokenFile: "$DIR/token",
				TLSClientConfig: rest.TLSClientConfig{CAFile: "$DIR/ca.pem"},
			},
		},
		"an auth-provider": {
			files: map[string]string{"a": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}],
				users: [{name: u, user: {auth-provider: {name: oidc, config: {client-id: me, idp-issuer-url: "https://127.0.0.1:1"}}}}],
				contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`},
			given: block{"config_path": "$DIR/a"},
			want: rest.Config{Host: "https://127.0.0.1:1", AuthProvider: &clientcmdapi.AuthProviderConfig{
				Name: "oidc", Config: map[string]string{"client-id": "me", "idp-issuer-url": "https://127.0.0.1:1"},
			}},
		},

		"arguments over the cluster of a kubeconfig": {
			files: map[string]string{"a": redAndBlue},
			given: block{
				"config_path": "$DIR/a", "host": server, "tls_server_name": "api.test",
				"cluster_ca_certificate": theirs.Certificate, "proxy_url": "http://127.0.0.1:3128",
			},
			want: rest.Config{Host: server, BearerToken: "red-token", TLSClientConfig: rest.TLSClientConfig{
				ServerName: "api.test", CAData: []byte(theirs.Certificate),
			}},
			wantProxy: "http://127.0.0.1:3128",
		},
		"insecure over the certificate of a kubeconfig": {
			files: map[string]string{"a": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1", certificate-authority-data: "` +
				base64.StdEncoding.EncodeToString([]byte(theirs.Certificate)) + `"}}], contexts: [{name: x, context: {cluster: c, user: ""}}], current-context: x}`},
			given: block{"config_path": "$DIR/a", "insecure": true},
			want:  rest.Config{Host: "https://127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		},
		"a token over the token file of a kubeconfig": {
			files: map[string]string{
				"token": "from-the-file",
				"a": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}], users: [{name: u, user: {tokenFile: token}}],
					contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`,
			},
			given: block{"config_path": "$DIR/a", "token": "t"},
			want:  rest.Config{Host: "https://127.0.0.1:1", BearerToken: "t"},
		},
		"a token over the password of a kubeconfig": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "$DIR/a", "config_context": "blue", "token": "t"},
			want:  rest.Config{Host: "https://127.0.0.1:1002", BearerToken: "t"},
		},
		"a token over the password of another user than the context's": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "$DIR/a", "config_context_auth_info": "blue-user", "config_context_cluster": "blue-cluster", "token": "t"},
			want:  rest.Config{Host: "https://127.0.0.1:1002", BearerToken: "t"},
		},
		"a token over the certificate of a kubeconfig, which the server would prefer": {
			files: map[string]string{"a": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}],
				users: [{name: u, user: {as: somebody, client-certificate: cert.pem, client-key: key.pem}}],
				contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`},
			given: block{"config_path": "$DIR/a", "token": "t"},
			want:  rest.Config{Host: "https://127.0.0.1:1", BearerToken: "t", Impersonate: rest.ImpersonationConfig{UserName: "somebody"}},
		},
		"a token over the exec of a kubeconfig": {
			files: map[string]string{"a": `{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}], users: [{name: u, user: {exec: {
				apiVersion: client.authentication.k8s.io/v1, command: c, interactiveMode: Never}}}],
				contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`},
			given: block{"config_path": "$DIR/a", "token": "t"},
			want:  rest.Config{Host: "https://127.0.0.1:1", BearerToken: "t"},
		},
		"exec over the token of a kubeconfig": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "$DIR/a", "host": server, "exec": exec{apiVersion: "client.authentication.k8s.io/v1beta1", command: "c"}},
			want: rest.Config{Host: server, ExecProvider: &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1beta1", Command: "c", InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode,
			}},
			wantProxy: "http://127.0.0.1:3001",
		},
		"a context from the environment does no harm beside host": {
			given: block{"host": server},
			env:   map[string]string{"KUBE_CTX": "blue"},
			want:  rest.Config{Host: server},
		},

		"nothing in a pod": {
			files: map[string]string{"ca.pem": theirs.Certificate, "token": "pod-token"},
			env:   map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1"},
			pod:   &rest.Config{Host: server, BearerToken: "pod-token"},
			want:  rest.Config{Host: server, BearerToken: "pod-token"},
		},
		"another token in a pod": {
			given: block{"token": "t"},
			env:   map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1"},
			pod:   &rest.Config{Host: server, BearerToken: "pod-token", BearerTokenFile: "/nowhere/token"},
			want:  rest.Config{Host: server, BearerToken: "t"},
		},
		"a host in a pod gets nothing of the pod's": {
			given: block{"host": "https://127.0.0.1:1"},
			env:   map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1"},
			pod:   &rest.Config{Host: server, BearerToken: "pod-token"},
			want:  rest.Config{Host: "https://127.0.0.1:1"},
		},
		"a kubeconfig in a pod gets nothing of the pod's": {
			files: map[string]string{"a": redAndBlue},
			env:   map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBE_CONFIG_PATH": "$DIR/a", "KUBE_CTX": "blue"},
			pod:   &rest.Config{Host: server, BearerToken: "pod-token"},
			want:  blue,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, proxy, found := clientConfigOf(t, test.files, test.given, test.env, test.pod)
			if len(found) > 0 {
				t.Fatal(found)
			}
			for _, path := range []*string{&got.BearerTokenFile, &got.CAFile} {
				if *path != "" {
					*path = "$DIR/" + filepath.Base(*path)
				}
			}
			test.want.UserAgent = "terraform-provider-cas/1.2.3"
			if test.want.QPS == 0 {
				test.want.QPS = -1
			}
			functions := cmpopts.IgnoreFields(rest.Config{}, "Proxy", "AuthConfigPersister")
			if diff := cmp.Diff(&test.want, got, functions, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the client's configuration (-want +got):\n%s", diff)
			}
			if proxy != test.wantProxy {
				t.Errorf("the proxy is %q, want %q", proxy, test.wantProxy)
			}
		})
	}
}

func TestClientConfig_refused(t *testing.T) {
	t.Parallel()
	mine, theirs := testcluster.NewIdentity(t), testcluster.NewIdentity(t)
	const secret = "s3cret"
	one := func(path, summary, detail string) []problem { return []problem{{path, summary, detail}} }

	const pair = "client_certificate must be a PEM-encoded certificate, and client_key its PEM-encoded key: "
	const hint = "; use file() for the path of a file, and base64decode() for base64."
	nowhere := one("", "Missing Kubernetes Configuration", "Nothing says which Kubernetes cluster to use.")

	type test struct {
		files map[string]string
		given block
		env   map[string]string
		want  []problem
	}
	inFile := func(kubeconfig, detail string) test { // that config_path names
		return test{files: map[string]string{"a": kubeconfig}, given: block{"config_path": "$DIR/a"}, want: one("config_path", "Invalid Kubeconfig", detail)}
	}
	ofCluster := func(kubeconfig, detail string) test { // of a cluster that an argument overrides
		overridden := inFile(kubeconfig, detail)
		overridden.want[0].Summary = "Invalid Provider Argument"
		return overridden
	}
	tests := map[string]test{
		"nothing": {
			want: nowhere,
		},
		"empty variables": {
			env:  map[string]string{"KUBE_HOST": "", "KUBE_CONFIG_PATH": "", "KUBE_CONFIG_PATHS": ":", "KUBE_INSECURE": ""},
			want: nowhere,
		},
		"kubectl's variable": {
			files: map[string]string{"a": redAndBlue},
			env:   map[string]string{"KUBECONFIG": "$DIR/a", "KUBERNETES_MASTER": server},
			want:  nowhere,
		},
		"a token, but no server": {
			given: block{"token": secret},
			want:  nowhere,
		},
		"a pod without a service account": {
			env: map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1"},
			want: one("", "Missing Kubernetes Configuration", "Nothing says which Kubernetes cluster to use. The service account of this pod "+
				"cannot be used: "+rest.ErrNotInCluster.Error()+"."),
		},
		"a context without a kubeconfig": {
			given: block{"host": server, "config_context": "blue"},
			want:  one("config_context", "Invalid Kubeconfig", "config_context must be a context of the kubeconfig, not \"blue\".\n\n  Existing contexts:  (none)\n\nSet config_path to another kubeconfig."),
		},
		"a context from the environment, in a pod": {
			env:  map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBE_CTX": "blue"},
			want: one("", "Invalid Kubeconfig", "KUBE_CTX must be a context of the kubeconfig, not \"blue\".\n\n  Existing contexts:  (none)\n\nSet config_path to another kubeconfig."),
		},

		"a missing file": {
			given: block{"config_path": "$DIR/a"},
			want:  one("config_path", "Invalid Kubeconfig", `The kubeconfig file "$DIR/a", from config_path, cannot be read: no such file or directory.`),
		},
		"a missing file from the environment": {
			env:  map[string]string{"KUBE_CONFIG_PATH": "~/a"},
			want: one("", "Invalid Kubeconfig", `The kubeconfig file "$DIR/a", from KUBE_CONFIG_PATH, cannot be read: no such file or directory.`),
		},
		"a missing file among several": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_paths": []string{"$DIR/a", "$DIR/b"}},
			want:  one("config_paths[1]", "Invalid Kubeconfig", `The kubeconfig file "$DIR/b", from config_paths, cannot be read: no such file or directory.`),
		},
		"a directory": {
			given: block{"config_path": "~"},
			want:  one("config_path", "Invalid Kubeconfig", `The kubeconfig file "$DIR", from config_path, cannot be read: is a directory.`),
		},
		"somebody else's home": {
			given: block{"config_path": "~root/a"},
			want:  one("config_path", "Invalid Kubeconfig", `The kubeconfig file "~root/a", from config_path, cannot be read: no such file or directory.`),
		},
		"a file that is no YAML":              inFile("users:\n- {token: "+secret, `The kubeconfig file "$DIR/a", from config_path, cannot be read: it is not a kubeconfig in YAML or JSON. `+"`kubectl config view --kubeconfig=PATH`"+` shows the error.`),
		"a file that is just a token":         inFile(secret, `The kubeconfig file "$DIR/a", from config_path, cannot be read: it is not a kubeconfig in YAML or JSON. `+"`kubectl config view --kubeconfig=PATH`"+` shows the error.`),
		"a file with a field of another type": inFile("users: "+secret, `The kubeconfig file "$DIR/a", from config_path, cannot be read: it is not a kubeconfig in YAML or JSON. `+"`kubectl config view --kubeconfig=PATH`"+` shows the error.`),
		"a file of another kind":              inFile("{apiVersion: v1, kind: Secret}", `The kubeconfig file "$DIR/a", from config_path, cannot be read: it is not a kubeconfig in YAML or JSON. `+"`kubectl config view --kubeconfig=PATH`"+` shows the error.`),
		"an empty file, in a pod": {
			files: map[string]string{"a": ""},
			given: block{"config_path": "$DIR/a"},
			env:   map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1"},
			want: one("config_path", "Invalid Kubeconfig",
				"config_context, or the current context of the kubeconfig, must be a context of the kubeconfig, not \"\".\n\n  Existing contexts:  (none)\n\nSet config_path to another kubeconfig."),
		},

		"an unknown context": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "$DIR/a", "config_context": "green"},
			want:  one("config_context", "Invalid Kubeconfig", "config_context must be a context of the kubeconfig, not \"green\".\n\n  Existing contexts:  red, blue\n\nUse one of these."),
		},
		"an unknown context from the environment": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "$DIR/a"},
			env:   map[string]string{"KUBE_CTX": "green"},
			want:  one("", "Invalid Kubeconfig", "KUBE_CTX must be a context of the kubeconfig, not \"green\".\n\n  Existing contexts:  red, blue\n\nUse one of these."),
		},
		"an unknown current context": inFile(strings.Replace(redAndBlue, "current-context: red", "current-context: green", 1), "config_context, or the current context of the kubeconfig, must be a context of the kubeconfig, not \"green\".\n\n  Existing contexts:  red, blue\n\nUse one of these."),
		"no current context":         inFile(strings.Replace(redAndBlue, "current-context: red", "", 1), "config_context, or the current context of the kubeconfig, must be a context of the kubeconfig, not \"\".\n\n  Existing contexts:  red, blue\n\nUse one of these."),
		"an unknown user": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "$DIR/a", "config_context_auth_info": "green"},
			want:  one("config_context_auth_info", "Invalid Kubeconfig", "config_context_auth_info must be a user of the kubeconfig, not \"green\".\n\n  Existing users:  red-user, blue-user\n\nUse one of these."),
		},
		"an unknown cluster": {
			files: map[string]string{"a": redAndBlue},
			given: block{"config_path": "$DIR/a", "config_context_cluster": "green"},
			want:  one("config_context_cluster", "Invalid Kubeconfig", "config_context_cluster must be a cluster of the kubeconfig, not \"green\".\n\n  Existing clusters:  red-cluster, blue-cluster\n\nUse one of these."),
		},
		"a context whose user is missing":      inFile(strings.Replace(redAndBlue, "name: red-user", "name: green-user", 1), "config_context_auth_info, or the user of the context \"red\", must be a user of the kubeconfig, not \"red-user\".\n\n  Existing users:  green-user, blue-user\n\nUse one of these."),
		"a context whose cluster is missing":   inFile(strings.Replace(redAndBlue, "name: red-cluster", "name: green-cluster", 1), "config_context_cluster, or the cluster of the context \"red\", must be a cluster of the kubeconfig, not \"red-cluster\".\n\n  Existing clusters:  green-cluster, blue-cluster\n\nUse one of these."),
		"a cluster without a server":           ofCluster(strings.Replace(redAndBlue, "server: \"https://127.0.0.1:1001\", ", "", 1), `host, or the server of the cluster "red-cluster", must be a URL such as https://10.0.0.1:6443, without a user name, query or fragment.`),
		"a cluster whose proxy cannot be used": ofCluster(strings.Replace(redAndBlue, "http://127.0.0.1:3001", "ftp://u:"+secret+"@127.0.0.1", 1), `proxy_url, or that of the cluster "red-cluster", must be a URL with the scheme http, https or socks5.`),
		"a user whose certificate is missing": {
			files: map[string]string{"a": strings.Replace(redAndBlue, "token: red-token", "client-certificate: /nowhere/cert, client-key: /nowhere/key", 1)},
			given: block{"config_path": "$DIR/a"},
			want: one("config_path", "Invalid Kubeconfig", "The client cannot be configured: invalid configuration: ["+
				"unable to read client-cert /nowhere/cert for red-user due to open /nowhere/cert: no such file or directory, "+
				"unable to read client-key /nowhere/key for red-user due to open /nowhere/key: no such file or directory]."),
		},
		"a cluster whose certificate is none": inFile(strings.Replace(redAndBlue, "tls-server-name: red.test", "certificate-authority-data: eA==", 1), "The client cannot be configured: unable to load root certificates: unable to parse bytes as PEM block."),

		"host without a scheme": {
			given: block{"host": "127.0.0.1:6443"},
			want:  one("host", "Invalid Provider Argument", "host must be a URL such as https://10.0.0.1:6443, without a user name, query or fragment."),
		},
		"host without a host": {
			given: block{"host": "https:///api"},
			want:  one("host", "Invalid Provider Argument", "host must be a URL such as https://10.0.0.1:6443, without a user name, query or fragment."),
		},
		"a variable that is no URL": {
			env:  map[string]string{"KUBE_HOST": "localhost:6443"},
			want: one("", "Invalid Provider Argument", "KUBE_HOST must be a URL such as https://10.0.0.1:6443, without a user name, query or fragment."),
		},
		"host with a password": {
			given: block{"host": "https://u:" + secret + "@127.0.0.1:6443"},
			want:  one("", "Invalid Provider Argument", "host must be a URL such as https://10.0.0.1:6443, without a user name, query or fragment."),
		},
		"host with a query": {
			given: block{"host": server + "?a=b"},
			want:  one("host", "Invalid Provider Argument", "host must be a URL such as https://10.0.0.1:6443, without a user name, query or fragment."),
		},
		"proxy_url with another scheme": {
			given: block{"host": server, "proxy_url": "ftp://u:" + secret + "@127.0.0.1"},
			want:  one("", "Invalid Provider Argument", "proxy_url must be a URL with the scheme http, https or socks5."),
		},
		"certificates that are none": {
			given: block{"host": server, "client_certificate": mine.Key, "client_key": mine.Certificate, "cluster_ca_certificate": secret},
			want: []problem{
				{"cluster_ca_certificate", "Invalid Provider Argument", "cluster_ca_certificate must be a PEM-encoded certificate" + hint},
				{"", "Invalid Provider Argument", pair + "tls: failed to find certificate PEM data in certificate input, " +
					"but did find a private key; PEM inputs may have been switched" + hint},
			},
		},
		"a certificate still in base64": {
			given: block{"host": server, "cluster_ca_certificate": base64.StdEncoding.EncodeToString([]byte(mine.Certificate))},
			want: one("cluster_ca_certificate", "Invalid Provider Argument",
				"cluster_ca_certificate must be a PEM-encoded certificate"+hint),
		},
		"the path of a key": {
			given: block{"host": server, "client_certificate": mine.Certificate, "client_key": "~/key.pem"},
			want: one("client_certificate", "Invalid Provider Argument",
				pair+"tls: failed to find any PEM data in key input"+hint),
		},
		"a key of another certificate": {
			given: block{"host": server, "client_certificate": mine.Certificate, "client_key": theirs.Key},
			want:  one("client_certificate", "Invalid Provider Argument", pair+"tls: private key does not match public key"+hint),
		},
		"a certificate without its key": {
			given: block{"host": server, "client_certificate": mine.Certificate},
			want:  one("client_certificate", "Invalid Provider Argument", "client_certificate needs client_key (KUBE_CLIENT_KEY_DATA) as well."),
		},
		"a key without its certificate": {
			env:  map[string]string{"KUBE_HOST": server, "KUBE_CLIENT_KEY_DATA": mine.Key},
			want: one("", "Invalid Provider Argument", "KUBE_CLIENT_KEY_DATA needs client_certificate (KUBE_CLIENT_CERT_DATA) as well."),
		},
		"a token over plain HTTP": {
			given: block{"host": "http://127.0.0.1:8001"},
			env:   map[string]string{"KUBE_TOKEN": secret},
			want:  one("host", "Invalid Provider Argument", "host must be an https URL: client-go never sends KUBE_TOKEN over plain HTTP."),
		},
		"a literal token over plain HTTP": {
			given: block{"host": "http://127.0.0.1:8001", "token": secret},
			want:  one("host", "Invalid Provider Argument", "host must be an https URL: client-go never sends token over plain HTTP."),
		},
		"exec over plain HTTP": {
			given: block{"host": "http://127.0.0.1:8001", "exec": exec{apiVersion: "client.authentication.k8s.io/v1", command: "c"}},
			want:  one("host", "Invalid Provider Argument", "host must be an https URL: client-go never sends exec over plain HTTP."),
		},

		"the environment's insecure beside a certificate": {
			given: block{"host": server, "cluster_ca_certificate": mine.Certificate},
			env:   map[string]string{"KUBE_INSECURE": "true"},
			want:  one("", "Conflicting Provider Arguments", "KUBE_INSECURE and cluster_ca_certificate must not be set together."),
		},
		"insecure beside a certificate": {
			given: block{"host": server, "insecure": true, "cluster_ca_certificate": mine.Certificate},
			want:  one("insecure", "Conflicting Provider Arguments", "insecure and cluster_ca_certificate must not be set together."),
		},
		"exec beside the environment's token": {
			given: block{"host": server, "exec": exec{apiVersion: "client.authentication.k8s.io/v1", command: "c"}},
			env:   map[string]string{"KUBE_TOKEN": secret},
			want:  one("exec", "Conflicting Provider Arguments", "exec and KUBE_TOKEN must not be set together."),
		},
		"a kubeconfig in place of its path": {
			given: block{"config_path": "{users: [{name: u, user: {token: " + secret + "}}]}"},
			want: one("", "Invalid Provider Argument",
				"config_path must be the path of a kubeconfig file, but its value looks like the content of one."),
		},
		"a kubeconfig in place of its path, from the environment": {
			env: map[string]string{"KUBE_CONFIG_PATHS": "apiVersion: v1\nusers: [{name: u, user: {token: " + secret + "}}]"},
			want: one("", "Invalid Provider Argument",
				"KUBE_CONFIG_PATHS must be the path of a kubeconfig file, but its value looks like the content of one."),
		},
		"a variable that is no boolean": {
			given: block{"host": server},
			env:   map[string]string{"KUBE_INSECURE": "yes"},
			want:  one("", "Invalid Environment Variable", `The environment variable KUBE_INSECURE must be true or false, not "yes".`),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, found := clientConfigOf(t, test.files, test.given, test.env, nil)
			if diff := cmp.Diff(test.want, found); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			for _, p := range found {
				if strings.Contains(p.Detail, secret) {
					t.Errorf("a secret is shown: %s", p.Detail)
				}
			}
		})
	}
}

func TestClientConfig_noHomeDirectory(t *testing.T) {
	t.Parallel()
	env := emptyEnvironment(nil)
	env.HomeDir = func() (string, error) { return "", errors.New("$HOME is not defined") }
	_, diags := env.ClientConfig(t.Context(), providerModelOf(t, block{"config_path": "~/.kube/config"}), "terraform-provider-cas/test")
	want := []problem{{"config_path", "Invalid Provider Argument", "config_path must not begin with ~: $HOME is not defined."}}
	if diff := cmp.Diff(want, problems(diags)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// The pod's files are where no test can put them: what can be tested is that the process is asked.
func TestProcessEnvironment_inCluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "6443")
	config, err := connect.Process().InCluster()
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("outside a pod, the token's file is what is missing, not: %v", err)
		}
		return
	}
	if config.Host != server {
		t.Errorf("the pod's server is %s, want %s", config.Host, server)
	}
}

func TestWaysToConfigure(t *testing.T) {
	t.Parallel()
	const want = "Nothing says which Kubernetes cluster to use." + waysToConfigure
	_, diags := emptyEnvironment(nil).ClientConfig(t.Context(), providerModelOf(t, nil), "terraform-provider-cas/test")
	if len(diags) != 1 || diags[0].Detail() != want {
		t.Errorf("diagnostics: %v\nwant one: %s", diags, want)
	}
}
