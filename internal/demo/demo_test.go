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

// TestMain runs the demo instead of the tests if DEMO_TEST_CHILD is set.
func TestMain(m *testing.M) {
	if os.Getenv("DEMO_TEST_CHILD") != "" {
		main()
		os.Exit(0)
	}
	testcluster.Main(m, testcli.Cleanup)
}

// demo is a process that runs the demo, with a temporary folder of its own.
type demo struct {
	*exec.Cmd
	out *bufio.Scanner
	tmp string
	all strings.Builder
}

func start(t *testing.T, args ...string) *demo {
	t.Helper()
	testcli.New(t) // skips the test without a command line
	provider, err := testcli.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return launch(t, append([]string{"-provider", provider}, args...)...)
}

func launch(t *testing.T, args ...string) *demo {
	t.Helper()
	testcluster.Shared(t) // skips the test without a control plane
	d := &demo{Cmd: exec.CommandContext(t.Context(), os.Args[0], args...), tmp: t.TempDir()}
	elsewhere := filepath.Join(t.TempDir(), "kubeconfig")
	d.Env = append(os.Environ(), "DEMO_TEST_CHILD=1", "TMPDIR="+d.tmp,
		"KUBECONFIG="+elsewhere, "TF_VAR_value=from the shell")
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

// until reads the output of the demo up to the line that matches.
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

// end waits for the end of the demo, and fails the test unless all processes have ended and the temporary folder, with
// the data of etcd, is empty.
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

// endsOn sends the signal, and fails the test unless the process prints the text and ends with the exit code.
func (d *demo) endsOn(t *testing.T, signal os.Signal, wantCode int, text string) {
	t.Helper()
	if err := d.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if exitCode, output := d.end(t); exitCode != wantCode || !strings.Contains(output, text) {
		t.Errorf("exit code %d:\n%s", exitCode, output)
	}
}

// processes lists the processes whose command line contains the name of the folder.
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
	order := regexp.MustCompile(`(?s)Starting etcd.*"created" refers.*1 to add.*No changes.*Compare-And-Swap Conflict.*` +
		`Value Changed Since Last Apply.*No changes.*Done.*Stopping etcd`)
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
	w.Write("main.tf", "locals {}")
	s := &stage{maps: c.Client().CoreV1().ConfigMaps(c.Namespace(t))}
	if err := s.create(t.Context(), "testmap", "foo", "1"); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		step  step
		fails bool
	}{
		"as expected":        {step: step{command: "plan", wants: "No changes.", live: "1"}},
		"another live value": {step: step{command: "plan", live: "2"}, fails: true},
		"a missing text":     {step: step{command: "plan", wants: "1 to add"}, fails: true},
		"no refusal":         {step: step{command: "plan", refused: true}, fails: true},
		"a refusal":          {step: step{command: "plan -var=unknown=1"}, fails: true},
	} {
		err := s.perform(t.Context(), w, scene{configMap: "testmap", key: "foo"}, test.step)
		if (err != nil) != test.fails {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
