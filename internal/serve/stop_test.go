package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc"

	"github.com/terraform-cas/terraform-provider-cas/internal/serve/interrupted"
)

// acting is a provider with an action and a resource that end when they are told to.
type acting struct {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer

	begun   chan struct{}
	stopped chan struct{} // a request of the resource has ended
}

func (a *acting) InvokeAction(ctx context.Context, _ *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		ctx, cancel := interrupted.Context(ctx)
		defer cancel()
		a.begun <- struct{}{}
		<-ctx.Done()
		<-a.stopped // so does what runs beside it, and at once
		push(tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: []*tfprotov6.Diagnostic{
			{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Operation Canceled", Detail: "Nothing was written."},
		}}})
	}}, nil
}

func (a *acting) ReadResource(ctx context.Context, _ *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	a.begun <- struct{}{}
	<-ctx.Done()
	close(a.stopped)
	return &tfprotov6.ReadResourceResponse{}, nil
}

func (a *acting) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// TestStoppedActionSaysWhatBecameOfIt: Terraform takes a stream that ends without a word for an action that is done.
func TestStoppedActionSaysWhatBecameOfIt(t *testing.T) {
	provider := &acting{begun: make(chan struct{}), stopped: make(chan struct{})}
	conn := connected(t, provider)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/tfplugin6.Provider/InvokeAction")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(stream.SendMsg(bytesOf(1, "cas_configmap_swap")), stream.CloseSend()); err != nil {
		t.Fatal(err)
	}
	call := func(method string) error {
		var answer []byte
		return conn.Invoke(ctx, "/tfplugin6.Provider/"+method, bytesOf(1, ""), &answer)
	}
	<-provider.begun
	read := make(chan error, 1)
	go func() { read <- call("ReadResource") }()
	<-provider.begun
	if err := call("StopProvider"); err != nil {
		t.Error(err)
	}
	var event []byte
	if err := stream.RecvMsg(&event); err != nil || !bytes.Contains(event, []byte("Operation Canceled")) {
		t.Errorf("the stream gave %q and %v", event, err)
	}
	if err := stream.RecvMsg(&event); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ended with %v", err)
	}
	if err := <-read; err != nil {
		t.Error(err)
	}
}
