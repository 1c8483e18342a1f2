package session

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
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
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

// name returns the name of an allocation in the registry. No key has a space.
func (a *Allocation) name() string { return "allocation " + a.ID }

// idLength is 80 bits, because an id is compared with all others that ever were in a pool.
const idLength = 16

// notYet is the id of an allocation that is only planned.
const notYet = "not yet"

// CheckAllocate checks whether a value can be allocated.
func (p Plan) CheckAllocate(
	ctx context.Context, a Allocation, limits timeouts.Value, about message.Subject,
) diag.Diagnostics {
	a.ID = notYet
	c := p.taking(a, &about)
	return p.checkComputed(ctx, c, allocations, limits, about)
}

// KeepAllocation records that a planned instance keeps its allocation. It refuses an allocation that another instance
// of the plan has as well, as after a second import, and warns if another instance waits in vain for this allocation.
func (p Plan) KeepAllocation(
	ctx context.Context, a Allocation, by Token, about message.Subject,
) diag.Diagnostics {
	diags := p.Use(ctx, a.Ref, computing(a.Key, false), Token(allocations), about)
	diags.Append(p.Use(ctx, a.Ref, Use{Owns: []string{a.name()}}, by, about)...)
	p.pools.holds(a.ID, true)
	p.pools.gives(a.Value)
	if full := p.pools.awaitedInVain(a.ID); full != nil && p.Reports() {
		diags.Append(p.At(about).Diagnose(&message.HeldHereError{Full: full}))
	}
	return diags
}

// CheckRelease checks whether the allocation of a planned instance can be released, and refuses an allocation that
// another instance of the plan has as well.
func (p Plan) CheckRelease(
	ctx context.Context, a Allocation, by Token, limits timeouts.Value, about message.Subject,
) diag.Diagnostics {
	if p.IsApplying() {
		return nil
	}
	diags := p.Use(ctx, a.Ref, Use{Removes: []string{a.name()}}, by, about)
	if diags.HasError() {
		return diags
	}
	return append(diags, p.Check(ctx, about, limits, func(ctx context.Context) error {
		return unlessMissing(p.Engine.CheckCompute(ctx, p.releasing(a, new(atomic.Bool)), p.CheckMode()))
	})...)
}

// Allocate reserves a free value, or waits for one. isUnknown says that it is not known whether the pool contains the
// member with the returned id, or will. That id must be released.
func (s *Session) Allocate(
	ctx context.Context, a Allocation, timeout time.Duration, about message.Subject,
) (m pool.Member, isUnknown bool, diags diag.Diagnostics) {
	a.ID, a.Since = rand.Text()[:idLength], time.Now().UTC().Format(time.RFC3339)
	c := s.taking(a, &about)
	s.pools.holds(a.ID, true)
	var step cas.Step
	diags, err := s.compute(ctx, c, allocations, timeout, about, func(ctx context.Context) (err error) {
		step, err = s.Engine.Compute(ctx, c)
		return err
	})
	switch {
	case isOfType[*eval.UnknownError](err):
		return a.Member, true, diags
	case diags.HasError():
		s.pools.holds(a.ID, false)
		return a.Member, false, diags
	}
	p, err := s.pool(a.EntryID, step.Stored)
	m, isThere := p.Find(a.ID, "")
	if err != nil || !isThere {
		return a.Member, true, append(diags, about.AllocationNotKept(step.Stored))
	}
	s.pools.gives(m.Value)
	return m, false, diags
}

// Reclaim writes another claimant into a member.
func (s *Session) Reclaim(
	ctx context.Context, a Allocation, timeout time.Duration, about message.Subject,
) diag.Diagnostics {
	c := s.computed(a, func(p *pool.Pool) (*pool.Pool, error) {
		if _, ok := p.Find(a.ID, a.Value); !ok {
			return nil, &message.AllocationGoneError{Value: a.Value}
		}
		return p.Claim(a.ID, a.Value, a.Claimant), nil
	})
	diags, _ := s.compute(ctx, c, allocations, timeout, about, func(ctx context.Context) error {
		_, err := s.Engine.Compute(ctx, c)
		return err
	})
	return diags
}

// Release releases an allocation. It succeeds without a write if the allocation, or its ConfigMap, is missing; a value
// that another claimant has stays with that claimant, with a warning. An allocation without a value belongs to a take
// that may still arrive: see [fenced]. isUnknown says that it is not known whether the release was applied, or will be.
func (s *Session) Release(
	ctx context.Context, a Allocation, timeout time.Duration, about message.Subject,
) (isUnknown bool, diags diag.Diagnostics) {
	wasThere := new(atomic.Bool)
	c := s.releasing(a, wasThere)
	var step cas.Step
	diags, err := s.compute(ctx, c, allocations, timeout, about, func(ctx context.Context) (err error) {
		step, err = s.Engine.Compute(ctx, c)
		return unlessMissing(err)
	})
	if diags.HasError() {
		return isOfType[*eval.UnknownError](err), diags
	}
	s.pools.holds(a.ID, false)
	p, err := s.pool(a.EntryID, step.Previous)
	if other, isTaken := p.At(a.Value); err == nil && isTaken && other.ID != a.ID && !wasThere.Load() {
		diags.Append(about.AllocationTakenOver(other, "It stays with that claimant."))
	}
	return false, diags
}

// releasing returns the computation of a pool without an allocation. It sets wasThere if the pool contains the
// allocation, also if a write follows whose response is lost.
func (s *Session) releasing(a Allocation, wasThere *atomic.Bool) cas.Computed {
	c := s.computed(a, func(p *pool.Pool) (*pool.Pool, error) {
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

// unlessMissing returns the error of a release; nil if the ConfigMap is missing or being deleted: the allocation is
// deleted with it.
func unlessMissing(err error) error {
	if isOfType[*eval.NotFoundError](err) || isOfType[*eval.TerminatingError](err) {
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
func (s *Session) Adopt(ctx context.Context, a Allocation, about message.Subject) (pool.Member, diag.Diagnostics) {
	if !s.Configured() {
		return pool.Member{}, diag.Diagnostics{NotConfigured()}
	}
	found, diags := s.Allocated(ctx, a, timeouts.Value{}, about)
	m := found.Other
	switch {
	case diags.HasError():
	case found.seen.Value(a.Key).IsAbsent():
		diags.Append(s.NothingThere(ctx, about, found.seen))
	case m.Value == "":
		diags.Append(about.NoAllocation(a.Value))
	case m.ID == "":
		diags.Append(about.WithoutID(m))
	}
	return m, diags
}

// Found is the result of a look for an allocation in its pool.
type Found struct {
	IsThere bool
	Member  pool.Member // with the id
	Other   pool.Member // with the value; the zero Member if there is none

	seen *eval.Snapshot
}

// Allocated finds an allocation in its pool.
func (s *Session) Allocated(
	ctx context.Context, a Allocation, limits timeouts.Value, about message.Subject,
) (found Found, diags diag.Diagnostics) {
	timeout, diags := limits.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() {
		return found, diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	find := func(seen *eval.Snapshot) (found Found, err error) {
		p, err := s.pool(a.EntryID, seen.Value(a.Key))
		found.seen = seen
		found.Other, _ = p.At(a.Value)
		if a.ID == "" { // an import: a later read or release could find another member with the same id
			if _, isShared := p.Release(found.Other.ID, found.Other.Value).Find(found.Other.ID, ""); isShared {
				found.Other.ID = ""
			}
		}
		found.Member, found.IsThere = p.Find(a.ID, a.Value)
		return found, err
	}
	seen, err := s.Observe(ctx, a.Ref, "", []time.Duration{cas.Fresh, 0}, func(seen *eval.Snapshot) bool {
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

// taking returns the computation of a pool with another allocation. It also sets the number of members in about.
func (s *Session) taking(a Allocation, about *message.Subject) cas.Computed {
	members := new(atomic.Int64)
	about.Members = members.Load
	return s.computed(a, func(p *pool.Pool) (*pool.Pool, error) {
		members.Store(int64(p.Len()))
		next, _, err := p.Take(a.From, a.Member)
		full, isFull := errors.AsType[*pool.FullError](err)
		switch {
		case !isFull || !full.Holds:
			return next, err
		case a.Wait > 0 && s.pools.holdAll(full.Holders):
			return nil, &message.HeldHereError{Full: full}
		case a.Wait > 0 && a.ID == notYet:
			s.pools.awaits(full)
		}
		return nil, &eval.NotYetError{Err: full}
	})
}

// computed returns the computation of a pool by next. A pool that next leaves as it is keeps its bytes.
func (s *Session) computed(a Allocation, next func(*pool.Pool) (*pool.Pool, error)) cas.Computed {
	c := cas.Computed{Ref: a.Ref, Key: a.Key, FieldManager: a.FieldManager, Wait: a.Wait}
	c.Next = func(live eval.Value) (eval.Value, error) {
		p, err := s.pool(a.EntryID, live)
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
			return eval.Text(s.reader(a.EntryID).Keep(made)), nil
		}
	}
	return c
}

// pool parses the pool in a key. It returns an empty pool for an absent key, and with an error.
func (s *Session) pool(id terms.EntryID, live eval.Value) (*pool.Pool, error) {
	if live.IsAbsent() {
		return &pool.Pool{}, nil
	}
	text, isText := live.Text()
	if !isText {
		return &pool.Pool{}, pool.NotText()
	}
	p, err := s.reader(id).Parse(text)
	if err != nil {
		return &pool.Pool{}, err
	}
	return p, nil
}

// reader returns the reader of one key's pool, which all calls of the run share.
func (s *Session) reader(id terms.EntryID) *pool.Reader {
	reader, _ := s.readers.LoadOrStore(id, new(pool.Reader))
	known, ok := reader.(*pool.Reader)
	if !ok {
		return new(pool.Reader) // never: the map has only readers
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

// holds records whether this run has the allocation with an id: it reserved the value, is about to, or leaves it as it
// is. An apply does not know the allocations that it leaves as they are.
func (g *pools) holds(id string, holds bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	setEntry(&g.allocated, id, holds)
}

// gives records a value that an allocation of this run has.
func (g *pools) gives(value string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.given = append(g.given, value)
}

// GivenIn returns a value of an allocation of this run that is a part of a key; "" if there is none.
func (s *Session) GivenIn(keys []string) string {
	g := &s.pools
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

// holdAll reports whether this run has the allocations of all members.
func (g *pools) holdAll(members []pool.Member) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hold(members)
}

func (g *pools) hold(members []pool.Member) bool {
	return !slices.ContainsFunc(members, func(m pool.Member) bool { return !g.allocated[m.ID] })
}

// awaits records that an allocation waits until one of the members is released. Terraform plans instances in any order,
// so the plans of the members may follow.
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
