package serve

import (
	"context"
	"strings"
	"sync"

	"google.golang.org/grpc"

	"github.com/terraform-cas/terraform-provider-cas/internal/serve/interrupted"
)

// stopper ends requests when the client asks for it (StopProvider). plugin-go would end the stream of an action before the action has told what
// became of it. So it hears of the stop only when the actions have ended.
type stopper struct {
	mu      sync.Mutex
	stop    chan struct{}              // closed at a stop, and made anew
	actions map[chan struct{}]struct{} // each closed when its action has ended
}

func newStopper() *stopper {
	return &stopper{stop: make(chan struct{}), actions: map[chan struct{}]struct{}{}}
}

// method is the last part of a gRPC method's name.
func method(full string) string { return full[strings.LastIndex(full, "/")+1:] }

// unary ends a request at a stop, and lets the stop itself wait for the actions.
func (s *stopper) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if method(info.FullMethod) == "StopProvider" {
		for _, ended := range s.stopAll() {
			select {
			case <-ended:
			case <-ctx.Done():
			}
		}
		return handler(ctx, req)
	}
	s.mu.Lock()
	stop := s.stop
	s.mu.Unlock()
	ctx, cancel := interrupted.Context(interrupted.With(ctx, stop))
	defer cancel()
	return handler(ctx, req)
}

// stopAll ends all requests, and gives the actions that are under way.
func (s *stopper) stopAll() (running []chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.stop)
	s.stop = make(chan struct{})
	for ended := range s.actions {
		running = append(running, ended)
	}
	return running
}

// stream tells an action of a stop by a value of its context.
func (s *stopper) stream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if method(info.FullMethod) != "InvokeAction" {
		return handler(server, stream)
	}
	ended := make(chan struct{})
	s.mu.Lock()
	stop := s.stop
	s.actions[ended] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.actions, ended)
		close(ended)
	}()
	return handler(server, &actionStream{stream, interrupted.With(stream.Context(), stop)})
}

// actionStream is the stream of an action, with a context of ours.
type actionStream struct {
	grpc.ServerStream

	ctx context.Context //nolint:containedctx // as a stream has one
}

// Context implements [grpc.ServerStream].
func (s *actionStream) Context() context.Context { return s.ctx }
