package guides

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Each row of DESIGN.md's table names a file that has the function.
func TestWhereIs(t *testing.T) {
	t.Parallel()
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| .+\\? \\| `([^`]+)` \\| `([^`]+)` \\|$")
	rows := row.FindAllStringSubmatch(toolchain.Text(t, root, "DESIGN.md"), -1)
	if len(rows) < 20 {
		t.Errorf("found only %d rows", len(rows))
	}
	for _, match := range rows {
		file, function := match[1], match[2]
		source, err := parser.ParseFile(token.NewFileSet(), path.Join(root, "internal", file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		if !declares(source, function) {
			t.Errorf("%s has no function %s", file, function)
		}
	}
}

func declares(source *ast.File, function string) bool {
	for _, decl := range source.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == function {
			return true
		}
	}
	return false
}
