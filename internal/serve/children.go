//go:build linux || darwin

package serve

import "os"

// childrenEnd gives what ends the processes that this one has started, with those that they have started. They are the commands of exec plugins, which
// client-go starts, and does not end.
func childrenEnd() (end func()) {
	return func() {
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
