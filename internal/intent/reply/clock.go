package reply

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/tools"
)

// moment is what the gateway's clock answers.
type moment struct {
	Time  time.Time `json:"time"`
	Place string    `json:"place"` // "" is here
	Other int       `json:"other"` // 1 where it is tomorrow already, -1 where it is still yesterday
	Days  *int      `json:"days"`  // of a date: how many days from today; nil is today's
	Year  int       `json:"year"`  // of a date in another year
	Is    *bool     `json:"is"`    // whether the date is what was asked about; nil if nothing was
	Fact  *fact     `json:"fact"`  // what the calendar tells, if it is no date
	From  string    `json:"from"`  // the other place that was asked about; "" is here
	Then  bool      `json:"then"`  // the time is not now
	Ahead *int      `json:"ahead"` // seconds by which the place is ahead of the other one; nil if that was not asked
	Left  *int64    `json:"left"`  // seconds until a time of day; nil if that was not asked
}

// fact is what the calendar tells besides dates.
type fact struct {
	Asked string `json:"asked"` // until, weeks, week, month, year, month_length, year_length, leap_year
	Count int    `json:"count"`
	Yes   bool   `json:"yes"`
}

// Clock tells the time and the date if the tool's own text is in another
// language.
func (p *timerWords) Clock(key string, r tools.Result) string {
	var m moment
	if p.table[key] == "" || json.Unmarshal(r.Data, &m) != nil || len(p.days) != 7 || len(p.months) != 12 {
		return ""
	}
	month := p.months[m.Time.Month()-1]
	args := map[string]any{
		"time": p.clock(m.Time), "hour": m.Time.Hour(), "minute": m.Time.Minute(), "weekday": p.days[m.Time.Weekday()], "day": m.Time.Day(),
		"month": month, "Month": capital(month), "year": m.Time.Year(), "place": m.Place,
	}
	switch {
	case m.Fact != nil && (m.Fact.Count != 0 || m.Fact.Asked == "leap_year"):
		args["count"], args["length"] = m.Fact.Count, p.countDays(m.Fact)
		return capital(p.phrase(m.Fact.key(), args))
	case m.Ahead != nil:
		return p.sayAhead(&m)
	case m.Left != nil:
		return p.phrase("time_until", map[string]any{"length": p.sayLeft(*m.Left)})
	}
	text := p.phrase(p.oneHour(m.key(key), m.Time), args)
	switch {
	case m.Is != nil && *m.Is:
		return p.phrase("answer_yes", map[string]any{"text": small(text)})
	case m.Is != nil:
		return p.phrase("answer_no", map[string]any{"text": small(text)})
	case m.Other != 0:
		return text + " " + p.phrase(m.otherDay(), nil)
	}
	return text
}

// otherDay is the key of the phrase for the day at a place that has another one.
func (m *moment) otherDay() string {
	switch {
	case m.Then && m.Other > 0:
		return "then_next_day"
	case m.Then:
		return "then_day_before"
	case m.Other > 0:
		return "there_tomorrow"
	}
	return "there_yesterday"
}

// key is the phrase for a time here or elsewhere, and for a date of today or of
// another day.
func (m *moment) key(key string) string {
	if key == "date" {
		return key + m.day()
	}
	if m.Then {
		key = "then"
	}
	if m.Place != "" {
		key += "_in"
	}
	if m.Then {
		return key
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
		return "_ahead" + m.ofYear()
	}
	return "_past" + m.ofYear()
}

// sayAhead says by how much the clocks of two places differ.
func (p *timerWords) sayAhead(m *moment) string {
	place, from, ahead := m.Place, m.From, int64(*m.Ahead)
	if place == "" {
		place, from, ahead = from, place, -ahead
	}
	key := "difference_none"
	switch {
	case ahead > 0:
		key = "difference_ahead"
	case ahead < 0:
		key = "difference_behind"
	}
	if from == "" {
		key += "_here"
	}
	return p.phrase(key, map[string]any{"place": place, "other": from, "length": p.length(max(ahead, -ahead))})
}

// ofYear is the end of the key of a phrase that says the year.
func (m *moment) ofYear() string {
	if m.Year != 0 {
		return "_year"
	}
	return ""
}

// key is the phrase for what the calendar tells.
func (f *fact) key() string {
	if f.Asked == "leap_year" && !f.Yes {
		return "fact_no_leap_year"
	}
	return "fact_" + f.Asked
}

// countDays says how many days there are until a day or since then, in weeks if these were
// asked for: "3 weeks and 6 days".
func (p *timerWords) countDays(f *fact) string {
	days := max(f.Count, -f.Count)
	if weeks, rest := days/7, days%7; f.Asked == "weeks" && weeks > 0 {
		if rest == 0 {
			return p.count(weeks, "week")
		}
		return p.count(weeks, "week") + " " + p.words["and"] + " " + p.count(rest, "whole_day")
	}
	return p.count(days, "whole_day")
}

// count is a number of units, in digits.
func (p *timerWords) count(n int, unit string) string {
	if n == 1 {
		return p.words["one_"+unit]
	}
	return fmt.Sprintf("%d %s", n, p.words[unit+"s"])
}

// small makes the first letter of a sentence small.
func small(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(r)) + text[n:]
}
