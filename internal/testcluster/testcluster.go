// Package testcluster gives tests a real etcd and kube-apiserver on loopback, which another process runs (package
// controlplane, by way of package lend), and puts faults between a client and the server on demand. Most test packages use
// it: it imports neither controller-runtime nor client-go's typed clients, which take longer to link than all else.
//
// It never uses a cluster that is there already, nor reads a kubeconfig: neither KUBECONFIG nor
// USE_EXISTING_CLUSTER has an effect. There are no controllers: a deleted namespace stays Terminating,
// and nothing is scheduled. RBAC is on.
//
// It knows Kubernetes, and must not know the engine, the provider or what a test expects.
package testcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Cluster is a control plane that runs. Its methods may be called concurrently.
type Cluster struct {
	// Config is that of an administrator, and does not throttle. Copy before changing it.
	Config *rest.Config

	client Client
	user   func(name string) (*rest.Config, error) // makes a client certificate
}

// New is the cluster whose administrator has a configuration, and which makes client certificates so.
func New(cfg *rest.Config, user func(name string) (*rest.Config, error)) (*Cluster, error) {
	client, err := NewClient(cfg)
	return &Cluster{Config: cfg, client: client, user: user}, err
}

// Client is a typed client that is independent of the provider, for setting live objects up and checking them.
func (c *Cluster) Client() Client { return c.client }

// ErrNoBinaries reports that the cache lacks etcd or kube-apiserver. [Binaries] wraps it.
var ErrNoBinaries = errors.New("no control plane to run")

// EnvVersion names the Kubernetes version to run instead of the pinned one. tools/build.sh reads it too.
const EnvVersion = "K8S_VERSION"

// Binaries finds etcd and kube-apiserver in the folder that KUBEBUILDER_ASSETS names, or in the cache that tools/build.sh
// fills. K8S_VERSION and CONTROLPLANE choose what is used of the cache. Either one overrides KUBEBUILDER_ASSETS.
func Binaries(ctx context.Context) (etcd, apiserver string, err error) {
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets != "" && os.Getenv(EnvVersion) == "" && os.Getenv("CONTROLPLANE") == "" {
		etcd, apiserver = filepath.Join(assets, "etcd"), filepath.Join(assets, "kube-apiserver")
		if !toolchain.Executable(etcd) || !toolchain.Executable(apiserver) {
			// Not ErrNoBinaries: the user chose this folder.
			return "", "", fmt.Errorf("KUBEBUILDER_ASSETS names %s, which lacks etcd or kube-apiserver", assets)
		}
		return etcd, apiserver, nil
	}
	if etcd, err = binary(ctx, "etcd"); err != nil {
		return "", "", err
	}
	if apiserver, err = binary(ctx, "kube-apiserver"); err != nil {
		return "", "", err
	}
	return etcd, apiserver, nil
}

func binary(ctx context.Context, name string) (string, error) {
	path, err := toolchain.Path(ctx, name)
	if err != nil {
		return "", err
	}
	if !toolchain.Executable(path) {
		command := "make controlplane"
		for _, variable := range []string{EnvVersion, "CONTROLPLANE"} {
			if value := os.Getenv(variable); value != "" {
				command += " " + variable + "=" + value
			}
		}
		return "", fmt.Errorf("%w: %s is missing: run `%s`, or set KUBEBUILDER_ASSETS", ErrNoBinaries, path, command)
	}
	return path, nil
}
