package answer

import (
	"slices"
	"sync"
	"time"

	"voicegateway/internal/record"
)

// commandsAMinute is how many commands one MQTT or HTTP source may have carried out
// within a minute (REQUIREMENTS S3): a source that sends more is an automation in a
// loop. Microphones and recordings are not limited.
const commandsAMinute = 60

// rate counts the commands of each source that reached a device. The zero value
// is ready for use; it is safe for concurrent use.
type rate struct {
	mu   sync.Mutex
	done map[record.Source][]time.Time
}

// full reports whether a source has used up its commands of the last minute.
func (r *rate) full(s record.Source, now time.Time) bool {
	if s != record.FromMQTT && s != record.FromHTTP {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done == nil {
		r.done = map[record.Source][]time.Time{}
	}
	r.done[s] = slices.DeleteFunc(r.done[s], func(at time.Time) bool { return now.Sub(at) >= time.Minute })
	return len(r.done[s]) >= commandsAMinute
}

// note counts one command; a group counts once.
func (r *rate) note(s record.Source, now time.Time) {
	if r.full(s, now) || s != record.FromMQTT && s != record.FromHTTP {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[s] = append(r.done[s], now)
}
