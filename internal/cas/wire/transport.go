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

// isTurnedAway reports whether API priority and fairness turned the request away. Such a 429 is the API server's own word that it
// did nothing; any other may come from something in between. WithPriorityAndFairness of k8s.io/apiserver answers with the UID of the
// flow schema and http.Error.
func isTurnedAway(answer *http.Response) bool {
	return answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("X-Kubernetes-PF-FlowSchema-UID") != "" &&
		answer.Header.Get("X-Content-Type-Options") == "nosniff" && answer.Header.Get("Content-Type") == "text/plain; charset=utf-8"
}

// reporter tells what client-go does not pass on of an answer.
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

// redactor redacts request credentials that are echoed in error responses. The API server repeats none, but what authenticates in front of it
// may, and what it says becomes a message. It must be nearer to the wire than what adds the credentials.
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
		if secret != "" { // as long as it was: it may be in protobuf
			body = bytes.ReplaceAll(body, []byte(secret), bytes.Repeat([]byte("*"), len(secret)))
		}
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// credentials watches over the command that gives a request its credentials. client-go runs it between two of our transports, and knows nothing there of the
// request's context: before the request reaches the wire, and again after a 401.
type credentials struct {
	command string       // empty where there is none
	waiting atomic.Int64 // requests that have begun and are not on the wire
}

// ErrNoCredentials says that the command that gives the credentials has not, so that the API server has done nothing.
var ErrNoCredentials = errors.New("has not answered")

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
	return nil, fmt.Errorf("the exec plugin %s %w: %w", c.command, ErrNoCredentials, context.Cause(ctx))
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
