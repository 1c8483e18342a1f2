package docs

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// storyTest describes the ConfigMap that a story's `terraform test` creates and changes.
type storyTest struct {
	configMap string
	runs      int
	went      func(t *testing.T, through []fixture.Data)
}

// storyTests is by the folder under examples/.
var storyTests = map[string]storyTest{
	"canary-rollout": {
		configMap: "checkout-traffic-test", runs: 9, went: exactly(
			nil, fixture.Data{"canary_percent": "0"}, fixture.Data{"canary_percent": "10"}, fixture.Data{"canary_percent": "50"}, fixture.Data{"canary_percent": "100"},
			fixture.Data{"canary_percent": "0"}, nil,
		),
	},
	"port-allocation": {configMap: "port-registry-test", runs: 10, went: numbered},
	"wait-for-migration": {
		configMap: "checkout-release-test", runs: 8, went: exactly(
			nil, fixture.Data{"schema": "41", "version": "2.7.0"}, fixture.Data{"schema": "42", "version": "2.7.0"},
			fixture.Data{"schema": "42", "version": "2.8.0"}, fixture.Data{"schema": "43", "version": "2.8.0"},
		),
	},
}

// exactly requires the contents that a ConfigMap had, one after the other.
func exactly(want ...fixture.Data) func(*testing.T, []fixture.Data) {
	return func(t *testing.T, through []fixture.Data) {
		t.Helper()
		if diff := cmp.Diff(want, through); diff != "" {
			t.Errorf("the ConfigMap went through (-want +got):\n%s", diff)
		}
	}
}

// numbered checks a registry of ports at any time. The next free port only grows, and is above all ports that are held.
// Ports are distinct and do not change while they are held. In the end only the next free port remains.
func numbered(t *testing.T, through []fixture.Data) {
	t.Helper()
	number := func(text string) int {
		if text == "" {
			return 30000 // the value of an absent key
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	before, held := fixture.Data{}, map[string]string{} // held: by port, who has ever had it
	for _, now := range through {
		next := number(now["next_port"])
		if next < number(before["next_port"]) {
			t.Errorf("the next free port fell: %v, then %v", before, now)
		}
		for service, port := range now {
			if service == "next_port" {
				continue
			}
			if was, found := before[service]; found && was != port || number(port) >= next {
				t.Errorf("%s has %s: %v, then %v", service, port, before, now)
			}
			if by, found := held[port]; found && by != service {
				t.Errorf("%s had %s before %s has it", by, port, service)
			}
			held[port] = service
		}
		before = now
	}
	if diff := cmp.Diff(fixture.Data{"next_port": "30007"}, before); diff != "" {
		t.Errorf("the registry ended with (-want +got):\n%s", diff)
	}
	if len(held) != 6 {
		t.Errorf("%v were held, want 6 ports", held)
	}
}

// With dev_overrides, as somebody who has built the provider runs it.
func TestStoriesTestThemselves(t *testing.T) {
	t.Parallel()
	for folder, test := range storyTests {
		t.Run(folder, func(t *testing.T) {
			s := tell(t, folder)
			went := follow(s.Fixture, test.configMap)
			s.Do("get") // in place of init
			out := s.Do("test")
			if s.Wants(out, fmt.Sprintf("Success! %d passed, 0 failed.", test.runs)); t.Failed() {
				return
			}
			test.went(t, went())
			if !testcli.Shows(s.blocks[len(s.blocks)-1].Text, out) {
				t.Errorf("the README shows\n%s\nof\n%s", s.blocks[len(s.blocks)-1].Text, out)
			}
		})
	}
}

// follow watches a ConfigMap that does not exist yet. The returned function waits until the ConfigMap is deleted, and returns
// the contents in between, one after the other.
func follow(f *fixture.Fixture, name string) func() []fixture.Data {
	f.Helper()
	var through []fixture.Data
	gone := observe(f, name, f.Cluster.Client().CoreV1().ConfigMaps(f.Namespace), func(o runtime.Object) {
		if cm, ok := o.(*corev1.ConfigMap); ok && (len(through) == 0 || !cmp.Equal(through[len(through)-1], cm.Data)) {
			through = append(through, cm.Data)
		}
	})
	return func() []fixture.Data {
		gone()
		return through
	}
}

// watchable is a kind of objects of one namespace.
type watchable interface {
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// observe watches an object that does not exist yet. The returned function waits until the object is deleted, and calls was
// with each state of the object in between.
func observe(f *fixture.Fixture, name string, of watchable, was func(runtime.Object)) (gone func()) {
	f.Helper()
	events, err := of.Watch(f.Context(), metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(events.Stop)
	return func() {
		f.Helper()
		for event := range events.ResultChan() {
			switch event.Type {
			case watch.Deleted:
				return
			case watch.Error:
				f.Fatalf("watching %s: %v", name, event.Object)
			default:
				was(event.Object)
			}
		}
		f.Fatalf("the watch ended before %s was gone", name)
	}
}
