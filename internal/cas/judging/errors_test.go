package judging_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// Given each error that a call can end with, alone and wrapped; then the verdict is one of four, an unknown outcome before all else, and its text
// names the object and quotes nothing of it.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	ref, cause := judging.Ref{Namespace: "shop", Name: "settings"}, errors.New("the cause")
	planted := judging.Text("planted")
	conflict := &judging.ConflictError{Ref: ref, Keys: []judging.KeyConflict{{Key: "foo", Expected: planted, New: planted}}}
	for name, test := range map[string]struct {
		err   error
		want  judging.Verdict
		says  string // that the text has beside the object
		cause error  // that is found in it
	}{
		"a conflict":           {conflict, judging.Conflict, `key "foo"`, nil},
		"a conflict of two":    {&judging.ConflictError{Ref: ref, Keys: make([]judging.KeyConflict, 2)}, judging.Conflict, "expectation", nil},
		"it exists":            {&judging.ExistsError{Ref: ref}, judging.Conflict, "exists already", nil},
		"it does not exist":    {&judging.NotFoundError{Ref: ref}, judging.Rejected, "does not exist", nil},
		"no namespace":         {&judging.NoNamespaceError{Ref: ref}, judging.Rejected, "namespace does not exist", nil},
		"immutable":            {&judging.ImmutableError{Ref: ref}, judging.Rejected, "immutable", nil},
		"being deleted":        {&judging.TerminatingError{Ref: ref}, judging.Rejected, "being deleted", nil},
		"too large":            {&judging.TooLargeError{Ref: ref, New: 1, Others: 1048576}, judging.Rejected, "1048577 bytes, 1048576 at most", nil},
		"forbidden":            {&judging.ForbiddenError{Ref: ref, Verb: "patch", Err: cause}, judging.Rejected, "patch", cause},
		"refused":              {&judging.RefusedError{Ref: ref, Verb: "patch", Code: 422, Err: cause}, judging.Rejected, "HTTP 422", cause},
		"canceled":             {&judging.CanceledError{Ref: ref, Host: "host", Err: cause}, judging.Rejected, "nothing was written", cause},
		"unreachable":          {&judging.UnreachableError{Host: "shop/settings", Err: cause}, judging.Rejected, "cannot reach", cause},
		"unknown":              {&judging.UnknownError{Ref: ref, Err: cause}, judging.Unknown, "unknown", cause},
		"unknown, of a caller": {&judging.UnknownError{Ref: ref, Err: &judging.CanceledError{Ref: ref, Err: cause}}, judging.Unknown, "unknown", cause},
		"unknown, by a refusal": {
			&judging.UnknownError{Ref: ref, Err: errors.Join(conflict, &judging.ForbiddenError{Ref: ref, Err: cause})}, judging.Unknown, "unknown", cause,
		},
		"waited in vain": {&judging.WaitError{Ref: ref, Last: conflict, Err: cause}, judging.Rejected, "did not happen", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, err := range []error{test.err, fmt.Errorf("wrapped: %w", test.err)} {
				if got := judging.VerdictOf(err); got != test.want {
					t.Errorf("%v is %s, want %s", err, got, test.want)
				}
			}
			text := test.err.Error()
			if !strings.Contains(text, "shop/settings") || !strings.Contains(text, test.says) || strings.Contains(text, "planted") {
				t.Errorf("it says %q", text)
			}
			if test.cause != nil && !errors.Is(test.err, test.cause) {
				t.Errorf("%v does not have its cause", test.err)
			}
		})
	}
	if got := judging.VerdictOf(nil); got != judging.Applied {
		t.Errorf("no error is %s, want %s", got, judging.Applied)
	}
}
