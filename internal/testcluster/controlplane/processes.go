package controlplane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// An action on a process must end before the next one begins.

// Own is a cluster that this test alone uses, and whose processes it may kill. It is stopped when the test ends. Without binaries it is
// as with [testcluster.Shared].
func Own(t testing.TB, options ...Option) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), options...)
	testcluster.MustRun(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// The processes, by the names of their binaries.
const (
	etcdName      = "etcd"
	apiserverName = "kube-apiserver"
)

// KillAPIServer kills kube-apiserver with SIGKILL, and returns when it has ended.
func (c *Cluster) KillAPIServer() error { return c.dog.killOne(apiserverName) }

// StartAPIServer starts a killed kube-apiserver again, at the same address and with the same certificates, and returns when
// it says that it is well.
func (c *Cluster) StartAPIServer() error { return c.env.ControlPlane.GetAPIServer().Start() }

// KillEtcd kills etcd with SIGKILL, and returns when it has ended. It keeps all acknowledged writes.
func (c *Cluster) KillEtcd() error { return c.dog.killOne(etcdName) }

// StartEtcd starts a killed etcd again, at the same address and on the same data, and returns when it says that it is well.
// kube-apiserver finds it by itself.
func (c *Cluster) StartEtcd() error { return c.env.ControlPlane.Etcd.Start() }

// FreezeEtcd stops etcd where it is: connections stay, and nothing is answered as soon as the signal has reached it. Freezing twice is no error.
func (c *Cluster) FreezeEtcd() error { return c.dog.signal(etcdName, syscall.SIGSTOP) }

// ThawEtcd lets a frozen etcd go on, with all that it was asked meanwhile. It is no error where etcd runs.
func (c *Cluster) ThawEtcd() error { return c.dog.signal(etcdName, syscall.SIGCONT) }

// pid is the process that was last started through leash from the binary of that name, and leads a group of its own.
func (w *watchdog) pid(name string) (int, error) {
	content, err := os.ReadFile(w.pidFile(name))
	if errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("%s does not run", name)
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(content)))
}

func (w *watchdog) pidFile(name string) string { return filepath.Join(w.dir, "pids", name) }

func (w *watchdog) signal(name string, signal syscall.Signal) error {
	pid, err := w.pid(name)
	if err != nil {
		return err
	}
	return syscall.Kill(-pid, signal)
}

// killOne ends one process, and has the watchdog forget it: its id may belong to another process later.
func (w *watchdog) killOne(name string) error {
	pid, err := w.pid(name)
	if err != nil {
		return err
	}
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		return err
	}
	for deadline := time.Now().Add(componentTimeout); !errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH); {
		if time.Now().After(deadline) {
			return fmt.Errorf("%s does not end", name)
		}
		time.Sleep(time.Millisecond) // envtest waits for it, without a signal
	}
	return os.Remove(w.pidFile(name))
}
