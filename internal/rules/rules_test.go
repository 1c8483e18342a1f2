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
	for _, r := range table() {
		if says[r.says] {
			t.Errorf("%s: there twice", r.says)
		}
		says[r.says] = true
		source, err := os.ReadFile(filepath.Join(root, r.file))
		if err != nil {
			t.Fatal(err)
		}
		mutant, err := r.mutate(source)
		if err != nil {
			t.Errorf("%s: %v", r.says, err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), r.file, mutant, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: is no Go without it: %v", r.says, err)
		}
		if r.code == r.without {
			t.Errorf("%s: nothing is taken out", r.says)
		}
		if tests[r.dir] == nil {
			tests[r.dir] = testsIn(t, filepath.Join(root, r.dir))
		}
		if len(r.tests) == 0 {
			t.Errorf("%s: no test", r.says)
		}
		for _, test := range r.tests {
			if name, _, _ := strings.Cut(test, "/"); !tests[r.dir][name] {
				t.Errorf("%s: %s has no %s", r.says, r.dir, name)
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
	r := rule{file: "a.go", code: "b", without: "c"}
	for source, want := range map[string]string{"abd": "acd", "ad": "", "abdb": ""} {
		got, err := r.mutate([]byte(source))
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
	rules := []rule{{says: "one", code: "return 1", without: "return 10"}, {says: "two", code: "h(2)", without: ""}}
	got, err := together([]byte(source), rules)
	const want = "package p\n\nfunc f() int {\nif ruleOut == \"one\" { return 10 \n} return 1 }\n\n" +
		"func g() {\nif ruleOut == \"two\" {  \nreturn\n} h(2) }\n\nconst c = 3\n"
	if string(got) != want || err != nil {
		t.Errorf("it is\n%s\nwant\n%s(%v)", got, want, err)
	}
	if _, err := together([]byte(source), []rule{{says: "three", code: "c = 3", without: "c = 4"}}); err == nil {
		t.Error("a rule is out that is in no function")
	}
}
