package due

import (
	"encoding/json"
	"time"

	"voicegateway/internal/tools"
)

// moment is what the gateway's clock answers.
type moment struct {
	Time  time.Time `json:"time"`
	Place string    `json:"place"` // "" is here
	Other int       `json:"other"` // 1 where it is tomorrow already, -1 where it is still yesterday
	Days  *int      `json:"days"`  // of a date: how many days from today; nil is today's
}

// Clock tells the time and the date if the tool's own text is in another
// language.
func (p *Words) Clock(key string, r tools.Result) string {
	var m moment
	if p.table[key] == "" || json.Unmarshal(r.Data, &m) != nil || len(p.days) != 7 || len(p.months) != 12 {
		return ""
	}
	text := p.phrase(p.oneHour(m.key(key), m.Time), map[string]any{
		"time": p.clock(m.Time), "hour": m.Time.Hour(), "minute": m.Time.Minute(), "weekday": p.days[m.Time.Weekday()], "day": m.Time.Day(),
		"month": p.months[m.Time.Month()-1], "place": m.Place,
	})
	switch {
	case m.Other > 0:
		return text + " " + p.phrase("there_tomorrow", nil)
	case m.Other < 0:
		return text + " " + p.phrase("there_yesterday", nil)
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
