package reply

import (
	"encoding/json"
	"time"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// moment is what the gateway's clock answers.
type moment struct {
	Time  time.Time `json:"time"`
	Place string    `json:"place"` // "" is here
	Other int       `json:"other"` // 1 where it is tomorrow already, -1 where it is still yesterday
	Days  *int      `json:"days"`  // of a date: how many days from today; nil is today's
}

// own are the replies to questions that the gateway's own tools answer.
type own struct{ *Phrases }

// told says what such a tool answers; "" where the tool's own words are to be said.
func (p own) told(s *plan.Step, key string, r tools.Result) string {
	zone, _ := s.Action.Slots["zone"].(string)
	switch {
	case r.Failed && zone != "":
		return p.Phrase("unknown_place", map[string]any{"place": capital(zone)})
	case key == "volume" && !r.Failed:
		return p.volume(r)
	}
	return p.clock(key, r)
}

// volume tells how loud the speaker is.
func (p own) volume(r tools.Result) string {
	var data struct {
		Level int  `json:"level"`
		Muted bool `json:"muted"`
	}
	if json.Unmarshal(r.Data, &data) != nil {
		return ""
	}
	if data.Muted {
		return p.Phrase("volume_muted", nil)
	}
	return p.Phrase("volume", map[string]any{"value": data.Level})
}

// clock tells the time and the date if the tool's own text is in another
// language.
func (p own) clock(key string, r tools.Result) string {
	var m moment
	if p.phrases[key] == "" || json.Unmarshal(r.Data, &m) != nil || len(p.days) != 7 || len(p.months) != 12 {
		return ""
	}
	text := p.Phrase(m.key(key), map[string]any{
		"hour": m.Time.Hour(), "minute": m.Time.Minute(), "weekday": p.days[m.Time.Weekday()], "day": m.Time.Day(),
		"month": p.months[m.Time.Month()-1], "place": m.Place,
	})
	switch {
	case m.Other > 0:
		return text + " " + p.Phrase("there_tomorrow", nil)
	case m.Other < 0:
		return text + " " + p.Phrase("there_yesterday", nil)
	}
	return text
}

// key is the phrase for a time here or elsewhere, and for a date of today or of
// another day.
func (m *moment) key(key string) string {
	if key == "date" {
		return key + m.day()
	}
	if m.Place != "" {
		key += "_in"
	}
	if m.Time.Minute() == 0 {
		key += "_full"
	}
	return key
}

// day tells how far a date is from today, for the key of its phrase.
func (m *moment) day() string {
	switch {
	case m.Days == nil || *m.Days == 0:
		return ""
	case *m.Days == 1:
		return "_tomorrow"
	case *m.Days == -1:
		return "_yesterday"
	case *m.Days > 0:
		return "_ahead"
	}
	return "_past"
}
