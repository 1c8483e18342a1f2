package resource

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Seen is the result of a refresh.
type Seen struct {
	*eval.Snapshot

	Keys     []string // see [decide.ReadDecision]
	IsImport bool     // the first read after an import
}

// read reads the fields of a state, and records the result in the memory. The first read after an import also reads the
// keys that the import named.
func read(ctx context.Context, s *session.Session, c *Claim, m *Memory) (*Seen, diag.Diagnostics) {
	timeout, diags := c.Timeouts.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() {
		return nil, diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ages := []time.Duration{cas.Fresh, 0} // the state drops nothing without a fresh read
	if m.ImportsAll() {
		ages = ages[1:] // an older read may lack a new key
	}
	var found decide.ReadDecision
	seen, err := s.Observe(ctx, c.Ref, c.APIVersion, ages, func(seen *eval.Snapshot) bool {
		found = decide.Read(&c.Claim, m.Memory, seen)
		return found.Lacks
	})
	if err == nil && c.APIVersion != "" {
		err = readError(c.Ref, found.Keys, seen)
	}
	if err != nil {
		about := c.about(s, terms.OpRead)
		about.IsImport = m.Import != nil
		diags.Append(about.Diagnose(err)) // a warning if the kind is not served: the state stays
		return nil, diags
	}
	m.Memory = found.Memory
	return &Seen{Snapshot: seen, Keys: found.Keys, IsImport: m.Import != nil}, diags
}

// readError returns why the value of the first unreadable field is not known; nil if all fields are readable.
func readError(ref eval.Ref, keys []string, seen *eval.Snapshot) error {
	for _, key := range keys {
		if _, err := seen.Lookup(key); err != nil && seen.Exists() {
			return &eval.FieldError{Ref: ref, Key: key, Err: err}
		}
	}
	return nil
}

// Missing returns the keys that do not exist.
func (s *Seen) Missing() []string {
	return slices.DeleteFunc(slices.Clone(s.Keys), func(key string) bool { return !s.Value(key).IsAbsent() })
}
