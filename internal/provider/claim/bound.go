package claim

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
	"github.com/terraform-cas/terraform-provider-cas/internal/serve/planned"
)

// From 1.16 on, Terraform hands what the first plan of a change left in private state to the second plan, which an apply makes. So a create
// can be bound to what its plan saw. Other clients hand over nothing.

// planNote is what the first plan of a change leaves for the apply.
type planNote struct {
	versionNote // of the ConfigMap, where the create is bound to it: with conflict_scope = "object"

	// Adopted are the keys that held their values already.
	Adopted []string `json:"adopted,omitempty"`
}

// noteIn reads the note out of private state as the framework stores it: JSON by key.
func noteIn(private []byte) (note planNote, diags diag.Diagnostics) {
	if len(private) == 0 {
		return note, nil
	}
	parts := map[string][]byte{}
	err := json.Unmarshal(private, &parts)
	m, malformed := parseMemory(parts[memoryPart])
	if err = errors.Join(err, malformed); err != nil {
		diags.Append(unreadable())
	} else if m.Note != nil {
		note = *m.Note
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
func (r *Run) Planning(ctx context.Context, req *resource.ModifyPlanRequest, m *Memory) (context.Context, diag.Diagnostics) {
	sent, p := planned.From(ctx), planning{isApply: req.ClientCapabilities.DeferralAllowed}
	wasRead := r.registry.wasRead(m.token())
	var diags diag.Diagnostics
	if sent.Stores && !req.Plan.Raw.IsNull() { // a removal is planned once, or in the apply alone: nobody tells which
		var note planNote
		note, diags = noteIn(sent.Private)
		m.Note = &note
		p.isTold, p.isApply = true, len(sent.Private) > 0
		p.isUnread = !req.State.Raw.IsNull() && !wasRead && !p.isApply
	}
	return context.WithValue(ctx, planningKey{}, p), diags
}

// isReplanned reports whether a plan is known to be made in an apply, so that the write which follows judges. A conflict is better told there:
// Terraform puts back what create_before_destroy deposed if the create fails, but not if its plan does.
func isReplanned(ctx context.Context) bool {
	p := planningOf(ctx)
	return p.isTold && p.isApply
}

// IsApply reports whether a plan's check is known, or seems, to be made for an apply.
func (r *Run) IsApply(ctx context.Context) bool {
	return planningOf(ctx).isApply || r.applying()
}

// checked is the subject of a diagnostic about a check that failed. If the state may be old, that proves nothing about an update: with
// -minimal-refresh an error would end the plan before the refresh, and with -refresh=false there is none. So it is a warning.
func (r *Run) checked(ctx context.Context, about diagnose.Subject) diagnose.Subject {
	about = r.atPlan(ctx, about)
	if about.Op == terms.OpUpdate && planningOf(ctx).isUnread {
		about.Plan, about.Unread = terms.PlanCheckWarning, true
	}
	return about
}

// isAboutObject reports whether a refresh can make a refusal go away: it is about what was found, and the state may lack that.
func isAboutObject(err error) bool {
	return is[*cas.ConflictError](err) || is[*cas.NotFoundError](err) || is[*cas.ImmutableError](err) || is[*cas.TerminatingError](err) ||
		is[*cas.TooLargeError](err)
}

// noteSeen notes what a create is bound to: with conflict_scope = "object" the ConfigMap as the plan saw it, with "key" the keys to take over. t is
// the transaction that was checked, and seen what it was checked on: nil if the check has to wait for a value that is not known yet. Of a
// ConfigMap that the same run makes, nothing is noted: the apply will see another one.
func (ch *Change) noteSeen(ctx context.Context, t *cas.Txn, seen *cas.Observation) diag.Diagnostics {
	c := ch.Plan
	if !planningOf(ctx).isTold || ch.Run.registry.isCreated(c.Ref) {
		return nil
	}
	var (
		note  planNote
		diags diag.Diagnostics
	)
	switch {
	case c.Scope == terms.ScopeObject:
		if seen == nil {
			diags = ch.Run.check(ctx, ch.about.Of(t), c.Timeouts, func(ctx context.Context) (err error) {
				seen, err = ch.Run.Engine.ObserveFields(ctx, c.Ref, c.APIVersion, cas.Fresh)
				return err
			})
			if seen == nil {
				return diags
			}
		}
		note.versionNote = versionNote(seen.Version())
	case c.Scope == terms.ScopeKey && seen != nil:
		for _, k := range t.Keys {
			if !k.IsGuard && seen.Entry(k.Key).Holds(k.New) {
				note.Adopted = append(note.Adopted, k.Key)
			}
		}
	}
	ch.Memory.Note = &note
	return diags
}

// bind holds the transaction of a create to what its plan noted, where the client hands that over.
func bind(ctx context.Context, t *cas.Txn) diag.Diagnostics {
	note, diags := noteIn(planned.From(ctx).Private)
	t.Bound = cas.Version(note.versionNote)
	for i, k := range t.Keys {
		if slices.Contains(note.Adopted, k.Key) {
			t.Keys[i].Expect = k.New
		}
	}
	return diags
}
