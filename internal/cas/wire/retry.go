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

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// maxRetryAfter bounds how long the API server can ask to wait.
const maxRetryAfter = 5 * time.Second

// Patiently reads, and reads again where that may be answered: five times at most, which takes about a second, or as long as the API server
// asks to wait, but not once that has taken maxRetryAfter.
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

// mayBeAnswered reports whether a read that failed may be answered a moment later: the API server could not answer it, or the connection
// broke. That none comes about is told at once.
func mayBeAnswered(err error) bool {
	var refused *judging.RefusedError
	return IsPassing(err) && (errors.As(err, &refused) || errors.Is(err, errEnded) || errors.Is(err, io.ErrUnexpectedEOF) ||
		utilnet.IsProbableEOF(err) || utilnet.IsConnectionReset(err) || utilnet.IsHTTP2ConnectionLost(err))
}

// NewBackoff is that of everything that is tried again.
func NewBackoff(first, most time.Duration) wait.Backoff {
	return wait.Backoff{Duration: first, Factor: 2, Jitter: 0.5, Steps: 100, Cap: most}
}

// Pause waits until it is time to try again after err, and reports whether ctx goes on.
func Pause(ctx context.Context, backoff *wait.Backoff, err error) bool {
	d := backoff.Step()
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		d = max(d, min(time.Duration(seconds)*time.Second, maxRetryAfter))
	}
	Sleep(ctx, d)
	return ctx.Err() == nil
}

// Sleep ends early where the context does.
func Sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// IsPassing reports whether asking again may be answered.
func IsPassing(err error) bool {
	var forbidden *judging.ForbiddenError
	var refused *judging.RefusedError
	switch {
	case errors.As(err, &forbidden), IsExpired(err):
		return false
	case errors.As(err, &refused):
		return refused.Code >= http.StatusInternalServerError || refused.Code == http.StatusTooManyRequests
	}
	return true
}

// IsExpired reports whether the API server does not remember any more what came after a version.
func IsExpired(err error) bool { return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) }
