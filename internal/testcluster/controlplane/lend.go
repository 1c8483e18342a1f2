package controlplane

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Lend serves kubeconfigs of the cluster at a Unix socket, for [testcluster.Shared] in other processes, until the cluster stops: one of the
// administrator, and of each user that is asked for. The path is the same in each run of a checkout, so that go test can reuse its
// results, unless another run is under way there.
func (c *Cluster) Lend() (path string, err error) {
	socket := filepath.Join(c.dir, "lent.sock") // in a folder that nobody else may enter
	listener, err := net.Listen("unix", socket) //nolint:noctx // it listens at once, or not
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: c.Cluster, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until it is closed
	link, unlink, err := linkTo(socket)
	if err != nil { // of another run, or of another user
		link, unlink = socket, func() error { return nil }
	}
	c.lent = func() error { return errors.Join(unlink(), server.Close()) }
	return link, nil
}

// linkTo makes the link to the socket that has the same path in each run of a checkout. A lock, which ends with its process, shows the owner.
func linkTo(socket string) (link string, unlink func() error, err error) {
	root, err := toolchain.Root()
	if err != nil {
		return "", nil, err
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(root)) // never fails
	link = filepath.Join(os.TempDir(), fmt.Sprintf("terraform-provider-cas-%x.sock", hash.Sum64()))
	lock, err := os.OpenFile(link+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, err
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_ = os.Remove(link) // left by a run that was killed
		err = os.Symlink(socket, link)
	}
	if err != nil {
		return "", nil, errors.Join(err, lock.Close())
	}
	return link, func() error { return errors.Join(os.Remove(link), lock.Close()) }, nil
}
