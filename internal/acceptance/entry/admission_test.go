package entry

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestAdmissionThatChangesTheValueIsToldOf(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	p.MutateFoo()
	warning := func(sent string) []string {
		return []string{
			"Warning: Value Not Stored As Sent", "Change the policy, or set value = " + fixture.Quoted(sent+fixture.ByPolicy),
			"Sent: " + fixture.Quoted(sent), "Stored: " + fixture.Quoted(sent+fixture.ByPolicy),
		}
	}
	p.Write(fixture.EntryBlock("foo", `value = "2"`))
	p.Plan()
	p.Wants(p.Apply(), warning("2")...)
	p.WantLive("testmap", fixture.Data{"foo": "2" + fixture.ByPolicy})
	if got := p.WantState("foo")["foo"].Attributes["value"]; got != "2" {
		t.Errorf("the state holds %v", got)
	}

	// The drift shows, and what is written over it meets the same.
	p.Wants(p.Plan(), `"2`+fixture.ByPolicy+`" -> "2"`)
	p.Write(fixture.EntryBlock("foo", `value = "3"`))
	p.Plan()
	p.Wants(p.Apply(), warning("3")...)

	// The policy's own value is no drift.
	p.Write(fixture.EntryBlock("foo", `value = "3`+fixture.ByPolicy+`"`))
	p.PlanNothing()

	p.Wants(p.Destroy(), "!Value Not Stored As Sent")
	p.WantLive("testmap", nil)
}

func TestAdmissionThatChangesTheValueHidesAsTold(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	p.MutateFoo()
	p.Write(fixture.EntryBlock("foo", `value = "secret"`, `hide_values = true`))
	p.Plan()
	p.Wants(p.Apply(), "Warning: Value Not Stored As Sent", "Sent: (hidden, 6 bytes, sha256:", "Stored: (hidden, 18 bytes, sha256:", `!Sent: "`, `!Stored: "`)
}

// The write cannot be distinguished from another writer's, because the object does not contain what was sent.
func TestResponseThatIsLostToAWriteThatAdmissionChanged(t *testing.T) {
	t.Parallel()
	for name, found := range map[string]map[string]string{
		"of an object with managedFields": {"bar": "kept"},
		"of an object without":            nil, // the API server keeps none for what was empty when it was made
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", found)
			if got := len(p.Live("testmap").ManagedFields) > 0; got != (found != nil) {
				t.Fatalf("managedFields: %v", got)
			}
			p.MutateFoo()
			proxy := p.Proxied()
			p.Write(fixture.EntryBlock("foo", `value = "2"`))
			p.Plan()
			proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true}))
			p.ApplyRefused("Error: Write Outcome Unknown", "the object does not contain what was sent", "!Nothing was written")
			p.WantState()
			if got := p.Live("testmap").Data["foo"]; got != "2"+fixture.ByPolicy {
				t.Errorf("live: %q", got)
			}
		})
	}
}

func TestAdmissionThatRefuses(t *testing.T) {
	t.Parallel()
	for reason, wants := range map[metav1.StatusReason][]string{
		metav1.StatusReasonInvalid: {
			"Error: Request Refused", "The API server refused to patch the ConfigMap. Nothing was written", "Status: 422",
		},
		metav1.StatusReasonRequestEntityTooLarge: {
			"Error: Request Refused", "The API server refused to patch the ConfigMap. Nothing was written", "Status: 413",
		},
		metav1.StatusReasonForbidden: {
			"Error: Request Refused", "The API server refused to patch the ConfigMap. Nothing was written", "Status: 403",
		},
	} {
		t.Run(string(reason), func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.RefuseFoo(reason)
			p.Write(fixture.EntryBlock("sibling", `key = "bar"`, `value = "2"`) + fixture.EntryBlock("foo", `value = "refused"`, `expected_value = "1"`))
			p.Plan()
			output := p.ApplyRefused(append(wants, "foo must not be refused")...)
			if n := strings.Count(output, "Error: "); n != 1 {
				t.Errorf("%d errors, want one", n)
			}
			p.WantState("sibling") // what one entry is refused for does not fail another
			p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "2"})

			p.Planned(fixture.EntryBlock("sibling", `key = "bar"`, `value = "2"`) + fixture.EntryBlock("foo", `value = "3"`, `expected_value = "1"`))
			p.WantLive("testmap", fixture.Data{"foo": "3", "bar": "2"})
		})
	}
}
