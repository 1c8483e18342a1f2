package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

type turnedAwayKey struct{}

// isTurnedAway reports whether API priority and fairness rejected the request. With such a 429, the API
// server says that it did nothing; any other 429 may come from a proxy. WithPriorityAndFairness in
// k8s.io/apiserver answers with the UID of the flow schema and http.Error.
func isTurnedAway(answer *http.Response) bool {
	return answer.StatusCode == http.StatusTooManyRequests &&
		answer.Header.Get("X-Kubernetes-PF-FlowSchema-UID") != "" &&
		answer.Header.Get("X-Content-Type-Options") == "nosniff" &&
		answer.Header.Get("Content-Type") == "text/plain; charset=utf-8"
}

// reporter records whether API priority and fairness rejected a request, which client-go does not pass on.
type reporter struct {
	next        http.RoundTripper
	credentials *credentials
}

func (t *reporter) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.credentials.await(t.next, r)
	if turnedAway, ok := r.Context().Value(turnedAwayKey{}).(*atomic.Bool); ok && err == nil {
		turnedAway.Store(isTurnedAway(response))
	}
	return response, err
}

// redactor redacts request credentials that error responses repeat. The API server repeats none, but an
// authenticating proxy may, and its response becomes a message. The redactor must be nearer to the wire than
// the round tripper that adds the credentials.
type redactor struct {
	next        http.RoundTripper
	credentials *credentials
}

func (m *redactor) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := m.credentials.pass(m.next, r)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	if err := response.Body.Close(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	_, password, _ := r.BasicAuth()
	for _, secret := range []string{credential, password} {
		if secret != "" { // of the same length, because the body may be protobuf
			body = bytes.ReplaceAll(body, []byte(secret), bytes.Repeat([]byte("*"), len(secret)))
		}
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// credentials tracks requests that wait for the exec plugin. client-go runs the plugin between the reporter
// and the redactor, and ignores the request's context there: before the request reaches the wire, and again
// after a 401.
type credentials struct {
	command string       // of the exec plugin; empty if there is none
	waiting atomic.Int64 // how many requests have begun and are not on the wire
}

// ErrNoCredentials says that the exec plugin returned no credentials in time, so that the API server did nothing.
var ErrNoCredentials = errors.New("has not answered")

const (
	beforeWire int32 = iota
	onWire
	left // by its caller, which reports that the request was not sent
)

type placeKey struct{}

// Awaited returns the command of the exec plugin while a request waits for it; empty otherwise.
func (c *Client) Awaited() string {
	if c.credentials.waiting.Load() == 0 {
		return ""
	}
	return c.credentials.command
}

// await sends a request. If the context ends while the exec plugin runs, await returns without waiting for
// the plugin.
func (c *credentials) await(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if c.command == "" {
		return next.RoundTrip(r)
	}
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
			_ = response.Body.Close() // the caller has left
		}
		answered <- answer{response, err}
	}()
	select {
	case a := <-answered:
		return a.response, a.err
	case <-ctx.Done():
	}
	if !place.CompareAndSwap(beforeWire, left) { // on the wire, the transport respects the context
		a := <-answered
		return a.response, a.err
	}
	return nil, fmt.Errorf("the exec plugin %s %w: %w", c.command, ErrNoCredentials, context.Cause(ctx))
}

// pass records that a request is on the wire, and sends it unless its caller has left it.
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
