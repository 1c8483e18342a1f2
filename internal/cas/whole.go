package cas

import (
	"context"
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Creation asks for a ConfigMap to be made if, and only if, there is none of its name.
type Creation struct {
	Ref                 Ref
	GenerateName        string // what Ref.Name was made of, stored as the API server would store it; empty where it was given
	Labels, Annotations map[string]string
	Entries             map[string]Entry // none is absent
	Immutable           *bool
	FieldManager        string // required
}

// configMap is what is sent.
func (n *Creation) configMap() *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: n.Ref.Namespace, Name: n.Ref.Name, GenerateName: n.GenerateName, Labels: n.Labels, Annotations: n.Annotations,
		},
		Data:       map[string]string{},
		BinaryData: map[string][]byte{},
		Immutable:  n.Immutable,
	}
	for key, e := range n.Entries {
		if v, ok := e.Text(); ok {
			cm.Data[key] = v
		} else if b, ok := e.Binary(); ok {
			cm.BinaryData[key] = b
		}
	}
	return cm
}

// judge holds the creation against an observation.
func (n *Creation) judge(o *Observation) judgement {
	if o.Exists() {
		return judgement{decision: decideRefuse, err: &ExistsError{Ref: n.Ref, Live: o}}
	}
	if err := n.tooLarge(); err != nil {
		return judgement{decision: decideRefuse, err: err}
	}
	return judgement{decision: decideWrite}
}

// tooLarge is an error where the values are over MaxSize together.
func (n *Creation) tooLarge() error {
	size := 0
	for _, e := range n.Entries {
		size += e.Size()
	}
	if size > MaxSize {
		return &TooLargeError{Ref: n.Ref, New: size}
	}
	return nil
}

// made tells whether what is there can be what the creation made: the same content, and no other writer.
func (n *Creation) made(o *Observation) bool {
	return maps.Equal(n.Entries, o.Entries()) && maps.Equal(n.Labels, o.Labels()) && maps.Equal(n.Annotations, o.Annotations()) &&
		(n.Immutable != nil && *n.Immutable) == o.Immutable() &&
		!slices.ContainsFunc(o.Writers(), func(w Writer) bool { return w.Manager != n.FieldManager })
}

// Removal asks for a ConfigMap to be deleted if, and only if, it is at the versions that are named, or where the lineage
// leads from them. One that is gone, or being deleted, is a success.
type Removal struct {
	Ref Ref
	At  []Version
}

// judge holds the removal against an observation.
func (r *Removal) judge(o *Observation, h history) judgement {
	if !o.Exists() || o.Terminating() {
		return judgement{decision: decideDone}
	}
	for _, v := range r.At {
		if !h.leadsFrom(v) {
			return judgement{decision: decideRefuse, err: &ConflictError{Reason: ReasonObject, Ref: r.Ref, At: v, Live: o}}
		}
	}
	return judgement{decision: decideWrite}
}

// whole brings a task about the object as such forward: it looks, sends what is to be sent, or answers.
func (c *committer) whole(t *task) {
	base := Version{}
	switch {
	case c.head != nil:
		j := t.judge(c.head, &c.lineage)
		isCurrent := c.isCurrent(t, j.decision)
		switch {
		case j.decision == decideWrite && t.kind != checkTask:
			base = c.head.Version()
		case !isCurrent:
			c.read([]*task{t})
			return
		default:
			t.observed, t.result = c.head, TxnResult{After: c.head}
			t.answer(j.err)
			return
		}
	case t.kind != checkTask && t.create != nil && t.create.tooLarge() == nil: // what is there already is found out by trying
	case t.kind == writeTask && t.remove != nil && len(t.remove.At) == 1 && t.remove.At[0].UID != "" && t.remove.At[0].Valid():
		base = t.remove.At[0]
	default:
		c.read([]*task{t})
		return
	}
	if dry := t.kind == rehearseTask; !dry && !t.claim(base) {
		return
	}
	if t.create != nil {
		c.create(t)
	} else {
		c.remove(t, base)
	}
}

// create sends a creation until it is known what became of it, or until it cannot be found out. One that is sent again can
// only land where the first has not; where the name is taken then, what has it tells whether it was ours.
func (c *committer) create(t *task) {
	dry := t.kind == rehearseTask
	wasAbsent := c.head != nil && !c.head.Exists() // no other's, of the same content, was there before one that was sent
	callers, left := anyCaller([]*task{t})
	defer left()
	ctx, cancel := lingering(context.Background(), callers, Grace-telling)
	defer cancel()
	var doubt, last error
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		t.attempts.Add(1)
		t.company.Store(1)
		once, done := lingering(ctx, callers, patience)
		made, out, err := c.client.create(once, t.create, dry)
		done()
		switch {
		case out == landed && dry:
			t.observed = &Observation{begun: t.asked}
			t.answer(nil)
			return
		case out == landed:
			c.created(t, made)
			return
		case out == inDoubt && dry:
			t.answer(c.client.explain(err, c.ref, "create"))
			return
		case doubt == nil && out == stale:
			t.release(c.client.host)
			now, lost := c.client.get(callers, c.ref)
			switch {
			case t.answered:
			case lost != nil:
				t.answer(lost)
			case !now.Exists() && t.overtaken: // the refusal is about something else, as a webhook's
				t.answer(c.client.explain(err, c.ref, "create"))
			default:
				t.overtaken = !now.Exists()
				c.observed(now) // and is judged again
			}
			return
		case doubt == nil && out == throttled:
			t.release(c.client.host)
			sleep(callers, max(firstPause, retryAfter(err)))
			return
		case doubt == nil && out != inDoubt:
			t.answer(err)
			return
		case doubt == nil:
			doubt = err
		default:
			last = err
		}
		sleep(ctx, max(pause, min(retryAfter(err), maxPause)))
		once, done = lingering(ctx, callers, patience)
		now, err := c.client.get(once, c.ref)
		done()
		switch {
		case err == nil && now.Exists() && wasAbsent && t.create.made(now):
			c.created(t, now)
			return
		case err == nil && now.Exists():
			c.unknown(t, Version{}, errors.Join(doubt, errors.New("a ConfigMap of this name is there, and may be another's")))
			return
		case err != nil:
			last = err
		default:
			wasAbsent = true
		}
		if ctx.Err() != nil {
			c.unknown(t, Version{}, errors.Join(doubt, last, context.Cause(ctx)))
			return
		}
	}
}

// created takes note of an own creation.
func (c *committer) created(t *task, made *Observation) {
	keys := slices.Collect(maps.Keys(t.create.Entries))
	c.wrote(made.Version(), made, keys, false)
	t.result = TxnResult{After: made, Wrote: true}
	t.answer(nil)
}

// unknown answers a task whose write cannot be found out about.
func (c *committer) unknown(t *task, base Version, err error) {
	c.forget()
	t.answer(&UnknownError{Ref: c.ref, Base: base, Err: err})
}

// remove sends a delete until it is known what became of it. Only the version that it is conditional on can be deleted by
// it, so that a look always tells.
func (c *committer) remove(t *task, base Version) {
	dry := t.kind == rehearseTask
	callers, left := anyCaller([]*task{t})
	defer left()
	ctx, cancel := lingering(context.Background(), callers, Grace-telling)
	defer cancel()
	var doubt, last error
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		t.attempts.Add(1)
		t.company.Store(1)
		once, done := lingering(ctx, callers, patience)
		after, out, err := c.client.remove(once, c.ref, base, dry)
		done()
		switch {
		case out == landed:
			c.removed(t, after, dry)
			return
		case out == inDoubt && dry:
			t.answer(c.client.explain(err, c.ref, "delete"))
			return
		case doubt == nil && out == throttled:
			t.release(c.client.host)
			sleep(callers, max(firstPause, retryAfter(err)))
			return
		case doubt == nil && out != inDoubt && out != stale:
			t.answer(err)
			return
		case doubt == nil && out == inDoubt:
			doubt = err
		}
		refusal := err
		if doubt != nil {
			sleep(ctx, max(pause, min(retryAfter(err), maxPause)))
		} else {
			t.release(c.client.host)
		}
		once, done = lingering(ctx, callers, patience)
		now, err := c.client.get(once, c.ref)
		done()
		switch {
		case t.answered:
			return
		case err != nil && doubt == nil:
			t.answer(err)
			return
		case err != nil:
			last = err
		case !now.Exists(), now.Terminating(), doubt != nil && now.Version().UID != base.UID:
			c.observed(now)
			t.observed, t.result = now, TxnResult{After: now}
			t.answer(nil)
			return
		case now.Version() != base: // it has not landed, and never will: it is judged again
			t.release(c.client.host)
			c.observed(now)
			return
		case doubt == nil: // the refusal was not about the version
			t.answer(c.client.explain(refusal, c.ref, "delete"))
			return
		}
		if ctx.Err() != nil {
			c.unknown(t, base, errors.Join(doubt, last, context.Cause(ctx)))
			return
		}
	}
}

// removed takes note of an own delete, and of what it left: an object that is being deleted, where something holds it.
func (c *committer) removed(t *task, after *Observation, dry bool) {
	if dry {
		t.observed = c.head
	} else {
		c.observed(after)
	}
	t.result = TxnResult{After: after, Wrote: true}
	t.answer(nil)
}
