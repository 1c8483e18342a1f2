package entry

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var waitStories = map[string]behavior.Wait{
	"another sets what is expected": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(), Watches: behavior.Then(behavior.Sets("1")),
		After: fixture.Data{"foo": "2"}, Counts: behavior.WaitedOnce,
	},
	"after many writes of others": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(), After: fixture.Data{"foo": "2", "other": "19"}, Counts: behavior.WaitedOnce,
		Watches: behavior.Then(func(f *fixture.Fixture) {
			for i := range 20 {
				f.Set("testmap", "foo", fmt.Sprint("not ", i))
				f.Set("testmap", "other", fmt.Sprint(i))
			}
			f.Set("testmap", "foo", "1")
		}),
	},
	"the ConfigMap is made": {
		Waits: fixture.Waiter(), After: fixture.Data{"foo": "2"}, Counts: behavior.WaitedOnce,
		Watches: behavior.Then(func(f *fixture.Fixture) { f.Create("testmap", fixture.Data{"foo": "1"}) }),
	},
	"the ConfigMap is made, and later what is expected": {
		Waits: fixture.Waiter(), After: fixture.Data{"foo": "2"}, Counts: behavior.WaitedOnce,
		Watches: behavior.Then(func(f *fixture.Fixture) {
			f.Create("testmap", nil)
			f.Set("testmap", "foo", "0")
			f.Set("testmap", "foo", "1")
		}),
	},
	"the ConfigMap is deleted and made again": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(), After: fixture.Data{"foo": "2"}, Counts: behavior.WaitedOnce,
		Watches: behavior.Then(func(f *fixture.Fixture) {
			f.Remove("testmap")
			f.Create("testmap", fixture.Data{"foo": "1"})
		}),
	},
	"what it saw is gone when it looks": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(), Reads: behavior.Sets("9"), After: fixture.Data{"foo": "2"},
		Counts: fixture.RequestCounts{Gets: 3, Watches: 2, Patches: 1},
		Watches: func(f *fixture.Fixture) []func() testcluster.Fault {
			again := func() testcluster.Fault { return fixture.Watched(func() { f.Set("testmap", "foo", "1") }) }
			return []func() testcluster.Fault{again, again}
		},
	},
	"without an expected value, the key goes": {
		Before: fixture.Data{"foo": "held"}, After: fixture.Data{"foo": "2"}, Counts: behavior.WaitedOnce,
		Waits:   fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		Watches: behavior.Then(func(f *fixture.Fixture) { f.Unset("testmap", "foo") }),
	},
	"what is to be adopted comes": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(`adopt_existing = true`), Watches: behavior.Then(behavior.Sets("2")),
		After: fixture.Data{"foo": "2"}, Counts: fixture.RequestCounts{Gets: 2, Watches: 1},
	},
	"an update, of what the state says": {
		Before: fixture.Data{}, Applied: fixture.EntryBlock("foo", `value = "1"`, `conflict_scope = "key"`), Silent: true,
		Waits:   fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		Between: behavior.Sets("9"), Watches: behavior.Then(behavior.Sets("1")), After: fixture.Data{"foo": "2"}, Counts: behavior.UpdatedOnce,
	},
	"an update, of what is expected": {
		Before: fixture.Data{}, Applied: fixture.EntryBlock("foo", `value = "0"`, `conflict_scope = "key"`),
		Waits: fixture.Waiter(), Watches: behavior.Then(behavior.Sets("1")), After: fixture.Data{"foo": "2"}, Counts: behavior.UpdatedOnce,
	},
	"an update, and the ConfigMap is gone": {
		Before: fixture.Data{}, Applied: fixture.EntryBlock("foo", `value = "1"`, `conflict_scope = "key"`), Silent: true,
		Waits:   fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		Between: func(f *fixture.Fixture) { f.Remove("testmap") }, After: fixture.Data{"foo": "2"}, Counts: behavior.UpdatedOnce,
		Watches: behavior.Then(func(f *fixture.Fixture) { f.Create("testmap", fixture.Data{"foo": "1"}) }),
	},
	"the operation's timeout counts for itself": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(`timeouts = { create = "1ms" }`), Watches: behavior.Then(behavior.Sets("1")),
		After: fixture.Data{"foo": "2"}, Counts: behavior.WaitedOnce,
	},
	"it holds already": {
		Before: fixture.Data{"foo": "1"}, Waits: fixture.Waiter(), Silent: true,
		After: fixture.Data{"foo": "2"}, Counts: fixture.RequestCounts{Gets: 1, Patches: 1},
	},

	"another writes the new value": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(), Watches: behavior.Then(behavior.Sets("2")), Counts: behavior.RefusedThen,
		Refused: []string{"Error: Key Already Holds The Value"}, After: fixture.Data{"foo": "2"},
	},
	"it turns immutable": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(), Counts: behavior.RefusedThen,
		Watches: behavior.Then(func(f *fixture.Fixture) {
			f.Change("testmap", func(cm *corev1.ConfigMap) { cm.Data["foo"], cm.Immutable = "1", new(true) })
		}),
		Refused: []string{"Error: ConfigMap Is Immutable"}, After: fixture.Data{"foo": "1"},
	},
	"the time passes": {
		Before: fixture.Data{"foo": "0"}, Waits: fixture.Waiter(), Between: behavior.Sets("3"), Ends: true,
		Refused: []string{
			"Error: Wait Ended Without A Match", "with cas_configmap_entry.foo", "wait_for_match = ", "The expected state was not reached within wait_for_match. Nothing was written.",
			`Expected: "1"`, ` resourceVersion: `, "Changed by: another-writer (last write ", "Waited: ", "Then run terraform apply again, or raise wait_for_match.",
		},
		After: fixture.Data{"foo": "3"}, Counts: fixture.RequestCounts{Gets: 1, Watches: 1},
	},
	"the time passes without a ConfigMap": {
		Waits: fixture.Waiter(), Ends: true, Counts: fixture.RequestCounts{Gets: 1, Watches: 1},
		Refused: []string{"Error: Wait Ended Without A Match", "Found: (no ConfigMap)", "Waited: "},
	},
}

func TestWaitForMatch(t *testing.T) {
	t.Parallel()
	for name, story := range waitStories {
		t.Run(name, story.Run)
	}
}
