package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Each row is looked up in the sources, and nothing is run. Whether the compiler takes what an edit leaves, make rules tells.
func TestEveryRowNamesAFunctionAnEditAndTests(t *testing.T) {
	t.Parallel()
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	all, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	says := map[string]bool{}
	for _, r := range table.All() {
		mutants, err := all.together([]table.Rule{r})
		if err != nil || says[r.Says] {
			t.Errorf("%s: there twice, or %v", r.Says, err)
			continue
		}
		says[r.Says] = true
		for path, code := range mutants {
			if _, err := parser.ParseFile(token.NewFileSet(), path, code, parser.SkipObjectResolution); err != nil {
				t.Errorf("%s: is no Go without it: %v", r.Says, err)
			}
		}
		if folders, err := all.folders(r); err != nil || len(folders) == 0 {
			t.Errorf("%s: no tests: %v", r.Says, err)
		}
		f, _, _ := all.mutated(r)
		e, _ := parseEdit(r.Edit)
		fields := map[ast.Node]bool{}
		for n := range ast.Preorder(e.pattern) {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				fields[n.Sel] = true
			case *ast.KeyValueExpr:
				fields[n.Key] = true
			case *ast.Ident:
				if !fields[n] && !wildcard.MatchString(n.Name) && variables(f)[n.Name] {
					t.Errorf("%s: %s is a variable of %s: a letter can stand for it", r.Says, n.Name, r.In)
				}
			}
		}
	}
}

// variables are the names of a function's parameters and variables.
func variables(f *function) map[string]bool {
	names := map[string]bool{}
	again, _ := parser.ParseFile(token.NewFileSet(), "", "package p; "+f.text(f.FuncDecl), 0)
	for n := range ast.Preorder(again) {
		if name, ok := n.(*ast.Ident); ok && name.Obj != nil && name.Obj.Kind == ast.Var {
			names[name.Name] = true
		}
	}
	return names
}

func TestEdits(t *testing.T) {
	t.Parallel()
	const body = `{
	if limit := x; limit > 0 && r.open(x) {
		return x
	} else {
		r.close()
	}
	switch {
	case x == 2, r.full() || x < y:
		r.log(2)
		return T{A: x, B: 1}.C
	}
	r.log(x, limit, func() { r.end(x...) })
	if x == 7 {
		if r.odd() {} else { r.other() }
		for r.next() { r.step() }
		for range r.all() {}
		select { case <-r.done: r.sent() }
		switch { case x == 1, x == 3: r.one(); default: r.none() }
		go func() { r.alone(); var _ = r.value() }()
	}
}`
	all := sourcesOf(t, "package p\n\nfunc (r *T[K]) f(x int) int "+body)
	edits := map[string]string{ // the source before ⇒ the source after
		"never open":                 "limit > 0 && r.open(x) ⇒ (false && (limit > 0 && r.open(x)))",
		"always return a":            "limit > 0 && r.open(x) ⇒ (true || (limit > 0 && r.open(x)))",
		"never a == 2":               "x == 2 ⇒ (false && (x == 2))",
		"skip a.log(2)":              "r.log(2) ⇒ if false {\nr.log(2)\n}",
		"skip end":                   "r.end(x...) ⇒ if false {\nr.end(x...)\n}",
		"skip a.log(b)":              "r.log(2) ⇒ if false {\nr.log(2)\n}",
		"skip limit":                 "r.log(x, limit, func() { r.end(x...) }) ⇒ if false {\nr.log(x, limit, func() { r.end(x...) })\n}",
		"without open":               "r.open(x) ⇒ (true || (r.open(x)))",
		"without full":               "r.full() ⇒ (false && (r.full()))",
		"without A":                  "A: x,  ⇒ ",
		"without B":                  ", B: 1 ⇒ ",
		"without a == 2":             "x == 2,  ⇒ ",
		"a > 0 -> a >= 0":            "limit > 0 ⇒ limit >= 0",
		"a.open(b) -> true":          "r.open(x) ⇒ (true || (r.open(x)))",
		"a.log(b, c, d) -> self.end": "r.log(x, limit, func() { r.end(x...) }) ⇒ r.end",
		"a || b -> b && a":           "r.full() || x < y ⇒ (x < y) && r.full()",
		"return a.C -> return 0":     "return T{A: x, B: 1}.C ⇒ return 0",
		"every 2 -> 3":               "x == 2 ⇒ x == 3 ⇒ r.log(2) ⇒ r.log(3)",
	}
	for _, refused := range []string{
		"never close", "never C", "skip a.end(b)", "skip log", "a < a -> a", "2 -> 3", "nothing", "never (", "never a; b", "a == 2 -> b", "a == 2 -> a == r",
		"never other", "never step", "always next", "never all", "never done", "never sent", "always one", "never none", "never alone", "skip value",
	} {
		edits[refused] = ""
	}
	for text, want := range edits {
		_, got, err := all.mutated(table.Rule{In: "p.T.f", Edit: text})
		wanted := body
		for pair := range slices.Chunk(strings.Split(want, " ⇒ "), 2) {
			if len(pair) == 2 {
				wanted = strings.Replace(wanted, pair[0], pair[1], 1)
			}
		}
		if want != "" && (err != nil || got != wanted) || want == "" && err == nil {
			t.Errorf("%s gives %s(%v), want\n%s", text, got, err, wanted)
		}
	}
}

func sourcesOf(t *testing.T, files ...string) sources {
	t.Helper()
	s := sources{}
	for i, code := range files {
		if err := s.add(token.NewFileSet(), fmt.Sprintf("%d/a_test.go", i), code); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestFoldersOfTests(t *testing.T) {
	t.Parallel()
	all := sourcesOf(t, "package p\n\nfunc TestA() {}\n\nfunc TestB() {}\n", "package q_test\n\nfunc TestB() {}\n")
	got, err := all.folders(table.Rule{Tests: []string{"TestA/x", "q.TestB/y"}}, table.Rule{Tests: []string{"TestA/x"}})
	if want := map[string][]string{"0": {"TestA/x"}, "1": {"TestB/y"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
	for _, test := range []string{"TestB", "TestC"} {
		if got, err := all.folders(table.Rule{Tests: []string{test}}); err == nil {
			t.Errorf("%s is found in %v", test, got)
		}
	}
}

// A module is made of a function and of a test that ends in many ways, and the tool is run on it.
func TestRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for path, code := range map[string]string{
		"go.mod":          "module m\n\ngo 1.26\n",
		"internal/p/p.go": "package p\n\nimport \"os\"\n\nfunc f() int { return 1 }\n\nfunc end() error { return os.ErrExist }\n",
		"internal/p/p_test.go": `package p

import ("os"; "testing")

func Test(t *testing.T) {
	t.Log("this is a log")
	map[int]func(){
		1: func() { t.Run("a (b)", func(t *testing.T) {}) }, 2: func() { t.Error("this is two") }, 3: func() { t.Fatal("no API server:", "three") },
		4: func() { panic("four") }, 5: func() { t.Skip("five") }, 6: func() {},
	}[f()]()
}

func TestServer(t *testing.T) {
	if _, err := os.Stat("died"); end() == nil || err == nil { t.Error("the server died") }
}`,
	} {
		path = filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(code), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	tool := func(rules ...table.Rule) string {
		var out strings.Builder
		err := run(t.Context(), &out, root, 1, rules)
		return fmt.Sprint(out.String(), err)
	}
	one := func(says, edit string, tests ...string) table.Rule {
		return table.Rule{Says: says, In: "p.f", Edit: edit, Tests: tests}
	}
	for want, r := range map[string]table.Rule{
		"are not there: Test/c\n":           one("no subtest", "1 -> 2", "Test/c"),
		"no such name:5: undefined: absent": one("no such name", "1 -> absent", "Test"),
	} {
		if said := tool(r); !strings.Contains(said, want) || strings.Contains(said, "ok  ") {
			t.Errorf("%s is not in:\n%s", want, said)
		}
	}
	said := tool(one("two", "1 -> 2", "Test"), one("three", "1 -> 3", "Test"), one("four", "1 -> 4", "Test"), one("five", "1 -> 5", "Test"),
		one("six", "1 -> 6", "Test/a_(b)"), one("seven", "1 -> 6", "Test"),
		table.Rule{Says: "the last", In: "p.end", Edit: `os.ErrExist -> os.WriteFile("died", nil, 0o600)`, Tests: []string{"TestServer"}})
	for _, want := range []string{
		`ok        p\.f: two \(\d+ s\): p_test\.go:8: this is two\n`, `BROKEN    p\.f: three `, `BROKEN    p\.f: four `, `BROKEN    p\.f: five `, `BROKEN    p\.f: six `,
		`SURVIVED  p\.f: seven \(\d+ s\): without it these pass: Test\n`, `ok        p\.end: the last `, `2 of 7 rules `,
		`with every rule in place, these do not pass, or are not there: TestServer\n`,
	} {
		if !regexp.MustCompile("(?m)^" + want).MatchString(said) {
			t.Errorf("%s is not in:\n%s", want, said)
		}
	}
}
