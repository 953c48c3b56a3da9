package announce

import (
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
)

// news is something that is worth a word.
type news struct {
	kind  record.Kind
	thing *home.Entity
	state any           // of record.InState
	lasts time.Duration // how long it has been so; under a minute: just now
}

// newsText is a text of a few words: the thing and the fact.
func newsText(p *reply.Phrases, n news) string {
	key := "news_" + string(n.kind)
	switch {
	case n.kind == record.Alarm && n.thing.Area == "":
		key += "_thing"
	case n.kind == record.LeftOpen && n.lasts < time.Minute:
		key += "_now"
	}
	return p.Phrase(key, p.Places(n.thing, n.state, n.lasts))
}
