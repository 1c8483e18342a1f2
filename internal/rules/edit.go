package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// edit is the edit of a row, parsed. Package table says what edits mean.
type edit struct {
	every       bool
	verb        string   // never, always, skip, without; or -> for pattern -> replacement
	pattern     ast.Node // an expression or a statement
	replacement string   // Go, in which wildcards stand for what they matched
}

func parseEdit(text string) (edit, error) {
	e := edit{verb: "->"}
	text, e.every = strings.CutPrefix(text, "every ")
	pattern, replacement, isRewrite := strings.Cut(text, " -> ")
	if isRewrite {
		e.replacement = replacement
	} else if e.verb, pattern, _ = strings.Cut(text, " "); !slices.Contains([]string{"never", "always", "skip", "without"}, e.verb) {
		return e, fmt.Errorf("%q is no edit", text)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p; func _() {\n"+pattern+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return e, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	for n := range ast.Preorder(file) { // the first that is in the body
		if body, ok := n.(*ast.BlockStmt); ok && len(body.List) == 1 {
			e.pattern = body.List[0]
			if only, ok := e.pattern.(*ast.ExprStmt); ok {
				e.pattern = only.X
			}
			return e, nil
		}
	}
	return e, fmt.Errorf("the pattern %q is not one expression or statement", pattern)
}

// change is what stands between two offsets of a file, and what an edit puts there.
type change struct {
	from, to int
	text     string
}

// body is the body of a function as the edit leaves it.
func (e edit) body(f *function) (string, error) {
	var changes []change
	ast.PreorderStack(f.Body, nil, func(n ast.Node, above []ast.Node) bool {
		if b := f.bindings(); b.match(reflect.ValueOf(e.pattern), reflect.ValueOf(n)) {
			if c, ok := e.at(f, append(slices.Clone(above), n), b); ok && !slices.Contains(changes, c) {
				changes = append(changes, c)
			}
		}
		return true
	})
	if len(changes) == 0 || len(changes) > 1 && !e.every {
		return "", fmt.Errorf("there are %d places for it", len(changes))
	}
	var body strings.Builder
	at := f.offset(f.Body.Pos())
	for _, c := range changes {
		if c.from < at {
			return "", fmt.Errorf("one place for it is in another")
		}
		body.WriteString(f.code[at:c.from] + c.text)
		at = c.to
	}
	return body.String() + f.code[at:f.offset(f.Body.End())], nil
}

// at is the change where the pattern matched the last node of a path down from the body of the function. What is left out stays in the
// source, for the compiler, to which all variables and imports are used.
func (e edit) at(f *function, path []ast.Node, b bindings) (change, bool) {
	if e.verb == "->" {
		node := path[len(path)-1]
		return f.replace(node, e.fill(f, node, b)), true
	}
	for i := len(path) - 1; i > 0; i-- {
		n, parent := path[i], path[i-1]
		switch e.verb {
		case "skip":
			if isSimple(n, parent) {
				return f.replace(n, "if false {\n"+f.text(n)+"\n}"), true
			}
		case "never", "always":
			if condition, isBranch := branch(n, path[:i]); condition != nil {
				return f.replace(condition, constants[e.verb]+"("+f.text(condition)+")"), true
			} else if isBranch {
				return change{}, false
			}
		case "without":
			if binary, ok := parent.(*ast.BinaryExpr); ok && neutral[binary.Op] != "" {
				return f.replace(n, "("+neutral[binary.Op]+"("+f.text(n)+"))"), true
			}
			if list := listOf(parent); slices.Contains(list, n) {
				return f.remove(list, slices.Index(list, n)), true
			}
		}
	}
	return change{}, false
}

var (
	constants = map[string]string{"never": "false && ", "false": "false && ", "always": "true || ", "true": "true || "}
	neutral   = map[token.Token]string{token.LAND: "true || ", token.LOR: "false && "}
)

// fill is the replacement for a node.
func (e edit) fill(f *function, node ast.Node, b bindings) string {
	if constant := constants[e.replacement]; constant != "" {
		return "(" + constant + "(" + f.text(node) + "))"
	}
	return wildcard.ReplaceAllStringFunc(e.replacement, func(name string) string {
		switch bound := b[name].(type) {
		case nil:
			return name
		case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr:
			return "(" + f.text(bound) + ")"
		default:
			return f.text(bound)
		}
	})
}

// isSimple tells whether a node is a statement of a list that has no others in it.
func isSimple(n, parent ast.Node) bool {
	switch parent := parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause:
	case *ast.CommClause:
		if n == parent.Comm {
			return false
		}
	default:
		return false
	}
	switch n.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// branch is the condition of the branch that the node n, whose ancestors are above, is part of; nil where that has none.
func branch(n ast.Node, above []ast.Node) (condition ast.Expr, isBranch bool) {
	switch parent := above[len(above)-1].(type) {
	case *ast.IfStmt:
		if n == parent.Else {
			return nil, true
		}
		return parent.Cond, true
	case *ast.ForStmt:
		if n == parent.Cond {
			return parent.Cond, true
		}
	case *ast.CaseClause:
		if choice, ok := above[len(above)-3].(*ast.SwitchStmt); !ok || choice.Tag != nil {
			return nil, true
		}
		if x, ok := n.(ast.Expr); ok {
			return x, true
		}
		if len(parent.List) == 1 {
			return parent.List[0], true
		}
		return nil, true
	}
	return nil, false
}

// listOf is what is in a node and separated by commas.
func listOf(n ast.Node) []ast.Node {
	var list []ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		list = n.Args
	case *ast.CompositeLit:
		list = n.Elts
	case *ast.CaseClause:
		list = n.List
	}
	nodes := make([]ast.Node, 0, len(list))
	for _, x := range list {
		nodes = append(nodes, x)
	}
	return nodes
}

// bindings are what the wildcards of a pattern stand for, and the receiver of the function.
type bindings map[string]ast.Node

// wildcard is a name that stands for an expression.
var wildcard = regexp.MustCompile(`\b([a-z]|self)\b`)

func (f *function) bindings() bindings {
	if f.Recv != nil && len(f.Recv.List[0].Names) > 0 {
		return bindings{"self": f.Recv.List[0].Names[0]}
	}
	return bindings{}
}

// match tells whether a pattern matches a node, as in gofmt -r.
func (b bindings) match(pattern, node reflect.Value) bool {
	if !pattern.IsValid() || !node.IsValid() {
		return pattern.IsValid() == node.IsValid()
	}
	if name, ok := pattern.Interface().(*ast.Ident); ok && name != nil && len(name.Name) == 1 && wildcard.MatchString(name.Name) {
		x, ok := node.Interface().(ast.Expr)
		if bound := b[name.Name]; ok && bound != nil {
			return bindings{}.match(reflect.ValueOf(bound), reflect.ValueOf(x))
		}
		b[name.Name] = x
		return ok
	}
	if pattern.Type() != node.Type() {
		return false
	}
	switch pattern.Kind() {
	case reflect.Interface, reflect.Pointer:
		return b.match(pattern.Elem(), node.Elem())
	case reflect.Slice:
		for i := range min(pattern.Len(), node.Len()) {
			if !b.match(pattern.Index(i), node.Index(i)) {
				return false
			}
		}
		return pattern.Len() == node.Len()
	case reflect.Struct:
		for i := range pattern.NumField() {
			if !b.match(pattern.Field(i), node.Field(i)) {
				return false
			}
		}
		return true
	default:
		if at, ok := pattern.Interface().(token.Pos); ok { // where something is does not matter; whether it is there, as three dots, does
			other, _ := node.Interface().(token.Pos)
			return at.IsValid() == other.IsValid()
		}
		return pattern.Equal(node)
	}
}
