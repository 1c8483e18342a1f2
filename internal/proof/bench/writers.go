package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// writeFunc sets one key, where the writer compares only if it holds from.
type writeFunc func(ctx context.Context, ref cas.Ref, key, from, to string) error

// writer is one way to write keys. open makes a client of its own, as each apply has.
type writer struct {
	name string
	open func(*rest.Config) (writeFunc, error)
}

const (
	writerEngine = "engine"
	writerLoop   = "get, update, retry"
	writerBlind  = "blind merge patch"
)

var writers = []writer{{writerEngine, openEngine}, {writerLoop, openLoop}, {writerBlind, openBlind}}

// openEngine compares and swaps.
func openEngine(config *rest.Config) (writeFunc, error) {
	engine, err := cas.New(config, nil)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, ref cas.Ref, key, from, to string) error {
		_, err := engine.Swap(ctx, cas.Swap{Ref: ref, Key: key, Expect: cas.Text(from), New: cas.Text(to), FieldManager: "bench"})
		return err
	}, nil
}

// openLoop is the textbook's loop: it compares the key itself, and on a conflict starts again after client-go's recommended
// pause. It never gives up, as the textbook's would after five times.
func openLoop(config *rest.Config) (writeFunc, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	forever := retry.DefaultRetry
	forever.Steps = 1 << 30
	return func(ctx context.Context, ref cas.Ref, key, from, to string) error {
		maps := client.CoreV1().ConfigMaps(ref.Namespace)
		return retry.RetryOnConflict(forever, func() error {
			cm, err := maps.Get(ctx, ref.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if cm.Data[key] != from {
				return fmt.Errorf("%s holds %q, not %q", key, cm.Data[key], from)
			}
			cm.Data[key] = to
			_, err = maps.Update(ctx, cm, metav1.UpdateOptions{FieldManager: "bench"})
			return err
		})
	}, nil
}

// openBlind compares nothing: the least that a write of its own can cost.
func openBlind(config *rest.Config) (writeFunc, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, ref cas.Ref, key, _, to string) error {
		_, err := client.CoreV1().ConfigMaps(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType,
			fmt.Appendf(nil, `{"data":{%q:%q}}`, key, to), metav1.PatchOptions{FieldManager: "bench"})
		return err
	}, nil
}
