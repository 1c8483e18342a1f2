package diagnose

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NotYet is for a plan whose write waits: what refuses is no error then.
func (s Subject) NotYet(refusal error) diag.Diagnostic {
	s.Planning = false // a warning already
	limit := "for as long as wait_for_match will say"
	if !s.Wait.IsUnknown() {
		limit = "for up to " + s.Wait.ValueString()
	}
	return WarningExpectationDoesNotHoldYet.At(path.Root("wait_for_match"), s.detail(
		"When this was planned, what must hold for the write did not. The apply waits for it, "+limit+".", s.seenLast(refusal),
		"While it waits, it takes one of the operations that Terraform runs at a time (-parallelism)."))
}

// waited is for the end of a wait that came to nothing.
func (s Subject) waited(e *cas.WaitError) diag.Diagnostic {
	facts := append(s.seenLast(e.Last), "Waited: "+e.Waited.Round(100*time.Millisecond).String())
	var forbidden *cas.ForbiddenError
	switch {
	case errors.As(e.Err, &forbidden):
		return TitleNotPermittedToWait.At(path.Root("wait_for_match"), s.detail(
			fmt.Sprintf("The write does not hold yet, and the API server does not permit to %s the ConfigMap. Nothing was written.", forbidden.Verb),
			append(facts, "Verb: "+forbidden.Verb, "Resource: configmaps", "Namespace: "+s.ID.Namespace, "Name: "+s.ID.Name,
				"Answer: "+s.words(forbidden.Err)),
			fmt.Sprintf("wait_for_match needs the verb %q on the ConfigMap, besides \"get\" and \"patch\".", forbidden.Verb)))
	case errors.Is(e.Err, context.DeadlineExceeded):
		return TitleWaitEndedWithoutAMatch.At(path.Root("wait_for_match"), s.detail(
			"What must hold for the write did not come about in the time that wait_for_match gives. Nothing was written.", facts,
			"Find out what is to bring it about and has not. Apply again to wait again, or raise wait_for_match."))
	case errors.Is(e.Err, context.Canceled), errors.Is(e.Err, cas.ErrClosed):
		return TitleOperationCanceled.With(s.detail(
			"The operation was canceled while it waited. Nothing was written.", facts))
	default:
		return TitleWaitFailed.At(path.Root("wait_for_match"), s.detail(
			"The ConfigMap could not be watched any longer, and the write did not hold by then. Nothing was written.",
			append(facts, "Cause: "+s.words(e.Err)), "Apply again to wait again."))
	}
}

// seenLast are the lines about what refused last.
func (s Subject) seenLast(refusal error) []string {
	var conflict *cas.ConflictError
	var terminating *cas.TerminatingError
	switch {
	case errors.As(refusal, &conflict):
		return s.conflictFacts(conflict)
	case errors.As(refusal, &terminating):
		return []string{"Live: (the ConfigMap is being deleted)", "Deleted at: " + terminating.Since.Format(time.RFC3339)}
	default:
		return []string{"Live: (no ConfigMap)"}
	}
}

// requestRefused is for a request that was answered with another error.
func (s Subject) requestRefused(e *cas.RefusedError) diag.Diagnostic {
	return TitleRequestRefused.With(s.detail(
		fmt.Sprintf("The API server refused to %s the ConfigMap, so nothing was %s.", e.Verb, s.Op.Past()),
		[]string{fmt.Sprintf("Status: %d", e.Code), "Answer: " + s.words(e.Err)},
		append([]string{"The answer tells whether the object, a policy of the cluster or the provider's configuration is at fault."},
			s.rehearsalOf(e.Verb)...)...))
}

// rehearsalOf says of a write that was refused in a plan why there was one.
func (s Subject) rehearsalOf(verb string) []string {
	if !s.Rehearsed || verb == "get" || verb == "watch" {
		return nil
	}
	return []string{"The provider's plan_dry_run (environment: " + terms.EnvPlanDryRun + ") had the plan send the write as a dry run, " +
		"which needs what the write needs."}
}

// words are another's, as the API server's answer, which may quote values.
func (s Subject) words(err error) string {
	if !s.Hide {
		return err.Error()
	}
	return redact(err.Error(), s.Values...)
}
