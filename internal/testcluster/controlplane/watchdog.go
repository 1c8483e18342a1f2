package controlplane

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// watchdog is a process that kills what was started through leash, and removes dir, as soon as the process
// that holds it ends, or says kill. envtest stops a control plane only when it is asked to, and a process
// that is killed asks for nothing.
type watchdog struct {
	dir  string
	cmd  *exec.Cmd
	pipe io.Closer
	once sync.Once
	err  error
}

// watch waits for the end of its input. A process started meanwhile finds `over` and ends by itself, so none is missed.
const watch = `
trap '' HUP INT TERM
cat >/dev/null
: >"$1/over"
for file in "$1"/pids/*; do read -r pid <"$file" && kill -s KILL -- "-$pid" 2>/dev/null; done
rm -rf "$1" || { sleep 1; rm -rf "$1"; }
`

// unleash starts a watchdog over dir, which must exist.
func unleash(dir string) (*watchdog, error) {
	if err := os.Mkdir(filepath.Join(dir, "pids"), 0o700); err != nil {
		return nil, err
	}
	cmd := exec.Command("/bin/sh", "-c", watch, "watchdog", dir) //nolint:noctx // it outlives every context
	cmd.SysProcAttr = toolchain.OwnGroup()                       // Ctrl-C ends what it watches over, not itself
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the watchdog of the control plane: %w", err)
	}
	return &watchdog{dir: dir, cmd: cmd, pipe: pipe}, nil
}

// leash writes a script that runs binary in place of itself and tells the watchdog which process that is, and
// returns the script's path. The process that the script runs must lead a process group, as envtest's processes do. Its output
// goes to a file, so that a failed start can be explained. Before each start envtest asks a binary for its flags, to find out
// whether it is one of long ago. The script names none, without a call of the binary: two such calls take 0.2 s of a processor.
func (w *watchdog) leash(binary string) (string, error) {
	name := filepath.Base(binary)
	path := filepath.Join(w.dir, "run-"+name)
	script := fmt.Sprintf(`#!/bin/sh
binary=%s dir=%s
[ "$1" != --help ] || exit 0
echo $$ >"$dir/pids/%s"
[ ! -e "$dir/over" ] || exit 1
exec "$binary" "$@" >>"$dir/%s.log" 2>&1
`, quote(binary), quote(w.dir), name, name)
	return path, os.WriteFile(path, []byte(script), 0o700) //nolint:gosec // a script must be executable
}

// kill ends what was started through leash and returns when it and the watchdog have ended.
func (w *watchdog) kill() error {
	w.once.Do(func() {
		_ = w.pipe.Close() // its only effect, the end of the watchdog's input, is waited for below
		if err := w.cmd.Wait(); err != nil {
			w.err = fmt.Errorf("killing the control plane: %w", err)
		}
	})
	return w.err
}

// stopped tells the watchdog that everything it watched has ended, so that it does not signal
// processes that were given the same ids since.
func (w *watchdog) stopped() error {
	pids, err := filepath.Glob(w.pidFile("*"))
	for _, pid := range pids {
		err = errors.Join(err, os.Remove(pid))
	}
	return err
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// lastLines returns the end of the output of etcd and kube-apiserver.
func lastLines(dir string, n int) string {
	logs, _ := filepath.Glob(filepath.Join(dir, "*.log")) // the pattern is well-formed
	var b strings.Builder
	for _, log := range logs {
		content, err := os.ReadFile(log)
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(content)), "\n")
		fmt.Fprintf(&b, "--- %s\n%s\n", filepath.Base(log), strings.Join(lines[max(0, len(lines)-n):], "\n"))
	}
	return b.String()
}
