package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/rules/table"
)

// survivedError: with the rule taken out, tests that must fail did not.
type survivedError struct{ tests []string }

func (e *survivedError) Error() string {
	return "without it these pass: " + strings.Join(e.tests, ", ")
}

// mutate is the file's source without the rule.
func mutate(r table.Rule, source []byte) ([]byte, error) {
	if n := bytes.Count(source, []byte(r.Code)); n != 1 {
		return nil, fmt.Errorf("%s has the code of the rule %d times, not once:\n%s", r.File, n, r.Code)
	}
	return bytes.Replace(source, []byte(r.Code), []byte(r.Without), 1), nil
}

// pattern is what go test -run takes for tests.
func pattern(tests []string) string {
	paths := make([]string, 0, len(tests))
	for _, test := range tests {
		parts := strings.Split(test, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		paths = append(paths, strings.Join(parts, "/"))
	}
	return strings.Join(paths, "|")
}

// passes runs the tests of all rules with the rules in place, in a folder's build of several where it has one.
func passes(ctx context.Context, root string, all []table.Rule, builds map[string]build) error {
	tests := map[string][]string{}
	for _, r := range all {
		tests[r.Dir] = append(tests[r.Dir], r.Tests...)
	}
	for dir, names := range tests {
		slices.Sort(names)
		names = slices.Compact(names)
		run := []string{"go", "test", "-count=1", "-v", "-timeout=10m", "-run=" + pattern(names), "."}
		b, shared := builds[dir]
		if shared {
			run = []string{b.binary, "-test.v", "-test.timeout=10m", "-test.run=" + pattern(names)}
		}
		out, err := command(ctx, filepath.Join(root, dir), b.overlay, run[0], run[1:]...)
		if err != nil {
			return fmt.Errorf("with every rule in place: %w\n%s", err, out)
		}
		for _, name := range names {
			if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) {
				return fmt.Errorf("%s has no %s that passed:\n%s", dir, name, out)
			}
		}
	}
	return nil
}

// fails runs the tests of a rule without it, and returns the last thing that they say.
func fails(ctx context.Context, root string, r table.Rule, builds map[string]build) (string, error) {
	if b, ok := builds[r.Dir]; ok && shares(r, root) {
		return failsIn(ctx, root, r, b)
	}
	path := filepath.Join(root, r.File)
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if source, err = mutate(r, source); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "rule-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	mutant, overlay := filepath.Join(dir, filepath.Base(path)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutant}})
	if err != nil {
		return "", err
	}
	//nolint:gosec // the paths are of the table
	if err := errors.Join(os.WriteFile(mutant, source, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "mutant.test")
	if out, err := command(ctx, filepath.Join(root, r.Dir), overlay, "go", "test", "-c", "-o="+binary, "."); err != nil {
		return "", fmt.Errorf("does not compile without it: %w\n%s", err, out)
	}
	return failsIn(ctx, root, r, build{binary, overlay})
}

// failsIn is fails in a binary that can go without the rule.
func failsIn(ctx context.Context, root string, r table.Rule, b build) (string, error) {
	out, err := command(ctx, filepath.Join(root, r.Dir), b.overlay, "env", ruleOut+"="+r.Says,
		b.binary, "-test.v", "-test.timeout=3m", "-test.run="+pattern(r.Tests))
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	passed := slices.DeleteFunc(slices.Clone(r.Tests), func(test string) bool {
		return bytes.Contains(out, []byte("--- FAIL: "+test+" "))
	})
	why := message.FindAllSubmatch(out, -1)
	switch {
	case len(passed) > 0 && (err == nil || len(passed) < len(r.Tests)):
		return "", &survivedError{passed}
	case len(passed) > 0:
		return "", fmt.Errorf("the tests did not come to an end: %w\n%s", err, out)
	case len(why) == 0: // as where there was no control plane
		return "", fmt.Errorf("the tests did not come to what they test:\n%s", out)
	}
	return string(why[len(why)-1][1]), nil // those before may be of logs
}

// message is what a test said, cut to a line's length.
var message = regexp.MustCompile(`(?m)^\s+(\w+_test\.go:\d+: .{0,100})`)

// command runs a command in a folder. The overlay reaches also the builds that the tests start. A test that cannot run
// fails.
func command(ctx context.Context, dir, overlay, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CI=true", "TF_ACC=1")
	if overlay != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd.CombinedOutput()
}

// ruleOut is the environment variable that names the rule that a build of several goes without.
const ruleOut = "RULE_OUT"

// build is a test binary of one folder, and the overlay that it was built with.
type build struct{ binary, overlay string }

// shares tells whether a rule can be out in a build of several: its code is in a function of the provider's. A build of them all takes
// little longer than one of one.
func shares(r table.Rule, root string) bool {
	if !strings.HasPrefix(r.File, table.Provider+"/") {
		return false
	}
	source, err := os.ReadFile(filepath.Join(root, r.File))
	if err != nil {
		return false
	}
	_, err = together(source, []table.Rule{r})
	return err == nil
}

// together is a file's source in which each of the rules is out where RULE_OUT names it: the function that has its code begins with
// its whole body once more, without the rule.
func together(source []byte, rules []table.Rule) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	variants := map[*ast.FuncDecl]string{}
	for _, r := range rules {
		f := enclosing(files, file, source, r)
		if f == nil {
			return nil, fmt.Errorf("%s: its code is in no function's body", r.Says)
		}
		from, to := files.Position(f.Body.Lbrace).Offset+1, files.Position(f.Body.Rbrace).Offset
		end := ""
		if f.Type.Results == nil {
			end = "\nreturn"
		}
		body := strings.Replace(string(source[from:to]), r.Code, r.Without, 1)
		variants[f] += fmt.Sprintf("\nif ruleOut == %s {%s%s\n}", strconv.Quote(r.Says), body, end)
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
func enclosing(files *token.FileSet, file *ast.File, source []byte, r table.Rule) *ast.FuncDecl {
	from := strings.Index(string(source), r.Code)
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if files.Position(f.Body.Lbrace).Offset < from && from+len(r.Code) <= files.Position(f.Body.Rbrace).Offset {
			return f
		}
	}
	return nil
}

// buildTogether builds, for each folder whose tests such rules name, one binary that can go without each of them.
func buildTogether(ctx context.Context, root, dir string, all []table.Rule) (map[string]build, error) {
	byFile, builds := map[string][]table.Rule{}, map[string]build{}
	for _, r := range all {
		if shares(r, root) {
			byFile[r.File] = append(byFile[r.File], r)
			builds[r.Dir] = build{}
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
