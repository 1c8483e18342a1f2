package serve

import (
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
)

// reattachment is how one provider is found, in the form of TF_REATTACH_PROVIDERS.
type reattachment struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Test            bool // it is not Terraform's to end
	Addr            struct{ Network, String string }
}

// debugged serves a provider that Terraform and OpenTofu attach to, until it is interrupted. It prints the variable that has
// them do so. The framework's own debug mode prints it for one registry's address only, and so for one of the two.
func debugged(ctx context.Context, factory func() provider.Provider, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	listening, ended := make(chan *plugin.ReattachConfig), make(chan struct{})
	go func() {
		Server(providerserver.NewProtocol6(factory()), &plugin.ServeTestConfig{Context: ctx, ReattachConfigCh: listening})
		close(ended)
	}()

	select {
	case config := <-listening:
		if err := printReattachment(out, config); err != nil {
			return err
		}
	case <-ended:
		return errors.New("the provider could not listen") // why is on stderr
	}
	<-ended
	return nil
}

func printReattachment(out io.Writer, config *plugin.ReattachConfig) error {
	r := reattachment{Protocol: string(config.Protocol), ProtocolVersion: config.ProtocolVersion, Pid: config.Pid, Test: config.Test}
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
	_, err = fmt.Fprintf(out, "The provider waits for Terraform or OpenTofu, which attach to it where this is set. Ctrl-C ends it.\n\n"+set+"\n", value)
	return err
}
