package wire

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// horizonTimeout is how long the first events of a watch may take: about 2 ms where nothing is wrong.
const horizonTimeout = 2 * time.Second

// remembered is for how long the API server is trusted to remember what came after a version: its watch cache holds about 75 seconds of a busy kind.
const remembered = time.Minute

// Watching is how long a watch may take to show what it is asked for, where siblings wait for that.
const Watching = 2 * time.Second

// ErrSilent says that a watch showed nothing, as behind a proxy that holds back what it has of an answer.
var ErrSilent = errors.New("the watch showed nothing in time")

var errEnded = errors.New("the watch ended")

// horizon is the latest version of an object's kind that the API server is known to have reached, and when. An object that is read afterwards, and
// is older, has not changed in between. So a watch from the horizon begins with what comes after that read, also where the object's own version is
// older than all that the API server remembers. Ask for it before a read: only then does it hold for what was read.
func (c *Client) horizon(ref judging.Ref) judging.Moment {
	known, _ := c.horizons.Load(ref.Kind) // a resourceVersion belongs to a kind, not to an object
	m, _ := known.(judging.Moment)        // nothing else is in it
	return m
}

// refuse takes note that the API server does not tell the horizon of a kind, in one namespace or, where that is empty, at all.
func (c *Client) refuse(kind judging.Kind, namespace string) {
	c.refused.Store(judging.Ref{Kind: kind, Namespace: namespace}, true)
}

// IsRefused reports whether the API server does not tell the horizon with this object.
func (c *Client) IsRefused(ref judging.Ref) bool {
	_, atAll := c.refused.Load(judging.Ref{Kind: ref.Kind})
	_, here := c.refused.Load(judging.Ref{Kind: ref.Kind, Namespace: ref.Namespace})
	return atAll || here
}

// Covers reports whether a write on an observation of moment m, sent now, can be looked for if its answer gets lost; or that reading again would
// not help.
func (c *Client) Covers(ref judging.Ref, m judging.Moment) bool {
	return c.Now().Sub(m.At) < remembered || c.IsRefused(ref)
}

// list is a request about the one object as a collection, which who may watch or list that name alone is permitted to ask for.
func (c *Client) list(ref judging.Ref, options metav1.ListOptions) *rest.Request {
	options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, ref.Name).String()
	return c.rest.Get().VersionedParams(&options, metav1.ParameterCodec)
}

// fresh are the options of a watch that begins with the present state, linearizably, and a bookmark.
func fresh() metav1.ListOptions {
	return metav1.ListOptions{
		Watch: true, AllowWatchBookmarks: true, SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}
}

// getWithHorizon reads the object as Get does, and learns the horizon.
func (c *Client) getWithHorizon(ctx context.Context, ref judging.Ref) (*judging.Observation, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, horizonTimeout, ErrSilent)
	defer cancel()
	begun := c.Now()
	o := &judging.Observation{Begun: begun}
	options := fresh()
	options.TimeoutSeconds = new(int64(horizonTimeout / time.Second))
	err := c.events(ctx, ref, options, func(e watch.EventType, seen *judging.Observation) bool {
		switch {
		case e == watch.Deleted:
			o = &judging.Observation{Begun: begun}
		case e != watch.Bookmark:
			o, o.Begun = seen, begun
		case seen.Annotations()[metav1.InitialEventsAnnotationKey] == "true":
			o.Since = judging.Moment{Version: seen.Version().ResourceVersion, At: begun}
			return false
		}
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case o.Exists() && !o.IsVersioned():
		return nil, errUnversioned
	}
	c.horizons.Store(ref.Kind, o.Since)
	return o, nil
}

// Follow calls yield with every state that came after a version, in order, until yield returns false; after no version, with the
// present state, if there is one, and those that come after it. A nil observation means that the object was deleted.
func (c *Client) Follow(ctx context.Context, ref judging.Ref, since string, yield func(*judging.Observation) bool) error {
	options := metav1.ListOptions{Watch: true, ResourceVersion: since}
	if since == "" && !c.IsRefused(ref) {
		options = fresh()
	}
	err := c.events(ctx, ref, options, func(e watch.EventType, seen *judging.Observation) bool {
		switch e {
		case watch.Bookmark:
			return true
		case watch.Deleted:
			return yield(nil)
		default:
			return yield(seen)
		}
	})
	if options.SendInitialEvents != nil && isUnsupported(err) {
		c.refuse(ref.Kind, "")
		return c.Follow(ctx, ref, since, yield)
	}
	return err
}

// isUnsupported reports whether the API server cannot begin a watch with the present state. It finds what it cannot do in the request;
// any other refusal may be that of something in between, or of the moment.
func isUnsupported(err error) bool {
	var refused *judging.RefusedError
	return errors.As(err, &refused) && (refused.Code == http.StatusBadRequest || refused.Code == http.StatusUnprocessableEntity)
}

// events calls yield with the events of a watch until yield returns false.
func (c *Client) events(ctx context.Context, ref judging.Ref, options metav1.ListOptions, yield func(watch.EventType, *judging.Observation) bool) error {
	begun := c.Now()
	ctx, r, err := c.once(ctx, ref, c.list(ref, options))
	if err != nil {
		return c.Explain(err, ref, "watch")
	}
	w, err := r.Watch(ctx)
	if err != nil {
		return c.Explain(err, ref, "watch")
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event, open := <-w.ResultChan():
			if !open {
				return errEnded
			}
			seen := c.observed(ref, event.Object, begun)
			switch {
			case event.Type == watch.Error:
				return apierrors.FromObject(event.Object)
			case seen == nil: // a version would be passed over, and a later one taken for it
				return &judging.RefusedError{Ref: ref, Verb: "watch", Code: http.StatusOK, Err: errUnversioned}
			case !yield(event.Type, seen):
				return nil
			}
		}
	}
}

// maxSteps is how many versions firstAfter goes back.
const maxSteps = 20

// FirstAfter goes back from now to the first version after base, through what etcd has kept. It needs permission to list.
func (c *Client) FirstAfter(ctx context.Context, ref judging.Ref, base judging.Version, now *judging.Observation) (*judging.Observation, error) {
	for range maxSteps {
		if !now.Exists() || now.Version().UID != base.UID {
			break
		}
		number, err := strconv.ParseUint(now.Version().ResourceVersion, 10, 64)
		if err != nil {
			return nil, err
		}
		options := metav1.ListOptions{
			ResourceVersion: strconv.FormatUint(number-1, 10), ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		}
		found, err := c.ask(ctx, ref, c.list(ref, options))
		if err != nil {
			return nil, c.Explain(err, ref, "list")
		}
		all, err := items(found)
		if err != nil {
			return nil, err
		}
		if len(all) != 1 {
			break
		}
		before := c.observed(ref, all[0], c.Now())
		if !before.IsVersioned() {
			break
		}
		if before.Version() == base {
			return now, nil
		}
		now = before
	}
	return nil, errors.New("etcd does not hold all versions since the base, or there are too many")
}
