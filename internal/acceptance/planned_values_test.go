package acceptance_test

import (
	"maps"
	"slices"
	"testing"
)

// What a plan knows of the attributes that the provider computes. Other resources refer to them, and are planned to change where they are
// unknown.
func TestPlanKnowsWhatAWriteLeavesAsItIs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after  string // resource foo
		known, unknown []string
	}{
		"entry, create": {
			"", entryBlock("foo", `value = "2"`), []string{"id"}, []string{"uid", "resource_version", "previous_value"},
		},
		"entry, another value": {
			entryBlock("foo", `value = "1"`), entryBlock("foo", `value = "2"`), []string{"id", "uid"}, []string{"resource_version", "previous_value"},
		},
		"entry, another value, in key scope": {
			entryBlock("foo", `value = "1"`, `conflict_scope = "key"`), entryBlock("foo", `value = "2"`, `conflict_scope = "key"`),
			[]string{"id"},
			[]string{"uid", "resource_version", "previous_value"},
		},
		"entry, nothing to write": {
			entryBlock("foo", `value = "1"`), entryBlock("foo", `value = "1"`, `deletion_policy = "abandon"`),
			[]string{"id", "uid", "resource_version", "previous_value"},
			nil,
		},
		"data, create": {
			"", dataBlock("foo", `data = { foo = "2" }`), []string{"id"}, []string{"uid", "resource_version", "previous_data"},
		},
		"data, another value": {
			dataBlock("foo", `data = { foo = "1" }`), dataBlock("foo", `data = { foo = "2" }`),
			[]string{"id", "uid"},
			[]string{"resource_version", "previous_data"},
		},
		"data, another value, in key scope": {
			dataBlock("foo", `data = { foo = "1" }`, `conflict_scope = "key"`), dataBlock("foo", `data = { foo = "2" }`, `conflict_scope = "key"`),
			[]string{"id"},
			[]string{"uid", "resource_version", "previous_data"},
		},
		"data, nothing to write": {
			dataBlock("foo", `data = { foo = "1" }`), dataBlock("foo", `data = { foo = "1" }`, `deletion_policy = "abandon"`),
			[]string{"id", "uid", "resource_version", "previous_data"},
			nil,
		},
		"whole, create": {
			"", wholeBlock("foo", `name = "made"`, `data = { foo = "2" }`), []string{"id"}, []string{"uid", "resource_version"},
		},
		"whole, another value": {
			wholeBlock("foo", `name = "made"`, `data = { foo = "1" }`), wholeBlock("foo", `name = "made"`, `data = { foo = "2" }`),
			[]string{"id", "uid"},
			[]string{"resource_version"},
		},
		"whole, nothing to write": {
			wholeBlock("foo", `name = "made"`, `data = { foo = "1" }`), wholeBlock("foo", `name = "made"`, `data = { foo = "1" }`, `timeouts = { read = "9s" }`),
			[]string{"id", "uid", "resource_version"},
			nil,
		},
		"counter, create": {
			"", counterBlock("foo"), []string{"id"}, []string{"value"},
		},
		"counter, triggers": {
			counterBlock("foo"), counterBlock("foo", `triggers = { a = "b" }`), []string{"id"}, []string{"value"},
		},
		"counter, nothing to take": {
			counterBlock("foo"), counterBlock("foo", `field_manager = "me"`), []string{"id", "value"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			p := &pipeline{fixture: newFixture(t), on: s}
			p.testmap(contents{})
			if test.before != "" {
				p.planned(test.before)
			}
			p.write(test.after)
			p.plan()
			changes := s.plans[planFile].Changes
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
