package acceptance_test

import "testing"

// The plan that replaces a tainted entry is shaped as a create: it has no private state, and so has the removal. What that
// would lose is refused before anything is removed.

// tainted is a pipeline that has swapped foo from "original" to "2" and tainted the entry.
func tainted(t *testing.T, arguments ...string) *pipeline {
	t.Helper()
	p := newPipeline(t)
	p.create("testmap", data{"foo": "original"})
	p.planned(entryBlock("foo", append([]string{`value = "2"`, `expected_value = "original"`}, arguments...)...))
	p.do("taint", "cas_configmap_entry.foo")
	return p
}

func TestTaintedEntryThatWouldAdoptItself(t *testing.T) {
	p := tainted(t, `deletion_policy = "restore"`)
	p.write(entryBlock("foo", `value = "2"`, `adopt_existing = true`, `deletion_policy = "restore"`))
	p.plan()
	p.applyRefused("Replacement Would Fail", "untaint")
	p.wantLive("testmap", data{"foo": "2"})

	// What it first found is not known any more, and that is remembered.
	p.do("untaint", "cas_configmap_entry.foo")
	p.plan() // of adopt_existing
	p.apply()
	p.destroyRefused([]string{"Nothing Known To Restore"})
	p.wantLive("testmap", data{"foo": "2"})
}

func TestTaintedEntryThatExpectsItsOwnValue(t *testing.T) {
	p := tainted(t)
	p.write(entryBlock("foo", `value = "2"`, `expected_value = "2"`))
	p.plan()
	p.applyRefused("Replacement Would Fail", "untaint")
	p.wantLive("testmap", data{"foo": "2"})
	p.do("untaint", "cas_configmap_entry.foo")
	p.destroy()
	p.wantLive("testmap", nil)
}

func TestTaintedEntryThatIsRenamedAndToRestore(t *testing.T) {
	p := tainted(t, `deletion_policy = "restore"`)
	p.write(entryBlock("foo", `key = "baz"`, `value = "2"`, `deletion_policy = "restore"`))
	p.plan()
	p.applyRefused("Nothing Known To Restore", "untaint")
	p.wantLive("testmap", data{"foo": "2"})
}
