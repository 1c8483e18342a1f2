package claim

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
	"github.com/terraform-cas/terraform-provider-cas/internal/serve/planned"
)

// From 1.16 on, Terraform hands what the first plan of a change left in private state to the second plan, which an apply makes. So a create
// can be held to what its plan saw. Other clients hand over nothing.

// planNote is what the first plan of a change leaves for the apply, in privatePlanned.
type planNote struct {
	// UID and ResourceVersion are those of the ConfigMap, where the create is held to them: with conflict_scope = "object".
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resource_version,omitempty"`
	// Adopted are the keys that held their values already.
	Adopted []string `json:"adopted,omitempty"`
}

// planNoteIn reads the note out of private state as the framework stores it: JSON by key.
func planNoteIn(private []byte) (note planNote, diags diag.Diagnostics) {
	parts := map[string][]byte{}
	if len(private) == 0 {
		return note, nil
	}
	err := json.Unmarshal(private, &parts)
	if err == nil && len(parts[privatePlanned]) > 0 {
		err = json.Unmarshal(parts[privatePlanned], &note)
	}
	if err != nil {
		diags.Append(unreadable(privatePlanned))
	}
	return note, diags
}

// planning is what is known of the call in which a plan is made.
type planning struct {
	isTold   bool // the client says whether this is a plan or an apply
	isApply  bool
	isUnread bool // of the plan of an update, not of its apply: this process has not read the resource, so that its state may be old
}

type planningKey struct{}

func planningOf(ctx context.Context) planning {
	p, _ := ctx.Value(planningKey{}).(planning)
	return p
}

// Planning gives the context of a plan's checks. Terraform plans again when it applies. From 1.16 on, planned private data tells the two apart.
// From 1.11 on, deferrals are a hint: only an apply accepts them, unless the user allows them in a plan. OpenTofu gives no hint. The hint decides
// only about words, and about a warning that Update gives as well. There is always a note, since a client hands over no empty data.
func (r *Run) Planning(ctx context.Context, req *resource.ModifyPlanRequest, private Private) (context.Context, diag.Diagnostics) {
	sent, p := planned.From(ctx), planning{isApply: req.ClientCapabilities.DeferralAllowed}
	t, diags := ownToken(ctx, private)
	r.refreshed.plans(t)
	if sent.Stores && !req.Plan.Raw.IsNull() { // a removal is planned once, or in the apply alone: nobody tells which
		note, more := planNoteIn(sent.Private)
		diags.Append(more...)
		diags.Append(setPrivate(ctx, private, privatePlanned, note)...)
		p.isTold, p.isApply = true, len(sent.Private) > 0
		p.isUnread = !req.State.Raw.IsNull() && !r.refreshed.has(t) && !p.isApply
	}
	return context.WithValue(ctx, planningKey{}, p), diags
}

// isReplanned reports whether a plan is known to be made in an apply, so that the write which follows judges. A conflict is better told there:
// Terraform puts back what create_before_destroy deposed if the create fails, but not if its plan does.
func isReplanned(ctx context.Context) bool {
	p := planningOf(ctx)
	return p.isTold && p.isApply
}

// isApply reports whether a plan's check is known, or seems, to be made for an apply.
func (r *Run) isApply(ctx context.Context) bool {
	return planningOf(ctx).isApply || r.applying()
}

// checked is the subject of a diagnostic about a check that failed. If the state may be old, that proves nothing about an update: with
// -minimal-refresh an error would end the plan before the refresh, and with -refresh=false there is none. So it is a warning.
func (r *Run) checked(ctx context.Context, about diagnose.Subject) diagnose.Subject {
	about = r.planned(ctx, about)
	if about.Op == terms.OpUpdate && planningOf(ctx).isUnread {
		about.Plan, about.Unread = terms.PlanCheckWarning, true
	}
	return about
}

// isAboutObject reports whether a refresh can make a refusal go away: it is about what was found, and the state may lack that.
func isAboutObject(err error) bool {
	var (
		conflict    *cas.ConflictError
		notFound    *cas.NotFoundError
		immutable   *cas.ImmutableError
		terminating *cas.TerminatingError
		tooLarge    *cas.TooLargeError
	)
	return errors.As(err, &conflict) || errors.As(err, &notFound) || errors.As(err, &immutable) || errors.As(err, &terminating) ||
		errors.As(err, &tooLarge)
}

// refreshed records the instances that this process has read. The zero value is ready.
type refreshed struct {
	mu     sync.Mutex
	reads  int
	tokens map[string]reading
}

// reading is the last read of an instance.
type reading struct {
	number    int
	isPlanned bool // since
}

// NoteRefresh records that a resource instance was read.
func (r *Run) NoteRefresh(ctx context.Context, private privateReader) diag.Diagnostics {
	t, diags := ownToken(ctx, private)
	f := &r.refreshed
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tokens == nil {
		f.tokens = map[string]reading{}
	}
	f.reads++
	f.tokens[t.text] = reading{number: f.reads}
	return diags
}

// has reports whether an instance was read. One without a token cannot be told apart, and counts as read.
func (f *refreshed) has(t token) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, has := f.tokens[t.text]
	return has || t.text == ""
}

// plans records that an instance is planned.
func (f *refreshed) plans(t token) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last, has := f.tokens[t.text]; has {
		last.isPlanned = true
		f.tokens[t.text] = last
	}
}

func (f *refreshed) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reads
}

// unplanned reports whether an instance was read after the first few reads, and is not planned since. It counts as planned then.
func (f *refreshed) unplanned(first int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for t, last := range f.tokens {
		if last.number > first && !last.isPlanned {
			f.tokens[t] = reading{last.number, true}
			return true
		}
	}
	return false
}

// noteSeen notes what a create is held to: with conflict_scope = "object" the ConfigMap as the plan saw it, with "key" the keys to take over. t is
// the transaction that was checked, and seen what it was checked on: nil if the check has to wait for a value that is not known yet. Of a
// ConfigMap that the same run makes, nothing is noted: the apply will see another one.
func (r *Run) noteSeen(ctx context.Context, c *Claim, t *cas.Txn, seen *cas.Observation, private Private) diag.Diagnostics {
	if !planningOf(ctx).isTold || !r.Checks() || r.creations.has(c.Ref) {
		return nil
	}
	var note planNote
	switch {
	case c.Scope == terms.ScopeObject:
		timeout, diags := c.Timeouts.Read(ctx, terms.DefaultTimeout)
		if diags.HasError() {
			return diags
		}
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		at := seen
		if at == nil {
			var err error
			if at, err = r.Engine.Observe(ctx, c.Ref, cas.Fresh); err != nil {
				return nil // the check has said so, or the apply will
			}
		}
		note.UID, note.ResourceVersion = at.Version().UID, at.Version().ResourceVersion
	case c.Scope == terms.ScopeKey && seen != nil:
		for _, k := range t.Keys {
			if !k.IsGuard && seen.Entry(k.Key).Holds(k.New) {
				note.Adopted = append(note.Adopted, k.Key)
			}
		}
	}
	return setPrivate(ctx, private, privatePlanned, note)
}

// bind holds the transaction of a create to what its plan noted, where the client hands that over.
func bind(ctx context.Context, t *cas.Txn) diag.Diagnostics {
	note, diags := planNoteIn(planned.From(ctx).Private)
	t.Bound = cas.Version{UID: note.UID, ResourceVersion: note.ResourceVersion}
	for i, k := range t.Keys {
		if slices.Contains(note.Adopted, k.Key) {
			t.Keys[i].Expect = k.New
		}
	}
	return diags
}
