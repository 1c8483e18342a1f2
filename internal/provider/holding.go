package provider

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// holding is what a resource has in a ConfigMap, as a state says: what its removal goes by.
type holding struct {
	id       string // the same before and after a replace of the resource in its place
	ref      cas.Ref
	entries  map[string]cas.Entry
	version  cas.Version
	scope    string
	policy   string
	manager  types.String
	timeouts timeouts.Value
	about    diagnose.Subject // of the removal
}

func (h *holding) keys() []string { return slices.Sorted(maps.Keys(h.entries)) }

// observeReplace notes what the removal goes by if this turns out to be a replace in the same place, as with -replace. The
// prior state is as good as a read then: Terraform has refreshed it.
func (h *holding) observeReplace(ctx context.Context, private privateStore) diag.Diagnostics {
	keeps, diags := h.keeps(ctx, private)
	diags.Append(setPrivate(ctx, private, privateObservation, observation{
		ID: h.id, UID: h.version.UID, ResourceVersion: h.version.ResourceVersion, Keys: h.keys(), Keeps: keeps,
	})...)
	return diags
}

// keeps gives the keys that a removal leaves in place.
func (h *holding) keeps(ctx context.Context, private privateReader) ([]string, diag.Diagnostics) {
	switch h.policy {
	case terms.PolicyAbandon:
		return h.keys(), nil
	case terms.PolicyRestore:
		first, _, diags := getPrivate[originals](ctx, private, privateOriginal)
		return slices.DeleteFunc(h.keys(), func(key string) bool {
			return first[key].IsAbsent() // an unknown one is refused before anything is removed
		}), diags
	default:
		return nil, nil
	}
}

// replacedBy refuses a creation that could not succeed after the removal that it follows, which was observed: adopts, expects and
// writes are the keys that it would take over, that it expects to hold something, and that it writes.
func replacedBy(s diagnose.Subject, o observation, adopts, expects, writes []string) diag.Diagnostics {
	among := func(keys, of []string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(of, key) })
	}
	switch {
	case among(adopts, o.Keys):
		return diag.Diagnostics{s.ReplacesItself(s.Number(
			"The key is removed first, so that adopt_existing would find nothing to adopt.",
			"The keys are removed first, so that adopt_existing would find nothing to adopt."))}
	case among(expects, o.Keys):
		return diag.Diagnostics{s.ReplacesItself(s.Number(
			"The key is removed first, so that the expected value could not hold.",
			"The keys are removed first, so that the expected values could not hold."))}
	case among(writes, o.Keeps):
		return diag.Diagnostics{s.ReplacesItself(s.Number(
			"Its deletion_policy leaves the key in place, so that the new resource would find it taken.",
			"Its deletion_policy leaves keys in place, so that the new resource would find them taken."))}
	}
	return nil
}

// planDelete notes what the removal goes by: a read of the plan. Prior state is not enough, since Terraform before
// 1.12.2 plans the removal of a dropped block before it refreshes. But while applying, a read would take a foreign write
// for what the plan saw: then the prior state counts. With moves, the keys are accounted for as removed.
func (c *connection) planDelete(ctx context.Context, h *holding, moves bool, private privateStore) diag.Diagnostics {
	diags := dropObservation(ctx, private)
	if h.policy == terms.PolicyAbandon || c.data.swapped() {
		return diags
	}
	if moves {
		if moving := c.data.moves.note(h.ref, h.keys(), keyRemoved); len(moving) > 0 {
			diags.Append(h.about.KeyMoves(moving))
			return diags
		}
	}
	if !c.configured() || c.data.planCheck == terms.PlanCheckOff {
		return diags
	}
	timeout, more := h.timeouts.Read(ctx, terms.DefaultTimeout)
	diags.Append(more...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	written, _, more := getPrivate[digests](ctx, private, privateWritten)
	diags.Append(more...)
	var first originals // nil where nothing is to be put back
	if h.policy == terms.PolicyRestore {
		first, _, more = getPrivate[originals](ctx, private, privateOriginal)
		diags.Append(more...)
	}
	about := c.planned(h.about)

	var seen *cas.Observation
	var problem diag.Diagnostic
	for _, age := range []time.Duration{cas.Fresh, 0} { // what would refuse is read afresh before it is told
		var err error
		if seen, err = c.data.engine.Observe(ctx, h.ref, age); err != nil {
			diags.Append(c.softened(about.Diagnose(err)))
			return diags
		}
		problem = nil
		live := h.live(seen)
		changed := changedSince(live, written)
		switch {
		case seen.Terminating():
		case seen.Immutable() && differs(live, first):
			problem = about.Immutable()
		case len(changed) > 0:
			problem = about.ChangedSinceApply(changed, h.policy)
		}
		if problem == nil {
			break
		}
	}
	refused := problem != nil && problem.Severity() == diag.SeverityError
	if problem != nil {
		diags.Append(c.softened(problem))
	}
	version := seen.Version()
	diags.Append(setPrivate(ctx, private, privateObservation, observation{
		ID: h.id, UID: version.UID, ResourceVersion: version.ResourceVersion, Digest: seen.Digest(), Entries: h.live(seen), Keys: h.keys(),
	})...)
	if c.rehearsal() == cas.DryRun && !refused {
		diags.Append(c.rehearseRemoval(ctx, h, private, timeout)...)
	}
	return diags
}

// rehearseRemoval rehearses the very removal that the private state leads to. What keeps it from being made is told when it is
// applied.
func (c *connection) rehearseRemoval(ctx context.Context, h *holding, private privateReader, timeout time.Duration) diag.Diagnostics {
	t, diags := c.removal(ctx, h, private)
	if diags.HasError() {
		return nil
	}
	return c.check(ctx, h.about.Of(t), timeout, func(ctx context.Context) error {
		_, err := c.data.engine.Check(ctx, t, cas.DryRun)
		return err
	})
}

// live is what the keys held.
func (h *holding) live(o *cas.Observation) map[string]cas.Entry {
	live := make(map[string]cas.Entry, len(h.entries))
	for key := range h.entries {
		live[key] = o.Entry(key)
	}
	return live
}

// differs tells whether one of the keys is there and is not what is to be put back.
func differs(live map[string]cas.Entry, first originals) bool {
	for key, e := range live {
		if !e.IsAbsent() && e != first[key] {
			return true
		}
	}
	return false
}

// changedSince gives those of the keys that are there and do not hold what the resource last wrote, where that is known.
func changedSince(live map[string]cas.Entry, written digests) []diagnose.KeyValue {
	var changed []diagnose.KeyValue
	for _, key := range slices.Sorted(maps.Keys(live)) {
		if digest, ok := written[key]; ok && !live[key].IsAbsent() && live[key].Digest() != digest {
			changed = append(changed, diagnose.KeyValue{Key: key, Live: live[key]})
		}
	}
	return changed
}

// remove deletes or restores what a resource has in its ConfigMap, as its deletion_policy says.
func (c *connection) remove(ctx context.Context, h *holding, from privateReader, to privateWriter) diag.Diagnostics {
	timeout, diags := h.timeouts.Delete(ctx, terms.DefaultTimeout)
	if diags.HasError() || h.policy == terms.PolicyAbandon || len(h.entries) == 0 {
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	txn, more := c.removal(ctx, h, from)
	diags.Append(more...)
	if !diags.HasError() && h.policy == terms.PolicyRestore && c.configured() {
		diags.Append(c.checkRestore(ctx, h, txn, from)...)
	}
	if !diags.HasError() {
		_, more = c.commit(ctx, txn, h.about, timeout)
		diags.Append(more...)
	}
	if diags.HasError() {
		diags.Append(dropObservation(ctx, to)...)
		// Terraform stores this private state with the resource. That of a tainted one's replacement is its creation's.
		if known, _ := hasPrivate(ctx, from, privateOriginal); !known {
			diags.Append(setPrivate(ctx, to, privateLost, true)...)
		}
	}
	return diags
}

// removal is what must hold for keys to be deleted or restored: what the plan saw, which ModifyPlan left in the private
// state, or else the prior state.
func (c *connection) removal(ctx context.Context, h *holding, private privateReader) (*cas.Txn, diag.Diagnostics) {
	t := &cas.Txn{Ref: h.ref, GoneIsDone: true, FieldManager: c.fieldManager(h.manager)}
	expect, base := h.entries, h.version

	seen, ok, diags := getPrivate[observation](ctx, private, privateObservation)
	if ok && seen.ID == h.id {
		if slices.ContainsFunc(seen.Needs, func(key string) bool { _, has := h.entries[key]; return has }) {
			diags.Append(h.about.TaintedReplacesItself())
			return t, diags
		}
		if len(seen.Needs) == 0 {
			base = cas.Version{UID: seen.UID, ResourceVersion: seen.ResourceVersion}
		}
		if seen.Entries != nil {
			expect, t.Seen, t.SeenDigest = seen.Entries, base, seen.Digest
		}
	}
	// Where the plan saw no ConfigMap there is no version to hold on to; the keys are expected absent then.
	if h.scope != terms.ScopeKey && base.Valid() {
		t.At = append(t.At, base)
	}
	if h.scope != terms.ScopeKey && !base.Valid() && t.SeenDigest == "" {
		diags.Append(h.about.VersionNotKnown())
	}

	var first originals
	if h.policy == terms.PolicyRestore {
		var more diag.Diagnostics
		first, _, more = getPrivate[originals](ctx, private, privateOriginal)
		diags.Append(more...)
		if lost := slices.DeleteFunc(h.keys(), func(key string) bool { _, known := first[key]; return known }); len(lost) > 0 {
			diags.Append(h.about.NothingToRestore(lost))
		}
	}
	for _, key := range h.keys() {
		k := cas.KeySwap{Key: key, Expect: expect[key], New: first[key]}
		if !k.New.IsAbsent() {
			k.Held = cas.HeldIsDone
		}
		t.Keys = append(t.Keys, k)
	}
	return t, diags
}

// checkRestore refuses to restore over what this resource did not write, where plan_check let the plan pass.
func (c *connection) checkRestore(ctx context.Context, h *holding, t *cas.Txn, private privateReader) diag.Diagnostics {
	written, _, diags := getPrivate[digests](ctx, private, privateWritten)
	expected := map[string]cas.Entry{}
	for _, k := range t.Keys {
		expected[k.Key] = k.Expect
	}
	if len(changedSince(expected, written)) == 0 {
		return diags
	}
	seen, err := c.data.engine.Observe(ctx, h.ref, 0)
	if err != nil {
		diags.Append(h.about.Diagnose(err))
		return diags
	}
	if changed := changedSince(h.live(seen), written); len(changed) > 0 && !seen.Terminating() {
		diags.Append(h.about.ChangedSinceApply(changed, terms.PolicyRestore))
	}
	return diags
}
