package cas

import (
	"context"
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// maxRetryAfter bounds how long the API server can ask to wait.
const maxRetryAfter = 5 * time.Second

// newBackoff is that of everything that is tried again.
func newBackoff(first, most time.Duration) wait.Backoff {
	return wait.Backoff{Duration: first, Factor: 2, Jitter: 0.5, Steps: 100, Cap: most}
}

// pause waits until it is time to try again after err, and reports whether ctx goes on.
func pause(ctx context.Context, backoff *wait.Backoff, err error) bool {
	d := backoff.Step()
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		d = max(d, min(time.Duration(seconds)*time.Second, maxRetryAfter))
	}
	sleep(ctx, d)
	return ctx.Err() == nil
}

// sleep ends early where the context does.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// isPassing reports whether asking again may be answered.
func isPassing(err error) bool {
	var forbidden *ForbiddenError
	var refused *RefusedError
	switch {
	case errors.As(err, &forbidden), isExpired(err):
		return false
	case errors.As(err, &refused):
		return refused.Code >= http.StatusInternalServerError || refused.Code == http.StatusTooManyRequests
	}
	return true
}

// isUnanswered reports whether the API server could not be asked, and asking again may be answered.
func isUnanswered(err error) bool {
	var refused *RefusedError
	var unreachable *UnreachableError
	return isPassing(err) && (errors.As(err, &refused) || errors.As(err, &unreachable))
}

// isExpired reports whether the API server does not remember any more what came after a version.
func isExpired(err error) bool { return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) }
