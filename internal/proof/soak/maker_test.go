package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// The keys of ConfigMaps that come and go: one names the creation that made it, the other is swapped.
const (
	idKey    = "id"
	valueKey = "value"
)

// engineMaker creates ConfigMaps, swaps what they hold, and deletes those that it made itself.
type engineMaker struct {
	*worker
	engine *cas.Engine

	mu    sync.Mutex
	count int
	made  map[string]view // by ConfigMap, those of its own that it knows to be there
}

func (m *engineMaker) loop(_ int, draw *rand.Rand) {
	for m.stop.Err() == nil {
		name := m.ConfigMaps[draw.IntN(len(m.ConfigMaps))]
		m.mu.Lock()
		v, isMine := m.made[name]
		m.mu.Unlock()
		switch {
		case isMine && draw.IntN(3) > 0:
			m.remove(name, v)
		case !isMine && draw.IntN(5) > 0:
			m.create(name)
		default:
			m.swap(draw, name)
		}
	}
}

func (m *engineMaker) value() eval.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	return eval.Text(fmt.Sprintf("%s:%d", m.Name, m.count))
}

// knows records a ConfigMap of its own, or that there is none.
func (m *engineMaker) knows(name string, o *eval.Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if o == nil || !o.Exists() {
		delete(m.made, name)
		return
	}
	m.made[name] = viewOf(o, m.Keys)
}

func (m *engineMaker) create(name string) {
	o := &op{Kind: swapOp, ConfigMap: name, Key: idKey, New: m.value(), Also: []keyPart{{Key: valueKey, New: m.value()}}, Creates: true}
	ctx, cancel := context.WithTimeout(context.Background(), m.Deadline)
	defer cancel()
	m.begin(o)
	result, err := m.engine.Create(ctx, &eval.Creation{
		Ref:     m.ref(name),
		Entries: map[string]eval.Value{idKey: o.New, valueKey: o.Also[0].New}, FieldManager: m.Name,
	})
	o.take(result, err)
	var exists *eval.ExistsError
	if errors.As(err, &exists) {
		o.Version, o.Live, o.Also[0].Live = exists.Live.Version(), exists.Live.Value(idKey), exists.Live.Value(valueKey)
		o.Failed = map[string]eval.Reason{idKey: eval.ReasonKey, valueKey: eval.ReasonKey}
	}
	m.end(o)
	if err == nil {
		m.knows(name, result.After)
	} else {
		m.pause()
	}
}

func (m *engineMaker) remove(name string, v view) {
	o := &op{
		Kind: removeOp, ConfigMap: name, Key: idKey, Expect: v.entries[idKey], At: []eval.Version{v.version},
		Also: []keyPart{{Key: valueKey}},
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.Deadline)
	defer cancel()
	m.begin(o)
	result, err := m.engine.Remove(ctx, &eval.Removal{Ref: m.ref(name), RequireVersions: o.At})
	o.take(result, err)
	m.end(o)
	var conflict *eval.ConflictError
	switch {
	case err == nil:
		m.knows(name, nil)
	case errors.As(err, &conflict) && conflict.Live.Version().UID == v.version.UID:
		m.knows(name, conflict.Live)
	case errors.As(err, &conflict):
		m.knows(name, nil)
	default:
		m.pause()
	}
}

// swap swaps the value of the existing ConfigMap, from any creator; now and then it requires the same ConfigMap.
func (m *engineMaker) swap(draw *rand.Rand, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), m.Deadline)
	defer cancel()
	ref := m.ref(name)
	read := &op{Kind: readOp, ConfigMap: name, Key: idKey, Also: []keyPart{{Key: valueKey}}, Verdict: eval.Rejected}
	m.begin(read)
	seen, err := m.engine.Observe(ctx, ref, "", 0)
	if err == nil {
		read.Verdict, read.Version, read.Live, read.Also[0].Live = eval.Applied, seen.Version(), seen.Value(idKey), seen.Value(valueKey)
	}
	m.end(read)
	if err != nil || !seen.Exists() {
		m.pause()
		return
	}
	o := &op{Kind: swapOp, ConfigMap: name, Key: valueKey, Expect: seen.Value(valueKey), New: m.value()}
	txn := &eval.Txn{Ref: ref, Keys: []eval.KeySwap{{Key: valueKey, Expect: o.Expect, New: o.New}}, FieldManager: m.Name}
	if draw.IntN(2) == 0 {
		o.Also = []keyPart{{Key: idKey, Expect: seen.Value(idKey), IsGuard: true}}
		txn.Keys = append(txn.Keys, eval.KeySwap{Key: idKey, Expect: seen.Value(idKey), IsGuard: true})
	}
	if draw.IntN(3) == 0 {
		o.At = []eval.Version{seen.Version()}
		txn.RequireVersions = o.At
	}
	m.begin(o)
	result, err := m.engine.Commit(ctx, txn)
	o.take(result, err)
	m.end(o)
	if err != nil {
		m.pause()
	}
}
