// Package serve runs a provider as the plugin of Terraform or OpenTofu that it is, at little cost to them.
package serve

import (
	"context"
	"os"
	"runtime/debug"
	"strings"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"
)

// gcPercent is the garbage collector's GOGC, where that is not set. A provider lives for seconds and keeps some ten MB, and
// with the default of 100 a quarter of its time goes into collecting.
const gcPercent = 400

// addresses are where Terraform and OpenTofu each look for source = "terraform-cas/cas".
var addresses = [...]string{"registry.terraform.io/terraform-cas/cas", "registry.opentofu.org/terraform-cas/cas"}

// Provider serves a provider until Terraform ends it. With wait nobody but an interrupt ends it, and it prints how Terraform
// and OpenTofu can attach to it.
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
	Server(providerserver.NewProtocol6(factory()), nil)
	return nil
}

// maxMessage is the size of the largest message, as plugin-go has it.
const maxMessage = 256 << 20

// Server serves a provider as tf6server.Serve does, which takes no interceptor. With debug it is served for that.
func Server(factory func() tfprotov6.ProviderServer, debug *plugin.ServeTestConfig) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion: 6, MagicCookieKey: "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		},
		Plugins: plugin.PluginSet{"provider": &tf6server.GRPCProviderPlugin{Name: addresses[0], GRPCProvider: factory}},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
				grpc.UnaryInterceptor(handOn))...)
		},
		Test: debug,
	})
}

// quiet keeps a provider from logging what nobody reads. Where no TF_LOG variable asks for logs, Terraform parses each line that
// a provider writes, of all levels, and drops it: a seventh of the time of a run. These are the variables by which
// terraform-plugin-log sets the levels.
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
