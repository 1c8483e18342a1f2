package claim

import (
	"sync"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// plannedMoves records the keys that one plan removes and writes, to find keys that one instance removes and another writes. The zero
// value is ready.
type plannedMoves struct {
	mu   sync.Mutex
	keys map[terms.EntryID]plannedMove
}

type plannedMove uint8

const (
	keyRemoved plannedMove = 1 << iota
	keyWritten
)

// plannedCreations records the ConfigMaps that a plan creates. Keys in them cannot be checked yet, and need no warning. The zero value is
// ready.
type plannedCreations struct {
	mu   sync.Mutex
	refs map[cas.Ref]bool
}

func (p *plannedCreations) note(ref cas.Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refs == nil {
		p.refs = map[cas.Ref]bool{}
	}
	p.refs[ref] = true
}

func (p *plannedCreations) has(ref cas.Ref) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refs[ref]
}

// note records what an instance does to keys, and gives those to which another instance does the opposite.
func (p *plannedMoves) note(ref cas.Ref, keys []string, m plannedMove) (moving []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys == nil {
		p.keys = map[terms.EntryID]plannedMove{}
	}
	for _, key := range keys {
		id := terms.EntryID{Ref: ref, Key: key}
		p.keys[id] |= m
		if p.keys[id] == keyRemoved|keyWritten {
			moving = append(moving, key)
		}
	}
	return moving
}
