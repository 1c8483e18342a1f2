package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
)

// sources are functions by their names: package.Function and package.Type.Method; a test has also its own alone.
type sources map[string][]*function

type function struct {
	*ast.FuncDecl
	*file
}

type file struct {
	path, in string // in: the package
	code     string
	tokens   *token.File
}

// load reads all that is under internal/.
func load(root string) (sources, error) {
	s, positions, files := sources{}, token.NewFileSet(), os.DirFS(root)
	return s, fs.WalkDir(files, "internal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		code, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return s.add(positions, filepath.Join(root, path), string(code))
	})
}

func (s sources) add(positions *token.FileSet, path, code string) error {
	syntax, err := parser.ParseFile(positions, path, code, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	of := &file{path, syntax.Name.Name, code, positions.File(syntax.FileStart)}
	for _, decl := range syntax.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil { // *Keys[M, P] is Keys
			of, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*"), "[")
			name = of + "." + name
		} else if strings.HasSuffix(path, "_test.go") {
			s[name] = append(s[name], &function{f, of})
		}
		name = strings.TrimSuffix(of.in, "_test") + "." + name
		s[name] = append(s[name], &function{f, of})
	}
	return nil
}

func (s sources) one(name string) (*function, error) {
	if n := len(s[name]); n != 1 {
		return nil, fmt.Errorf("there are %d functions %s, not one", n, name)
	}
	return s[name][0], nil
}

// folders maps each folder that has tests of the rules to the names of these tests. No name is there twice.
func (s sources) folders(rules ...table.Rule) (map[string][]string, error) {
	folders := map[string][]string{}
	for _, r := range rules {
		for _, test := range r.Tests {
			name, _, _ := strings.Cut(test, "/")
			f, err := s.one(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Says, err)
			}
			folder, test := filepath.Dir(f.path), strings.TrimPrefix(test, strings.TrimSuffix(f.in, "_test")+".")
			if !slices.Contains(folders[folder], test) {
				folders[folder] = append(folders[folder], test)
			}
		}
	}
	return folders, nil
}

// mutated is the function that has a rule, and its body without it.
func (s sources) mutated(r table.Rule) (f *function, body string, err error) {
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

// together is the source of each file that has rules, by its path, in which each of them is out where RULE_OUT names it: the function begins with
// its whole body once more, without the rule. What the compiler says of that is at a line of the rule's name.
func (s sources) together(rules []table.Rule) (map[string]string, error) {
	bodies, result := map[*file]map[int]string{}, map[string]string{}
	for _, r := range rules {
		f, body, err := s.mutated(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %q: %w", r.Says, r.In, r.Edit, err)
		}
		end, line := "panic(`the function has no end`)", f.tokens.Line(f.Body.Pos())
		if f.Type.Results == nil {
			end = "return"
		}
		if bodies[f.file] == nil {
			bodies[f.file] = map[int]string{}
		}
		bodies[f.file][f.offset(f.Body.Pos())+1] += fmt.Sprintf("\nif ruleOut == %q {\n//line %[1]s:%[2]d\n%[3]s\n%[4]s\n}\n//line %[5]s:%[2]d\n",
			r.Says, line, body, end, filepath.Base(f.path))
	}
	for f, all := range bodies {
		code := f.code
		for _, at := range slices.Backward(slices.Sorted(maps.Keys(all))) {
			code = code[:at] + all[at] + code[at:]
		}
		result[f.path] = code
		result[filepath.Join(filepath.Dir(f.path), "rule_out.go")] = fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar ruleOut = os.Getenv(%q)\n", f.in, ruleOut)
	}
	return result, nil
}

func (f *file) offset(at token.Pos) int { return f.tokens.Offset(at) }

func (f *file) text(n ast.Node) string { return f.code[f.offset(n.Pos()):f.offset(n.End())] }

func (f *file) replace(n ast.Node, text string) change {
	return change{f.offset(n.Pos()), f.offset(n.End()), text}
}

// remove leaves one of a list out, with the comma behind it, or else with that before it.
func (f *file) remove(list []ast.Expr, i int) change {
	from, to := list[i].Pos(), list[i].End()
	if i+1 < len(list) {
		to = list[i+1].Pos()
	} else if i > 0 {
		from = list[i-1].End()
	}
	return change{f.offset(from), f.offset(to), ""}
}
