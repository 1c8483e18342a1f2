package message_test

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
)

// These diagnostics are the same for each resource. facts has the lines that name the ConfigMap and the key.

func noConfigMap(about message.Subject, facts string) diagnosticTest {
	return diagnosticTest{
		of: about.Diagnose(&eval.NotFoundError{Ref: testRef}), path: "name", summary: "ConfigMap Not Found",
		detail: "The ConfigMap does not exist. Nothing was written." + facts + "\nCreate the ConfigMap first, and let this resource depend on it.",
	}
}

func noConfigMapYet(about message.Subject, facts string) diagnosticTest {
	return diagnosticTest{
		of:       about.Diagnose(&eval.NotFoundError{Ref: testRef}),
		severity: diag.SeverityWarning, path: "name", summary: "ConfigMap Does Not Exist Yet",
		detail: "The ConfigMap does not exist yet, so the plan could not check it. The apply checks it." + facts +
			"\nIf this run creates the ConfigMap, let this resource depend on it. Otherwise create it first.",
	}
}

func beingDeleted(about message.Subject, facts string) diagnosticTest {
	since := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	return diagnosticTest{
		of: about.Diagnose(&eval.TerminatingError{Ref: testRef, Since: since}), summary: "ConfigMap Is Being Deleted",
		detail: "The ConfigMap is being deleted. Nothing was written." + facts +
			"  Deleted at:  2026-07-01T12:00:00Z\n\nWait until it is deleted, then run terraform plan again.",
	}
}

// sizes is the end of the detail about an object that is too large.
func sizes(written, others int) string {
	return fmt.Sprintf("  New values:    %d bytes\n  Other values:  %d bytes\n", written, others) +
		"  Limit:         1048576 bytes for all values together\n\nShorten a value, or use another ConfigMap."
}

// notPermitted is of a removal.
func notPermitted(about message.Subject, verb, facts, verbs string) diagnosticTest {
	return diagnosticTest{
		of: about.Diagnose(&eval.ForbiddenError{Ref: testRef, Verb: verb, Err: errServer}), summary: "Not Permitted",
		detail: "You do not have permission to " + verb + " this ConfigMap. Nothing was removed." + facts +
			"  API server:  the server's own words\n\nGrant " + verbs + " on configmaps in this namespace.",
	}
}

// unreachable is of a read.
func unreachable(about message.Subject, facts string) diagnosticTest {
	return diagnosticTest{
		of: about.Diagnose(&eval.UnreachableError{Host: "https://api.test", Err: errServer}), summary: "API Server Unreachable",
		detail: "The API server could not be reached. Nothing was read." + facts + "  Host:       https://api.test\n  Cause:      the server's own words\n\n" +
			"Check what the cause names: the address or the certificate of the server, the command that gives the credentials, or the network.",
	}
}

func unexpected(about message.Subject, doing, facts string) diagnosticTest {
	return diagnosticTest{
		of: about.Diagnose(errServer), summary: "Unexpected Error",
		detail: "Unexpected error while " + doing + "." + facts + "  Cause:      the server's own words\n\n" +
			"Report this as a defect of the provider, with the log of this run (TF_LOG_PROVIDER=DEBUG).",
	}
}

func taintedReplacesItself(about message.Subject, facts string) diagnosticTest {
	return diagnosticTest{
		of: about.TaintedReplacesItself(), summary: "Replacement Would Fail",
		detail: "This resource is tainted. The removal comes first, so its replacement would not find what it needs. Nothing was removed." + facts +
			"\nRun terraform untaint with its address.",
	}
}

func mayReplaceItself(about message.Subject, place, value, facts string) diagnosticTest {
	return diagnosticTest{
		of: about.MayReplaceItself(), severity: diag.SeverityWarning, summary: "Replacement May Fail",
		detail: "The new " + place + " are known only at apply. If they are the same, the create fails, because the removal comes first." + facts +
			"\nMake " + place + " known at plan, or change " + value + " instead of replacing the resource.",
	}
}
