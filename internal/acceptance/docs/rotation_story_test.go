package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

const rotationStory = "password-rotation"

// rotation follows the story with stand-ins for the providers of others.
func rotation(t *testing.T) (*story, *postgresStandIn) {
	t.Helper()
	s := tell(t, rotationStory)
	standIns, postgres := rotationStandIns()
	attach(s.Pipeline, standIns)
	return s, postgres
}

func TestPasswordRotationStory(t *testing.T) {
	s, postgres := rotation(t)
	s.install()
	password := func() string { return string(s.LiveSecret("checkout-database").Data["password"]) }
	both := func() string { // the database got what the Secret holds, once
		t.Helper()
		live := password()
		if got := postgres.got(); !slices.Equal(got, []string{live}) || len(live) < 32 {
			t.Errorf("the database got %d passwords, and the last one is not that of the Secret", len(got))
		}
		return live
	}
	untouched := func(live string) {
		t.Helper()
		if got := postgres.got(); len(got) > 0 || password() != live {
			t.Errorf("the database got %d passwords, and the Secret's is %q, want %q", len(got), password(), live)
		}
	}
	s.shows(s.run())
	first := both()
	s.shows(s.run())
	if second := both(); second == first {
		t.Error("the password is as it was")
	}
	s.refused() // by the plan
	untouched("after the incident")
	s.shows(s.run())
	both()
	s.refused() // by the apply
	untouched("faster")
	s.ended()

	// Where the database fails after the Secret was written, the next run gives it that password and makes none.
	s.CLI.Env = append(s.CLI.Env, "TF_VAR_rotation=5", "TF_VAR_current_password=faster")
	postgres.mu.Lock()
	postgres.fails = true
	postgres.mu.Unlock()
	if r := s.CLI.Run("apply", "-auto-approve"); r.ExitCode != 1 || !strings.Contains(r.All(), "The database cannot be reached") {
		t.Fatal(r.All())
	}
	written := password()
	untouched(written)
	if written == "faster" {
		t.Fatal("the Secret was not written")
	}
	s.Do("apply", "-auto-approve")
	if got := both(); got != written {
		t.Error("the next run made another password")
	}
	s.PlanNothing()
	for _, file := range []string{"terraform.tfstate", "terraform.tfstate.backup"} {
		if state, err := os.ReadFile(filepath.Join(s.CLI.Dir, file)); err != nil || strings.Contains(string(state), written) {
			t.Errorf("%s has the password (%v)", file, err)
		}
	}
}

// On both command lines: mocks and ephemeral values in tests differ.
func TestStoriesPasswordRotationTestsItself(t *testing.T) {
	t.Parallel()
	for _, cli := range testcli.FindAll(t) {
		t.Run(filepath.Base(cli), func(t *testing.T) {
			s, postgres := rotation(t)
			s.CLI.CLI = cli
			passwords := followPasswords(s.Fixture, "checkout-database-test")
			s.Do("get") // in place of init
			out := s.Do("test")
			s.Wants(out, "Success! 5 passed, 0 failed.")
			if last := s.blocks[len(s.blocks)-1].Text; !testcli.Shows(last, out) {
				t.Errorf("the README shows\n%s\nof\n%s", last, out)
			}
			if found := passwords(); len(found) != 2 || found[0] == found[1] {
				t.Errorf("the Secret went through %d passwords, want 2 that differ", len(found))
			}
			if secrets, got := s.Secrets(), postgres.got(); len(secrets) > 0 || len(got) > 0 {
				t.Errorf("left: %d Secrets; the database, which is mocked, got %d passwords", len(secrets), len(got))
			}
		})
	}
}

// followPasswords is follow for a Secret. It returns the passwords that the Secret held.
func followPasswords(f *fixture.Fixture, name string) func() []string {
	f.Helper()
	var passwords []string
	gone := observe(f, name, f.Cluster.Client().CoreV1().Secrets(f.Namespace), func(o runtime.Object) {
		s, ok := o.(*corev1.Secret)
		if !ok {
			return
		}
		if now := string(s.Data["password"]); now != "" && (len(passwords) == 0 || passwords[len(passwords)-1] != now) {
			passwords = append(passwords, now)
		}
	})
	return func() []string {
		gone()
		return passwords
	}
}
