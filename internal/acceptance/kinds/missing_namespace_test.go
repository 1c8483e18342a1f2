package kinds

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// A ConfigMap that is missing because its namespace is, as after a typo.
func TestMissingNamespaceIsTold(t *testing.T) {
	t.Parallel()
	block := func(kind, lines string) string {
		return "resource \"cas_configmap_" + kind + "\" \"it\" {\n  namespace = \"no-such-namespace\"\n  name = \"testmap\"\n  " + lines + "\n}\n"
	}
	blocks := map[string]string{
		"entry":   block("entry", "key = \"foo\"\n  value = \"1\""),
		"data":    block("data", `data = { foo = "1" }`),
		"counter": block("counter", `key = "foo"`),
	}
	for name, block := range blocks {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Write(block)
			p.Wants(p.Plan(), "Warning: Namespace Does Not Exist Yet", "!ConfigMap Does Not Exist Yet")
			p.ApplyRefused("Error: Namespace Not Found", "Nothing was written.")
			p.WantState()
		})
	}
}

// Without permission to read namespaces, or after a 404 of another server, the message says only that the ConfigMap
// does not exist.
func TestMissingNamespaceThatCannotBeTold(t *testing.T) {
	t.Parallel()
	t.Run("no permission", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Kubeconfig = p.Cluster.Kubeconfig(t, p.User("reads-configmaps", "configmaps", "get", "patch"))
		p.Write(fixture.EntryBlock("it", `value = "1"`))
		p.Wants(p.Plan(), "Warning: ConfigMap Does Not Exist Yet", "Host: https://", "!Did you mean")
		p.ApplyRefused("Error: ConfigMap Not Found", "!Did you mean")
	})
	t.Run("another 404", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		proxy := p.Proxied()
		proxy.SetHook(func(r *http.Request) testcluster.Fault {
			if r.URL.Path == "/api/v1/namespaces/"+p.Namespace {
				return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusNotFound, Body: "not here"}}
			}
			return testcluster.Fault{}
		})
		p.Write(fixture.EntryBlock("it", `value = "1"`))
		p.Wants(p.Plan(), "Warning: ConfigMap Does Not Exist Yet")
		p.ApplyRefused("Error: ConfigMap Not Found")
	})
}
