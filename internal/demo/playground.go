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

// contextName is that of the context in the kubeconfig of a control plane that is started here. The playground's configuration names it.
const contextName = "playground"

// playground runs a control plane with a ConfigMap in it until ctx ends. The folder, which it makes and removes, holds a kubeconfig for it
// and the configuration of the guide.
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

	s := &stage{}
	defer func() { err = errors.Join(err, s.tearDown()) }()
	err = s.furnish(ctx, folder)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	say("The playground is ready")
	note("kubeconfig: %s, context %s", s.kubeconfig, contextName)
	note("configuration: %s", filepath.Join(folder, "main.tf"))
	fmt.Printf(`
%[1]sIn another terminal:

%[1]s  cd %[2]s
%[1]s  terraform init
%[1]s  terraform plan -out=swap.tfplan
%[1]s  terraform apply swap.tfplan
%[1]s  kubectl --kubeconfig=kubeconfig get configmap testmap --output=yaml

%[1]sWith OpenTofu, type tofu. Where init does not find the provider, run make install.
%[1]sCtrl-C stops the control plane and removes the folder.
`, margin, folder)
	<-ctx.Done()
	return nil
}

// furnish puts the configuration into the folder, starts the control plane, and makes the ConfigMap.
func (s *stage) furnish(ctx context.Context, folder string) error {
	root, err := toolchain.Root()
	if err != nil {
		return err
	}
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "examples", "guides", "getting-started"))); err != nil {
		return err
	}
	if err := s.startCluster(ctx, folder); err != nil {
		return err
	}
	return s.create(ctx)
}
