package wire

import (
	"context"
	"net/http"
	"sync/atomic"
)

// report is what the header of an answer tells, beyond what client-go passes on.
type report struct {
	status atomic.Int64
	header atomic.Pointer[http.Header]
}

type reportKey struct{}

// withReport is a context for one request, and what its answer will report.
func withReport(ctx context.Context) (context.Context, *report) {
	r := &report{}
	return context.WithValue(ctx, reportKey{}, r), r
}

// turnedAway reports whether API priority and fairness turned the request away. Such a 429 is the API server's own word that it
// did nothing; any other may come from something in between. WithPriorityAndFairness of k8s.io/apiserver answers with the UID of the
// flow schema and http.Error.
func (r *report) turnedAway() bool {
	header := r.header.Load()
	return r.status.Load() == http.StatusTooManyRequests && header.Get("X-Kubernetes-PF-FlowSchema-UID") != "" &&
		header.Get("X-Content-Type-Options") == "nosniff" && header.Get("Content-Type") == "text/plain; charset=utf-8"
}

// reporter fills the reports of requests.
type reporter struct {
	next        http.RoundTripper
	credentials *credentials
}

// RoundTrip implements [http.RoundTripper].
func (t *reporter) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	send := next.RoundTrip
	if t.credentials.command != "" {
		send = func(r *http.Request) (*http.Response, error) { return t.credentials.await(next, r) }
	}
	response, err := send(r)
	if report, ok := r.Context().Value(reportKey{}).(*report); ok && err == nil {
		report.header.Store(&response.Header)
		report.status.Store(int64(response.StatusCode))
	}
	return response, err
}
