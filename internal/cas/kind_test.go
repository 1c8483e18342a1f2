package cas

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// kinded is a test of one kind.
type kinded struct {
	*testing.T
	kind eval.Kind
}

// ofEachKind runs a test on ConfigMaps and on Secrets.
func ofEachKind(t *testing.T, test func(of kinded)) {
	t.Helper()
	for _, kind := range []eval.Kind{eval.ConfigMap, eval.Secret} {
		t.Run(kind.String(), func(t *testing.T) { test(kinded{t, kind}) })
	}
}

// bothKinds is for a role.
var bothKinds = []string{"configmaps", "secrets"}

// holding is an entry of the fixture's object: bytes in a Secret.
func (f *fixture) holding(value string) eval.Value {
	if f.ref.Kind == eval.Secret {
		return eval.Binary([]byte(value))
	}
	return eval.Text(value)
}

// objects are the objects of one kind in a namespace, as another writer sees them: in the shape of ConfigMaps.
type objects interface {
	Create(ctx context.Context, object *corev1.ConfigMap, options metav1.CreateOptions) (*corev1.ConfigMap, error)
	Update(ctx context.Context, object *corev1.ConfigMap, options metav1.UpdateOptions) (*corev1.ConfigMap, error)
	Get(ctx context.Context, name string, options metav1.GetOptions) (*corev1.ConfigMap, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

func (f *fixture) objects() objects {
	core := f.cluster.Client().CoreV1()
	if f.ref.Kind == eval.Secret {
		return secrets{core.Secrets(f.ref.Namespace)}
	}
	return core.ConfigMaps(f.ref.Namespace)
}

// secrets returns the data of Secrets as text.
type secrets struct{ *testcluster.Secrets }

func (s secrets) Create(ctx context.Context, object *corev1.ConfigMap, options metav1.CreateOptions) (*corev1.ConfigMap, error) {
	made, err := s.Secrets.Create(ctx, asSecret(object, &corev1.Secret{}), options)
	return asConfigMap(made), err
}

func (s secrets) Update(ctx context.Context, object *corev1.ConfigMap, options metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	live, err := s.Secrets.Get(ctx, object.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	updated, err := s.Secrets.Update(ctx, asSecret(object, live), options)
	return asConfigMap(updated), err
}

func (s secrets) Get(ctx context.Context, name string, options metav1.GetOptions) (*corev1.ConfigMap, error) {
	live, err := s.Secrets.Get(ctx, name, options)
	return asConfigMap(live), err
}

// asSecret gives a Secret what the ConfigMap holds.
func asSecret(cm *corev1.ConfigMap, s *corev1.Secret) *corev1.Secret {
	s.ObjectMeta, s.Immutable, s.Data = cm.ObjectMeta, cm.Immutable, map[string][]byte{}
	for key, v := range cm.Data {
		s.Data[key] = []byte(v)
	}
	for key, v := range cm.BinaryData {
		s.Data[key] = v
	}
	return s
}

func asConfigMap(s *corev1.Secret) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{ObjectMeta: s.ObjectMeta, Immutable: s.Immutable}
	for key, v := range s.Data {
		if cm.Data == nil {
			cm.Data = map[string]string{}
		}
		cm.Data[key] = string(v)
	}
	return cm
}
