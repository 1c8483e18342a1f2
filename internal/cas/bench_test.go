package cas

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// BenchmarkSwaps has keys of one ConfigMap written, as many at a time as it says, by the engine and by what one would write
// with client-go. All in one run on one control plane: compare the ratios, not the times. One iteration is all keys.
func BenchmarkSwaps(b *testing.B) {
	c := testcluster.Shared(b)
	namespace := c.Namespace(b)
	writers := map[string]func(*rest.Config, Ref) func(key, from, to string) error{
		// Compare-and-swap: each key only if it holds what it should, all siblings conditional on what the "plan" saw.
		"engine": func(config *rest.Config, ref Ref) func(key, from, to string) error {
			e, err := New(config, nil)
			if err != nil {
				b.Fatal(err)
			}
			planned, err := e.Observe(b.Context(), ref, 0)
			if err != nil {
				b.Fatal(err)
			}
			return func(key, from, to string) error {
				_, err := e.Swap(b.Context(), Swap{
					Ref: ref, Key: key, Expect: Text(from), New: Text(to), At: []Version{planned.Version()}, FieldManager: "bench",
				})
				return err
			}
		},
		// The textbook's loop, which compares the key itself.
		"get-update-retry": func(config *rest.Config, ref Ref) func(key, from, to string) error {
			client := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(ref.Namespace)
			forever := retry.DefaultBackoff
			forever.Steps = 1000
			return func(key, from, to string) error {
				return retry.RetryOnConflict(forever, func() error {
					cm, err := client.Get(b.Context(), ref.Name, metav1.GetOptions{})
					if err != nil {
						return err
					}
					if cm.Data[key] != from {
						return fmt.Errorf("%s is %q", key, cm.Data[key])
					}
					cm.Data[key] = to
					_, err = client.Update(b.Context(), cm, metav1.UpdateOptions{})
					return err
				})
			}
		},
		// The floor of one request a write: nothing is compared.
		"blind-merge-patch": func(config *rest.Config, ref Ref) func(key, from, to string) error {
			client := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(ref.Namespace)
			return func(key, _, to string) error {
				_, err := client.Patch(b.Context(), ref.Name, types.MergePatchType,
					fmt.Appendf(nil, `{"data":{%q:%q}}`, key, to), metav1.PatchOptions{})
				return err
			}
		},
	}
	for _, parallel := range []int{1, 10} {
		for size, keys := range map[int]int{1 << 10: 200, 900 << 10: 20} { // etcd keeps every version, and has 2 GiB
			for _, name := range []string{"engine", "get-update-retry", "blind-merge-patch"} {
				b.Run(fmt.Sprintf("at-a-time=%d/object=%dKiB/keys=%d/%s", parallel, size>>10, keys, name), func(b *testing.B) {
					data := map[string]string{"padding": strings.Repeat("x", size)}
					for i := range keys {
						data[fmt.Sprint("k", i)] = "0"
					}
					cm, err := c.Client().CoreV1().ConfigMaps(namespace).Create(context.Background(), &corev1.ConfigMap{
						ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"}, Data: data,
					}, metav1.CreateOptions{})
					if err != nil {
						b.Fatal(err)
					}
					var requests atomic.Int64
					config := rest.CopyConfig(c.Config)
					config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
						return roundTripper(func(r *http.Request) (*http.Response, error) {
							requests.Add(1)
							return rt.RoundTrip(r)
						})
					})
					ref := Ref{Namespace: namespace, Name: cm.Name}
					for n := 0; b.Loop(); n++ {
						write := writers[name](config, ref) // an engine of its own, as each apply has
						slots := make(chan struct{}, parallel)
						var wg sync.WaitGroup
						for i := range keys {
							slots <- struct{}{}
							wg.Go(func() {
								defer func() { <-slots }()
								if err := write(fmt.Sprint("k", i), fmt.Sprint(n), fmt.Sprint(n+1)); err != nil {
									b.Error(err)
								}
							})
						}
						wg.Wait()
					}
					b.ReportMetric(float64(requests.Load())/float64(b.N*keys), "requests/write")
				})
			}
		}
	}
}
