package gateway

import (
	"slices"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/house"
)

// lie is an act that was reported as done and turned out not to be, with the sentence
// that says so.
type lie struct {
	record.Lie

	said string
}

// correcting returns what takes events of the houses and corrects the records of turns
// of which something turned out not to be done. Each of tell takes every record that is
// corrected after its turn has ended.
func (j *journal) correcting(rooms *house.House, p *reply.Phrases, tell ...func(record.Record)) func(home.Event) {
	return func(e home.Event) {
		if e.Kind != home.Belied {
			return
		}
		j.log.Warn("what was told as done turned out not to be", "part", "turn", "server", e.Server, "thing", e.Thing, "property", e.Property, "told", e.Before, "is", e.State)
		l := lie{record.Lie{Server: e.Server, Device: e.Thing, Property: e.Property, Told: e.Before, Is: e.State}, ""}
		if thing := rooms.House().Entity(e.Entity); thing != nil {
			l.said = p.Belied(thing, e.Property, e.Before, e.State, e.Unsure)
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		for i, r := range slices.Backward(j.turns) {
			if time.Since(r.Time) > record.FoundOut {
				break
			}
			if mended, lied := r.Belied(&l.Lie, l.said); lied {
				j.turns[i] = mended
				for _, t := range tell {
					t(mended)
				}
				return
			}
		}
		j.lies.Keep(l)
	}
}

// truly returns the record of a turn that has just ended without what turned out not to
// be done while it was under way.
func (j *journal) truly(r record.Record) record.Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lies.Take(func(l lie, at time.Time) bool {
		if r.Time.After(at) {
			return false
		}
		mended, lied := r.Belied(&l.Lie, l.said)
		r = mended
		return lied
	})
	return r
}
