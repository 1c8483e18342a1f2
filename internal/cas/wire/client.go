// Package wire sends the engine's requests to the API server and classifies the responses: reads, conditional
// writes and watches. It sends a write once, and keeps credentials and values out of errors. Package cas
// decides what follows from a response.
package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// scheme has only ConfigMaps and Secrets: linking every typed API doubles the size of the binary.
var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(corev1.SchemeGroupVersion,
		&corev1.ConfigMap{}, &corev1.ConfigMapList{}, &corev1.Secret{}, &corev1.SecretList{})
	metav1.AddToGroupVersion(s, corev1.SchemeGroupVersion)
	utilruntime.Must(metav1.AddMetaToScheme(s)) // cannot fail: nothing else is registered under these names
	return s
}()

// requestTimeout bounds one write, at the API server too. It leaves time to determine the outcome after a
// lost response.
const requestTimeout = 15 * time.Second

// Client sends single requests about objects, and gives their errors the engine's types.
type Client struct {
	rest        rest.Interface
	credentials *credentials
	Host        string
	Now         func() time.Time
	// APIVersion is the API version in which objects are read and written as JSON. It is empty for ConfigMaps and
	// Secrets.
	APIVersion string

	open  rest.Interface // for JSON
	kinds *kinds
	// reported has the causes that were already reported. All UnreachableErrors share it.
	reported *eval.Causes
}

// New makes a Client. It sends no request.
func New(config *rest.Config) (*Client, error) {
	c := rest.CopyConfig(config)
	c.APIPath = "/api"
	c.GroupVersion = &corev1.SchemeGroupVersion
	c.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON // a large object decodes faster
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	given := &credentials{}
	if c.ExecProvider != nil {
		given.command = c.ExecProvider.Command
	}
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return &redactor{next, given} })
	transport, err := rest.HTTPClientFor(c)
	if err != nil {
		return nil, err
	}
	// No redirect is followed: net/http would send a GET instead of a PATCH, and its response looks like a write's.
	unredirected := *transport
	unredirected.Transport = &reporter{transport.Transport, given}
	unredirected.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := rest.RESTClientForConfigAndClient(c, &unredirected)
	if err != nil {
		return nil, err
	}
	c.AcceptContentTypes, c.ContentType = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	c.NegotiatedSerializer = opaque{c.NegotiatedSerializer}
	open, err := rest.RESTClientForConfigAndClient(c, &unredirected)
	if err != nil {
		return nil, err
	}
	return &Client{
		rest: r, credentials: given, Host: c.Host, Now: time.Now, open: open,
		kinds: &kinds{asking: make(chan struct{}, 1), served: map[string][]metav1.APIResource{}}, reported: &eval.Causes{},
	}, nil
}

// once completes a request for objects of the kind and the namespace of ref, and returns the context to send
// it with. It disables the retries of client-go, which would send a write again for as long as the responses
// ask for that. For everything except entries of ConfigMaps, it also disables client-go's logs of warnings
// and, at a high verbosity, bodies.
func (c *Client) once(ctx context.Context, ref eval.Ref, r *rest.Request) (context.Context, *rest.Request, error) {
	if ref.Kind != eval.ConfigMap || c.APIVersion != "" {
		ctx, r = klog.NewContext(ctx, klog.Logger{}), r.WarningHandler(rest.NoWarnings{})
	}
	r = r.MaxRetries(0)
	if c.APIVersion != "" || !ref.Kind.HasEntries() {
		r, err := c.at(ctx, ref, r)
		return ctx, r, err
	}
	return ctx, r.Namespace(ref.Namespace).Resource(ref.Kind.Resource()), nil
}

// ask sends a request once. After a 404 that is not about the object, it asks whether the kind is still
// served.
func (c *Client) ask(ctx context.Context, ref eval.Ref, r *rest.Request) (runtime.Object, error) {
	ctx, r, err := c.once(ctx, ref, r)
	if err != nil {
		return nil, err
	}
	answer, err := r.Do(ctx).Get()
	if c.APIVersion != "" && apierrors.IsNotFound(err) && !c.isAbsence(err, ref) {
		err = cmp.Or(c.gone(ctx, ref), err)
	}
	return answer, err
}

// Get reads an object. The read is linearizable: without a resourceVersion, the API server reads from a
// quorum of etcd.
func (c *Client) Get(ctx context.Context, ref eval.Ref) (*eval.Snapshot, error) {
	begun := c.Now()
	answer, err := c.ask(ctx, ref, c.rest.Get().Name(ref.Name))
	o := c.observed(ref, answer, begun)
	switch {
	case err == nil && !o.IsVersioned():
		return nil, &eval.RefusedError{Ref: ref, Verb: "get", Code: http.StatusOK, Err: errUnversioned}
	case err == nil:
		return o, nil
	case c.isAbsence(err, ref):
		return &eval.Snapshot{Begun: begun}, nil
	}
	return nil, c.Explain(err, ref, "get")
}

// LacksNamespace reports whether the API server answers that the namespace is missing. It is false if the API
// server refuses to answer.
func (c *Client) LacksNamespace(ctx context.Context, name string) bool {
	return isNoNamespace(c.rest.Get().Resource("namespaces").Name(name).MaxRetries(0).Do(ctx).Error())
}

// mostNames is the limit of one list of names.
const mostNames = 5000

// Names returns the names of at most mostNames objects of the kind and the namespace of ref. It lists them as
// a Table without the objects, which contains none of their values. It returns none if the API server refuses
// the list.
func (c *Client) Names(ctx context.Context, ref eval.Ref) (names []string) {
	ctx, r, err := c.once(ctx, ref, c.rest.Get().SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").
		Param("includeObject", string(metav1.IncludeNone)).Param("limit", strconv.Itoa(mostNames)))
	if err != nil {
		return nil
	}
	var table metav1.Table
	if raw, err := r.Timeout(requestTimeout).Do(ctx).Raw(); err != nil || json.Unmarshal(raw, &table) != nil {
		return nil
	}
	isName := func(d metav1.TableColumnDefinition) bool { return d.Format == "name" }
	column := slices.IndexFunc(table.ColumnDefinitions, isName)
	for _, row := range table.Rows {
		if column >= 0 && column < len(row.Cells) {
			name, _ := row.Cells[column].(string)
			names = append(names, name)
		}
	}
	return names
}

// GetPatiently is Get with the retries of Patiently.
func (c *Client) GetPatiently(ctx context.Context, ref eval.Ref) (*eval.Snapshot, error) {
	return Patiently(ctx, func() (*eval.Snapshot, error) { return c.Get(ctx, ref) })
}

var errUnversioned = errors.New("the response is not an object with a uid and a resourceVersion")

// isAbsence reports whether the API server answers that the object is missing. Any other 404, such as the
// response to a wrong URL, shows nothing about the object.
func (c *Client) isAbsence(err error, ref eval.Ref) bool {
	d := details(err)
	return apierrors.IsNotFound(err) && d.Kind == c.resource(ref) && d.Name == ref.Name &&
		!apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// details returns the details of the API server's Status; empty if it has none.
func details(err error) metav1.StatusDetails {
	status := apierrors.APIStatus(nil)
	if !errors.As(err, &status) || status.Status().Details == nil {
		return metav1.StatusDetails{}
	}
	return *status.Status().Details
}

// isNoNamespace reports whether the API server answers that the namespace is missing.
func isNoNamespace(err error) bool {
	return apierrors.IsNotFound(err) && details(err).Kind == "namespaces" &&
		!apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// Explain gives the error of a request that changed nothing one of the engine's types.
func (c *Client) Explain(err error, ref eval.Ref, verb string) error {
	status := apierrors.APIStatus(nil)
	switch {
	case isExplained(err):
		return err
	case !errors.As(err, &status):
		return &eval.UnreachableError{Host: c.Host, Err: err, Reported: c.reported}
	case verb == "create" && isNoNamespace(err):
		return &eval.NoNamespaceError{Ref: ref}
	case isAuthorizers(err), apierrors.IsForbidden(err) && !isWrite(verb): // admission evaluates only writes
		return &eval.ForbiddenError{Ref: ref, Verb: verb, Err: err}
	default:
		return &eval.RefusedError{
			Ref: ref, Verb: verb, Code: int(status.Status().Code), Err: err,
			InTerminatingNamespace: apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause),
		}
	}
}

func isWrite(verb string) bool { return verb == "patch" || verb == "create" || verb == "delete" }

// isExplained reports whether an error already has one of the engine's types.
func isExplained(err error) bool {
	switch err.(type) { //nolint:errorlint // none is wrapped
	case *eval.NotServedError, *eval.ScopeError, *eval.ForbiddenError, *eval.RefusedError,
		*eval.UnreachableError, *eval.FieldError, *eval.TooLargeError:
		return true
	}
	return false
}

// Outcome classifies the response to one write.
type Outcome uint8

const (
	Applied            Outcome = iota
	PreconditionFailed         // not applied: the object is at another version, is another object, or is missing
	Refused                    // not applied, and sending it again would not help
	Ambiguous                  // applied or not: the response was lost
	NotSent                    // not applied: no connection was made, or the credentials are not accepted
	Throttled                  // not applied, and sending it again may help: the API server was too busy
	Unresolved                 // of a write that was Ambiguous: the object is as it was, so the write can be sent again
	NotBuilt                   // not sent: the snapshot that the write is based on does not permit the changes
)

// Patch sends a conditional patch once. The snapshot is the object after the write. No layer below retries
// a patch: after an applied request, a second one would look like a conflict.
func (c *Client) Patch(
	ctx context.Context, ref eval.Ref, r eval.Request, fieldManager string, dry bool,
) (*eval.Snapshot, Outcome, error) {
	request := c.rest.Patch(r.Kind).Name(ref.Name).Param("fieldManager", fieldManager).Body(r.Body).
		Param("fieldValidation", metav1.FieldValidationStrict) // by default, the API server drops unknown fields
	isAboutUID := func(c metav1.StatusCause) bool { return c.Field == "metadata.uid" }
	return c.send(ctx, ref, "patch", request, dry, func(err error) bool {
		return apierrors.IsConflict(err) || c.isAbsence(err, ref) ||
			apierrors.IsInvalid(err) && slices.ContainsFunc(details(err).Causes, isAboutUID)
	})
}

// Create sends a new object once. PreconditionFailed means that an object of the name already exists.
func (c *Client) Create(ctx context.Context, n *eval.Creation, dry bool) (*eval.Snapshot, Outcome, error) {
	request := c.rest.Post().Param("fieldManager", n.FieldManager).Body(n.Object())
	return c.send(ctx, n.Ref, "create", request, dry, apierrors.IsAlreadyExists)
}

// Remove sends a delete that is conditional on base, once. The object may still exist afterwards, being
// deleted.
func (c *Client) Remove(
	ctx context.Context, ref eval.Ref, base eval.Version, dry bool,
) (*eval.Snapshot, Outcome, error) {
	options := &metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: new(types.UID(base.UID)), ResourceVersion: &base.ResourceVersion},
	}
	if dry {
		options.DryRun = []string{metav1.DryRunAll} // the API server ignores the parameter of a request with a body
	}
	request := c.rest.Delete().Name(ref.Name).Body(options)
	return c.send(ctx, ref, "delete", request, dry, func(err error) bool {
		return apierrors.IsConflict(err) || c.isAbsence(err, ref)
	})
}

// send sends a conditional write once. isPrecondition reports whether an error means that the precondition
// failed.
func (c *Client) send(
	ctx context.Context, ref eval.Ref, verb string, r *rest.Request, dry bool, isPrecondition func(error) bool,
) (*eval.Snapshot, Outcome, error) {
	var connected, turnedAway atomic.Bool
	ctx = context.WithValue(ctx, turnedAwayKey{}, &turnedAway)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	if dry {
		r = r.Param("dryRun", metav1.DryRunAll)
	}
	begun := c.Now()
	answer, err := c.ask(ctx, ref, r.Timeout(requestTimeout))
	if c.APIVersion != "" {
		shorten(err)
	}
	if err == nil {
		o := c.observed(ref, answer, begun)
		_, isStatus := answer.(*metav1.Status)
		switch {
		case o.IsVersioned():
			return o, Applied, nil
		case isStatus && verb == "delete":
			return &eval.Snapshot{Begun: begun}, Applied, nil
		case o != nil && dry:
			return nil, Applied, nil
		}
		return nil, Ambiguous, errUnversioned
	}
	status := apierrors.APIStatus(nil)
	switch {
	case isExplained(err): // the kind is not served: nothing was sent, or the answer was 404
		return nil, NotSent, err
	case !errors.As(err, &status) && (!connected.Load() || errors.Is(err, ErrNoCredentials)):
		return nil, NotSent, c.Explain(err, ref, verb)
	case !errors.As(err, &status):
		return nil, Ambiguous, err
	case turnedAway.Load(),
		apierrors.IsConflict(err) && details(err).Kind == "resourcequotas": // a ResourceQuota changed concurrently
		return nil, Throttled, err
	case isPrecondition(err):
		return nil, PreconditionFailed, err
	case apierrors.IsUnauthorized(err):
		return nil, NotSent, c.Explain(err, ref, verb) // sending each transaction alone would not help
	}
	code := int(status.Status().Code)
	if code >= http.StatusInternalServerError || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout {
		return nil, Ambiguous, err
	}
	return nil, Refused, c.Explain(err, ref, verb)
}

// Page reads one page of a list of ConfigMaps, with the retries of Patiently.
func (c *Client) Page(
	ctx context.Context, namespace string, options metav1.ListOptions,
) (*corev1.ConfigMapList, error) {
	ref := eval.Ref{Namespace: namespace}
	return Patiently(ctx, func() (*corev1.ConfigMapList, error) {
		page := &corev1.ConfigMapList{}
		ctx, r, err := c.once(ctx, ref, c.rest.Get().VersionedParams(&options, metav1.ParameterCodec))
		if err == nil {
			err = r.Do(ctx).Into(page)
		}
		if err != nil {
			return nil, c.Explain(err, ref, "list")
		}
		return page, nil
	})
}
