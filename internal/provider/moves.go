package provider

import "sync"

// plannedMoves keeps account of the keys that one plan removes and writes, to find those that different instances do
// both to. The zero value is ready.
type plannedMoves struct {
	mu   sync.Mutex
	keys map[string]plannedMove
}

type plannedMove uint8

const (
	keyRemoved plannedMove = 1 << iota
	keyWritten
)

// note takes down what an instance is planned to do to a key, and tells whether another one is to do the opposite.
func (p *plannedMoves) note(id entryID, m plannedMove) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys == nil {
		p.keys = map[string]plannedMove{}
	}
	p.keys[id.String()] |= m
	return p.keys[id.String()] == keyRemoved|keyWritten
}
