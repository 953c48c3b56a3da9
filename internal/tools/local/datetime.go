package local

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"voicegateway/internal/tools"
)

type datetimeArgs struct {
	What    string `json:"what"`
	Zone    string `json:"zone"`
	Days    *int   `json:"days"`
	Weekday string `json:"weekday"`
	Week    string `json:"week"`
	Date    string `json:"date"`
	Is      string `json:"is"`
	From    string `json:"from"`
	At      string `json:"at"`
	Twelve  bool   `json:"twelve"`
}

// datetimeData is the structured form of an answer.
type datetimeData struct {
	Time   string `json:"time"` // RFC 3339
	Zone   string `json:"zone"`
	Spoken string `json:"spoken"`
	Place  string `json:"place,omitempty"` // as it is called; "" is here
	Other  int    `json:"other,omitempty"` // 1 where it is tomorrow already, -1 where it is still yesterday
	Days   *int   `json:"days,omitempty"`  // of another day than today: how many days from today
	Year   int    `json:"year,omitempty"`  // of another day, where it is another year
	Is     *bool  `json:"is,omitempty"`    // whether the day is the one that was asked about
	Fact   *fact  `json:"fact,omitempty"`  // what was asked about the calendar, if it is no date
	From   string `json:"from,omitempty"`  // the other place that was asked about; "" is here
	Then   bool   `json:"then,omitempty"`  // the time is another one than now
	Ahead  *int   `json:"ahead,omitempty"` // by how many seconds the clocks are ahead of the other place
	Left   *int   `json:"left,omitempty"`  // how many seconds it is until the time of day that was asked about
}

func newDatetime(now func() time.Time, here *time.Location) tools.Tool {
	spec := tools.Spec{
		Name:        "get_datetime",
		Title:       "Date and time",
		Description: "The current time, date or day of the week, here or in another place, and what a calendar tells. The text can be spoken as it is.",
		Input: json.RawMessage(`{
			"type": "object",
			"properties": {
				"what": {"type": "string", "enum": ["time", "date", "day", "datetime", "until", "weeks", "week", "month", "year", "month_length", "year_length", "leap_year", "difference"], "description": "What is asked for; datetime if not given. until, weeks: how long until that day, or since; week: the number of its week; difference: between the clocks in zone and from."},
				"zone": {"type": "string", "maxLength": 64, "description": "A city, a country, an IANA time zone (Europe/Berlin) or UTC+5; here if not given."},
				"from": {"type": "string", "maxLength": 64, "description": "With at or difference: the other place; here if not given."},
				"at": {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$", "description": "A time of day in from, HH:MM, instead of now: what time it is then in zone. With until: how long it is until then."},
				"twelve": {"type": "boolean", "description": "With until and at: at may mean the morning or the evening, the next of both."},
				"days": {"type": "integer", "minimum": -36600, "maximum": 36600, "description": "The date so many days from today: 1 is tomorrow, -1 yesterday."},
				"weekday": {"type": "string", "enum": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], "description": "The date of that day: the coming one, today included."},
				"week": {"type": "string", "enum": ["next", "last"], "description": "With weekday or date: the next one after today, or the last one before today."},
				"date": {"type": "string", "maxLength": 32, "description": "Another day: 2027-03-15, 03-15, easter+1 (days), 11-4-thursday (the fourth Thursday in November), this-last-friday (of this month)."},
				"is": {"type": "string", "maxLength": 16, "description": "Whether that day is this day of the week, the weekend or this month: monday, weekend, march."}
			},
			"additionalProperties": false
		}`),
		Output: json.RawMessage(`{
			"type": "object",
			"properties": {"time": {"type": "string"}, "zone": {"type": "string"}, "spoken": {"type": "string"}, "place": {"type": "string"}, "other": {"type": "integer"}, "days": {"type": "integer"},
				"year": {"type": "integer"}, "is": {"type": "boolean"}, "from": {"type": "string"}, "then": {"type": "boolean"}, "ahead": {"type": "integer"}, "left": {"type": "integer"}, "fact": {"type": "object", "properties": {"asked": {"type": "string"}, "count": {"type": "integer"}, "yes": {"type": "boolean"}}}},
			"required": ["time", "zone", "spoken"]
		}`),
		Risk:       tools.Read,
		Idempotent: true,
	}
	return tools.New(spec, func(_ context.Context, a datetimeArgs) (tools.Result, error) {
		at, place := now().In(here), ""
		if a.Zone != "" {
			loc, name, ok := findZone(a.Zone)
			if !ok {
				return failure("I don't know the time zone of %s.", shorten(textOfHTML(a.Zone), 40)), nil
			}
			at, place = at.In(loc), name
		}
		if a.At != "" && a.What == "until" {
			return answerMoment(tellUntil(a, at, place))
		}
		if a.At != "" || a.What == "difference" {
			from, fromName, ok := here, "", true
			if a.From != "" {
				from, fromName, ok = findZone(a.From)
			}
			if !ok {
				return failure("I don't know the time zone of %s.", shorten(textOfHTML(a.From), 40)), nil
			}
			return answerMoment(tellElsewhere(a, at, place, now().In(from), fromName))
		}
		answer, mistake := tellMoment(a, at, now().In(here), place)
		if mistake != "" {
			return failure("%s", mistake), nil
		}
		return answerMoment(answer)
	})
}

// answerMoment makes a result of an answer.
func answerMoment(answer datetimeData) (tools.Result, error) {
	data, err := json.Marshal(answer)
	if err != nil {
		return tools.Result{}, fmt.Errorf("telling the time: %w", err)
	}
	return tools.Result{Text: answer.Spoken, Data: data}, nil
}

// tellMoment answers what is asked of a time at a place, or of another day; mistake says
// why there is no answer. today is the time here.
func tellMoment(a datetimeArgs, at, today time.Time, place string) (answer datetimeData, mistake string) {
	days, isOther, ok := otherDate(a, at)
	if !ok {
		return answer, "There is no such day."
	}
	answer = datetimeData{Place: place, Other: calendarDays(at, today)}
	spoken, f, ok := tellFact(a, at.AddDate(0, 0, days), at)
	if ok {
		answer.Fact = &f
	} else if spoken, ok = spokenTime(a.What, at, today, place); !ok {
		return answer, "The argument \"what\" of get_datetime must be one of those in its schema."
	}
	if isOther {
		at = at.AddDate(0, 0, days)
		answer.Days, answer.Other = &days, 0
		if a.Date != "" && at.Year() != today.Year() {
			answer.Year = at.Year()
		}
		if answer.Fact == nil || days == 0 && answer.Fact.Asked == "until" {
			spoken = sayDate(at, days, answer.Year)
		}
	}
	if a.Is != "" {
		is := isThat(at, a.Is)
		answer.Is, spoken = &is, sayWhether(is, spoken)
	}
	answer.Time, answer.Spoken, answer.Zone = at.Format(time.RFC3339), spoken, at.Location().String()
	if answer.Zone == "Local" {
		answer.Zone, _ = at.Zone()
	}
	return answer, ""
}

// weekdays are the days of the week by their names, as the tool's schema has them.
var weekdays = map[string]time.Weekday{
	"sunday": time.Sunday, "monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday, "thursday": time.Thursday,
	"friday": time.Friday, "saturday": time.Saturday,
}

// otherDate is how many days from today a date is that was asked for; asked is false if
// none was, and ok is false if there is no such day.
func otherDate(a datetimeArgs, today time.Time) (days int, asked, ok bool) {
	if a.Days != nil {
		return *a.Days, true, true
	}
	if a.Date != "" {
		date, ok := findDate(a.Date, today, a.Week == "last")
		return daysBetween(today, date), true, ok
	}
	day, ok := weekdays[a.Weekday]
	if !ok {
		return 0, false, true
	}
	const week = 7
	days = (int(day) - int(today.Weekday()) + week) % week
	switch {
	case a.Week == "next" && days == 0:
		days = week
	case a.Week == "last":
		days -= week
	}
	return days, true, true
}

// sayWhether begins a text with yes or no.
func sayWhether(yes bool, text string) string {
	text = strings.ToLower(text[:1]) + text[1:]
	if yes {
		return "Yes, " + text
	}
	return "No, " + text
}

// sayDate is the date of another day as a person would give it, with its year if that is
// not 0.
func sayDate(at time.Time, days, year int) string {
	begin := "That is "
	switch {
	case days == 0:
		begin = "Today is "
	case days == 1:
		begin = "Tomorrow is "
	case days == -1:
		begin = "Yesterday was "
	case days < 0:
		begin = "That was "
	}
	if year != 0 {
		return begin + at.Format("Monday, 2 January 2006") + "."
	}
	return begin + at.Format("Monday, 2 January") + "."
}

// spokenTime is the answer as a person would give it: short, without the year and
// without what was not asked. It names a place other than here, and says tomorrow
// or yesterday if the place has another day.
func spokenTime(what string, at, here time.Time, place string) (string, bool) {
	in := ""
	if place != "" {
		in = " in " + place
	}
	switch what {
	case "time":
		return "It's " + clock(at) + otherDay(at, here) + in + ".", true
	case "date":
		return "It's " + at.Format("Monday, 2 January") + in + ".", true
	case "day":
		return "It's " + at.Format("Monday") + in + ".", true
	case "datetime", "":
		return "It's " + clock(at) + " on " + at.Format("Monday, 2 January") + in + ".", true
	}
	return "", false
}

// clock leaves out the zeros of a full hour, which are read as "zero zero".
func clock(t time.Time) string {
	switch {
	case t.Minute() != 0:
		return t.Format("3:04 PM")
	case t.Hour() == 0:
		return "midnight"
	case t.Hour() == 12:
		return "noon"
	}
	return t.Format("3 PM")
}

// otherDay returns " tomorrow" or " yesterday" if the calendar of at differs from
// here, else "".
func otherDay(at, here time.Time) string {
	switch days := calendarDays(at, here); {
	case days > 0:
		return " tomorrow"
	case days < 0:
		return " yesterday"
	}
	return ""
}

// calendarDays is 1 if the calendar of at is ahead of here, -1 if it is behind.
func calendarDays(at, here time.Time) int {
	day := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	}
	return day(at).Compare(day(here))
}
