//go:build unix

package testcluster

import "syscall"

// ownGroup keeps a signal to the group of this process, such as Ctrl-C on a terminal, from the watchdog.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
