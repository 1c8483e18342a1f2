package testcluster

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Namespace makes a namespace that only this test uses, named after it.
func (c *Cluster) Namespace(t testing.TB) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: label(t.Name()) + "-"}}
	ns, err := c.client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return ns.Name
}

// label turns a test's name into a DNS label that leaves room for a suffix.
func label(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	name = strings.Trim(name[:min(len(name), 50)], "-")
	if name == "" {
		return "test"
	}
	return name
}

// User makes a user who authenticates with a client certificate and may do in the namespace what the
// rules say, and nothing else. It returns when the server grants it.
func (c *Cluster) User(t testing.TB, name, namespace string, rules ...rbacv1.PolicyRule) *rest.Config {
	t.Helper()
	cfg, err := c.user(name)
	if err != nil {
		t.Fatal(err)
	}
	c.grant(t, name, namespace, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}, rules)
	for _, rule := range rules {
		c.awaitGrant(t, name, namespace, rule)
	}
	return cfg
}

// grant makes a role of the rules in the namespace, and binds it to the subject.
func (c *Cluster) grant(t testing.TB, name, namespace string, subject rbacv1.Subject, rules []rbacv1.PolicyRule) {
	t.Helper()
	meta := metav1.ObjectMeta{Name: name}
	c.create(t, rbacv1.SchemeGroupVersion, namespace, "roles", &rbacv1.Role{ObjectMeta: meta, Rules: rules})
	c.create(t, rbacv1.SchemeGroupVersion, namespace, "rolebindings", &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: []rbacv1.Subject{subject},
	})
}

// Refuse has the cluster refuse what the policy does not allow: from a little later on, until the test ends.
func (c *Cluster) Refuse(t testing.TB, name string, policy admissionv1.ValidatingAdmissionPolicySpec) {
	t.Helper()
	meta, group := metav1.ObjectMeta{Name: name}, admissionv1.SchemeGroupVersion
	const policies, bindings = "validatingadmissionpolicies", "validatingadmissionpolicybindings"
	c.create(t, group, "", policies, &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: meta, Spec: policy})
	c.create(t, group, "", bindings, &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: meta, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
	}})
	t.Cleanup(func() {
		for _, resource := range []string{bindings, policies} {
			_ = c.client[group].Delete().Resource(resource).Name(name).Do(context.Background()).Error()
		}
	})
}

// Mutate has the cluster change what is written as the policy says: from a little later on, until the test ends. Up to Kubernetes 1.35 there is but
// v1beta1 of such policies, which has the same fields.
func (c *Cluster) Mutate(t testing.TB, name string, policy admissionv1.MutatingAdmissionPolicySpec) {
	t.Helper()
	group := admissionv1.SchemeGroupVersion
	if err := c.client[group].Get().Resource("mutatingadmissionpolicies").Do(t.Context()).Error(); apierrors.IsNotFound(err) {
		group.Version = "v1beta1"
	}
	meta := metav1.ObjectMeta{Name: name}
	for resource, object := range map[string]any{
		"mutatingadmissionpolicies": admissionv1.MutatingAdmissionPolicy{
			TypeMeta: metav1.TypeMeta{APIVersion: group.String(), Kind: "MutatingAdmissionPolicy"}, ObjectMeta: meta, Spec: policy,
		},
		"mutatingadmissionpolicybindings": admissionv1.MutatingAdmissionPolicyBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: group.String(), Kind: "MutatingAdmissionPolicyBinding"}, ObjectMeta: meta,
			Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name},
		},
	} {
		body, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		about := func(r *rest.Request) *rest.Request { return r.AbsPath("apis", group.Group, group.Version, resource) }
		if err := about(c.client[admissionv1.SchemeGroupVersion].Post()).SetHeader("Content-Type", "application/json").Body(body).Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = about(c.client[admissionv1.SchemeGroupVersion].Delete()).Suffix(name).Do(context.Background()).Error()
		})
	}
}

func (c *Cluster) create(t testing.TB, group schema.GroupVersion, namespace, resource string, object runtime.Object) {
	t.Helper()
	err := c.client[group].Post().NamespaceIfScoped(namespace, namespace != "").Resource(resource).Body(object).Do(t.Context()).Error()
	if err != nil {
		t.Fatal(err)
	}
}

// awaitGrant waits until the authorizer, which learns of roles through a watch, knows the rule.
func (c *Cluster) awaitGrant(t testing.TB, user, namespace string, rule rbacv1.PolicyRule) {
	t.Helper()
	attributes := &authorizationv1.ResourceAttributes{
		Namespace: namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: rule.Resources[0],
	}
	if len(rule.ResourceNames) > 0 {
		attributes.Name = rule.ResourceNames[0]
	}
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true,
		func(ctx context.Context) (bool, error) {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes}}
			err := c.client[authorizationv1.SchemeGroupVersion].Post().Resource("subjectaccessreviews").Body(review).Do(ctx).Into(review)
			return err == nil && review.Status.Allowed, err
		})
	if err != nil {
		t.Fatalf("waiting until %s may %s %s in %s: %v", user, attributes.Verb, attributes.Resource, namespace, err)
	}
}

// Kubeconfig writes a kubeconfig for cfg into the test's temporary folder and returns its path.
func (c *Cluster) Kubeconfig(t testing.TB, cfg *rest.Config) string {
	t.Helper()
	path := t.TempDir() + "/kubeconfig"
	if err := WriteKubeconfig(path, cfg); err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteKubeconfig writes a kubeconfig with one context, testcluster, as [WriteContext] does.
func WriteKubeconfig(path string, cfg *rest.Config) error {
	return WriteContext(path, "testcluster", cfg)
}

// WriteContext writes a kubeconfig with one context of that name, which holds what cfg holds in memory: the address, the
// certificates and the token. It leaves out what cfg names by file.
func WriteContext(path, name string, cfg *rest.Config) error {
	return clientcmd.WriteToFile(*kubeconfig(name, cfg), path)
}

func kubeconfig(name string, cfg *rest.Config) *clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{
		Server:                   cfg.Host,
		CertificateAuthorityData: cfg.CAData,
		InsecureSkipTLSVerify:    cfg.Insecure,
	}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: cfg.CertData,
		ClientKeyData:         cfg.KeyData,
		Token:                 cfg.BearerToken,
	}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return config
}
