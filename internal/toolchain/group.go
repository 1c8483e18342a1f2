package toolchain

import (
	"os"
	"syscall"
)

// OwnGroup has a command lead a process group of its own, so that a signal to the group of this process, which is what
// Ctrl-C on a terminal is, does not reach it.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// InterruptGroup interrupts a process that has a group of its own, and all others in it.
func InterruptGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGINT) }
