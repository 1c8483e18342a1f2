package footprint

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// recorded answers for every other ConfigMap what the API server answered for "shared", once for each method.
type recorded struct {
	next http.RoundTripper
	mu   sync.Mutex
	of   map[string]recording
}

// recording is an answer that can be given again.
type recording struct {
	response http.Response
	body     []byte
}

// record sends a request on, and records the answer.
func record(next http.RoundTripper, request *http.Request) (recording, error) {
	response, err := next.RoundTrip(request)
	if err != nil {
		return recording{}, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	return recording{*response, body}, err
}

func (r recording) answer(request *http.Request) *http.Response {
	response := r.response
	response.Request, response.Header, response.Body = request, r.response.Header.Clone(), io.NopCloser(bytes.NewReader(r.body))
	return &response
}

// RoundTrip implements [http.RoundTripper].
func (r *recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !strings.HasSuffix(request.URL.Path, "/shared") {
		if request.Body != nil {
			_, _ = io.Copy(io.Discard, request.Body)
			_ = request.Body.Close()
		}
		return r.of[request.Method].answer(request), nil
	}
	now, err := record(r.next, request)
	if err != nil {
		return nil, err
	}
	if _, isKnown := r.of[request.Method]; !isKnown {
		r.of[request.Method] = now
	}
	return now.answer(request), nil
}

// heap is how many MiB are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) >> 20
}

// Given 2,000 ConfigMaps of 512 KiB, half of them observed and half swapped; when nothing more is asked for; then the Engine
// keeps less than 100 MiB in memory, and not 1 GiB. (One response of the API server represents all.)
func TestWhatIsKeptOfManyLargeObjectsIsSmall(t *testing.T) {
	const objects, size, most = 2000, 512 << 10, 100
	c := testcluster.Shared(t)
	shared := create(t, c, eval.ConfigMap, map[string]string{"foo": "1", "large": strings.Repeat("x", size)})
	config := rest.CopyConfig(c.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &recorded{next: next, of: map[string]recording{}}
	})
	engine := newEngine(t, config)
	swap(t, engine, shared, "1", "2") // a read and a patch
	before := heap()
	for n := range objects {
		ref := eval.Ref{Namespace: shared.Namespace, Name: fmt.Sprint("recorded-", n)}
		if n%2 == 0 {
			if o, err := engine.Observe(t.Context(), ref, "", 0); err != nil || o.Size() != size+1 {
				t.Fatalf("%v, %v", o, err)
			}
			continue
		}
		swap(t, engine, ref, "1", "2")
	}
	kept := heap() - before
	for tries := 0; kept >= most && tries < 100; tries++ { // it may release them only after a while
		<-time.After(100 * time.Millisecond)
		kept = heap() - before
	}
	if kept >= most {
		t.Errorf("%d MiB are kept, want less than %d", kept, most)
	}
	runtime.KeepAlive(engine)
}

// firstPage answers every page as the API server answered the first one.
type firstPage struct {
	next http.RoundTripper
	page *recording
}

// RoundTrip implements [http.RoundTripper].
func (p *firstPage) RoundTrip(request *http.Request) (*http.Response, error) {
	if p.page == nil {
		page, err := record(p.next, request)
		if err != nil {
			return nil, err
		}
		p.page = &page
	}
	return p.page.answer(request), nil
}

// Given 10,000 ConfigMaps of 24 KiB, which is 234 MiB; when they are listed; then less than 200 MiB are in use at any time. (One page of them
// represents all.)
func TestListOfTenThousandTakesLessThan200MiB(t *testing.T) {
	const objects, size, most = 10_000, 24 << 10, 200
	c := testcluster.Shared(t)
	namespace := create(t, c, eval.ConfigMap, map[string]string{"value": strings.Repeat("x", size)}).Namespace
	for i := range 16 { // with the first one, more than a page
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("listed-", i)}, Data: map[string]string{"value": strings.Repeat("x", size)}}
		if _, err := c.Client().CoreV1().ConfigMaps(namespace).Create(t.Context(), cm, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	config := rest.CopyConfig(c.Config)
	config.QPS = -1
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &firstPage{next: next} })
	engine := newEngine(t, config)
	n, peak := 0, uint64(0)
	for found, err := range engine.List(t.Context(), cas.Selection{Namespace: namespace, Fields: "metadata.name!=kube-root-ca.crt"}) {
		if err != nil || found.Size() != size {
			t.Fatalf("%+v, %v", found, err)
		}
		if n++; n%1000 == 0 {
			runtime.GC() // of all that the list has given so far, garbage does not count
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		if n == objects {
			break
		}
	}
	if t.Logf("%d MiB at most", peak>>20); n != objects || peak>>20 >= most {
		t.Errorf("%d ConfigMaps took %d MiB, want %d in less than %d MiB", n, peak>>20, objects, most)
	}
}
