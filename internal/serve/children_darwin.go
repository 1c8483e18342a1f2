package serve

import "golang.org/x/sys/unix"

// parents has the parent of each process.
func parents() map[int]int {
	all := map[int]int{}
	processes, _ := unix.SysctlKinfoProcSlice("kern.proc.all") // without it, none is ended
	for _, p := range processes {
		all[int(p.Proc.P_pid)] = int(p.Eproc.Ppid)
	}
	return all
}
