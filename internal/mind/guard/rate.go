package guard

import (
	"slices"
	"sync"
	"time"

	"voicegateway/internal/keep/record"
)

// Limits within a minute. A program that sends more commands is an automation in a
// loop, a button or a page one that is stuck, whatever becomes of them; microphones and
// recordings are not limited. A model that does more than ActsAMinute things by itself
// is out of control.
const (
	CommandsAMinute = 60
	ActsAMinute     = 10
)

// Rate counts the commands of each source and the acts that models planned. The
// zero value is ready for use; it is safe for concurrent use.
type Rate struct {
	mu    sync.Mutex
	tried map[record.Source][]time.Time
	acts  []time.Time
}

// Admit counts a command of a source, whatever becomes of it, and reports whether
// it may be carried out.
func (r *Rate) Admit(s record.Source, now time.Time) bool {
	switch s {
	case record.FromMQTT, record.FromHTTP, record.FromMCP, record.FromPage, record.FromButton:
	default:
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tried == nil {
		r.tried = map[record.Source][]time.Time{}
	}
	before := lastMinute(r.tried[s], now)
	over := len(before) >= CommandsAMinute
	if over {
		before = before[1:]
	}
	r.tried[s] = append(before, now)
	return !over
}

// Reserve takes room for some acts of a model, and returns for how many there is
// room.
func (r *Rate) Reserve(now time.Time, acts int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acts = lastMinute(r.acts, now)
	acts = min(acts, ActsAMinute-len(r.acts))
	for range acts {
		r.acts = append(r.acts, now)
	}
	return acts
}

// GiveBack frees the room of acts that were not carried out.
func (r *Rate) GiveBack(acts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acts = r.acts[:max(0, len(r.acts)-acts)]
}

// lastMinute drops the times that are older than a minute.
func lastMinute(times []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at) >= time.Minute })
}
