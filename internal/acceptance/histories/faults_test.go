package histories

import (
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

// strikes makes a fault happen to the next process. It sets isStill if a write whose response is lost changes nothing
// in managedFields, as within one second, so that they do not show it.
func (h *history) strikes(r *run, f fault, fired, isStill *atomic.Bool, cancel func()) {
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
		name, lands := h.wouldLand(req)
		if !lands {
			return testcluster.Fault{}
		}
		if writes++; writes != f.at {
			return testcluster.Fault{}
		}
		fired.Store(true)
		other := func() {
			if f.other {
				h.interfere(name, f.key, f.value)
			}
		}
		before := h.managedFields(name)
		switch f.kind {
		case "kill before":
			on := held{make(chan struct{}), make(chan struct{})}
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
			return testcluster.Fault{DropBefore: true}
		case "lose after":
			return testcluster.Fault{DropAfter: true, Answered: func(*http.Response) {
				isStill.Store(equality.Semantic.DeepEqual(h.managedFields(name), before))
				other()
			}}
		}
		return testcluster.Fault{}
	})
}

// managedFields returns the managedFields of an object; empty if there is none.
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

// wouldLand reports whether a request is a write that would be applied, and returns the name of the object.
func (h *history) wouldLand(req *http.Request) (name string, lands bool) {
	if req.Method == http.MethodGet || req.URL.Query().Has("dryRun") { // a dry run writes nothing
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

// land releases the write of a dead process.
func (h *history) land() {
	h.add("op land")
	on := h.held[0]
	h.held = h.held[1:]
	h.do(func() outcome {
		close(on.release)
		<-on.landed
		return outcome{}
	}, func(m *model) outcome {
		w := m.late[0]
		m.late = m.late[1:]
		m.landed = m.land(w)
		return outcome{}
	})
	h.add(map[bool]string{true: "landed", false: "came too late"}[h.worlds[0].landed])
}
