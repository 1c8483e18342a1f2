package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

const (
	planted    = "What sends a request is a call, that was not told anew."
	anew       = "Use 'again' instead of 'anew'. (cas.Words)"
	hasTold    = "Use 'report, show, know or distinguish' instead of 'told'. (cas.Words)"
	subject    = "Name the noun: do not begin a statement with What, Who, Whose, Whoever, Of, or a clause with That. (cas.Subject)"
	cleanGo    = "// Package p counts.\npackage p\n\n// Count returns a number.\nfunc Count() int { return 1 }\n"
	uncleanGo  = "// Package p counts.\npackage p\n\n// Count counts anew, see [Sum].\nfunc Count() int { return 1 }\n"
	staleEntry = "tools/prose/baseline.txt:1: remove the line, or run make prose-baseline: %s is clean, changed or missing"
)

func TestPlantedSentenceFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content string
		want    []string // positions and messages
	}{
		"page.md":      {"# Page\n\n" + planted + "\n", []string{"3:1: " + subject, "3:46: " + hasTold, "3:51: " + anew}},
		"page.md.tmpl": {"# Page\n\n" + planted + "\n", []string{"3:1: " + subject, "3:46: " + hasTold, "3:51: " + anew}},
		"doc.go":       {"package p\n\n// " + planted + "\n", []string{"3:4: " + subject, "3:49: " + hasTold, "3:54: " + anew}},
		"block.go": {"package p\n\n/*\n" + planted + "\n*/\n", []string{
			"4:1: " + subject, "4:46: " + hasTold, "4:51: " + anew,
		}},
		"trailing.go": {"package p\n\nvar x = 1 // " + planted + "\n", []string{
			"3:14: " + subject, "3:59: " + hasTold, "3:64: " + anew,
		}},
		"directive.go": {"package p\n\n//nolint:gosec // as told anew\nvar x = \"told anew\"\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			r.write(name, test.content)
			for i, line := range test.want {
				test.want[i] = name + ":" + line
			}
			r.check(test.want...)
		})
	}
}

// Comments at the ends of consecutive lines are separate sentences.
func TestTrailingCommentsAreSeparate(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	field := "\tfield%d int // a value that has a comment of several words\n"
	content := "package p\n\ntype fields struct {\n"
	for i := range 10 {
		content += fmt.Sprintf(field, i)
	}
	r.write("fields.go", content+"}\n")
	r.check()
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	const finding = "p.go:4:17: " + anew
	const changed = "p.go: its prose has changed, so the baseline does not accept it any more"
	stale := fmt.Sprintf(staleEntry, "p.go")
	for name, test := range map[string]struct {
		path, content string // of the file that replaces p.go
		want          []string
	}{
		"nothing changed": {"p.go", uncleanGo, nil},
		"code changed":    {"p.go", strings.Replace(uncleanGo, "return 1", "return 2", 1), nil},
		"renamed":         {"p.go", strings.NewReplacer("Count", "Size", "Sum", "Total").Replace(uncleanGo), nil},
		"wrapped":         {"p.go", strings.Replace(uncleanGo, "anew, ", "anew,\n// ", 1), nil},
		"moved":           {"q.go", uncleanGo, nil},
		"words changed":   {"p.go", strings.Replace(uncleanGo, "Package p", "Package p always", 1), []string{finding, changed, stale}},
		"cleaned":         {"p.go", cleanGo, []string{stale}},
		"deleted":         {"q.go", cleanGo, []string{stale}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			r.write("p.go", uncleanGo)
			r.accept("p.go")
			r.check()
			if err := os.Remove(filepath.Join(r.root, "p.go")); err != nil {
				t.Fatal(err)
			}
			r.write(test.path, test.content)
			r.check(test.want...)
		})
	}
}

// A copy of a listed file is a new file.
func TestBaselineDoesNotAcceptACopy(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.write("p.go", uncleanGo)
	r.accept("p.go")
	r.write("q.go", uncleanGo)
	r.check("q.go:4:17: " + anew)
}

func TestShrinkOnlyRemovesLines(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	for _, name := range []string{"cleaned", "changed", "moved", "same"} {
		r.write(name+".md", name+" anew\n")
		r.accept(name + ".md")
	}
	same := strings.Split(r.read(baselinePath), "\n")[3]
	moved := strings.ReplaceAll(strings.Split(r.read(baselinePath), "\n")[2], "moved.md", "target.md")
	r.write("cleaned.md", "cleaned again\n")
	r.write("changed.md", "changed anew, and more\n")
	r.write("new.md", "new anew\n")
	if err := os.Rename(filepath.Join(r.root, "moved.md"), filepath.Join(r.root, "target.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.run(true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(same+"\n"+moved+"\n", r.read(baselinePath)); diff != "" {
		t.Error(diff)
	}
	r.check("changed.md:1:9: "+anew, "new.md:1:5: "+anew)
}

// repository is a git repository with the prose rules and an empty baseline.
type repository struct {
	t    *testing.T
	root string
	vale string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	project, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	vale, err := toolchain.Path(t.Context(), "vale")
	if err != nil {
		t.Fatal(err)
	}
	if !toolchain.Executable(vale) {
		toolchain.Unavailable(t, fmt.Errorf("%s does not exist: make prose builds it", vale))
	}
	r := &repository{t: t, root: t.TempDir(), vale: vale}
	if err := os.CopyFS(filepath.Join(r.root, "tools/prose/styles"), os.DirFS(filepath.Join(project, "tools/prose/styles"))); err != nil {
		t.Fatal(err)
	}
	r.write(".vale.ini", toolchain.Text(t, project, ".vale.ini"))
	r.write(baselinePath, "")
	git := exec.CommandContext(t.Context(), "git", "init", "--quiet")
	git.Dir = r.root
	if output, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, output)
	}
	return r
}

func (r *repository) write(path, content string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.root, path), []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) read(path string) string {
	r.t.Helper()
	return toolchain.Text(r.t, r.root, path)
}

// accept adds a line with one finding to the baseline.
func (r *repository) accept(path string) {
	r.t.Helper()
	doc, err := read(path, []byte(r.read(path)))
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(baselinePath, r.read(baselinePath)+entry{doc.hash, 1, path}.String()+"\n")
}

func (r *repository) run(shrink bool) (string, error) {
	var out strings.Builder
	err := run(r.t.Context(), r.root, r.vale, shrink, &out)
	return out.String(), err
}

// check expects these problems, or success without any.
func (r *repository) check(want ...string) {
	r.t.Helper()
	out, err := r.run(false)
	if (err != nil) != (len(want) > 0) {
		r.t.Errorf("error: %v", err)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if diff := cmp.Diff(want, append([]string(nil), lines[:len(lines)-1]...)); diff != "" { // the last one is the summary
		r.t.Error(diff)
	}
}
