package claim

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Seen is the result of a refresh.
type Seen struct {
	*eval.Snapshot

	Keys     []string // that the refresh is about, sorted: also those that vanished since they were written
	IsImport bool     // the first read after an import
}

// Read reads the fields of a state. The first read after an import also reads the keys that the import named.
func (r *Run) Read(ctx context.Context, c *Claim, m *Memory) (*Seen, diag.Diagnostics) {
	timeout, diags := c.Timeouts.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() {
		return nil, diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	age := cas.Fresh
	isOfAll := m.Import != nil && len(m.Import) == 0
	if isOfAll {
		age = 0 // of all keys none may be missing
	}
	// Vanished keys are looked up too: if one comes back, that is drift.
	keys := slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(append(c.Keys(), m.Import...), maps.Keys(m.Written)))))
	observation, err := r.observe(ctx, c, age, func(seen *eval.Snapshot) bool {
		isMissing := func(key string) bool {
			was, has := c.Values[key]
			return seen.Value(key).IsAbsent() && (!has || !was.IsAbsent())
		}
		return c.Whole != nil && !seen.Exists() || slices.ContainsFunc(keys, isMissing)
	})
	for _, key := range keys {
		if err == nil && c.APIVersion != "" {
			err = readError(c.Ref, key, observation)
		}
	}
	if err != nil {
		about := r.about(c, terms.OpRead)
		about.IsImport = m.Import != nil
		diags.Append(about.Diagnose(err)) // a warning where the kind is not served: the state stays
		return nil, diags
	}
	m.forgetForms(observation)
	if m.Written == nil && m.Import == nil && !c.IsSecret() {
		m.Baseline(c) // private state was lost: the values of the state are the baseline
	}
	if c.Whole != nil {
		keys = slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(keys, maps.Keys(c.live(observation))))))
		m.noteOthers(c, observation)
	}
	m.keepWritten(c, observation)
	if isAnother(c.Version, observation.Version()) {
		m.beginAnew(c.Keys(), observation.Value)
	}
	m.observe(observation, keys)
	if isOfAll {
		keys = slices.Sorted(maps.Keys(observation.Entries()))
	}
	return &Seen{Snapshot: observation, Keys: keys, IsImport: m.Import != nil}, diags
}

// isAnother reports whether an object was deleted and made again.
func isAnother(was, now eval.Version) bool {
	return was.UID != "" && now.UID != "" && was.UID != now.UID
}

// beginAnew is for an object that was created again: the resource has written nothing to it, so its content is the
// original of each key whose original was known.
func (m *Memory) beginAnew(keys []string, held func(key string) eval.Value) {
	first := map[string]eval.Value{}
	for _, key := range keys {
		if _, isKnown := m.First[key]; isKnown {
			first[key] = m.entry(held(key))
		}
	}
	m.First = first
}

// readError returns why the value of a field is not known, or nil.
func readError(ref eval.Ref, key string, seen *eval.Snapshot) error {
	if _, err := seen.Lookup(key); err != nil && seen.Exists() {
		return &eval.FieldError{Ref: ref, Key: key, Err: err}
	}
	return nil
}

// Missing gives the keys that do not exist.
func (s *Seen) Missing() []string {
	return slices.DeleteFunc(slices.Clone(s.Keys), func(key string) bool { return !s.Value(key).IsAbsent() })
}

// Imports notes the keys that an import names, or none for all, for the read that follows.
func (m *Memory) Imports(keys ...string) { m.Import = append([]string{}, keys...) }

// Imported makes the values that an import found the originals and the baseline. c is the claim of the state.
func (m *Memory) Imported(c *Claim, s *Seen) {
	m.Baseline(c)
	m.First = map[string]eval.Value{}
	keys := s.Keys
	if c.Whole != nil {
		keys = c.Keys()
	}
	for _, key := range keys {
		m.Written[key] = m.digest(s.Value(key))
		if c.Whole == nil || !eval.IsEntry(key) {
			m.First[key] = m.entry(s.Value(key))
		}
		if c.Whole != nil && !eval.IsEntry(key) {
			m.Unnamed = append(m.Unnamed, key)
		}
	}
	m.observe(s.Snapshot, keys)
}

// Baseline makes the values of a state the baseline, after an import or a move from another provider. The originals
// stay unknown.
func (m *Memory) Baseline(c *Claim) {
	m.newToken()
	m.Written, m.Import = map[string]string{}, nil
	for key, e := range c.Values {
		m.Written[key] = m.digest(e)
	}
}
