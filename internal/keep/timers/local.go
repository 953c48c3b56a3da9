package timers

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// weekdays are the days by name.
var weekdays = map[string]time.Weekday{
	"monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday, "thursday": time.Thursday,
	"friday": time.Friday, "saturday": time.Saturday, "sunday": time.Sunday,
}

// repetitions lists on which days each repetition rings.
var repetitions = func() map[string][]time.Weekday {
	all := map[string][]time.Weekday{
		"weekday": {time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday},
		"weekend": {time.Saturday, time.Sunday},
		"day":     {time.Sunday, time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday},
	}
	for name, day := range weekdays {
		all[name] = []time.Weekday{day}
	}
	return all
}()

// daytime is a time of day: by the clock, or by the sun.
type daytime struct {
	hour, minute int
	sun          *bySun // nil: by the clock
}

// parseDaytime reads HH:MM, or a time by the sun at a place.
func parseDaytime(text string, place *Place) (daytime, bool) {
	if sun, ok := parseSun(text, place); ok {
		return daytime{sun: sun}, true
	}
	t, err := time.Parse("15:04", text)
	return daytime{hour: t.Hour(), minute: t.Minute()}, err == nil && len(text) == len("15:04")
}

func (d daytime) String() string {
	if d.sun != nil {
		return d.sun.String()
	}
	return time.Date(1, 1, 1, d.hour, d.minute, 0, 0, time.UTC).Format("15:04")
}

// opposite is the same time on the other half of a clock face.
func (d daytime) opposite() daytime {
	if d.sun != nil {
		return d
	}
	return daytime{hour: (d.hour + 12) % 24, minute: d.minute}
}

// on returns the moment at which the wall clock shows a time of day on a date. If the
// clock skips that time, it is the first moment after the gap; if the clock shows it
// twice, the first of both. It is zero if the sun does not rise or set then.
func (d daytime) on(date time.Time) time.Time {
	if d.sun != nil {
		return d.sun.on(date)
	}
	y, m, day := date.Date()
	t := time.Date(y, m, day, d.hour, d.minute, 0, 0, date.Location())
	begin, end := t.ZoneBounds()
	shown := naive(t)
	switch wanted := time.Date(y, m, day, d.hour, d.minute, 0, 0, time.UTC); {
	case shown.After(wanted): // time.Date took the offset before the gap
		return begin
	case shown.Before(wanted):
		return end
	case begin.IsZero():
		return t
	}
	_, now := t.Zone()
	_, before := begin.Add(-time.Second).Zone()
	if first := t.Add(time.Duration(now-before) * time.Second); first.Before(begin) && naive(first).Equal(shown) {
		return first
	}
	return t
}

// naive is what clocks show, without their zone.
func naive(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// after returns the first moment after now at which the clock shows a time of day on one
// of the days; nil means every day. It is zero if the sun does not rise or set within a
// year.
func (d daytime) after(now time.Time, days []time.Weekday) time.Time {
	most := 9 // every day of the week comes within nine
	if d.sun != nil {
		most = 366
	}
	for ahead := range most {
		date := noon(now).AddDate(0, 0, ahead)
		if t := d.on(date); t.After(now) && (len(days) == 0 || slices.Contains(days, date.Weekday())) {
			return t
		}
	}
	return time.Time{}
}

// noon is the middle of a date, which no change of clocks touches.
func noon(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 12, 0, 0, 0, t.Location())
}

// dayOf finds the date that a word names, and whether it does whatever today is.
func dayOf(word string, now time.Time) (date time.Time, ok bool) {
	switch word = strings.ToLower(word); word {
	case "today":
		return noon(now), true
	case "tomorrow":
		return noon(now).AddDate(0, 0, 1), true
	}
	if ahead, err := strconv.Atoi(strings.TrimPrefix(word, "+")); err == nil && strings.HasPrefix(word, "+") && ahead >= 0 && ahead <= 366 {
		return noon(now).AddDate(0, 0, ahead), true
	}
	for ahead := range 9 { // the next February 29 is eight years away at most
		for _, form := range []string{"--01-02", "---02"} { // of ISO 8601, without a year, and without a month
			d, err := time.Parse(form, word)
			if err != nil {
				continue
			}
			date = time.Date(now.Year()+ahead, d.Month(), d.Day(), 12, 0, 0, 0, now.Location())
			if form == "---02" {
				date = time.Date(now.Year(), now.Month()+time.Month(ahead), d.Day(), 12, 0, 0, 0, now.Location())
			}
			if date.Day() == d.Day() && !date.Before(noon(now)) {
				return date, true
			}
		}
	}
	date, err := time.ParseInLocation(time.DateOnly, word, now.Location())
	return noon(date), err == nil
}

// calendar says on which days a time of day is meant.
type calendar struct {
	date time.Time      // from this date on, or only on it; zero: any
	days []time.Weekday // nil: every one
	once bool           // on the date and no other
}

// calendar reads the day and the repetition of a wish.
func (o Wish) calendar(now time.Time) (c calendar, ok bool) {
	days, known := repetitions[o.Every]
	day, named := weekdays[strings.ToLower(o.Day)]
	c = calendar{days: days, once: o.Every == ""}
	switch {
	case o.Every != "" && (!known || named):
		return c, false
	case named:
		c.days = []time.Weekday{day}
	case o.Day != "":
		c.date, ok = dayOf(o.Day, now)
		return c, ok
	}
	return c, true
}

// first is the first time a clock shows a time of day on the calendar, which may be
// over.
func (c calendar) first(at daytime, now time.Time) time.Time {
	switch {
	case !c.date.IsZero() && c.once:
		return at.on(c.date)
	case c.date.After(now):
		return at.after(daytime{}.on(c.date).Add(-time.Second), c.days)
	}
	return at.after(now, c.days)
}

// due finds when a wish for a time of day is first due.
func (o Wish) due(now time.Time, place *Place) (at daytime, due time.Time, why Reason) {
	said, ok := parseDaytime(o.At, place)
	days, known := o.calendar(now)
	if !ok || !known {
		return at, due, BadTime
	}
	if said.sun != nil && place == nil {
		return at, due, NoPlace
	}
	choices := []daytime{said}
	if o.Twelve {
		choices = append(choices, said.opposite())
	}
	for _, c := range choices {
		if t := days.first(c, now); t.After(now) && (due.IsZero() || t.Before(due)) {
			at, due = c, t
		}
	}
	return at, due, o.tooFar(said, due, now)
}

// tooFar says why the time that a wish comes to is refused; "" if it is not.
func (o Wish) tooFar(said daytime, due, now time.Time) Reason {
	const soon = 48 * time.Hour // the sun rises and sets by then, but in the far north
	switch {
	case said.sun != nil && o.Day == "" && o.Every == "" && due.Sub(now) > soon:
		return NoSun
	case due.IsZero():
		return Past
	case due.Sub(now) > Longest:
		return TooLong
	}
	return ""
}
