package main

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// document is the prose of one file.
type document struct {
	path      string
	hash      string   // identifies the words
	markdown  []string // the comments of a Go file, line by line; nil for a file that Vale reads itself
	positions []token.Position
}

// read returns the prose of a file: the comments of a Go file, and the whole text of any other file.
func read(path string, content []byte) (document, error) {
	if !strings.HasSuffix(path, ".go") {
		return document{path: path, hash: hashWords(string(content))}, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return document{}, err
	}
	doc := document{path: path}
	names := declaredNames(fset, file)
	var words strings.Builder
	for _, group := range file.Comments {
		// An empty line keeps the group apart from the next one, which may follow on the next line of the file.
		doc.addLine("", token.Position{})
		start := len(doc.markdown)
		for _, comment := range group.List {
			if !directive.MatchString(comment.Text) {
				doc.addComment(comment.Text, fset.Position(comment.Pos()))
			}
		}
		words.WriteString(withoutNames(strings.Join(doc.markdown[start:], "\n"), names[group]) + "\n")
	}
	doc.hash = hashWords(words.String())
	return doc, nil
}

// directive matches comments for tools, such as //go:embed and //nolint:gosec.
var directive = regexp.MustCompile(`^//([a-z0-9]+:[a-z0-9]|nolint)`)

// addComment adds the text of a comment without its markers.
func (d *document) addComment(text string, position token.Position) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "*/"), "\n") {
		if i > 0 {
			position.Line, position.Column = position.Line+1, 1
		}
		bare := line
		for _, marker := range []string{"//", "/*"} {
			bare = strings.TrimPrefix(bare, marker)
		}
		bare = strings.TrimPrefix(bare, " ")
		position.Column += len(line) - len(bare)
		d.addLine(bare, position)
	}
}

func (d *document) addLine(text string, position token.Position) {
	d.markdown = append(d.markdown, text)
	d.positions = append(d.positions, position)
}

// declaredNames returns for each doc comment the names that the declaration below it declares.
func declaredNames(fset *token.FileSet, file *ast.File) map[*ast.CommentGroup][]string {
	names := map[*ast.CommentGroup][]string{file.Doc: {file.Name.Name}}
	add := func(doc *ast.CommentGroup, idents ...*ast.Ident) {
		for _, ident := range idents {
			names[doc] = append(names[doc], ident.Name)
		}
	}
	endsAt := map[int]*ast.CommentGroup{} // by the last line
	for _, group := range file.Comments {
		endsAt[fset.Position(group.End()).Line] = group
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			add(node.Doc, node.Name)
		case *ast.Field:
			add(node.Doc, node.Names...)
		case *ast.GenDecl:
			for _, spec := range node.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(node.Doc, spec.Name)
					add(spec.Doc, spec.Name)
				case *ast.ValueSpec:
					add(node.Doc, spec.Names...)
					add(spec.Doc, spec.Names...)
				}
			}
		case *ast.AssignStmt:
			for _, left := range node.Lhs {
				if ident, ok := left.(*ast.Ident); ok && node.Tok == token.DEFINE {
					add(endsAt[fset.Position(node.Pos()).Line-1], ident)
				}
			}
		}
		return true
	})
	return names
}

// docLink matches a link such as [Engine.Swap].
var docLink = regexp.MustCompile(`\[\*?[\w.]+\]`)

// withoutNames removes what `gopls rename` changes in a comment: the declared names, and links.
func withoutNames(text string, names []string) string {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		text = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(text, "_")
	}
	return docLink.ReplaceAllString(text, "_")
}

// hashWords returns the same hash for a text and for its copy with other line breaks.
func hashWords(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
	return hex.EncodeToString(sum[:8])
}
