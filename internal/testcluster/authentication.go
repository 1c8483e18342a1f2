package testcluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"sync"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// ServiceAccount makes a service account, with the rules if any, and returns a token of it.
func ServiceAccount(t testing.TB, cluster *Cluster, namespace, name string, rules ...rbacv1.PolicyRule) string {
	t.Helper()
	cluster.create(t, corev1.SchemeGroupVersion, namespace, "serviceaccounts", &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if len(rules) > 0 {
		// User waits until its own grant is known; this one, made before it, is known then too.
		cluster.grant(t, name, namespace, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: namespace}, rules)
		cluster.User(t, namespace+"-later", namespace, rules...)
	}
	token := &authenticationv1.TokenRequest{}
	err := cluster.client[corev1.SchemeGroupVersion].Post().Namespace(namespace).Resource("serviceaccounts").Name(name).SubResource("token").
		Body(token).Do(t.Context()).Into(token)
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// SecureProxy is an HTTPS server in front of the API server that authenticates as the administrator. It records
// each request.
type SecureProxy struct {
	URL, CA string

	mu      sync.Mutex
	Headers []http.Header
	Names   []string // that clients asked for in the TLS handshake
}

// NewSecureProxy starts one, until the test ends.
func NewSecureProxy(t testing.TB, cluster *Cluster) *SecureProxy {
	t.Helper()
	transport, err := rest.TransportFor(cluster.Config)
	if err != nil {
		t.Fatal(err)
	}
	target, _, err := rest.DefaultServerUrlFor(cluster.Config)
	if err != nil {
		t.Fatal(err)
	}
	p := &SecureProxy{}
	forward := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Authorization")
	}}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.Headers = append(p.Headers, r.Header.Clone())
		p.mu.Unlock()
		forward.ServeHTTP(w, r)
	}))
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		p.mu.Lock()
		p.Names = append(p.Names, hello.ServerName)
		p.mu.Unlock()
		return nil, nil //nolint:nilnil // which means: as configured
	}}
	s.StartTLS()
	t.Cleanup(s.Close)
	p.URL = s.URL
	p.CA = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	return p
}

// ForwardProxy is an HTTP proxy that knows nothing but CONNECT. Its second result returns the addresses that clients asked for.
func ForwardProxy(t testing.TB) (address string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var targets []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
			return
		}
		mu.Lock()
		targets = append(targets, r.Host)
		mu.Unlock()
		upstream, err := (&net.Dialer{}).DialContext(context.WithoutCancel(r.Context()), "tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = upstream.Close() }()
		downstream, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = downstream.Close() }()
		_, _ = io.WriteString(downstream, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { _, _ = io.Copy(upstream, buffered) }()
		_, _ = io.Copy(downstream, upstream)
	}))
	t.Cleanup(s.CloseClientConnections)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(targets)
	}
}

// Identity is a certificate, its own authority, and its key, in PEM.
type Identity struct {
	Certificate, Key string
}

// NewIdentity makes one that nobody trusts.
func NewIdentity(t testing.TB) Identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "somebody"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return Identity{
		Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
		Key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}
}
