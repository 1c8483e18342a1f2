package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// reattachment says where one provider listens, in the form of TF_REATTACH_PROVIDERS.
type reattachment struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Test            bool // Terraform does not end the process
	Addr            struct{ Network, String string }
}

// debugged serves a provider until an interrupt. It prints the variable with which Terraform and OpenTofu attach to the
// provider. The framework's own debug mode prints the variable for the address of one registry only.
func debugged(ctx context.Context, factory func() provider.Provider, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	listening, ended := make(chan *plugin.ReattachConfig), make(chan error, 1)
	go func() {
		ended <- tf6server.Serve(addresses[0], providerserver.NewProtocol6(factory()),
			tf6server.WithDebug(ctx, listening, nil))
	}()

	select {
	case config := <-listening:
		if err := printReattachment(out, config); err != nil {
			return err
		}
	case err := <-ended:
		return cmp.Or(err, errors.New("the provider could not listen")) // stderr has the reason
	}
	return <-ended
}

func printReattachment(out io.Writer, config *plugin.ReattachConfig) error {
	r := reattachment{
		Protocol: string(config.Protocol), ProtocolVersion: config.ProtocolVersion, Pid: config.Pid,
		Test: config.Test,
	}
	r.Addr.Network, r.Addr.String = config.Addr.Network(), config.Addr.String()
	found := map[string]reattachment{}
	for _, address := range addresses {
		found[address] = r
	}
	value, err := json.Marshal(found)
	if err != nil {
		return err
	}
	set := "export TF_REATTACH_PROVIDERS='%s'\n"
	if runtime.GOOS == "windows" {
		set = "$env:TF_REATTACH_PROVIDERS='%s'\n"
	}
	_, err = fmt.Fprintf(out, "The provider waits for Terraform or OpenTofu, which attach to it where this is set. "+
		"Ctrl-C ends it.\n\n"+set+"\n", value)
	return err
}
