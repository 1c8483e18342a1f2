package controlplane

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"
)

// TCPProxy is a TCP proxy on loopback that spoils what passes through it, made with toxiproxy. It knows nothing of HTTP: in
// front of the API server it passes TLS on, so that the client authenticates as it is. Its methods must not be called
// concurrently.
type TCPProxy struct {
	// Config is for clients that reach the server through the proxy.
	Config *rest.Config

	proxy *toxiproxy.Proxy
}

// Toxic describes how connections are spoiled. Its attributes are toxiproxy's: https://github.com/Shopify/toxiproxy#toxics
type Toxic struct {
	// Type is "latency", "reset_peer", "timeout", "limit_data" and the like.
	Type string `json:"type"`
	// Stream is "upstream" for what the client sends, or "downstream" for what the server does.
	Stream string `json:"stream"`
	// Attributes are in milliseconds or bytes.
	Attributes map[string]int `json:"attributes"`
}

// NewTCPProxy starts a proxy in front of the server that cfg names: the API server, or a [testcluster.Proxy]. It is closed when the test
// ends.
func NewTCPProxy(t testing.TB, cfg *rest.Config) *TCPProxy {
	t.Helper()
	target, err := url.Parse(cfg.Host)
	if err != nil {
		t.Fatal(err)
	}
	lock, ports, err := reservePorts(t.Context()) // so that Up finds the port free after Down
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := &TCPProxy{
		Config: rest.CopyConfig(cfg),
		proxy:  toxiproxy.NewProxy(server, t.Name(), loopback(ports[0]), target.Host),
	}
	if err := p.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.proxy.Stop)
	target.Host = p.proxy.Listen
	p.Config.Host = target.String()
	return p
}

// Down closes all connections and refuses new ones.
func (p *TCPProxy) Down() { p.proxy.Stop() }

// Up accepts connections again, at the same address.
func (p *TCPProxy) Up() error { return p.proxy.Start() }

// Spoil has the toxic do its work, on connections that are there as well as on new ones.
func (p *TCPProxy) Spoil(toxic Toxic) error {
	description, err := json.Marshal(toxic)
	if err != nil {
		return err
	}
	_, err = p.proxy.Toxics.AddToxicJson(strings.NewReader(string(description)))
	return err
}

// Heal takes all toxics away. Connections that one had stalled stay so, or are closed.
func (p *TCPProxy) Heal() { p.proxy.Toxics.ResetToxics(context.Background()) }
