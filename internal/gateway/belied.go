package gateway

import (
	"slices"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/house"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/record"
)

// For how long an act may turn out to be none, and how many such acts are kept whose
// turns have not ended.
const (
	lieTime  = time.Minute
	mostLies = 64
)

// lie is an act that was told as done and turned out not to be, with the sentence that
// says so.
type lie struct {
	record.Lie

	said string
	at   time.Time
	tell func(record.Record) // takes the corrected record
}

// corrected returns what takes events of the houses and corrects the records of turns
// of which something turned out not to be done. A corrected record is told anew.
func (j *journal) corrected(rooms *house.House, p *reply.Phrases, tell func(record.Record)) func(home.Event) {
	return func(e home.Event) {
		if e.Kind != home.Belied {
			return
		}
		j.log.Warn("what was told as done turned out not to be", "part", "turn", "server", e.Server, "thing", e.Thing, "property", e.Property, "told", e.Before, "is", e.State)
		l := lie{record.Lie{Server: e.Server, Device: e.Thing, Property: e.Property, Told: e.Before, Is: e.State}, "", time.Now(), tell}
		if thing := rooms.House().Entity(e.Entity); thing != nil {
			l.said = p.Belied(thing, e.Property, e.Before, e.State)
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		for i, r := range slices.Backward(j.turns) {
			if time.Since(r.Time) > lieTime {
				break
			}
			if mended, lied := r.Belied(&l.Lie, l.said); lied {
				j.turns[i] = mended
				tell(mended)
				return
			}
		}
		j.lies = append(j.lies, l)
		j.lies = slices.Clone(j.lies[max(0, len(j.lies)-mostLies):])
	}
}

// truly returns a record without what turned out not to be done while its turn was
// under way. The caller holds mu.
func (j *journal) truly(r record.Record) record.Record {
	j.lies = slices.DeleteFunc(j.lies, func(l lie) bool {
		if time.Since(l.at) > lieTime {
			return true
		}
		if r.Time.After(l.at) {
			return false
		}
		mended, lied := r.Belied(&l.Lie, l.said)
		if lied {
			l.tell(mended)
		}
		r = mended
		return lied
	})
	return r
}
