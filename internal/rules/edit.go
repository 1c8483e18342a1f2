package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// edit is the edit of a row, parsed. Package table says what it means.
type edit struct {
	every             bool
	verb, replacement string // of pattern -> replacement, the verb is ->
	pattern           ast.Node
}

func parseEdit(text string) (e edit, err error) {
	text, e.every = strings.CutPrefix(text, "every ")
	pattern, replacement, isRewrite := strings.Cut(text, " -> ")
	if e.verb, e.replacement = "->", replacement; !isRewrite {
		e.verb, pattern, _ = strings.Cut(text, " ")
	}
	if !slices.Contains([]string{"->", "never", "always", "skip", "without"}, e.verb) {
		return e, errors.New("it is no edit")
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p; func _() {\n"+pattern+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return e, err
	}
	f, ok := file.Decls[0].(*ast.FuncDecl)
	if !ok || len(f.Body.List) != 1 {
		return e, errors.New("its pattern is not one expression or statement")
	}
	e.pattern = f.Body.List[0]
	if only, ok := e.pattern.(*ast.ExprStmt); ok {
		e.pattern = only.X
	}
	return e, nil
}

// change is what stands between two offsets of a file, and what an edit puts there.
type change struct {
	from, to int
	text     string
}

// body is the body of a function as the edit leaves it.
func (e edit) body(f *function) (string, error) {
	var changes []change
	var refused error
	ast.PreorderStack(f.Body, nil, func(n ast.Node, above []ast.Node) bool {
		if b := (bindings{}); b.match(reflect.ValueOf(e.pattern), reflect.ValueOf(n)) {
			if f.Recv != nil && len(f.Recv.List[0].Names) > 0 {
				b["self"] = f.Recv.List[0].Names[0]
			}
			if c, err := e.at(f, append(slices.Clone(above), n), b); err != nil {
				refused = err
			} else if !slices.Contains(changes, c) {
				changes = append(changes, c)
			}
		}
		return true
	})
	if len(changes) == 0 || len(changes) > 1 && !e.every {
		return "", errors.Join(fmt.Errorf("there are %d places for the edit", len(changes)), refused)
	}
	body, at := "", f.offset(f.Body.Pos())
	for _, c := range changes {
		body, at = body+f.code[at:c.from]+c.text, c.to
	}
	return body + f.code[at:f.offset(f.Body.End())], nil
}

// at is the change for one match of the pattern: the last node of a path that begins at the body of the function. Where a condition or a statement
// must have no effect, its code stays and is not run: without it, the compiler would complain of variables that nothing uses.
func (e edit) at(f *function, path []ast.Node, b bindings) (change, error) {
	if e.verb == "->" {
		text, err := e.fill(f, path[len(path)-1], b)
		return f.replace(path[len(path)-1], text), err
	}
	for i := len(path) - 1; i > 0; i-- {
		n, parent := path[i], path[i-1]
		switch e.verb {
		case "skip":
			if isSimple(n, parent) {
				return f.replace(n, "if false {\n"+f.text(n)+"\n}"), nil
			}
		case "without":
			if binary, ok := parent.(*ast.BinaryExpr); ok && neutral[binary.Op] != "" {
				return f.replace(n, fmt.Sprintf(constants[neutral[binary.Op]], f.text(n))), nil
			}
			list := listOf(parent)
			if i := slices.IndexFunc(list, func(x ast.Expr) bool { return x == n }); i >= 0 {
				return f.remove(list, i), nil
			}
		default:
			if condition := conditionOf(n, parent); condition != nil {
				return f.replace(condition, fmt.Sprintf(constants[e.verb], f.text(condition))), nil
			}
		}
		switch parent.(type) {
		case *ast.FuncLit, *ast.CommClause, *ast.ForStmt, *ast.RangeStmt, *ast.IfStmt, *ast.CaseClause: // beyond it is other code than the pattern's
			return change{}, fmt.Errorf("%s must not leave the %T around its pattern", e.verb, parent)
		}
	}
	return change{}, fmt.Errorf("nothing around the pattern is for %s", e.verb)
}

var (
	neutral   = map[token.Token]string{token.LAND: "true", token.LOR: "false"}
	constants = map[string]string{"true": "(true || (%s))", "always": "(true || (%s))", "false": "(false && (%s))", "never": "(false && (%s))"}
)

// fill is the replacement for a node.
func (e edit) fill(f *function, node ast.Node, b bindings) (text string, err error) {
	if format := constants[e.replacement]; format != "" {
		return fmt.Sprintf(format, f.text(node)), nil
	}
	text = wildcard.ReplaceAllStringFunc(e.replacement, func(name string) string {
		switch bound := b[name].(type) {
		case nil:
			err = fmt.Errorf("%s in the replacement stands for nothing", name)
			return name
		case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr:
			return "(" + f.text(bound) + ")"
		default:
			return f.text(bound)
		}
	})
	return text, err
}

// isSimple reports whether a node is a statement of a list, without others in it.
func isSimple(n, parent ast.Node) bool {
	_, inBlock := parent.(*ast.BlockStmt)
	_, inCase := parent.(*ast.CaseClause)
	switch n.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.BranchStmt:
		return inBlock || inCase
	}
	return false
}

// conditionOf is the condition of an if or a case whose part the node is; nil for others.
func conditionOf(n, parent ast.Node) ast.Expr {
	switch parent := parent.(type) {
	case *ast.IfStmt:
		if n != parent.Else {
			return parent.Cond
		}
	case *ast.CaseClause:
		if x, ok := n.(ast.Expr); ok {
			return x
		}
		if len(parent.List) == 1 {
			return parent.List[0]
		}
	}
	return nil
}

// listOf is what stands in a node between commas.
func listOf(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		return n.Args
	case *ast.CompositeLit:
		return n.Elts
	case *ast.CaseClause:
		return n.List
	}
	return nil
}

// bindings are what the wildcards of a pattern stand for.
type bindings map[string]ast.Node

var wildcard = regexp.MustCompile(`\b([a-z]|self)\b`)

// match reports whether a pattern matches a node, as for gofmt -r. Without bindings, there are no wildcards.
func (b bindings) match(pattern, node reflect.Value) bool {
	if !pattern.IsValid() || !node.IsValid() {
		return pattern.IsValid() == node.IsValid()
	}
	if name, ok := pattern.Interface().(*ast.Ident); ok && name != nil && b != nil && len(name.Name) == 1 && wildcard.MatchString(name.Name) {
		x, isExpression := node.Interface().(ast.Expr)
		if bound := b[name.Name]; bound != nil {
			return isExpression && bindings(nil).match(reflect.ValueOf(bound), reflect.ValueOf(x))
		}
		b[name.Name] = x
		return isExpression
	}
	if pattern.Type() != node.Type() {
		return false
	}
	all := func(n int, part func(reflect.Value, int) reflect.Value) bool {
		for i := range n {
			if !b.match(part(pattern, i), part(node, i)) {
				return false
			}
		}
		return true
	}
	switch pattern.Kind() {
	case reflect.Interface, reflect.Pointer:
		return b.match(pattern.Elem(), node.Elem())
	case reflect.Slice:
		return pattern.Len() == node.Len() && all(pattern.Len(), reflect.Value.Index)
	case reflect.Struct:
		return all(pattern.NumField(), reflect.Value.Field)
	default:
		if at, ok := pattern.Interface().(token.Pos); ok { // whether something is there matters, as three dots; where does not
			return at.IsValid() == (node.Int() != int64(token.NoPos))
		}
		return pattern.Equal(node)
	}
}
