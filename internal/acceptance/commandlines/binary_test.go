package commandlines

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	osexec "os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// byHand is the built provider, run as a user runs it from a shell.
func byHand(t *testing.T, args ...string) *osexec.Cmd {
	t.Helper()
	built, err := testcli.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.CommandContext(t.Context(), built, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd
}

func TestBinaryRunByHandSaysWhatItIs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args     []string
		exitCode int
		says     string
	}{
		"nothing":         {nil, 1, "This binary is a plugin. These are not meant to be executed directly."},
		"-version":        {[]string{"-version"}, 0, "dev\n"},
		"-help":           {[]string{"-help"}, 0, "terraform-provider-cas is a plugin: Terraform and OpenTofu start it."},
		"an unknown flag": {[]string{"-nonsense"}, 2, "flag provided but not defined: -nonsense"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := byHand(t, test.args...)
			out, _ := cmd.CombinedOutput() // how it ended is below
			if code := cmd.ProcessState.ExitCode(); code != test.exitCode || !strings.Contains(string(out), test.says) {
				t.Errorf("ended with %d, want %d and %q:\n%s", code, test.exitCode, test.says, out)
			}
		})
	}
}

var reattachVariable = regexp.MustCompile(`^export (TF_REATTACH_PROVIDERS)='([^']+)'$`)

// debugged starts the provider as under a debugger, and has the command line attach to it: no other provider is installed for it.
// The returned function interrupts it, and returns its result with all output.
func debugged(p *fixture.Pipeline) (interrupt func() (exitCode int, log string)) {
	p.Helper()
	cmd := byHand(p.T, "-debug")
	var log bytes.Buffer
	cmd.Env, cmd.Stderr = p.CLI.Env, &log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = cmd.Wait() }) // in vain where it has been waited for
	for lines := bufio.NewScanner(stdout); ; {
		if !lines.Scan() {
			p.Fatalf("it does not say how to attach: %s", log.String())
		}
		if match := reattachVariable.FindStringSubmatch(lines.Text()); match != nil {
			p.CLI.Env = append(p.CLI.Env, match[1]+"="+match[2], "TF_CLI_CONFIG_FILE="+os.DevNull)
			break
		}
	}
	return func() (int, string) {
		p.Helper()
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			p.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, stdout) // until it is closed
		_ = cmd.Wait()                     // the exit code tells
		return cmd.ProcessState.ExitCode(), log.String()
	}
}

func TestCommandLineAttachesToADebuggedProvider(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	proxy := p.Proxied()
	interrupt := debugged(p)

	p.Planned(fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`))
	p.WantLive("testmap", fixture.Data{"foo": "2"})

	arrived, gone := make(chan struct{}), make(chan struct{})
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		close(arrived) // once: the provider is interrupted before it asks again
		<-r.Context().Done()
		close(gone)
		return testcluster.Fault{DropBefore: true}
	})
	plan := p.CLI.Start("plan")
	<-arrived
	exitCode, log := interrupt()
	if exitCode != 0 {
		t.Errorf("the provider ended with %d", exitCode)
	}
	<-gone
	if r := plan.Wait(); r.ExitCode != 1 {
		t.Errorf("the plan whose provider went away ended with %d:\n%s", r.ExitCode, r.All())
	}
	for _, text := range []string{`"@module":"cas.cas"`, `"@message":"swap"`} {
		if !strings.Contains(log, text) {
			t.Errorf("the provider's log lacks %s:\n%s", text, log)
		}
	}
}
