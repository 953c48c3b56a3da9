package timers

import (
	"slices"
	"strings"
	"time"

	"voicegateway/internal/language/text"
)

// find lists the timers that are meant, among those that may be: the ones with the best
// matching name and, of several, those of the room that asks. If it finds none, why says
// whether the name or something else did not match.
func (b *Book) find(w Which, area string, may func(*entry) bool) (found []*entry, why Reason) {
	var fit []*entry
	for _, e := range b.all() {
		if may(e) && w.fits(e) {
			fit = append(fit, e)
		}
	}
	if w.Name != "" {
		others := len(fit) > 0
		fit = findNamed(fit, w.Name)
		if len(fit) == 0 && others {
			return nil, UnknownName
		}
	}
	if len(fit) == 0 && w.Seconds > 0 && len(b.entries) > 0 {
		return nil, UnknownLength
	}
	if w.Next && len(fit) > 1 {
		return []*entry{slices.MinFunc(fit, func(a, b *entry) int { return a.Due.Compare(b.Due) })}, ""
	}
	here := slices.DeleteFunc(slices.Clone(fit), func(e *entry) bool { return !text.Same(e.Area, area) })
	if area != "" && len(here) > 0 && w.ID == "" {
		fit = here
	}
	return w.nth(fit)
}

// nth picks the timer with the requested number, in the order in which the timers were
// set.
func (w Which) nth(fit []*entry) (found []*entry, why Reason) {
	i := w.Nth - 1
	if w.Nth < 0 {
		i = len(fit) + w.Nth
	}
	switch {
	case w.Nth == 0 || len(fit) == 0:
		return fit, ""
	case i < 0 || i >= len(fit):
		return nil, TooFew
	}
	return fit[i : i+1], ""
}

// fits reports whether a timer is as is asked for, but for its name.
func (w Which) fits(e *entry) bool {
	return (w.ID == "" || w.ID == e.ID) && (w.Kind == "" || w.Kind == e.Kind || w.Kind == Countdown && e.Kind == End) && (w.Seconds == 0 || w.Seconds == e.Length) &&
		(w.At == "" || sameTime(w.At, e)) && w.onDay(e) && w.inPart(e) && (w.Area == "" || text.Same(w.Area, e.Area))
}

// sameTime reports whether a clock face shows the same.
func sameTime(asked string, e *entry) bool {
	at, ok := parseDaytime(asked, nil)
	return ok && e.At != "" && (e.At == at.String() || e.At == at.opposite().String())
}

// findNamed are the timers that are called so: exactly; else by some of the words, of the
// name, the text or the sentence; else nearly.
func findNamed(all []*entry, name string) []*entry {
	asked := splitWords(name)
	for _, like := range []func(*entry) bool{
		func(e *entry) bool { return e.displayName() != "" && slices.Equal(splitWords(e.displayName()), asked) },
		func(e *entry) bool {
			return e.displayName() != "" && (within(asked, splitWords(e.displayName())) || within(splitWords(e.displayName()), asked))
		},
		func(e *entry) bool { return within(asked, splitWords(e.Text)) || within(asked, splitWords(e.Command)) },
		func(e *entry) bool { return near(asked, splitWords(e.displayName())) },
	} {
		if fit := slices.DeleteFunc(slices.Clone(all), func(e *entry) bool { return !like(e) }); len(fit) > 0 {
			return fit
		}
	}
	return nil
}

func splitWords(said string) []string { return strings.Fields(text.Fold(said)) }

// within reports whether all words of the first text are in the second.
func within(some, all []string) bool {
	return len(some) > 0 && !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(all, w) })
}

// near reports whether two names sound alike as far as letters tell: one in four may
// be another.
func near(a, b []string) bool {
	x, y := strings.Join(a, " "), strings.Join(b, " ")
	if x == "" || y == "" {
		return false
	}
	return text.Distance(x, y) <= max(len([]rune(x)), len([]rune(y)))/4
}

// onDays are the days on which what is meant is due.
type onDays struct {
	date     string // YYYY-MM-DD; "" for any
	weekdays uint8  // a bit for each, from Sunday; 0 for any
	zone     *time.Location
	repeated bool // what repeats is meant as well, if it comes on the day
}

// resolve finds the days that are meant, at a time. repeated tells whether what repeats is
// meant by one of its days: to ask for it, but not to cancel it.
func (w Which) resolve(now time.Time, repeated bool) Which {
	if w.Day == "" && w.Part == "" {
		return w
	}
	w.on = onDays{zone: now.Location(), repeated: repeated}
	if days, ok := repetitions[strings.ToLower(w.Day)]; ok {
		w.on.weekdays = bits(days)
	} else if date, ok := dayOf(w.Day, now); ok {
		w.on.date = date.Format(time.DateOnly)
	} else if w.Day != "" {
		w.on.date = w.Day // no timer is due then
	}
	return w
}

func bits(days []time.Weekday) (all uint8) {
	for _, day := range days {
		all |= 1 << day
	}
	return all
}

// onDay reports whether a timer is due on a day that is meant.
func (w Which) onDay(e *entry) bool {
	if w.Day == "" {
		return true
	}
	at := e.Due.In(w.on.zone)
	due, date := bits([]time.Weekday{at.Weekday()}), at.Format(time.DateOnly)
	switch {
	case e.Every == "" && !w.on.repeated && (w.Day == "weekday" || w.Day == "day"):
		return false // what rings once is not the alarm of every day
	case e.Every == "":
		return date == w.on.date || due&w.on.weekdays != 0
	case !w.on.repeated:
		return e.Every == strings.ToLower(w.Day)
	case w.on.weekdays != 0:
		return bits(repetitions[e.Every])&w.on.weekdays != 0
	}
	day, err := time.Parse(time.DateOnly, w.on.date)
	return err == nil && w.on.date >= date && slices.Contains(repetitions[e.Every], day.Weekday())
}

// parts are the hours of the parts of the day; the night goes on into the next day.
var parts = map[string][2]int{"morning": {0, 12}, "afternoon": {12, 18}, "evening": {17, 24}, "night": {20, 29}}

// inPart reports whether a timer is due in the part of the day that is meant.
func (w Which) inPart(e *entry) bool {
	hours, known := parts[w.Part]
	if !known {
		return w.Part == ""
	}
	hour := e.Due.In(w.on.zone).Hour()
	return hour >= hours[0] && hour < hours[1] || hour+24 < hours[1]
}
