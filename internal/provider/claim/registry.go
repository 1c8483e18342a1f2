package claim

import (
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// registry records what this run has read, planned and written so far, of all resources. Terraform may run instances in any order, so two of them must not
// have one key, nor one write what another removes, nor two create one object. The zero value is ready.
type registry struct {
	mu        sync.Mutex
	keys      map[terms.EntryID]keyUse // in the plan
	written   map[terms.EntryID]string // in the apply: who wrote the key or took it over: [counters], [allocations] or nobody in particular
	deleted   sync.Map
	takenOver sync.Map // by the [eval.Ref] of a whole object that a creation of this apply took over
	given     []string
	creations sync.Map              // tokens of instances, by the [eval.Ref] that they create
	objects   map[objectUse][]token // of the plan
	allocated map[string]bool       // by the ids of allocations: see holds
	awaited   []*pool.FullError     // by allocations of the plan
}

// put sets an entry of a map that may be nil yet.
func put[K comparable, V any](of *map[K]V, key K, value V) {
	if *of == nil {
		*of = map[K]V{}
	}
	(*of)[key] = value
}

// keyUse has the plans of instances for one key.
type keyUse struct {
	isOwned, isRemoved bool
	isChanged          bool  // written by an instance or a swap, or removed
	owner              token // the first instance that has the key
	value              eval.Value
}

// use has the keys of an object in the plan of one instance.
type use struct {
	owns    []string // whose values the plan sets, changed or not
	writes  []string // of those, the ones that change
	removes []string
	values  map[string]eval.Value // of the keys that it owns, where they are known; of a key that is computed, any text
}

// tokenLength is short, 40 bits: tokens are compared only where one run has several instances of one key or ConfigMap.
const tokenLength = 8

// The tokens of all counters, and of all allocations: several of one sort may share a key.
const counters, allocations = "counters", "allocations"

// token tells a resource instance from others. The empty token distinguishes none.
type token string

// isOther reports whether the tokens are of two instances. The creation of a tainted resource gets a new token each time it
// is planned. With -minimal-refresh, Terraform plans it twice, so the resource counts as two.
func (t token) isOther(than token) bool {
	return t != "" && than != "" && t != than
}

// clash has the keys for which the plan of an instance contradicts the plans of others.
type clash struct {
	moving []string // keys that one instance removes and another one has
	stays  bool     // of those, whether one is left as it is by the instance that has it
	twice  []string // keys that another instance has as well
	ofMap  bool     // whether one of the two has all entries of the map that stores such a key
}

// plans records what an instance is planned to do.
func (g *registry) plans(ref eval.Ref, of token, u use, areOne func(a, b string) bool) (c clash) {
	g.mu.Lock()
	defer g.mu.Unlock()
	record := func(keys []string, change func(key string, k *keyUse)) {
		for _, key := range slices.Sorted(slices.Values(keys)) {
			id := terms.EntryID{Ref: ref, Key: key}
			for other, k := range g.keys {
				isNew := func(a, b string) bool { // elements that the plan adds
					return eval.SelectsIn(b, a, k.value) || eval.SelectsIn(a, b, u.values[key])
				}
				if k.owner == of || other.Ref != ref {
					continue
				}
				before := len(c.twice)
				switch {
				case ref.Kind.IsInMap(other.Key, k.value, key):
					change(other.Key, &k)
					c.ofMap = c.ofMap || len(c.twice) > before
				case ref.Kind.IsInMap(key, u.values[key], other.Key):
					change(key, &k)
					c.ofMap = c.ofMap || len(c.twice) > before
				case overlaps(ref, key, other, areOne), overlaps(ref, key, other, isNew):
					change(key, &k)
				}
			}
			k := g.keys[id]
			change(key, &k)
			put(&g.keys, id, k)
		}
	}
	record(u.removes, func(key string, k *keyUse) {
		if k.isOwned {
			c.moving, c.stays = append(c.moving, key), c.stays || !k.isChanged
		}
		k.isRemoved, k.isChanged = true, true
	})
	record(u.owns, func(key string, k *keyUse) {
		if k.isRemoved {
			c.moving, c.stays = append(c.moving, key), c.stays || !slices.Contains(u.writes, key)
		}
		if k.isOwned && of.isOther(k.owner) {
			c.twice = append(c.twice, key)
		}
		if !k.isOwned {
			k.isOwned, k.owner, k.value = true, of, u.values[key]
		}
	})
	record(u.writes, func(_ string, k *keyUse) { k.isChanged = true })
	slices.Sort(c.twice)
	c.twice = slices.Compact(c.twice)
	return c
}

// swaps records the keys that a swap writes. It takes keys out of the swap that the plan changes: by a resource, or by a swap that was planned
// before, such as the swap that locks before the swap that unlocks. It does not make the swap an owner: a resource may write the key as well.
func (g *registry) swaps(t *eval.Txn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t.Keys = slices.DeleteFunc(t.Keys, func(k eval.KeySwap) bool {
		id := terms.EntryID{Ref: t.Ref, Key: k.Key}
		use := g.keys[id]
		wasChanged := use.isChanged
		for other, of := range g.keys {
			wasChanged = wasChanged || of.isChanged && overlaps(t.Ref, k.Key, other, eval.MayOverlap)
		}
		if !k.IsGuard {
			use.isChanged = true
			put(&g.keys, id, use)
		}
		return wasChanged
	})
}

// creates records the creation of an object, and reports whether another instance creates the same one.
func (g *registry) creates(ref eval.Ref, creator token) (twice bool) {
	recorded, _ := g.creations.LoadOrStore(ref, creator)
	first, _ := recorded.(token)
	return creator.isOther(first)
}

// objectUse is a whole object that instances have, or that they delete.
type objectUse struct {
	eval.Ref

	isDeleted bool
}

// uses records that an instance has an object, or deletes it, and reports whether another one does the other of the two.
func (g *registry) uses(u objectUse, of token) (moves bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	put(&g.objects, u, append(g.objects[u], of))
	return slices.ContainsFunc(g.objects[objectUse{u.Ref, !u.isDeleted}], of.isOther)
}

// isCreated reports whether the plan creates an object. Keys in it cannot be checked yet, and need no warning.
func (g *registry) isCreated(ref eval.Ref) bool {
	_, ok := g.creations.Load(ref)
	return ok
}

// takes records keys that a call is about to write or to take over. It records nothing, and gives those that another call of this apply has, where there
// are any. Terraform hands no token of an instance to the apply of a creation, and applies each instance once: so a call is an instance.
func (g *registry) takes(ref eval.Ref, keys []string, who string) (twice []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range keys {
		if first, ok := g.written[terms.EntryID{Ref: ref, Key: key}]; ok && (first == "" || first != who) || g.wroteOver(ref, key) {
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

// hasWritten reports whether a call of this apply wrote a key, or took it over.
func (g *registry) hasWritten(ref eval.Ref, key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, wrote := g.written[terms.EntryID{Ref: ref, Key: key}]
	return wrote || g.wroteOver(ref, key)
}

// wroteOver reports whether a call has a field that is a part of this one, or the reverse.
func (g *registry) wroteOver(ref eval.Ref, key string) bool {
	for id := range g.written {
		if overlaps(ref, key, id, eval.Overlap) {
			return true
		}
	}
	return false
}

// overlaps reports whether a key and another one, in the records, name a field and a part of it, or one thing by two names.
func overlaps(ref eval.Ref, key string, other terms.EntryID, areOne func(a, b string) bool) bool {
	return !eval.IsEntry(key) && other.Ref == ref && other.Key != key && areOne(other.Key, key)
}

// frees forgets who takes keys that were not written after all.
func (g *registry) frees(ref eval.Ref, keys []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range keys {
		delete(g.written, terms.EntryID{Ref: ref, Key: key})
	}
}

// planKeys records what an instance is planned to do with keys, and refuses what does not go with what another instance
// of the plan does, or has.
func (r *Run) planKeys(ctx context.Context, ref eval.Ref, u use, of token, about diagnose.Subject) diag.Diagnostics {
	if r.IsApply(ctx) {
		return nil
	}
	c := r.registry.plans(ref, of, u, func(a, b string) bool {
		if !eval.MayOverlap(a, b) || eval.Overlap(a, b) || !r.Configured() {
			return eval.Overlap(a, b)
		}
		seen, err := r.Engine.Observe(ctx, ref, about.APIVersion, cas.Fresh) // only the object shows it
		return err == nil && seen.Exists() && seen.Overlap(a, b)
	})
	switch {
	case r.PlanCheck == terms.PlanCheckOff:
		return nil
	case len(c.moving) > 0:
		return diag.Diagnostics{r.atPlan(ctx, about).KeyMoves(c.moving, c.stays)}
	case len(c.twice) > 0:
		return diag.Diagnostics{r.atPlan(ctx, about).KeyWrittenTwice(c.twice, c.ofMap)}
	}
	return nil
}

// PlanUnchanged records the keys of an instance that its plan leaves as it is.
func (ch *Change) PlanUnchanged(ctx context.Context) (diags diag.Diagnostics) {
	prior, about := ch.Prior, ch.Run.about(ch.Prior, terms.OpUpdate)
	if prior.Whole != nil {
		diags = ch.Run.planWhole(ctx, objectUse{Ref: prior.Ref}, ch.Memory.token(), about)
	}
	return append(diags, ch.Run.planKeys(ctx, prior.Ref, use{owns: append(prior.Keys(), prior.maps()...), values: prior.Values}, ch.Memory.token(), about)...)
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
	if twice := r.registry.takes(t.Ref, keys, ""); len(twice) > 0 {
		return cas.TxnResult{}, &diagnose.WrittenTwiceError{Keys: twice}
	}
	result, err := send()
	if err != nil && !is[*eval.UnknownError](err) {
		r.registry.frees(t.Ref, keys)
	}
	return result, err
}
