package main

import (
	"fmt"
	"net/url"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"
)

// roundTrip is how far away the distant API server is, in milliseconds.
const roundTrip = 20

// distant is the API server of config with a round trip more to it: a TCP proxy that holds each segment for half of it,
// either way. TLS passes through. The caller stops the proxy.
func distant(config *rest.Config) (*rest.Config, *toxiproxy.Proxy, error) {
	host := config.Host
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	server, err := url.Parse(host)
	if err != nil {
		return nil, nil, err
	}
	proxy := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "distance", "127.0.0.1:0", server.Host)
	if err := proxy.Start(); err != nil {
		return nil, nil, err
	}
	for _, stream := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"type":"latency","stream":%q,"attributes":{"latency":%d}}`, stream, roundTrip/2)
		if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			proxy.Stop()
			return nil, nil, err
		}
	}
	far := rest.CopyConfig(config)
	far.Host = "https://" + proxy.Listen
	return far, proxy, nil
}
