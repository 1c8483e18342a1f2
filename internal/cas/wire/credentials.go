package wire

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
)

// credentials watches over the command that gives a request its credentials. client-go runs it between two of our transports, and knows nothing there of the
// request's context: before the request reaches the wire, and again after a 401.
type credentials struct {
	command string       // empty where there is none
	waiting atomic.Int64 // requests that have begun and are not on the wire
}

// CredentialsError: the command that gives the credentials has not answered, so that the API server has done nothing.
type CredentialsError struct {
	Command string
	Err     error // of the context
}

func (e *CredentialsError) Error() string {
	return fmt.Sprintf("the exec plugin %s has not answered: %v", e.Command, e.Err)
}

func (e *CredentialsError) Unwrap() error { return e.Err }

// The places of a request.
const (
	beforeWire int32 = iota
	onWire
	left // by its caller, who has been told that it is not on the wire
)

type placeKey struct{}

// Awaited is the command that gives the credentials, while a request waits for it; empty otherwise.
func (c *Client) Awaited() string {
	if c.credentials.waiting.Load() == 0 {
		return ""
	}
	return c.credentials.command
}

// await sends a request, and leaves it where its context ends while the command has it.
func (c *credentials) await(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	type answer struct {
		response *http.Response
		err      error
	}
	ctx, place, answered := r.Context(), new(atomic.Int32), make(chan answer, 1)
	c.waiting.Add(1)
	go func() {
		defer c.waiting.Add(-1)
		response, err := next.RoundTrip(r.WithContext(context.WithValue(ctx, placeKey{}, place)))
		if place.Load() == left && err == nil {
			_ = response.Body.Close() // nobody reads it
		}
		answered <- answer{response, err}
	}()
	select {
	case a := <-answered:
		return a.response, a.err
	case <-ctx.Done():
	}
	if !place.CompareAndSwap(beforeWire, left) { // the wire knows the context
		a := <-answered
		return a.response, a.err
	}
	return nil, &CredentialsError{c.command, context.Cause(ctx)}
}

// pass has a request be on the wire, unless its caller has left it.
func (c *credentials) pass(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	place, ok := r.Context().Value(placeKey{}).(*atomic.Int32)
	if !ok {
		return next.RoundTrip(r)
	}
	if !place.CompareAndSwap(beforeWire, onWire) {
		return nil, context.Cause(r.Context())
	}
	c.waiting.Add(-1)
	response, err := next.RoundTrip(r)
	c.waiting.Add(1)
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		place.Store(beforeWire)
	}
	return response, err
}
