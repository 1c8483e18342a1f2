package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// TestMain is the demo itself where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("DEMO_TEST_CHILD") != "" {
		main()
		os.Exit(0)
	}
	testcluster.Main(m, testcli.Cleanup)
}

// demo is a run of the demo, which has a temporary folder of its own.
type demo struct {
	*exec.Cmd
	out *bufio.Scanner
	tmp string
	all strings.Builder
}

func start(t *testing.T, args ...string) *demo {
	t.Helper()
	testcli.New(t) // tells whether there is a command line
	provider, err := testcli.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return launch(t, append([]string{"-provider", provider}, args...)...)
}

func launch(t *testing.T, args ...string) *demo {
	t.Helper()
	testcluster.Shared(t) // tells whether there is a control plane
	d := &demo{Cmd: exec.CommandContext(t.Context(), os.Args[0], args...), tmp: t.TempDir()}
	elsewhere := filepath.Join(t.TempDir(), "kubeconfig")
	d.Env = append(os.Environ(), "DEMO_TEST_CHILD=1", "TMPDIR="+d.tmp, "KUBECONFIG="+elsewhere, "TF_VAR_value=from the shell")
	out, err := d.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	d.Stderr = d.Stdout
	d.out = bufio.NewScanner(out)
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	return d
}

// until reads what the demo prints up to the line that matches.
func (d *demo) until(t *testing.T, pattern string) {
	t.Helper()
	line := regexp.MustCompile(pattern)
	for d.out.Scan() {
		fmt.Fprintln(&d.all, d.out.Text())
		if line.MatchString(d.out.Text()) {
			return
		}
	}
	t.Fatalf("the demo ended before it printed %s:\n%s", pattern, d.all.String())
}

// end reads the rest and returns how the demo ended. Nothing of it may be left: its temporary folder holds the data of
// etcd, and goes when etcd has ended.
func (d *demo) end(t *testing.T) (exitCode int, output string) {
	t.Helper()
	for d.out.Scan() {
		fmt.Fprintln(&d.all, d.out.Text())
	}
	if err := d.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(d.tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if left := processes(t, d.tmp); left != "" {
		t.Errorf("still running:\n%s", left)
	}
	return d.ProcessState.ExitCode(), d.all.String()
}

// endsOn sends the signal, and fails the test unless the process ends with this exit code, and says so.
func (d *demo) endsOn(t *testing.T, signal os.Signal, wantCode int, says string) {
	t.Helper()
	if err := d.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if exitCode, output := d.end(t); exitCode != wantCode || !strings.Contains(output, says) {
		t.Errorf("exit code %d:\n%s", exitCode, output)
	}
}

// processes are those whose command line names a folder.
func processes(t *testing.T, folder string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-A", "-o", "pid=,args=").Output()
	if err != nil {
		toolchain.Unavailable(t, err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, folder) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

func TestDemoOnAControlPlaneOfItsOwn(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.until(t, "1 to add")
	if processes(t, d.tmp) == "" {
		t.Error("no process of the control plane is seen while it runs")
	}
	exitCode, output := d.end(t)
	if exitCode != 0 {
		t.Fatalf("exit code %d:\n%s", exitCode, output)
	}
	order := regexp.MustCompile(`(?s)Starting etcd.*1 to add.*previous_value = "1".*No changes.*Compare-And-Swap Conflict` +
		`.*Expected Value Mismatch.*Everything ended as it should.*Stopping etcd`)
	if !order.MatchString(output) {
		t.Errorf("printed:\n%s", output)
	}
}

func TestDemoOnAnotherClusterRemovesItsNamespace(t *testing.T) {
	t.Parallel()
	c := testcluster.Shared(t)
	exitCode, output := start(t, "-kubeconfig", c.Kubeconfig(t, c.Config)).end(t)
	if exitCode != 0 {
		t.Fatalf("exit code %d:\n%s", exitCode, output)
	}
	if strings.Contains(output, "Starting etcd") {
		t.Errorf("it started a control plane:\n%s", output)
	}
	demos := 0
	namespaces, err := c.Client().CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ns := range namespaces.Items {
		if strings.HasPrefix(ns.Name, "cas-demo-") {
			demos++
			if ns.Status.Phase != corev1.NamespaceTerminating {
				t.Errorf("%s is %s", ns.Name, ns.Status.Phase)
			}
		}
	}
	if demos != 1 {
		t.Errorf("%d namespaces of demos, want 1", demos)
	}
}

func TestInterruptedDemoStopsWhatItStarted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		at     string
		signal os.Signal
	}{
		"Ctrl-C while the control plane starts": {`^== Starting etcd`, os.Interrupt},
		"Ctrl-C in a plan":                      {`\$ \S+ plan`, os.Interrupt},
		"SIGTERM in an apply":                   {`\$ \S+ apply`, syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t)
			d.until(t, tc.at)
			d.endsOn(t, tc.signal, 130, "interrupted")
		})
	}
}

func TestFailedStepFailsTheDemo(t *testing.T) {
	t.Parallel()
	c := testcluster.Shared(t)
	w := testcli.New(t)
	s := &stage{client: c.Client(), namespace: c.Namespace(t), workspace: w}
	if err := s.create(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.wantLive(t.Context(), "2"); err == nil {
		t.Error("a wrong live value was no error")
	}
	w.Write("main.tf", `output "o" { value = "said" }`)
	if err := s.command(noChanges, nil, "plan", "-detailed-exitcode"); err == nil {
		t.Error("a wrong exit code was no error")
	}
	if err := s.command(changes, []string{"unsaid"}, "plan", "-detailed-exitcode"); err == nil {
		t.Error("a missing text was no error")
	}
	if err := s.command(changes, []string{"said"}, "plan", "-detailed-exitcode"); err != nil {
		t.Error(err)
	}
}

func TestIndenter(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	i := &indenter{w: &b}
	for _, chunk := range []string{"\n\nfir", "st\n\nsec", "ond \n\n", "last"} {
		if _, err := i.Write([]byte(chunk)); err != nil {
			t.Fatal(err)
		}
	}
	i.end()
	if want := "   first\n\n   second\n\n   last\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
