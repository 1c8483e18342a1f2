package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
)

// sources are the functions under internal/ by their names: package.Function, package.Type.Method, and those of tests also without their package.
type sources map[string][]*function

// function is one of the sources.
type function struct {
	*ast.FuncDecl
	*file
}

// file is a file of the sources.
type file struct {
	path    string
	code    string
	syntax  *ast.File
	offsets *token.File
}

// load reads all that is under internal/, but for modules of their own.
func load(root string) (sources, error) {
	s, positions := sources{}, token.NewFileSet()
	top := filepath.Join(root, "internal")
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		case filepath.Ext(path) != ".go":
			return nil
		}
		code, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return s.add(positions, path, string(code))
	})
	return s, err
}

func (s sources) add(positions *token.FileSet, path, code string) error {
	syntax, err := parser.ParseFile(positions, path, code, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	of := &file{path, code, syntax, positions.File(syntax.FileStart)}
	for _, decl := range syntax.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		name := strings.TrimSuffix(syntax.Name.Name, "_test") + "."
		if f.Recv != nil {
			name += typeName(f.Recv.List[0].Type) + "."
		}
		names := []string{name + f.Name.Name}
		if f.Recv == nil && strings.HasSuffix(path, "_test.go") {
			names = append(names, f.Name.Name)
		}
		for _, name := range names {
			s[name] = append(s[name], &function{f, of})
		}
	}
	return nil
}

// typeName is the name of a receiver's type.
func typeName(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// one is the function of a name.
func (s sources) one(name string) (*function, error) {
	if n := len(s[name]); n != 1 {
		return nil, fmt.Errorf("there are %d functions %s, not one", n, name)
	}
	return s[name][0], nil
}

// folders are the tests of a rule by the folders that have them.
func (s sources) folders(r table.Rule) (map[string][]string, error) {
	folders := map[string][]string{}
	for _, test := range r.Tests {
		name, _, _ := strings.Cut(test, "/")
		f, err := s.one(name)
		if err != nil {
			return nil, err
		}
		folder := filepath.Dir(f.path)
		folders[folder] = append(folders[folder], test[strings.Index(test, f.Name.Name):]) // without the package
	}
	return folders, nil
}

// without is the function that a rule names, and its body without the rule.
func (s sources) without(r table.Rule) (f *function, body string, err error) {
	if f, err = s.one(r.In); err != nil {
		return nil, "", err
	}
	e, err := parseEdit(r.Edit)
	if err != nil {
		return nil, "", err
	}
	body, err = e.body(f)
	return f, body, err
}

// ruleOut is the environment variable that names the rule that a build goes without.
const ruleOut = "RULE_OUT"

// together is the source of each file that rules are in, by its path, in which each rule is out where RULE_OUT names it: the function begins
// with its whole body once more, without the rule, and errors of the compiler about that are at the name of the rule.
func (s sources) together(rules []table.Rule) (map[string]string, error) {
	type addition struct {
		at   int
		text string
	}
	additions, result := map[*file][]addition{}, map[string]string{}
	for _, r := range rules {
		f, body, err := s.without(r)
		if err != nil {
			return nil, fmt.Errorf("%s: in %s, %q: %w", r.Says, r.In, r.Edit, err)
		}
		end := "panic(`the function has no end`)"
		if f.Type.Results == nil {
			end = "return"
		}
		line := f.offsets.Line(f.Body.Lbrace)
		additions[f.file] = append(additions[f.file], addition{f.offset(f.Body.Lbrace) + 1, fmt.Sprintf(
			"\nif ruleOut == %q {\n//line %[1]s:%[2]d\n%[3]s\n%[4]s\n}\n//line %[5]s:%[2]d\n", r.Says, line, body, end, filepath.Base(f.path))})
	}
	for f, list := range additions {
		slices.SortStableFunc(list, func(a, b addition) int { return cmp.Compare(a.at, b.at) })
		var out strings.Builder
		at := 0
		for _, a := range list {
			out.WriteString(f.code[at:a.at] + a.text)
			at = a.at
		}
		result[f.path] = out.String() + f.code[at:]
		result[filepath.Join(filepath.Dir(f.path), "rule_out.go")] = fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar ruleOut = os.Getenv(%q)\n", f.syntax.Name, ruleOut)
	}
	return result, nil
}

func (f *file) offset(at token.Pos) int { return f.offsets.Offset(at) }

func (f *file) text(n ast.Node) string { return f.code[f.offset(n.Pos()):f.offset(n.End())] }

func (f *file) replace(n ast.Node, text string) change {
	return change{f.offset(n.Pos()), f.offset(n.End()), text}
}

// remove leaves one of a list out, with the comma behind it, or that before it.
func (f *file) remove(list []ast.Node, i int) change {
	switch n := list[i]; {
	case i+1 < len(list):
		return change{f.offset(n.Pos()), f.offset(list[i+1].Pos()), ""}
	case i > 0:
		return change{f.offset(list[i-1].End()), f.offset(n.End()), ""}
	default:
		return f.replace(n, "")
	}
}
