package provider

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/connect"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// runWith is runSteps with a provider in another environment.
func runWith(t *testing.T, env connect.Environment, test resource.TestCase) {
	t.Helper()
	test.IsUnitTest = true
	test.ProtoV6ProviderFactories = map[string]func() (tfprotov6.ProviderServer, error){
		"cas": providerserver.NewProtocol6WithError(newProvider("test", env)),
	}
	resource.Test(t, test)
}

// The command line shows the argument at fault, and the problem.
func TestProviderConfigurationErrorsAreShown(t *testing.T) {
	t.Parallel()
	testcluster.Shared(t)
	const entry = `
resource "cas_configmap_entry" "foo" {
  name  = "testmap"
  key   = "foo"
  value = "2"
}`
	tests := map[string]struct {
		provider string
		want     string
	}{
		"no configuration": {``, `Error: Missing Kubernetes Configuration.*Nothing says which Kubernetes cluster to use`},
		"missing file":     {`config_path = "/nowhere/config"`, `Error: Invalid Kubeconfig.*config_path = "/nowhere/config".*"/nowhere/config"`},
		"exec without a command": {
			"host = \"https://127.0.0.1:1\"\n  exec {\n    api_version = \"client.authentication.k8s.io/v1\"\n  }",
			`The argument "command" is required`,
		},
		"exec without a version": {
			"host = \"https://127.0.0.1:1\"\n  exec {\n    command = \"c\"\n  }",
			`The argument "api_version" is required`,
		},
		"exec twice": {
			strings.Repeat("  exec {\n    api_version = \"client.authentication.k8s.io/v1\"\n    command = \"c\"\n  }\n", 2),
			`(?i)exec.*(at most 1|No more than 1)`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := emptyEnvironment(nil)
			env.InCluster = func() (*rest.Config, error) { return nil, errors.New("not asked for") }
			runWith(t, env, resource.TestCase{Steps: []resource.TestStep{{
				Config:      "provider \"cas\" {\n  " + test.provider + "\n}\n" + entry,
				ExpectError: regexp.MustCompile("(?s)" + strings.ReplaceAll(test.want, " ", `\s+`)),
			}}})
		})
	}
}
