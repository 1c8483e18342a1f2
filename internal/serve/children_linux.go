package serve

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// parents has the parent of each process.
func parents() map[int]int {
	all := map[int]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid: the name may hold anything.
		fields := bytes.Fields(content[bytes.LastIndexByte(content, ')')+1:])
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(string(fields[1])); err == nil {
			all[pid] = parent
		}
	}
	return all
}
