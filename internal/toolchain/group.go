package toolchain

import "syscall"

// OwnGroup has a command lead a process group of its own, so that a signal to the group of this process, which is what
// Ctrl-C on a terminal is, does not reach it.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
