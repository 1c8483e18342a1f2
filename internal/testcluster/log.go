package testcluster

import (
	"strings"
	"sync"
)

// Log keeps what is written to it. Its methods may be called concurrently.
type Log struct {
	mu    sync.Mutex
	words strings.Builder
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.words.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.words.String()
}
