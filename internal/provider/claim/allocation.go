package claim

import (
	"context"
	"crypto/rand"
	"errors"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Allocation is a value that a resource takes from the pool in a key, and gives back.
type Allocation struct {
	terms.EntryID
	pool.Member            // the member of the pool; before the take, Value is the preferred one
	From        pool.Range // the range to take from; nil if that is not known

	FieldManager string
	Wait         time.Duration // for how long it waits for something to become free
}

// name is the name of an allocation in the registry: no key has a space.
func (a *Allocation) name() string { return "allocation " + a.ID }

// idLength is long: 80 bits. An id is compared with all others that ever were in a pool.
const idLength = 16

// notYet is the id of an allocation that is only planned.
const notYet = "not yet"

// PlanAllocate checks whether something can be taken.
func (r *Run) PlanAllocate(ctx context.Context, a Allocation, limits timeouts.Value, about diagnose.Subject) diag.Diagnostics {
	a.ID = notYet
	c := r.taking(a, &about)
	return r.planComputed(ctx, c, allocations, limits, about)
}

// PlanAllocated records that a planned instance has something of the pool, and takes nothing. It refuses what another one of the plan has as well, as after a
// second import, and warns if this is what another one waits for in vain.
func (r *Run) PlanAllocated(ctx context.Context, a Allocation, m *Memory, about diagnose.Subject) diag.Diagnostics {
	diags := r.planUse(ctx, a.Ref, computing(a.Key, false), token(allocations), about)
	diags.Append(r.planUse(ctx, a.Ref, use{owns: []string{a.name()}}, m.token(), about)...)
	r.pools.holds(a.ID, true)
	r.pools.gives(a.Value)
	if full := r.pools.awaitedInVain(a.ID); full != nil && r.Checks() && !r.IsApply(ctx) {
		diags.Append(r.atPlan(ctx, about).Diagnose(&diagnose.HeldHereError{Full: full}))
	}
	return diags
}

// PlanRelease checks whether what a planned instance has can be given back, and refuses what another one of the plan has as well.
func (r *Run) PlanRelease(ctx context.Context, a Allocation, m *Memory, limits timeouts.Value, about diagnose.Subject) diag.Diagnostics {
	if r.applying() {
		return nil
	}
	diags := r.planUse(ctx, a.Ref, use{removes: []string{a.name()}}, m.token(), about)
	if diags.HasError() {
		return diags
	}
	return append(diags, r.check(ctx, about, limits, func(ctx context.Context) error {
		return unlessGone(r.Engine.CheckCompute(ctx, r.releasing(a, new(atomic.Bool)), r.CheckMode()))
	})...)
}

// Allocate takes a free value, and waits for one. isUnknown: an error, after which it is not known whether the pool
// contains the member with the returned id, or will. That id must be released.
func (r *Run) Allocate(
	ctx context.Context, a Allocation, memory *Memory, timeout time.Duration, about diagnose.Subject,
) (m pool.Member, isUnknown bool, diags diag.Diagnostics) {
	memory.newToken()
	a.ID, a.Since = rand.Text()[:idLength], time.Now().UTC().Format(time.RFC3339)
	c := r.taking(a, &about)
	r.pools.holds(a.ID, true)
	var step cas.Step
	diags, err := r.compute(ctx, c, allocations, timeout, about, func(ctx context.Context) (err error) {
		step, err = r.Engine.Compute(ctx, c)
		return err
	})
	switch {
	case is[*eval.UnknownError](err):
		return a.Member, true, diags
	case diags.HasError():
		r.pools.holds(a.ID, false)
		return a.Member, false, diags
	}
	p, err := r.pool(a.EntryID, step.Stored)
	m, isThere := p.Find(a.ID, "")
	if err != nil || !isThere {
		return a.Member, true, append(diags, about.AllocationNotKept(step.Stored))
	}
	r.pools.gives(m.Value)
	return m, false, diags
}

// Reclaim writes another claimant into a member.
func (r *Run) Reclaim(ctx context.Context, a Allocation, timeout time.Duration, about diagnose.Subject) diag.Diagnostics {
	c := r.computed(a, func(p *pool.Pool) (*pool.Pool, error) {
		if _, ok := p.Find(a.ID, a.Value); !ok {
			return nil, &diagnose.AllocationGoneError{Value: a.Value}
		}
		return p.Claim(a.ID, a.Value, a.Claimant), nil
	})
	diags, _ := r.compute(ctx, c, allocations, timeout, about, func(ctx context.Context) error {
		_, err := r.Engine.Compute(ctx, c)
		return err
	})
	return diags
}

// Release gives an allocation back. It succeeds without a write if the allocation, or its ConfigMap, is missing; a
// value that another claimant has stays with that claimant, with a warning. An allocation without a value belongs to a
// take that may still arrive: see [fenced]. isUnknown: an error, after which it is not known whether the release was
// applied, or will be.
func (r *Run) Release(ctx context.Context, a Allocation, timeout time.Duration, about diagnose.Subject) (isUnknown bool, diags diag.Diagnostics) {
	wasThere := new(atomic.Bool)
	c := r.releasing(a, wasThere)
	var step cas.Step
	diags, err := r.compute(ctx, c, allocations, timeout, about, func(ctx context.Context) (err error) {
		step, err = r.Engine.Compute(ctx, c)
		return unlessGone(err)
	})
	if diags.HasError() {
		return is[*eval.UnknownError](err), diags
	}
	r.pools.holds(a.ID, false)
	p, err := r.pool(a.EntryID, step.Previous)
	if other, isTaken := p.At(a.Value); err == nil && isTaken && other.ID != a.ID && !wasThere.Load() {
		diags.Append(about.AllocationTakenOver(other, "It stays with that claimant."))
	}
	return false, diags
}

// releasing is the pool's key, computed without an allocation. It sets wasThere if the pool contains the allocation,
// also if a write follows whose response is lost.
func (r *Run) releasing(a Allocation, wasThere *atomic.Bool) cas.Computed {
	c := r.computed(a, func(p *pool.Pool) (*pool.Pool, error) {
		if _, isThere := p.Find(a.ID, a.Value); isThere {
			wasThere.Store(true)
		}
		return p.Release(a.ID, a.Value), nil
	})
	if c.Wait = 0; a.Value == "" {
		c.Next = fenced(c.Next)
	}
	return c
}

// unlessGone returns the error of a release; nil if the ConfigMap is missing or being deleted: the allocation is
// deleted with it.
func unlessGone(err error) error {
	if is[*eval.NotFoundError](err) || is[*eval.TerminatingError](err) {
		return nil
	}
	return err
}

// fenced makes next always write: a pool that next leaves as it is gets another spelling, and an absent pool becomes
// an empty one. A take is conditional on the version that it was evaluated on: after any write, a take of unknown
// outcome was applied, and was found, or it never can be.
func fenced(next func(eval.Value) (eval.Value, error)) func(eval.Value) (eval.Value, error) {
	return func(live eval.Value) (eval.Value, error) {
		made, err := next(live)
		switch text, _ := live.Text(); {
		case err != nil || made != live:
			return made, err
		case live.IsAbsent():
			return eval.Text(new(pool.Pool).String()), nil
		default:
			return eval.Text(pool.Reformed(text)), nil
		}
	}
}

// Adopt adopts the member that has a value, for an import. A later read could find the member of another claimant.
func (r *Run) Adopt(ctx context.Context, a Allocation, memory *Memory, about diagnose.Subject) (pool.Member, diag.Diagnostics) {
	if !r.Configured() {
		return pool.Member{}, diag.Diagnostics{NotConfigured()}
	}
	found, diags := r.Allocated(ctx, a, timeouts.Value{}, about)
	m := found.Other
	switch {
	case diags.HasError():
	case found.seen.Value(a.Key).IsAbsent():
		diags.Append(r.NothingThere(ctx, about, found.seen))
	case m.Value == "":
		diags.Append(about.NoAllocation(a.Value))
	case m.ID == "":
		diags.Append(about.WithoutID(m))
	}
	memory.newToken()
	return m, diags
}

// Found is the result of a look for an allocation in its pool.
type Found struct {
	IsThere bool
	Member  pool.Member // the one with its id
	Other   pool.Member // who has its value, if anybody has

	seen *eval.Snapshot
}

// Allocated reads what became of an allocation.
func (r *Run) Allocated(ctx context.Context, a Allocation, limits timeouts.Value, about diagnose.Subject) (found Found, diags diag.Diagnostics) {
	timeout, diags := limits.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() {
		return found, diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	find := func(seen *eval.Snapshot) (found Found, err error) {
		p, err := r.pool(a.EntryID, seen.Value(a.Key))
		found.seen = seen
		found.Other, _ = p.At(a.Value)
		if a.ID == "" { // an import: what another member has as well would be followed there, or released there
			if _, isShared := p.Release(found.Other.ID, found.Other.Value).Find(found.Other.ID, ""); isShared {
				found.Other.ID = ""
			}
		}
		found.Member, found.IsThere = p.Find(a.ID, a.Value)
		return found, err
	}
	seen, err := r.observe(ctx, &decide.Claim{Ref: a.Ref}, []time.Duration{cas.Fresh, 0}, func(seen *eval.Snapshot) bool {
		found, err := find(seen)
		return !found.IsThere || err != nil
	})
	if err == nil {
		found, err = find(seen)
	}
	if err != nil {
		diags.Append(about.Diagnose(err))
	}
	return found, diags
}

// taking is the pool's key as one that something is taken from. It has the subject say how many members there were.
func (r *Run) taking(a Allocation, about *diagnose.Subject) cas.Computed {
	members := new(atomic.Int64)
	about.Members = members.Load
	return r.computed(a, func(p *pool.Pool) (*pool.Pool, error) {
		members.Store(int64(p.Len()))
		next, _, err := p.Take(a.From, a.Member)
		full, isFull := errors.AsType[*pool.FullError](err)
		switch {
		case !isFull || !full.Holds:
			return next, err
		case a.Wait > 0 && r.pools.holdAll(full.Holders):
			return nil, &diagnose.HeldHereError{Full: full}
		case a.Wait > 0 && a.ID == notYet:
			r.pools.awaits(full)
		}
		return nil, &eval.NotYetError{Err: full}
	})
}

// computed is the pool's key as a computed key. A pool that next leaves as it is keeps its bytes.
func (r *Run) computed(a Allocation, next func(*pool.Pool) (*pool.Pool, error)) cas.Computed {
	return cas.Computed{Ref: a.Ref, Key: a.Key, FieldManager: a.FieldManager, Wait: a.Wait, Next: func(live eval.Value) (eval.Value, error) {
		p, err := r.pool(a.EntryID, live)
		if err != nil {
			return eval.Value{}, err
		}
		made, err := next(p)
		switch {
		case err != nil:
			return eval.Value{}, err
		case made == p:
			return live, nil
		default:
			return eval.Text(r.reader(a.EntryID).Keep(made)), nil
		}
	}}
}

// pool parses the pool in a key. It returns an empty pool for an absent key, and with an error.
func (r *Run) pool(id terms.EntryID, live eval.Value) (*pool.Pool, error) {
	if live.IsAbsent() {
		return &pool.Pool{}, nil
	}
	text, isText := live.Text()
	if !isText {
		return &pool.Pool{}, pool.NotText()
	}
	p, err := r.reader(id).Parse(text)
	if err != nil {
		return &pool.Pool{}, err
	}
	return p, nil
}

// reader returns the reader of one key's pool, which all calls of the run share.
func (r *Run) reader(id terms.EntryID) *pool.Reader {
	reader, _ := r.readers.LoadOrStore(id, new(pool.Reader))
	known, ok := reader.(*pool.Reader)
	if !ok {
		return new(pool.Reader) // there are no others in it
	}
	return known
}

// pools records the allocations of this run. The zero value is ready.
type pools struct {
	mu        sync.Mutex
	given     []string          // values
	allocated map[string]bool   // by id
	awaited   []*pool.FullError // by allocations of the plan
}

// holds records whether this run has the allocation with an id: it took the value, is about to, or leaves it as it is.
// An apply does not know the allocations that it leaves as they are.
func (g *pools) holds(id string, holds bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	put(&g.allocated, id, holds)
}

// gives records a value that an allocation of this run has.
func (g *pools) gives(value string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.given = append(g.given, value)
}

// givenIn returns a value of an allocation of this run that is a part of a key; "" if there is none.
func (g *pools) givenIn(keys []string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, value := range g.given {
		isPart := regexp.MustCompile(`(^|\W|_)` + regexp.QuoteMeta(value) + `($|\W|_)`).MatchString
		if value != "" && slices.ContainsFunc(keys, isPart) {
			return value
		}
	}
	return ""
}

// holdAll reports whether this run has all that the members are.
func (g *pools) holdAll(members []pool.Member) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hold(members)
}

func (g *pools) hold(members []pool.Member) bool {
	return !slices.ContainsFunc(members, func(m pool.Member) bool { return !g.allocated[m.ID] })
}

// awaits records that an allocation waits for one of others to be released. Terraform plans in any order, so that they may be planned after it.
func (g *pools) awaits(full *pool.FullError) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.awaited = append(g.awaited, full)
}

// awaitedInVain returns, once, a wait that cannot end because this run has all values, if the id belongs to one of
// them.
func (g *pools) awaitedInVain(id string) *pool.FullError {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.IndexFunc(g.awaited, func(full *pool.FullError) bool {
		return slices.ContainsFunc(full.Holders, func(m pool.Member) bool { return m.ID == id }) && g.hold(full.Holders)
	})
	if i < 0 {
		return nil
	}
	full := g.awaited[i]
	g.awaited = nil
	return full
}
