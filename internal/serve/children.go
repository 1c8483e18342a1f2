//go:build linux || darwin

package serve

import (
	"errors"
	"os"
	"syscall"
)

// childrenEnd gives what ends the processes that this one has started, with those that they have started. They are the commands of exec plugins, which
// client-go starts, and does not end. After that nothing is started.
func childrenEnd() (end func()) {
	return func() {
		syscall.ForkLock.RLock() // for good: another request that waits for a command would start it again, once this one has ended
		if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); errors.Is(err, syscall.ECHILD) {
			return // nearly always, and to look through all processes takes long
		}
		parents, ending := parents(), map[int]bool{os.Getpid(): true}
		for found := true; found; {
			found = false
			for child, parent := range parents {
				if ending[parent] && !ending[child] {
					ending[child], found = true, true
				}
			}
		}
		delete(ending, os.Getpid())
		for pid := range ending {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill() // it may have ended
			}
		}
	}
}
