package cas

import (
	"context"
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// requestTimeout bounds one write, at the API server too, so that an answer that got lost leaves time to find out.
	requestTimeout = 15 * time.Second
	// firstPause is the wait before a second look, doubled up to maxPause.
	firstPause = 20 * time.Millisecond
	maxPause   = time.Second
	// telling is how long before the end of Grace finding out stops, so that callers are told why.
	telling = 500 * time.Millisecond
	// patience is how long one request is waited for once all callers have gone, so that Grace has room for several.
	patience = (Grace - telling) / 3
)

// written is what became of a group's request.
type written struct {
	outcome outcome
	err     error
	after   *Observation // landed: the object as the write left it
	now     *Observation // stale, or landed and found out by looking: the object as it was then
	isLater bool         // after is not just as the write left it: others may have written since
}

// commit sends the group's request until it is known what became of it, or until it cannot be found out (inDoubt).
// Only an answer that was lost is looked into; then the object tells: still at the base, a merge patch is sent again, and
// at most one of the two can land; past it, what came after the base decides. A JSON Patch is never sent again: a delayed
// original could land after the value came back.
func (c *committer) commit(g *group) written {
	g.signature = c.signature
	r, err := mergePatch(g.base, g.changes, g.signedMeta())
	if g.byKey {
		r, err = jsonPatch(g.from, g.changes)
	}
	if err != nil {
		return written{outcome: refused, err: err}
	}
	callers, left := anyCaller(g.tasks)
	defer left()
	ctx, cancel := lingering(context.Background(), callers, Grace-telling)
	defer cancel()
	var doubt, last error
	pause := firstPause
	for {
		for _, t := range g.tasks {
			t.attempts.Add(1)
			t.company.Store(int64(len(g.tasks)))
		}
		once, done := lingering(ctx, callers, patience)
		after, out, err := c.client.patch(once, c.ref, r, g.tasks[0].txn.FieldManager, g.dry)
		done()
		switch {
		case out == inDoubt && g.dry: // nothing was to be stored
			return written{outcome: unsent, err: c.client.explain(err, c.ref, "patch")}
		case out == landed:
			return written{outcome: landed, after: after}
		case out == stale && doubt == nil:
			return c.overtaken(callers, g, err)
		case out != inDoubt && doubt == nil:
			return written{outcome: out, err: err}
		case doubt == nil:
			doubt = err
		default:
			last = err
		}
		for {
			once, done := lingering(ctx, callers, maxPause)
			sleep(once, max(pause, retryAfter(err)))
			done()
			if ctx.Err() != nil {
				return written{outcome: inDoubt, err: errors.Join(doubt, last, context.Cause(callers))}
			}
			pause = min(2*pause, maxPause)
			var now *Observation
			once, done = lingering(ctx, callers, patience)
			now, err = c.client.get(once, c.ref)
			done()
			if err != nil {
				last = err
				continue // the doubt is about a write: it is worth all of the callers' time
			}
			if now.Version() == g.base {
				if g.byKey {
					continue
				}
				break
			}
			once, done = lingering(ctx, callers, patience)
			w, err := c.settle(once, g, now)
			done()
			switch {
			case err == nil && w.outcome == inDoubt:
				w.err = errors.Join(doubt, w.err)
				return w
			case err == nil:
				return w
			case !isPassing(err):
				return written{outcome: inDoubt, err: errors.Join(doubt, err)}
			}
			last = err
		}
	}
}

// isExpired tells whether the API server does not know any more what came after a version.
func isExpired(err error) bool { return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) }

// isPassing tells whether asking again may be answered.
func isPassing(err error) bool {
	var forbidden *ForbiddenError
	var refused *RefusedError
	switch {
	case errors.As(err, &forbidden), isExpired(err):
		return false
	case errors.As(err, &refused):
		return refused.Code >= http.StatusInternalServerError || refused.Code == http.StatusTooManyRequests
	}
	return true
}

// overtaken looks at what overtook a write that was refused as stale. Where nothing did, the refusal was about something
// else, as that of a webhook that answers 409, and would be the same the next time. (That the object is just what the write
// was to make of it proves nothing: another may have swapped the same values.)
func (c *committer) overtaken(callers context.Context, g *group, refusal error) written {
	for _, t := range g.tasks {
		t.release(c.client.host)
	}
	now, err := c.client.get(callers, c.ref)
	switch {
	case err != nil:
		return written{outcome: unsent, err: err}
	case g.isProven(now): // something between here and there sent it twice, and passed on the second answer
		return written{outcome: landed, after: now, now: now, isLater: true}
	case now.Version() == g.base && !g.byKey:
		return written{outcome: refused, err: c.client.explain(refusal, c.ref, "patch")}
	}
	return written{outcome: stale, now: now}
}

// settle finds out whether the group's write is among those that came after its base. That now shows other values proves
// nothing: ours may have landed before them. A merge patch can only be the first of them; a JSON Patch any, or one that is
// yet to come. Where that cannot be seen, now may still prove that ours is there.
func (c *committer) settle(ctx context.Context, g *group, now *Observation) (written, error) {
	w := written{outcome: stale, now: now}
	if g.byKey {
		w = written{outcome: inDoubt, err: errors.New("it was conditional on the keys alone, and may be on its way still")}
	}
	before := g.from
	err := c.client.replay(ctx, c.ref, g.base, func(next *Observation) bool {
		if next == nil {
			return false // deleted
		}
		switch g.made(before, next) {
		case yes:
			w = written{outcome: landed, after: next, now: now}
			return false
		case maybe:
			w = written{outcome: inDoubt, err: errors.New("the key was changed to something else: by admission on the way in, or by " +
				"another writer of the same name")}
			return false
		default:
			before = next
			return g.byKey && next.Version() != now.Version()
		}
	})
	if (err != nil || w.outcome == inDoubt) && g.isProven(now) {
		return written{outcome: landed, after: now, now: now, isLater: true}, nil
	}
	return w, err
}

// sleep ends early where the context does.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
