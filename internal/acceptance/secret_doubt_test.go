package acceptance_test

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a write of a Secret that is said to be unknown, landed, and is found by a refresh; when somebody puts back what it had replaced; then that is drift,
// though labels and annotations, which the resource leaves to others, are there too.
func TestSecretThatIsPutBackAfterAWriteOfUnknownOutcomeHasDrifted(t *testing.T) {
	p := newPipeline(t)
	proxy := p.proxied()
	block := func(number string) string { return secretForms["whole"](number, `on_drift = "error"`) }
	p.planned(block("1"))
	p.write(block("2"))
	p.plan()
	proxy.SetHook(p.loses(t, lostAnswer{fault: testcluster.Fault{DropAfter: true}, rotates: "after", noWatch: true}, ""))
	p.applyRefused("Error: Write Outcome Unknown")
	proxy.SetHook(nil)
	p.rotated("2") // as the write had left it
	p.do("refresh")
	p.rotated("1")
	p.planRefused([]string{"Error: Value Changed Since Last Apply"})
}
