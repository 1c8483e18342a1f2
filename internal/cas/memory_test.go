package cas

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
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

// Given 2,000 ConfigMaps of 512 KiB, half of which were observed and half swapped; when nothing more is asked for; then what the
// Engine keeps of them takes less than 100 MiB, and not 1 GiB. (What the API server answered for one of them stands for all.)
func TestWhatIsKeptOfManyLargeObjectsIsSmall(t *testing.T) {
	const objects, size, most = 2000, 512 << 10, 100
	f := newFixture(t, map[string]string{"foo": "1", "large": strings.Repeat("x", size)})
	config := rest.CopyConfig(f.cluster.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &recorded{next: next, of: map[string]recording{}}
	})
	f.engine = f.newEngine(config)
	_, err := f.do(f.swapping("foo", one, two)) // a read and a patch
	f.want(Applied, err)
	before := heap()
	for n := range objects {
		ref := Ref{Namespace: f.ref.Namespace, Name: fmt.Sprint("recorded-", n)}
		if n%2 == 0 {
			if o, err := f.engine.Observe(t.Context(), ref, 0); err != nil || o.Size() != size+1 {
				t.Fatalf("%v, %v", o, err)
			}
			continue
		}
		s := f.swapping("foo", one, two)
		s.Ref = ref
		if result, err := f.do(s); err != nil || !result.Wrote || result.Stored != two {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	kept := heap() - before
	for tries := 0; kept >= most && tries < 100; tries++ { // it may let go of them only after a while
		<-time.After(100 * time.Millisecond)
		kept = heap() - before
	}
	if kept >= most {
		t.Errorf("%d MiB are kept, want less than %d", kept, most)
	}
	runtime.KeepAlive(f.engine)
}

// Given two entries that were planned together; when one of them is applied ten minutes after the other, and the object's body was
// forgotten meanwhile; then its sibling's write is not foreign, and a foreign one is.
func TestSiblingsWriteIsKnownTenMinutesLater(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		for name, isForeign := range map[string]bool{"nobody else wrote": false, "another wrote": true} {
			t.Run(name, func(t *testing.T) {
				f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1", "other": "1"})
				planned := f.version()
				var late atomic.Int64 // by how much the Engine's clock is ahead
				f.engine.client.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
				_, err := f.do(f.swapping("foo", one, two, planned))
				f.want(Applied, err)

				late.Store(int64(10 * time.Minute))
				c := f.engine.committer(f.ref)
				<-waitFor(func() bool { c.forgetIdle(); return c.weigh() == 0 })
				if isForeign {
					f.set("other", "2")
				}
				f.proxy.Reset()
				_, err = f.do(f.swapping("bar", one, two, planned))
				if isForeign {
					f.wantReason(ReasonObject, err)
					return
				}
				f.want(Applied, err)
				f.wantData(map[string]string{"foo": "2", "bar": "2", "other": "1"})
				if _, watches := f.count(); watches != 0 || f.proxy.Count() != 2 {
					t.Errorf("%v, want a read that tells the horizon, and a patch", f.proxy.Requests())
				}
			})
		}
	})
}
