package eval_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given each error that a call can end with, alone and wrapped; then the verdict is one of four, an unknown outcome before all else, and its text
// names the object and quotes nothing of it.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	ref, cause := eval.Ref{Namespace: "shop", Name: "settings"}, errors.New("the cause")
	planted := eval.Text("planted")
	conflict := &eval.ConflictError{Ref: ref, Keys: []eval.KeyConflict{{Key: "foo", Expected: planted, New: planted}}}
	for name, test := range map[string]struct {
		err   error
		want  eval.Verdict
		says  string // that the text has beside the object
		cause error  // that is found in it
	}{
		"a conflict":           {conflict, eval.Conflict, `key "foo"`, nil},
		"a conflict of two":    {&eval.ConflictError{Ref: ref, Keys: make([]eval.KeyConflict, 2)}, eval.Conflict, "expectation", nil},
		"it exists":            {&eval.ExistsError{Ref: ref}, eval.Conflict, "exists already", nil},
		"it does not exist":    {&eval.NotFoundError{Ref: ref}, eval.Rejected, "does not exist", nil},
		"no namespace":         {&eval.NoNamespaceError{Ref: ref}, eval.Rejected, "namespace does not exist", nil},
		"immutable":            {&eval.ImmutableError{Ref: ref}, eval.Rejected, "immutable", nil},
		"being deleted":        {&eval.TerminatingError{Ref: ref}, eval.Rejected, "being deleted", nil},
		"too large":            {&eval.TooLargeError{Ref: ref, New: 1, Others: 1048576}, eval.Rejected, "1048577 bytes, 1048576 at most", nil},
		"forbidden":            {&eval.ForbiddenError{Ref: ref, Verb: "patch", Err: cause}, eval.Rejected, "patch", cause},
		"refused":              {&eval.RefusedError{Ref: ref, Verb: "patch", Code: 422, Err: cause}, eval.Rejected, "HTTP 422", cause},
		"canceled":             {&eval.CanceledError{Ref: ref, Host: "host", Err: cause}, eval.Rejected, "nothing was written", cause},
		"unreachable":          {&eval.UnreachableError{Host: "shop/settings", Err: cause}, eval.Rejected, "cannot reach", cause},
		"unknown":              {&eval.UnknownError{Ref: ref, Err: cause}, eval.Unknown, "unknown", cause},
		"unknown, of a caller": {&eval.UnknownError{Ref: ref, Err: &eval.CanceledError{Ref: ref, Err: cause}}, eval.Unknown, "unknown", cause},
		"unknown, by a refusal": {
			&eval.UnknownError{Ref: ref, Err: errors.Join(conflict, &eval.ForbiddenError{Ref: ref, Err: cause})}, eval.Unknown, "unknown", cause,
		},
		"waited in vain": {&eval.WaitError{Ref: ref, Last: conflict, Err: cause}, eval.Rejected, "did not happen", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, err := range []error{test.err, fmt.Errorf("wrapped: %w", test.err)} {
				if got := eval.VerdictOf(err); got != test.want {
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
	if got := eval.VerdictOf(nil); got != eval.Applied {
		t.Errorf("no error is %s, want %s", got, eval.Applied)
	}
}
