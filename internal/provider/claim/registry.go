package claim

import (
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// registry records the plans and writes of this run, of all resources. Terraform runs instances in any order, so two of
// them must not have one path, and none may write a path that another one removes. The zero value is ready.
type registry struct {
	mu      sync.Mutex
	plans   map[terms.EntryID]map[token]plan // by path
	written map[terms.EntryID]string         // in the apply: [counters], [allocations] or, for all other writers, ""
	deleted map[eval.Ref]bool                // in the apply
}

// objectPath is the path of an object itself in the registry. No key has this name.
const objectPath = "/"

// plan is the plan of an instance for a path. A swap changes a path that it does not own.
type plan struct {
	owns    bool // the instance has the path after the apply
	removes bool
	changes bool       // the instance writes or removes the path
	value   eval.Value // the value of an owned path, if it is known; of a computed one, any text
}

// use has the paths of an object in the plan of one instance.
type use struct {
	owns    []string // whose values the plan sets, changed or not
	writes  []string // of those, the ones that change
	removes []string
	values  map[string]eval.Value // of the owned paths, if they are known
}

// tokenLength is short, 40 bits: tokens are compared only where one run has several instances of one key or ConfigMap.
const tokenLength = 8

// The tokens of all counters, and of all allocations: several of one sort may share a key.
const counters, allocations = "counters", "allocations"

// token distinguishes the instances of a resource. The empty token distinguishes none.
type token string

// isOther reports whether the tokens are of two instances. The creation of a tainted resource gets a new token each time it
// is planned. With -minimal-refresh, Terraform plans it twice, so the resource counts as two.
func (t token) isOther(than token) bool {
	return t != "" && than != "" && t != than
}

// clash has the paths for which the plan of an instance contradicts the plans of others.
type clash struct {
	moving []string // one instance removes the path, and another one has it
	stays  bool     // an instance leaves one of these unchanged
	twice  []string // another instance has the path as well, or both create the object
	ofMap  bool     // one of two instances has all entries of the map that stores such a key
}

// put sets an entry of a map that may be nil.
func put[K comparable, V any](entries *map[K]V, key K, value V) {
	if *entries == nil {
		*entries = map[K]V{}
	}
	(*entries)[key] = value
}

// plan records the plan of an instance, and returns the contradictions to the plans of others.
func (g *registry) plan(ref eval.Ref, by token, u use, areOne func(a, b string) bool) (c clash) {
	g.mu.Lock()
	defer g.mu.Unlock()
	plans := map[string]plan{}
	for _, path := range u.owns {
		plans[path] = plan{owns: true, value: u.values[path]}
	}
	for _, path := range u.writes {
		plans[path] = plan{owns: true, changes: true, value: u.values[path]}
	}
	for _, path := range u.removes {
		plans[path] = plan{removes: true, changes: true}
	}
	for path, p := range plans {
		for id, others := range g.plans {
			if id.Ref != ref {
				continue
			}
			for other, q := range others {
				if !by.isOther(other) {
					continue
				}
				common, isInMap := overlap(ref.Kind, path, p, id.Key, q, areOne)
				switch {
				case common == "":
				case p.removes && q.owns, p.owns && q.removes:
					c.moving, c.stays = append(c.moving, common), c.stays || !p.changes || !q.changes
				case p.owns && q.owns && (common != objectPath || p.changes && q.changes):
					c.twice, c.ofMap = append(c.twice, common), c.ofMap || isInMap
				}
			}
		}
		g.record(terms.EntryID{Ref: ref, Key: path}, by, p)
	}
	slices.Sort(c.moving)
	slices.Sort(c.twice)
	c.moving, c.twice = slices.Compact(c.moving), slices.Compact(c.twice)
	return c
}

// record adds the plan of an instance for a path. Terraform may plan one instance in two calls.
func (g *registry) record(id terms.EntryID, by token, p plan) {
	if g.plans[id] == nil {
		put(&g.plans, id, map[token]plan{})
	}
	before := g.plans[id][by]
	if !p.owns {
		p.value = before.value
	}
	p.owns, p.removes, p.changes = p.owns || before.owns, p.removes || before.removes, p.changes || before.changes
	g.plans[id][by] = p
}

// overlap returns the path that two plans for one object have in common; "" if there is none. An entry is in the map
// that stores it.
func overlap(kind eval.Kind, a string, p plan, b string, q plan, areOne func(a, b string) bool) (path string, isInMap bool) {
	isNew := func(a, b string) bool { // of elements that the plans add
		return eval.SelectsIn(b, a, q.value) || eval.SelectsIn(a, b, p.value)
	}
	switch {
	case a == b:
		return a, false
	case a == objectPath || b == objectPath:
		return "", false
	case kind.IsInMap(b, q.value, a):
		return b, true
	case kind.IsInMap(a, p.value, b):
		return a, true
	case !eval.IsEntry(a) && (areOne(b, a) || isNew(b, a)):
		return a, false
	}
	return "", false
}

// planSwap records the keys that a swap writes. It takes keys out of the swap that the plan changes: by a resource, or
// by a swap that was planned before, such as the swap that locks before the swap that unlocks. It does not make the swap
// an owner: a resource may write the key as well.
func (g *registry) planSwap(t *eval.Txn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t.Keys = slices.DeleteFunc(t.Keys, func(k eval.KeySwap) bool {
		isChanged := false
		for id, others := range g.plans {
			for _, q := range others {
				if id.Ref == t.Ref && q.changes {
					common, _ := overlap(t.Ref.Kind, k.Key, plan{}, id.Key, q, eval.MayOverlap)
					isChanged = isChanged || common != ""
				}
			}
		}
		if !k.IsGuard {
			g.record(terms.EntryID{Ref: t.Ref, Key: k.Key}, "", plan{changes: true})
		}
		return isChanged
	})
}

// isCreated reports whether the plan creates an object. Keys in it cannot be checked yet, and need no warning.
func (g *registry) isCreated(ref eval.Ref) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.plans[terms.EntryID{Ref: ref, Key: objectPath}] {
		if p.owns && p.changes {
			return true
		}
	}
	return false
}

// take records paths that a call is about to write or to take over. It records nothing, and returns the paths that
// another call of this apply has, if there are any. Terraform gives the apply of a creation no token, and applies each
// instance once: a call is an instance.
func (g *registry) take(ref eval.Ref, keys []string, who string) (twice []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range keys {
		if first, isWritten := g.writer(ref, key); isWritten && (first == "" || first != who) {
			twice = append(twice, key)
		}
	}
	for _, key := range keys {
		if len(twice) == 0 {
			put(&g.written, terms.EntryID{Ref: ref, Key: key}, who)
		}
	}
	return twice
}

// hasWritten reports whether a call of this apply wrote a path, or took it over.
func (g *registry) hasWritten(ref eval.Ref, key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, isWritten := g.writer(ref, key)
	return isWritten
}

// writer returns the writer of a path, of a part of it, or of a path that it is a part of.
func (g *registry) writer(ref eval.Ref, key string) (who string, isWritten bool) {
	if who, isWritten = g.written[terms.EntryID{Ref: ref, Key: key}]; isWritten || eval.IsEntry(key) || key == objectPath {
		return who, isWritten
	}
	for id := range g.written {
		if id.Ref == ref && id.Key != objectPath && eval.Overlap(id.Key, key) {
			return "", true
		}
	}
	return "", false
}

// free forgets the writer of paths that were not written after all.
func (g *registry) free(ref eval.Ref, keys []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range keys {
		delete(g.written, terms.EntryID{Ref: ref, Key: key})
	}
}

// delete records that this apply deleted an object.
func (g *registry) delete(ref eval.Ref) {
	g.mu.Lock()
	defer g.mu.Unlock()
	put(&g.deleted, ref, true)
}

// isDeleted reports whether this apply deleted an object.
func (g *registry) isDeleted(ref eval.Ref) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.deleted[ref]
}

// planUse records the plan of an instance, and refuses a contradiction to the plan of another instance.
func (r *Run) planUse(ctx context.Context, ref eval.Ref, u use, by token, about diagnose.Subject) diag.Diagnostics {
	isCreation := slices.Contains(u.writes, objectPath)
	if r.IsApply(ctx) && !isCreation {
		return nil
	}
	c := r.registry.plan(ref, by, u, func(a, b string) bool {
		if !eval.MayOverlap(a, b) || eval.Overlap(a, b) || !r.Configured() {
			return eval.Overlap(a, b)
		}
		seen, err := r.Engine.Observe(ctx, ref, about.APIVersion, cas.Fresh) // only the object shows it
		return err == nil && seen.Exists() && seen.Overlap(a, b)
	})
	about = r.atPlan(ctx, about)
	switch {
	case r.IsApply(ctx), r.PlanCheck == terms.PlanCheckOff:
		return nil
	case slices.Contains(c.moving, objectPath):
		return diag.Diagnostics{about.ObjectMoves()}
	case slices.Contains(c.twice, objectPath):
		return diag.Diagnostics{about.CreatedTwice()}
	case len(c.moving) > 0:
		return diag.Diagnostics{about.KeyMoves(c.moving, c.stays)}
	case len(c.twice) > 0:
		return diag.Diagnostics{about.KeyWrittenTwice(c.twice, c.ofMap)}
	}
	return nil
}

// PlanUnchanged records the keys of an instance that its plan leaves as it is.
func (ch *Change) PlanUnchanged(ctx context.Context) diag.Diagnostics {
	prior, about := ch.Prior, ch.Run.about(ch.Prior, terms.OpUpdate)
	return ch.Run.planUse(ctx, prior.Ref, use{owns: prior.paths(), values: prior.Values}, ch.Memory.token(), about)
}

// Once sends a transaction unless another call of this apply has written one of its keys, or taken it over. Labels and the like are keys as well. A removal
// takes no key, and an action goes beside all others.
func (r *Run) Once(t *eval.Txn, op terms.Operation, send func() (cas.TxnResult, error)) (cas.TxnResult, error) {
	var keys []string
	for _, k := range t.Keys {
		if !k.IsGuard && !k.New.IsAbsent() && op != terms.OpDelete && op != terms.OpInvoke {
			keys = append(keys, k.Key)
		}
	}
	if twice := r.registry.take(t.Ref, keys, ""); len(twice) > 0 {
		return cas.TxnResult{}, &diagnose.WrittenTwiceError{Keys: twice}
	}
	result, err := send()
	if err != nil && !is[*eval.UnknownError](err) {
		r.registry.free(t.Ref, keys)
	}
	return result, err
}
