package cas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// many creates ConfigMaps listed-00, listed-01, ..., every other one with the label tier=web, with the text in the key value.
func (f *fixture) many(n int, value string) (names []string) {
	f.Helper()
	for i := range n {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("listed-%02d", i)}, Data: map[string]string{"value": value}}
		if i%2 == 0 {
			cm.Labels = map[string]string{"tier": "web"}
		}
		if _, err := f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace).Create(f.Context(), cm, metav1.CreateOptions{}); err != nil {
			f.Fatal(err)
		}
		names = append(names, cm.Name)
	}
	return names
}

// listed lists ConfigMaps until there are n of them; all where n is 0.
func (f *fixture) listed(s Selection, n int) (names []string, err error) {
	f.Helper()
	s.Namespace = f.ref.Namespace
	for found, err := range f.engine.List(f.Context(), s) {
		if err != nil {
			return names, err
		}
		if found.Ref.Namespace != f.ref.Namespace || !found.Exists() {
			f.Errorf("listed %v, which exists: %v", found.Ref, found.Exists())
		}
		if names = append(names, found.Ref.Name); len(names) == n {
			break
		}
	}
	return names, nil
}

// wantPages fails the test unless just these pages were asked for, each by its limit.
func (f *fixture) wantPages(limits ...string) {
	f.Helper()
	var got []string
	for i, r := range f.proxy.Requests() {
		if isFirst := r.Query.Get("continue") == ""; isFirst != (i == 0) {
			f.Errorf("request %d: %v", i, r)
		}
		got = append(got, r.Query.Get("limit"))
	}
	if !slices.Equal(got, limits) {
		f.Errorf("pages of %q, want %q", got, limits)
	}
}

// Given 40 ConfigMaps; when they are listed; then they come in the order of their names, in pages of 16, and no page is read that nobody
// asks for.
func TestListReadsPageByPage(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	names := f.many(40, "1")
	only := Selection{Fields: "metadata.name!=shared"}
	limited := only
	limited.Limit = 20
	for _, test := range []struct {
		name   string
		s      Selection
		stop   int
		want   []string
		limits []string
	}{
		{"all", only, 0, names, []string{"16", "16", "16"}},
		{"until the caller has enough", only, 5, names[:5], []string{"16"}},
		{"until the caller has a page", only, 16, names[:16], []string{"16"}},
		{"up to a limit", limited, 0, names[:20], []string{"16", "4"}},
		{"by a label", Selection{Labels: "tier=web,tier!=db", Limit: 3}, 0, []string{names[0], names[2], names[4]}, []string{"3"}},
		{"by a field", Selection{Fields: "metadata.name=shared"}, 0, []string{"shared"}, []string{"16"}},
	} {
		f.proxy.Reset()
		got, err := f.listed(test.s, test.stop)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: listed %q, %v, want %q", test.name, got, err, test.want)
		}
		f.wantPages(test.limits...)
	}
	if last := f.events.last(); last.Operation != "list" || last.Verdict != eval.Applied {
		t.Errorf("traced as %+v", last)
	}
}

// Given a list whose first page was read; when the Engine is closed, when the caller's context ends, or when
// the user may not list; then the list ends with that error.
func TestListEndsWithItsError(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.many(20, "1")
	for name, end := range map[string]func(cancel func(), e *Engine){
		"closed":   func(_ func(), e *Engine) { e.Close() },
		"canceled": func(cancel func(), _ *Engine) { cancel() },
	} {
		engine := f.newEngine(f.proxy.Config)
		ctx, cancel := context.WithCancel(t.Context())
		n, last := 0, error(nil)
		for _, err := range engine.List(ctx, Selection{Namespace: f.ref.Namespace}) {
			if last = err; err == nil {
				n++
			}
			if n == 16 && err == nil {
				end(cancel, engine)
			}
		}
		cancel()
		var canceled *eval.CanceledError
		if !errors.As(last, &canceled) || n != 16 {
			t.Errorf("%s: %d were listed, then %v", name, n, last)
		}
	}

	f.mayOnly("get", "patch")
	_, err := f.listed(Selection{}, 0)
	var forbidden *eval.ForbiddenError
	if !errors.As(err, &forbidden) || forbidden.Verb != "list" {
		t.Errorf("not permitted: %v", err)
	}
}

// Given a list whose first page was read; when etcd drops the version of that page; then the list continues
// with the present state.
func listGoesOn(f *fixture, plane *envtest.ControlPlane) {
	f.ref.Name = "last" // before listed-..., in the order of names
	names := f.many(40, "1")
	var got []string
	for found, err := range f.engine.List(f.Context(), Selection{Namespace: f.ref.Namespace, Fields: "metadata.name!=kube-root-ca.crt"}) {
		if err != nil {
			f.Fatal(err)
		}
		if got = append(got, found.Ref.Name); len(got) == 16 {
			f.create(map[string]string{"foo": "1"})
			f.removes("listed-20")
			compact(f.T, plane, f.live().ResourceVersion)
		}
	}
	if want := slices.Delete(slices.Clone(names), 20, 21); !slices.Equal(got, want) {
		f.Errorf("listed %q, want %q", got, want)
	}
	if n := f.proxy.Count(http.MethodGet); n != 4 { // three pages, one of them asked for twice
		f.Errorf("%d requests: %v", n, f.proxy.Requests())
	}
}

// removes deletes a ConfigMap as another writer.
func (f *fixture) removes(name string) {
	f.Helper()
	if err := f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace).Delete(f.Context(), name, metav1.DeleteOptions{}); err != nil {
		f.Fatal(err)
	}
}

// compact has etcd forget the versions before a revision.
func compact(t *testing.T, plane *envtest.ControlPlane, revision string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, plane.Etcd.URL.String()+"/v3/kv/compaction",
		strings.NewReader(`{"revision":"`+revision+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
}
