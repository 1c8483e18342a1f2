package message

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
)

// NotYet is for a plan whose write waits: what refuses is no error then.
func (s Subject) NotYet(refusal error) diag.Diagnostic {
	limit := "as long as " + s.waits() + " says"
	if !s.Wait.IsUnknown() {
		limit = "up to " + s.Wait.ValueString()
	}
	r := ExpectationDoesNotHoldYet
	if s.Members != nil { // an allocation expects nothing but a pool
		r = NothingToTakeYet
	}
	return s.warn(r, path.Root(s.waits()), strings.TrimSuffix(r.Meaning, ".")+" for "+limit+".", s.seenLast(refusal), "")
}

// waited is for the end of a wait that came to nothing.
func (s Subject) waited(e *eval.WaitError) diag.Diagnostic {
	at := path.Root(s.waits())
	facts := append(s.seenLast(e.Last), Fact{factWaited, e.Waited.Round(100 * time.Millisecond).String()})
	again := " Then run terraform apply again, or raise " + s.waits() + "."
	title, reached, notReached := WaitEndedWithoutAMatch, "the expected state was reached",
		"The expected state was not reached"
	next := "Find out why the other writer is late." + again
	if s.Members != nil {
		title, reached, notReached = WaitEndedWithoutAValue, "something could be taken", "Nothing could be taken"
		next = freeing(e.Last, again)
	}
	forbidden, isForbidden := errors.AsType[*eval.ForbiddenError](e.Err)
	switch {
	case isForbidden:
		return s.refuse(NotPermittedToWait, at, fmt.Sprintf("You do not have permission to %s this %s, so %s cannot wait.",
			forbidden.Verb, s.ID.Kind, s.waits()), append(facts, Fact{"API server", s.words(forbidden.Err)}),
			"Grant get, patch and watch on "+s.granted()+".")
	case errors.Is(e.Err, context.DeadlineExceeded):
		return s.refuse(title, at, notReached+" within "+s.waits()+".", facts, next)
	case errors.Is(e.Err, context.Canceled), errors.Is(e.Err, cas.ErrClosed):
		return s.refuse(OperationCanceled, path.Empty(), "The operation was canceled while it waited.", facts, "")
	default:
		return s.refuse(WaitFailed, at, fmt.Sprintf("The watch of the %s failed before %s.", s.ID.Kind, reached),
			append(facts, Fact{"Cause", s.words(e.Err)}), "")
	}
}

// freeing is the next step where nothing has become free in time.
func freeing(last error, again string) string {
	if _, isFull := errors.AsType[*pool.FullError](last); !isFull {
		return "Create the ConfigMap." + again
	}
	return "Find out which claimants still use what they have, and release the rest." + again +
		" To wait longer for what this configuration keeps is in vain."
}

// seenLast are the facts about what refused last.
func (s Subject) seenLast(refusal error) []Fact {
	if full, ok := errors.AsType[*pool.FullError](refusal); ok {
		return s.holders(full)
	}
	if conflict, ok := errors.AsType[*eval.ConflictError](refusal); ok {
		return s.conflictFacts(conflict)
	}
	if terminating, ok := errors.AsType[*eval.TerminatingError](refusal); ok {
		return append([]Fact{{"Found", fmt.Sprintf("(the %s is being deleted)", s.ID.Kind)}},
			deletion(terminating.Since, terminating.Finalizers)...)
	}
	return []Fact{{"Found", fmt.Sprintf("(no %s)", s.ID.Kind)}}
}

// waits is the attribute that says for how long the operation waits.
func (s Subject) waits() string {
	if s.Members != nil {
		return "wait_for_free"
	}
	return "wait_for_match"
}
