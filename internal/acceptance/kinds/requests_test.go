package kinds

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestRequestsOfBothKinds: each operation on a Secret makes as many requests as on a ConfigMap, on each client. A plan
// reads the object once, and an apply reads it again before it writes.
func TestRequestsOfBothKinds(t *testing.T) {
	for _, profile := range []driver.Profile{driver.Terraform111, driver.OpenTofu, driver.Terraform116} {
		for _, kind := range fixture.ObjectKinds {
			for _, form := range keyForms {
				for _, scope := range []string{"object", "key"} {
					t.Run(profile.Name+" "+kind.Name+" "+form+" "+scope, func(t *testing.T) {
						p := fixture.NewPipelineOf(t, profile)
						o := fixture.Object{Fixture: p.Fixture, Kind: kind}
						proxy := p.Proxied()
						o.Create(fixture.Data{"foo": "0", "bar": "kept"})
						lines := "conflict_scope = " + fixture.Quoted(scope) + "\n  " + fixture.Deletes + "\n  " + fixture.Overwrites
						writes := func(value, expected string) {
							p.Helper()
							p.Write(kind.Block(form, value, expected, lines))
							proxy.Reset()
						}
						counts := func(what string, gets, patches int) {
							p.Helper()
							p.Counted(proxy)(what, gets, patches)()
						}

						writes("1", "0")
						p.Plan()
						counts("plan of a create", 1, 0)
						p.Apply()
						counts("apply of a create", 1, 1)
						p.PlanNothing()
						counts("plan of no change", 1, 0)
						p.PlanNothing("-refresh=false")
						counts("plan of no change with -refresh=false", 0, 0)
						p.Do("refresh")
						counts("refresh", 1, 0)

						writes("2", "1")
						p.Plan()
						counts("plan of an update", 1, 0)
						p.Apply()
						counts("apply of an update", 1, 1)

						writes("3", "2")
						p.Do("apply", "-auto-approve")
						counts("an update in one apply", 2, 1)

						o.Set("foo", "theirs")
						writes("3", "")
						if kind.IsSecret() { // whose version is the same
							p.PlanNothing()
						} else {
							p.Plan()
						}
						counts("plan after another's write", 1, 0)
						o.Set("foo", "3")
						writes("3", "2")

						p.Plan("-destroy")
						counts("plan of a destroy, in two processes", 2, 0)
						p.Apply()
						counts("apply of a destroy", 1, 1)

						o.Set("foo", "0")
						writes("1", "0")
						p.Do("apply", "-auto-approve")
						counts("a create in one apply", 2, 1)
						p.Destroy()
						counts("destroy", 3, 1)
						if scope == "object" { // with "key", an update of a Secret needs an expectation
							for _, value := range []string{"4", "5"} {
								writes(value, "")
								p.Plan()
								proxy.Reset()
								p.Apply()
								counts("apply of a create, then an update, without an expectation", 1, 1)
								if got := o.Live().Data["foo"]; got != value {
									t.Errorf("foo holds %q, want %q", got, value)
								}
							}
							p.Destroy()
						}
						if got := o.Live().Data; len(got) != 1 || got["bar"] != "kept" {
							t.Errorf("live: %q", got)
						}
						if proxy.Count(http.MethodDelete) > 0 {
							t.Error("the object was deleted")
						}
					})
				}
			}
		}
	}
}
