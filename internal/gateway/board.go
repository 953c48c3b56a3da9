package gateway

import (
	"maps"
	"slices"
	"sync"

	"voicegateway/internal/doors"
)

// board remembers how each part fares, for /readyz.
type board struct {
	mu    sync.Mutex
	parts map[string]doors.Part
}

func newBoard() *board { return &board{parts: map[string]doors.Part{}} }

func (b *board) set(name string, required bool, state doors.PartState, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts[name] = doors.Part{Name: name, Required: required, State: state, Why: why}
}

// list returns the parts by name.
func (b *board) list() []doors.Part {
	b.mu.Lock()
	defer b.mu.Unlock()
	parts := make([]doors.Part, 0, len(b.parts))
	for _, name := range slices.Sorted(maps.Keys(b.parts)) {
		parts = append(parts, b.parts[name])
	}
	return parts
}
