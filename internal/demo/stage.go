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

// stage is what the demo plays on: a cluster with a namespace in it, and a workspace with the quickstart in it.
type stage struct {
	client     testcluster.Client
	kubeconfig string
	namespace  string
	workspace  *testcli.Workspace
	// undo is what tearDown does, the last one first. Each must work when ctx has ended.
	undo []func() error
}

// setUp returns a stage with whatever is to be torn down, also beside an error.
func setUp(ctx context.Context, dir, provider, kubeconfig string) (*stage, error) {
	s := &stage{undo: []func() error{testcli.Cleanup}}
	cli, err := testcli.Find()
	if err != nil {
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
	if kubeconfig == "" {
		err = s.startCluster(ctx, dir)
	} else {
		err = s.useCluster(ctx, kubeconfig)
	}
	if err != nil {
		return s, err
	}
	return s, s.openWorkspace(ctx, dir, cli, provider)
}

// startCluster starts a control plane that is the demo's own.
func (s *stage) startCluster(ctx context.Context, dir string) error {
	say("Starting etcd and kube-apiserver on loopback")
	cluster, err := controlplane.Start(ctx)
	if err != nil {
		return err
	}
	s.undo = append(s.undo, func() error {
		say("Stopping etcd and kube-apiserver")
		return cluster.Stop()
	})
	s.client, s.namespace = cluster.Client(), metav1.NamespaceDefault
	s.kubeconfig = filepath.Join(dir, "kubeconfig")
	note("kube-apiserver answers at %s", cluster.Config.Host)
	return testcluster.WriteContext(s.kubeconfig, contextName, cluster.Config)
}

// useCluster uses the current context of a kubeconfig, and makes a namespace there.
func (s *stage) useCluster(ctx context.Context, kubeconfig string) error {
	path, err := absolute(kubeconfig)
	if err != nil {
		return err
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return err
	}
	if s.client, err = testcluster.NewClient(cfg); err != nil {
		return err
	}
	namespaces := s.client.CoreV1().Namespaces()
	// Not broken off: a namespace that was made and not heard of would stay.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	ns, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "cas-demo-"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.undo = append(s.undo, func() error {
		say("Removing namespace %s", ns.Name)
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		return namespaces.Delete(ctx, ns.Name, metav1.DeleteOptions{})
	})
	s.kubeconfig, s.namespace = path, ns.Name
	say("Using %s, in namespace %s, which is removed at the end", cfg.Host, ns.Name)
	return nil
}

// openWorkspace installs the provider from a local mirror, as init does from a registry.
func (s *stage) openWorkspace(ctx context.Context, dir, cli, provider string) error {
	root, err := toolchain.Root()
	if err != nil {
		return err
	}
	installation, err := testcli.Mirror(filepath.Join(dir, "mirror"), provider)
	if err != nil {
		return err
	}
	if s.workspace, err = testcli.Open(ctx, dir, cli, installation); err != nil {
		return err
	}
	if err := os.CopyFS(s.workspace.Dir, os.DirFS(filepath.Join(root, "examples", "quickstart"))); err != nil {
		return err
	}
	s.workspace.Env = append(s.workspace.Env, "TF_VAR_config_path="+s.kubeconfig, "TF_VAR_namespace="+s.namespace)
	if r := s.workspace.Run("init"); r.ExitCode != 0 {
		return fmt.Errorf("%s init ended with %d:\n%s", filepath.Base(cli), r.ExitCode, r.All())
	}
	return ctx.Err()
}

func (s *stage) tearDown() error {
	var errs []error
	for i := len(s.undo) - 1; i >= 0; i-- {
		errs = append(errs, s.undo[i]())
	}
	return errors.Join(errs...)
}
