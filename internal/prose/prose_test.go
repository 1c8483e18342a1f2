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
	planted = "What sends a request is a call, that was not told anew."
	anew    = "Use 'again' instead of 'anew'. (cas.Words)"
	hasTold = "Use 'report, show, know or distinguish' instead of 'told'. (cas.Words)"
	subject = "Name the noun: do not begin a statement with What, Who, Whose, Whoever, Of, or a clause with That. (cas.Subject)"
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

// repository is a git repository with the prose rules.
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

// check expects these problems, or success without any.
func (r *repository) check(want ...string) {
	r.t.Helper()
	var printed strings.Builder
	err := run(r.t.Context(), r.root, r.vale, &printed)
	if (err != nil) != (len(want) > 0) {
		r.t.Errorf("error: %v", err)
	}
	lines := strings.Split(strings.TrimSuffix(printed.String(), "\n"), "\n")
	if diff := cmp.Diff(want, append([]string(nil), lines[:len(lines)-1]...)); diff != "" { // the last one is the summary
		r.t.Error(diff)
	}
}
