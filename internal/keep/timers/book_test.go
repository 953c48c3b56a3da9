package timers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/keep/timers"
)

// world is a kitchen with a wall clock, which may be set, and a book that is read back
// from its JSON after every write.
type world struct {
	t     *testing.T
	book  *timers.Book
	up    time.Duration
	wall  time.Time
	saved []byte
}

func newWorld(t *testing.T, wall time.Time) *world {
	t.Helper()
	w := &world{t: t, wall: wall}
	w.book = timers.Open(timers.Saved{}, w.now())
	w.write()
	return w
}

func (w *world) now() timers.Moment { return timers.Moment{Wall: w.wall, Up: w.up} }

// write keeps the book, and opens it as a program would that was killed right after.
func (w *world) write() {
	w.t.Helper()
	text, err := json.Marshal(w.book.Save())
	if err != nil {
		w.t.Fatal(err)
	}
	w.saved = text
	w.open()
}

// open begins a new run from what was written last.
func (w *world) open() {
	w.t.Helper()
	var saved timers.Saved
	if err := json.Unmarshal(w.saved, &saved); err != nil {
		w.t.Fatal(err)
	}
	w.book = timers.Open(saved, w.now())
}

// pass lets time go by, and writes what changes.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	w.up, w.wall = w.up+d, w.wall.Add(d)
	if w.book.Advance(w.now()) {
		w.write()
	}
}

func (w *world) start(o timers.Wish) timers.Result {
	w.t.Helper()
	r := w.book.Start(o, w.now())
	w.write()
	return r
}

func (w *world) change(c timers.Change) timers.Result {
	w.t.Helper()
	r := w.book.Change(c, w.now())
	w.write()
	return r
}

// ringing are the names of what rings.
func (w *world) ringing() string {
	var names []string
	for _, r := range w.book.Rings() {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

func lasting(kind timers.Kind, seconds int, name string) timers.Wish {
	o := timers.Wish{Kind: kind, Seconds: &seconds, Name: name}
	if kind == timers.Command {
		o.Command = "turn off the lamp"
	}
	return o
}

func clocked(kind timers.Kind, at, name string) timers.Wish {
	o := timers.Wish{Kind: kind, At: at, Name: name}
	if kind == timers.Command {
		o.Command = "turn off the lamp"
	}
	return o
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestWhenAnOrderIsDue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 28, 15, 30, 0, 0, berlin(t)) // a Saturday; the night that follows has no 02:30
	seconds := func(n int) *int { return &n }
	for name, tt := range map[string]struct {
		order timers.Wish
		want  string // RFC 3339, or the reason of the refusal
	}{
		"in ten minutes":               {timers.Wish{Seconds: seconds(600)}, "2026-03-28T15:40:00+01:00"},
		"ten hours, over the change":   {timers.Wish{Seconds: seconds(36000 + 3600)}, "2026-03-29T03:30:00+02:00"},
		"at seven":                     {timers.Wish{At: "07:00"}, "2026-03-29T07:00:00+02:00"},
		"at seven, of either half":     {timers.Wish{At: "07:00", Twelve: true}, "2026-03-28T19:00:00+01:00"},
		"at three, of either half":     {timers.Wish{At: "15:00", Twelve: true}, "2026-03-29T03:00:00+02:00"},
		"a time that does not exist":   {timers.Wish{At: "02:30"}, "2026-03-29T03:00:00+02:00"},
		"today":                        {timers.Wish{At: "16:00", Day: "today"}, "2026-03-28T16:00:00+01:00"},
		"today, over":                  {timers.Wish{At: "15:00", Day: "today"}, "past"},
		"today, over, of either half":  {timers.Wish{At: "03:00", Day: "today", Twelve: true}, "past"},
		"tomorrow":                     {timers.Wish{At: "16:00", Day: "tomorrow"}, "2026-03-29T16:00:00+02:00"},
		"on Saturday, still today":     {timers.Wish{At: "16:00", Day: "saturday"}, "2026-03-28T16:00:00+01:00"},
		"on Saturday, in a week":       {timers.Wish{At: "15:00", Day: "saturday"}, "2026-04-04T15:00:00+02:00"},
		"on a date":                    {timers.Wish{At: "09:00", Day: "2026-10-25"}, "2026-10-25T09:00:00+01:00"},
		"on a date, the hour twice":    {timers.Wish{At: "02:30", Day: "2026-10-25"}, "2026-10-25T02:30:00+02:00"},
		"on a date in two years":       {timers.Wish{At: "09:00", Day: "2028-01-01"}, "too_long"},
		"on a date of any year":        {timers.Wish{At: "09:00", Day: "--10-25"}, "2026-10-25T09:00:00+01:00"},
		"on a date of the next year":   {timers.Wish{At: "09:00", Day: "--03-27"}, "2027-03-27T09:00:00+01:00"},
		"on the date of today":         {timers.Wish{At: "16:00", Day: "--03-28"}, "2026-03-28T16:00:00+01:00"},
		"on a day of any month":        {timers.Wish{At: "09:00", Day: "---05"}, "2026-04-05T09:00:00+02:00"},
		"on the next 31st":             {timers.Wish{At: "09:00", Day: "---31"}, "2026-03-31T09:00:00+02:00"},
		"on a date no year has":        {timers.Wish{At: "09:00", Day: "--02-30"}, "bad_time"},
		"on a leap day":                {timers.Wish{At: "09:00", Day: "--02-29"}, "too_long"},
		"in two days":                  {timers.Wish{At: "09:00", Day: "+2"}, "2026-03-30T09:00:00+02:00"},
		"on a date that was":           {timers.Wish{At: "09:00", Day: "2025-01-01"}, "past"},
		"every weekday":                {timers.Wish{At: "07:00", Every: "weekday"}, "2026-03-30T07:00:00+02:00"},
		"every weekend":                {timers.Wish{At: "16:00", Every: "weekend"}, "2026-03-28T16:00:00+01:00"},
		"every day, from tomorrow":     {timers.Wish{At: "16:00", Every: "day", Day: "tomorrow"}, "2026-03-29T16:00:00+02:00"},
		"every Monday":                 {timers.Wish{At: "00:00", Every: "monday"}, "2026-03-30T00:00:00+02:00"},
		"every full moon":              {timers.Wish{At: "07:00", Every: "moon"}, "bad_time"},
		"no time of day":               {timers.Wish{At: "25:00"}, "bad_time"},
		"a time of day without a zero": {timers.Wish{At: "7:00"}, "bad_time"},
		"no day":                       {timers.Wish{At: "07:00", Day: "someday"}, "bad_time"},
		"no time at all":               {timers.Wish{}, "no_time"},
		"both":                         {timers.Wish{At: "07:00", Seconds: seconds(5)}, "no_time"},
		"a length that repeats":        {timers.Wish{Seconds: seconds(5), Every: "day"}, "no_time"},
		"nothing":                      {timers.Wish{Seconds: seconds(0)}, "too_short"},
		"before now":                   {timers.Wish{Seconds: seconds(-5)}, "too_short"},
		"ten years":                    {timers.Wish{Seconds: seconds(10 * 366 * 86400)}, "too_long"},
		"a kind nobody knows":          {timers.Wish{Kind: "gong", Seconds: seconds(5)}, "bad_kind"},
		"a command without a sentence": {timers.Wish{Kind: timers.Command, Seconds: seconds(5)}, "no_command"},
		"a sentence without a command": {timers.Wish{Command: "turn on the lamp", Seconds: seconds(5)}, "no_command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.order.Kind == "" {
				tt.order.Kind = timers.Countdown
			}
			w := newWorld(t, now)
			r := w.start(tt.order)
			got := string(r.Reason)
			if r.Outcome == timers.Started {
				got = r.Timers[0].Due.Format(time.RFC3339)
			}
			if got != tt.want {
				t.Errorf("due %s, expected %s", got, tt.want)
			}
			if kept := w.book.List(timers.Which{}, "", w.now()); (len(kept.Timers) == 1) != (r.Outcome == timers.Started) {
				t.Errorf("%s, and %d timers are kept", r.Outcome, len(kept.Timers))
			}
		})
	}
}

const fiftyYears = 18263 * 24 * time.Hour

// A timer with a length follows the time that passes, a timer with a time of day
// follows the wall clock, whatever happens to that clock.
func TestTheWallClockIsSet(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t))
	for name, tt := range map[string]struct {
		order timers.Wish
		jump  time.Duration
		after time.Duration // of true time, when it rings; 0: never
	}{
		"a timer, an hour on":                  {lasting(timers.Countdown, 600, "x"), time.Hour, 10 * time.Minute},
		"a timer, an hour back":                {lasting(timers.Countdown, 600, "x"), -time.Hour, 10 * time.Minute},
		"a timer, fifty years on":              {lasting(timers.Countdown, 600, "x"), fiftyYears, 10 * time.Minute},
		"an alarm, half an hour on":            {clocked(timers.Alarm, "13:00", "x"), 30 * time.Minute, 30 * time.Minute},
		"an alarm, half an hour back":          {clocked(timers.Alarm, "13:00", "x"), -30 * time.Minute, 90 * time.Minute},
		"an alarm, just jumped over":           {clocked(timers.Alarm, "12:10", "x"), 30 * time.Minute, time.Minute},
		"an alarm, jumped over for long":       {clocked(timers.Alarm, "12:10", "x"), 50 * time.Minute, 0},
		"an alarm of a clock 50 years back":    {clocked(timers.Alarm, "13:00", "x"), fiftyYears, time.Hour},
		"an alarm of a clock 50 years ahead":   {clocked(timers.Alarm, "13:00", "x"), -fiftyYears, time.Hour},
		"a repeated one of a clock years back": {timers.Wish{Kind: timers.Alarm, Name: "x", At: "13:00", Every: "day"}, fiftyYears, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, noon)
			w.start(tt.order)
			w.pass(time.Minute)
			w.wall = w.wall.Add(tt.jump)
			w.pass(0)
			rang := time.Duration(0)
			for passed := time.Minute; passed <= 2*time.Hour; passed += time.Minute {
				if w.ringing() != "" && rang == 0 {
					rang = passed
				}
				w.pass(time.Minute)
			}
			if rang != tt.after {
				t.Errorf("it rang after %s, expected %s", rang, tt.after)
			}
			if missed := len(w.book.Notices()); (missed == 1) != (tt.after == 0) {
				t.Errorf("%d notices", missed)
			}
		})
	}
}

// An alarm does not ring again because the clock is put back after it.
func TestNoAlarmRingsTwice(t *testing.T) {
	t.Parallel()
	for _, every := range []string{"", "day"} {
		w := newWorld(t, time.Date(2026, 11, 3, 6, 59, 0, 0, berlin(t)))
		w.start(timers.Wish{Kind: timers.Alarm, At: "07:00", Every: every})
		w.pass(time.Minute)
		if n := len(w.book.Rings()); n != 1 {
			t.Fatalf("%d ring", n)
		}
		if r := w.change(timers.Change{Action: timers.Stop}); r.Outcome != timers.Stopped {
			t.Fatalf("stopping: %+v", r)
		}
		w.wall = w.wall.Add(-30 * time.Minute)
		for range 120 {
			w.pass(time.Minute)
			if len(w.book.Rings()) > 0 {
				t.Fatalf("every %q: it rings again at %s", every, w.wall)
			}
		}
	}
}

// A Raspberry Pi has no clock of its own: it starts in the past, and the net sets it.
func TestAClockThatStandsBeforeWhatWasIsNotBelieved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t)))
	w.start(lasting(timers.Countdown, 1800, "long"))
	w.start(lasting(timers.Countdown, 120, "over"))
	w.start(clocked(timers.Alarm, "12:40", "alarm"))
	right := w.wall
	w.up, w.wall = 0, time.Date(2024, 1, 1, 0, 0, 0, 0, berlin(t)) // ten minutes without power
	w.open()
	w.pass(time.Minute)
	r := w.start(lasting(timers.Countdown, 300, "new"))
	if due := r.Timers[0].Due; due.Year() != 2026 {
		t.Errorf("a new timer is due %s: the clock was believed", due)
	}
	if w.ringing() != "" {
		t.Errorf("%q ring before anybody knows the time", w.ringing())
	}
	w.wall = right.Add(12 * time.Minute) // the net
	w.pass(0)
	if w.ringing() != "over" || w.book.Rings()[0].Late != 10*time.Minute {
		t.Errorf("%q ring: %+v", w.ringing(), w.book.Rings())
	}
	left := map[string]int{}
	for _, timer := range w.book.List(timers.Which{}, "", w.now()).Timers {
		left[timer.Name] = timer.Left
	}
	if left["long"] != 18*60 || left["new"] != 300 || left["alarm"] != 28*60 {
		t.Errorf("seconds left: %v", left)
	}
}

// A timer that was due while the gateway was off rings as long as that is useful; after
// that it is announced once as missed.
func TestLateAndMissed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		order timers.Wish
		off   time.Duration
		want  string // rings, errand, missed, interrupted
	}{
		"a timer, soon":          {lasting(timers.Countdown, 60, "x"), 50 * time.Minute, "rings"},
		"a timer, too late":      {lasting(timers.Countdown, 60, "x"), 70 * time.Minute, "missed"},
		"a reminder, soon":       {lasting(timers.Reminder, 60, "x"), 50 * time.Minute, "rings"},
		"an alarm, soon":         {clocked(timers.Alarm, "12:01", "x"), 20 * time.Minute, "rings"},
		"an alarm, too late":     {clocked(timers.Alarm, "12:01", "x"), 40 * time.Minute, "missed"},
		"a command, soon":        {lasting(timers.Command, 60, "x"), 4 * time.Minute, "errand"},
		"a command, too late":    {lasting(timers.Command, 60, "x"), 7 * time.Minute, "missed"},
		"a repeated one, a week": {timers.Wish{Kind: timers.Alarm, At: "12:01", Every: "day"}, 7 * 24 * time.Hour, "missed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t)))
			w.start(tt.order)
			w.wall = w.wall.Add(tt.off)
			w.open()
			w.pass(0)
			var got []string
			for _, r := range w.book.Rings() {
				got = append(got, "rings")
				if r.Late < time.Minute {
					t.Errorf("it is not told as late: %s", r.Late)
				}
			}
			for _, n := range w.book.Notices() {
				got = append(got, string(n.Kind))
			}
			if tt.want == "errand" {
				// It was written down as under way, and the program was killed before it was done.
				tt.want = string(timers.Interrupted)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%v, expected %s", got, tt.want)
			}
			if repeats := tt.order.Every != ""; repeats != (len(w.book.List(timers.Which{Kind: timers.Alarm}, "", w.now()).Timers) > 0 && got[0] == "missed") {
				t.Errorf("what repeats is in the book: %v", !repeats)
			}
		})
	}
}

// A command is begun once, whenever the program is killed.
func TestACommandIsBegunOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t)))
	r := w.start(lasting(timers.Command, 60, "x"))
	w.up, w.wall = w.up+time.Minute, w.wall.Add(time.Minute)
	if !w.book.Advance(w.now()) || len(w.book.Errands()) != 1 {
		t.Fatal("it is not due")
	}
	w.open() // killed before the command was written down as begun, so it never ran
	if !w.book.Advance(w.now()) || len(w.book.Errands()) != 1 {
		t.Fatal("it is lost")
	}
	w.book.Done(r.Timers[0].ID, timers.Carried, "The lamp is off.", w.now())
	w.write()
	if n := w.book.Notices(); len(n) != 1 || n[0].Reply != "The lamp is off." || len(w.book.Errands()) != 0 {
		t.Fatalf("%+v", n)
	}
	w.book.DropNotice(r.Timers[0].ID)
	w.write()
	if n := w.book.Notices(); len(n) != 0 {
		t.Errorf("told, and still there: %+v", n)
	}
}

func TestRingingEndsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t)))
	w.start(lasting(timers.Countdown, 60, "pasta"))
	w.pass(time.Minute)
	for range 14 {
		w.pass(time.Minute)
		if w.ringing() != "pasta" {
			t.Fatalf("at %s: %q ring", w.wall, w.ringing())
		}
	}
	w.pass(time.Minute)
	if w.ringing() != "" || len(w.book.Notices()) != 0 {
		t.Errorf("%q ring, notices %+v", w.ringing(), w.book.Notices())
	}
	w.start(lasting(timers.Countdown, 60, "eggs"))
	w.pass(time.Minute)
	w.wall = w.wall.Add(20 * time.Minute) // off while it rang
	w.open()
	if n := w.book.Notices(); w.ringing() != "" || len(n) != 1 || n[0].Kind != timers.Missed {
		t.Errorf("%q ring, notices %+v", w.ringing(), n)
	}
}

func TestTheBookIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t)))
	for i := range timers.Most {
		if r := w.start(lasting(timers.Countdown, 60+i, strings.Repeat("long ", 100))); r.Outcome != timers.Started {
			t.Fatalf("timer %d: %+v", i, r)
		}
	}
	if r := w.start(lasting(timers.Countdown, 60, "one more")); r.Outcome != timers.Refused || r.Reason != timers.TooMany {
		t.Errorf("%+v", r)
	}
	if len(w.saved) > 100<<10 {
		t.Errorf("%d bytes are kept", len(w.saved))
	}
	w.pass(time.Hour)
	if n := len(w.book.Rings()); n != timers.Most {
		t.Errorf("%d ring at once", n)
	}
}

// asked is a row of TestWhichTimerIsMeant.
type asked struct {
	change timers.Change
	want   timers.Outcome
	which  string // names, as told
}

func TestWhichTimerIsMeant(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]asked{
		"by name":                       {timers.Change{Action: timers.Cancel, Which: timers.Which{Name: "Pasta"}}, timers.Cancelled, "pasta"},
		"by a near name":                {timers.Change{Action: timers.Cancel, Which: timers.Which{Name: "pastaa"}}, timers.Cancelled, "pasta"},
		"by one word of the name":       {timers.Change{Action: timers.Cancel, Which: timers.Which{Name: "eggs"}}, timers.Cancelled, "soft eggs"},
		"by more than the name":         {timers.Change{Action: timers.Cancel, Which: timers.Which{Name: "pasta timer"}}, timers.Cancelled, "pasta"},
		"by what it reminds of":         {timers.Change{Action: timers.Cancel, Which: timers.Which{Name: "mum"}}, timers.Cancelled, "call"},
		"by a name nobody gave":         {timers.Change{Action: timers.Cancel, Which: timers.Which{Name: "rice"}}, timers.None, "pasta soft eggs call wake"},
		"by its length":                 {timers.Change{Action: timers.Cancel, Which: timers.Which{Seconds: 600}}, timers.Cancelled, "pasta"},
		"by a length nobody gave":       {timers.Change{Action: timers.Cancel, Which: timers.Which{Seconds: 5}}, timers.None, "pasta soft eggs call wake"},
		"all of a length":               {timers.Change{Action: timers.CancelAll, Which: timers.Which{Seconds: 660}}, timers.Cancelled, "soft eggs"},
		"the first that was set":        {timers.Change{Action: timers.Cancel, Which: timers.Which{Nth: 1}}, timers.Cancelled, "pasta"},
		"the last that was set":         {timers.Change{Action: timers.Cancel, Which: timers.Which{Nth: -1}}, timers.Cancelled, "wake"},
		"the second timer":              {timers.Change{Action: timers.Cancel, Which: timers.Which{Kind: timers.Countdown, Nth: 2}}, timers.Cancelled, "soft eggs"},
		"the third of two":              {timers.Change{Action: timers.Cancel, Which: timers.Which{Kind: timers.Countdown, Nth: 3}}, timers.None, "pasta soft eggs call wake"},
		"by its time":                   {timers.Change{Action: timers.Cancel, Which: timers.Which{At: "07:00"}}, timers.Cancelled, "wake"},
		"by its time in the evening":    {timers.Change{Action: timers.Cancel, Which: timers.Which{At: "19:00"}}, timers.Cancelled, "wake"},
		"by its kind":                   {timers.Change{Action: timers.Cancel, Which: timers.Which{Kind: timers.Alarm}}, timers.Cancelled, "wake"},
		"by its room":                   {timers.Change{Action: timers.Cancel, Which: timers.Which{Area: "Attic"}}, timers.Cancelled, "soft eggs"},
		"by the room that asks":         {timers.Change{Action: timers.Cancel, Which: timers.Which{Kind: timers.Countdown}, Area: "attic"}, timers.Cancelled, "soft eggs"},
		"one of two":                    {timers.Change{Action: timers.Cancel, Which: timers.Which{Kind: timers.Countdown}}, timers.Several, "pasta soft eggs"},
		"all":                           {timers.Change{Action: timers.CancelAll}, timers.Cancelled, "pasta soft eggs call wake"},
		"all of a kind":                 {timers.Change{Action: timers.CancelAll, Which: timers.Which{Kind: timers.Countdown}}, timers.Cancelled, "pasta soft eggs"},
		"pausing an alarm":              {timers.Change{Action: timers.Pause, Which: timers.Which{Kind: timers.Alarm}}, timers.Refused, "wake"},
		"resuming what runs":            {timers.Change{Action: timers.Resume, Which: timers.Which{Name: "pasta"}}, timers.None, "pasta soft eggs call wake"},
		"stopping in silence":           {timers.Change{Action: timers.Stop}, timers.Refused, "pasta soft eggs call wake"},
		"snoozing in silence":           {timers.Change{Action: timers.Snooze, Which: timers.Which{Name: "rice"}}, timers.Refused, ""},
		"adding":                        {timers.Change{Action: timers.Add, Which: timers.Which{Name: "pasta"}, Seconds: 300}, timers.Changed, "pasta"},
		"adding to an alarm":            {timers.Change{Action: timers.Add, Which: timers.Which{Name: "wake"}, Seconds: 300}, timers.Changed, "wake"},
		"adding nothing":                {timers.Change{Action: timers.Add, Which: timers.Which{Name: "pasta"}}, timers.Refused, ""},
		"adding ages":                   {timers.Change{Action: timers.Add, Which: timers.Which{Name: "pasta"}, Seconds: 366 * 86400}, timers.Refused, "pasta"},
		"taking away more than is left": {timers.Change{Action: timers.Subtract, Which: timers.Which{Name: "pasta"}, Seconds: 700}, timers.Refused, "pasta"},
		"an action nobody knows":        {timers.Change{Action: "shake"}, timers.Refused, ""},
		"by an id":                      {timers.Change{Action: timers.Cancel, Which: timers.Which{ID: "timer-1"}}, timers.Cancelled, "pasta"},
		"by an id nobody has":           {timers.Change{Action: timers.Cancel, Which: timers.Which{ID: "timer-77"}}, timers.None, "pasta soft eggs call wake"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t)))
			eggs := lasting(timers.Countdown, 660, "soft eggs")
			eggs.Area = "Attic"
			call := lasting(timers.Reminder, 1200, "call")
			call.Text = "call mum at home"
			for _, o := range []timers.Wish{lasting(timers.Countdown, 600, "pasta"), eggs, call, clocked(timers.Alarm, "07:00", "wake")} {
				w.start(o)
			}
			r := w.change(tt.change)
			var names []string
			for _, timer := range r.Timers {
				names = append(names, timer.Name)
			}
			if r.Outcome != tt.want || strings.Join(names, " ") != tt.which {
				t.Errorf("%s %s of %q, expected %s of %q", r.Outcome, r.Reason, names, tt.want, tt.which)
			}
			left := len(w.book.List(timers.Which{}, "", w.now()).Timers)
			if gone := 4 - left; (r.Outcome == timers.Cancelled) != (gone > 0) || gone > 0 && gone != len(r.Timers) {
				t.Errorf("%s, and %d timers are gone", r.Outcome, gone)
			}
		})
	}
}

func TestPausedAddedSnoozed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t)))
	w.start(lasting(timers.Countdown, 600, "pasta"))
	left := func() int { return w.book.List(timers.Which{}, "", w.now()).Timers[0].Left }
	for i, s := range []struct {
		change timers.Change
		want   timers.Outcome
		left   int
	}{
		{timers.Change{Action: timers.Pause}, timers.WasPaused, 540},
		{timers.Change{Action: timers.Pause}, timers.Refused, 540},
		{timers.Change{Action: timers.Add, Seconds: 60}, timers.Changed, 600},
		{timers.Change{Action: timers.Resume}, timers.Resumed, 600},
		{timers.Change{Action: timers.Subtract, Seconds: 530}, timers.Changed, 10},
		{timers.Change{Action: timers.Snooze}, timers.Snoozed, 600},
		{timers.Change{Action: timers.Subtract, Seconds: 530}, timers.Changed, 10},
		{timers.Change{Action: timers.Add, Seconds: 300}, timers.Snoozed, 300}, // "five more minutes" while it rings
		{timers.Change{Action: timers.Cancel}, timers.Cancelled, -1},
	} {
		w.pass(time.Minute)
		if r := w.change(s.change); r.Outcome != s.want {
			t.Fatalf("step %d, %s: %+v", i, s.change.Action, r)
		}
		if s.left >= 0 && left() != s.left {
			// What runs has lost a minute to the step before.
			t.Fatalf("step %d, %s: %d s left, expected %d", i, s.change.Action, left(), s.left)
		}
	}
}

// A sleeper who snoozes a repeated alarm is woken in ten minutes, and tomorrow.
func TestSnoozingWhatRepeats(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Date(2026, 11, 3, 6, 0, 0, 0, berlin(t)))
	w.start(timers.Wish{Kind: timers.Alarm, At: "07:00", Every: "weekday", Name: "school"})
	w.pass(time.Hour)
	if r := w.change(timers.Change{Action: timers.Snooze, Seconds: 300}); r.Outcome != timers.Snoozed || len(r.Timers) != 1 || r.Timers[0].Left != 300 {
		t.Fatalf("%+v", r)
	}
	var due []string
	for _, timer := range w.book.List(timers.Which{}, "", w.now()).Timers {
		due = append(due, timer.Due.Format("Mon 15:04"))
	}
	if !slices.Equal(due, []string{"Tue 07:05", "Wed 07:00"}) {
		t.Errorf("due %v", due)
	}
}

func ExampleBook() {
	now := timers.Moment{Wall: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)}
	book := timers.Open(timers.Saved{}, now)
	nine := 9 * 60
	book.Start(timers.Wish{Kind: timers.Countdown, Seconds: &nine, Name: "pasta"}, now)
	now.Up, now.Wall = now.Up+9*time.Minute, now.Wall.Add(9*time.Minute)
	fmt.Println(book.Advance(now), book.Rings()[0].Name)
	// Output: true pasta
}
