package timers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// entry is a timer in the book. Its JSON is what is kept on disk.
type entry struct {
	ID        string    `json:"id"`
	Kind      Kind      `json:"kind"`
	Name      string    `json:"name,omitempty"`
	Text      string    `json:"text,omitempty"`
	Command   string    `json:"command,omitempty"`
	Confirmed bool      `json:"confirmed,omitempty"`
	Area      string    `json:"area,omitempty"`
	State     State     `json:"state"`
	Length    int       `json:"length,omitempty"` // seconds
	At        string    `json:"at,omitempty"`     // it is due when the clock on the wall shows this
	Date      string    `json:"date,omitempty"`   // on this date
	Dated     bool      `json:"dated,omitempty"`  // a person named the date or the weekday
	Every     string    `json:"every,omitempty"`
	Due       time.Time `json:"due,omitzero"`  // by the book's clock
	Left      float64   `json:"left,omitzero"` // seconds, while it is paused
	Rang      time.Time `json:"rang,omitzero"` // when it began to ring
	Late      float64   `json:"late,omitzero"` // how many seconds late it rang
	Back      []Back    `json:"back,omitempty"`

	Loose    bool          `json:"loose,omitempty"` // the clock was not trusted when it was started
	end      time.Duration // when it is due, in a Moment's Up; not for what has At
	anchored bool          // it comes from an earlier run whose clock ours has not caught up with
	rangUp   time.Duration
}

// byClock reports whether the wall clock says when a timer is due.
func (e *entry) byClock() bool { return e.At != "" }

// Saved is a book on disk.
type Saved struct {
	Seen    time.Time `json:"seen"` // the last moment that is known to have been
	Last    int       `json:"last"` // number of the newest timer
	Timers  []entry   `json:"timers"`
	Notices []Notice  `json:"notices,omitempty"`
	Unseen  []Timer   `json:"unseen,omitempty"`
}

// Book holds the timers. It is not safe for concurrent use.
type Book struct {
	clock   clock
	last    int
	entries []entry
	notices []Notice
	unseen  []Timer // that have rung to their end
	mended  bool    // a jump of the clock has changed what must be written down
	place   *Place  // nil: sunrise and sunset are not known
}

// Stands sets where the house stands; nil if that is not known.
func (b *Book) Stands(at *Place) { b.place = at }

// Open opens a saved book at the start of a program. Times of day are in the zone of
// now's wall clock. A timer that rang keeps ringing, or counts as missed by now. A
// command that was being carried out is not begun again, and a notice says so.
func Open(saved Saved, now Moment) *Book {
	b := &Book{clock: startClock(saved.Seen, now), last: saved.Last, notices: slices.Clone(saved.Notices), unseen: slices.Clone(saved.Unseen)}
	wall := b.clock.now()
	for _, e := range saved.Timers {
		if date, err := time.ParseInLocation(time.DateOnly, e.Date, wall.Location()); err == nil {
			if at, ok := parseDaytime(e.At, nil); ok && at.sun == nil {
				e.Due = at.on(noon(date)) // the zone may be another one today
			}
		}
		e.Due, e.Rang = e.Due.In(wall.Location()), e.Rang.In(wall.Location())
		e.end, e.anchored = now.Up+e.Due.Sub(wall), !b.clock.believed && !e.Loose
		e.rangUp = now.Up - max(wall.Sub(e.Rang), 0)
		switch {
		case e.State == carrying && e.Kind == End: // to put something back twice does no harm
			e.State = Running
			b.entries = append(b.entries, e)
		case e.State == carrying:
			b.note(Notice{ID: e.ID, Kind: Interrupted, Timer: b.timerOf(&e), Time: wall})
		case e.State == Ringing && wall.Sub(e.Rang) >= RingsFor: // we went off while it rang
			b.miss(&e, wall.Sub(e.Due))
		default:
			b.entries = append(b.entries, e)
		}
	}
	return b
}

// Save is what has to be written down.
func (b *Book) Save() Saved {
	s := Saved{Seen: b.clock.now(), Last: b.last, Timers: make([]entry, 0, len(b.entries)), Notices: b.notices, Unseen: b.unseen}
	for _, e := range b.entries {
		e.Due = b.due(&e)
		s.Timers = append(s.Timers, e)
	}
	return s
}

// due is when a timer is due by the book's clock.
func (b *Book) due(e *entry) time.Time {
	if e.byClock() || e.State != Running {
		return e.Due
	}
	return b.clock.now().Add(e.end - b.clock.up)
}

// timeLeft is the time until a timer is due; negative once it should have rung.
func (b *Book) timeLeft(e *entry) time.Duration {
	switch {
	case e.State == Paused:
		return seconds(e.Left)
	case e.State != Running:
		return 0
	case e.byClock():
		return e.Due.Sub(b.clock.now())
	}
	return e.end - b.clock.up
}

// timerOf is a timer as others see it.
func (b *Book) timerOf(e *entry) Timer {
	t := Timer{
		ID: e.ID, Kind: e.Kind, Name: e.displayName(), Text: e.Text, Command: e.Command, Area: e.Area, State: e.State, Length: e.Length, Every: e.Every, At: e.At,
		Things: e.things(),
	}
	if left := b.timeLeft(e); left > 0 {
		t.Left = int((left + time.Second - 1) / time.Second)
	}
	if e.State != Paused {
		t.Due = b.due(e).Round(time.Second)
	}
	if e.State == carrying {
		t.State = Running
	}
	return t
}

// Start takes an order. What it refuses is not in the book.
func (b *Book) Start(o Wish, now Moment) Result {
	b.pass(now)
	e, why := b.entry(o)
	switch {
	case why == "" && len(b.entries) >= Most:
		why = TooMany
	case why == "" && (o.Kind == End) != (len(o.Back) > 0):
		why = BadKind
	}
	if why != "" {
		return b.result(Refused, why)
	}
	b.last++
	e.ID = fmt.Sprintf("timer-%d", b.last)
	e.Back = slices.Clone(o.Back)
	b.entries = append(b.entries, e)
	return b.result(Started, "", &e)
}

// entry makes a timer of an order.
func (b *Book) entry(o Wish) (e entry, why Reason) {
	e = entry{
		Kind: o.Kind, Name: clean(o.Name, longestName), Text: clean(o.Text, longestText), Command: clean(o.Command, longestText),
		Confirmed: o.Confirmed, Area: clean(o.Area, longestName), State: Running, Every: o.Every,
		Loose: !b.clock.believed,
	}
	_, known := kinds[o.Kind]
	switch {
	case !known:
		return e, BadKind
	case o.Kind != End && (o.Kind == Command) != (e.Command != ""):
		return e, NoCommand
	case (o.At == "") == (o.Seconds == nil):
		return e, NoTime
	case o.Seconds != nil && (o.Every != "" || o.Day != "" || o.Twelve):
		return e, NoTime
	case o.Seconds != nil:
		e.Length, why = *o.Seconds, checkLength(*o.Seconds)
		e.end = b.clock.up + time.Duration(e.Length)*time.Second
		return e, why
	}
	at, due, why := o.due(b.clock.now(), b.place)
	if why != "" {
		return e, why
	}
	e.At, e.Due, e.Date = at.String(), due, due.Format(time.DateOnly)
	e.Dated = !slices.Contains([]string{"", "today", "tomorrow"}, strings.ToLower(o.Day))
	return e, ""
}

// checkLength refuses a length that no user means: under a second, or over Longest.
func checkLength(length int) Reason {
	switch {
	case length < 1:
		return TooShort
	case length > int(Longest/time.Second):
		return TooLong
	}
	return ""
}

// List tells which timers there are.
func (b *Book) List(w Which, area string, now Moment) Result {
	b.pass(now)
	if w == (Which{}) {
		return b.result(Listed, "", b.all()...)
	}
	found, why := b.find(w.resolve(now.Wall, true), area, func(*entry) bool { return true })
	if len(found) == 0 {
		return b.result(None, why, b.all()...)
	}
	return b.result(Listed, "", found...)
}

// all are the timers that are not being carried out.
func (b *Book) all() []*entry {
	var all []*entry
	for i := range b.entries {
		if b.entries[i].State != carrying {
			all = append(all, &b.entries[i])
		}
	}
	return all
}

// result shows timers, what rings first and then the next.
func (b *Book) result(o Outcome, why Reason, which ...*entry) Result {
	r := Result{Outcome: o, Reason: why, Timers: []Timer{}, Now: b.clock.now().Round(time.Second)}
	slices.SortStableFunc(which, func(x, y *entry) int {
		return cmp.Or(cmp.Compare(order(x), order(y)), cmp.Compare(b.timeLeft(x), b.timeLeft(y)))
	})
	for _, e := range which {
		r.Timers = append(r.Timers, b.timerOf(e))
	}
	return r
}

// order puts what rings first, and what is paused last.
func order(e *entry) int { return slices.Index([]State{Ringing, carrying, Running, Paused}, e.State) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// clean makes one line of a text, as long as a person would say it.
func clean(text string, longest int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > longest {
		text = strings.TrimSpace(string(r[:longest]))
	}
	return text
}
