package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// contextName is the context in the kubeconfig of a new control plane. The playground's configuration names it.
const contextName = "playground"

// playground runs a control plane with a ConfigMap until ctx ends. It creates the folder with a kubeconfig and the
// configuration of the guide, and removes the folder at the end.
func playground(ctx context.Context, folder string) (err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return err
	}
	if err = os.Mkdir(folder, 0o700); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists. If no other playground is running, remove it", folder)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

	s := &stage{dir: folder}
	defer func() { err = errors.Join(err, s.tearDown()) }()
	err = s.furnish(ctx)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	say("The playground is ready")
	explain(`kubeconfig: %[1]s, context %[2]s
configuration: %[3]s/main.tf

In another terminal:

  cd %[3]s
  terraform init
  terraform plan -out=swap.tfplan
  terraform apply swap.tfplan
  kubectl --kubeconfig=kubeconfig get configmap testmap --output=yaml

With OpenTofu, type tofu. If init does not find the provider, run make install.
Ctrl-C stops the control plane and removes the folder.`, s.kubeconfig, contextName, folder)
	<-ctx.Done()
	return nil
}

// furnish copies the configuration into the folder, starts the control plane, and creates the ConfigMap.
func (s *stage) furnish(ctx context.Context) error {
	root, err := toolchain.Root()
	if err != nil {
		return err
	}
	if err := os.CopyFS(s.dir, os.DirFS(filepath.Join(root, "examples", "guides", "getting-started"))); err != nil {
		return err
	}
	if err := s.startCluster(ctx); err != nil {
		return err
	}
	return s.create(ctx, "testmap", "foo", "1")
}
