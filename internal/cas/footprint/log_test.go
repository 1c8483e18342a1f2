package footprint

import (
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const (
	oldPlant = "planted, the old value"
	newPlant = "planted, the new value"
)

// warned collects warnings.
type warned struct{ testcluster.Log }

func (w *warned) HandleWarningHeader(_ int, _, text string) { fmt.Fprintln(w, text) }

// Given client-go at its highest verbosity, an object as large as one may be that is read twice, and an API server that warns about it; then no
// body of a Secret is logged, and no warning.
//
//nolint:paralleltest // klog's verbosity is one for all
func TestNothingOfASecretIsLogged(t *testing.T) {
	c := testcluster.Shared(t)
	for _, kind := range []eval.Kind{eval.ConfigMap, eval.Secret} {
		t.Run(kind.String(), func(t *testing.T) {
			ref, proxy := create(t, c, kind, map[string]string{"foo": oldPlant, "large": strings.Repeat("x", 900<<10)}), c.Proxy(t)
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method != http.MethodPatch {
					return testcluster.Fault{}
				}
				return testcluster.Fault{Answered: func(r *http.Response) { r.Header.Add("Warning", `299 - "it holds `+oldPlant+`"`) }}
			})
			seen, config := &warned{}, rest.CopyConfig(proxy.Config)
			config.WarningHandler = seen
			engine := newEngine(t, config)
			state, flags, logged := klog.CaptureState(), flag.NewFlagSet("klog", flag.PanicOnError), &testcluster.Log{}
			defer state.Restore()
			klog.InitFlags(flags)
			for name, value := range map[string]string{"v": "10", "logtostderr": "false", "alsologtostderr": "false", "stderrthreshold": "FATAL"} {
				if err := flags.Set(name, value); err != nil {
					t.Fatal(err)
				}
			}
			klog.SetOutput(logged)
			swap(t, engine, ref, oldPlant, newPlant)
			if _, err := engine.Observe(t.Context(), ref, "", 0); err != nil {
				t.Fatal(err)
			}
			klog.Flush()
			if isLogged := strings.Contains(logged.String(), "Body"); isLogged != (kind == eval.ConfigMap) {
				t.Errorf("bodies are logged: %t\n%.10000s", isLogged, logged)
			}
			if strings.Contains(seen.String(), oldPlant) != (kind == eval.ConfigMap) {
				t.Errorf("warnings: %s", seen.String())
			}
		})
	}
}
