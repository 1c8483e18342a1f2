package testcluster_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// patch sets foo through the proxy, once and without retries.
func patch(ctx context.Context, p *testcluster.Proxy, namespace, value string) (*http.Response, error) {
	url := p.URL + "/api/v1/namespaces/" + namespace + "/configmaps/testmap?fieldManager=test"
	r, err := http.NewRequestWithContext(ctx, http.MethodPatch, url,
		strings.NewReader(`{"data":{"foo":"`+value+`"}}`))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", string(types.MergePatchType))
	response, err := http.DefaultClient.Do(r)
	if err == nil {
		_ = response.Body.Close() // only the status is looked at
	}
	return response, err
}

// live reads foo past the proxy.
func live(t *testing.T, c *testcluster.Cluster, namespace string) string {
	t.Helper()
	cm, err := c.Client().CoreV1().ConfigMaps(namespace).Get(t.Context(), "testmap", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return cm.Data["foo"]
}

func setup(t *testing.T) (*testcluster.Cluster, *testcluster.Proxy, string) {
	t.Helper()
	c := testcluster.Shared(t)
	return c, c.Proxy(t), configMap(t, c)
}

func always(f testcluster.Fault) func(*http.Request) testcluster.Fault {
	return func(*http.Request) testcluster.Fault { return f }
}

func TestProxyPassesAndRecords(t *testing.T) {
	t.Parallel()
	c, p, namespace := setup(t)
	if _, err := client(t, p.Config).CoreV1().ConfigMaps(namespace).Get(t.Context(), "testmap", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := patch(t.Context(), p, namespace, "2"); err != nil {
		t.Fatal(err)
	}
	if got := live(t, c, namespace); got != "2" {
		t.Errorf("live: %q", got)
	}
	requests := p.Requests()
	if len(requests) != 2 || p.Count() != 2 || p.Count("PATCH") != 1 || p.Count("GET", "PATCH") != 2 {
		t.Fatalf("requests: %v", requests)
	}
	got := requests[1]
	if got.Path != "/api/v1/namespaces/"+namespace+"/configmaps/testmap" || got.Status != 200 ||
		got.ContentType != string(types.MergePatchType) || got.Query.Get("fieldManager") != "test" ||
		string(got.Body) != `{"data":{"foo":"2"}}` {
		t.Errorf("the patch was recorded as %v %s %s", got, got.ContentType, got.Body)
	}
	p.Reset()
	if p.Count() != 0 {
		t.Errorf("after Reset: %v", p.Requests())
	}
}

func TestProxyAuthenticatesAsTheUser(t *testing.T) {
	t.Parallel()
	c := testcluster.Shared(t)
	namespace := configMap(t, c)
	p := c.ProxyFor(t, c.User(t, "getter", namespace, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}, ResourceNames: []string{"testmap"},
	}))
	maps := client(t, p.Config).CoreV1().ConfigMaps(namespace)
	if _, err := maps.Get(t.Context(), "testmap", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := maps.List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("list: %v, want forbidden", err)
	}
}

// wantDropped sends a patch that gets no answer, and compares what foo is then, and the status that was recorded, with what is wanted.
func wantDropped(t *testing.T, fault testcluster.Fault, foo string, status int) {
	t.Helper()
	c, p, namespace := setup(t)
	p.SetHook(always(fault))
	if response, err := patch(t.Context(), p, namespace, "2"); err == nil {
		t.Errorf("answered %s", response.Status)
	}
	if got := live(t, c, namespace); got != foo {
		t.Errorf("live: %q", got)
	}
	if got := p.Requests(); len(got) != 1 || got[0].Status != status {
		t.Errorf("recorded: %v", got)
	}
}

func TestProxyDropBeforeKeepsTheWriteFromTheServer(t *testing.T) {
	t.Parallel()
	wantDropped(t, testcluster.Fault{DropBefore: true}, "1", 0)
}

func TestProxyDropAfterLosesTheAnswerOfAWriteThatLanded(t *testing.T) {
	t.Parallel()
	wantDropped(t, testcluster.Fault{DropAfter: true}, "2", http.StatusOK)
}

func TestProxyAnswersInPlaceOfTheServer(t *testing.T) {
	t.Parallel()
	c, p, namespace := setup(t)
	p.SetHook(func(r *http.Request) testcluster.Fault {
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.Method != http.MethodPatch {
			return testcluster.Fault{}
		}
		return testcluster.Fault{Answer: &testcluster.Answer{
			Status: http.StatusTooManyRequests, Header: http.Header{"retry-after": {"7"}}, Body: "later",
		}}
	})
	response, err := patch(t.Context(), p, namespace, "2")
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "7" {
		t.Errorf("answered %s %v", response.Status, response.Header)
	}
	if got := live(t, c, namespace); got != "1" {
		t.Errorf("live: %q", got)
	}
	p.SetHook(nil)
	if response, err := patch(t.Context(), p, namespace, "2"); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("without a hook: %v %v", response, err)
	}
}

func TestProxyHoldBeforeForwardsEvenWhenTheClientIsGone(t *testing.T) {
	t.Parallel()
	c, p, namespace := setup(t)
	arrived, release, landed := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.SetHook(func(*http.Request) testcluster.Fault {
		close(arrived)
		return testcluster.Fault{HoldBefore: release, Answered: func(*http.Response) { close(landed) }}
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := patch(ctx, p, namespace, "2")
		done <- err
	}()
	<-arrived
	cancel()
	if err := <-done; err == nil {
		t.Error("the client was answered")
	}
	if got := live(t, c, namespace); got != "1" {
		t.Errorf("live while held: %q", got)
	}
	close(release)
	<-landed
	if got := live(t, c, namespace); got != "2" {
		t.Errorf("live: %q", got)
	}
}

func TestProxyHoldAfterKeepsTheAnswerOfAWriteThatLanded(t *testing.T) {
	t.Parallel()
	c, p, namespace := setup(t)
	release, landed := make(chan struct{}), make(chan struct{})
	p.SetHook(always(testcluster.Fault{HoldAfter: release, Answered: func(*http.Response) { close(landed) }}))
	done := make(chan error, 1)
	go func() {
		_, err := patch(t.Context(), p, namespace, "2")
		done <- err
	}()
	<-landed
	if got := live(t, c, namespace); got != "2" {
		t.Errorf("live: %q", got)
	}
	select {
	case err := <-done:
		t.Errorf("answered while held: %v", err)
	default:
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestProxyStreamsAWatch(t *testing.T) {
	t.Parallel()
	_, p, namespace := setup(t)
	w, err := client(t, p.Config).CoreV1().ConfigMaps(namespace).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if e := <-w.ResultChan(); e.Type != watch.Added {
		t.Fatalf("first event: %v", e.Type)
	}
	for _, value := range []string{"2", "3"} { // each arrives before the next is caused
		if _, err := patch(t.Context(), p, namespace, value); err != nil {
			t.Fatal(err)
		}
		e := <-w.ResultChan()
		if cm, ok := e.Object.(*corev1.ConfigMap); !ok || cm.Data["foo"] != value {
			t.Errorf("event: %v", e)
		}
	}
}
