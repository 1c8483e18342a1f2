package session

import (
	"slices"
	"sync"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Registry records the plans and writes of this run, of all resources. Terraform runs instances in any order, so two of
// them must not have one path, and none may write a path that another one removes. The zero value is ready.
type Registry struct {
	mu      sync.Mutex
	plans   map[terms.EntryID]map[Token]plan // by path
	written map[terms.EntryID]string         // in the apply: [counters], [allocations] or, for all other writers, ""
	deleted map[eval.Ref]bool                // in the apply
}

// ObjectPath is the path of an object itself in the Registry. No key has this name.
const ObjectPath = "/"

// plan is the plan of an instance for a path. A swap changes a path that it does not own.
type plan struct {
	owns    bool // the instance has the path after the apply
	removes bool
	changes bool       // the instance writes or removes the path
	value   eval.Value // the value of an owned path, if it is known; of a computed one, any text
}

// Use has the paths of an object in the plan of one instance.
type Use struct {
	Owns    []string // the paths whose values the plan sets, changed or not
	Writes  []string // the paths in Owns that change
	Removes []string
	Values  map[string]eval.Value // of the paths in Owns, if they are known
}

// TokenLength is short, 40 bits: tokens are compared only if one run has several instances of one key or ConfigMap.
const TokenLength = 8

// The tokens of all counters, and of all allocations: several of one sort may share a key.
const counters, allocations = "counters", "allocations"

// Token distinguishes the instances of a resource. The empty token distinguishes none.
type Token string

// isOther reports whether the tokens are of two instances. The creation of a tainted resource gets a new token each
// time it is planned. With -minimal-refresh, Terraform plans it twice, so the resource counts as two.
func (t Token) isOther(than Token) bool {
	return t != "" && than != "" && t != than
}

// clash has the paths for which the plan of an instance contradicts the plans of others.
type clash struct {
	moving []string // one instance removes the path, and another one has it
	stays  bool     // an instance leaves one of these unchanged
	twice  []string // another instance has the path as well, or both create the object
	ofMap  bool     // one of two instances has all entries of the map that stores such a key
}

// setEntry sets an entry of a map that may be nil.
func setEntry[K comparable, V any](entries *map[K]V, key K, value V) {
	if *entries == nil {
		*entries = map[K]V{}
	}
	(*entries)[key] = value
}

// recordPlan records the plan of an instance, and returns the contradictions to the plans of others. areOne reports
// whether two paths overlap.
func (g *Registry) recordPlan(ref eval.Ref, by Token, u Use, areOne func(a, b string) bool) (c clash) {
	g.mu.Lock()
	defer g.mu.Unlock()
	plans := map[string]plan{}
	for _, path := range u.Owns {
		plans[path] = plan{owns: true, value: u.Values[path]}
	}
	for _, path := range u.Writes {
		plans[path] = plan{owns: true, changes: true, value: u.Values[path]}
	}
	for _, path := range u.Removes {
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
				case p.owns && q.owns && (common != ObjectPath || p.changes && q.changes):
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
func (g *Registry) record(id terms.EntryID, by Token, p plan) {
	if g.plans[id] == nil {
		setEntry(&g.plans, id, map[Token]plan{})
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
func overlap(
	kind eval.Kind, a string, p plan, b string, q plan, areOne func(a, b string) bool,
) (path string, isInMap bool) {
	isNew := func(a, b string) bool { // of elements that the plans add
		return eval.SelectsIn(b, a, q.value) || eval.SelectsIn(a, b, p.value)
	}
	_, _, isInDocument := eval.DocumentPath(b) // a document is a part of its entry
	switch {
	case a == b:
		return a, false
	case a == ObjectPath || b == ObjectPath:
		return "", false
	case kind.IsInMap(b, q.value, a):
		return b, true
	case kind.IsInMap(a, p.value, b):
		return a, true
	case (!eval.IsEntry(a) || isInDocument) && (areOne(b, a) || isNew(b, a)):
		return a, false
	}
	return "", false
}

// PlanSwap records the keys that a swap writes. It takes keys out of the swap that the plan changes: by a resource, or
// by a swap that was planned before, such as the swap that locks before the swap that unlocks. It does not make the
// swap an owner: a resource may write the key as well.
func (g *Registry) PlanSwap(t *eval.Txn) {
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

// IsCreated reports whether the plan creates an object. Keys in it cannot be checked yet, and need no warning.
func (g *Registry) IsCreated(ref eval.Ref) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.plans[terms.EntryID{Ref: ref, Key: ObjectPath}] {
		if p.owns && p.changes {
			return true
		}
	}
	return false
}

// Take records paths that a call is about to write or to adopt. If another call of this apply has any of them, Take
// records nothing, and returns those. Terraform gives the apply of a creation no token, and applies each instance once:
// a call is an instance.
func (g *Registry) Take(ref eval.Ref, keys []string, who string) (twice []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range keys {
		if first, isWritten := g.writer(ref, key); isWritten && (first == "" || first != who) {
			twice = append(twice, key)
		}
	}
	for _, key := range keys {
		if len(twice) == 0 {
			setEntry(&g.written, terms.EntryID{Ref: ref, Key: key}, who)
		}
	}
	return twice
}

// HasWritten reports whether a call of this apply wrote or adopted a path.
func (g *Registry) HasWritten(ref eval.Ref, key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, isWritten := g.writer(ref, key)
	return isWritten
}

// writer returns the writer of a path, of a part of it, or of a path that it is a part of.
func (g *Registry) writer(ref eval.Ref, key string) (who string, isWritten bool) {
	if who, isWritten = g.written[terms.EntryID{Ref: ref, Key: key}]; isWritten || eval.IsEntry(key) || key == ObjectPath {
		return who, isWritten
	}
	for id := range g.written {
		if id.Ref == ref && id.Key != ObjectPath && eval.Overlap(id.Key, key) {
			return "", true
		}
	}
	return "", false
}

// free forgets the writer of paths that were not written after all.
func (g *Registry) free(ref eval.Ref, keys []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range keys {
		delete(g.written, terms.EntryID{Ref: ref, Key: key})
	}
}

// Delete records that this apply deleted an object.
func (g *Registry) Delete(ref eval.Ref) {
	g.mu.Lock()
	defer g.mu.Unlock()
	setEntry(&g.deleted, ref, true)
}

// IsDeleted reports whether this apply deleted an object.
func (g *Registry) IsDeleted(ref eval.Ref) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.deleted[ref]
}

// sendOnce sends a transaction unless another call of this apply has written or adopted one of its keys. Labels and the
// like are keys as well. A removal takes no key, and an action may write the keys of other calls.
func (g *Registry) sendOnce(
	t *eval.Txn, op terms.Operation, send func() (cas.TxnResult, error),
) (cas.TxnResult, error) {
	var keys []string
	for _, k := range t.Keys {
		if !k.IsGuard && !k.New.IsAbsent() && op != terms.OpDelete && op != terms.OpInvoke {
			keys = append(keys, k.Key)
		}
	}
	if twice := g.Take(t.Ref, keys, ""); len(twice) > 0 {
		return cas.TxnResult{}, &message.WrittenTwiceError{Keys: twice}
	}
	result, err := send()
	if err != nil && !isOfType[*eval.UnknownError](err) {
		g.free(t.Ref, keys)
	}
	return result, err
}
