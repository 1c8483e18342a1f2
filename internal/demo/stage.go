package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// A stage is a namespace of a cluster, and a provider to install for the configurations that use the namespace.
type stage struct {
	maps       *testcluster.ConfigMaps
	kubeconfig string
	namespace  string

	dir          string // of the kubeconfig and of the workspaces
	cli          string
	installation string

	// undo lists what tearDown does, the last entry first. The functions do not depend on the context of setUp.
	undo []func() error
}

// setUp returns a stage. The caller must tear the stage down, even if setUp returns an error.
func setUp(ctx context.Context, dir, provider, kubeconfig string) (*stage, error) {
	s := &stage{dir: dir, undo: []func() error{testcli.Cleanup}}
	var err error
	if s.cli, err = testcli.Find(); err != nil {
		return s, err
	}
	if provider == "" {
		say("Building the provider")
		provider, err = testcli.Provider(ctx)
	} else {
		provider, err = absolute(provider)
	}
	if err != nil {
		return s, err
	}
	if s.installation, err = testcli.Mirror(filepath.Join(dir, "mirror"), provider); err != nil {
		return s, err
	}
	if kubeconfig == "" {
		return s, s.startCluster(ctx)
	}
	return s, s.useCluster(ctx, kubeconfig)
}

// startCluster starts a control plane, and writes a kubeconfig for it.
func (s *stage) startCluster(ctx context.Context) error {
	say("Starting etcd and kube-apiserver on loopback")
	cluster, err := controlplane.Start(ctx)
	if err != nil {
		return err
	}
	s.undo = append(s.undo, func() error {
		say("Stopping etcd and kube-apiserver")
		return cluster.Stop()
	})
	s.kubeconfig, s.namespace = filepath.Join(s.dir, "kubeconfig"), metav1.NamespaceDefault
	s.maps = cluster.Client().CoreV1().ConfigMaps(s.namespace)
	return testcluster.WriteContext(s.kubeconfig, contextName, cluster.Config)
}

// useCluster creates a namespace in the cluster of the kubeconfig's current context.
func (s *stage) useCluster(ctx context.Context, kubeconfig string) error {
	path, err := absolute(kubeconfig)
	if err != nil {
		return err
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return err
	}
	client, err := testcluster.NewClient(cfg)
	if err != nil {
		return err
	}
	namespaces := client.CoreV1().Namespaces()
	// The request continues after Ctrl-C: otherwise nobody would know the name of a namespace to delete.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "cas-demo-"}}
	ns, err = namespaces.Create(ctx, ns, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.undo = append(s.undo, func() error {
		say("Deleting namespace %s", ns.Name)
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		return namespaces.Delete(ctx, ns.Name, metav1.DeleteOptions{})
	})
	s.kubeconfig, s.namespace, s.maps = path, ns.Name, client.CoreV1().ConfigMaps(ns.Name)
	say("Using %s, in the new namespace %s", cfg.Host, ns.Name)
	return nil
}

// open copies a folder of the repository into a new workspace, where init installs the provider as from a registry.
func (s *stage) open(ctx context.Context, folder string) (*testcli.Workspace, error) {
	root, err := toolchain.Root()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(s.dir, "")
	if err != nil {
		return nil, err
	}
	w, err := testcli.Open(ctx, dir, s.cli, s.installation)
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(w.Dir, os.DirFS(filepath.Join(root, folder))); err != nil {
		return nil, err
	}
	w.Env = append(w.Env, "TF_VAR_config_path="+s.kubeconfig, "TF_VAR_namespace="+s.namespace)
	if r := w.Run("init"); r.ExitCode != 0 {
		return nil, fmt.Errorf("%s init ended with exit code %d:\n%s", filepath.Base(s.cli), r.ExitCode, r.All())
	}
	return w, ctx.Err()
}

func (s *stage) tearDown() error {
	var errs []error
	for i := len(s.undo) - 1; i >= 0; i-- {
		errs = append(errs, s.undo[i]())
	}
	return errors.Join(errs...)
}
