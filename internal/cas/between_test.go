package cas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// These tests answer requests as proxies, ingresses and webhooks between the engine and the API server may do.

// status is an answer in the API server's own form.
func status(code int, reason, message string) *testcluster.Answer {
	return &testcluster.Answer{Status: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: fmt.Sprintf(
		`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":%q}`, reason, code, message)}
}

// http.Client would make a GET of a redirected PATCH, and its 200 would look like the answer to a write.
func TestRedirectedWriteIsNotApplied(t *testing.T) {
	for _, status := range []int{301, 302, 303} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method == http.MethodPatch {
					return testcluster.Fault{Answer: &testcluster.Answer{Status: status, Header: http.Header{"Location": {f.proxy.URL + r.URL.Path}}}}
				}
				return testcluster.Fault{}
			})
			_, err := f.do(f.swapping("foo", one, two))
			if eval.VerdictOf(err) == eval.Applied || f.proxy.Count(http.MethodPatch) == 0 {
				t.Errorf("applied, and nothing was written, or nothing was sent: %v", f.proxy.Requests())
			}
			f.proxy.Reset()
			v := f.version()
			e := f.newEngine(f.proxy.Config)
			_, err = e.Swap(t.Context(), f.removing("foo", one, v, v))
			if eval.VerdictOf(err) == eval.Applied || f.proxy.Count(http.MethodPatch) == 0 {
				t.Errorf("removal applied, and nothing was removed, or nothing was sent: %v", f.proxy.Requests())
			}
			f.wantData(map[string]string{"foo": "1"})
		})
	}
}

// A patch without a resourceVersion is unconditional.
func TestBaseWithoutAVersionIsNeverWrittenOn(t *testing.T) {
	for name, metadata := range map[string]string{"none": `{"name":"shared"}`, "zero": `{"name":"shared","resourceVersion":"0"}`} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "3"})
			f.onEach(http.MethodGet, func() testcluster.Fault {
				return testcluster.Fault{Answer: &testcluster.Answer{
					Status: 200, Header: http.Header{"Content-Type": {"application/json"}},
					Body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":` + metadata + `,"data":{"foo":"1"}}`,
				}}
			})
			_, err := f.do(f.swapping("foo", one, two))
			f.want(eval.Rejected, err)
			f.wantData(map[string]string{"foo": "3"})
		})
	}
}

func TestConflictThatIsNotAboutTheVersionIsARefusal(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.onPatches(testcluster.Fault{Answer: status(http.StatusConflict, "Conflict", "admission webhook denied the request")})
	_, err := f.do(f.swapping("foo", one, two))
	var refused *eval.RefusedError
	if !errors.As(err, &refused) || refused.Code != http.StatusConflict {
		t.Errorf("%v, want a refusal with 409", err)
	}
	if n := f.proxy.Count(http.MethodPatch); n != 1 {
		t.Errorf("%d patches, want 1", n)
	}
}

func TestUnknownSaysWhyAndOnWhat(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		once.Do(cancel)
		return testcluster.Fault{Answer: status(http.StatusInternalServerError, "InternalError", "failed calling webhook")}
	})
	_, err := f.engine.Swap(ctx, f.swapping("foo", one, two))
	var unknown *eval.UnknownError
	if !errors.As(err, &unknown) {
		t.Fatal(err)
	}
	if unknown.Base != v {
		t.Errorf("base %+v, want %+v", unknown.Base, v)
	}
	if !strings.Contains(err.Error(), "failed calling webhook") {
		t.Errorf("%v does not say why", err)
	}
}

func TestRefusalAfterDoubt(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	forbidden := status(http.StatusForbidden, "Forbidden", "the true reason")
	var n atomic.Int32
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		if n.Add(1) == 1 {
			return testcluster.Fault{DropBefore: true}
		}
		return testcluster.Fault{Answer: forbidden}
	})
	_, err := f.do(f.swapping("foo", one, two))
	f.want(eval.Unknown, err) // the first may be on its way still
	if !strings.Contains(err.Error(), "the true reason") {
		t.Errorf("%v does not tell the refusal", err)
	}
}

func TestLostAnswerOverHTTP2(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	config := rest.CopyConfig(f.cluster.Config)
	config.QPS = -1
	var lost atomic.Int32
	var proto atomic.Value
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			resp, err := rt.RoundTrip(r)
			if err == nil {
				proto.Store(resp.Proto)
			}
			if r.Method == http.MethodPatch && err == nil && lost.Add(1) == 1 {
				_ = resp.Body.Close()
				return nil, errors.New("lost")
			}
			return resp, err
		})
	})
	v := f.version()
	e := f.newEngine(config)
	_, err := e.Swap(t.Context(), f.removing("foo", one, v, v)) // the first request of its connection
	if proto.Load() != "HTTP/2.0" {
		t.Errorf("spoke %v", proto.Load())
	}
	f.want(eval.Applied, err)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (rt roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return rt(r) }

func TestCredentialsThatAreNotAcceptedAreTriedOnce(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	arrived, release := f.holdReads(testcluster.Fault{Answer: status(http.StatusUnauthorized, "Unauthorized", "Unauthorized")})
	go func() { _, _ = f.engine.Observe(t.Context(), f.ref, "", 0) }()
	<-arrived
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			_, err := f.do(f.swapping(fmt.Sprintf("k%d", i), eval.Value{}, one))
			f.want(eval.Rejected, err)
		})
	}
	<-waitFor(func() bool { return len(f.engine.committer(f.ref).waiting()) == 16 })
	close(release)
	wg.Wait()
	if n := f.proxy.Count(http.MethodPatch); n != 1 {
		t.Errorf("%d patches with credentials that are not accepted, want 1", n)
	}
}
