// Package serve runs a provider as a plugin of Terraform or OpenTofu, or for a debugger.
package serve

import (
	"context"
	"os"
	"runtime/debug"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// gcPercent is the garbage collector's GOGC, unless the environment sets GOGC. A provider runs for seconds and keeps
// some ten MB. With the default of 100 it spends a quarter of its time on garbage collection.
const gcPercent = 400

// addresses are the names that Terraform and OpenTofu give to source = "terraform-cas/cas".
var addresses = [...]string{"registry.terraform.io/terraform-cas/cas", "registry.opentofu.org/terraform-cas/cas"}

// Provider serves a provider until Terraform ends it. With wait it serves until an interrupt, and prints how Terraform
// and OpenTofu attach to it.
func Provider(ctx context.Context, factory func() provider.Provider, wait bool) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if wait {
		return debugged(ctx, factory, os.Stdout)
	}
	if err := quiet(os.Environ(), os.Setenv); err != nil {
		return err
	}
	return tf6server.Serve(addresses[0], providerserver.NewProtocol6(factory()))
}

// quiet turns logging off unless a TF_LOG variable asks for logs. Otherwise Terraform parses each line that a provider
// writes, of all levels, and drops it: a seventh of the time of a run. terraform-plugin-log takes its levels from the
// variables that quiet sets.
func quiet(environ []string, setenv func(name, value string) error) error {
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "TF_LOG") && value != "" {
			return nil
		}
	}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_PROVIDER_CAS"} {
		if err := setenv(name, "OFF"); err != nil {
			return err
		}
	}
	return nil
}
