package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

const (
	// poolKey is the key that holds the pool.
	poolKey = "pool"
	// poolSize is how many numbers it has, from 1 on.
	poolSize = 50
	// mostHeld is how many allocations one goroutine has at most: of all together more than there are.
	mostHeld = 8
)

// engineTenant takes numbers from a pool and gives them back, as the provider's resource does.
type engineTenant struct {
	*worker
	run *session.Session
}

// loop keeps the allocations of one goroutine as a state keeps them: after an unknown outcome, one has an id, and no value.
func (t *engineTenant) loop(_ int, draw *rand.Rand) {
	var has []pool.Member
	for t.stop.Err() == nil {
		doubt := slices.IndexFunc(has, func(m pool.Member) bool { return m.Value == "" })
		switch n := draw.IntN(8); {
		case doubt >= 0 && draw.IntN(4) > 0: // the next apply releases it, or one after that
			has = t.give(draw, has, doubt)
		case len(has) == 0, n < 4 && len(has) < mostHeld:
			if m := t.take(draw); m.ID != "" {
				has = append(has, m)
			}
		case n == 4:
			t.look(draw, has[draw.IntN(len(has))])
		default:
			has = t.give(draw, has, draw.IntN(len(has)))
		}
	}
	for len(has) > 0 {
		has = t.give(draw, has, 0)
	}
}

// allocation returns the allocation of a member, or of a member to take.
func (p *plan) allocation(m pool.Member) (session.Allocation, func(terms.Operation) message.Subject) {
	a := session.Allocation{
		EntryID: terms.EntryID{Ref: p.ref(p.ConfigMaps[0]), Key: poolKey}, Member: m, From: pool.Numbers{From: 1, To: poolSize}, FieldManager: p.Name,
	}
	return a, func(op terms.Operation) message.Subject {
		s := message.Allocating(op)
		s.ID, s.Op = a.EntryID, op
		return s
	}
}

// take gives what a state has after a create; no id where that is nothing.
func (t *engineTenant) take(draw *rand.Rand) pool.Member {
	o := &op{Kind: takeOp, ConfigMap: t.ConfigMaps[0], Key: poolKey, Verdict: eval.Applied}
	ctx, cancel := t.context(draw)
	defer cancel()
	a, about := t.allocation(pool.Member{Claimant: t.Name})
	t.begin(o)
	m, isDoubtful, diags := t.run.Allocate(ctx, a, t.Deadline, about(terms.OpCreate))
	o.Allocation = m.ID
	switch {
	case isDoubtful:
		o.Verdict, m.Value = eval.Unknown, ""
	case diags.HasError():
		o.Verdict, m = eval.Rejected, pool.Member{}
	default:
		o.Number, _ = strconv.ParseInt(m.Value, 10, 64)
	}
	t.told(o, diags)
	return m
}

// give returns the state after a delete. An allocation of unknown outcome is released by a process that has no history.
func (t *engineTenant) give(draw *rand.Rand, has []pool.Member, i int) []pool.Member {
	o := &op{Kind: giveOp, ConfigMap: t.ConfigMaps[0], Key: poolKey, Allocation: has[i].ID, Verdict: eval.Applied}
	ctx, cancel := t.context(draw)
	defer cancel()
	run := t.run
	if has[i].Value == "" {
		engine, err := cas.New(t.config, nil)
		if err != nil {
			panic(err) // the worker has one with the same configuration
		}
		defer engine.Close()
		run = &session.Session{Engine: engine}
	}
	a, about := t.allocation(has[i])
	t.begin(o)
	isDoubtful, diags := run.Release(ctx, a, t.Deadline, about(terms.OpDelete))
	switch {
	case isDoubtful:
		o.Verdict, has[i].Value = eval.Unknown, ""
	case diags.HasError():
		o.Verdict = eval.Rejected
	}
	t.told(o, diags)
	if o.Verdict == eval.Applied {
		has = append(has[:i], has[i+1:]...)
	}
	return has
}

// look returns the view of a refresh of an allocation of known outcome: a conflict if it is missing.
func (t *engineTenant) look(draw *rand.Rand, m pool.Member) {
	if m.Value == "" {
		return
	}
	o := &op{Kind: readOp, ConfigMap: t.ConfigMaps[0], Key: poolKey, Allocation: m.ID, Verdict: eval.Applied}
	ctx, cancel := t.context(draw)
	defer cancel()
	a, about := t.allocation(m)
	t.begin(o)
	found, diags := t.run.Allocated(ctx, a, timeouts.Value{}, about(terms.OpRead))
	switch {
	case diags.HasError():
		o.Verdict = eval.Rejected
	case !found.IsThere || found.Member.Value != m.Value:
		o.Verdict = eval.Conflict
	}
	t.told(o, diags)
}

// Records the answer of an operation.
func (t *engineTenant) told(o *op, diags diag.Diagnostics) {
	if diags.HasError() {
		o.Err = fmt.Sprint(diags)
	}
	t.end(o)
	if o.Verdict == eval.Rejected {
		t.pause()
	}
}

// release has somebody list what a pool holds, and release it as after an import: by the value alone.
func (p *plan) release(ctx context.Context, engine *cas.Engine, value string) error {
	run := &session.Session{Engine: engine}
	a, about := p.allocation(pool.Member{Value: value})
	m, diags := run.Adopt(ctx, a, about(terms.OpRead))
	if !diags.HasError() {
		a.Member = m
		_, diags = run.Release(ctx, a, time.Minute, about(terms.OpDelete))
	}
	if diags.HasError() {
		return fmt.Errorf("%s of %s: %v", value, m.Claimant, diags)
	}
	return nil
}
