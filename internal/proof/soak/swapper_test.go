package soak

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// engineSwapper asks an engine for swaps of all shapes.
type engineSwapper struct {
	*worker
	engine *cas.Engine

	mu    sync.Mutex
	views map[string]view // by ConfigMap: the newest that any goroutine received
	count int
}

// view contains the known entries of one version, at least one.
type view struct {
	version eval.Version
	entries map[string]eval.Value
}

func viewOf(o *eval.Snapshot, keys []string) view {
	v := view{version: o.Version(), entries: map[string]eval.Value{}}
	for _, key := range keys {
		v.entries[key] = o.Value(key)
	}
	return v
}

func (s *engineSwapper) loop(_ int, draw *rand.Rand) {
	for s.stop.Err() == nil {
		configMap := s.ConfigMaps[draw.IntN(len(s.ConfigMaps))]
		key := s.Keys[draw.IntN(len(s.Keys))]
		v, ok := s.look(draw, configMap, key)
		if !ok {
			s.pause()
			continue
		}
		txn := s.shape(draw, v, configMap, key)
		if draw.IntN(3) == 0 {
			s.widen(draw, v, txn)
		}
		var beside sync.WaitGroup
		if own := rand.New(rand.NewPCG(draw.Uint64(), 0)); draw.IntN(3) == 0 {
			beside.Go(func() { s.takeNumber(own, s.engine, configMap) }) // both can go into one request
		}
		s.commit(draw, configMap, txn)
		beside.Wait()
	}
}

// look returns a view that has the key: a read of its own, or the last view that this worker received.
func (s *engineSwapper) look(draw *rand.Rand, configMap, key string) (view, bool) {
	s.mu.Lock()
	known := s.views[configMap]
	s.mu.Unlock()
	_, has := known.entries[key]
	if has && draw.IntN(3) > 0 {
		return known, true
	}
	ctx, cancel := s.context(draw)
	defer cancel()
	ref := s.ref(configMap)
	if draw.IntN(3) == 0 { // as a refresh does: it may be old, and proves nothing
		o, err := s.engine.Observe(ctx, ref, "", cas.Fresh)
		if err != nil || !o.Exists() {
			return view{}, false
		}
		return viewOf(o, s.Keys), true
	}
	read := &op{Kind: readOp, ConfigMap: configMap, Key: key}
	for _, k := range s.besides(key) {
		read.Also = append(read.Also, keyPart{Key: k})
	}
	s.begin(read)
	o, err := s.engine.Observe(ctx, ref, "", 0)
	if err != nil || !o.Exists() {
		read.Verdict = eval.Rejected
		s.end(read)
		return view{}, false
	}
	read.Verdict, read.Version, read.Live = eval.Applied, o.Version(), o.Value(key)
	for i := range read.Also {
		read.Also[i].Live = o.Value(read.Also[i].Key)
	}
	s.end(read)
	return s.learn(configMap, viewOf(o, s.Keys)), true
}

func (s *engineSwapper) learn(configMap string, v view) view {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views[configMap] = v
	return v
}

// value returns a value that only this worker writes: a new value, or one of two that it repeats. If the response
// to a write is lost, the write cannot be distinguished from another writer's write of the same value over the same
// value.
func (s *engineSwapper) value(draw *rand.Rand) eval.Value {
	s.mu.Lock()
	s.count++
	n := s.count
	s.mu.Unlock()
	if s.Repeats || draw.IntN(5) == 0 {
		n = draw.IntN(2) - 2
	}
	value := fmt.Sprintf("%s:%d", s.Name, n)
	if !s.Repeats && draw.IntN(4) == 0 {
		return eval.Binary([]byte("\xff" + value))
	}
	return eval.Text(value)
}

// shape draws a transaction of one key.
func (s *engineSwapper) shape(draw *rand.Rand, v view, configMap, key string) *eval.Txn {
	txn := &eval.Txn{Ref: s.ref(configMap), FieldManager: s.Name}
	swap := eval.KeySwap{Key: key, Expect: v.entries[key], New: s.value(draw)}
	if draw.IntN(8) == 0 {
		swap.Expect = s.value(draw) // which most likely is not there
	}
	switch draw.IntN(8) {
	case 0:
		swap.IfEqual = eval.Adopt
	case 1:
		swap.IfEqual = eval.Reject
	case 2:
		swap.New, swap.IfEqual = swap.Expect, eval.IfEqual(draw.IntN(3)) // writes what is there
	}
	if draw.IntN(2) == 0 {
		txn.RequireVersions = []eval.Version{v.version}
		if draw.IntN(5) == 0 {
			txn.RequireVersions[0].UID = "" // as a user names it
		}
	}
	if s.removes(key) && draw.IntN(2) == 0 {
		swap.New, swap.IfEqual = eval.Value{}, eval.Compare
		if draw.IntN(4) > 0 {
			swap.Expect = v.entries[key]
			txn.IgnoreMissing, txn.ObservedAt = true, v.version
		}
	}
	txn.Keys = []eval.KeySwap{swap}
	return txn
}

// removes reports whether this worker removes the key. Only one worker does, because two removals look the same.
func (s *engineSwapper) removes(key string) bool {
	for i, k := range s.Keys {
		if k == key {
			return i%s.Workers == s.Number
		}
	}
	return false
}

// besides is the keys that a key is written together with: a few, or else the checker has too much to look at together.
func (w *worker) besides(key string) (others []string) {
	const most = 3
	at := slices.Index(w.Keys, key) / most * most
	for _, k := range w.Keys[at:min(at+most, len(w.Keys))] {
		if k != key {
			others = append(others, k)
		}
	}
	return others
}

// widen has a transaction be about more keys: some that it writes, and some that it only compares.
func (s *engineSwapper) widen(draw *rand.Rand, v view, txn *eval.Txn) {
	for _, key := range s.besides(txn.Keys[0].Key) {
		expect, known := v.entries[key]
		if !known || draw.IntN(4) == 0 {
			continue
		}
		k := eval.KeySwap{Key: key, Expect: expect}
		switch {
		case draw.IntN(3) == 0:
			k.IsGuard = true
			if draw.IntN(6) == 0 {
				k.Expect = s.value(draw) // which most likely is not there
			}
		case !txn.IgnoreMissing:
			k.New, k.IfEqual = s.value(draw), eval.IfEqual(draw.IntN(3))
		case !s.removes(key):
			k.IsGuard = true
		}
		txn.Keys = append(txn.Keys, k)
	}
}

func (s *engineSwapper) commit(draw *rand.Rand, configMap string, txn *eval.Txn) {
	first := txn.Keys[0]
	o := &op{
		Kind: swapOp, ConfigMap: configMap, Key: first.Key, Expect: first.Expect, New: first.New, Held: first.IfEqual,
		GoneIsDone: txn.IgnoreMissing, At: txn.RequireVersions, Seen: txn.ObservedAt,
	}
	for _, k := range txn.Keys[1:] {
		o.Also = append(o.Also, keyPart{Key: k.Key, Expect: k.Expect, New: k.New, Held: k.IfEqual, IsGuard: k.IsGuard})
	}
	ctx, cancel := s.context(draw)
	defer cancel()
	s.begin(o)
	result, err := s.engine.Commit(ctx, txn)
	o.take(result, err)
	s.end(o)
	var conflict *eval.ConflictError
	switch {
	case o.Verdict == eval.Applied && len(o.Also) == 0:
		s.learn(configMap, view{version: result.After.Version(), entries: map[string]eval.Value{o.Key: result.After.Value(o.Key)}})
	case o.Verdict == eval.Applied:
		s.learn(configMap, viewOf(result.After, s.Keys))
	case errors.As(err, &conflict):
		s.learn(configMap, viewOf(conflict.Live, s.Keys))
	default:
		s.pause()
	}
}

// take notes what an engine answered.
func (o *op) take(result cas.TxnResult, err error) {
	o.Verdict = eval.VerdictOf(err)
	if err != nil {
		o.Err = err.Error()
	}
	var conflict *eval.ConflictError
	var unknown *eval.UnknownError
	var live *eval.Snapshot
	switch {
	case err == nil:
		o.Version, o.Previous, o.Wrote, live = result.After.Version(), result.Previous[o.Key], result.Wrote, result.After
	case errors.As(err, &conflict):
		o.Reason, o.Version, live, o.Failed = conflict.Reason, conflict.Live.Version(), conflict.Live, map[string]eval.Reason{}
		for _, k := range conflict.Keys {
			o.Failed[k.Key] = k.Reason
		}
	case errors.As(err, &unknown):
		o.Base = unknown.Base
	}
	if live == nil {
		return
	}
	o.Live = live.Value(o.Key)
	for i := range o.Also {
		p := &o.Also[i]
		p.Live, p.Previous = live.Value(p.Key), result.Previous[p.Key]
	}
}
