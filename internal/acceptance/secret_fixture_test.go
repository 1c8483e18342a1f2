package acceptance_test

import (
	"context"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// createSecret makes a Secret as another writer.
func (f *fixture) createSecret(name string, holds data, change ...func(*corev1.Secret)) *corev1.Secret {
	f.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: bytesOf(holds)}
	for _, each := range change {
		each(s)
	}
	made, err := f.cluster.Client().CoreV1().Secrets(f.namespace).Create(context.Background(), s, metav1.CreateOptions{FieldManager: "another-writer"})
	if err != nil {
		f.Fatal(err)
	}
	return made
}

func bytesOf(holds data) map[string][]byte {
	all := map[string][]byte{}
	for key, value := range holds {
		all[key] = []byte(value)
	}
	return all
}

// liveSecret reads a Secret.
func (f *fixture) liveSecret(name string) *corev1.Secret {
	f.Helper()
	s, err := f.cluster.Client().CoreV1().Secrets(f.namespace).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// changeSecret changes a Secret as another writer.
func (f *fixture) changeSecret(name string, change func(*corev1.Secret)) *corev1.Secret {
	f.Helper()
	s := f.liveSecret(name)
	change(s)
	changed, err := f.cluster.Client().CoreV1().Secrets(f.namespace).Update(context.Background(), s, metav1.UpdateOptions{FieldManager: "another-writer"})
	if err != nil {
		f.Fatal(err)
	}
	return changed
}

// rotate sets one key of a Secret as another writer.
func (f *fixture) rotate(name, key, value string) {
	f.Helper()
	f.changeSecret(name, func(s *corev1.Secret) {
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		s.Data[key] = []byte(value)
	})
}

// wantSecret fails the test unless the Secret holds just that.
func (f *fixture) wantSecret(name string, want data) {
	f.Helper()
	got := data{}
	for key, value := range f.liveSecret(name).Data {
		got[key] = string(value)
	}
	if !maps.Equal(got, want) {
		f.Errorf("the live Secret %s holds %q, want %q", name, got, want)
	}
}

// secretEntry is a resource block of one key, password in the Secret database, in the fixture's namespace.
func secretEntry(lines ...string) string {
	return "resource \"cas_secret_entry\" \"it\" {\n  namespace = NAMESPACE\n  name = \"database\"\n  key = \"password\"\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

// secretData is a resource block of several keys of the Secret database.
func secretData(lines ...string) string {
	return "resource \"cas_secret_data\" \"it\" {\n  namespace = NAMESPACE\n  name = \"database\"\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

// secrets are all Secrets of the fixture's namespace.
func (f *fixture) secrets() map[string]corev1.Secret {
	f.Helper()
	list, err := f.cluster.Client().CoreV1().Secrets(f.namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		f.Fatal(err)
	}
	all := map[string]corev1.Secret{}
	for _, s := range list.Items {
		all[s.Name] = s
	}
	return all
}
