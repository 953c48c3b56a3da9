package timers

import (
	"slices"
	"strings"

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
		(w.At == "" || sameTime(w.At, e)) && (w.Area == "" || text.Same(w.Area, e.Area))
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
