package kinds

import (
	"maps"
	"slices"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A plan knows computed attributes as far as possible. Other resources refer to them, and are planned to change if they are
// unknown.
func TestPlanKnowsWhatAWriteLeavesAsItIs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after  string // resource foo
		known, unknown []string
	}{
		"entry, create": {
			"", fixture.EntryBlock("foo", `value = "2"`), []string{"id"}, []string{"uid", "resource_version", "previous_value"},
		},
		"entry, another value": {
			fixture.EntryBlock("foo", `value = "1"`), fixture.EntryBlock("foo", `value = "2"`), []string{"id", "uid"}, []string{"resource_version", "previous_value"},
		},
		"entry, another value, in key scope": {
			fixture.EntryBlock("foo", `value = "1"`, `conflict_scope = "key"`), fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`),
			[]string{"id"},
			[]string{"uid", "resource_version", "previous_value"},
		},
		"entry, nothing to write": {
			fixture.EntryBlock("foo", `value = "1"`), fixture.EntryBlock("foo", `value = "1"`, `deletion_policy = "abandon"`),
			[]string{"id", "uid", "resource_version", "previous_value"},
			nil,
		},
		"data, create": {
			"", fixture.DataBlock("foo", `data = { foo = "2" }`), []string{"id"}, []string{"uid", "resource_version", "previous_data"},
		},
		"data, another value": {
			fixture.DataBlock("foo", `data = { foo = "1" }`), fixture.DataBlock("foo", `data = { foo = "2" }`),
			[]string{"id", "uid"},
			[]string{"resource_version", "previous_data"},
		},
		"data, another value, in key scope": {
			fixture.DataBlock("foo", `data = { foo = "1" }`, `conflict_scope = "key"`), fixture.DataBlock("foo", `data = { foo = "2" }`, `conflict_scope = "key"`),
			[]string{"id"},
			[]string{"uid", "resource_version", "previous_data"},
		},
		"data, nothing to write": {
			fixture.DataBlock("foo", `data = { foo = "1" }`), fixture.DataBlock("foo", `data = { foo = "1" }`, `deletion_policy = "abandon"`),
			[]string{"id", "uid", "resource_version", "previous_data"},
			nil,
		},
		"whole, create": {
			"", fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "2" }`), []string{"id"}, []string{"uid", "resource_version"},
		},
		"whole, another value": {
			fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "1" }`), fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "2" }`),
			[]string{"id", "uid"},
			[]string{"resource_version"},
		},
		"whole, nothing to write": {
			fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "1" }`), fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "1" }`, `timeouts = { read = "9s" }`),
			[]string{"id", "uid", "resource_version"},
			nil,
		},
		"counter, create": {
			"", fixture.CounterBlock("foo"), []string{"id"}, []string{"value"},
		},
		"counter, triggers": {
			fixture.CounterBlock("foo"), fixture.CounterBlock("foo", `triggers = { a = "b" }`), []string{"id"}, []string{"value"},
		},
		"counter, nothing to take": {
			fixture.CounterBlock("foo"), fixture.CounterBlock("foo", `field_manager = "me"`), []string{"id", "value"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := fixture.NewSession(t)
			p := &fixture.Pipeline{Fixture: fixture.New(t), On: s}
			p.Testmap(fixture.Contents{})
			if test.before != "" {
				p.Planned(test.before)
			}
			p.Write(test.after)
			p.Plan()
			changes := s.Plans[fixture.PlanFile].Changes
			if len(changes) != 1 {
				t.Fatalf("%d changes", len(changes))
			}
			is := map[bool][]string{}
			for _, name := range slices.Sorted(maps.Keys(changes[0].After.AsValueMap())) {
				if slices.Contains(test.known, name) || slices.Contains(test.unknown, name) {
					known := changes[0].After.GetAttr(name).IsKnown()
					is[known] = append(is[known], name)
				}
			}
			slices.Sort(test.known)
			slices.Sort(test.unknown)
			if !slices.Equal(is[true], test.known) {
				t.Errorf("known: %q, want %q", is[true], test.known)
			}
			if !slices.Equal(is[false], test.unknown) {
				t.Errorf("unknown: %q, want %q", is[false], test.unknown)
			}
		})
	}
}
