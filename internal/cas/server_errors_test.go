package cas

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// A request that the API server answers with 500 may be applied or not, and the error may be permanent.

// internalError is how the API server words a 500.
func internalError(message string) *testcluster.Answer {
	return &testcluster.Answer{
		Status: http.StatusInternalServerError, Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Internal error occurred: ` + message +
			`","reason":"InternalError","details":{"causes":[{"message":"` + message + `"}]},"code":500}`,
	}
}

// requestTimeout is how the API server words a 408.
func requestTimeout() *testcluster.Answer {
	return &testcluster.Answer{
		Status: http.StatusRequestTimeout, Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: request did not complete within requested timeout",` +
			`"reason":"Timeout","code":408}`,
	}
}

// answers turns a response into another.
func answers(a *testcluster.Answer) func(*http.Response) {
	return func(r *http.Response) {
		r.StatusCode, r.Status = a.Status, http.StatusText(a.Status)
		r.Header.Set("Content-Type", a.Header.Get("Content-Type"))
		r.Header.Del("Content-Length")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(a.Body)), -1
	}
}

const brokenWebhook = `failed calling webhook \"check.example.com\": failed to call webhook: Post \"https://check.example.svc:443/?timeout=10s\": ` +
	`dial tcp 10.0.0.1:443: connect: connection refused`

// Given an API server or etcd that does not answer in time; when the write was applied nevertheless, or is applied
// at the second attempt; then it is applied once.
func TestWriteThatIsAnsweredWith500IsFoundOut(t *testing.T) {
	const timeout = "etcdserver: request timed out"
	for name, test := range map[string]struct {
		fault   testcluster.Fault
		foreign bool
		patches int
	}{
		"it landed":                                  {testcluster.Fault{Answered: answers(internalError(timeout))}, false, 1},
		"it landed, and another key was written":     {testcluster.Fault{Answered: answers(internalError(timeout))}, true, 1},
		"it did not land":                            {testcluster.Fault{Answer: internalError(timeout)}, false, 2},
		"it did not land, a webhook was starting up": {testcluster.Fault{Answer: internalError(brokenWebhook)}, false, 2},
		"it landed, and was answered with 408":       {testcluster.Fault{Answered: answers(requestTimeout())}, false, 1},
		"it did not land, and was answered with 408": {testcluster.Fault{Answer: requestTimeout()}, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			v := f.version()
			looks := false
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == http.MethodPatch && f.proxy.Count(http.MethodPatch) == 1:
					looks = true
					return test.fault
				case r.Method == http.MethodGet && looks && test.foreign:
					looks = false
					f.set("other", "9")
				}
				return testcluster.Fault{}
			})
			_, err := f.do(f.swapping("foo", one, two))
			f.want(eval.Applied, err)
			if live := f.live().Data["foo"]; live != "2" {
				t.Errorf("foo is %q, want 2", live)
			}
			if n := f.proxy.Count(http.MethodPatch); n != test.patches {
				t.Errorf("%d patches, want %d", n, test.patches)
			}
			_, err = f.do(f.swapping("bar", one, two, v))
			if test.foreign {
				f.wantReason(eval.ReasonObject, err)
			} else {
				f.want(eval.Applied, err)
			}
		})
	}
}
