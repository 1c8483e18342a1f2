package secret

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a write of a Secret that is said to be unknown, landed, and is found by a refresh; when somebody puts back what it had replaced; then that is drift,
// though labels and annotations, which the resource leaves to others, are there too.
func TestSecretThatIsPutBackAfterAWriteOfUnknownOutcomeHasDrifted(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	block := func(number string) string { return secretForms["whole"](number, `on_drift = "error"`) }
	p.Planned(block("1"))
	p.Write(block("2"))
	p.Plan()
	proxy.SetHook(loses(t, p, lostAnswer{fault: testcluster.Fault{DropAfter: true}, rotates: "after", unseen: true}, ""))
	p.ApplyRefused("Error: Write Outcome Unknown")
	proxy.SetHook(nil)
	p.Rotated("2") // as the write had left it
	p.Do("refresh")
	p.Rotated("1")
	p.PlanRefused([]string{"Error: Value Changed Since Last Apply"})
}
