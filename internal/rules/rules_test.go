package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Each row is held against the sources, and nothing is run. Whether what an edit leaves compiles, the run tells.
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
		if says[r.Says] {
			t.Errorf("%s: there twice", r.Says)
		}
		says[r.Says] = true
		mutants, err := all.together([]table.Rule{r})
		if err != nil {
			t.Error(err)
			continue
		}
		for path, source := range mutants {
			if _, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution); err != nil {
				t.Errorf("%s: is no Go without it: %v", r.Says, err)
			}
		}
		if folders, err := all.folders(r); err != nil || len(folders) == 0 {
			t.Errorf("%s: no tests: %v", r.Says, err)
		}
		f, err := all.one(r.In)
		if err != nil {
			t.Fatal(err)
		}
		e, err := parseEdit(r.Edit)
		if err != nil {
			t.Fatal(err)
		}
		if named := slices.DeleteFunc(e.names(), func(name string) bool { return !f.locals()[name] }); len(named) > 0 {
			t.Errorf("%s: the edit does not survive that somebody renames the variables %v", r.Says, named)
		}
	}
}

// names are the names in a pattern that are not those of fields, or selected from something.
func (e edit) names() (names []string) {
	ast.PreorderStack(e.pattern, nil, func(n ast.Node, above []ast.Node) bool {
		name, isName := n.(*ast.Ident)
		if len(above) > 0 {
			switch parent := above[len(above)-1].(type) {
			case *ast.SelectorExpr:
				isName = isName && name != parent.Sel
			case *ast.KeyValueExpr:
				isName = isName && name != parent.Key
			}
		}
		if isName && !wildcard.MatchString(name.Name) {
			names = append(names, name.Name)
		}
		return true
	})
	return names
}

// locals are the names that a function gives to variables.
func (f *function) locals() map[string]bool {
	names := map[string]bool{}
	add := func(lists ...[]ast.Expr) {
		for _, x := range slices.Concat(lists...) {
			if name, ok := x.(*ast.Ident); ok {
				names[name.Name] = true
			}
		}
	}
	for n := range ast.Preorder(f.FuncDecl) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs)
			}
		case *ast.RangeStmt:
			add([]ast.Expr{n.Key, n.Value})
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		case *ast.Field:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		}
	}
	return names
}

const source = `package p

func (r *T) f(x int) int {
	if limit := x; limit > 0 && r.open(x) {
		r.log(x, limit)
		return x
	}
	switch {
	case x == 2, r.gets() || x < 0:
		r.log(2)
		return T{A: x, B: 1}.C
	}
	return x
}

func g() { h(2) }

func TestF() {}
`

func sourcesOf(t *testing.T, code string) sources {
	t.Helper()
	s := sources{}
	if err := s.add(token.NewFileSet(), "a_test.go", code); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEdits(t *testing.T) {
	t.Parallel()
	all := sourcesOf(t, source)
	for text, want := range map[string]string{ // what stands in the source, and what the edit puts there
		"never open":               "limit > 0 && r.open(x) ⇒ (false && (limit > 0 && r.open(x)))",
		"never C":                  "",
		"always r.log(a, b)":       "limit > 0 && r.open(x) ⇒ (true || (limit > 0 && r.open(x)))",
		"never a == 2":             "x == 2 ⇒ (false && (x == 2))",
		"skip b.log(2)":            "r.log(2) ⇒ if false {\nr.log(2)\n}",
		"skip log":                 "",
		"without open":             "r.open(x) ⇒ (true || (r.open(x)))",
		"without gets":             "r.gets() ⇒ (false && (r.gets()))",
		"without A":                "A: x,  ⇒ ",
		"without B":                ", B: 1 ⇒ ",
		"without a == 2":           "x == 2,  ⇒ ",
		"a > 0 -> a >= 0":          "limit > 0 ⇒ limit >= 0",
		"a.open(b) -> true":        "r.open(x) ⇒ (true || (r.open(x)))",
		"a.log(b, c) -> self.l(c)": "r.log(x, limit) ⇒ r.l(limit)",
		"a || b -> b && a":         "r.gets() || x < 0 ⇒ (x < 0) && r.gets()",
		"return a.C -> return 0":   "return T{A: x, B: 1}.C ⇒ return 0",
		"2 -> 3":                   "",
		"every 2 -> 3":             "x == 2 ⇒ x == 3 ⇒ r.log(2) ⇒ r.log(3)",
		"nothing":                  "",
		"never (":                  "",
	} {
		_, got, err := all.mutated(table.Rule{In: "p.T.f", Edit: text})
		whole := source[strings.Index(source, "{"):strings.Index(source, "\n\nfunc g")]
		for pair := range slices.Chunk(strings.Split(want, " ⇒ "), 2) {
			if len(pair) == 2 {
				whole = strings.Replace(whole, pair[0], pair[1], 1)
			}
		}
		if want != "" && (err != nil || got != whole) || want == "" && err == nil {
			t.Errorf("%s gives %s(%v), want\n%s", text, got, err, whole)
		}
	}
}

func TestSeveralRulesAreOutOfOneSource(t *testing.T) {
	t.Parallel()
	all := sourcesOf(t, "package p\n\nfunc f() int { return 1 }\n\nfunc g() { h(2) }\n")
	got, err := all.together([]table.Rule{{Says: "one", In: "p.f", Edit: "1 -> 10"}, {Says: "two", In: "p.g", Edit: "skip h"}})
	want := map[string]string{
		"a_test.go": "package p\n\nfunc f() int {\nif ruleOut == \"one\" {\n//line one:3\n{ return 10 }\npanic(`the function has no end`)\n}\n//line a_test.go:3\n" +
			" return 1 }\n\nfunc g() {\nif ruleOut == \"two\" {\n//line two:5\n{ if false {\nh(2)\n} }\nreturn\n}\n//line a_test.go:5\n h(2) }\n",
		"rule_out.go": "package p\n\nimport \"os\"\n\nvar ruleOut = os.Getenv(\"RULE_OUT\")\n",
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("it is\n%s\nwant\n%s(%v)", got, want, err)
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	got := pattern([]string{"TestA", "TestB/the_c(d)"})
	if want := `^TestA$|^TestB$/^the_c\(d\)$`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
