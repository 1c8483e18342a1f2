package provider

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// summary is what a diagnostic of the provider can be called, how severe it is, and the file that makes it.
type summary struct {
	text     string
	severity diag.Severity
	file     string
}

// makers are what makes a diagnostic, and which argument its summary is.
var makers = map[string]struct {
	severity diag.Severity
	argument int
}{
	"NewErrorDiagnostic": {diag.SeverityError, 0}, "NewAttributeErrorDiagnostic": {diag.SeverityError, 1},
	"NewWarningDiagnostic": {diag.SeverityWarning, 0}, "NewAttributeWarningDiagnostic": {diag.SeverityWarning, 1},
	"AddError": {diag.SeverityError, 0}, "AddAttributeError": {diag.SeverityError, 1},
	"AddWarning": {diag.SeverityWarning, 0}, "AddAttributeWarning": {diag.SeverityWarning, 1},
}

// origin is an expression, and which of its values where it is a call.
type origin struct {
	ast.Expr
	result int
}

// program is the source of the package, and where its variables get their values from.
type program struct {
	*testing.T
	fset    *token.FileSet
	files   []*ast.File
	info    *types.Info
	origins map[types.Object][]origin     // of variables, parameters and fields of structs
	returns map[types.Object][][]ast.Expr // of functions
}

// summaries finds every summary that the package's code can make. A summary that it cannot tell fails the test.
func summaries(t *testing.T) (found []summary) {
	t.Helper()
	p := parse(t)
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fun, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := makers[fun.Sel.Name]; ok {
				for _, text := range p.values(origin{call.Args[of.argument], 0}, nil) {
					if s := (summary{text, of.severity, filepath.Base(p.fset.Position(call.Pos()).Filename)}); text != "" && !slices.Contains(found, s) {
						found = append(found, s)
					}
				}
			}
			return true
		})
	}
	if len(found) < 50 {
		t.Errorf("found only %d summaries: %v", len(found), found)
	}
	return found
}

// importsNothing leaves the types of other packages open: what the package itself has resolves all the same.
type importsNothing struct{}

func (importsNothing) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

func parse(t *testing.T) *program {
	t.Helper()
	p := &program{
		T: t, fset: token.NewFileSet(), origins: map[types.Object][]origin{}, returns: map[types.Object][][]ast.Expr{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
		},
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(p.fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.files = append(p.files, file)
	}
	config := types.Config{Importer: importsNothing{}, Error: func(error) {}}
	_, _ = config.Check("provider", p.fset, p.files, p.info) // what it does not know of other packages is no fault
	for _, file := range p.files {
		ast.Inspect(file, p.collect)
	}
	return p
}

// object is what an expression names, nil where that is nothing of the package's.
func (p *program) object(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		if def := p.info.Defs[e]; def != nil {
			return def
		}
		return p.info.Uses[e]
	case *ast.SelectorExpr:
		return p.info.Uses[e.Sel]
	default:
		return nil
	}
}

// collect notes where variables, parameters and fields get their values from, and what functions return.
func (p *program) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		p.assign(n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		p.assign(expressions(n.Names), n.Values)
	case *ast.FuncDecl:
		p.function(p.info.Defs[n.Name], n.Body)
	case *ast.CallExpr:
		for i, argument := range n.Args {
			if param := p.parameter(n.Fun, i); param != nil {
				p.origins[param] = append(p.origins[param], origin{argument, 0})
			}
		}
	case *ast.CompositeLit:
		p.literal(n)
	}
	return true
}

func expressions(names []*ast.Ident) (all []ast.Expr) {
	for _, name := range names {
		all = append(all, name)
	}
	return all
}

func (p *program) assign(to, from []ast.Expr) {
	for i, variable := range to {
		of := p.object(variable)
		if of == nil {
			continue
		}
		switch {
		case len(from) == len(to):
			p.origins[of] = append(p.origins[of], origin{from[i], 0})
			if function, ok := from[i].(*ast.FuncLit); ok {
				p.function(of, function.Body)
			}
		case len(from) == 1:
			p.origins[of] = append(p.origins[of], origin{from[0], i})
		}
	}
}

// function notes what a function returns, those within it left out.
func (p *program) function(of types.Object, body *ast.BlockStmt) {
	if of == nil || body == nil {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			p.returns[of] = append(p.returns[of], n.Results)
		}
		return true
	})
}

// parameter is a function's parameter that an argument is for, nil where the function is not the package's.
func (p *program) parameter(fun ast.Expr, i int) types.Object {
	of := p.object(fun)
	if of == nil {
		return nil
	}
	signature, ok := of.Type().(*types.Signature)
	if !ok || i >= signature.Params().Len() {
		return nil
	}
	return signature.Params().At(i)
}

func (p *program) literal(n *ast.CompositeLit) {
	of := p.object(n.Type)
	if of == nil {
		return
	}
	structure, ok := of.Type().Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			field := p.object(pair.Key)
			p.origins[field] = append(p.origins[field], origin{pair.Value, 0})
			continue
		}
		p.origins[structure.Field(i)] = append(p.origins[structure.Field(i)], origin{element, 0})
	}
}

// values are all that an expression can be. Those of which it is being asked already, on the way here, are left out.
func (p *program) values(of origin, on []origin) []string {
	p.Helper()
	if known := p.info.Types[of.Expr]; known.Value != nil && known.Value.Kind() == constant.String {
		return []string{constant.StringVal(known.Value)}
	}
	if slices.Contains(on, of) {
		return nil
	}
	on = append(slices.Clone(on), of)
	found := map[string]bool{}
	add := func(from []origin) bool {
		for _, each := range from {
			for _, value := range p.values(each, on) {
				found[value] = true
			}
		}
		return len(from) > 0
	}
	told := false
	switch e := of.Expr.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		told = add(p.origins[p.object(e)])
	case *ast.BinaryExpr:
		for _, left := range p.values(origin{e.X, 0}, on) {
			for _, right := range p.values(origin{e.Y, 0}, on) {
				found[left+right], told = true, true
			}
		}
	case *ast.CallExpr:
		fun, ok := e.Fun.(*ast.SelectorExpr)
		told = ok && fun.Sel.Name == "Summary" // of a diagnostic that was made elsewhere
		for _, results := range p.returns[p.object(e.Fun)] {
			if of.result < len(results) {
				told = add([]origin{{results[of.result], 0}}) || told
			}
		}
	}
	if !told {
		p.Errorf("%s: cannot tell which summaries this can be", p.fset.Position(of.Pos()))
	}
	return slices.Sorted(maps.Keys(found))
}

// troubleshooting is the guide that has every diagnostic.
const troubleshooting = "../../templates/guides/troubleshooting.md.tmpl"

// heading is what the troubleshooting guide has about a title: its severity in words, and in which part of the guide.
type heading struct{ severity, part string }

// Every title that the code can give a diagnostic is in the troubleshooting guide, with its severity, and none else is; so is its index.
func TestTroubleshootingGuideHasEveryDiagnostic(t *testing.T) {
	t.Parallel()
	severities := map[string]map[diag.Severity]bool{}
	for _, made := range summaries(t) {
		if severities[made.text] == nil {
			severities[made.text] = map[diag.Severity]bool{}
		}
		severities[made.text][made.severity] = true
	}
	want := map[string]string{}
	for text, of := range severities {
		want[text] = "Error"
		if of[diag.SeverityWarning] {
			want[text] = map[bool]string{true: "Warning", false: "Error or warning"}[len(of) == 1]
		}
	}

	headings, index := guideHeadings(t)
	got := map[string]string{}
	var wantIndex []string
	for _, title := range slices.SortedFunc(maps.Keys(headings), func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	}) {
		of := headings[title]
		got[title] = of.severity
		anchor := strings.ReplaceAll(strings.ToLower(title), " ", "-")
		wantIndex = append(wantIndex, fmt.Sprintf("| [%s](#%s) | %s | %s |", title, anchor, strings.ToLower(of.severity), of.part))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("titles and severities (-code +guide):\n%s", diff)
	}
	if diff := cmp.Diff(wantIndex, index); diff != "" {
		t.Errorf("the index (-headings +index):\n%s", diff)
	}
}

// What the guide points to within itself is there.
func TestTroubleshootingGuidePointsToItsHeadings(t *testing.T) {
	t.Parallel()
	guide := exampleText(t, troubleshooting)
	anchors := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(guide, -1) {
		anchor := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(match[1]), "")
		anchors[strings.ReplaceAll(anchor, " ", "-")] = true
	}
	links := regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(guide, -1)
	if len(links) < len(anchors)/2 {
		t.Errorf("found only %d links", len(links))
	}
	for _, link := range links {
		if !anchors[link[1]] {
			t.Errorf("nothing is at #%s", link[1])
		}
	}
}

// guideHeadings are the headings of diagnostics in the troubleshooting guide, by title, and the rows of its index.
func guideHeadings(t *testing.T) (headings map[string]heading, index []string) {
	t.Helper()
	headings = map[string]heading{}
	part, title := "", ""
	for line := range strings.Lines(exampleText(t, troubleshooting)) {
		line = strings.TrimRight(line, "\n")
		switch text, deep := strings.CutPrefix(line, "### "); {
		case deep && part != "Other Symptoms":
			if _, twice := headings[text]; twice {
				t.Errorf("two headings %q", text)
			}
			title, headings[text] = text, heading{"", part}
		case strings.HasPrefix(line, "## "):
			part = strings.TrimPrefix(line, "## ")
		case strings.HasPrefix(line, "| ["):
			if part == "" {
				index = append(index, line)
			}
		case title != "" && line != "":
			severity, _, _ := strings.Cut(strings.TrimPrefix(line, "**"), ".** ")
			headings[title], title = heading{severity, part}, ""
		}
	}
	return headings, index
}

func exampleText(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
