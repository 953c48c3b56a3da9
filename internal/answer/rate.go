package answer

import (
	"slices"
	"sync"
	"time"

	"voicegateway/internal/record"
)

// Limits within a minute (REQUIREMENTS S3). An MQTT or HTTP source that sends more
// commands is an automation in a loop, whatever becomes of them; microphones and
// recordings are not limited. A model that does more than actsAMinute things by
// itself is out of control.
const (
	commandsAMinute = 60
	actsAMinute     = 10
)

// rate counts the commands of each source and the acts that models planned. The
// zero value is ready for use; it is safe for concurrent use.
type rate struct {
	mu    sync.Mutex
	tried map[record.Source][]time.Time
	acts  []time.Time
}

// admit counts a command of a source, whatever becomes of it, and reports whether
// it may be carried out.
func (r *rate) admit(s record.Source, now time.Time) bool {
	if s != record.FromMQTT && s != record.FromHTTP {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tried == nil {
		r.tried = map[record.Source][]time.Time{}
	}
	before := lastMinute(r.tried[s], now)
	over := len(before) >= commandsAMinute
	if over {
		before = before[1:]
	}
	r.tried[s] = append(before, now)
	return !over
}

// reserve takes room for some acts of a model, and returns for how many there is
// room.
func (r *rate) reserve(now time.Time, acts int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acts = lastMinute(r.acts, now)
	acts = min(acts, actsAMinute-len(r.acts))
	for range acts {
		r.acts = append(r.acts, now)
	}
	return acts
}

// giveBack frees the room of acts that were not carried out.
func (r *rate) giveBack(acts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acts = r.acts[:max(0, len(r.acts)-acts)]
}

// lastMinute drops the times that are older than a minute.
func lastMinute(times []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at) >= time.Minute })
}
