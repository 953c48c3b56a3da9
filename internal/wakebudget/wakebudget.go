// Package wakebudget decides how easily a wake word is heard (REQUIREMENTS L7): it
// counts the wakes nobody meant and the wakes that were missed, and moves a word's
// threshold so that the false ones keep to a budget. It exists apart from the
// detector and the clock so that a week can be played in a test. It is pure: what
// happened comes in with its time, what is to be done comes out as moves.
//
// To count another sign of a false wake, give it a Cause and a line in Judge.
package wakebudget

import (
	"math"
	"slices"
	"time"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/record"
)

// Verdict is what is known of a wake when its turn is over.
type Verdict uint8

// The verdicts.
const (
	Unknown    Verdict = iota // the turn ended early, or the ear failed: nothing can be said
	Meant                     // a person spoke to the house
	False                     // nobody did
	Doubtful                  // what was said is no command: a television, or a person who tries again
	Complained                // a person said that an earlier wake, or this one, was not theirs
)

// Cause says why a wake counts as false.
type Cause string

// The causes. Sound that the level gate holds back is nothing said.
const (
	NothingSaid Cause = "nothing_said"
	NoCommand   Cause = "no_command" // and nobody tried again
	ToldSo      Cause = "told"
)

// Judge says what the record of a turn tells of the wake that began it.
func Judge(r record.Record) Verdict {
	heard := r.Transcript != nil && r.Transcript.Text != ""
	switch {
	case r.Intent != nil && r.Intent.Name == catalogue.NotForYou:
		return Complained
	case r.Outcome == record.Ignored && r.Transcript == nil:
		return False
	case r.Outcome == record.Ignored:
		return Doubtful
	case heard && r.Outcome != record.Interrupted:
		return Meant
	default:
		return Unknown
	}
}

// Bounds of the rule. A threshold moves by a small step and rarely, at most half the
// way to certainty: of 80 people who were heard at the thresholds of the models'
// authors, that costs none to four in a hundred (docs/facts/engines.md).
const (
	steps      = 4                // from the lowest threshold to the highest
	mostLost   = 50               // of so many meant wakes one may be lost by the budget
	betweenUps = time.Hour        // between two steps up of one word
	day        = 24 * time.Hour   // what the budget is for
	days       = 3                // and over so many it must be kept on average
	calm       = 7 * day          // without a false wake: a step back
	retried    = 30 * time.Second // a person who was not understood has tried again by then
	complaint  = 2 * time.Minute  // how long after a wake somebody complains of it
	soonest    = time.Second      // a word takes so long: nearer sound is the same word
	latest     = 8 * time.Second  // and who was not heard says it again within this
	keptDays   = 14
	mostFalse  = 100 // times kept of one word
	mostNear   = 16
)

// Wake is a detection that began a turn.
type Wake struct {
	Word    string
	At      time.Time // of the detection
	Ended   time.Time // of its turn
	Verdict Verdict
}

// Word is what is remembered of one wake word.
type Word struct {
	Word      string      `json:"word"`
	Threshold float64     `json:"threshold"`
	Least     float64     `json:"least"` // the configured or the author's: it is never easier to hear
	Most      float64     `json:"most"`
	Moved     time.Time   `json:"moved,omitzero"`  // the last move
	False     []time.Time `json:"false,omitempty"` // the false wakes of the last dayss
	Quiet     time.Time   `json:"quiet,omitzero"`  // the last false wake or move: calm counts from here
	Days      []Day       `json:"days,omitempty"`  // the newest last
}

// Day counts the wakes of one day.
type Day struct {
	Date   string `json:"date"`
	Meant  int    `json:"meant"`
	False  int    `json:"false"`
	Missed int    `json:"missed"` // tries before one that was heard
	Lost   int    `json:"lost"`   // those of them that the lowest threshold would have heard
}

// Move is a change of a threshold.
type Move struct {
	Word     string
	From, To float64
	Why      Why
}

// Why is the reason of a move.
type Why string

// The reasons.
const (
	OverBudget Why = "over_budget"
	Missed     Why = "missed"
	CalmWeek   Why = "calm"
)

// Book counts wakes and moves thresholds. It belongs to one goroutine.
type Book struct {
	budget   int // false wakes a day; 0: nothing is moved
	words    []*Word
	near     []near
	doubtful []*noted // wait for a second try
	last     *noted   // the newest wake; nil before the first
	moves    []Move
}

// noted is a wake as it was counted.
type noted struct {
	Wake
	counted bool // as meant
	blamed  bool // as false
}

// near is sound that was nearly a wake word.
type near struct {
	word  string
	score float64 // the best
	at    time.Time
}

// New makes a book of words whose thresholds can be moved, from those configured.
// Words without a threshold are counted only. What is kept of an earlier run is used
// for words whose configured threshold is still the same.
func New(budget int, words []string, thresholds map[string]float64, kept []Word) *Book {
	b := &Book{budget: budget}
	for _, name := range words {
		least := thresholds[name]
		w := &Word{Word: name, Threshold: least, Least: least, Most: (1 + least) / 2}
		if i := slices.IndexFunc(kept, func(k Word) bool { return k.Word == name }); i >= 0 {
			w.take(kept[i])
		}
		b.words = append(b.words, w)
	}
	return b
}

// take takes over what was kept of a word.
func (w *Word) take(kept Word) {
	w.False, w.Days = bounded(kept.False, mostFalse), bounded(kept.Days, keptDays)
	w.Quiet, w.Moved = kept.Quiet, kept.Moved
	if kept.Least == w.Least && kept.Threshold >= w.Least && kept.Threshold <= w.Most {
		w.Threshold = kept.Threshold
	}
}

// bounded is the newest part of a list.
func bounded[T any](list []T, most int) []T {
	return slices.Clone(list[max(0, len(list)-most):])
}

// Near notes sound that was nearly a wake word.
func (b *Book) Near(word string, score float64, at time.Time) {
	b.near = bounded(append(b.near, near{word, score, at}), mostNear)
}

// Woke notes a wake whose turn is over.
func (b *Book) Woke(w Wake) {
	b.Pass(w.Ended)
	before, now := b.last, &noted{Wake: w}
	b.last = now
	switch w.Verdict {
	case Meant:
		b.meant(now)
	case False:
		b.blame(now)
	case Doubtful:
		b.doubtful = append(b.doubtful, now)
	case Complained:
		// Who complains in the open ear of a false wake means this one; who had to wake
		// the gateway to complain means the one before.
		if before == nil || before.blamed || w.At.Sub(before.Ended) > complaint {
			b.blame(now)
			return
		}
		b.blame(before)
		b.meant(now)
	case Unknown:
	}
}

// Told notes a complaint that came without a wake word, and reports whether that
// changed a count.
func (b *Book) Told(at time.Time) bool {
	b.Pass(at)
	if b.last == nil || b.last.blamed || at.Sub(b.last.Ended) > complaint {
		return false
	}
	b.blame(b.last)
	return true
}

// Pass lets time pass: speech that was no command, and that nobody said again, was a
// false wake; after a calm week a threshold goes back by a step.
func (b *Book) Pass(now time.Time) {
	for len(b.doubtful) > 0 && now.Sub(b.doubtful[0].Ended) > retried {
		b.blame(b.doubtful[0])
	}
	for _, w := range b.words {
		w.False = slices.DeleteFunc(w.False, func(at time.Time) bool { return now.Sub(at) > days*day })
		if w.Threshold > w.Least && !w.Quiet.IsZero() && now.Sub(w.Quiet) >= calm {
			b.move(w, -w.step(), now, CalmWeek)
		}
	}
}

// meant counts a wake that a person meant. Sound that was nearly the word shortly
// before is the same person, who was not heard at once; speech that was no command
// is the same person, who was not understood.
func (b *Book) meant(w *noted) {
	today := b.count(w.Word, w.At)
	for _, d := range slices.Clone(b.doubtful) {
		if d.Word == w.Word && w.At.Sub(d.Ended) <= retried {
			b.believe(d)
			today.Meant++
		}
	}
	today.Meant++
	w.counted = true
	x := b.word(w.Word)
	missed, lost := 0, 0
	b.near = slices.DeleteFunc(b.near, func(n near) bool {
		before := w.At.Sub(n.at)
		same := n.word == w.Word && before >= soonest && before <= latest
		if same {
			missed++
		}
		if same && x != nil && n.score > x.Least {
			lost++
		}
		return same || before > latest
	})
	today.Missed += missed
	today.Lost += lost
	if lost > 0 { // a lower threshold would not have heard the others either
		b.move(x, -x.step()/2, w.At, Missed) // a television is there every evening
	}
}

// believe takes a wake out of those in doubt.
func (b *Book) believe(w *noted) {
	b.doubtful = slices.DeleteFunc(b.doubtful, func(d *noted) bool { return d == w })
}

// blame counts a wake as false, and makes its word harder to hear if that is over the
// budget.
func (b *Book) blame(w *noted) {
	b.believe(w)
	w.blamed = true
	x := b.word(w.Word)
	if x == nil {
		return
	}
	today := b.count(w.Word, w.At)
	today.False++
	if w.counted {
		today.Meant--
	}
	x.False = bounded(append(x.False, w.At), mostFalse)
	x.Quiet = w.At
	over := b.falseSince(w.At.Add(-day)) > b.budget || b.falseSince(w.At.Add(-days*day)) > days*b.budget
	if over && w.At.Sub(x.Moved) >= betweenUps && !x.losing() {
		b.move(x, x.step(), w.At, OverBudget)
	}
}

// FalseOfDay is how many false wakes there were in the day before a time, by all words.
func (b *Book) FalseOfDay(until time.Time) int { return b.falseSince(until.Add(-day)) }

func (b *Book) falseSince(from time.Time) int {
	n := 0
	for _, w := range b.words {
		for _, at := range w.False {
			if at.After(from) {
				n++
			}
		}
	}
	return n
}

// step is how far a threshold moves at once.
func (w *Word) step() float64 { return (w.Most - w.Least) / steps }

// losing reports whether the budget has cost so many meant wakes that the word must
// not become harder to hear.
func (w *Word) losing() bool {
	meant, lost := 0, 0
	for _, d := range w.Days {
		meant, lost = meant+d.Meant, lost+d.Lost
	}
	return lost*mostLost > meant
}

// move moves a threshold within its bounds.
func (b *Book) move(w *Word, by float64, at time.Time, why Why) {
	if b.budget == 0 || w.Least == 0 {
		return
	}
	to := min(max(math.Round((w.Threshold+by)*1e5)/1e5, w.Least), w.Most)
	if to == w.Threshold {
		return
	}
	b.moves = append(b.moves, Move{Word: w.Word, From: w.Threshold, To: to, Why: why})
	w.Threshold, w.Moved, w.Quiet = to, at, at
}

// Moves returns the moves since it was called last.
func (b *Book) Moves() []Move {
	m := b.moves
	b.moves = nil
	return m
}

// Thresholds are those of the words that have one.
func (b *Book) Thresholds() map[string]float64 {
	all := map[string]float64{}
	for _, w := range b.words {
		if w.Least > 0 {
			all[w.Word] = w.Threshold
		}
	}
	return all
}

// Words are what is known of every word, for the disk and for people.
func (b *Book) Words() []Word {
	all := make([]Word, 0, len(b.words))
	for _, w := range b.words {
		c := *w
		c.False, c.Days = slices.Clone(w.False), slices.Clone(w.Days)
		all = append(all, c)
	}
	return all
}

func (b *Book) word(name string) *Word {
	if i := slices.IndexFunc(b.words, func(w *Word) bool { return w.Word == name }); i >= 0 {
		return b.words[i]
	}
	return nil
}

// count is where the wakes of a day are counted.
func (b *Book) count(word string, at time.Time) *Day {
	x := b.word(word)
	if x == nil {
		return &Day{} // of a word that is configured no more
	}
	date := at.Format(time.DateOnly)
	if i := slices.IndexFunc(x.Days, func(d Day) bool { return d.Date == date }); i >= 0 {
		return &x.Days[i]
	}
	x.Days = bounded(append(x.Days, Day{Date: date}), keptDays)
	return &x.Days[len(x.Days)-1]
}
