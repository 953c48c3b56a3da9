package reply

import (
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
)

// Places fills what phrases say of a thing that reports something by itself: its name,
// its room, what it watches for, its state, and how long that has lasted.
func (p *Phrases) Places(e *home.Entity, state any, lasts time.Duration) map[string]any {
	args := p.grammar.about(&plan.Step{Entity: e})
	watches := p.readings.sense(e.DeviceClass(), "on")
	args["area"], args["in_area"] = p.grammar.names.Room(e.Area), p.grammar.names.In(e.Area)
	args["What"], args["time"] = capital(watches), p.grammar.ago(int64(lasts/time.Second))
	args["value"] = p.readings.state(e, state)
	return args
}
