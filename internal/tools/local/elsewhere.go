package local

import (
	"fmt"
	"strings"
	"time"
)

// tellElsewhere tells which time it is at a place when it is a time of day at another one,
// or by how much their clocks differ. at and from are now at the two places, and their
// names are "" for here.
func tellElsewhere(a datetimeArgs, at time.Time, place string, from time.Time, fromName string) datetimeData {
	answer := datetimeData{Place: place, From: fromName}
	if a.At != "" {
		from = onDayOf(from, a.At)
		at = from.In(at.Location())
		answer.Then, answer.Other = true, calendarDays(at, from)
	}
	if a.What == "difference" {
		_, there := at.Zone()
		_, here := from.Zone()
		ahead := there - here
		answer.Ahead = &ahead
		answer.Spoken = sayAhead(place, fromName, ahead)
	} else {
		answer.Spoken = sayThen(at, place, answer.Other)
	}
	answer.Time, answer.Zone = at.Format(time.RFC3339), at.Location().String()
	return answer
}

// onDayOf is a time of day, HH:MM, on the day of another time.
func onDayOf(day time.Time, clock string) time.Time {
	var hour, minute int
	_, _ = fmt.Sscanf(clock, "%d:%d", &hour, &minute) // the schema has checked it
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

// tellUntil tells how long it is until a time of day comes next at a place where it is now.
func tellUntil(a datetimeArgs, now time.Time, place string) datetimeData {
	const halfDay = 12 * time.Hour
	then := onDayOf(now, a.At)
	if a.Twelve && !then.After(now) {
		then = then.Add(halfDay)
	}
	if a.Twelve && then.Add(-halfDay).After(now) {
		then = then.Add(-halfDay)
	}
	if !then.After(now) {
		then = onDayOf(now.AddDate(0, 0, 1), a.At)
	}
	left := int(then.Sub(now) / time.Second)
	return datetimeData{
		Time: then.Format(time.RFC3339), Zone: then.Location().String(), Place: place, Left: &left,
		Spoken: sayLength(time.Duration(left)*time.Second) + ".",
	}
}

// sayLength says a length of time in hours and minutes, and in seconds below one minute.
func sayLength(length time.Duration) string {
	if length < time.Minute {
		return countOf(int(length/time.Second), "second")
	}
	length = length.Round(time.Minute)
	hours, minutes := int(length/time.Hour), int(length%time.Hour/time.Minute)
	var parts []string
	if hours > 0 {
		parts = append(parts, countOf(hours, "hour"))
	}
	if minutes > 0 {
		parts = append(parts, countOf(minutes, "minute"))
	}
	return strings.Join(parts, " and ")
}

// sayThen is a time at a place that is not now: "Then it's 9 AM the next day in Tokyo.".
func sayThen(at time.Time, place string, other int) string {
	day := map[int]string{1: " the next day", -1: " the day before"}[other]
	if place == "" {
		return "Then it's " + clock(at) + day + " here."
	}
	return "Then it's " + clock(at) + day + " in " + place + "."
}

// sayAhead says by how many seconds the clocks of a place are ahead of another's.
func sayAhead(place, from string, ahead int) string {
	if place == "" {
		place, from, ahead = from, place, -ahead
	}
	if place == "" {
		return "That is the same place."
	}
	other := from
	if other == "" {
		other = "here"
	}
	text := sayLength(time.Duration(max(ahead, -ahead)) * time.Second)
	switch {
	case ahead > 0:
		return place + " is " + text + " ahead of " + other + "."
	case ahead < 0:
		return place + " is " + text + " behind " + other + "."
	}
	if from == "" {
		return place + " has the same time as we do here."
	}
	return place + " has the same time as " + from + "."
}
