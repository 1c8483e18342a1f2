package soak

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// state is the content of a ConfigMap at one version.
type state struct {
	version eval.Version
	entries map[string]eval.Value
	gone    bool   // the ConfigMap was deleted at the version
	manager string // which wrote the counter, as managedFields say
}

// record is all versions of the ConfigMaps of one namespace, in order, from a watch that has nothing to do with the engine.
type record struct {
	client    testcluster.Client
	namespace string
	added     func(configMap string, s state) // or nil

	mu     sync.Mutex
	last   string // resourceVersion up to which everything is known
	states map[string][]state
	filled int // versions that no watch gave
}

// newRecord starts a record with what the ConfigMaps are now. It goes on until the test ends.
func newRecord(t *testing.T, client testcluster.Client, namespace string, added func(string, state)) *record {
	t.Helper()
	r := &record{client: client, namespace: namespace, added: added, states: map[string][]state{}}
	list, err := r.list(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		r.add(&list.Items[i], false)
	}
	r.last = list.ResourceVersion
	var watching sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	watching.Go(func() { r.run(ctx) })
	t.Cleanup(func() { cancel(); watching.Wait() })
	return r
}

func (r *record) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := r.follow(ctx); apierrors.IsGone(err) || apierrors.IsResourceExpired(err) {
			err = r.fill(ctx)
			if err == nil {
				continue
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond): // the API server is away
		}
	}
}

// follow watches from the last version that is known until the watch ends.
func (r *record) follow(ctx context.Context) error {
	w, err := r.watch(ctx, metav1.ListOptions{ResourceVersion: r.last})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		cm := shown(event.Object)
		if event.Type == watch.Error || cm == nil {
			return apierrors.FromObject(event.Object)
		}
		r.add(cm, event.Type == watch.Deleted)
	}
	return errors.New("the watch ended")
}

// fill asks for each version since the last that is known. A kube-apiserver that was started again gives to a watch what came
// since, and etcd has the rest. (That resourceVersions are etcd's revisions is nothing that a client may count on.)
func (r *record) fill(ctx context.Context) error {
	list, err := r.list(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(r.last)
	if err != nil {
		return err
	}
	to, err := strconv.Atoi(list.ResourceVersion)
	if err != nil {
		return err
	}
	for n := from + 1; n <= to; n++ {
		version := strconv.Itoa(n)
		list, err := r.list(ctx, metav1.ListOptions{
			ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		})
		if err != nil {
			return err
		}
		for i := range list.Items {
			if list.Items[i].ResourceVersion == version {
				r.add(&list.Items[i], false)
				r.filled++
			}
		}
		r.last = version
	}
	return nil
}

func (r *record) add(cm *corev1.ConfigMap, gone bool) {
	s := state{version: versionOf(cm), entries: map[string]eval.Value{}, gone: gone}
	for _, m := range cm.ManagedFields {
		if m.FieldsV1 != nil && strings.Contains(m.FieldsV1.GetRawString(), `"f:`+counterKey+`":`) {
			s.manager = m.Manager
		}
	}
	for key := range cm.Data {
		s.entries[key] = entryOf(cm, key)
	}
	for key := range cm.BinaryData {
		s.entries[key] = entryOf(cm, key)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = cm.ResourceVersion
	r.states[cm.Name] = append(r.states[cm.Name], s)
	if r.added != nil {
		r.added(cm.Name, s)
	}
}

// complete gives all versions so far, once the record has come to what the ConfigMaps are now.
func (r *record) complete(t *testing.T) map[string][]state {
	t.Helper()
	list, err := r.list(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // a watch tells when it does
		r.mu.Lock()
		missing := slices.ContainsFunc(list.Items, func(cm corev1.ConfigMap) bool {
			return !slices.ContainsFunc(r.states[cm.Name], func(s state) bool { return s.version == versionOf(&cm) })
		})
		for name, states := range r.states {
			isThere := slices.ContainsFunc(list.Items, func(cm corev1.ConfigMap) bool { return cm.Name == name })
			missing = missing || !isThere && !states[len(states)-1].gone
		}
		states := maps.Clone(r.states)
		r.mu.Unlock()
		if !missing {
			return states
		}
		if time.Now().After(deadline) {
			t.Fatal("the watch does not come to what is there now")
		}
	}
}
