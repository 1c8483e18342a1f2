package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Code that moves must not leave its row behind: here all is held against the sources, and nothing is run.
func TestEveryRowNamesCodeAndTestsThatAreThere(t *testing.T) {
	t.Parallel()
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]map[string]bool{}
	says := map[string]bool{}
	for _, r := range table.All() {
		if says[r.Says] {
			t.Errorf("%s: there twice", r.Says)
		}
		says[r.Says] = true
		source, err := os.ReadFile(filepath.Join(root, r.File))
		if err != nil {
			t.Fatal(err)
		}
		mutant, err := mutate(r, source)
		if err != nil {
			t.Errorf("%s: %v", r.Says, err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), r.File, mutant, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: is no Go without it: %v", r.Says, err)
		}
		if r.Code == r.Without {
			t.Errorf("%s: nothing is taken out", r.Says)
		}
		if tests[r.Dir] == nil {
			tests[r.Dir] = testsIn(t, filepath.Join(root, r.Dir))
		}
		if len(r.Tests) == 0 {
			t.Errorf("%s: no test", r.Says)
		}
		for _, test := range r.Tests {
			if name, _, _ := strings.Cut(test, "/"); !tests[r.Dir][name] {
				t.Errorf("%s: %s has no %s", r.Says, r.Dir, name)
			}
		}
	}
}

func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files := os.DirFS(dir)
	paths, err := fs.Glob(files, "*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		source, err := fs.ReadFile(files, path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

func TestCodeIsTakenOutJustOnce(t *testing.T) {
	t.Parallel()
	r := table.Rule{File: "a.go", Code: "b", Without: "c"}
	for source, want := range map[string]string{"abd": "acd", "ad": "", "abdb": ""} {
		got, err := mutate(r, []byte(source))
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s gives %q, want %q (%v)", source, got, want, err)
		}
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	got := pattern([]string{"TestA", "TestB/the_c(d)"})
	if want := `^TestA$|^TestB$/^the_c\(d\)$`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSeveralRulesAreOutOfOneSource(t *testing.T) {
	t.Parallel()
	const source = "package p\n\nfunc f() int { return 1 }\n\nfunc g() { h(2) }\n\nconst c = 3\n"
	rules := []table.Rule{{Says: "one", Code: "return 1", Without: "return 10"}, {Says: "two", Code: "h(2)", Without: ""}}
	got, err := together([]byte(source), rules)
	const want = "package p\n\nfunc f() int {\nif ruleOut == \"one\" { return 10 \n} return 1 }\n\n" +
		"func g() {\nif ruleOut == \"two\" {  \nreturn\n} h(2) }\n\nconst c = 3\n"
	if string(got) != want || err != nil {
		t.Errorf("it is\n%s\nwant\n%s(%v)", got, want, err)
	}
	if _, err := together([]byte(source), []table.Rule{{Says: "three", Code: "c = 3", Without: "c = 4"}}); err == nil {
		t.Error("a rule is out that is in no function")
	}
}
