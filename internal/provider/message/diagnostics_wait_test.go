package message_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func waiting(s *message.Subject) { s.Wait = types.StringValue("2m") }

func rehearsed(s *message.Subject) { s.Rehearsed = true }

func waitDiagnosticTests(seen *eval.Snapshot) map[string]diagnosticTest {
	const (
		liveNow  = wide + "  Expected:         \"1\"\n  Found:            \"live\"\n" + wideBy + wideNow
		waitedIn = "  Waited:           2m0s\n"
		withheld = "Unprocessable Entity (the message is withheld, because it may quote a value of the object)"
		noMap    = "  Found:      (no ConfigMap)\n"
		ended    = "The expected state was not reached within wait_for_match. Nothing was written."
		endedWay = "\nFind out why the other writer is late. Then run terraform apply again, or raise wait_for_match."
		cutShort = "The watch of the ConfigMap failed before the expected state was reached. Nothing was written."
		dryRun   = "  Request:     a dry run of the write, because plan_dry_run (CAS_PLAN_DRY_RUN) is true\n"
		refused  = "The API server refused to patch the ConfigMap. Nothing was written."
		whose    = "\n\nCorrect what the API server names, then run terraform plan again."
		grant    = "\n\nGrant get and patch on configmaps in this namespace."
	)
	conflict := conflictOf(eval.ReasonKey, seen, eval.Version{})
	notFound := &eval.NotFoundError{Ref: testRef}
	terminating := &eval.TerminatingError{Ref: testRef, Since: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}
	waited := func(last, err error, changes ...func(*message.Subject)) diag.Diagnostic {
		changes = append(changes, waiting)
		return aboutFoo(terms.OpCreate, changes...).Diagnose(&eval.WaitError{Ref: testRef, Last: last, Err: err, Waited: 120049 * time.Millisecond})
	}
	quotes := &apierrors.StatusError{ErrStatus: metav1.Status{Code: 422, Message: "p4ssword"}}

	return map[string]diagnosticTest{
		"not yet": {
			of:       aboutFoo(terms.OpCreate, waiting, planning).NotYet(conflict),
			severity: diag.SeverityWarning, path: "wait_for_match", summary: "Expectation Does Not Hold Yet",
			detail: strings.TrimSuffix("The expected state has not been reached yet. The apply waits for it for up to 2m."+liveNow, "\n"),
		},
		"not yet, and how long is unknown": {
			of:       aboutFoo(terms.OpUpdate, func(s *message.Subject) { s.Wait = types.StringUnknown() }).NotYet(notFound),
			severity: diag.SeverityWarning, path: "wait_for_match", summary: "Expectation Does Not Hold Yet",
			detail: "The expected state has not been reached yet. The apply waits for it for as long as wait_for_match says." + head +
				"  Found:      (no ConfigMap)",
		},
		"waited in vain": {
			of: waited(conflict, errDeadline), path: "wait_for_match", summary: "Wait Ended Without A Match",
			detail: ended + liveNow + waitedIn + endedWay,
		},
		"waited in vain, hidden": {
			of: waited(conflict, errDeadline, hidden), path: "wait_for_match", summary: "Wait Ended Without A Match",
			detail: ended + wide + wideHidden + wideBy + wideNow + waitedIn + endedWay,
		},
		"waited in vain for a ConfigMap that is being deleted": {
			of: waited(terminating, errDeadline), path: "wait_for_match", summary: "Wait Ended Without A Match",
			detail: ended + served + "  Found:       (the ConfigMap is being deleted)\n  Deleted at:  2026-07-01T12:00:00Z\n  Waited:      2m0s\n" + endedWay,
		},
		"canceled while it waited": {
			of: waited(notFound, context.Canceled), summary: "Operation Canceled",
			detail: "The operation was canceled while it waited. Nothing was written." + head + noMap + "  Waited:     2m0s",
		},
		"closed while it waited": {
			of: waited(notFound, cas.ErrClosed), summary: "Operation Canceled",
			detail: "The operation was canceled while it waited. Nothing was written." + head + noMap + "  Waited:     2m0s",
		},
		"not permitted to watch": {
			of: waited(notFound, &eval.ForbiddenError{Ref: testRef, Verb: "watch", Err: errServer}), path: "wait_for_match", summary: "Not Permitted To Wait",
			detail: "You do not have permission to watch this ConfigMap, so wait_for_match cannot wait. Nothing was written." + served +
				"  Found:       (no ConfigMap)\n  Waited:      2m0s\n  API server:  the server's own words\n" +
				"\nGrant get, patch and watch on configmaps in this namespace.",
		},
		"cannot watch any longer": {
			of: waited(notFound, &eval.RefusedError{Ref: testRef, Verb: "watch", Code: 401, Err: errServer}), path: "wait_for_match", summary: "Wait Failed",
			detail: cutShort + head + noMap + "  Waited:     2m0s\n" +
				"  Cause:      watch configmap shop/settings: HTTP 401: the server's own words\n\nRemove the cause, then run terraform apply again.",
		},

		"not permitted, in a rehearsal": {
			of: aboutFoo(terms.OpDelete, planning, rehearsed).Diagnose(&eval.ForbiddenError{Ref: testRef, Verb: "patch", Err: errServer}), summary: "Not Permitted",
			detail: "You do not have permission to patch this ConfigMap. Nothing was removed." + served + dryRun +
				"  API server:  the server's own words" + grant,
		},
		"not permitted to read, before a rehearsal": {
			of: aboutFoo(terms.OpCreate, planning, rehearsed).Diagnose(&eval.ForbiddenError{Ref: testRef, Verb: "get", Err: errServer}), summary: "Not Permitted",
			detail: "You do not have permission to get this ConfigMap. Nothing was written." + served + "  API server:  the server's own words" + grant,
		},
		"refused in a rehearsal": {
			of: aboutFoo(terms.OpUpdate, planning, rehearsed).Diagnose(&eval.RefusedError{Ref: testRef, Verb: "patch", Code: 422, Err: errServer}), summary: "Request Refused",
			detail: refused + served + dryRun + "  Status:      422\n  API server:  the server's own words" + whose + ofFoo,
		},
		"refused in a namespace that is being deleted": {
			of: aboutFoo(terms.OpCreate).Diagnose(&eval.RefusedError{
				Ref: testRef, Verb: "create", Code: 403, Err: errServer, InTerminatingNamespace: true,
			}),
			summary: "Request Refused",
			detail: strings.Replace(refused, "patch", "create", 1) + served + "  Status:      403\n  API server:  the server's own words\n\n" +
				"The namespace shop is being deleted. Wait until it is missing and create it again, or use another namespace.",
		},
		"refused, with words that quote a value": {
			of: aboutFoo(terms.OpCreate, hidden).Diagnose(&eval.RefusedError{
				Ref: testRef, Verb: "patch", Code: 422, Err: errors.Join(quotes, quotes),
			}),
			summary: "Request Refused",
			detail:  refused + served + "  Status:      422\n  API server:  " + withheld + "; " + withheld + "\n\nCorrect the value, then run terraform plan again.",
		},
		"refused, with words that quote a value, not hidden": {
			of:      aboutFoo(terms.OpCreate).Diagnose(&eval.RefusedError{Ref: testRef, Verb: "patch", Code: 422, Err: quotes}),
			summary: "Request Refused",
			detail:  refused + served + "  Status:      422\n  API server:  p4ssword" + whose,
		},
	}
}
