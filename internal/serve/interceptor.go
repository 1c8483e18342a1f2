package serve

import (
	"context"
	"path"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/terraform-cas/terraform-provider-cas/internal/serve/planned"
)

// The numbers of fields in tfplugin6.proto, from version 6.12 on.
const (
	planPlannedPrivate     protowire.Number = 9 // of PlanResourceChange.Request
	applyPlannedPrivate    protowire.Number = 5 // of ApplyResourceChange.Request
	planClientCapabilities protowire.Number = 7 // of PlanResourceChange.Request
	readClientCapabilities protowire.Number = 5 // of ReadResource.Request
	storePlannedPrivate    protowire.Number = 3 // of ClientCapabilities
)

// handOn puts what a client sent about the first plan of a change into the context of the request.
func handOn(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if message, ok := req.(proto.Message); ok {
		m := message.ProtoReflect()
		switch path.Base(info.FullMethod) {
		case "PlanResourceChange":
			ctx = planned.With(ctx, planned.Sent{
				Stores: storesPlannedPrivate(m, planClientCapabilities), Private: bytesField(m, planPlannedPrivate),
			})
		case "ReadResource":
			ctx = planned.With(ctx, planned.Sent{Stores: storesPlannedPrivate(m, readClientCapabilities)})
		case "ApplyResourceChange":
			ctx = planned.With(ctx, planned.Sent{Private: bytesField(m, applyPlannedPrivate)})
		}
	}
	return handler(ctx, req)
}

func storesPlannedPrivate(request protoreflect.Message, number protowire.Number) bool {
	field := request.Descriptor().Fields().ByNumber(number)
	if field == nil || field.Message() == nil || !request.Has(field) {
		return false
	}
	capabilities := request.Get(field).Message()
	if known := capabilities.Descriptor().Fields().ByNumber(storePlannedPrivate); known != nil {
		return known.Kind() == protoreflect.BoolKind && capabilities.Get(known).Bool()
	}
	stores := false
	unknownFields(capabilities, storePlannedPrivate, protowire.VarintType, func(value []byte) {
		n, _ := protowire.ConsumeVarint(value)
		stores = protowire.DecodeBool(n)
	})
	return stores
}

// bytesField reads a field that plugin-go may know or not.
func bytesField(m protoreflect.Message, number protowire.Number) (found []byte) {
	if known := m.Descriptor().Fields().ByNumber(number); known != nil {
		if known.Kind() == protoreflect.BytesKind && !known.IsList() {
			found = m.Get(known).Bytes()
		}
		return found
	}
	unknownFields(m, number, protowire.BytesType, func(value []byte) { found, _ = protowire.ConsumeBytes(value) })
	return found
}

// unknownFields calls read with each value of a field that the descriptor lacks. The last one counts, as in all of protobuf.
func unknownFields(m protoreflect.Message, number protowire.Number, typ protowire.Type, read func(value []byte)) {
	for rest := []byte(m.GetUnknown()); len(rest) > 0; {
		n, t, tag := protowire.ConsumeTag(rest)
		if tag < 0 {
			return // the message was decoded, so that there is nothing malformed in it
		}
		size := protowire.ConsumeFieldValue(n, t, rest[tag:])
		if size < 0 {
			return
		}
		if n == number && t == typ {
			read(rest[tag : tag+size])
		}
		rest = rest[tag+size:]
	}
}
