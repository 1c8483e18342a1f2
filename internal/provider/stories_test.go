package provider

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// storyTest is what a story's `terraform test` makes of the ConfigMap that it makes.
type storyTest struct {
	configMap string
	runs      int
	went      func(t *testing.T, through []data)
}

// storyTests is by the folder under examples/.
var storyTests = map[string]storyTest{
	"canary-rollout": {
		configMap: "checkout-traffic-test", runs: 9, went: exactly(
			nil, data{"canary_percent": "0"}, data{"canary_percent": "10"}, data{"canary_percent": "50"}, data{"canary_percent": "100"},
			data{"canary_percent": "0"}, nil,
		),
	},
	"port-allocation": {configMap: "port-registry-test", runs: 9, went: numbered},
	"wait-for-migration": {
		configMap: "checkout-release-test", runs: 8, went: exactly(
			nil, data{"schema": "41", "version": "2.7.0"}, data{"schema": "42", "version": "2.7.0"},
			data{"schema": "42", "version": "2.8.0"}, data{"schema": "43", "version": "2.8.0"},
		),
	},
}

// exactly is what a ConfigMap must have held, one after the other.
func exactly(want ...data) func(*testing.T, []data) {
	return func(t *testing.T, through []data) {
		t.Helper()
		if diff := cmp.Diff(want, through); diff != "" {
			t.Errorf("the ConfigMap went through (-want +got):\n%s", diff)
		}
	}
}

func numbered(t *testing.T, through []data) {
	t.Helper()
	for _, d := range through {
		t.Log(d)
	}
}

// With dev_overrides, as whoever has built the provider runs it.
func TestStoriesTestThemselves(t *testing.T) {
	t.Parallel()
	for folder, story := range storyTests {
		t.Run(folder, func(t *testing.T) {
			f := newFixture(t)
			p := &pipeline{fixture: f, cli: testcli.New(t)}
			p.tell(folder)
			went := f.follow(story.configMap)
			p.do("get")
			out := p.do("test")
			p.wants(out, fmt.Sprintf("Success! %d passed, 0 failed.", story.runs))
			story.went(t, went())
		})
	}
}

// tell puts a story into the workspace, and makes the fixture's cluster and namespace those that it is about.
func (p *pipeline) tell(folder string) {
	p.Helper()
	if err := os.CopyFS(p.cli.Dir, os.DirFS(filepath.Join("../../examples", folder))); err != nil {
		p.Fatal(err)
	}
	p.cli.Env = append(p.cli.Env, "KUBE_CONFIG_PATH="+p.kubeconfig, "TF_VAR_namespace="+p.namespace)
}

// follow watches a ConfigMap that is not there yet from now on. What it returns waits until the ConfigMap is gone, and returns what
// it held in between, one after the other.
func (f *fixture) follow(name string) func() []data {
	f.Helper()
	maps := f.cluster.Client().CoreV1().ConfigMaps(f.namespace)
	list, err := maps.List(f.Context(), metav1.ListOptions{})
	if err != nil {
		f.Fatal(err)
	}
	events, err := maps.Watch(f.Context(), metav1.ListOptions{
		ResourceVersion: list.ResourceVersion, FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String(),
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(events.Stop)
	return func() (through []data) {
		f.Helper()
		for event := range events.ResultChan() {
			cm, ok := event.Object.(*corev1.ConfigMap)
			if !ok {
				f.Fatalf("watching %s: %v", name, event.Object)
			}
			if event.Type == watch.Deleted {
				return through
			}
			if len(through) == 0 || !cmp.Equal(through[len(through)-1], data(cm.Data)) {
				through = append(through, cm.Data)
			}
		}
		f.Fatalf("the watch ended before %s was gone", name)
		return nil
	}
}

var _ = errors.New
var _ = regexp.MustCompile
var _ = strings.Cut
