package wire

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

var errEnded = errors.New("the watch ended")

// Follow watches one object. It calls yield with each version after resourceVersion since, in order, until
// yield returns false. With an empty since, the first version is the present one, if the object exists. A nil
// snapshot means that the object was deleted.
func (c *Client) Follow(
	ctx context.Context, ref eval.Ref, since string, yield func(*eval.Snapshot) bool,
) error {
	begun := c.Now()
	options := metav1.ListOptions{
		Watch: true, ResourceVersion: since,
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, ref.Name).String(),
	}
	ctx, r, err := c.once(ctx, ref, c.rest.Get().VersionedParams(&options, metav1.ParameterCodec))
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
			case event.Type == watch.Deleted:
				seen = nil
			case seen == nil:
				return &eval.RefusedError{Ref: ref, Verb: "watch", Code: 200, Err: errUnversioned}
			}
			if !yield(seen) {
				return nil
			}
		}
	}
}
