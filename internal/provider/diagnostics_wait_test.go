package provider

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func waiting(s *diagnose.Subject) { s.Wait = types.StringValue("2m") }

func rehearsed(s *diagnose.Subject) { s.Rehearsed = true }

// valued has the subject know what another's words may quote.
func valued(values ...string) func(*diagnose.Subject) {
	return func(s *diagnose.Subject) {
		for _, v := range values {
			s.Values = append(s.Values, cas.Text(v))
		}
	}
}

func waitDiagnosticTests(seen *cas.Observation) map[string]diagnosticTest {
	const (
		liveNow   = "Expected: \"1\"\nLive: \"live\"\nLive resourceVersion: VERSION\n" + lastLine
		slots     = "\nWhile it waits, it takes one of the operations that Terraform runs at a time (-parallelism)."
		ended     = "What must hold for the write did not come about in the time that wait_for_match gives. Nothing was written."
		endedWay  = "\nFind out what is to bring it about and has not. Apply again to wait again, or raise wait_for_match."
		cutShort  = "The ConfigMap could not be watched any longer, and the write did not hold by then. Nothing was written."
		dryRun    = ` The provider's plan_dry_run (environment: CAS_PLAN_DRY_RUN) had the plan send the write as a dry run, which needs what the write needs.`
		refusedAs = "The API server refused to patch the ConfigMap, so nothing was written."
		whose     = "The answer tells whether the object, a policy of the cluster or the provider's configuration is at fault."
	)
	conflict := conflictOf(cas.ReasonKey, seen, cas.Version{})
	notFound := &cas.NotFoundError{Ref: testRef}
	terminating := &cas.TerminatingError{Ref: testRef, Since: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}
	waited := func(last, err error, changes ...func(*diagnose.Subject)) diag.Diagnostic {
		changes = append(changes, waiting)
		return aboutFoo(terms.OpCreate, changes...).Diagnose(&cas.WaitError{Ref: testRef, Last: last, Err: err, Waited: 120049 * time.Millisecond})
	}
	quotes := errors.New(`data[foo]: Invalid value: "p4ss\"word": not that, nor cDRzcyJ3b3Jk`)

	return map[string]diagnosticTest{
		"not yet": {
			of:       aboutFoo(terms.OpCreate, waiting, planning).NotYet(conflict),
			severity: diag.SeverityWarning, path: "wait_for_match", summary: "Expectation Does Not Hold Yet",
			detail: "When this was planned, what must hold for the write did not. The apply waits for it, for up to 2m." + head + liveNow + slots,
		},
		"not yet, and how long is unknown": {
			of:       aboutFoo(terms.OpUpdate, func(s *diagnose.Subject) { s.Wait = types.StringUnknown() }).NotYet(notFound),
			severity: diag.SeverityWarning, path: "wait_for_match", summary: "Expectation Does Not Hold Yet",
			detail: "When this was planned, what must hold for the write did not. The apply waits for it, for as long as wait_for_match will say." +
				head + "Live: (no ConfigMap)\n" + slots,
		},
		"waited in vain": {
			of: waited(conflict, errDeadline), path: "wait_for_match", summary: "Wait Ended Without A Match",
			detail: ended + head + liveNow + "Waited: 2m0s\n" + endedWay,
		},
		"waited in vain, hidden": {
			of: waited(conflict, errDeadline, hidden), path: "wait_for_match", summary: "Wait Ended Without A Match",
			detail: ended + head + "Expected: (hidden, 1 bytes, sha256:" + digestOf("1") + ")\nLive: (hidden, 4 bytes, sha256:" + digestOf("live") +
				")\nLive resourceVersion: VERSION\n" + lastLine + "Waited: 2m0s\n" + endedWay,
		},
		"waited in vain for a ConfigMap that is being deleted": {
			of: waited(terminating, errDeadline), path: "wait_for_match", summary: "Wait Ended Without A Match",
			detail: ended + head + "Live: (the ConfigMap is being deleted)\nDeleted at: 2026-07-01T12:00:00Z\nWaited: 2m0s\n" + endedWay,
		},
		"canceled while it waited": {
			of: waited(notFound, context.Canceled), summary: "Operation Canceled",
			detail: "The operation was canceled while it waited. Nothing was written." + head + "Live: (no ConfigMap)\nWaited: 2m0s",
		},
		"closed while it waited": {
			of: waited(notFound, cas.ErrClosed), summary: "Operation Canceled",
			detail: "The operation was canceled while it waited. Nothing was written." + head + "Live: (no ConfigMap)\nWaited: 2m0s",
		},
		"not permitted to watch": {
			of: waited(notFound, &cas.ForbiddenError{Ref: testRef, Verb: "watch", Err: errServer}), path: "wait_for_match", summary: "Not Permitted To Wait",
			detail: "The write does not hold yet, and the API server does not permit to watch the ConfigMap. Nothing was written." + head +
				"Live: (no ConfigMap)\nWaited: 2m0s\nVerb: watch\nResource: configmaps\nNamespace: shop\nName: settings\n" +
				"Answer: the server's own words\n\nwait_for_match needs the verb \"watch\" on the ConfigMap, besides \"get\" and \"patch\".",
		},
		"cannot watch any longer": {
			of: waited(notFound, &cas.RefusedError{Ref: testRef, Verb: "watch", Code: 401, Err: errServer}), path: "wait_for_match", summary: "Wait Failed",
			detail: cutShort + head + "Live: (no ConfigMap)\nWaited: 2m0s\n" +
				"Cause: watch configmap shop/settings: HTTP 401: the server's own words\n\nApply again to wait again.",
		},

		"not permitted, in a rehearsal": {
			of: aboutFoo(terms.OpDelete, planning, rehearsed).Diagnose(&cas.ForbiddenError{Ref: testRef, Verb: "patch", Err: errServer}), summary: "Not Permitted",
			detail: "The API server does not permit to patch the ConfigMap, so nothing was removed." + head +
				"Verb: patch\nResource: configmaps\nNamespace: shop\nName: settings\nAnswer: the server's own words\n\n" +
				`Planning needs the verb "get" on the ConfigMap, applying "patch" as well.` + dryRun + planEnd,
		},
		"not permitted to read, before a rehearsal": {
			of: aboutFoo(terms.OpCreate, planning, rehearsed).Diagnose(&cas.ForbiddenError{Ref: testRef, Verb: "get", Err: errServer}), summary: "Not Permitted",
			detail: "The API server does not permit to get the ConfigMap, so nothing was written." + head +
				"Verb: get\nResource: configmaps\nNamespace: shop\nName: settings\nAnswer: the server's own words\n\n" +
				`Planning needs the verb "get" on the ConfigMap, applying "patch" as well.` + planEnd,
		},
		"refused in a rehearsal": {
			of: aboutFoo(terms.OpUpdate, planning, rehearsed).Diagnose(&cas.RefusedError{Ref: testRef, Verb: "patch", Code: 422, Err: errServer}), summary: "Request Refused",
			detail: refusedAs + head + "Status: 422\nAnswer: the server's own words\n\n" + whose + dryRun + planEnd,
		},
		"refused, with words that quote a value": {
			of:      aboutFoo(terms.OpCreate, hidden, valued(`p4ss"word`)).Diagnose(&cas.RefusedError{Ref: testRef, Verb: "patch", Code: 422, Err: quotes}),
			summary: "Request Refused",
			detail:  refusedAs + head + "Status: 422\nAnswer: data[foo]: Invalid value: \"(hidden)\": not that, nor (hidden)\n\n" + whose,
		},
		"refused, with words that quote a value, not hidden": {
			of:      aboutFoo(terms.OpCreate, valued(`p4ss"word`)).Diagnose(&cas.RefusedError{Ref: testRef, Verb: "patch", Code: 422, Err: quotes}),
			summary: "Request Refused",
			detail:  refusedAs + head + "Status: 422\nAnswer: " + quotes.Error() + "\n\n" + whose,
		},
	}
}
