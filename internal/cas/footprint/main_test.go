// Package footprint has the tests of the engine's traces in memory and in the log of client-go.
//
// It knows the engine as the provider does, and nothing inside. It runs without the race detector, which takes memory of its own and looks at each byte of
// a GiB; and klog changes its settings without a lock against the goroutines of client-go that read them.
package footprint

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m) }

// create makes an object of the kind in a namespace of its own.
func create(t *testing.T, c *testcluster.Cluster, kind eval.Kind, data map[string]string) eval.Ref {
	t.Helper()
	ref := eval.Ref{Kind: kind, Namespace: c.Namespace(t), Name: "shared"}
	meta, core := metav1.ObjectMeta{Name: ref.Name}, c.Client().CoreV1()
	var err error
	if kind == eval.Secret {
		_, err = core.Secrets(ref.Namespace).Create(t.Context(), &corev1.Secret{ObjectMeta: meta, StringData: data}, metav1.CreateOptions{})
	} else {
		_, err = core.ConfigMaps(ref.Namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta, Data: data}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func newEngine(t *testing.T, config *rest.Config) *cas.Engine {
	t.Helper()
	e, err := cas.New(config, func(context.Context, cas.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// swap gives foo of an object another value.
func swap(t *testing.T, e *cas.Engine, ref eval.Ref, from, to string) {
	t.Helper()
	result, err := e.Commit(t.Context(), &eval.Txn{
		Ref: ref, Keys: []eval.KeySwap{{Key: "foo", Expect: eval.Text(from), New: eval.Text(to)}}, FieldManager: "engine",
	})
	if err != nil || !result.Wrote || result.Stored["foo"].Raw() != to {
		t.Fatalf("%+v, %v", result, err)
	}
}
