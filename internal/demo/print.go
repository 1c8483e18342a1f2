package main

import (
	"bytes"
	"fmt"
	"io"
)

// margin is in front of all that is not a heading.
const margin = "   "

// say prints what is done next.
func say(format string, args ...any) { fmt.Printf("\n== "+format+"\n", args...) }

// note prints what was found.
func note(format string, args ...any) { fmt.Printf(margin+"-> "+format+"\n", args...) }

// indenter puts the margin in front of each line that is not empty, and leaves out empty lines at both ends.
type indenter struct {
	w       io.Writer
	line    []byte
	blanks  int
	started bool
}

func (i *indenter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		head, tail, whole := bytes.Cut(rest, []byte{'\n'})
		i.line = append(i.line, head...)
		if !whole {
			break
		}
		if err := i.flush(); err != nil {
			return 0, err
		}
		rest = tail
	}
	return len(p), nil
}

// end prints what is left of an unfinished line.
func (i *indenter) end() {
	if len(i.line) > 0 {
		_ = i.flush() // nobody is left to tell when the terminal is gone
	}
}

func (i *indenter) flush() error {
	line := bytes.TrimRight(i.line, " ")
	i.line = i.line[:0]
	if len(line) == 0 {
		if i.started {
			i.blanks++
		}
		return nil
	}
	i.started = true
	_, err := fmt.Fprintf(i.w, "%s%s%s\n", bytes.Repeat([]byte{'\n'}, i.blanks), margin, line)
	i.blanks = 0
	return err
}
