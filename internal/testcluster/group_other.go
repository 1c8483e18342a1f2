//go:build !unix

package testcluster

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }
