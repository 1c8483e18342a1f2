package controlplane

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports from 20000 to 32767 are below the range from which Linux chooses ports. So a component that was killed finds its
// port free when it starts again, and no listener takes a port between its choice and the start of the component.
const (
	firstPort  = 20000
	afterPorts = 32768
	blockSize  = 4
)

// reservePorts returns a block of free ports on loopback. The lock listens on the first one, and keeps other processes
// from reserving the block until the caller closes it.
func reservePorts(ctx context.Context) (lock net.Listener, ports []int, err error) {
	for range 100 {
		first := firstPort + blockSize*rand.IntN((afterPorts-firstPort)/blockSize) //nolint:gosec // no secret
		if lock, err = listen(ctx, first); err != nil {
			continue
		}
		ports = nil
		for port := first + 1; port < first+blockSize; port++ {
			var l net.Listener
			if l, err = listen(ctx, port); err != nil {
				break
			}
			ports = append(ports, port)
			_ = l.Close()
		}
		if err == nil {
			return lock, ports, nil
		}
		_ = lock.Close()
	}
	return nil, nil, errors.Join(errors.New("no free block of ports"), err)
}

func listen(ctx context.Context, port int) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp", loopback(port))
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
