package docs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// project is the folder under examples/ of a project as its users keep it: two root modules and a pipeline.
const project = "project"

func TestProjectStory(t *testing.T) {
	s := tell(t, project)
	s.install()
	s.CLI.Setenv("TF_VAR_database_password", "one that no version asks for") // each block is a shell of its own
	s.CLI.Setenv("TF_VAR_context", "testcluster")
	deployment := "/apis/apps/v1/namespaces/" + s.Namespace + "/deployments/web"
	live := func(image, password string, settings fixture.Data) {
		t.Helper()
		s.WantLive("settings", settings)
		s.WantSecret("database", fixture.Data{"password": password})
		if got := callAPI(s.Fixture, "GET", deployment, ""); !strings.Contains(got, `"image":"`+image+`"`) || !strings.Contains(got, `"replicas":1`) {
			t.Errorf("want the image %s in %s", image, got)
		}
	}
	s.shows(s.run())
	live("web:1.4.0", "correct horse", fixture.Data{"log_level": "info", "maintenance": "off", "new_checkout": "off", "fast_search": "on"})
	port := s.Live("pools").Data["ports"]
	if !strings.Contains(port, `"30000":{"claimant":"web"`) {
		t.Errorf("the pool holds %s", port)
	}
	s.shows(s.run())
	s.shows(s.run())
	released := fixture.Data{"log_level": "debug", "maintenance": "off", "new_checkout": "on", "fast_search": "on"}
	live("web:1.5.0", "battery staple", released)
	if diff := cmp.Diff([]string{"platform"}, s.OwnersOf("settings", "log_level")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"shop"}, s.OwnersOf("settings", "new_checkout")); diff != "" {
		t.Error(diff)
	}

	s.refused() // by the plan
	released["new_checkout"] = "off"
	live("web:1.5.0", "battery staple", released)
	before := s.Live("settings")
	s.shows(s.run())
	s.WantUnchanged(before)

	s.refused() // by the apply
	live("web:1.5.1", "battery staple", released)
	s.shows(s.run())
	live("web:1.5.1", "battery staple", released)
	if diff := cmp.Diff(port, s.Live("pools").Data["ports"]); diff != "" {
		t.Errorf("the pool (-first +now):\n%s", diff)
	}

	s.Wants(s.run(), "Destroy complete! Resources: 5 destroyed.", "Destroy complete! Resources: 5 destroyed.")
	if len(s.blocks) > 0 {
		t.Errorf("the README goes on: %v", s.blocks)
	}
	if left := s.ConfigMaps(); len(left) > 0 || len(s.Secrets()) > 0 {
		t.Errorf("left: %v, %d Secrets", left, len(s.Secrets()))
	}
}

// TestProjectIsDestroyedInEitherOrder destroys one team's configuration before the other one's: no value of the other
// team is lost.
func TestProjectIsDestroyedInEitherOrder(t *testing.T) {
	for _, first := range []string{"shop", "platform"} {
		t.Run(first+" first", func(t *testing.T) {
			s := tell(t, project)
			s.install()
			s.CLI.Setenv("TF_VAR_database_password", "correct horse")
			s.CLI.Setenv("TF_VAR_context", "testcluster")
			s.run()
			destroy := func(team string, exitCode int, wants ...string) {
				t.Helper()
				r := s.CLI.Shell("terraform -chdir=" + team + " destroy -auto-approve")
				s.Wants(s.Ended(r, exitCode, "destroy of "+team), wants...)
			}
			permits := func(change string) {
				t.Helper()
				s.Ended(s.CLI.Shell("sed -i.bak -e '"+change+"' platform/main.tf"), 0, "sed")
			}
			all := fixture.Data{"log_level": "info", "maintenance": "off", "new_checkout": "off", "fast_search": "on"}
			platform := fixture.Data{"log_level": "info", "maintenance": "off"}
			if first == "shop" {
				destroy("shop", 0)
				s.WantLive("settings", platform)
				s.WantSecret("database", fixture.Data{})
				destroy("platform", 1, "Instance cannot be destroyed")
				s.WantLive("settings", platform)
			} else {
				permits("s/prevent_destroy = true/prevent_destroy = false/")
				destroy("platform", 1, "Error: ConfigMap Has Other Keys", `new_checkout (field manager "shop")`, `ports (field manager "shop")`,
					"Error: Secret Has Other Keys", `password (field manager "shop")`)
				s.WantLive("settings", all)
				s.WantSecret("database", fixture.Data{"password": "correct horse"})
				destroy("shop", 0)
				s.WantLive("settings", platform)
			}
			permits("s/prevent_destroy = true/prevent_destroy = false/")
			permits(`s/"release"/"delete"/`)
			s.Ended(s.CLI.Shell("terraform -chdir=platform apply -auto-approve"), 0, "apply of platform")
			destroy("platform", 0)
			if left := s.ConfigMaps(); len(left) > 0 || len(s.Secrets()) > 0 {
				t.Errorf("left: %v, %d Secrets", left, len(s.Secrets()))
			}
		})
	}
}
