package main

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// document is the prose of one file.
type document struct {
	path      string
	markdown  []string // the comments of a Go file, line by line; nil for a file that Vale reads itself
	positions []token.Position
}

// read returns the prose of a file: the comments of a Go file, and the whole text of any other file.
func read(path string, content []byte) (document, error) {
	if !strings.HasSuffix(path, ".go") {
		return document{path: path}, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return document{}, err
	}
	doc := document{path: path}
	for _, group := range file.Comments {
		// An empty line keeps the group apart from the next one, which may follow on the next line of the file.
		doc.addLine("", token.Position{})
		for _, comment := range group.List {
			if !directive.MatchString(comment.Text) {
				doc.addComment(comment.Text, fset.Position(comment.Pos()))
			}
		}
	}
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
