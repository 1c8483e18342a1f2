package decide

import (
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// ReadDecision says what a refresh finds.
type ReadDecision struct {
	Keys   []string // of the refresh, sorted: also those that are missing since the resource wrote them
	Lacks  bool     // something is missing that may exist: a fresh read must confirm it
	Memory Memory
}

// Read decides about the fields of a state. The first read after an import also finds the keys that the import named.
func Read(c *Claim, m Memory, seen *eval.Snapshot) ReadDecision {
	// Missing keys are read, too: if one comes back, that is drift.
	keys := slices.AppendSeq(append(c.Keys(), m.Import...), maps.Keys(m.Baseline))
	lacks := c.Whole != nil && !seen.Exists() || slices.ContainsFunc(keys, func(key string) bool {
		was, has := c.Values[key]
		return seen.Value(key).IsAbsent() && (!has || !was.IsAbsent())
	})
	if m.Baseline == nil && m.Import == nil && !c.IsSecret() {
		m = Rebased(m, c) // private state was lost
	}
	if c.Whole != nil {
		keys = slices.AppendSeq(keys, maps.Keys(c.Live(seen)))
		m = m.withOthers(c, seen)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	m = m.withoutForms(seen).withReplaced(c, seen)
	if isAnother(c.Version, seen.Version()) {
		m = m.withNewOriginals(c.Keys(), seen.Value)
	}
	m = m.observed(seen, keys)
	if m.ImportsAll() {
		keys = sortedKeys(seen.Entries())
	}
	return ReadDecision{Keys: keys, Lacks: lacks, Memory: m}
}

// ImportsAll reports whether the read is the first one after an import of all keys.
func (m Memory) ImportsAll() bool { return m.Import != nil && len(m.Import) == 0 }

// withOthers returns the memory in which entries that another writer added to a map of the claim were absent at the
// last write.
func (m Memory) withOthers(c *Claim, seen *eval.Snapshot) Memory {
	if m.Baseline == nil {
		return m
	}
	m.Baseline = maps.Clone(m.Baseline)
	for key, e := range seen.Entries() {
		if _, isKnown := m.Baseline[key]; !isKnown && c.HasMapOf(key, e) {
			m.Baseline[key] = m.digest(eval.Value{})
		}
	}
	return m
}

// withReplaced returns the memory with the values that the resource wrote and that a refresh replaces in the state, for
// the message about drift. The state of a Secret has no values.
func (m Memory) withReplaced(c *Claim, seen *eval.Snapshot) Memory {
	replaced := map[string]eval.Value{}
	for key, was := range c.Values {
		switch former, isReplaced := m.Replaced[key]; {
		case was.IsAnything(), !m.isDrift(key, seen.Value(key)):
		case !m.isDrift(key, was):
			replaced[key] = was
		case isReplaced:
			replaced[key] = former
		}
	}
	m.Replaced = replaced
	return m
}

// withoutForms returns the memory without the forms of fields whose value has changed.
func (m Memory) withoutForms(seen *eval.Snapshot) Memory {
	m.Forms = maps.Clone(m.Forms)
	maps.DeleteFunc(m.Forms, func(key string, form eval.Value) bool { return seen.Exists() && seen.Value(key) != form })
	if len(m.Forms) == 0 {
		m.Forms = nil
	}
	return m
}
