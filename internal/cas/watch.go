package cas

import (
	"context"
	"errors"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

// errNoHorizon: the API server does not begin a watch with the present state.
var errNoHorizon = errors.New("the watch did not begin with the present state")

// horizonTimeout is how long the first events of a watch may take: about 2 ms where nothing is wrong.
const horizonTimeout = 2 * time.Second

// watching is how long a watch may take to show what it is asked for, where siblings wait for that.
const watching = 2 * time.Second

// errSilent: a watch showed nothing, as behind a proxy that holds back what it has of an answer.
var errSilent = errors.New("the watch showed nothing in time")

// list is a request about the one object as a collection, which who may watch or list that name alone is permitted to ask for.
func (c *client) list(ref Ref, options metav1.ListOptions) *rest.Request {
	options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, ref.Name).String()
	return c.about(ref, c.rest.Get()).VersionedParams(&options, metav1.ParameterCodec)
}

// fresh are the options of a watch that begins with the present state, linearizably, and a bookmark.
func fresh() metav1.ListOptions {
	return metav1.ListOptions{
		Watch: true, AllowWatchBookmarks: true, SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}
}

// getWithHorizon reads the object as get does, and learns the horizon.
func (c *client) getWithHorizon(ctx context.Context, ref Ref) (*Observation, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, horizonTimeout, errSilent)
	defer cancel()
	ctx, report := withReport(ctx)
	begun := c.now()
	o := &Observation{begun: begun}
	options := fresh()
	options.TimeoutSeconds = new(int64(horizonTimeout / time.Second))
	err := c.events(ctx, ref, options, func(e watch.EventType, seen *Observation) bool {
		switch {
		case e == watch.Deleted:
			o = &Observation{begun: begun}
		case e != watch.Bookmark:
			o, o.begun = seen, begun
		case seen.Annotations()[metav1.InitialEventsAnnotationKey] == "true":
			o.since = moment{seen.Version().ResourceVersion, begun}
			return false
		}
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case o.since.at.IsZero() || o.Exists() && !o.isVersioned():
		return nil, errNoHorizon
	}
	o.answered = report.date()
	c.horizon(ref).learns(o.since)
	return o, nil
}

// follow calls yield with every state that came after a version, in order, until yield returns false; after no version, with the
// present state, if there is one, and those that come after it. A nil observation means that the object was deleted.
func (c *client) follow(ctx context.Context, ref Ref, since string, yield func(*Observation) bool) error {
	options := metav1.ListOptions{Watch: true, ResourceVersion: since}
	if since == "" && !c.horizon(ref).isRefused(ref) {
		options = fresh()
	}
	err := c.events(ctx, ref, options, func(e watch.EventType, seen *Observation) bool {
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
		c.horizon(ref).refuse("")
		return c.follow(ctx, ref, since, yield)
	}
	return err
}

// isUnsupported reports whether the API server cannot begin a watch with the present state.
func isUnsupported(err error) bool {
	var refused *RefusedError
	return errors.Is(err, errNoHorizon) || errors.As(err, &refused) && !isPassing(err)
}

// events calls yield with the events of a watch until yield returns false.
func (c *client) events(ctx context.Context, ref Ref, options metav1.ListOptions, yield func(watch.EventType, *Observation) bool) error {
	begun := c.now()
	w, err := c.list(ref, options).Watch(ctx)
	if err != nil {
		return c.explain(err, ref, "watch")
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event, open := <-w.ResultChan():
			if !open {
				return errors.New("the watch ended")
			}
			seen := observed(event.Object, begun)
			switch {
			case event.Type == watch.Error:
				return apierrors.FromObject(event.Object)
			case seen != nil && !yield(event.Type, seen):
				return nil
			}
		}
	}
}

// maxSteps is how many versions firstAfter goes back.
const maxSteps = 20

// firstAfter goes back from now to the first version after base, through what etcd has kept. It needs permission to list.
func (c *client) firstAfter(ctx context.Context, ref Ref, base Version, now *Observation) (*Observation, error) {
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
			return nil, c.explain(err, ref, "list")
		}
		items, err := meta.ExtractList(found)
		if err != nil {
			return nil, err
		}
		if len(items) != 1 {
			break
		}
		before := observed(items[0], c.now())
		if !before.isVersioned() {
			break
		}
		if before.Version() == base {
			return now, nil
		}
		now = before
	}
	return nil, errors.New("etcd does not hold all versions since the base, or there are too many")
}
