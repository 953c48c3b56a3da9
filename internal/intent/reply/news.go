package reply

import (
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
)

// News is something a house tells by itself that is worth a word.
type News struct {
	Kind  NewsKind
	Thing *home.Entity  // its name, area and class
	State any           // of NewsState
	For   time.Duration // how long it has been so; under a minute: just now
}

// NewsKind says what news is about.
type NewsKind string

// The kinds of news.
const (
	NewsAlarm   NewsKind = "alarm"   // somebody or something may be in danger
	NewsCleared NewsKind = "cleared" // it is not so any more
	NewsOpen    NewsKind = "open"    // it was left open
	NewsBattery NewsKind = "battery_low"
	NewsDead    NewsKind = "dead" // it does not answer any more
	NewsJammed  NewsKind = "jammed"
	NewsState   NewsKind = "state" // it is as a rule says
)

// News is a text of a few words: the thing and the fact.
func (p *Phrases) News(n News) string {
	args := p.grammar.about(&plan.Step{Entity: n.Thing})
	args["area"] = p.grammar.names.Room(n.Thing.Area)
	args["what"] = p.readings.sense(n.Thing.DeviceClass(), "on")
	args["What"] = capital(p.readings.sense(n.Thing.DeviceClass(), "on"))
	args["time"] = p.grammar.ago(int64(n.For / time.Second))
	key := "news_" + string(n.Kind)
	switch {
	case n.Kind == NewsAlarm && n.Thing.Area == "":
		key += "_thing"
	case n.Kind == NewsOpen && n.For < time.Minute:
		key += "_now"
	case n.Kind == NewsState:
		args["value"] = p.readings.state(n.Thing, n.State)
	}
	return p.Phrase(key, args)
}
