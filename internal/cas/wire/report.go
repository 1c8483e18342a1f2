package wire

import (
	"net/http"
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
	send := t.next.RoundTrip
	if t.credentials.command != "" {
		send = func(r *http.Request) (*http.Response, error) { return t.credentials.await(t.next, r) }
	}
	response, err := send(r)
	if turnedAway, ok := r.Context().Value(turnedAwayKey{}).(*atomic.Bool); ok && err == nil {
		turnedAway.Store(isTurnedAway(response))
	}
	return response, err
}
