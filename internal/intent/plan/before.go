package plan

import (
	"time"

	"voicegateway/internal/intent"
)

// How much of the time around a time of day a question about it means.
const (
	justBefore = 15 * time.Minute
	justAfter  = 30 * time.Minute
)

// lastNight is what a night is called that is over.
const lastNight = "last night"

// The parts of a day, in minutes after midnight. A night ends on the next day.
var partSpans = map[string]struct{ from, to int }{
	"morning": {5 * 60, 12 * 60}, "afternoon": {12 * 60, 18 * 60}, "pm": {12 * 60, fullDay}, "evening": {18 * 60, fullDay}, "night": {18 * 60, fullDay + 6*60},
}

// SpanBefore returns the time that a question about the past means: a length before now, the
// time around a time of day, a part of a day, or a day. Without any it begins at the zero time. A time
// that may be before or after noon is the last of both.
func SpanBefore(a intent.Action, now time.Time) (from, to time.Time) {
	if n := seconds(a, "hours", "minutes", "seconds"); n > 0 {
		return now.Add(-time.Duration(n) * time.Second), now
	}
	m := momentOf(a)
	switch {
	case m.said:
		at := m.lastBefore(now)
		from, to = at.Add(-justBefore), at.Add(justAfter)
	case m.part != "":
		from, to = m.partBefore(now)
	case m.day != "":
		from = onDay(now, m.offset(), 0)
		to = onDay(now, m.offset(), fullDay)
	default:
		return time.Time{}, now
	}
	if to.After(now) {
		to = now
	}
	return from, to
}

// onDay is so many minutes after the midnight with which a day begins, so many days from today.
func onDay(now time.Time, days, minutes int) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day()+days, 0, minutes, 0, 0, now.Location())
}

// offset is how many days from today a day is.
func (m *moment) offset() int {
	if m.day == "yesterday" {
		return -1
	}
	return 0
}

// lastBefore returns the last time of day that was said. One of the future counts only if the day
// was said.
func (m *moment) lastBefore(now time.Time) time.Time {
	var times []int
	switch part := partName(m.part); {
	case m.exact:
		times = []int{m.minutes}
	case part != "":
		times = []int{inPart(part, m.minutes%halfDay)}
	default:
		times = []int{m.minutes % halfDay, m.minutes%halfDay + halfDay}
	}
	days := []int{-1, 0}
	if m.day != "" {
		days = []int{m.offset()}
	}
	last := onDay(now, days[0], times[0])
	for _, day := range days {
		for _, at := range times {
			if t := onDay(now, day, at); !t.After(now) && t.After(last) {
				last = t
			}
		}
	}
	return last
}

// partBefore returns the last part of a day that has begun, or the one of the day that was said.
func (m *moment) partBefore(now time.Time) (from, to time.Time) {
	span, ok := partSpans[partName(m.part)]
	if !ok {
		return time.Time{}, now
	}
	day := m.offset()
	if m.part == lastNight || m.day == "" && onDay(now, 0, span.from).After(now) {
		day = -1
	}
	return onDay(now, day, span.from), onDay(now, day, span.to)
}

// partName is a part of the day by its plain name: "tonight" is a night.
func partName(part string) string {
	switch part {
	case "pm":
		return part
	case lastNight:
		return "night"
	}
	return partsOfDay[part]
}
