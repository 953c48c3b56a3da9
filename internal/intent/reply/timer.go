package reply

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/language/numbers"
)

// Timer is a timer, an alarm, a reminder or a command for later, as the tools for them
// tell it in the data of their results.
type Timer struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`    // timer, alarm, reminder, command, end
	Name    string    `json:"name"`    // "pasta"; "" if none was given
	Text    string    `json:"text"`    // of a reminder: what to remind of
	Command string    `json:"command"` // of a command for later: the sentence to carry out
	Area    string    `json:"area"`    // the room that asked
	State   string    `json:"state"`   // running, paused, ringing
	Due     time.Time `json:"due"`     // in the zone in which people hear it
	Left    int64     `json:"left"`    // seconds until it is due
	Length  int64     `json:"length"`  // seconds it was set for; 0: it was set for a time of the day
	Every   string    `json:"every"`   // day, weekday, weekend or a day of the week; "" if it comes once
	At      string    `json:"at"`      // the time it was set for, "07:00"; "" if it was set for a length
}

// Rings is what is said while a timer, an alarm or a reminder rings, such as "The
// pasta timer." or "Reminder: call mum.".
func (p *timerWords) Rings(t Timer) string {
	args := p.about(&t)
	switch t.Kind {
	case "alarm":
		return capital(p.phrase(p.oneHour("rings_alarm"+nameKey(&t), t.Due), args))
	case "reminder":
		return p.phrase("rings_reminder", args)
	}
	return capital(p.callTimer(&t)) + "."
}

// Rang is what is said of one that rang, or should have, before now, such as "The
// pasta timer rang 8 minutes ago.".
func (p *timerWords) Rang(t Timer, now time.Time) string {
	args := p.about(&t)
	args["ago"] = p.ago(p.since(&t, now))
	if t.Kind == "reminder" {
		return p.phrase("rang_reminder", args)
	}
	return capital(p.phrase("rang", args))
}

// WhileOff says which ones were due while the gateway was off; "" if none were. A
// command among them was not carried out.
func (p *timerWords) WhileOff(missed []Timer, now time.Time) string {
	if len(missed) == 0 {
		return ""
	}
	const most = 4
	said := []string{p.phrase("while_off", nil)}
	for _, t := range missed[:min(len(missed), most)] {
		if t.Kind == "command" {
			said = append(said, p.NotDone(t, now))
			continue
		}
		said = append(said, p.Rang(t, now))
	}
	if more := len(missed) - most; more > 0 {
		said = append(said, p.phrase("timers_more", map[string]any{"count": more}))
	}
	return strings.Join(said, " ")
}

// NotDone says that a command was not carried out, because it was due too long ago.
func (p *timerWords) NotDone(t Timer, now time.Time) string {
	args := p.about(&t)
	args["ago"] = p.ago(p.since(&t, now))
	return p.phrase("late_command", args)
}

// timerWords are the words of one language with which everything about timers, alarms,
// reminders and commands for later is said: the result of a sentence about them, the
// question which of them is meant, and what is said when one rings or was missed. They
// stand apart from the other replies, because they speak of times and not of things. A new
// reply is a phrase in the file of replies and a case in timer_told.go. They are never
// changed after newTimerWords.
type timerWords struct {
	language string
	table    map[string]string
	words    map[string]string
	days     []string // from Sunday
	months   []string // from January
	names    home.Names
}

// newTimerWords takes a language's table of replies, its single words, the days of the week from
// Sunday on, the months, and how it names things.
func newTimerWords(language string, table, words map[string]string, days, months []string, names home.Names) *timerWords {
	return &timerWords{language, table, words, days, months, names}
}

// phrase is a phrase of the table with its {places} filled; "" if there is none.
func (p *timerWords) phrase(key string, args map[string]any) string {
	text := p.table[key]
	for name, value := range args {
		text = strings.ReplaceAll(text, "{"+name+"}", fmt.Sprint(value))
	}
	return strings.Join(strings.Fields(text), " ")
}

// join lists some: "a, b and c".
func (p *timerWords) join(all []string, word string) string {
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " " + p.words[word] + " " + all[n-1]
	}
	return strings.Join(all, "")
}

// ago is how long ago something was, in its largest unit.
func (p *timerWords) ago(seconds int64) string {
	const minute, hour, day = 60, 3600, 86400
	n, unit := seconds, "second"
	switch {
	case seconds >= 2*day:
		n, unit = seconds/day, "day"
	case seconds >= 2*hour:
		n, unit = seconds/hour, "hour"
	case seconds >= minute:
		n, unit = seconds/minute, "minute"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, p.words[unit])
}

// since is how long ago one was due, in seconds.
func (p *timerWords) since(t *Timer, now time.Time) int64 {
	return max(1, int64(now.Sub(t.Due).Round(time.Second).Seconds()))
}

// nameKey is the end of the key of a phrase that says a name.
func nameKey(t *Timer) string {
	if t.Name != "" {
		return "_named"
	}
	return ""
}

// about fills the places of the phrases about one.
func (p *timerWords) about(t *Timer) map[string]any {
	return map[string]any{
		"name": p.noun(t.Name), "text": p.clause(t), "command": t.Command,
		"what": p.callTimer(t), "time": p.clock(t.Due), "length": p.length(t.Length),
	}
}

// noun is a name in the language's way to write it: it was heard in small letters.
func (p *timerWords) noun(name string) string {
	if p.names.Capitals {
		return capital(name)
	}
	return name
}

// clause is what a reminder reminds of, in the language's way to write it.
func (p *timerWords) clause(t *Timer) string {
	if t.Text == "" {
		return p.noun(t.Name)
	}
	return p.names.Clause(t.Text)
}

// callTimer is what one is called in a sentence: "the pasta timer".
func (p *timerWords) callTimer(t *Timer) string {
	args := map[string]any{"name": p.noun(t.Name), "text": p.clause(t), "command": t.Command, "time": p.clock(t.Due), "length": p.length(t.Length)}
	key := "what_" + t.Kind
	switch {
	case t.Kind == "end":
		return p.things(t)
	case t.Kind == "timer" && t.Name == "" && t.Length == 0:
		key = "what_plain"
	case t.Kind == "timer" || t.Kind == "alarm":
		key += nameKey(t)
	}
	return p.phrase(key, args)
}

// short is what tells one from others of its kind: its name, length or time.
func (p *timerWords) short(t *Timer) string {
	return cmp.Or(p.noun(t.Name), p.clause(t), t.Command, p.length(t.Length), p.clock(t.Due))
}

// TimeOfDay is a time of today, here, as it is spoken: "7:30 AM".
func (p *timerWords) TimeOfDay(at time.Time) string { return p.clock(at.Local()) }

// clock is a time of the day: "7:30 AM".
func (p *timerWords) clock(at time.Time) string {
	hour, minute, half := fmt.Sprint(at.Hour()), fmt.Sprint(at.Minute()), p.words["am"]
	if strings.Contains(p.table["time"], ":") {
		minute = fmt.Sprintf("%02d", at.Minute())
	}
	if strings.Contains(p.table["time"], "{half}") { // the hours count to twelve
		if at.Hour() >= 12 {
			half = p.words["pm"]
		}
		hour = fmt.Sprint((at.Hour()+11)%12 + 1)
	}
	key := "time"
	if at.Minute() == 0 {
		key = "time_full"
	}
	return p.phrase(p.oneHour(key, at), map[string]any{"hour": hour, "minute": minute, "half": half})
}

// oneHour returns the key of a phrase with the ending for one o'clock or midnight, if the
// language says these in another way.
func (p *timerWords) oneHour(key string, at time.Time) string {
	switch {
	case at.Hour() == 0 && p.table[key+"_zero"] != "":
		return key + "_zero"
	case at.Hour() == 1 && p.table[key+"_one"] != "":
		return key + "_one"
	}
	return key
}

// length is a span of time in its one or two largest units: "one hour and 30 minutes";
// "" for none.
func (p *timerWords) length(seconds int64) string { return p.span(seconds, "one_") }

// after is a span of time behind "in", where some languages change its words: "in einer
// Stunde".
func (p *timerWords) after(seconds int64) string { return p.span(seconds, "in_one_") }

// span is a span of time; one is the beginning of the keys of single units.
func (p *timerWords) span(seconds int64, one string) string {
	const hour, minute = 3600, 60
	switch {
	case seconds <= 0:
		return ""
	case seconds >= hour:
		return p.two(seconds/hour, "hour", seconds%hour/minute, "minute", one)
	case seconds >= minute:
		return p.two(seconds/minute, "minute", seconds%minute, "second", one)
	}
	return p.two(seconds, "second", 0, "", one)
}

// sayLeft is a span of time that runs: seconds do not matter in it from two minutes on,
// nor parts of a minute anywhere.
func (p *timerWords) sayLeft(seconds int64) string {
	return p.length(round(seconds))
}

// round leaves out what does not matter of a span of time that runs.
func round(seconds int64) int64 {
	if seconds >= 2*60 {
		seconds = (seconds + 30) / 60 * 60
	}
	return max(1, seconds)
}

func (p *timerWords) two(n int64, unit string, m int64, smaller, one string) string {
	text := p.amount(n, unit, one)
	if m > 0 {
		text += " " + p.words["and"] + " " + p.amount(m, smaller, one)
	}
	return text
}

// agreeing is a number in words that ends in one, which agrees with its unit in some
// languages: "vingt et une minutes".
func (p *timerWords) agreeing(word, unit string) string {
	stem, ok := strings.CutSuffix(word, p.words["ends_in_one"])
	switch {
	case !ok || p.words["ends_in_one"] == "":
		return word
	case strings.HasSuffix(stem, " "):
		return stem + p.words["and_one_"+unit]
	}
	return stem + p.words["ends_in_one_"+unit]
}

// amount is a number of units, up to a hundred in words.
func (p *timerWords) amount(n int64, unit, one string) string {
	if n == 1 {
		return p.words[one+unit]
	}
	const most = 100
	count := fmt.Sprint(n)
	if lang, ok := numbers.For(p.language); ok && n <= most {
		if word := lang.Say(int(n)); word != "" {
			count = strings.ReplaceAll(p.agreeing(word, unit), " ", cmp.Or(p.words["between_numbers"], " "))
		}
	}
	return count + " " + p.words[unit+"s"]
}

// when is the time of a timer as it was set, with its day if that is not today.
func (p *timerWords) when(t *Timer, now time.Time) string {
	args := map[string]any{"time": p.clock(t.Due), "length": p.length(t.Length), "day": ""}
	if len(p.days) == 7 {
		args["day"] = p.days[t.Due.Weekday()]
	}
	switch t.Every {
	case "":
	case "day", "weekday", "weekend":
		if sun := p.phrase("when_every_"+t.Every+"_"+t.At, args); sun != "" {
			return sun // every day at another time
		}
		return p.phrase("when_every_"+t.Every, args)
	default:
		return p.phrase("when_every_on", args)
	}
	switch days := calendarDays(now, t.Due); {
	case t.At == "" && t.Length > 0:
		args["length"] = p.after(t.Length)
		return p.phrase("when_in", args)
	case days == 0:
		return p.phrase("when_at", args)
	case days == 1:
		return p.phrase("when_tomorrow", args)
	case days >= 7 && len(p.months) == 12: // the name of the day alone would mean the next
		args["date"], args["month"] = t.Due.Day(), p.months[t.Due.Month()-1]
		return p.phrase("when_date", args)
	}
	return p.phrase("when_day", args)
}

// moment is a moment that is over, with its day if that is not today: "at 7:30 AM yesterday".
func (p *timerWords) moment(at time.Time) string {
	at = at.Local()
	args := map[string]any{"time": p.clock(at)}
	switch days := calendarDays(at, time.Now().Local()); {
	case days <= 0 || len(p.days) != 7 || len(p.months) != 12:
		return p.phrase("when_at", args)
	case days == 1:
		return p.phrase("when_yesterday", args)
	case days < 7:
		args["day"] = p.days[at.Weekday()]
		return p.phrase("when_day", args)
	}
	args["date"], args["month"] = at.Day(), p.months[at.Month()-1]
	return p.phrase("when_date", args)
}

// calendarDays is how many midnights lie between two times, in the zone of the second.
func calendarDays(from, to time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.In(to.Location()).Date()
		return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
	}
	return int(day(to).Sub(day(from)).Round(24*time.Hour) / (24 * time.Hour))
}
