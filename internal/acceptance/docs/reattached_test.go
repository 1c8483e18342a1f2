package docs

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// attach serves stand-ins for other providers in this process, by namespace/type, and has the pipeline's command line attach to them.
func attach(p *fixture.Pipeline, standIns map[string]provider.Provider) {
	p.Helper()
	type address struct{ Network, String string }
	type reattachment struct {
		Protocol        string
		ProtocolVersion int
		Pid             int
		Test            bool
		Addr            address
	}
	found := map[string]reattachment{}
	for name, standIn := range standIns {
		ctx, stop := context.WithCancel(context.Background())
		listening, ended := make(chan *plugin.ReattachConfig), make(chan struct{})
		go func() {
			err := tf6server.Serve("registry.terraform.io/"+name, providerserver.NewProtocol6(standIn), tf6server.WithDebug(ctx, listening, ended),
				tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(p), tf6server.WithoutLogStderrOverride())
			if err != nil {
				panic(err)
			}
		}()
		p.Cleanup(func() {
			stop()
			<-ended
		})
		config := <-listening
		for _, registry := range []string{"registry.terraform.io/", "registry.opentofu.org/"} {
			found[registry+name] = reattachment{
				string(config.Protocol), config.ProtocolVersion, config.Pid, config.Test, address{config.Addr.Network(), config.Addr.String()},
			}
		}
	}
	value, err := json.Marshal(found)
	if err != nil {
		p.Fatal(err)
	}
	p.CLI.Env = slices.Concat(p.CLI.Env, []string{"TF_REATTACH_PROVIDERS=" + string(value)})
}
