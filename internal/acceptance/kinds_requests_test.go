package acceptance_test

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
)

// TestRequestsOfBothKinds: each operation on a Secret makes as many requests as on a ConfigMap. Only where the plan's note reaches an apply does
// a Secret take a read more: the note has no digest of one. Guesses could be tested against it; and without it, another writer's version could
// pass for ours where an answer gets lost.
func TestRequestsOfBothKinds(t *testing.T) {
	for _, profile := range []driver.Profile{driver.Terraform111, driver.OpenTofu, driver.Terraform116} {
		for _, kind := range objectKinds {
			for _, form := range keyForms {
				for _, scope := range []string{"object", "key"} {
					t.Run(profile.Name+" "+kind.name+" "+form+" "+scope, func(t *testing.T) {
						p := on(t, profile)
						o := object{p.fixture, kind}
						proxy := p.proxied()
						o.create(data{"foo": "0", "bar": "kept"})
						lines := "conflict_scope = " + quoted(scope)
						writes := func(value, expected string) {
							p.Helper()
							p.write(kind.block(form, value, expected, lines))
							proxy.Reset()
						}
						counts := func(what string, gets, patches int) {
							p.Helper()
							p.fixture.counted(proxy)(what, gets, patches)()
						}
						applyReads := 1 // what the write is judged on
						if profile.StoresPlannedPrivate && !kind.isSecret() {
							applyReads = 0
						}

						writes("1", "0")
						p.plan()
						counts("plan of a create", 1, 0)
						p.apply()
						counts("apply of a create", applyReads, 1)
						p.planNothing()
						counts("plan of no change", 1, 0)
						p.planNothing("-refresh=false")
						counts("plan of no change with -refresh=false", 0, 0)
						p.do("refresh")
						counts("refresh", 1, 0)

						writes("2", "1")
						p.plan()
						counts("plan of an update", 1, 0)
						p.apply()
						counts("apply of an update", applyReads, 1)

						writes("3", "2")
						p.do("apply", "-auto-approve")
						counts("an update in one apply", 1+applyReads, 1)

						o.set("foo", "theirs")
						writes("3", "")
						if kind.isSecret() { // whose version is the same
							p.planNothing()
						} else {
							p.plan()
						}
						counts("plan after another's write", 1, 0)
						o.set("foo", "3")
						writes("3", "2")

						p.plan("-destroy")
						counts("plan of a destroy, in two processes", 2, 0)
						p.apply()
						counts("apply of a destroy", 0, 1)

						o.set("foo", "0")
						writes("1", "0")
						p.do("apply", "-auto-approve")
						counts("a create in one apply", 1+applyReads, 1)
						p.destroy()
						counts("destroy", 2, 1)
						if scope == "object" { // with "key", an update of a Secret needs an expectation
							for _, value := range []string{"4", "5"} {
								writes(value, "")
								p.plan()
								proxy.Reset()
								p.apply()
								counts("apply of a create, then an update, without an expectation", applyReads, 1)
								if got := o.live().Data["foo"]; got != value {
									t.Errorf("foo holds %q, want %q", got, value)
								}
							}
							p.destroy()
						}
						if got := o.live().Data; len(got) != 1 || got["bar"] != "kept" {
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
