package fields

import (
	"testing"
)

const (
	probe   = `spec.template.spec.containers[name=web].livenessProbe`
	inProbe = `"` + probe + `.httpGet.path" = "/", "` + probe + `.httpGet.port" = 80`
)

var probeSteps = []string{"spec", "template", "spec", "containers", "name=web", "livenessProbe"}

// Given fields in a map that does not exist; then a write of the fields creates the map, and a destroy leaves the
// empty map.
func TestMapThatAWriteCreates(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]string{"released": "release", "restored": "restore", "deleted": "delete"} {
		t.Run(name, func(t *testing.T) {
			o := made(t, widget)
			o.Planned(o.block(`fields = { "spec.more.a" = "1", "spec.more.b" = "2" }`, `deletion_policy = "`+policy+`"`))
			o.wantLive(`{"a":"1","b":"2"}`, "spec", "more")
			o.Destroy()
			o.wantLive("{}", "spec", "more")
			o.wantLive(`"1"`, "spec", "texts", "a")
		})
	}
}

// Given fields in a new map that the API server refuses without one of them; then a destroy is refused, and its next
// step works. A map that is set as a whole is removed as a whole.
func TestNewMapThatIsInvalidWithoutAField(t *testing.T) {
	t.Parallel()
	t.Run("by its fields", func(t *testing.T) {
		o := made(t, deployment)
		o.Planned(o.block("fields = { " + inProbe + " }"))
		was := o.live()
		o.Write("")
		o.Plan()
		o.ApplyRefused("Error: Request Refused", "422", "httpGet.port",
			`set the topmost new map as a whole, with expected_fields and deletion_policy = "delete", then destroy.`,
			`apply deletion_policy = "abandon", then destroy.`)
		o.unchanged(was)

		held := `{ httpGet = { path = "/", port = 80, scheme = "HTTP" }, timeoutSeconds = 1, periodSeconds = 10, successThreshold = 1, failureThreshold = 3 }`
		o.Planned(o.block(`fields = { "`+probe+`" = { httpGet = { path = "/", port = 80 } } }`,
			`expected_fields = { "`+probe+`" = `+held+` }`, `deletion_policy = "delete"`))
		o.Destroy()
		o.wantLive("", probeSteps...)
	})
	t.Run("as a whole", func(t *testing.T) {
		o := made(t, deployment)
		o.Planned(o.block(`fields = { "` + probe + `" = { httpGet = { path = "/", port = 80 } } }`))
		o.PlanNothing()
		o.Destroy()
		o.wantLive("", probeSteps...)
	})
}
