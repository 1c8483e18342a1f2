package histories

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8stypes "k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// route is a way to the API server that one can cut.
type route struct {
	proxy      *testcluster.Proxy
	kubeconfig string
}

func (l *lab) route() *route {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.idle); n > 0 {
		r := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return r
	}
	p := l.Cluster.ProxyFor(l.Fixture, l.config)
	return &route{p, l.Cluster.Kubeconfig(l.Fixture, p.Config)}
}

func (l *lab) giveBack(r *route) {
	r.proxy.SetHook(nil)
	r.proxy.Reset()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, r)
}

// held is a write of a dead process that is on its way.
type held struct {
	byKey   bool // it is a JSON Patch, which is conditional on keys' values, not on a version
	release chan struct{}
	landed  chan struct{}
}

// start starts providers that one can kill.
func (r *run) start(l *lab) driver.Start {
	return func(getenv func(string) string) (tfprotov6.ProviderServer, func()) {
		server, end := fixture.StartProvider(getenv)
		died, cut := r.died, r.cut
		return &mortal{server, died}, func() {
			select {
			case <-died:
				l.dead.Go(func() {
					end()
					l.giveBack(cut)
				})
			default:
				end()
			}
		}
	}
}

// mortal is a provider that can be killed: who waits for it does not hear of it again.
type mortal struct {
	tfprotov6.ProviderServer

	died chan struct{}
}

func (s *mortal) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	type answer struct {
		resp *tfprotov6.ApplyResourceChangeResponse
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		resp, err := s.ProviderServer.ApplyResourceChange(ctx, req)
		answered <- answer{resp, err}
	}()
	select {
	case a := <-answered:
		return a.resp, a.err
	case <-s.died:
		return nil, errors.New("the process is gone")
	}
}

// struckWrite is the write that a fault happened to.
type struckWrite struct {
	isPatch bool
	byKey   bool // it is a JSON Patch
	isSaid  bool // whose fields are whose: the API server keeps no managedFields of an object that was made without content
	isStill bool // managedFields of an object with fields are as they were: then they tell nothing (DESIGN.md, the rules of evidence)
}

// strikes has a fault happen to a process that is to be started.
func (h *history) strikes(r *run, f fault, fired *atomic.Bool, struck *struckWrite, cancel func()) {
	died := make(chan struct{})
	r.died, r.cut = died, r.route
	var mu sync.Mutex
	writes := 0
	r.route.proxy.SetHook(func(req *http.Request) testcluster.Fault {
		mu.Lock()
		defer mu.Unlock()
		select {
		case <-died:
			return testcluster.Fault{DropBefore: true}
		default:
		}
		if f.noWatch && req.URL.Query().Has("watch") {
			return testcluster.Fault{Answer: &testcluster.Answer{
				Status: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}},
				Body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"forbidden"}`,
			}}
		}
		name, lands := h.wouldLand(req)
		if !lands {
			return testcluster.Fault{}
		}
		if writes++; writes != f.at {
			return testcluster.Fault{}
		}
		fired.Store(true)
		struck.isPatch, struck.byKey = req.Method == http.MethodPatch, req.Header.Get("Content-Type") == string(k8stypes.JSONPatchType)
		other := func() {
			if f.other {
				raw, err := h.send(http.MethodGet, name, "", nil, false)
				struck.isSaid = err == nil && bytes.Contains(raw, []byte(`"managedFields"`))
				h.interfere(name, f.key, f.value)
			}
		}
		told := h.managedFields(name)
		looks := func() { struck.isStill = hasFields(name) && equality.Semantic.DeepEqual(h.managedFields(name), told) }
		switch f.kind {
		case "kill before":
			on := held{struck.byKey, make(chan struct{}), make(chan struct{})}
			h.held = append(h.held, on)
			close(died)
			return testcluster.Fault{HoldBefore: on.release, Answered: func(*http.Response) { close(on.landed) }}
		case "kill after":
			return testcluster.Fault{DropAfter: true, Answered: func(*http.Response) { close(died) }}
		case "interrupt":
			cancel()
		case "overtaken":
			other()
		case "lose before":
			other()
			looks()
			return testcluster.Fault{DropBefore: true}
		case "lose after":
			return testcluster.Fault{DropAfter: true, Answered: func(*http.Response) {
				looks()
				other()
			}}
		}
		return testcluster.Fault{}
	})
}

// managedFields are those of an object; empty where there is none.
func (h *history) managedFields(name string) []metav1.ManagedFieldsEntry {
	var o metav1.PartialObjectMetadata
	raw, err := h.send(http.MethodGet, name, "", nil, false)
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		h.Error(err)
	}
	return o.ManagedFields
}

// wouldLand reports whether a request is a write that would be done, and of which ConfigMap.
func (h *history) wouldLand(req *http.Request) (name string, lands bool) {
	if req.Method == http.MethodGet || req.URL.Query().Has("dryRun") { // what tells how the API server stores a value writes nothing
		return "", false
	}
	name = nameIn(req.URL.Path)
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return name, false
	}
	switch req.Method {
	case http.MethodPost:
		made := &corev1.ConfigMap{}
		if err = json.Unmarshal(body, made); err == nil {
			_, err = h.send(req.Method, made.Name, "", body, true)
		}
		name = made.Name
	case http.MethodDelete:
		o := metav1.DeleteOptions{}
		if err = json.Unmarshal(body, &o); err == nil {
			o.DryRun = []string{metav1.DryRunAll}
			body, err = json.Marshal(o)
		}
		if err == nil {
			_, err = h.send(req.Method, name, "", body, true)
		}
	default:
		of := k8stypes.PatchType(req.Header.Get("Content-Type"))
		_, err = h.send(req.Method, name, of, body, true)
	}
	return name, err == nil
}

// land lets go of the write of a dead process.
func (h *history) land() {
	h.add("op land")
	on := h.held[0]
	h.held = h.held[1:]
	lands := func(anyway bool) func(*model) outcome {
		return func(m *model) outcome {
			w := m.late[0]
			m.late = m.late[1:]
			if o := m.live[w.cm]; anyway && o != nil {
				w.base = o.version
			}
			m.landed = m.land(w)
			return outcome{}
		}
	}
	h.do(func() outcome {
		close(on.release)
		<-on.landed
		return outcome{}
	}, lands(false), lands(on.byKey))
	h.add(map[bool]string{true: "landed", false: "came too late"}[h.worlds[0].landed])
}
