package reply

import (
	"encoding/json"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// Lasting says until when an act lasts that was just done, from the tool's result r that
// keeps the end. told is the reply so far; if it is "", Lasting says the end alone.
func (p *timerWords) Lasting(told string, r tools.Result) string {
	var data timerData
	if json.Unmarshal(r.Data, &data) != nil {
		return told
	}
	if data.Outcome != "started" || len(data.Timers) != 1 {
		return joinTexts(told, p.NoEnd(data.Reason))
	}
	text := p.behind(told, p.until(&data.Timers[0], data.Now))
	if data.Reason != "" { // it is kept, but …
		text = joinTexts(text, p.phrase("timer_"+data.Reason, nil))
	}
	return text
}

// NoEnd says why an act can have no end.
func (p *timerWords) NoEnd(reason string) string {
	for _, key := range []string{"end_" + reason, "timer_" + reason} {
		if text := p.phrase(key, nil); text != "" {
			return text
		}
	}
	return p.phrase("timer_refused", nil)
}

// Stays says of things that were already as was asked for that they stay so.
func (p *timerWords) Stays(told string, things int) string {
	key := "end_stays"
	if things > 1 {
		key = "end_stays_many"
	}
	return joinTexts(told, p.phrase(key, nil))
}

// behind joins a sentence and its end: in the sentence itself if it is one, else after it.
func (p *timerWords) behind(told, until string) string {
	one, whole := strings.CutSuffix(told, ".")
	switch {
	case told == "":
		return capital(until) + "."
	case !whole || strings.ContainsAny(strings.ReplaceAll(one, ". ", "!"), "!?"):
		return told + " " + capital(until) + "."
	}
	return p.phrase("until_told", map[string]any{"told": one, "until": until})
}

// until is how long something lasts, or until when: "for ten minutes", "until 8 PM".
func (p *timerWords) until(t *Timer, now time.Time) string {
	args := map[string]any{"time": p.clock(t.Due), "length": p.length(t.Length), "day": ""}
	if len(p.days) == 7 {
		args["day"] = p.days[t.Due.Weekday()]
	}
	switch days := calendarDays(now, t.Due); {
	case t.At == "" && t.Length > 0:
		return p.phrase("until_for", args)
	case days == 0 || days == 1 && t.Due.Hour() < 6: // the night belongs to the day before
		return p.phrase("until_at", args)
	case days == 1:
		return p.phrase("until_tomorrow", args)
	case days >= 7 && len(p.months) == 12:
		args["date"], args["month"] = t.Due.Day(), p.months[t.Due.Month()-1]
		return p.phrase("until_date", args)
	}
	return p.phrase("until_day", args)
}

// waits says what is left of an act with an end, or until when it lasts.
func (p *timerWords) waits(t *Timer, now time.Time) string {
	name := p.things(t)
	args := map[string]any{"name": name, "Name": capital(name), "length": p.sayLeft(t.Left), "until": p.until(t, now)}
	if t.At == "" {
		return capital(p.phrase("end_left", args))
	}
	return capital(p.phrase("end_until", args))
}

// stays says of an act with a cancelled end that it will not be put back.
func (p *timerWords) stays(t *Timer) string {
	name := p.things(t)
	key := "end_cancelled"
	if strings.Contains(t.Name, ", ") || p.names.Several(name) {
		key = "end_cancelled_many"
	}
	return capital(p.phrase(key, map[string]any{"name": name, "Name": capital(name)}))
}

// things are the names of the things that an end puts back, in a sentence.
func (p *timerWords) things(t *Timer) string {
	var names []string
	for name := range strings.SplitSeq(t.Name, ", ") {
		names = append(names, p.names.Inside(&home.Entity{Name: name}))
	}
	return p.join(names, "and")
}

// joinTexts are two texts as one; one that is empty counts not.
func joinTexts(a, b string) string { return strings.TrimSpace(a + " " + b) }
