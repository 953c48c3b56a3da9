package local

import (
	"fmt"
	"time"
)

// tellElsewhere tells which time it is at a place when it is a time of day at another one,
// or by how much their clocks differ. at and from are now at the two places, and their
// names are "" for here.
func tellElsewhere(a datetimeArgs, at time.Time, place string, from time.Time, fromName string) datetimeData {
	answer := datetimeData{Place: place, From: fromName}
	if a.At != "" {
		var hour, minute int
		_, _ = fmt.Sscanf(a.At, "%d:%d", &hour, &minute) // the schema has checked it
		from = time.Date(from.Year(), from.Month(), from.Day(), hour, minute, 0, 0, from.Location())
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
	const hour, minute = 3600, 60
	span := max(ahead, -ahead)
	text := ""
	if span >= hour {
		text = countOf(span/hour, "hour")
	}
	if rest := span % hour / minute; rest > 0 {
		if text != "" {
			text += " and "
		}
		text += countOf(rest, "minute")
	}
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
