package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// counts is how many requests there were of each verb, as the API server names them.
type counts map[string]int

const (
	verbList  = "LIST"
	verbWatch = "WATCH"
)

func (c counts) total() (sum int) {
	for _, n := range c {
		sum += n
	}
	return sum
}

// since returns the increase since an earlier count.
func (c counts) since(before counts) counts {
	more := counts{}
	for verb, n := range c {
		if n != before[verb] {
			more[verb] = n - before[verb]
		}
	}
	return more
}

// each says how many of each verb there were for each of n.
func (c counts) each(n int) string {
	var parts []string
	for _, verb := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, fmt.Sprintf("%s %.3f", verb, float64(c[verb])/float64(n)))
	}
	return strings.Join(parts, ", ")
}

// requests is how many requests about ConfigMaps there have been since the API server started, by its own count.
func requests(ctx context.Context, client testcluster.Client) (counts, error) {
	raw, err := client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the API server for its metrics: %w", err)
	}
	return countRequests(bytes.NewReader(raw))
}

// countRequests sums the requests for ConfigMaps. The API server counts a watch at its end, so watches that go on are
// added. The server has two watches of its own, which it begins again after minutes, so one of them shows now and then. All
// lists are left out, because some are the server's own.
func countRequests(metrics io.Reader) (counts, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(metrics)
	if err != nil {
		return nil, err
	}
	family, ok := families["apiserver_request_total"]
	if !ok {
		return nil, fmt.Errorf("no apiserver_request_total among %d metrics", len(families))
	}
	found := counts{}
	for _, metric := range append(family.GetMetric(), families["apiserver_longrunning_requests"].GetMetric()...) {
		labels := map[string]string{}
		for _, label := range metric.GetLabel() {
			labels[label.GetName()] = label.GetValue()
		}
		if verb := labels["verb"]; labels["resource"] == "configmaps" && verb != verbList {
			found[verb] += int(metric.GetCounter().GetValue() + metric.GetGauge().GetValue())
		}
	}
	return found, nil
}

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
