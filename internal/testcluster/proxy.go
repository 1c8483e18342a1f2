package testcluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Proxy is a plain HTTP server on loopback in front of the API server. It authenticates as a given user,
// records every request, and does with each what a hook says. Its methods may be called concurrently.
type Proxy struct {
	// URL is its address, without a path.
	URL string
	// Config is for clients of the proxy: no credentials, no throttling.
	Config *rest.Config

	backend *httputil.ReverseProxy
	closed  context.Context // ends with the test, and then all held requests are dropped

	mu       sync.Mutex
	hook     func(*http.Request) Fault
	requests []*Request
	reset    time.Time
}

// Request is one that arrived at the proxy, whatever became of it.
type Request struct {
	At          time.Time // of its arrival
	Method      string
	Path        string
	Query       url.Values
	ContentType string
	Body        []byte
	// Status is the status of the response, from the server or the proxy, also if the client did not receive it;
	// 0 until there is one.
	Status int
}

// Fault describes how the proxy treats one request. The zero value forwards it, and forwards the response.
// The faults before forwarding happen in the order of the fields, and the faults after it do as well.
type Fault struct {
	// HoldBefore holds the request until the channel is closed. It is forwarded then even if the client has left
	// meanwhile, as a packet that the network delayed would be.
	HoldBefore <-chan struct{}
	// DropBefore closes the connection; the server never sees the request.
	DropBefore bool
	// Answer answers in place of the server, which never sees the request.
	Answer *Answer

	// Answered is called with the server's response, before anything of it reaches the client, and may change it.
	Answered func(*http.Response)
	// HoldAfter holds the response until the channel is closed.
	HoldAfter <-chan struct{}
	// DropAfter closes the connection: what the request did has been done, and the response is lost.
	DropAfter bool
}

// Answer is a response of the proxy's own.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Proxy starts a proxy that authenticates as the administrator. It is closed when the test ends.
func (c *Cluster) Proxy(t testing.TB) *Proxy {
	t.Helper()
	return c.ProxyFor(t, c.Config)
}

// ProxyFor starts a proxy that authenticates with cfg. It is closed when the test ends.
func (c *Cluster) ProxyFor(t testing.TB, cfg *rest.Config) *Proxy {
	t.Helper()
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	target, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	closed, closeHeld := context.WithCancel(context.Background())
	p := &Proxy{URL: "http://" + listener.Addr().String(), closed: closed, reset: time.Now()}
	p.Config = &rest.Config{Host: p.URL, QPS: -1}
	silent := log.New(io.Discard, "", 0) // a dropped connection is on purpose
	p.backend = &httputil.ReverseProxy{
		Transport:      transport,
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: p.answered,
		FlushInterval:  -1, // events of a watch must not wait for more
		ErrorLog:       silent,
		ErrorHandler:   p.failed,
	}
	server := &http.Server{Handler: p, ErrorLog: silent} //nolint:gosec // loopback, and held requests are the point
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		closeHeld()
		_ = server.Close() // closes what is left, and says only that it did
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the proxy stopped early: %v", err)
		}
	})
	return p
}

// SetHook has hook decide what happens to each request from now on; nil forwards all. The hook is called concurrently,
// after the request is recorded, and may read its body.
func (p *Proxy) SetHook(hook func(*http.Request) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = hook
}

// Requests returns the requests since the start, or the last Reset, in the order of their arrival.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	requests := make([]Request, len(p.requests))
	for i, r := range p.requests {
		requests[i] = *r
	}
	return requests
}

// Count is how many requests had one of the methods, or had any where none is given.
func (p *Proxy) Count(methods ...string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, r := range p.requests {
		if len(methods) == 0 || slices.Contains(methods, r.Method) {
			n++
		}
	}
	return n
}

// Reset forgets the requests so far. The hook stays.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests, p.reset = nil, time.Now()
}

// LastReset returns the time of the last Reset, or of the start.
func (p *Proxy) LastReset() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reset
}

// exchange is a request on its way through the proxy.
type exchange struct {
	record *Request
	fault  Fault
}

type exchangeKey struct{}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client went away
	}
	x := &exchange{record: &Request{
		At: time.Now(), Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), ContentType: r.Header.Get("Content-Type"), Body: body,
	}}
	p.mu.Lock()
	p.requests = append(p.requests, x.record)
	hook := p.hook
	p.mu.Unlock()

	if hook != nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		x.fault = hook(r)
		p.mu.Lock()   // what it wrote, the hooks of later requests see, also those that come over another connection
		p.mu.Unlock() //nolint:staticcheck // an empty critical section orders the two
	}
	ctx := r.Context()
	if x.fault.HoldBefore != nil {
		p.await(x.fault.HoldBefore)
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(context.WithoutCancel(ctx)) // the client may have left
		defer cancel()
		defer context.AfterFunc(p.closed, cancel)()
	}
	if x.fault.DropBefore {
		panic(http.ErrAbortHandler)
	}
	if a := x.fault.Answer; a != nil {
		p.record(x, a.Status)
		for name, values := range a.Header {
			w.Header()[http.CanonicalHeaderKey(name)] = values
		}
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, a.Body) // a client that went away misses it
		return
	}
	r = r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.backend.ServeHTTP(w, r)
}

// answered is called by the reverse proxy with the server's response.
func (p *Proxy) answered(response *http.Response) error {
	x, ok := response.Request.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return errors.New("a response to no request")
	}
	p.record(x, response.StatusCode)
	if x.fault.Answered != nil {
		x.fault.Answered(response)
	}
	if x.fault.HoldAfter != nil {
		p.await(x.fault.HoldAfter)
	}
	if x.fault.DropAfter {
		_ = response.Body.Close()
		panic(http.ErrAbortHandler)
	}
	return nil
}

// failed is called by the reverse proxy when the server could not be asked. It drops the connection, for a
// status would look like the server's.
func (p *Proxy) failed(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }

// await blocks until release is closed, or drops the connection when the test ends first.
func (p *Proxy) await(release <-chan struct{}) {
	select {
	case <-release:
	case <-p.closed.Done():
		panic(http.ErrAbortHandler)
	}
}

func (p *Proxy) record(x *exchange, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x.record.Status = status
}

// String is for messages of tests.
func (r Request) String() string {
	return fmt.Sprintf("%s %s?%s %d", r.Method, r.Path, r.Query.Encode(), r.Status)
}
