// Package session has the parts that the resources of one run share: the engine and the settings of the provider
// ([Session]), the checks of a plan ([Plan]), and the registry of plans and writes ([Registry]). Counters and
// allocations are in compute.go and allocation.go.
package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Session has the engine and the settings of a configured provider, and the registry of its plans and writes so far.
// All resources of the provider share it. A nil Session is a provider that was not configured; Configured, Checks,
// FieldManagerOr and Hides accept it.
type Session struct {
	Engine       *cas.Engine // nil while the provider's configuration is not known
	FieldManager string
	HideValues   bool
	PlanCheck    terms.PlanCheck
	Rehearsal    cas.CheckMode // of a plan's checks
	Defaults     terms.Defaults

	Registry Registry
	pools    pools
	writes   atomic.Int64 // calls of this run that write
	readers  sync.Map     // of pools, by terms.EntryID
}

// Configured reports whether the cluster is known.
func (s *Session) Configured() bool { return s != nil && s.Engine != nil }

// Checks reports whether plans are checked.
func (s *Session) Checks() bool { return s.Configured() && s.PlanCheck != terms.PlanCheckOff }

// IsApplying reports whether this process has written: then it is applying. Before its first write, an apply looks like
// a plan.
func (s *Session) IsApplying() bool { return s.Engine != nil && s.Engine.HasWritten() }

// NotConfigured returns the error of a write while the cluster is unknown.
func NotConfigured() diag.Diagnostic {
	return message.ProviderNotConfigured.With(message.Detail(
		"The provider's configuration is not known yet. Nothing was written.", nil,
		"Apply what it depends on first, with -target. Then run terraform apply again."))
}

// FieldManagerOr returns the field manager of a resource or, if that is null, of the provider.
func (s *Session) FieldManagerOr(named types.String) string {
	if manager := named.ValueString(); manager != "" || s == nil {
		return manager
	}
	return s.FieldManager
}

// Hides reports whether diagnostics about a resource with this hide_values show only digests.
func (s *Session) Hides(own types.Bool) bool {
	return own.ValueBool() || own.IsUnknown() || s != nil && s.HideValues
}

// located returns the error of a missing object with facts: the API server, the names that exist there, and whether the
// namespace exists. Any other error stays as it is.
func (s *Session) located(ctx context.Context, apiVersion string, err error) error {
	if e, ok := errors.AsType[*eval.NoNamespaceError](err); ok {
		return &message.MissingError{Err: err, Missing: s.missing(ctx, e.Ref, apiVersion)}
	}
	if e, ok := errors.AsType[*eval.NotFoundError](err); ok {
		return &message.MissingError{Err: err, Missing: s.missing(ctx, e.Ref, apiVersion)}
	}
	return err
}

// missing returns the facts about a missing object, as far as the role permits the reads.
func (s *Session) missing(ctx context.Context, ref eval.Ref, apiVersion string) message.Missing {
	missing := message.Missing{Host: s.Engine.Host()}
	if missing.Namespace = s.Engine.LacksNamespace(ctx, ref.Namespace); missing.Namespace {
		ref, apiVersion = eval.Ref{Kind: eval.KindOf("", "Namespace")}, "v1"
	}
	missing.Names = s.Engine.Names(ctx, ref, apiVersion)
	return missing
}

// NothingThere returns the error for an import of an object, or of a key, that does not exist.
func (s *Session) NothingThere(ctx context.Context, about message.Subject, seen *eval.Snapshot) diag.Diagnostic {
	if seen.Exists() {
		return about.NothingThere(seen, message.Missing{})
	}
	return about.NothingThere(seen, s.missing(ctx, about.ID.Ref, about.APIVersion))
}

// Observe reads an object. ages has the greatest ages of a read that may be used, in descending order: while needsFresh
// is true for a read, Observe makes the next one.
func (s *Session) Observe(
	ctx context.Context, ref eval.Ref, apiVersion string, ages []time.Duration, needsFresh func(*eval.Snapshot) bool,
) (seen *eval.Snapshot, err error) {
	for _, age := range ages {
		if seen, err = s.Engine.Observe(ctx, ref, apiVersion, age); err != nil || !needsFresh(seen) {
			return seen, err
		}
	}
	return seen, nil
}

// LastWriters reads the object for the names of its writers. After a refresh, it sends no request. Without an answer, a
// message has one fact less.
func (s *Session) LastWriters(ctx context.Context, about message.Subject) *eval.Snapshot {
	live, err := s.Engine.Observe(ctx, about.ID.Ref, about.APIVersion, cas.Fresh)
	if err != nil {
		return nil
	}
	return live
}

// CountWrite records that a call is about to write.
func (s *Session) CountWrite() { s.writes.Add(1) }

// Writes returns the number of calls of this run that write.
func (s *Session) Writes() int64 { return s.writes.Load() }

// Commit sends a transaction within the timeout. wait_for_match adds to the timeout: Commit then waits until every
// expectation holds. Commit refuses a transaction with a key that another call of this apply has written or adopted.
func (s *Session) Commit(
	ctx context.Context, t *eval.Txn, about message.Subject, timeout time.Duration,
) (result cas.TxnResult, err error) {
	s.CountWrite()
	wait, err := time.ParseDuration(about.Wait.ValueString())
	if err != nil {
		wait = 0 // null; the schema has validated the attribute
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+wait)
	defer cancel()
	result, err = s.Registry.sendOnce(t, about.Op, func() (cas.TxnResult, error) {
		return s.Engine.CommitWithin(ctx, t, wait)
	})
	return result, s.located(ctx, about.APIVersion, err)
}

// isOfType reports whether an error is or wraps an error of a type.
func isOfType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
