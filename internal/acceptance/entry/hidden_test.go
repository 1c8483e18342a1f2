package entry

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given a policy whose message has a hidden number in another spelling; then the refusal shows the status and the
// policy, and no other word of the API server.
func TestRefusalOfAHiddenNumber(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	reason := metav1.StatusReasonForbidden
	p.Refuse(admissionv1.Validation{
		Expression:        `int(object.data["foo"]) < 1000000`,
		MessageExpression: `"foo is " + string(double(object.data["foo"]))`, Reason: &reason,
	})
	p.AwaitPolicy("1234567", func(_ string, err error) bool { return err != nil })
	p.WriteRehearsed(fixture.EntryBlock("foo", `value = "1234567"`, `expected_value = "1"`))
	p.PlanRefused([]string{"Error: Request Refused", "foo is 1.234567e+06"})
	p.WriteRehearsed(fixture.EntryBlock("foo", `value = "1234567"`, `expected_value = "1"`, "hide_values = true"))
	p.PlanRefused([]string{
		"Error: Request Refused", "Status: 403", "API server: Forbidden, ValidatingAdmissionPolicy '" + p.Namespace + "' (",
		"!1.234567e+06", "!foo is",
	})
}
