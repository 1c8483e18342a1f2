package soak

import (
	"context"
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// A soak of Secrets is that of ConfigMaps: whatever a Secret holds is written down as text.

// ref names one of the objects.
func (p *plan) ref(name string) eval.Ref {
	ref := eval.Ref{Namespace: p.Namespace, Name: name}
	if p.Secrets {
		ref.Kind = eval.Secret
	}
	return ref
}

// resource names the objects in a URL.
func (p *plan) resource() string {
	if p.Secrets {
		return "secrets"
	}
	return "configmaps"
}

// object returns the body of a request about an object.
func (p *plan) object(cm *corev1.ConfigMap) runtime.Object {
	if !p.Secrets {
		return cm
	}
	s := &corev1.Secret{ObjectMeta: cm.ObjectMeta, Immutable: cm.Immutable, Data: map[string][]byte{}}
	for key, v := range cm.Data {
		s.Data[key] = []byte(v)
	}
	return s
}

// sent returns the form of a value in a patch.
func (p *plan) sent(v string) string {
	if p.Secrets {
		return base64.StdEncoding.EncodeToString([]byte(v))
	}
	return v
}

// shown returns the entries of an object; nil if it is none.
func shown(object runtime.Object) *corev1.ConfigMap {
	switch o := object.(type) {
	case *corev1.ConfigMap:
		return o
	case *corev1.Secret:
		cm := &corev1.ConfigMap{ObjectMeta: o.ObjectMeta, Data: map[string]string{}}
		for key, v := range o.Data {
			cm.Data[key] = string(v)
		}
		return cm
	}
	return nil
}

// asText writes a worker's entries in the form of the record.
func (o *op) asText() {
	for _, e := range []*eval.Value{&o.Expect, &o.New, &o.Live, &o.Previous} {
		*e = asText(*e)
	}
	for i := range o.Also {
		p := &o.Also[i]
		for _, e := range []*eval.Value{&p.Expect, &p.New, &p.Live, &p.Previous} {
			*e = asText(*e)
		}
	}
}

func asText(e eval.Value) eval.Value {
	if b, ok := e.Binary(); ok {
		return eval.Text(string(b))
	}
	return e
}

func (r *record) list(ctx context.Context, options metav1.ListOptions) (*corev1.ConfigMapList, error) {
	if !*secrets {
		return r.client.CoreV1().ConfigMaps(r.namespace).List(ctx, options)
	}
	list, err := r.client.CoreV1().Secrets(r.namespace).List(ctx, options)
	if err != nil {
		return nil, err
	}
	all := &corev1.ConfigMapList{ListMeta: list.ListMeta}
	for i := range list.Items {
		all.Items = append(all.Items, *shown(&list.Items[i]))
	}
	return all, nil
}

func (r *record) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if *secrets {
		return r.client.CoreV1().Secrets(r.namespace).Watch(ctx, options)
	}
	return r.client.CoreV1().ConfigMaps(r.namespace).Watch(ctx, options)
}
