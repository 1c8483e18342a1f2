package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientauthenticationv1 "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/connect"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var readConfigMaps = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}}

// testmap makes a namespace with the ConfigMap that the tests of authentication read.
func testmap(t *testing.T, cluster *testcluster.Cluster) eval.Ref {
	t.Helper()
	ref := eval.Ref{Namespace: cluster.Namespace(t), Name: "testmap"}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: ref.Name}, Data: map[string]string{"foo": "1"}}
	if _, err := cluster.Client().CoreV1().ConfigMaps(ref.Namespace).Create(t.Context(), cm, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return ref
}

// reads configures the provider and has its engine read the ConfigMap.
func reads(t *testing.T, env connect.Environment, given block, ref eval.Ref) error {
	t.Helper()
	live, err := configured(t, env, given).Engine.Observe(t.Context(), ref, "", 0)
	if err != nil {
		return err
	}
	if got, want := live.Value("foo"), eval.Text("1"); got != want {
		return fmt.Errorf("foo holds %v, want %v", got, want)
	}
	return nil
}

// credentialPlugin writes a command that prints the token as an exec plugin does, if it is called as it should be.
func credentialPlugin(t *testing.T, token string) string {
	t.Helper()
	credential, err := json.Marshal(clientauthenticationv1.ExecCredential{
		TypeMeta: metav1.TypeMeta{APIVersion: clientauthenticationv1.SchemeGroupVersion.String(), Kind: "ExecCredential"},
		Status:   &clientauthenticationv1.ExecCredentialStatus{Token: token},
	})
	if err != nil {
		t.Fatal(err)
	}
	script := `#!/bin/sh
test "$1 $2" = "get-token --cluster=a b" || exit 1
test "$PROFILE" = "c d" || exit 2
cat <<'JSON'
` + string(credential) + "\nJSON\n"
	command := filepath.Join(t.TempDir(), "plugin")
	if err := os.WriteFile(command, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return command
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	cluster := testcluster.Shared(t)
	ref := testmap(t, cluster)
	admin := cluster.Config
	token := testcluster.ServiceAccount(t, cluster, ref.Namespace, "reader", readConfigMaps)
	nobody := testcluster.ServiceAccount(t, cluster, ref.Namespace, "nobody")
	kubeconfig := cluster.Kubeconfig(t, admin)
	server := block{"host": admin.Host, "cluster_ca_certificate": string(admin.CAData)}
	with := func(more block) block {
		given := block{}
		for _, part := range []block{server, more} {
			for name, value := range part {
				given[name] = value
			}
		}
		return given
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(admin.Host, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := write(t, map[string]string{
		"context": `{current-context: closed, contexts: [
			{name: closed, context: {cluster: closed, user: testcluster}}, {name: open, context: {cluster: testcluster, user: testcluster}}]}`,
		"cluster": `{clusters: [{name: closed, cluster: {server: "https://127.0.0.1:1"}}]}`,
		"token":   token + "\n",
		"ca.pem":  string(admin.CAData),
	})
	certified := cluster.User(t, ref.Namespace+"-certified", ref.Namespace, readConfigMaps)
	pod := emptyEnvironment(map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1"})
	pod.InCluster = func() (*rest.Config, error) {
		file := filepath.Join(elsewhere, "token")
		content, err := os.ReadFile(file)
		return &rest.Config{
			Host: "https://127.0.0.1:" + port, BearerToken: string(content), BearerTokenFile: file,
			TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(elsewhere, "ca.pem")},
		}, err
	}

	tests := map[string]struct {
		env   connect.Environment
		given block
	}{
		"kubeconfig":                      {given: block{"config_path": kubeconfig}},
		"kubeconfig from the environment": {env: emptyEnvironment(map[string]string{"KUBE_CONFIG_PATH": kubeconfig})},
		"a context among several files": {given: block{
			"config_paths":   []string{filepath.Join(elsewhere, "context"), filepath.Join(elsewhere, "cluster"), kubeconfig},
			"config_context": "open",
		}},
		"another cluster than the context's": {env: emptyEnvironment(map[string]string{
			"KUBE_CONFIG_PATHS": strings.Join([]string{filepath.Join(elsewhere, "context"), filepath.Join(elsewhere, "cluster"), kubeconfig}, string(os.PathListSeparator)),
			"KUBE_CTX_CLUSTER":  "testcluster",
		})},
		"a service account's token": {given: with(block{"token": token})},
		"everything from the environment": {env: emptyEnvironment(map[string]string{
			"KUBE_HOST": admin.Host, "KUBE_CLUSTER_CA_CERT_DATA": string(admin.CAData), "KUBE_TOKEN": token,
		})},
		"a client certificate": {given: with(block{"client_certificate": string(certified.CertData), "client_key": string(certified.KeyData)})},
		"a command": {given: with(block{"exec": exec{
			apiVersion: "client.authentication.k8s.io/v1", command: credentialPlugin(t, token),
			args: []string{"get-token", "--cluster=a b"}, env: map[string]string{"PROFILE": "c d"},
		}})},
		"insecure":                        {given: block{"host": admin.Host, "insecure": true, "token": token}},
		"another name in the certificate": {given: with(block{"tls_server_name": "localhost", "token": token})},
		"a pod's service account":         {env: pod},
		"a limit on requests":             {given: with(block{"token": token, "qps": 100.0, "burst_limit": 10})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.env.Getenv == nil {
				test.env = emptyEnvironment(nil)
			}
			if err := reads(t, test.env, test.given, ref); err != nil {
				t.Error(err)
			}
		})
	}

	t.Run("a token without rights", func(t *testing.T) {
		t.Parallel()
		wantRefused(t, reads(t, emptyEnvironment(nil), with(block{"token": nobody}), ref), ref.Namespace+":nobody")
	})
	t.Run("a token instead of the kubeconfig's certificate", func(t *testing.T) {
		t.Parallel()
		wantRefused(t, reads(t, emptyEnvironment(nil), block{"config_path": kubeconfig, "token": nobody}, ref), ref.Namespace+":nobody")
	})
	t.Run("a token that is none", func(t *testing.T) {
		t.Parallel()
		wantRefused(t, reads(t, emptyEnvironment(nil), with(block{"token": "s3cret"}), ref), "Unauthorized")
	})
	t.Run("the wrong name in the certificate", func(t *testing.T) {
		t.Parallel()
		wantUnreachable(t, reads(t, emptyEnvironment(nil), with(block{"tls_server_name": "api.test", "token": token}), ref), "not api.test")
	})
	t.Run("a server that nobody vouches for", func(t *testing.T) {
		t.Parallel()
		wantUnreachable(t, reads(t, emptyEnvironment(nil), block{"host": admin.Host, "token": token}, ref), "certificate signed by unknown authority")
	})
	t.Run("a command that fails", func(t *testing.T) {
		t.Parallel()
		given := with(block{"exec": exec{apiVersion: "client.authentication.k8s.io/v1", command: credentialPlugin(t, token)}})
		wantUnreachable(t, reads(t, emptyEnvironment(nil), given, ref), "failed with exit code 1")
	})
}

// wantRefused wants an answer of the server that says who it took us for.
func wantRefused(t *testing.T, err error, text string) {
	t.Helper()
	var unreachable *eval.UnreachableError
	if err == nil || errors.As(err, &unreachable) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v, want an answer that says %q", err, text)
	}
}

func wantUnreachable(t *testing.T, err error, text string) {
	t.Helper()
	var unreachable *eval.UnreachableError
	if !errors.As(err, &unreachable) || !strings.Contains(unreachable.Err.Error(), text) {
		t.Errorf("%v, want an unreachable server because of %q", err, text)
	}
}

// The token, the name of the server and the name of the client arrive at the server.
func TestAuthentication_serverName(t *testing.T) {
	t.Parallel()
	cluster := testcluster.Shared(t)
	ref := testmap(t, cluster)
	proxy := testcluster.NewSecureProxy(t, cluster)

	given := block{
		"host": proxy.URL, "cluster_ca_certificate": proxy.CA, "tls_server_name": "example.com", "token": "t",
	}
	if err := reads(t, emptyEnvironment(nil), given, ref); err != nil {
		t.Fatal(err)
	}

	if len(proxy.Headers) == 0 {
		t.Fatal("no request arrived")
	}
	for _, header := range proxy.Headers { // a slow machine makes several requests
		if got := header.Get("Authorization"); got != "Bearer t" {
			t.Errorf("the Authorization that arrived is %q", got)
		}
		if agent := header.Get("User-Agent"); agent != "terraform-provider-cas/test" {
			t.Errorf("the User-Agent that arrived is %q", agent)
		}
	}
	if want := []string{"example.com"}; !slices.Equal(slices.Compact(proxy.Names), want) {
		t.Errorf("the names asked for in the handshake are %q, want %q", proxy.Names, want)
	}
}

func TestProxyURL(t *testing.T) {
	t.Parallel()
	cluster := testcluster.Shared(t)
	ref := testmap(t, cluster)
	kubeconfig := cluster.Kubeconfig(t, cluster.Config)
	api, err := url.Parse(cluster.Config.Host)
	if err != nil {
		t.Fatal(err)
	}

	content, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(t.TempDir(), "through-a-closed-port")
	proxied := strings.Replace(string(content), "    server: ", "    proxy-url: http://127.0.0.1:1\n    server: ", 1)
	if err := os.WriteFile(closed, []byte(proxied), 0o600); err != nil {
		t.Fatal(err)
	}

	tests := map[string]func(proxy string) (connect.Environment, block){
		"argument": func(proxy string) (connect.Environment, block) {
			return emptyEnvironment(nil), block{"config_path": kubeconfig, "proxy_url": proxy}
		},
		"environment": func(proxy string) (connect.Environment, block) {
			return emptyEnvironment(map[string]string{"KUBE_PROXY_URL": proxy}), block{"config_path": kubeconfig}
		},
		"over the kubeconfig's": func(proxy string) (connect.Environment, block) {
			return emptyEnvironment(nil), block{"config_path": closed, "proxy_url": proxy}
		},
	}
	for name, configure := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, asked := testcluster.ForwardProxy(t)
			env, given := configure(proxy)
			if err := reads(t, env, given, ref); err != nil {
				t.Fatal(err)
			}
			if want := []string{api.Host}; !slices.Equal(asked(), want) {
				t.Errorf("the proxy was asked for %q, want %q", asked(), want)
			}
		})
	}

	t.Run("the kubeconfig's", func(t *testing.T) {
		t.Parallel()
		wantUnreachable(t, reads(t, emptyEnvironment(nil), block{"config_path": closed}, ref), "proxyconnect")
	})
}
