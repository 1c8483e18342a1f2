// Package interrupted tells an action that the client wants it to end. The context of its request does not: once that has ended, plugin-go drops
// what the action has yet to say, and Terraform takes it for done.
package interrupted

import "context"

type key struct{}

// With is the context of a request that is to end once stop is closed.
func With(ctx context.Context, stop <-chan struct{}) context.Context {
	return context.WithValue(ctx, key{}, stop)
}

// Context ends when the request's context does, and when the client wants the request to end.
func Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if stop, ok := ctx.Value(key{}).(<-chan struct{}); ok {
		go func() {
			select {
			case <-stop:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}
