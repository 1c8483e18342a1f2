// Package guides holds the guides to what they say: its tests follow them word by word, on a real API server.
package guides

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	_ "github.com/terraform-cas/terraform-provider-cas/internal/provider" // is built apart: no cached result may outlive a change of it
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

func TestMain(m *testing.M) { testcluster.Main(m, testcli.Cleanup) }

// followed are the guides that are walked through from top to bottom, each in a folder and a home of its own, and all in
// the namespace default, as a reader does. The number counts the commands of each, so that none is passed over.
var followed = map[string]int{
	"getting-started": 16,
	"lock":            31,
	"saved-plans":     10,
	"several-writers": 14,
}

func TestGuides(t *testing.T) {
	t.Parallel()
	maps := testcluster.Shared(t).Client().CoreV1().ConfigMaps(metav1.NamespaceDefault)
	t.Cleanup(func() { // when all have ended, and the test's context with them
		left, err := maps.List(context.WithoutCancel(t.Context()), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, cm := range left.Items {
			t.Errorf("the guides leave the ConfigMap %s behind", cm.Name)
		}
	})
	for name, commands := range followed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("..", "..", "docs", "guides", name+".md"))
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := testcli.Blocks(string(content))
			if err != nil {
				t.Fatal(err)
			}
			r := newReader(t, string(content))
			for _, block := range blocks {
				r.follow(block)
			}
			if r.failed {
				t.Errorf("the guide does not say that this fails:\n%s", r.output)
			}
			if r.commands != commands {
				t.Errorf("the guide has %d commands, want %d", r.commands, commands)
			}
		})
	}
}

// reader is somebody who does what a guide says.
type reader struct {
	*testing.T
	cli      *testcli.Workspace
	file     string // that the guide named last
	commands int
	output   string // of the last command
	failed   bool
}

// newReader is somebody for whom the provider is installed already, or, where the guide says how to install it, is not.
func newReader(t *testing.T, guide string) *reader {
	t.Helper()
	r := &reader{T: t, cli: testcli.NewHome(t, testcli.New(t).CLI, testcluster.Shared(t).Config)}
	if !strings.Contains(guide, "make install") {
		r.cli.Install()
	}
	return r
}

var fileName = regexp.MustCompile("`([\\w./-]+\\.tf)`")

func (r *reader) follow(b testcli.Block) {
	r.Helper()
	if b.Language != "text" && r.failed {
		r.Fatalf("the guide does not say that this fails:\n%s", r.output)
	}
	switch b.Language {
	case "terraform":
		if names := fileName.FindAllStringSubmatch(b.Before, -1); names != nil {
			r.file = filepath.Join(r.cli.Dir, names[len(names)-1][1])
		}
		r.write(b.Text)
	case "shell":
		for line := range strings.Lines(b.Text) {
			r.run(strings.TrimSpace(line))
		}
	case "text":
		r.compare(b.Text)
	default:
		r.Fatalf("nobody knows what to do with a block of %s:\n%s", b.Language, b.Text)
	}
}

// write makes the file that the guide named last, or changes the block or the lines of it that the guide shows.
func (r *reader) write(text string) {
	r.Helper()
	if !strings.Contains(text, "terraform {") {
		content, err := os.ReadFile(r.file)
		if err != nil {
			r.Fatal(err)
		}
		changed := string(content)
		replace := func(old, shown string) {
			at := regexp.MustCompile(old).FindAllStringIndex(changed, -1)
			if len(at) != 1 {
				r.Fatalf("%s has %d places for\n%s", r.file, len(at), shown)
			}
			changed = changed[:at[0][0]] + shown + changed[at[0][1]:]
		}
		if head, _, found := strings.Cut(text, "{\n"); found {
			replace(`(?ms)^`+regexp.QuoteMeta(head)+`\{$.*?^\}\n`, text)
		} else {
			for line := range strings.Lines(text) {
				name, _, _ := strings.Cut(line, "=")
				replace(`(?m)^ *`+regexp.QuoteMeta(strings.TrimSpace(name))+` *=.*\n`, line)
			}
		}
		text = changed
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(r.file), 0o700), os.WriteFile(r.file, []byte(text), 0o600)); err != nil {
		r.Fatal(err)
	}
}

// run runs a command as a shell does: make in the repository, all else where the guide is. That one fails is for the guide to say.
func (r *reader) run(command string) {
	r.Helper()
	if r.failed {
		r.Fatalf("the guide goes on with %q after what failed:\n%s", command, r.output)
	}
	r.commands++
	if folder, changes := strings.CutPrefix(command, "cd "); changes {
		r.cli.Dir = filepath.Join(r.cli.Dir, folder)
		return
	}
	if command == "make playground" {
		r.play(command)
		return
	}
	if strings.HasPrefix(command, "make ") {
		command = r.inRepository(command)
	}
	result := r.cli.Shell(command)
	r.output, r.failed = result.Stdout, result.ExitCode != 0
	r.Logf("$ %s\n%s", command, r.output)
}

// play runs make playground in a second terminal until the test ends: its context then sends what Ctrl-C does.
func (r *reader) play(command string) {
	r.Helper()
	folder := filepath.Join(r.cli.Dir, "playground")
	r.cli.Setenv("PLAYGROUND", folder)
	screen := &screen{until: "Ctrl-C", reached: make(chan struct{})}
	r.cli.Output = screen
	second := r.cli.StartShell(r.inRepository(command))
	r.cli.Output = nil
	ended := make(chan testcli.Result, 1)
	go func() { ended <- second.Wait() }()
	select {
	case <-screen.reached:
		r.output = screen.String()
	case result := <-ended:
		r.Fatalf("%s ended:\n%s", command, result.Stdout)
	}
	r.Cleanup(func() {
		result := <-ended
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			r.Errorf("the folder is still there: %v\n%s", err, result.Stdout)
		}
	})
}

// screen is the output of a command so far.
type screen struct {
	mu      sync.Mutex
	all     strings.Builder
	until   string
	reached chan struct{} // is closed when until was printed
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := strings.Contains(s.all.String(), s.until)
	s.all.Write(p)
	if !before && strings.Contains(s.all.String(), s.until) {
		close(s.reached)
	}
	return len(p), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// inRepository is a script that runs a make in the repository, which has the reader's home and the caches of the user who runs the test.
func (r *reader) inRepository(command string) string {
	r.Helper()
	root, err := toolchain.Root()
	if err != nil {
		r.Fatal(err)
	}
	for _, file := range []string{"GNUmakefile", "tools/install.sh"} { // no cached result may outlive a change of them
		toolchain.Text(r.T, root, file)
	}
	var script strings.Builder
	for _, entry := range makeEnv(r.T) {
		fmt.Fprintf(&script, "export '%s'\n", entry)
	}
	fmt.Fprintf(&script, "cd '%s'\n%s\n", root, command)
	return script.String()
}

// compare looks for the text of the guide in the output of the last command: all of it, in order; "..." marks an omission.
func (r *reader) compare(text string) {
	r.Helper()
	if shown := strings.Contains(text, "Error:"); shown != r.failed {
		r.Fatalf("failed: %t; the guide shows\n%s\nprinted was\n%s", r.failed, text, r.output)
	}
	r.failed = false
	if !testcli.Shows(text, r.output) {
		r.Fatalf("the guide shows\n%s\nbut printed was\n%s", text, r.output)
	}
}
