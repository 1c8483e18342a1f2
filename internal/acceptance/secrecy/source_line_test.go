package secrecy

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a credential that stands in the configuration as it is; when the provider refuses it; then the message names the argument, and Terraform does not
// print its line.
func TestLiteralCredentialIsNotInTheLineThatAnErrorPointsAt(t *testing.T) {
	identity := testcluster.NewIdentity(t)
	const host = `host = "https://127.0.0.1:1"`
	heredoc := func(name, value string) string { return name + " = <<EOT\n" + value + "\nEOT" }
	for name, test := range map[string]struct {
		lines []string
		told  []string
	}{
		"a key that is none": {
			[]string{host, `client_key = "secret-planted"`}, []string{"Invalid Provider Argument", "client_key needs client_certificate (KUBE_CLIENT_CERT_DATA) as well."},
		},
		"a key without a certificate": {
			[]string{host, heredoc("client_key", identity.Key)},
			[]string{"Invalid Provider Argument", "client_key needs client_certificate (KUBE_CLIENT_CERT_DATA) as well."},
		},
		"a key of another certificate": {
			[]string{host, heredoc("client_key", identity.Key), heredoc("client_certificate", testcluster.NewIdentity(t).Certificate)},
			[]string{"Invalid Provider Argument", "client_certificate must be a PEM-encoded certificate, and client_key its PEM-encoded key"},
		},
		"a key in the place of the certificate": {
			[]string{host, heredoc("client_certificate", identity.Key)}, []string{"Invalid Provider Argument", "client_certificate needs client_key (KUBE_CLIENT_KEY_DATA) as well."},
		},
		"a proxy's password": {
			[]string{host, `proxy_url = "ftp://somebody:secret-planted@proxy"`}, []string{"Invalid Provider Argument", "proxy_url must be a URL with the scheme"},
		},
		"a server's password": {
			[]string{`host = "https://somebody:secret-planted@127.0.0.1:1"`}, []string{"Invalid Provider Argument", "host must be a URL such as https://10.0.0.1:6443, without a user name, query or fragment."},
		},
		"a kubeconfig in the place of its path": {
			[]string{heredoc("config_path", "apiVersion: v1\nusers: [{name: u, user: {token: secret-planted}}]")},
			[]string{"Invalid Provider Argument", "config_path must be the path of a kubeconfig file"},
		},
		"a kubeconfig among paths": {
			[]string{`config_paths = ["apiVersion: v1\nusers: [{name: u, user: {token: secret-planted}}]"]`},
			[]string{"Invalid Provider Argument", "config_paths must be the path of a kubeconfig file"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			p.On.Write("main.tf", fixture.TerraformSource+"provider \"cas\" {\n"+strings.Join(test.lines, "\n")+"\n}\n"+
				strings.ReplaceAll(fixture.EntryBlock("foo", `value = "2"`), "NAMESPACE", fixture.Quoted(p.Namespace)))
			out := p.PlanRefused(append(test.told, "!secret-planted"))
			for line := range strings.Lines(identity.Key) {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "-----") && strings.Contains(out, line) {
					t.Errorf("a line of the key is printed:\n%s", out)
					break
				}
			}
		})
	}
}
