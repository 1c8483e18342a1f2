package claim

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Seen is the result of a refresh.
type Seen struct {
	*eval.Snapshot

	Keys     []string // of the refresh, sorted: also those that are missing since the resource wrote them
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
	ages := []time.Duration{cas.Fresh, 0} // the state drops nothing without a fresh read
	if m.ImportsAll() {
		ages = ages[1:] // of all keys, none may be missing
	}
	var found decide.ReadDecision
	seen, err := r.observe(ctx, &c.Claim, ages, func(seen *eval.Snapshot) bool {
		found = decide.Read(&c.Claim, m.Memory, seen)
		return found.Lacks
	})
	for _, key := range found.Keys {
		if err == nil && c.APIVersion != "" {
			err = readError(c.Ref, key, seen)
		}
	}
	if err != nil {
		about := r.about(c, terms.OpRead)
		about.IsImport = m.Import != nil
		diags.Append(about.Diagnose(err)) // a warning if the kind is not served: the state stays
		return nil, diags
	}
	m.Memory = found.Memory
	return &Seen{Snapshot: seen, Keys: found.Keys, IsImport: m.Import != nil}, diags
}

// observe reads an object. It may reuse a recent read of this process, unless the decision depends on a fresh one.
func (r *Run) observe(
	ctx context.Context, c *decide.Claim, ages []time.Duration, needsFresh func(*eval.Snapshot) bool,
) (seen *eval.Snapshot, err error) {
	for _, age := range ages {
		if seen, err = r.Engine.Observe(ctx, c.Ref, c.APIVersion, age); err != nil || !needsFresh(seen) {
			return seen, err
		}
	}
	return seen, nil
}

// readError returns why the value of a field is not known, or nil.
func readError(ref eval.Ref, key string, seen *eval.Snapshot) error {
	if _, err := seen.Lookup(key); err != nil && seen.Exists() {
		return &eval.FieldError{Ref: ref, Key: key, Err: err}
	}
	return nil
}

// Missing returns the keys that do not exist.
func (s *Seen) Missing() []string {
	return slices.DeleteFunc(slices.Clone(s.Keys), func(key string) bool { return !s.Value(key).IsAbsent() })
}
