package wire_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// busy is an answer that says after how many seconds to ask again.
func busy(seconds int32) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Reason: metav1.StatusReasonTooManyRequests, Code: http.StatusTooManyRequests,
		Details: &metav1.StatusDetails{RetryAfterSeconds: seconds},
	}}
}

// What is tried again waits for as long as the API server says, 5 s at most, and no less than by itself.
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
