//go:build !unix

package toolchain

import "syscall"

// OwnGroup does nothing here.
func OwnGroup() *syscall.SysProcAttr { return nil }
