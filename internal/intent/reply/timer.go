package reply

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"voicegateway/internal/intent/numbers"
)

// Timer is a timer, an alarm, a reminder or a command for later, as the tools for them
// tell it in the data of their results.
type Timer struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`    // timer, alarm, reminder, command
	Name    string    `json:"name"`    // "pasta"; "" if none was given
	Text    string    `json:"text"`    // of a reminder: what to remind of
	Command string    `json:"command"` // of a command for later: the sentence to carry out
	Area    string    `json:"area"`    // the room that asked
	State   string    `json:"state"`   // running, paused, ringing
	Due     time.Time `json:"due"`     // in the zone that people are told
	Left    int64     `json:"left"`    // seconds until it is due
	Length  int64     `json:"length"`  // seconds it was set for; 0: it was set for a time of the day
	Every   string    `json:"every"`   // day, weekday, weekend or a day of the week; "" if it comes once
	At      string    `json:"at"`      // the time it was set for, "07:00"; "" if it was set for a length
}

// Rings is what is said while a timer, an alarm or a reminder rings: "The pasta timer.",
// "It is 7 AM.", "Reminder: call mum."
func (p *Phrases) Rings(t Timer) string {
	w := timers{p}
	args := w.about(&t)
	switch {
	case t.Kind == "alarm":
		return capital(p.Phrase(w.oneHour("rings_alarm"+named(&t), t.Due), args))
	case t.Kind == "reminder":
		return p.Phrase("rings_reminder", args)
	}
	return capital(w.called(&t)) + "."
}

// Rang is what is said of one that rang, or should have, before now: "The pasta timer
// rang 8 minutes ago."
func (p *Phrases) Rang(t Timer, now time.Time) string {
	w := timers{p}
	args := w.about(&t)
	args["ago"] = p.grammar.ago(w.since(&t, now))
	if t.Kind == "reminder" {
		return p.Phrase("rang_reminder", args)
	}
	return capital(p.Phrase("rang", args))
}

// WhileOff says which ones were due while the gateway was off; "" if none were. A
// command among them was not carried out.
func (p *Phrases) WhileOff(missed []Timer, now time.Time) string {
	if len(missed) == 0 {
		return ""
	}
	const most = 4
	said := []string{p.Phrase("while_off", nil)}
	for _, t := range missed[:min(len(missed), most)] {
		if t.Kind == "command" {
			said = append(said, p.NotDone(t, now))
			continue
		}
		said = append(said, p.Rang(t, now))
	}
	if more := len(missed) - most; more > 0 {
		said = append(said, p.Phrase("timers_more", map[string]any{"count": more}))
	}
	return strings.Join(said, " ")
}

// NotDone says that a command was not carried out, because it was due too long ago.
func (p *Phrases) NotDone(t Timer, now time.Time) string {
	w := timers{p}
	args := w.about(&t)
	args["ago"] = p.grammar.ago(w.since(&t, now))
	return p.Phrase("late_command", args)
}

// timers are the words for timers and times.
type timers struct{ *Phrases }

// since is how long ago one was due, in seconds.
func (w timers) since(t *Timer, now time.Time) int64 {
	return max(1, int64(now.Sub(t.Due).Round(time.Second).Seconds()))
}

// named is the end of the key of a phrase that says a name.
func named(t *Timer) string {
	if t.Name != "" {
		return "_named"
	}
	return ""
}

// about fills the places of the phrases about one.
func (w timers) about(t *Timer) map[string]any {
	return map[string]any{
		"name": w.noun(t.Name), "text": w.noun(cmp.Or(t.Text, t.Name)), "command": t.Command,
		"what": w.called(t), "time": w.clock(t.Due), "length": w.length(t.Length),
	}
}

// noun is a name in the language's way to write it: it was heard in small letters.
func (w timers) noun(name string) string {
	if w.language == "de" {
		return capital(name)
	}
	return name
}

// called is what one is called in a sentence: "the pasta timer".
func (w timers) called(t *Timer) string {
	args := map[string]any{"name": w.noun(t.Name), "text": w.noun(cmp.Or(t.Text, t.Name)), "command": t.Command, "time": w.clock(t.Due), "length": w.length(t.Length)}
	key := "what_" + t.Kind
	switch {
	case t.Kind == "timer" && t.Name == "" && t.Length == 0:
		key = "what_plain"
	case t.Kind == "timer" || t.Kind == "alarm":
		key += named(t)
	}
	return w.Phrase(key, args)
}

// short is what tells one from others of its kind: its name, length or time.
func (w timers) short(t *Timer) string {
	return cmp.Or(w.noun(t.Name), w.noun(t.Text), t.Command, w.length(t.Length), w.clock(t.Due))
}

// clock is a time of the day: "7:30 AM".
func (w timers) clock(at time.Time) string {
	hour, minute, half := fmt.Sprint(at.Hour()), fmt.Sprint(at.Minute()), "AM"
	if w.english() {
		if at.Hour() >= 12 {
			half = "PM"
		}
		hour, minute = fmt.Sprint((at.Hour()+11)%12+1), fmt.Sprintf("%02d", at.Minute())
	}
	key := "time"
	if at.Minute() == 0 {
		key = "time_full"
	}
	return w.Phrase(w.oneHour(key, at), map[string]any{"hour": hour, "minute": minute, "half": half})
}

// oneHour is the key of a phrase, with the ending of the hour that is one where the
// language says it in another way.
func (w timers) oneHour(key string, at time.Time) string {
	if at.Hour() == 1 && w.phrases[key+"_one"] != "" {
		return key + "_one"
	}
	return key
}

// length is a span of time in its one or two largest units: "one hour and 30 minutes";
// "" for none.
func (w timers) length(seconds int64) string {
	const hour, minute = 3600, 60
	switch {
	case seconds <= 0:
		return ""
	case seconds >= hour:
		return w.two(seconds/hour, "hour", seconds%hour/minute, "minute")
	case seconds >= minute:
		return w.two(seconds/minute, "minute", seconds%minute, "second")
	}
	return w.two(seconds, "second", 0, "")
}

// left is a span of time that runs: seconds do not matter in it from two minutes on,
// nor parts of a minute anywhere.
func (w timers) left(seconds int64) string {
	if seconds >= 2*60 {
		seconds = (seconds + 30) / 60 * 60
	}
	return w.length(max(1, seconds))
}

func (w timers) two(n int64, unit string, m int64, smaller string) string {
	text := w.amount(n, unit)
	if m > 0 {
		text += " " + w.grammar.words["and"] + " " + w.amount(m, smaller)
	}
	return text
}

// amount is a number of units, in words where those agree with every unit.
func (w timers) amount(n int64, unit string) string {
	if n == 1 {
		return w.grammar.words["one_"+unit]
	}
	const most = 100
	count := fmt.Sprint(n)
	if lang, ok := numbers.For(w.language); ok && n <= most {
		if word := lang.Say(int(n)); word != "" && !strings.HasSuffix(word, "un") && !strings.HasSuffix(word, "uno") {
			count = word
		}
	}
	return count + " " + w.grammar.words[unit+"s"]
}

// when is the time of one as it was set, with its day where that is not today.
func (w timers) when(t *Timer, now time.Time) string {
	args := map[string]any{"time": w.clock(t.Due), "length": w.length(t.Length), "day": ""}
	if len(w.days) == 7 {
		args["day"] = w.days[t.Due.Weekday()]
	}
	switch t.Every {
	case "":
	case "day", "weekday", "weekend":
		return w.Phrase("when_every_"+t.Every, args)
	default:
		return w.Phrase("when_every_on", args)
	}
	switch days := calendarDays(now, t.Due); {
	case t.At == "" && t.Length > 0:
		return w.Phrase("when_in", args)
	case days == 0:
		return w.Phrase("when_at", args)
	case days == 1:
		return w.Phrase("when_tomorrow", args)
	}
	return w.Phrase("when_day", args)
}

// calendarDays is how many midnights lie between two times, in the zone of the second.
func calendarDays(from, to time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.In(to.Location()).Date()
		return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
	}
	return int(day(to).Sub(day(from)).Round(24*time.Hour) / (24 * time.Hour))
}
