package wakes

import (
	"math"
	"slices"
	"time"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
)

// Verdict is what is known of a wake when its turn is over.
type Verdict uint8

// The verdicts.
const (
	Unknown    Verdict = iota // the turn ended early, or the ear failed: nothing can be said
	Meant                     // a person spoke to the house
	False                     // nobody did
	Doubtful                  // the speech was not a command: a television, or a user who will try again
	Complained                // a user said that an earlier wake, or this one, was not meant
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

// Bounds of the rule. A threshold moves by a small step and rarely, at most half the way
// to certainty: of 80 people who were heard at the thresholds of the models' authors,
// this misses none to four in a hundred. If the author's threshold itself misses people,
// the threshold goes below it, down to five thirds of the author's distance from
// certainty: there twice as much wakes it falsely (docs/facts/engines.md).
const (
	steps      = 4                // from the usual threshold to the highest
	below      = 5.0 / 3          // the lowest threshold's distance from certainty, by that of the usual one
	mostMissed = 60               // one of so many meant wakes may be missed; strict enough that chance does not make it one in fifty
	far        = 3                // times the budget: then no word is easier to hear than usual
	betweenUps = time.Hour        // between two steps up of one word
	day        = 24 * time.Hour   // what the budget is for
	days       = 3                // and over so many it must be kept on average
	calm       = 7 * day          // without a false wake: a step back
	retried    = 30 * time.Second // a person who was not understood has tried again by then
	complaint  = 2 * time.Minute  // how long after a wake a user complains of it
	soonest    = time.Second      // a word takes so long: nearer sound is the same word
	latest     = 8 * time.Second  // and who was not heard says it again within this
	keptDays   = 14
	mostFalse  = 100  // times kept of one word
	mostLosses = 40   // and of those that were lost
	hair       = 1e-4 // under the score of a try that shall be heard
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
	Usual     float64     `json:"usual"` // the configured or the author's
	Least     float64     `json:"least"` // the configured, or somewhat below the author's: it is never easier to hear
	Most      float64     `json:"most"`
	Moved     time.Time   `json:"moved,omitzero"`  // the last move
	False     []time.Time `json:"false,omitempty"` // the false wakes of the last days
	Quiet     time.Time   `json:"quiet,omitzero"`  // the last false wake or move: calm counts from here
	Days      []Day       `json:"days,omitempty"`  // the newest last
	Losses    []Loss      `json:"losses,omitempty"`
}

// Day counts the wakes of one day.
type Day struct {
	Date   string `json:"date"`
	Meant  int    `json:"meant"`
	False  int    `json:"false"`
	Missed int    `json:"missed"` // tries before one that was heard
	Lost   int    `json:"lost"`   // those of them that the lowest threshold would have heard
}

// Loss is a try that was not heard, and that the lowest threshold would have heard.
type Loss struct {
	At    time.Time `json:"at"`
	Score float64   `json:"score"`
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

// Book decides how easily a wake word is heard: it counts the wakes that no user meant and
// the meant ones that were missed, and moves a word's threshold so that the false ones keep
// to a budget. It needs no clock, no disk and no detector, so that a week can be played in
// a test: events come in with their time, and moves come out. It belongs to one goroutine.
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

// NewBook makes a book of words whose thresholds can be moved, beginning with the usual ones.
// A fixed word never becomes easier to hear than its threshold, because a user has set
// that. Words without a threshold are only counted. The values kept by an earlier run are
// used for words whose bounds are still the same.
func NewBook(budget int, words []string, thresholds map[string]float64, fixed []string, kept []Word) *Book {
	b := &Book{budget: budget}
	for _, name := range words {
		usual := thresholds[name]
		w := &Word{Word: name, Threshold: usual, Usual: usual, Least: usual, Most: (1 + usual) / 2}
		if usual > 0 && !slices.Contains(fixed, name) {
			w.Least = round(max(1-below*(1-usual), usual/2))
		}
		if i := slices.IndexFunc(kept, func(k Word) bool { return k.Word == name }); i >= 0 {
			w.adopt(kept[i])
		}
		b.words = append(b.words, w)
	}
	return b
}

// adopt takes over what was kept of a word.
func (w *Word) adopt(kept Word) {
	w.False, w.Days = newest(kept.False, mostFalse), newest(kept.Days, keptDays)
	w.Quiet, w.Moved, w.Losses = kept.Quiet, kept.Moved, newest(kept.Losses, mostLosses)
	if kept.Usual == w.Usual && kept.Least == w.Least && kept.Threshold >= w.Least && kept.Threshold <= w.Most {
		w.Threshold = kept.Threshold
	}
}

// newest is the newest part of a list.
func newest[T any](list []T, most int) []T {
	return slices.Clone(list[max(0, len(list)-most):])
}

// Near notes sound that was nearly a wake word.
func (b *Book) Near(word string, score float64, at time.Time) {
	b.near = newest(append(b.near, near{word, score, at}), mostNear)
}

// Woke notes a wake whose turn is over.
func (b *Book) Woke(w Wake) {
	b.Pass(w.Ended)
	before, now := b.last, &noted{Wake: w}
	b.last = now
	switch w.Verdict {
	case Meant:
		b.countMeant(now)
	case False:
		b.blame(now)
	case Doubtful:
		b.doubtful = append(b.doubtful, now)
	case Complained:
		// A complaint in the same open ear means this wake; a complaint for which the user had to
		// wake the gateway means the one before.
		if before == nil || before.blamed || w.At.Sub(before.Ended) > complaint {
			b.blame(now)
			return
		}
		b.blame(before)
		b.countMeant(now)
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

// Pass lets time pass: speech that was not a command, and was not repeated, was a false
// wake; after a calm week a threshold goes back by a step.
func (b *Book) Pass(now time.Time) {
	for len(b.doubtful) > 0 && now.Sub(b.doubtful[0].Ended) > retried {
		b.blame(b.doubtful[0])
	}
	for _, w := range b.words {
		w.False = slices.DeleteFunc(w.False, func(at time.Time) bool { return now.Sub(at) > days*day })
		w.Losses = slices.DeleteFunc(w.Losses, func(l Loss) bool { return now.Sub(l.At) > keptDays*day })
		if w.Threshold > w.Usual && !w.Quiet.IsZero() && now.Sub(w.Quiet) >= calm {
			b.move(w, max(w.Threshold-w.step(), w.Usual), now, CalmWeek)
		}
	}
}

// countMeant counts a wake that a user meant. If sound shortly before was nearly the word, or
// speech shortly before was not a command, it came from the same user, who was not heard
// or not understood.
func (b *Book) countMeant(w *noted) {
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
			x.Losses = newest(append(x.Losses, Loss{n.at, n.score}), mostLosses)
		}
		return same || before > latest
	})
	today.Missed += missed
	today.Lost += lost
	if lost > 0 { // a lower threshold would not have heard the others either
		b.move(x, b.easier(x, w.At), w.At, Missed)
	}
}

// easier returns the threshold after a meant wake was missed. Above the usual threshold it
// goes down by half a step only, because a television is on every evening. If too many
// meant wakes are missed, it goes down until only the allowed number of the recorded ones
// would have been missed; but not below the usual threshold while the false wakes are far
// over their budget.
func (b *Book) easier(w *Word, at time.Time) float64 {
	to := w.Threshold
	if to > w.Usual {
		to = max(to-w.step()/2, w.Usual)
	}
	if !w.missesTooMany() {
		return to
	}
	scores := make([]float64, len(w.Losses))
	for i, l := range w.Losses {
		scores[i] = l.Score
	}
	slices.Sort(scores)
	meant, missed, lost := w.recent()
	enough := scores[min(max(meant/mostMissed-missed+lost, 0), len(scores)-1)] - hair
	if b.farOver(at) {
		enough = max(enough, w.Usual)
	}
	return min(to, enough)
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
	x.False = newest(append(x.False, w.At), mostFalse)
	x.Quiet = w.At
	over := b.falseSince(w.At.Add(-day)) > b.budget || b.falseSince(w.At.Add(-days*day)) > days*b.budget
	switch {
	case x.Threshold < x.Usual && b.farOver(w.At):
		b.move(x, x.Usual, w.At, OverBudget)
	case over && w.At.Sub(x.Moved) >= betweenUps && !x.AtItsLimit():
		b.move(x, x.Threshold+x.step(), w.At, OverBudget)
	}
}

// farOver reports whether there were far more false wakes than the budget has.
func (b *Book) farOver(at time.Time) bool { return b.falseSince(at.Add(-days*day)) > far*days*b.budget }

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
func (w *Word) step() float64 { return (w.Most - w.Usual) / steps }

// missesTooMany reports whether more meant wakes are missed than allowed. One more may be
// chance.
func (w *Word) missesTooMany() bool {
	meant, missed, _ := w.recent()
	return (missed-1)*mostMissed > meant
}

// AtItsLimit reports whether the word must not become harder to hear, because as many
// meant wakes are missed as allowed.
func (w *Word) AtItsLimit() bool {
	meant, missed, _ := w.recent()
	return missed*mostMissed > meant
}

// recent counts the wakes of the days that are kept.
func (w *Word) recent() (meant, missed, lost int) {
	for _, d := range w.Days {
		meant, missed, lost = meant+d.Meant, missed+d.Missed, lost+d.Lost
	}
	return meant, missed, lost
}

// round rounds a threshold to five decimals.
func round(threshold float64) float64 { return math.Round(threshold*1e5) / 1e5 }

// move moves a threshold within its bounds.
func (b *Book) move(w *Word, to float64, at time.Time, why Why) {
	if b.budget == 0 || w.Least == 0 {
		return
	}
	to = min(max(round(to), w.Least), w.Most)
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
		c.False, c.Days, c.Losses = slices.Clone(w.False), slices.Clone(w.Days), slices.Clone(w.Losses)
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
	x.Days = newest(append(x.Days, Day{Date: date}), keptDays)
	return &x.Days[len(x.Days)-1]
}
