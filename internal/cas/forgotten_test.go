package cas

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// An API server that was restarted has no history from before in its cache: it answers a watch that begins there with 410.

// restart is one restart of the API server. It begins when all parts wait for it.
type restart struct {
	*testing.T
	cluster *controlplane.Cluster
	waiting sync.WaitGroup // parts that have not reached the restart
	over    chan struct{}  // closed when the API server serves again
	parts   sync.WaitGroup
}

// begins runs a part concurrently with the others. Subtests with t.Parallel would wait for each other's end, and for the restart.
func (r *restart) begins(name string, do func(f *fixture, forget func())) {
	r.waiting.Add(1)
	arrive := sync.OnceFunc(r.waiting.Done)
	r.parts.Go(func() {
		defer arrive() // also if the part fails before, or does not run
		r.Run(name, func(t *testing.T) {
			f := in(t, r.cluster.Cluster)
			do(f, func() {
				f.others()
				arrive()
				select {
				case <-r.over:
				case <-t.Context().Done(): // the part ended, and a hook is left
					panic(http.ErrAbortHandler)
				}
				f.hasForgotten(f.version())
			})
		})
	})
}

// A restart takes seconds, so all parts share one, on a control plane that no other test uses.
func TestAPIServerIsRestarted(t *testing.T) {
	t.Parallel()
	r := &restart{T: t, cluster: controlplane.Own(t), over: make(chan struct{})}
	r.begins("a wait does not poll", waitsWithoutPolling)
	r.begins("a wait outlives it", waitOutlivesIt)
	r.waiting.Wait()
	if err := errors.Join(r.cluster.KillAPIServer(), r.cluster.StartAPIServer()); err != nil {
		t.Error(err)
	}
	close(r.over)
	r.parts.Wait()
}

// A list goes on when etcd drops the version that it began with.
func TestListOutlivesACompaction(t *testing.T) {
	t.Parallel()
	var plane *envtest.ControlPlane
	c := controlplane.Own(t, func(p *envtest.ControlPlane) {
		plane = p
		p.GetAPIServer().Configure().Set("watch-cache-sizes", "configmaps#0,secrets#0")
	})
	listGoesOn(in(t, c.Cluster), plane)
}

// others creates other objects, so that the resourceVersion of the kind goes on.
func (f *fixture) others() {
	for range 3 {
		other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-"}}
		if _, err := f.objects().Create(context.Background(), other, metav1.CreateOptions{}); err != nil {
			f.Error(err)
		}
	}
}

// hasForgotten fails the test if the API server still knows the versions after v.
func (f *fixture) hasForgotten(v eval.Version) {
	w, err := f.objects().Watch(context.Background(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + f.ref.Name, ResourceVersion: v.ResourceVersion, TimeoutSeconds: new(int64(10)),
	})
	if err != nil {
		if !wire.IsExpired(err) {
			f.Error(err)
		}
		return
	}
	defer w.Stop()
	if status, isStatus := (<-w.ResultChan()).Object.(*metav1.Status); !isStatus || status.Code != http.StatusGone {
		f.Error("the API server remembers what came before: the interleaving was not forced")
	}
}
