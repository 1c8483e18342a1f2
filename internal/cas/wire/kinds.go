package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	exactly "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// kinds caches the kinds that the API server serves, by API version. A kind that is served stays in the cache
// until a 404 that is not about an object. A kind that is missing, or has the other scope, is looked up again
// each time, because its CustomResourceDefinition may have been created since.
type kinds struct {
	asking chan struct{} // of capacity 1: one caller asks at a time, and the others use its answer
	mu     sync.Mutex    // guards served
	served map[string][]metav1.APIResource
	all    atomic.Pointer[[]eval.ServedKind]
}

// As returns the client that reads and writes an object in an API version. ConfigMaps and Secrets are read as protobuf,
// with the client itself, and other objects as JSON.
func (c *Client) As(ref eval.Ref, apiVersion string) *Client {
	isTyped := ref.Kind.HasEntries() && ref.Namespace != "" && apiVersion == corev1.SchemeGroupVersion.String()
	if apiVersion == "" || isTyped {
		return c
	}
	as := *c
	as.APIVersion, as.rest = apiVersion, c.open
	return &as
}

// of returns the resource of a kind in an API version, if it is known.
func (k *kinds) of(apiVersion string, kind eval.Kind) (metav1.APIResource, bool) {
	k.mu.Lock()
	all := k.served[apiVersion]
	k.mu.Unlock()
	i := slices.IndexFunc(all, func(r metav1.APIResource) bool {
		isSubresource := strings.Contains(r.Name, "/")
		return r.Kind == kind.String() && !isSubresource
	})
	if i < 0 {
		return metav1.APIResource{}, false
	}
	return all[i], true
}

// set records the resources of an API version; nil to forget them.
func (k *kinds) set(apiVersion string, all []metav1.APIResource) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.served[apiVersion] = all
}

// fitting returns the resource of an object's kind, if it is known, and whether the object has the scope of
// the kind: it has a namespace if and only if the kind has namespaces.
func (k *kinds) fitting(apiVersion string, ref eval.Ref) (served metav1.APIResource, fits bool) {
	served, isKnown := k.of(apiVersion, ref.Kind)
	return served, isKnown && served.Namespaced == (ref.Namespace != "")
}

// resource returns the name of an object's kind in URLs and in responses; empty if it is not known.
func (c *Client) resource(ref eval.Ref) string {
	if c.APIVersion == "" {
		return ref.Kind.Resource()
	}
	known, _ := c.kinds.of(c.APIVersion, ref.Kind)
	return known.Name
}

// resolve returns the resource of an object's kind. It discovers the API version if the cache lacks the kind
// or has it in the other scope.
func (c *Client) resolve(ctx context.Context, ref eval.Ref) (metav1.APIResource, error) {
	served, fits := c.kinds.fitting(c.APIVersion, ref)
	if !fits {
		if err := c.discover(ctx, ref); err != nil {
			return served, err
		}
		served, fits = c.kinds.fitting(c.APIVersion, ref)
	}
	switch {
	case fits:
		return served, nil
	case served.Name == "":
		return served, c.notServed(ctx, ref)
	default:
		return served, &eval.ScopeError{Ref: ref, Namespaced: served.Namespaced}
	}
}

// discover reads the kinds of the API version into the cache.
func (c *Client) discover(ctx context.Context, ref eval.Ref) error {
	version, err := schema.ParseGroupVersion(c.APIVersion)
	if err != nil || version.Group != ref.Kind.Group() {
		return &eval.NotServedError{Ref: ref, APIVersion: c.APIVersion}
	}
	select {
	case c.kinds.asking <- struct{}{}:
		defer func() { <-c.kinds.asking }()
	case <-ctx.Done():
		return c.Explain(context.Cause(ctx), ref, "discover")
	}
	if _, fits := c.kinds.fitting(c.APIVersion, ref); fits { // another caller has asked meanwhile
		return nil
	}
	served := &metav1.APIResourceList{}
	err = c.discovery(ctx, ref, c.root()+"/"+c.APIVersion, served)
	var refused *eval.RefusedError
	if errors.As(err, &refused) && refused.Code == http.StatusNotFound { // the version is missing, or the URL is wrong
		return cmp.Or(c.lacks(ctx, ref), err)
	}
	if err != nil {
		return err
	}
	c.kinds.set(c.APIVersion, served.APIResources)
	return nil
}

// gone discovers the API version again. It returns an error if the kind is not served any more, or in the
// other scope, and nil if it is served as before or that is not known.
func (c *Client) gone(ctx context.Context, ref eval.Ref) error {
	c.kinds.set(c.APIVersion, nil)
	_, err := c.resolve(ctx, ref)
	switch err.(type) { //nolint:errorlint // none is wrapped
	case *eval.NotServedError, *eval.ScopeError:
		return err
	}
	return nil
}

// lacks returns an error if the API server's list of versions lacks the API version or cannot be read, and
// nil if the list has the version.
func (c *Client) lacks(ctx context.Context, ref eval.Ref) error {
	var all struct {
		Versions []string          `json:"versions"` // of the core group
		Groups   []metav1.APIGroup `json:"groups"`
	}
	if err := c.discovery(ctx, ref, c.root(), &all); err != nil {
		return err
	}
	for _, group := range all.Groups {
		for _, v := range group.Versions {
			all.Versions = append(all.Versions, v.GroupVersion)
		}
	}
	if len(all.Versions) > 0 && !slices.Contains(all.Versions, c.APIVersion) {
		return c.notServed(ctx, ref)
	}
	return nil
}

// aggregated asks for a list of all groups with their versions and kinds. API servers before 1.30, which do not
// know it, answer with another list.
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// notServed returns the error about a kind that is not served. It reads once which kinds are served, for a
// message that names the one that was meant.
func (c *Client) notServed(ctx context.Context, ref eval.Ref) error {
	if c.kinds.all.Load() == nil {
		var all []eval.ServedKind
		for _, root := range []string{"/api", "/apis"} {
			var list apidiscovery.APIGroupDiscoveryList
			request := c.rest.Get().AbsPath(root).SetHeader("Accept", aggregated).MaxRetries(0).Timeout(requestTimeout)
			if raw, err := request.Do(ctx).Raw(); err != nil || json.Unmarshal(raw, &list) != nil {
				continue
			}
			for _, group := range list.Items {
				for _, version := range group.Versions {
					for _, r := range version.Resources {
						all = append(all, servedKind(group.Name, version.Version, r))
					}
				}
			}
		}
		c.kinds.all.Store(&all)
	}
	return &eval.NotServedError{Ref: ref, APIVersion: c.APIVersion, Served: *c.kinds.all.Load()}
}

func servedKind(group, version string, r apidiscovery.APIResourceDiscovery) eval.ServedKind {
	if r.ResponseKind == nil {
		return eval.ServedKind{}
	}
	names := append([]string{strings.ToLower(r.ResponseKind.Kind), r.Resource, r.SingularResource}, r.ShortNames...)
	return eval.ServedKind{
		APIVersion: schema.GroupVersion{Group: group, Version: version}.String(),
		Kind:       eval.KindOf(group, r.ResponseKind.Kind), Names: names,
	}
}

// discovery reads a list of API versions or kinds, with the retries of Patiently.
func (c *Client) discovery(ctx context.Context, ref eval.Ref, path string, into any) error {
	_, err := Patiently(ctx, func() (struct{}, error) {
		answer := c.rest.Get().AbsPath(path).MaxRetries(0).Timeout(requestTimeout).Do(ctx)
		if err := answer.Error(); err != nil {
			return struct{}{}, c.Explain(err, ref, "discover")
		}
		raw, _ := answer.Raw()
		if err := json.Unmarshal(raw, into); err != nil {
			return struct{}{}, &eval.RefusedError{Ref: ref, Verb: "discover", Code: http.StatusOK, Err: err}
		}
		return struct{}{}, nil
	})
	return err
}

// root returns the path under which the API server serves the group of the API version.
func (c *Client) root() string {
	if strings.Index(c.APIVersion, "/") > 0 {
		return "/apis"
	}
	return "/api"
}

// at returns a request for fields of an object.
func (c *Client) at(ctx context.Context, ref eval.Ref, r *rest.Request) (*rest.Request, error) {
	served, err := c.resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	r = r.AbsPath(c.root(), c.APIVersion).NamespaceIfScoped(ref.Namespace, served.Namespaced)
	return r.Resource(served.Name), nil
}

// observed returns the snapshot of an object in a response; nil if the response is not an object.
func (c *Client) observed(ref eval.Ref, answer runtime.Object, begun time.Time) *eval.Snapshot {
	raw, isRaw := answer.(*runtime.Unknown)
	if !isRaw {
		return eval.NewSnapshot(answer, begun)
	}
	o, err := eval.DecodeSnapshot(ref.Kind, c.APIVersion, raw.Raw, begun)
	if err != nil {
		return nil
	}
	return o
}

// opaque decodes a Status, and leaves any other object as raw JSON.
type opaque struct{ runtime.NegotiatedSerializer }

func (o opaque) DecoderToVersion(d runtime.Decoder, version runtime.GroupVersioner) runtime.Decoder {
	return opaqueDecoder{o.NegotiatedSerializer.DecoderToVersion(d, version)}
}

type opaqueDecoder struct{ runtime.Decoder }

func (d opaqueDecoder) Decode(
	data []byte, defaults *schema.GroupVersionKind, into runtime.Object,
) (runtime.Object, *schema.GroupVersionKind, error) {
	var kind metav1.TypeMeta
	if err := exactly.Unmarshal(data, &kind); err != nil || kind.Kind == "Status" && kind.APIVersion == "v1" {
		return d.Decoder.Decode(data, defaults, into)
	}
	group := kind.GroupVersionKind()
	return &runtime.Unknown{
		TypeMeta: runtime.TypeMeta{APIVersion: kind.APIVersion, Kind: kind.Kind}, Raw: bytes.Clone(data),
	}, &group, nil
}
