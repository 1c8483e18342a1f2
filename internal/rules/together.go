package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ruleOut is the environment variable that names the rule that a build of several goes without.
const ruleOut = "RULE_OUT"

// build is a test binary of one folder, and the overlay that it was built with.
type build struct{ binary, overlay string }

// shares tells whether a rule can be out in a build of several: its code is in a function of the provider's. A build of them all takes
// little longer than one of one.
func (r rule) shares(root string) bool {
	if !strings.HasPrefix(r.file, provider+"/") {
		return false
	}
	source, err := os.ReadFile(filepath.Join(root, r.file))
	if err != nil {
		return false
	}
	_, err = together(source, []rule{r})
	return err == nil
}

// together is a file's source in which each of the rules is out where RULE_OUT names it: the function that has its code begins with
// its whole body once more, without the rule.
func together(source []byte, rules []rule) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	variants := map[*ast.FuncDecl]string{}
	for _, r := range rules {
		f := enclosing(files, file, source, r)
		if f == nil {
			return nil, fmt.Errorf("%s: its code is in no function's body", r.says)
		}
		from, to := files.Position(f.Body.Lbrace).Offset+1, files.Position(f.Body.Rbrace).Offset
		end := ""
		if f.Type.Results == nil {
			end = "\nreturn"
		}
		body := strings.Replace(string(source[from:to]), r.code, r.without, 1)
		variants[f] += fmt.Sprintf("\nif ruleOut == %s {%s%s\n}", strconv.Quote(r.says), body, end)
	}
	var out strings.Builder
	at := 0
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && variants[f] != "" {
			from := files.Position(f.Body.Lbrace).Offset + 1
			out.Write(source[at:from])
			out.WriteString(variants[f])
			at = from
		}
	}
	out.Write(source[at:])
	return []byte(out.String()), nil
}

// enclosing is the function whose body has the code of the rule, nil where there is none.
func enclosing(files *token.FileSet, file *ast.File, source []byte, r rule) *ast.FuncDecl {
	from := strings.Index(string(source), r.code)
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if files.Position(f.Body.Lbrace).Offset < from && from+len(r.code) <= files.Position(f.Body.Rbrace).Offset {
			return f
		}
	}
	return nil
}

// buildTogether builds, for each folder whose tests such rules name, one binary that can go without each of them.
func buildTogether(ctx context.Context, root, dir string, all []rule) (map[string]build, error) {
	byFile, builds := map[string][]rule{}, map[string]build{}
	for _, r := range all {
		if r.shares(root) {
			byFile[r.file] = append(byFile[r.file], r)
			builds[r.dir] = build{}
		}
	}
	if len(byFile) == 0 {
		return builds, nil
	}
	sources := map[string][]byte{}
	for name, rules := range byFile {
		folder := filepath.Dir(name)
		sources[folder+"/rule_out.go"] = fmt.Appendf(nil, "package %s\n\nimport \"os\"\n\nvar ruleOut = os.Getenv(%q)\n", filepath.Base(folder), ruleOut)
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		if sources[name], err = together(source, rules); err != nil {
			return nil, err
		}
	}
	replace := map[string]string{}
	for name, source := range sources {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		replace[filepath.Join(root, name)] = path
		if err := os.WriteFile(path, source, 0o600); err != nil {
			return nil, err
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	overlay := filepath.Join(dir, "overlay.json")
	if err := errors.Join(err, os.WriteFile(overlay, raw, 0o600)); err != nil {
		return nil, err
	}
	for folder := range builds {
		b := build{filepath.Join(dir, filepath.Base(folder)+".test"), overlay}
		if out, err := command(ctx, filepath.Join(root, folder), overlay, "go", "test", "-c", "-o="+b.binary, "."); err != nil {
			return nil, fmt.Errorf("%s does not compile with the rules that can be out: %w\n%s", folder, err, out)
		}
		builds[folder] = b
	}
	return builds, nil
}
