package docs

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// story is a pipeline with one of the stories of examples/ in its workspace, whose README is followed block by block.
type story struct {
	*fixture.Pipeline
	told   string          // the namespace that the README names; the fixture's takes its place
	blocks []testcli.Block // those of shell and text
}

// tell puts a story into a workspace of its own, and makes the fixture's cluster and namespace those that it is about.
func tell(t *testing.T, folder string) *story {
	t.Helper()
	path := filepath.Join("../../../examples", folder)
	s := &story{Pipeline: fixture.NewCLIPipeline(t)}
	if err := os.CopyFS(s.CLI.Dir, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	readme := toolchain.Text(t, path, "README.md")
	blocks, err := testcli.Blocks(readme)
	if err != nil {
		t.Fatal(err)
	}
	s.blocks = slices.DeleteFunc(blocks, func(b testcli.Block) bool { return b.Language != "shell" && b.Language != "text" })
	s.told = regexp.MustCompile(`--namespace (\S+)`).FindStringSubmatch(readme)[1]
	s.CLI.Env = append(s.CLI.Env, "KUBE_CONFIG_PATH="+s.Kubeconfig, "TF_VAR_namespace="+s.Namespace)
	return s
}

// install makes the workspace one for which init installs the provider, and in which the README's commands are those at hand. They
// go to the cluster through a proxy.
func (s *story) install() *testcluster.Proxy {
	s.Helper()
	installed := testcli.NewMirrored(s, s.CLI.CLI)
	proxy := s.Cluster.Proxy(s)
	s.CLI.Home(proxy.Config)
	config := installed.Env[slices.IndexFunc(installed.Env, func(entry string) bool { return strings.HasPrefix(entry, "TF_CLI_CONFIG_FILE=") })]
	s.CLI.Env = append(s.CLI.Env, config, "KUBE_CONFIG_PATH=~/.kube/config")
	return proxy
}

// next is the text of the next block of the README, which must be of that language.
func (s *story) next(language string) string {
	s.Helper()
	if len(s.blocks) == 0 || s.blocks[0].Language != language {
		s.Fatalf("the README goes on with %v, want a block of %s", s.blocks, language)
	}
	text := s.blocks[0].Text
	s.blocks = s.blocks[1:]
	return text
}

// script is the commands of one block, which have been started.
type script struct {
	story  *story
	text   string
	done   chan struct{} // closed when they have ended
	result testcli.Result
}

// start starts the commands of the next block, as one script that ends with the first that fails.
func (s *story) start() *script {
	s.Helper()
	r := &script{story: s, text: s.next("shell"), done: make(chan struct{})}
	running := s.CLI.StartShell(regexp.MustCompile(`--namespace `+s.told+`\b`).ReplaceAllLiteralString(r.text, "--namespace "+s.Namespace))
	go func() {
		defer close(r.done)
		r.result = running.Wait()
	}()
	s.Cleanup(func() { <-r.done }) // the context of the test has ended by then
	return r
}

// ends waits until the script has ended, which must be with that code, and returns what it printed.
func (r *script) ends(exitCode int) string {
	r.story.Helper()
	<-r.done
	if r.result.ExitCode != exitCode {
		r.story.Fatalf("exit code %d, want %d, of\n%s%s", r.result.ExitCode, exitCode, r.text, r.result.Stdout)
	}
	return r.result.Stdout
}

// run runs the commands of the next block, which must succeed.
func (s *story) run() string {
	s.Helper()
	return s.start().ends(0)
}

// refused runs the commands of the next block. The last command must fail with the output that the README shows next.
func (s *story) refused() {
	s.Helper()
	s.shows(s.start().ends(1))
}

// shows fails the test unless the next block of the README is what was printed, or a part of it.
func (s *story) shows(output string) {
	s.Helper()
	s.has(output, s.next("text"))
}

func (s *story) has(output, shown string) {
	s.Helper()
	shown = regexp.MustCompile(`\b`+s.told+`/`).ReplaceAllLiteralString(shown, s.Namespace+"/")
	if !testcli.Shows(shown, output) {
		s.Errorf("the README shows\n%s\nof\n%s", shown, output)
	}
}

// ended fails the test unless nothing is left of the README but the story's own test, which TestStoriesTestThemselves runs.
func (s *story) ended() {
	s.Helper()
	if len(s.blocks) != 2 || !strings.HasSuffix(s.blocks[0].Text, "terraform test\n") {
		s.Errorf("the README goes on: %v", s.blocks)
	}
}

func TestCanaryRolloutStory(t *testing.T) {
	s := tell(t, "canary-rollout")
	s.install()
	live := func(percent string) {
		t.Helper()
		s.WantLive("checkout-traffic", fixture.Data{"stable": "2.7.0", "candidate": "2.8.0", "canary_percent": percent})
	}
	s.shows(s.run())
	live("10")
	s.refused() // by the plan
	live("0")
	s.refused() // by the apply
	live("0")
	s.refused() // as drift
	live("0")
	s.shows(s.run())
	live("100")
	s.ended()
	s.Destroy("-var", "percent=100")
	s.WantLive("checkout-traffic", fixture.Data{"stable": "2.7.0", "candidate": "2.8.0"})
}

func TestPortAllocationStory(t *testing.T) {
	s := tell(t, "port-allocation")
	s.install()
	live := func(want fixture.Data) {
		t.Helper()
		s.WantLive("port-registry", want)
	}
	s.shows(s.run())
	live(fixture.Data{"next_port": "30001", "checkout": "30000"})
	s.shows(s.run())
	live(fixture.Data{"next_port": "30101", "checkout": "30000", "billing": "30001", "search": "30100"})
	s.refused()
	live(fixture.Data{"next_port": "30102", "checkout": "30000", "billing": "30001", "search": "30100"})
	s.refused()
	live(fixture.Data{"next_port": "30200 (ask Kim)", "checkout": "30000", "billing": "30001", "search": "30100"})
	s.ended()
	s.Destroy("-var", `services=["checkout", "search"]`)
	s.WantLive("port-registry", fixture.Data{"next_port": "30200 (ask Kim)", "billing": "30001"})
}

func TestWaitForMigrationStory(t *testing.T) {
	s := tell(t, "wait-for-migration")
	proxy := s.install()
	live := func(schema, version string) {
		t.Helper()
		s.WantLive("checkout-release", fixture.Data{"schema": schema, "version": version})
	}
	s.run()
	waits := make(chan struct{})
	var once sync.Once
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if !fixture.IsWatch(r.URL.Query()) {
			return testcluster.Fault{}
		}
		return fixture.Watched(func() { once.Do(func() { close(waits) }) })
	})
	rollout, warning := s.start(), s.next("text")
	select {
	case <-waits:
	case <-rollout.done:
		t.Fatalf("it did not wait:\n%s", rollout.result.Stdout)
	}
	live("41", "2.7.0")
	if out := s.run(); !strings.Contains(out, "migrating to schema 42") {
		t.Errorf("the migration did not run:\n%s", out)
	}
	out := rollout.ends(0)
	s.has(out, warning)
	s.shows(out)
	live("42", "2.8.0")
	s.refused()
	live("42", "2.8.1")
	s.refused()
	live("42", "2.8.1")
	s.ended()
	s.Do("-chdir=migrate", "apply", "-auto-approve", "-state=another", "-var", "schema=42", "-var", "command=true") // another pipeline, which finds it done
	live("42", "2.8.1")
	s.Do("-chdir=migrate", "destroy", "-auto-approve", "-var", "schema=42", "-var", "command=exit 1")
	s.Do("-chdir=rollout", "destroy", "-auto-approve", "-var", "release=2.8.0", "-var", "previous_release=2.7.0", "-var", "schema=42")
	live("42", "2.8.1")
}
