package timers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/keep/timers"
)

// TestByTheirDays: on a Saturday at noon, which alarms are meant by when they are due. To
// ask for a day finds what repeats as well, to cancel does not.
func TestByTheirDays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		which     timers.Which
		listed    string
		cancelled string
		why       timers.Reason
	}{
		"tomorrow":            {which: timers.Which{Day: "tomorrow"}, listed: "swim weekend", cancelled: "swim"},
		"a weekday":           {which: timers.Which{Day: "wednesday"}, listed: "office market", cancelled: "market"},
		"with a repetition":   {which: timers.Which{Day: "tuesday"}, listed: "office", why: timers.Repeats},
		"the repetition":      {which: timers.Which{Day: "weekday"}, listed: "market office", cancelled: "office"},
		"a date":              {which: timers.Which{Day: "2026-11-25"}, listed: "office market", cancelled: "market"},
		"a part":              {which: timers.Which{Day: "tomorrow", Part: "morning"}, listed: "swim weekend", cancelled: "swim"},
		"another part":        {which: timers.Which{Day: "tomorrow", Part: "evening"}},
		"the evening":         {which: timers.Which{Part: "evening"}, listed: "market", cancelled: "market"},
		"today":               {which: timers.Which{Day: "today"}},
		"no day":              {which: timers.Which{Day: "someday"}},
		"the next":            {which: timers.Which{Next: true}, listed: "swim", cancelled: "swim"},
		"the next of a day":   {which: timers.Which{Day: "wednesday", Next: true}, listed: "office", cancelled: "market"},
		"a day and a time":    {which: timers.Which{Day: "tomorrow", At: "07:00"}, listed: "swim", cancelled: "swim"},
		"a day, another time": {which: timers.Which{Day: "tomorrow", At: "08:00"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, time.Date(2026, 11, 21, 12, 0, 0, 0, berlin(t)))
			for _, o := range []timers.Wish{
				{Name: "swim", At: "07:00", Day: "tomorrow"},
				{Name: "weekend", At: "09:00", Every: "weekend"},
				{Name: "office", At: "06:30", Every: "weekday"},
				{Name: "market", At: "18:00", Day: "wednesday"},
			} {
				o.Kind = timers.Alarm
				if r := w.start(o); r.Outcome != timers.Started {
					t.Fatalf("%s: %+v", o.Name, r)
				}
			}
			if got := namesOf(w.book.List(c.which, "", w.now()), timers.Listed); got != sorted(c.listed) {
				t.Errorf("listed %q, want %q", got, sorted(c.listed))
			}
			r := w.change(timers.Change{Action: timers.CancelAll, Which: c.which})
			if got := namesOf(r, timers.Cancelled); got != sorted(c.cancelled) || r.Reason != c.why {
				t.Errorf("cancelled %q because of %q, want %q, %q", got, r.Reason, sorted(c.cancelled), c.why)
			}
		})
	}
}

// namesOf are the names of the timers of a result, if it came out so.
func namesOf(r timers.Result, outcome timers.Outcome) string {
	var names []string
	for _, timer := range r.Timers {
		if r.Outcome == outcome {
			names = append(names, timer.Name)
		}
	}
	return sorted(strings.Join(names, " "))
}

func sorted(words string) string {
	return strings.Join(slices.Sorted(slices.Values(strings.Fields(words))), " ")
}
