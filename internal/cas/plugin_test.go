package cas

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// hanging is a client's configuration whose exec plugin does not answer while the file begun is there, which it writes when it starts: as long as the test runs.
func (f *fixture) hanging() (config *rest.Config, command, begun string) {
	f.Helper()
	dir := f.TempDir()
	command, begun = filepath.Join(dir, "plugin"), filepath.Join(dir, "begun")
	script := "#!/bin/sh\necho > " + begun + "\nwhile test -e " + begun + "; do sleep 0.1; done\n"
	if err := os.WriteFile(command, []byte(script), 0o700); err != nil {
		f.Fatal(err)
	}
	config = rest.AnonymousClientConfig(f.proxy.Config)
	config.ExecProvider = &clientcmdapi.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: command, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
	return config, command, begun
}

// Given an exec plugin that does not answer; when the caller's context ends, or the Engine is closed; then the call says that it is the plugin, nothing was
// sent, and no call is under way any more.
func TestExecPluginThatHangs(t *testing.T) {
	for name, closes := range map[string]bool{"canceled": false, "closed": true} {
		for what, call := range map[string]func(context.Context, *fixture) error{
			"read": func(ctx context.Context, f *fixture) error {
				_, err := f.engine.Observe(ctx, f.ref, "", 0)
				return err
			},
			"write": func(ctx context.Context, f *fixture) error {
				_, err := f.engine.Commit(ctx, &eval.Txn{Ref: f.ref, Keys: []eval.KeySwap{{Key: "foo", Expect: one, New: two}}})
				return err
			},
			"list": func(ctx context.Context, f *fixture) error {
				for _, err := range f.engine.List(ctx, Selection{Namespace: f.ref.Namespace}) {
					return err
				}
				return nil
			},
		} {
			t.Run(what+" "+name, func(t *testing.T) {
				f := newFixture(t, map[string]string{"foo": "1"})
				config, command, begun := f.hanging()
				f.engine = f.newEngine(config)
				f.proxy.Reset()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() { ended <- call(ctx, f) }()
				<-waitFor(func() bool { _, err := os.Stat(begun); return err == nil })
				if closes {
					f.engine.Close()
				} else {
					cancel()
				}
				err := <-ended
				var canceled *eval.CanceledError
				if isCanceled := errors.As(err, &canceled); !isCanceled && !errors.Is(err, wire.ErrNoCredentials) || isCanceled && canceled.Plugin != command {
					t.Errorf("%#v, want a word about %s", err, command)
				}
				f.engine.Close()
				if n := f.proxy.Count(); n != 0 {
					t.Errorf("%d requests", n)
				}
				f.wantData(map[string]string{"foo": "1"})
			})
		}
	}
}
