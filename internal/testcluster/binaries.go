package testcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// ErrNoBinaries is what [Binaries] returns, wrapped, where there is no etcd or no kube-apiserver to run, and KUBEBUILDER_ASSETS names none.
var ErrNoBinaries = errors.New("no control plane to run")

// EnvVersion names the Kubernetes version to run where that is not the pinned one. tools/build.sh reads it too.
const EnvVersion = "K8S_VERSION"

// Binaries finds etcd and kube-apiserver: of K8S_VERSION in the cache that tools/build.sh fills, where that is set; else in
// KUBEBUILDER_ASSETS, where that is; else in bin/ of the repository, or those that are pinned in the cache.
func Binaries(ctx context.Context) (etcd, apiserver string, err error) {
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" && os.Getenv(EnvVersion) == "" {
		etcd, apiserver = filepath.Join(assets, "etcd"), filepath.Join(assets, "kube-apiserver")
		if !toolchain.Executable(etcd) || !toolchain.Executable(apiserver) {
			return "", "", fmt.Errorf("KUBEBUILDER_ASSETS names %s, which lacks etcd or kube-apiserver", assets) // which somebody asked for
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
	root, err := toolchain.Root()
	if err != nil {
		return "", err
	}
	if path := filepath.Join(root, "bin", name); os.Getenv(EnvVersion) == "" && toolchain.Executable(path) {
		return path, nil
	}
	path, err := toolchain.Path(ctx, name)
	if err != nil {
		return "", err
	}
	if !toolchain.Executable(path) {
		if version := os.Getenv(EnvVersion); version != "" {
			return "", fmt.Errorf("%w: %s of K8S_VERSION=%s is not built: run `make controlplane K8S_VERSION=%[3]s`", ErrNoBinaries, name, version)
		}
		return "", fmt.Errorf("%w: %s is not built: run `make controlplane`, or set KUBEBUILDER_ASSETS", ErrNoBinaries, name)
	}
	return path, nil
}
