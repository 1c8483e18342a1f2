package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// maxRetryAfter bounds the delay that the API server can ask for.
const maxRetryAfter = 5 * time.Second

// Patiently repeats a read whose error may be temporary, at most five times. That takes about a second, or as
// long as the API server asks to wait. No repetition begins after maxRetryAfter.
func Patiently[T any](ctx context.Context, read func() (T, error)) (T, error) {
	backoff, begun := NewBackoff(20*time.Millisecond, time.Second), time.Now()
	for range 5 {
		found, err := read()
		if err == nil || !mayBeAnswered(err) || time.Since(begun) >= maxRetryAfter || !Pause(ctx, &backoff, err) {
			return found, err
		}
	}
	return read()
}

// mayBeAnswered reports whether a failed read may succeed a moment later: the API server could not answer, or
// the connection broke. A refused connection is reported at once.
func mayBeAnswered(err error) bool {
	var refused *eval.RefusedError
	isBroken := errors.Is(err, errEnded) || errors.Is(err, io.ErrUnexpectedEOF) ||
		utilnet.IsProbableEOF(err) || utilnet.IsConnectionReset(err) || utilnet.IsHTTP2ConnectionLost(err)
	return IsPassing(err) && (errors.As(err, &refused) || isBroken)
}

// NewBackoff returns the backoff of every retry: from first to most, doubled each time, with jitter.
func NewBackoff(first, most time.Duration) wait.Backoff {
	return wait.Backoff{Duration: first, Factor: 2, Jitter: 0.5, Steps: 100, Cap: most}
}

// Pause waits before a retry after err, at least for the delay that the API server asked for, and reports
// whether ctx has not ended.
func Pause(ctx context.Context, backoff *wait.Backoff, err error) bool {
	d := backoff.Step()
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		d = max(d, min(time.Duration(seconds)*time.Second, maxRetryAfter))
	}
	Sleep(ctx, d)
	return ctx.Err() == nil
}

// Sleep waits for d, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// IsPassing reports whether an error may be temporary.
func IsPassing(err error) bool {
	var forbidden *eval.ForbiddenError
	var refused *eval.RefusedError
	switch {
	case errors.As(err, &forbidden), IsExpired(err):
		return false
	case errors.As(err, &refused):
		return refused.Code >= http.StatusInternalServerError || refused.Code == http.StatusTooManyRequests
	}
	return true
}

// IsExpired reports whether the API server no longer has the changes since a resourceVersion.
func IsExpired(err error) bool { return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) }
