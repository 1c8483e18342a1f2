package serve

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/terraform-cas/terraform-provider-cas/internal/serve/planned"
)

// asked is what a served provider found in the context of a request.
type asked struct {
	tfprotov6.ProviderServer

	sent  chan planned.Sent
	prior []byte
}

func (a *asked) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	a.prior = req.PriorPrivate
	a.sent <- planned.From(ctx)
	return &tfprotov6.PlanResourceChangeResponse{}, nil
}

func (a *asked) ApplyResourceChange(ctx context.Context, _ *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	a.sent <- planned.From(ctx)
	return &tfprotov6.ApplyResourceChangeResponse{}, nil
}

// wireCodec sends bytes as they are.
type wireCodec struct{}

func (wireCodec) Name() string { return "proto" }

func (wireCodec) Marshal(v any) ([]byte, error) {
	raw, ok := v.([]byte)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return raw, nil
}

func (wireCodec) Unmarshal(raw []byte, v any) error {
	to, ok := v.(*[]byte)
	if !ok {
		return errors.ErrUnsupported
	}
	*to = raw
	return nil
}

// connected starts a provider as -debug does.
func connected(t *testing.T, provider tfprotov6.ProviderServer) *grpc.ClientConn {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	listening, ended := make(chan *plugin.ReattachConfig), make(chan struct{})
	go Server(func() tfprotov6.ProviderServer { return provider },
		&plugin.ServeTestConfig{Context: ctx, ReattachConfigCh: listening, CloseCh: ended})
	t.Cleanup(func() { stop(); <-ended })
	config := <-listening
	conn, err := grpc.NewClient("unix:"+config.Addr.String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(wireCodec{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// served starts a provider, and gives what calls it over the wire.
func served(t *testing.T, provider tfprotov6.ProviderServer) func(method string, request []byte) {
	t.Helper()
	conn := connected(t, provider)
	return func(method string, request []byte) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var answer []byte
		if err := conn.Invoke(ctx, "/tfplugin6.Provider/"+method, request, &answer); err != nil {
			t.Fatal(err)
		}
	}
}

func bytesOf(number protowire.Number, value string) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), []byte(value))
}

func boolOf(number protowire.Number, value bool) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), protowire.EncodeBool(value))
}

func joined(parts ...[]byte) (all []byte) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

func TestWhatAClientSentAboutTheFirstPlanIsHandedOn(t *testing.T) {
	provider := &asked{sent: make(chan planned.Sent, 1)}
	call := served(t, provider)
	resource, prior := bytesOf(1, "cas_configmap_entry"), bytesOf(5, "prior")
	capable := bytesOf(7, string(joined(boolOf(1, true), boolOf(2, true), boolOf(3, true), boolOf(4, true))))
	other := binary.LittleEndian.AppendUint32(protowire.AppendTag(nil, 77, protowire.Fixed32Type), 9) // of a version to come
	for name, test := range map[string]struct {
		method  string
		request []byte
		want    planned.Sent
	}{
		"first plan":     {"PlanResourceChange", joined(resource, prior, capable), planned.Sent{Stores: true}},
		"plan of apply":  {"PlanResourceChange", joined(resource, prior, capable, other, bytesOf(9, "first")), planned.Sent{Stores: true, Private: []byte("first")}},
		"the last value": {"PlanResourceChange", joined(bytesOf(9, "no"), resource, prior, bytesOf(9, "first")), planned.Sent{Private: []byte("first")}},
		"older client":   {"PlanResourceChange", joined(resource, prior, bytesOf(7, string(boolOf(1, true)))), planned.Sent{}},
		"it says no":     {"PlanResourceChange", joined(resource, prior, bytesOf(7, string(boolOf(3, false)))), planned.Sent{}},
		"oldest client":  {"PlanResourceChange", joined(resource, prior), planned.Sent{}},
		"another type":   {"PlanResourceChange", joined(resource, prior, boolOf(9, true)), planned.Sent{}},
		"apply":          {"ApplyResourceChange", joined(resource, bytesOf(5, "second")), planned.Sent{Private: []byte("second")}},
		"apply of none":  {"ApplyResourceChange", resource, planned.Sent{}},
	} {
		t.Run(name, func(t *testing.T) {
			call(test.method, test.request)
			got := <-provider.sent
			if got.Stores != test.want.Stores || string(got.Private) != string(test.want.Private) {
				t.Errorf("%v and %q, want %v and %q", got.Stores, got.Private, test.want.Stores, test.want.Private)
			}
			if test.method == "PlanResourceChange" && string(provider.prior) != "prior" {
				t.Errorf("the prior private state is %q", provider.prior)
			}
		})
	}
}

// newerProtocol has the fields that plugin-go lacks.
func newerProtocol(t *testing.T) protoreflect.MessageDescriptors {
	t.Helper()
	label := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	field := func(name string, number int32, typ descriptorpb.FieldDescriptorProto_Type) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{Name: &name, Number: &number, Type: &typ, Label: &label}
	}
	capabilities := field("client_capabilities", 7, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE)
	capabilities.TypeName = proto.String(".newer.ClientCapabilities")
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("newer.proto"), Package: proto.String("newer"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("ClientCapabilities"), Field: []*descriptorpb.FieldDescriptorProto{
				field("store_planned_private", 3, descriptorpb.FieldDescriptorProto_TYPE_BOOL),
			}},
			{Name: proto.String("Request"), Field: []*descriptorpb.FieldDescriptorProto{
				capabilities, field("planned_private", 9, descriptorpb.FieldDescriptorProto_TYPE_BYTES),
			}},
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file.Messages()
}

func TestFieldsThatThePluginLibraryKnowsAreHandedOn(t *testing.T) {
	t.Parallel()
	messages := newerProtocol(t)
	for _, stores := range []bool{true, false} {
		request := dynamicpb.NewMessage(messages.ByName("Request"))
		if err := proto.Unmarshal(joined(bytesOf(7, string(boolOf(3, stores))), bytesOf(9, "first")), request); err != nil {
			t.Fatal(err)
		}
		if len(request.GetUnknown()) > 0 {
			t.Fatal("the descriptor lacks a field")
		}
		var got planned.Sent
		info := &grpc.UnaryServerInfo{FullMethod: "/tfplugin6.Provider/PlanResourceChange"}
		_, err := handOn(t.Context(), request, info, func(ctx context.Context, _ any) (any, error) {
			got = planned.From(ctx)
			return nil, errors.New("passed on")
		})
		if err == nil || err.Error() != "passed on" || got.Stores != stores || string(got.Private) != "first" {
			t.Errorf("%v and %q (%v), want %v and %q", got.Stores, got.Private, err, stores, "first")
		}
	}
}

func TestOtherRequestsCarryNothing(t *testing.T) {
	t.Parallel()
	request := dynamicpb.NewMessage(newerProtocol(t).ByName("Request"))
	info := &grpc.UnaryServerInfo{FullMethod: "/tfplugin6.Provider/ImportResourceState"}
	ctx := t.Context()
	_, _ = handOn(ctx, request, info, func(passed context.Context, _ any) (any, error) {
		if passed != ctx {
			t.Error("the context is another one")
		}
		return nil, nil
	})
}
