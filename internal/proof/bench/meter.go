package main

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// meter counts what a client sends: requests above TLS, and bytes below it, both ways, as they are on the wire.
type meter struct {
	requests, bytes atomic.Int64
}

// on returns a config whose clients are counted, and share no connection with others.
func (m *meter) on(config *rest.Config) *rest.Config {
	counted := rest.CopyConfig(config)
	counted.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return meteredConn{conn, m}, nil
	}
	counted.Wrap(func(rt http.RoundTripper) http.RoundTripper { return meteredTransport{rt, m} })
	return counted
}

type meteredTransport struct {
	http.RoundTripper
	meter *meter
}

func (t meteredTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.meter.requests.Add(1)
	return t.RoundTripper.RoundTrip(r)
}

type meteredConn struct {
	net.Conn
	meter *meter
}

func (c meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.meter.bytes.Add(int64(n))
	return n, err
}

func (c meteredConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.meter.bytes.Add(int64(n))
	return n, err
}
