package testcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Workspace is a folder with a configuration in it, and an environment in which a command line finds the provider as it is
// built and nothing that configures either from outside. One command at a time.
type Workspace struct {
	// Dir holds the configuration and the state.
	Dir string
	// CLI is the path of terraform or tofu.
	CLI string
	// Env is the environment of the commands, "NAME=value" each. Append to it to set variables.
	Env []string
	// Output, where it is not nil, gets what the commands print as they print it, both streams.
	Output io.Writer

	ctx context.Context //nolint:containedctx // a workspace lives as long as a test does
	tb  testing.TB      // nil outside tests
}

// Result holds the output of a command, and how the command ended.
type Result struct {
	Stdout, Stderr string
	// ExitCode is -1 where the command was killed.
	ExitCode int
}

// New makes a workspace for a test, which is skipped, or fails where CI=true, when there is no command line to run.
// Its commands end with the test.
func New(t testing.TB) *Workspace {
	t.Helper()
	cli := mustFind(t)
	provider, err := Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := Open(t.Context(), t.TempDir(), cli, overriddenBy(filepath.Dir(provider)))
	if err != nil {
		t.Fatal(err)
	}
	w.tb = t
	w.WithoutTLS()
	return w
}

// WithoutTLS has the commands talk to providers without TLS, for which Terraform and OpenTofu have a variable that is
// meant for tests: making the keys takes half the time of a short command. [NewHome], the demo and the release's test
// keep TLS, as users do.
func (w *Workspace) WithoutTLS() { w.Setenv("TF_DISABLE_PLUGIN_TLS", "1") }

// NoteProviders has each provider that a command starts note its process, for [Running.SignalProvider].
func (w *Workspace) NoteProviders() {
	w.tb.Helper()
	provider, err := Provider(w.ctx)
	w.check(err)
	folder, config := filepath.Join(w.Dir, "..", "noting"), filepath.Join(w.Dir, "..", "noting.tfrc")
	w.check(os.Mkdir(folder, 0o700))
	script := "#!/bin/sh\necho $$ >>'" + folder + "/started-by-'$PPID\nexec '" + provider + "' \"$@\"\n"
	w.check(os.WriteFile(filepath.Join(folder, filepath.Base(provider)), []byte(script), 0o700)) //nolint:gosec // a script must be executable
	w.check(os.WriteFile(config, []byte("provider_installation {\n"+overriddenBy(folder)+"}\n"), 0o600))
	w.Setenv("TF_CLI_CONFIG_FILE", config)
}

// overriddenBy is the body of provider_installation that has commands take the provider from a folder, without init.
func overriddenBy(folder string) string {
	return fmt.Sprintf("  dev_overrides {\n    \"terraform-cas/cas\" = %q\n  }\n", folder)
}

// NewHome makes a workspace for a test as [New] does, with a [Workspace.Home] and the given command line. No provider is installed and
// no file configures the command line, as on a new machine.
func NewHome(t testing.TB, cli string, cluster *rest.Config) *Workspace {
	t.Helper()
	w, err := Open(t.Context(), t.TempDir(), cli, "")
	if err != nil {
		t.Fatal(err)
	}
	w.tb = t
	w.Home(cluster)
	return w
}

// NewMirrored makes a workspace for a test in which init installs the provider, from a [Mirror].
func NewMirrored(t testing.TB, cli string) *Workspace {
	t.Helper()
	provider, err := Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	installation, err := Mirror(t.TempDir(), provider)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Open(t.Context(), t.TempDir(), cli, installation)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Open makes a workspace under dir, which must exist and be empty, with the given body of provider_installation. Where that is empty, there is
// no such block. Its commands are interrupted when ctx ends.
func Open(ctx context.Context, dir, cli, installation string) (*Workspace, error) {
	w := &Workspace{Dir: filepath.Join(dir, "workspace"), CLI: cli, Env: environment(), ctx: ctx}
	err := os.Mkdir(w.Dir, 0o700)
	if installation != "" {
		config := filepath.Join(dir, "cli.tfrc")
		err = errors.Join(err, os.WriteFile(config, fmt.Appendf(nil, "provider_installation {\n%s}\n", installation), 0o600))
		w.Setenv("TF_CLI_CONFIG_FILE", config)
	}
	return w, err
}

// Mirror puts the provider into dir as a filesystem mirror that terraform and tofu install from with init, and returns the
// body of provider_installation that names it.
func Mirror(dir, provider string) (installation string, err error) {
	const version = "0.1.0" // the mirror has no other; the examples accept 0.1 and later
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(dir, host, "terraform-cas", "cas", version, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", err
		}
		if err := os.Symlink(provider, filepath.Join(folder, "terraform-provider-cas_v"+version)); err != nil {
			return "", err
		}
	}
	return mirrored(dir), nil
}

// environment is this process's, without what leaks (TF_LOG and TF_ACC of a test run included).
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return testcluster.Leaks(name) || strings.HasPrefix(name, "TF_")
	})
	return append(env, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0")
}

// Setenv sets a variable of the commands' environment.
func (w *Workspace) Setenv(name, value string) { w.Env = append(w.Env, name+"="+value) }

// Write puts a file into the workspace.
func (w *Workspace) Write(name, content string) {
	w.check(os.WriteFile(filepath.Join(w.Dir, name), []byte(content), 0o600))
}

// Running is a command that was started and must be waited for.
type Running struct {
	w              *Workspace
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// Run runs one command, such as Run("plan", "-out=p"), without color and without asking. The caller judges a command
// that fails; a command that cannot be run at all fails the test.
func (w *Workspace) Run(args ...string) Result {
	if w.tb != nil {
		w.tb.Helper()
	}
	return w.Start(args...).Wait()
}

// Start starts a command as Run does.
func (w *Workspace) Start(args ...string) *Running {
	if w.tb != nil {
		w.tb.Helper()
	}
	if slices.Contains([]string{"init", "plan", "apply", "destroy", "show", "refresh", "import", "output", "get", "test", "query"}, args[0]) {
		args = slices.Insert(slices.Clone(args), 1, "-no-color")
	}
	return w.start(w.CLI, args...)
}

func (w *Workspace) start(name string, args ...string) *Running {
	cmd := exec.CommandContext(w.ctx, name, args...)
	cmd.Dir, cmd.Env = w.Dir, w.Env
	cmd.SysProcAttr = toolchain.OwnGroup()                                     // one interrupt is enough: a second one makes it abandon its provider
	cmd.Cancel = func() error { return toolchain.InterruptGroup(cmd.Process) } // it stops its provider, and writes its state
	cmd.WaitDelay = 2 * time.Minute
	r := &Running{w: w, cmd: cmd}
	cmd.Stdout, cmd.Stderr = &r.stdout, &r.stderr
	if w.Output != nil {
		output := &serialWriter{w: w.Output}
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&r.stdout, output), io.MultiWriter(&r.stderr, output)
	}
	if err := cmd.Start(); w.ctx.Err() == nil {
		w.check(err)
	}
	return r
}

// Interrupt is one Ctrl-C on a terminal: the command and its provider get it.
func (r *Running) Interrupt() error { return toolchain.InterruptGroup(r.cmd.Process) }

// SignalProvider sends a signal to the provider that the command has started last, and to nothing else. It needs [Workspace.NoteProviders].
func (r *Running) SignalProvider(signal os.Signal) error {
	noted, err := os.ReadFile(filepath.Join(r.w.Dir, "..", "noting", fmt.Sprint("started-by-", r.cmd.Process.Pid)))
	if err != nil {
		return err
	}
	pids := strings.Fields(string(noted))
	pid, err := strconv.Atoi(pids[len(pids)-1])
	if err != nil {
		return err
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Signal(signal)
}

// Wait waits until the command has ended.
func (r *Running) Wait() Result {
	if r.w.tb != nil {
		r.w.tb.Helper()
	}
	err := r.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && r.w.ctx.Err() == nil {
		r.w.check(err)
	}
	return Result{Stdout: r.stdout.String(), Stderr: r.stderr.String(), ExitCode: r.cmd.ProcessState.ExitCode()}
}

// Plan saves a plan. The exit code is 2 where it has changes, as with -detailed-exitcode.
func (w *Workspace) Plan(out string, args ...string) Result {
	return w.Run(append([]string{"plan", "-detailed-exitcode", "-out=" + out}, args...)...)
}

// Apply applies a saved plan.
func (w *Workspace) Apply(planfile string, args ...string) Result {
	return w.Run(append(append([]string{"apply"}, args...), planfile)...)
}

// Destroy destroys everything in the state, without asking.
func (w *Workspace) Destroy(args ...string) Result {
	return w.Run(append([]string{"destroy", "-auto-approve"}, args...)...)
}

// All returns the output of the command, both streams.
func (r Result) All() string { return r.Stdout + r.Stderr }

// serialWriter lets both streams of a command write to one writer.
type serialWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *serialWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// check fails the test, or outside tests panics: there is no folder to write to, or no command line to run.
func (w *Workspace) check(err error) {
	if err == nil {
		return
	}
	if w.tb == nil {
		panic(err)
	}
	w.tb.Helper()
	w.tb.Fatal(err)
}
