package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// busy is an answer that says after how many seconds to ask again.
func busy(seconds int32) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Reason: metav1.StatusReasonTooManyRequests, Code: http.StatusTooManyRequests,
		Details: &metav1.StatusDetails{RetryAfterSeconds: seconds},
	}}
}

// A retry waits for as long as the API server says, at most 5 s, and at least for the backoff.
func TestPauseIsAsLongAsTheAPIServerSaysFiveSecondsAtMost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err         error
		least, most time.Duration
	}{
		"no answer":               {errors.New("no answer"), 20 * time.Millisecond, 30 * time.Millisecond},
		"nothing is said":         {busy(0), 20 * time.Millisecond, 30 * time.Millisecond},
		"a second":                {busy(1), time.Second, time.Second},
		"five seconds":            {busy(5), 5 * time.Second, 5 * time.Second},
		"more than that":          {busy(6), 5 * time.Second, 5 * time.Second},
		"more than eight minutes": {busy(500), 5 * time.Second, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // whose clock goes on where all wait
				backoff, begun := wire.NewBackoff(20*time.Millisecond, time.Second), time.Now()
				if !wire.Pause(t.Context(), &backoff, test.err) {
					t.Error("its context has ended")
				}
				if took := time.Since(begun); took < test.least || took > test.most {
					t.Errorf("it took %v, want %v to %v", took, test.least, test.most)
				}
			})
		})
	}
}

func TestPauseEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		backoff, begun := wire.NewBackoff(20*time.Millisecond, time.Second), time.Now()
		if wire.Pause(ctx, &backoff, busy(5)) {
			t.Error("its context goes on")
		}
		if took := time.Since(begun); took != time.Second {
			t.Errorf("it took %v, want a second", took)
		}
	})
}

// A read whose error may be temporary is repeated: a few times, for about a second, or for as long as the API
// server asks to wait, about five seconds in all. Each failure is reported with its cause.
func TestPatienceEndsAfterAFewReadsAndAFewSeconds(t *testing.T) {
	t.Parallel()
	refused := func(err error, code int) error { return &eval.RefusedError{Code: code, Err: err} }
	unreachable := func(err error) error {
		return &eval.UnreachableError{Err: &url.Error{Op: "Get", URL: "https://127.0.0.1", Err: err}}
	}
	for name, test := range map[string]struct {
		err         error
		reads       int
		least, most time.Duration
	}{
		"an error of the API server's": {refused(errors.New("no leader"), http.StatusInternalServerError), 6, 600 * time.Millisecond, time.Second},
		"too busy for a second":        {refused(busy(1), http.StatusTooManyRequests), 6, 5 * time.Second, 5 * time.Second},
		"too busy for two":             {refused(busy(2), http.StatusTooManyRequests), 4, 6 * time.Second, 6 * time.Second},
		"too busy for an hour":         {refused(busy(3600), http.StatusServiceUnavailable), 2, 5 * time.Second, 5 * time.Second},
		"a connection that breaks":     {unreachable(io.EOF), 6, 600 * time.Millisecond, time.Second},
		"one that is reset":            {unreachable(syscall.ECONNRESET), 6, 600 * time.Millisecond, time.Second},
		"an answer that breaks off":    {unreachable(fmt.Errorf("reading: %w", io.ErrUnexpectedEOF)), 6, 600 * time.Millisecond, time.Second},
		"a connection that is refused": {unreachable(syscall.ECONNREFUSED), 1, 0, 0},
		"credentials that are refused": {refused(errors.New("token expired"), http.StatusUnauthorized), 1, 0, 0},
		"what the user may not":        {&eval.ForbiddenError{Err: errors.New("no")}, 1, 0, 0},
		"anything else":                {errors.New("something else"), 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reads, begun := 0, time.Now()
				_, err := wire.Patiently(t.Context(), func() (bool, error) { reads++; return false, test.err })
				if took := time.Since(begun); reads != test.reads || took < test.least || took > test.most {
					t.Errorf("%d reads in %v, want %d in %v to %v", reads, took, test.reads, test.least, test.most)
				}
				if !errors.Is(err, test.err) {
					t.Errorf("%v, want %v", err, test.err)
				}
			})
		})
	}
}
