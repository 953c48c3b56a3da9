//go:build cgo

package device

import (
	"encoding/json"
	"sync"

	"voicegateway/internal/ground/worker"
)

// status is the worker's part of the state, told to the daemon when it changes.
type status struct {
	out *worker.Outlet

	mu    sync.Mutex
	state State
	told  bool
}

// update changes the state and tells the daemon, in the order of the changes.
func (s *status) update(change func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.state
	change(&s.state)
	if s.told && s.state == old {
		return
	}
	s.told = true
	s.state.Noise = noise()
	b, err := json.Marshal(s.state)
	if err != nil {
		return
	}
	_ = s.out.Emit(eventState, b) // a broken pipe ends the worker elsewhere
}
