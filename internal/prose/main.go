// Prose checks documents and the comments of Go files with Vale.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	vale := flag.String("vale", "vale", "the path of Vale")
	flag.Parse()
	if err := run(context.Background(), ".", *vale, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, vale string, out io.Writer) error {
	docs, err := readDocuments(ctx, root)
	if err != nil {
		return err
	}
	findings, err := runVale(ctx, root, vale, docs)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		for _, f := range findings[doc.path] {
			fmt.Fprintf(out, "%s:%d:%d: %s (%s)\n", doc.path, f.line, f.column, f.message, f.rule)
		}
	}
	fmt.Fprintf(out, "prose: %d files, %d of them with findings\n", len(docs), len(findings))
	if len(findings) > 0 {
		return errors.New("prose does not follow the rules in tools/prose/styles")
	}
	return nil
}

// finding is one place that a rule of Vale rejects.
type finding struct {
	line, column  int
	message, rule string
}

// readDocuments reads the files that git tracks or would add.
func readDocuments(ctx context.Context, root string) ([]document, error) {
	git := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
		"--deduplicate", "*.md", "*.tmpl", "*.go")
	git.Dir, git.Stderr = root, os.Stderr
	list, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var docs []document
	for path := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, path))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted from the work tree alone
		}
		if err != nil {
			return nil, err
		}
		doc, err := read(path, content)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// runVale runs Vale once on all documents, and returns its findings by the path of the document.
func runVale(ctx context.Context, root, vale string, docs []document) (map[string][]finding, error) {
	tmp, err := os.MkdirTemp("", "prose")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	args := []string{"--config=.vale.ini", "--no-global", "--no-exit", "--output=JSON"}
	byArg := map[string]document{}
	for _, doc := range docs {
		arg := doc.path
		if doc.markdown != nil {
			arg = filepath.Join(tmp, fmt.Sprintf("%d.md", len(byArg)))
			if err := os.WriteFile(arg, []byte(strings.Join(doc.markdown, "\n")), 0o600); err != nil {
				return nil, err
			}
		}
		byArg[arg] = doc
		args = append(args, arg)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, vale, args...)
	cmd.Dir, cmd.Stderr = root, &stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s%s", vale, err, output, stderr.Bytes())
	}
	var alerts map[string][]struct {
		Line           int
		Span           []int
		Message, Check string
	}
	if err := json.Unmarshal(output, &alerts); err != nil {
		return nil, fmt.Errorf("the output of %s: %w: %s", vale, err, output)
	}
	findings := map[string][]finding{}
	for arg, alerts := range alerts {
		doc := byArg[arg]
		for _, a := range alerts {
			f := finding{line: a.Line, column: a.Span[0], message: a.Message, rule: a.Check}
			if doc.markdown != nil {
				position := doc.positions[a.Line-1]
				f.line, f.column = position.Line, position.Column+a.Span[0]-1
			}
			findings[doc.path] = append(findings[doc.path], f)
		}
	}
	return findings, nil
}
