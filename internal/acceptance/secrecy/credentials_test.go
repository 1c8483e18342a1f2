package secrecy

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var writeConfigMaps = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "patch"}}

// secretPassword has what is written otherwise in each of the forms.
const secretPassword = `p"w/+ä &%` + "planted"

// plant notes a secret and returns it.
func (s *secretive) plant(name, secret string) string {
	s.secrets[name] = secret
	return secret
}

// file writes a file outside of the workspace, and returns its path.
func (s *secretive) file(content string, mode os.FileMode) string {
	s.Helper()
	path := filepath.Join(s.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		s.Fatal(err)
	}
	return path
}

func (s *secretive) env(name, value string) string {
	s.CLI.Env = append(s.CLI.Env, name+"="+value)
	return value
}

// server are the arguments for the API server, whose authority's certificate is none of the world's business either.
func (s *secretive) server(more ...string) map[string]string {
	given := map[string]string{"host": s.Cluster.Config.Host, "cluster_ca_certificate": s.plant("the authority", string(s.Cluster.Config.CAData))}
	for i := 0; i < len(more); i += 2 {
		given[more[i]] = more[i+1]
	}
	return given
}

// token is a token of a service account. The test looks for its signature: the rest has names that are no secret.
func (s *secretive) token() string {
	s.Helper()
	token := testcluster.ServiceAccount(s.T, s.Cluster, s.Namespace, "writer", writeConfigMaps)
	s.plant("the token", token[strings.LastIndex(token, ".")+1:])
	return token
}

// certificate is a client certificate of a user, and its key. Tests look for the certificate's signature only: its other parts include the namespace,
// which is no secret. A plan may hold that in base64, with the same letters as the certificate.
func (s *secretive) certificate() (certificate, key string) {
	s.Helper()
	user := s.Cluster.User(s, s.Namespace+"-writer", s.Namespace, writeConfigMaps)
	certificate = string(user.CertData)
	end := strings.LastIndex(certificate, "\n-----END")
	s.plant("the certificate", certificate[end-2*fixture.Window:end])
	return certificate, s.plant("the key", string(user.KeyData))
}

// command are the arguments, and the block, of a command that gets secrets and does what the script says.
func (s *secretive) command(script string) (arguments map[string]string, block string) {
	s.Helper()
	return s.server(
			onlyVariable+"argument", s.plant("the command's argument", "argument-"+secretPassword),
			onlyVariable+"variable", s.plant("the command's variable", "variable-"+secretPassword)),
		fmt.Sprintf("exec {\n  api_version = \"client.authentication.k8s.io/v1\"\n  command = %q\n  args = [var.%sargument]\n  env = { SECRET = var.%svariable }\n}\n",
			s.file("#!/bin/sh\n"+script, 0o700), onlyVariable, onlyVariable)
}

func credential(token string) string {
	return `cat <<'JSON'
{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "` + token + `"}}
JSON
`
}

// kubeconfig is a kubeconfig file for the API server with the given user.
func (s *secretive) kubeconfigOf(server, authority, user string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s, tls-server-name: %s}}]
users: [{name: u, user: {%s}}]
`, server, s.encoded("the authority", authority), "localhost", user)
}

// passwordFor returns the arguments of a kubeconfig with a user name and a password.
func (s *secretive) passwordFor(server, authority string) map[string]string {
	user := fmt.Sprintf("username: somebody, password: %q", s.plant("the password", secretPassword))
	config := strings.Replace(s.kubeconfigOf(server, authority, user), "localhost", "127.0.0.1", 1)
	return map[string]string{"config_path": s.file(config, 0o600)}
}

func (s *secretive) encoded(name, secret string) string {
	return fixture.Base64Of(s.plant(name, secret))
}

// servant answers all requests in one way, over TLS.
func (s *secretive) servant(answer http.HandlerFunc) (address, authority string) {
	server := httptest.NewTLSServer(answer)
	s.Cleanup(server.Close)
	return server.URL, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

// credentialed is a way to authenticate, or a way to fail at it.
type credentialed struct {
	// configure plants the secrets and says what the provider is given, and what its block has besides.
	configure func(s *secretive) (arguments map[string]string, block string)
	// invalid is the message of a provider that cannot be configured. The test then only plans.
	invalid string
	// fails is the message of a plan and an apply that cannot succeed. A run succeeds if it is empty as well.
	fails string
	// found has the places that may contain a secret, and who stores it there. Anything else is a leak.
	found map[string][]string
}

var credentials = map[string]credentialed{
	"a token": {configure: func(s *secretive) (map[string]string, string) { return s.server("token", s.token()), "" }},
	"a token from the environment": {configure: func(s *secretive) (map[string]string, string) {
		s.env("KUBE_HOST", s.Cluster.Config.Host)
		s.env("KUBE_CLUSTER_CA_CERT_DATA", s.plant("the authority", string(s.Cluster.Config.CAData)))
		s.env("KUBE_TOKEN", s.token())
		return nil, ""
	}},
	"a client certificate": {configure: func(s *secretive) (map[string]string, string) {
		certificate, key := s.certificate()
		return s.server("client_certificate", certificate, "client_key", key), ""
	}},
	"a client certificate from the environment": {configure: func(s *secretive) (map[string]string, string) {
		certificate, key := s.certificate()
		s.env("KUBE_CLIENT_CERT_DATA", certificate)
		s.env("KUBE_CLIENT_KEY_DATA", key)
		return s.server(), ""
	}},
	"a password": {configure: func(s *secretive) (map[string]string, string) {
		proxy := testcluster.NewSecureProxy(s.T, s.Cluster)
		return s.passwordFor(proxy.URL, proxy.CA), ""
	}},
	"a command": {configure: func(s *secretive) (map[string]string, string) { return s.command(credential(s.token())) }},
	"a kubeconfig with a certificate": {configure: func(s *secretive) (map[string]string, string) {
		certificate, key := s.certificate()
		return map[string]string{"config_path": s.file(s.kubeconfigOf(s.Cluster.Config.Host, string(s.Cluster.Config.CAData), fmt.Sprintf(
			"client-certificate-data: %s, client-key-data: %s", fixture.Base64Of(certificate), fixture.Base64Of(key))), 0o600)}, ""
	}},
	"a kubeconfig with a token": {configure: func(s *secretive) (map[string]string, string) {
		s.env("KUBE_CONFIG_PATH", s.file(s.kubeconfigOf(s.Cluster.Config.Host, string(s.Cluster.Config.CAData), "token: "+s.token()), 0o600))
		return nil, ""
	}},
	"a proxy": {configure: func(s *secretive) (map[string]string, string) {
		proxy, _ := testcluster.ForwardProxy(s.T)
		return s.server("token", s.token(), "proxy_url", s.withPassword(proxy)), ""
	}},

	"nobody listens": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		return s.server("host", "https://127.0.0.1:1", "token", s.plant("the token", "token-planted")), ""
	}},
	"nobody listens, for a password": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		return s.passwordFor("https://127.0.0.1:1", testcluster.NewIdentity(s.T).Certificate), ""
	}},
	"a token that is none": {fails: "Unauthorized", configure: func(s *secretive) (map[string]string, string) {
		return s.server("token", s.plant("the token", "token-planted")), ""
	}},
	"a token of two lines": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		return s.server("token", s.plant("the token", "token-planted\nof two lines")), ""
	}},
	"a host with a password": {invalid: "without a user name", configure: func(s *secretive) (map[string]string, string) {
		return map[string]string{"host": s.withPassword("https://127.0.0.1:1")}, ""
	}},
	"a kubeconfig's server with a password": {invalid: "without a user name", configure: func(s *secretive) (map[string]string, string) {
		return map[string]string{"config_path": s.file(s.kubeconfigOf(s.withPassword("https://127.0.0.1:1"), string(s.Cluster.Config.CAData), ""), 0o600)}, ""
	}},
	"an authority of others": {fails: "certificate signed by unknown authority", configure: func(s *secretive) (map[string]string, string) {
		return s.server("cluster_ca_certificate", s.plant("the other authority", testcluster.NewIdentity(s.T).Certificate), "token", s.plant("the token", "token-planted")), ""
	}},
	"a key of another certificate": {invalid: "does not match", configure: func(s *secretive) (map[string]string, string) {
		return s.server("client_certificate", s.plant("the certificate", testcluster.NewIdentity(s.T).Certificate), "client_key", s.plant("the key", testcluster.NewIdentity(s.T).Key)), ""
	}},
	"a key that is none": {invalid: "must be a PEM-encoded", configure: func(s *secretive) (map[string]string, string) {
		return s.server("client_certificate", s.plant("the certificate", "certificate-planted"), "client_key", s.plant("the key", "key-planted")), ""
	}},
	"a certificate that is spoilt": {invalid: "must be a PEM-encoded", configure: func(s *secretive) (map[string]string, string) {
		spoilt := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("certificate-planted-in-a-block")}))
		return s.server("client_certificate", s.plant("the certificate", spoilt), "client_key", s.plant("the key", testcluster.NewIdentity(s.T).Key)), ""
	}},
	"a certificate that the server does not know": {fails: "Unauthorized", configure: func(s *secretive) (map[string]string, string) {
		unknown := testcluster.NewIdentity(s.T)
		return s.server("client_certificate", s.plant("the certificate", unknown.Certificate), "client_key", s.plant("the key", unknown.Key)), ""
	}},
	"a kubeconfig that is no YAML": {invalid: "it is not a kubeconfig", configure: func(s *secretive) (map[string]string, string) {
		return map[string]string{"config_path": s.file("users: [{name: u, user: {token: \""+s.plant("the token", "token-planted")+"}]\n\tfoo", 0o600)}, ""
	}},
	"a kubeconfig with a list for a token": {invalid: "it is not a kubeconfig", configure: func(s *secretive) (map[string]string, string) {
		return map[string]string{"config_path": s.file(s.kubeconfigOf(s.Cluster.Config.Host, string(s.Cluster.Config.CAData), "token: ["+s.plant("the token", "token-planted")+"]"), 0o600)}, ""
	}},
	"a kubeconfig whose key is not base64": {invalid: "it is not a kubeconfig", configure: func(s *secretive) (map[string]string, string) {
		return map[string]string{"config_path": s.file(s.kubeconfigOf(s.Cluster.Config.Host, string(s.Cluster.Config.CAData), "client-key-data: "+s.plant("the key", "key-planted")), 0o600)}, ""
	}},
	"a kubeconfig whose key is none": {invalid: "The client cannot be configured", configure: func(s *secretive) (map[string]string, string) {
		return map[string]string{"config_path": s.file(s.kubeconfigOf(s.Cluster.Config.Host, string(s.Cluster.Config.CAData), fmt.Sprintf(
			"client-certificate-data: %s, client-key-data: %s", fixture.Base64Of(s.plant("the certificate", "certificate-planted")), fixture.Base64Of(s.plant("the key", "key-planted")))), 0o600)}, ""
	}},
	"a kubeconfig instead of its path": {invalid: "config_path must be the path of a kubeconfig file", configure: func(s *secretive) (map[string]string, string) {
		return map[string]string{"config_path": s.kubeconfigOf(s.Cluster.Config.Host, string(s.Cluster.Config.CAData), "token: "+s.plant("the token", "token-planted"))}, ""
	}},
	"a kubeconfig instead of its path, from the environment": {invalid: "KUBE_CONFIG_PATHS must be the path of a kubeconfig file", configure: func(s *secretive) (map[string]string, string) {
		s.env("KUBE_CONFIG_PATHS", s.kubeconfigOf(s.Cluster.Config.Host, string(s.Cluster.Config.CAData), "token: "+s.plant("the token", "token-planted")))
		return nil, ""
	}},
	"a command that fails": {
		fails: "failed with exit code 3",
		found: map[string][]string{"log": {"what it says"}}, // client-go hands on what it says on stderr: why it failed
		configure: func(s *secretive) (map[string]string, string) {
			return s.command(`echo "cannot refresh ` + s.plant("what it says", "said-planted") + `" >&2; echo ` + s.plant("the token", "token-planted") + "; exit 3")
		},
	},
	"a command that prints no credential": {fails: "decoding stdout", configure: func(s *secretive) (map[string]string, string) {
		return s.command("echo " + s.plant("the token", "token-planted"))
	}},
	"a command that prints another version": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		return s.command(strings.Replace(credential(s.plant("the token", "token-planted")), "k8s.io/v1", "k8s.io/v1alpha9", 1))
	}},
	"a command that prints a number for a token": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		return s.command(strings.Replace(credential(s.plant("the token", "1234567890123")), `"1234567890123"`, "1234567890123", 1))
	}},
	"a command that prints a key that is none": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		return s.command(strings.Replace(credential("x"), `"token": "x"`, fmt.Sprintf(`"clientCertificateData": %q, "clientKeyData": %q`,
			s.plant("the certificate", "certificate-planted"), s.plant("the key", "key-planted")), 1))
	}},
	"a proxy that is not there": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		return s.server("token", s.plant("the token", "token-planted"), "proxy_url", s.withPassword("http://127.0.0.1:1")), ""
	}},
	"a proxy that refuses": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "who is "+r.Header.Get("Proxy-Authorization"), http.StatusProxyAuthRequired)
		}))
		s.Cleanup(proxy.Close)
		return s.server("token", s.plant("the token", "token-planted"), "proxy_url", s.withPassword(proxy.URL)), ""
	}},
	"a proxy of the environment": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		s.env("HTTPS_PROXY", s.withPassword("http://127.0.0.1:1"))
		return s.server("host", "https://api.test:6443", "token", s.plant("the token", "token-planted")), "" // loopback is never proxied
	}},
	"a proxy of the environment that is no URL": {fails: "API Server Unreachable", configure: func(s *secretive) (map[string]string, string) {
		s.env("HTTPS_PROXY", s.withPassword("http://127.0.0.1:not-a-port"))
		return s.server("host", "https://127.0.0.1:1", "token", s.plant("the token", "token-planted")), ""
	}},
	"a proxy that is no URL": {invalid: "must be a URL with the scheme", configure: func(s *secretive) (map[string]string, string) {
		return s.server("token", s.plant("the token", "token-planted"), "proxy_url", s.withPassword("http://127.0.0.1:not-a-port")), ""
	}},
	"a kubeconfig's proxy that is no URL": {invalid: "must be a URL with the scheme", configure: func(s *secretive) (map[string]string, string) {
		config := s.kubeconfigOf(s.Cluster.Config.Host, string(s.Cluster.Config.CAData), "token: "+s.plant("the token", "token-planted"))
		return map[string]string{"config_path": s.file(strings.Replace(config, "cluster: {server", fmt.Sprintf("cluster: {proxy-url: %q, server", s.withPassword("http://127.0.0.1:not-a-port")), 1), 0o600)}, ""
	}},
	"a redirect": {fails: "302", configure: func(s *secretive) (map[string]string, string) {
		address, authority := s.servant(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
		return map[string]string{"host": address, "cluster_ca_certificate": s.plant("the authority", authority), "token": s.plant("the token", "token-planted")}, ""
	}},
	"a server that repeats the password": {fails: "who is", configure: func(s *secretive) (map[string]string, string) {
		address, authority := s.servant(func(w http.ResponseWriter, r *http.Request) {
			_, password, _ := r.BasicAuth()
			http.Error(w, "who is "+password+" of "+r.Header.Get("Authorization"), http.StatusForbidden)
		})
		return s.passwordFor(address, authority), ""
	}},
	"a server that repeats the token of a command": {fails: "who is", configure: func(s *secretive) (map[string]string, string) {
		address, authority := s.servant(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "who is "+r.Header.Get("Authorization"), http.StatusForbidden)
		})
		arguments, block := s.command(credential(s.plant("the token", "token-planted")))
		arguments["host"], arguments["cluster_ca_certificate"] = address, authority
		return arguments, block
	}},
	"a server that repeats the token": {fails: "who is", configure: func(s *secretive) (map[string]string, string) {
		address, authority := s.servant(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "who is "+r.Header.Get("Authorization"), http.StatusForbidden)
		})
		return map[string]string{"host": address, "cluster_ca_certificate": s.plant("the authority", authority), "token": s.plant("the token", "token-planted")}, ""
	}},
}

func (s *secretive) withPassword(address string) string {
	return strings.Replace(address, "://", "://somebody:"+s.plant("the proxy's password", "proxy-secret-planted")+"@", 1)
}

func TestNoSecretIsPrintedLoggedOrStored(t *testing.T) {
	t.Parallel()
	for name, way := range credentials {
		t.Run(name, func(t *testing.T) {
			s := newSecretive(t)
			arguments, block := way.configure(s)
			entry := func(lines ...string) {
				s.given("ephemeral = true", arguments, block, fixture.EntryBlock("foo", lines...))
			}
			switch {
			case way.invalid != "":
				entry(`value = "2"`)
				s.ran(1, way.invalid, "plan")
			case way.fails != "":
				entry(`value = "2"`)
				s.ran(1, way.fails, "plan")
				s.env("CAS_PLAN_CHECK", "off")
				s.ran(1, way.fails, "apply", "-auto-approve")
			default:
				s.Create("testmap", fixture.Data{"foo": "1"})
				entry(`value = "2"`, `expected_value = "1"`)
				s.ran(2, "", "plan", "-detailed-exitcode", "-out="+fixture.PlanFile)
				s.ran(0, "", "apply", fixture.PlanFile)
				entry(`value = "3"`, `expected_value = "9"`)
				s.ran(1, "Expected Value Mismatch", "plan")
				s.env("CAS_PLAN_CHECK", "off") // or the plan that a destroy begins with fails
				s.ran(0, "", "destroy", "-auto-approve")
			}
			if diff := cmp.Diff(way.found, s.found(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("secrets are in (-may be +are):\n%s", diff)
			}
		})
	}
}

// Terraform itself stores parts of a configuration. The provider cannot prevent that; the documentation says how to avoid it.
func TestWhereTerraformStoresWhatAProviderIsGiven(t *testing.T) {
	t.Parallel()
	const inPlan = "saved.tfplan/"
	tests := map[string]struct {
		kind string // of the variable; "" where there is none
		want map[string][]string
	}{
		"an ephemeral variable": {"ephemeral = true", map[string][]string{}},
		"a sensitive variable":  {"sensitive = true", map[string][]string{inPlan + "tfplan": {"the token"}}},
		"written out": {"", map[string][]string{
			"main.tf": {"the token"}, inPlan + "tfconfig/m-/main.tf": {"the token"}, // its copy of the configuration
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSecretive(t)
			token := s.plant("the token", "token-planted-in-a-plan")
			s.env("CAS_PLAN_CHECK", "off")
			arguments, block := map[string]string{"token": token}, fmt.Sprintf("  host = %q\n", s.Cluster.Config.Host)
			if test.kind == "" {
				arguments, block = nil, block+fmt.Sprintf("  token = %q\n", token)
			}
			s.given(test.kind, arguments, block, fixture.EntryBlock("foo", `value = "2"`))
			s.ran(2, "", "plan", "-detailed-exitcode", "-out="+fixture.PlanFile)
			if diff := cmp.Diff(test.want, s.found()); diff != "" {
				t.Errorf("secrets are in (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSecretsAreFoundWhereTheyAre leaks one on purpose: as a value, which Terraform prints, logs and stores.
func TestSecretsAreFoundWhereTheyAre(t *testing.T) {
	s := newSecretive(t)
	arguments := s.server("token", s.token())
	s.secrets = fixture.Planted{}
	leak := s.plant("the leak", secretPassword)
	s.Create("testmap", fixture.Data{"foo": "1"})
	write := func(value, expected string) {
		s.given("ephemeral = true", arguments, "", fixture.EntryBlock("foo", "value = "+fixture.Quoted(value), "expected_value = "+fixture.Quoted(expected)))
	}
	write(leak, "1")
	s.ran(2, "", "plan", "-detailed-exitcode", "-out="+fixture.PlanFile)
	s.ran(0, "", "apply", fixture.PlanFile)
	write("3", "4")
	s.ran(1, "Expected Value Mismatch", "plan")
	found := s.found()
	for _, where := range []string{
		"saved.tfplan/tfplan", "terraform.tfstate", "log", "what the command 0 printed, plan", "what the command 2 printed, plan",
	} {
		if len(found[where]) != 1 {
			t.Errorf("the leak is not found in %s, but in %q", where, found)
		}
	}
}
