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

// Watching is how long a watch may take to show what it is asked for, where siblings wait for that.
const Watching = 2 * time.Second

// ErrSilent says that a watch showed nothing, as behind a proxy that holds back what it has of an answer.
var ErrSilent = errors.New("the watch showed nothing in time")

var errEnded = errors.New("the watch ended")

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
	c.Horizon(ref).learns(o.Since)
	return o, nil
}

// Follow calls yield with every state that came after a version, in order, until yield returns false; after no version, with the
// present state, if there is one, and those that come after it. A nil observation means that the object was deleted.
func (c *Client) Follow(ctx context.Context, ref judging.Ref, since string, yield func(*judging.Observation) bool) error {
	options := metav1.ListOptions{Watch: true, ResourceVersion: since}
	if since == "" && !c.Horizon(ref).IsRefused(ref) {
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
		c.Horizon(ref).refuse("")
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
