package testcluster

import (
	"context"
	"encoding/json"
	"errors"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"
)

// Client has a client of each API group that tests use. It is called as client-go's is, which links all groups of Kubernetes into each test binary.
type Client map[schema.GroupVersion]rest.Interface

var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	metav1.AddToGroupVersion(s, corev1.SchemeGroupVersion)
	utilruntime.Must(errors.Join(admissionv1.AddToScheme(s), authenticationv1.AddToScheme(s), authorizationv1.AddToScheme(s),
		corev1.AddToScheme(s), rbacv1.AddToScheme(s)))
	return s
}()

// NewClient returns a client for a configuration. Objects go as protobuf, which takes less of a processor than JSON at both ends, and
// keeps text that is no UTF-8.
func NewClient(cfg *rest.Config) (Client, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.ContentType, cfg.UserAgent = runtime.ContentTypeProtobuf, rest.DefaultKubernetesUserAgent()
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	transport, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	c := Client{}
	for _, group := range scheme.PrioritizedVersionsAllGroups() {
		cfg.GroupVersion, cfg.APIPath = &group, "/apis"
		if group == corev1.SchemeGroupVersion {
			cfg.APIPath = "/api"
		}
		if c[group], err = rest.RESTClientForConfigAndClient(cfg, transport); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// CoreV1 has the typed clients.
func (c Client) CoreV1() CoreV1 { return CoreV1{c[corev1.SchemeGroupVersion]} }

// Version returns the version that the API server reports.
func (c Client) Version(ctx context.Context) (string, error) {
	raw, err := c.CoreV1().RESTClient().Get().AbsPath("/version").DoRaw(ctx)
	if err != nil {
		return "", err
	}
	var is version.Info
	err = json.Unmarshal(raw, &is)
	return is.GitVersion, err
}

// CoreV1 is the group of ConfigMaps and Secrets.
type CoreV1 struct{ client rest.Interface }

// The clients of its resources.
type (
	ConfigMaps     = gentype.ClientWithList[*corev1.ConfigMap, *corev1.ConfigMapList]
	Secrets        = gentype.ClientWithList[*corev1.Secret, *corev1.SecretList]
	Namespaces     = gentype.ClientWithList[*corev1.Namespace, *corev1.NamespaceList]
	ResourceQuotas = gentype.ClientWithList[*corev1.ResourceQuota, *corev1.ResourceQuotaList]
)

// RESTClient is for requests that the typed clients do not make.
func (g CoreV1) RESTClient() rest.Interface { return g.client }

// ConfigMaps is a client for the ConfigMaps of a namespace.
func (g CoreV1) ConfigMaps(namespace string) *ConfigMaps {
	return of[corev1.ConfigMap, corev1.ConfigMapList](g.client, "configmaps", namespace)
}

// Secrets is a client for the Secrets of a namespace.
func (g CoreV1) Secrets(namespace string) *Secrets {
	return of[corev1.Secret, corev1.SecretList](g.client, "secrets", namespace)
}

// Namespaces is a client for all namespaces.
func (g CoreV1) Namespaces() *Namespaces {
	return of[corev1.Namespace, corev1.NamespaceList](g.client, "namespaces", "")
}

// ResourceQuotas is a client for the ResourceQuotas of a namespace.
func (g CoreV1) ResourceQuotas(namespace string) *ResourceQuotas {
	return of[corev1.ResourceQuota, corev1.ResourceQuotaList](g.client, "resourcequotas", namespace)
}

// of makes the typed client of one resource.
func of[T, L any, PT interface {
	*T
	runtime.Object
	metav1.Object
}, PL interface {
	*L
	runtime.Object
}](client rest.Interface, resource, namespace string) *gentype.ClientWithList[PT, PL] {
	return gentype.NewClientWithList(resource, client, runtime.NewParameterCodec(scheme), namespace,
		func() PT { return new(T) }, func() PL { return new(L) })
}
