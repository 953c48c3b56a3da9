package ear

import (
	"slices"
	"time"

	"voicegateway/internal/audio/earcon"
)

// Alert is a sound that repeats until a person says stop, in rounds of a sound, words and
// quiet.
type Alert struct {
	ID     string        // of the timer or the announcement; a second Ring with the same ID replaces the first
	Urgent bool          // goes before everything and interrupts speech, ringing and listening: smoke
	Sound  earcon.Sound  // played before the words; earcon.Ring or earcon.Alarm
	Text   string        // spoken after the sound; may be ""
	Every  time.Duration // quiet between two rounds; taken as at least 1 s and at most 1 min
	Most   time.Duration // it ends that long after its first round, or sooner if nothing plays it; 0: only when it is acknowledged
}

// Bounds of alerts. Even the shortest quiet is long enough to say "stop".
const (
	leastQuiet = time.Second
	mostQuiet  = time.Minute
	mostAlerts = 256
	mostSilent = time.Minute // an alert that nothing plays ends so long after that began
)

// alerts are those that ring or wait for their first round, which take turns. It
// belongs to the loop's goroutine.
type alerts struct {
	all      []*ringing
	rounds   int      // so far
	now      *ringing // the one of the last round
	extended bool     // the quiet after it was made longer, because a person speaks
}

// ringing is an alert that is not over.
type ringing struct {
	Alert
	since time.Time // when it was first heard; zero before that
	round int       // its last one; 0 before the first
}

// add takes an alert, or replaces the one with its ID. It returns false if there are
// too many.
func (a *alerts) add(x Alert) bool {
	x.Every = min(max(x.Every, leastQuiet), mostQuiet)
	for _, r := range a.all {
		if r.ID == x.ID {
			r.Alert = x
			if !r.since.IsZero() {
				r.since = time.Now()
			}
			return true
		}
	}
	if len(a.all) >= mostAlerts {
		return false
	}
	a.all = append(a.all, &ringing{Alert: x})
	return true
}

// next returns the alert that sounds next: the one that has been silent for longest.
// While an urgent alert rings, only urgent ones sound. It is nil if there are none.
func (a *alerts) next() *ringing {
	var next *ringing
	for _, r := range a.all {
		if next == nil || r.Urgent && !next.Urgent || r.Urgent == next.Urgent && r.round < next.round {
			next = r
		}
	}
	return next
}

// begin starts the round of the next alert and returns it.
func (a *alerts) begin() Alert {
	a.now, a.extended = a.next(), false
	a.rounds++
	a.now.round = a.rounds
	if a.now.since.IsZero() {
		a.now.since = time.Now()
	}
	return a.now.Alert
}

// acknowledge removes the alerts that could be heard, and returns their IDs. An alert
// that still waits for its first round is not known to anybody yet, and stays.
func (a *alerts) acknowledge() []string {
	return a.removeWhere(func(r *ringing) bool { return !r.since.IsZero() })
}

// removeExpired takes away the alerts that have rung for as long as they should, and returns
// their IDs. silent is since when nothing plays them; zero: something does.
func (a *alerts) removeExpired(silent time.Time) []string {
	now := time.Now()
	return a.removeWhere(func(r *ringing) bool {
		switch {
		case r.Most == 0, r.since.IsZero():
			return false
		case !silent.IsZero() && now.Sub(silent) >= mostSilent && now.Sub(r.since) >= mostSilent:
			return true
		}
		return now.Sub(r.since) >= r.Most
	})
}

// remove removes the alerts with these IDs, or all of them if ids is empty, and reports
// whether the one of the last round is gone.
func (a *alerts) remove(ids []string) bool {
	a.removeWhere(func(r *ringing) bool { return len(ids) == 0 || slices.Contains(ids, r.ID) })
	return !slices.Contains(a.all, a.now)
}

func (a *alerts) removeWhere(which func(*ringing) bool) (ids []string) {
	a.all = slices.DeleteFunc(a.all, func(r *ringing) bool {
		if !which(r) {
			return false
		}
		ids = append(ids, r.ID)
		return true
	})
	return ids
}
