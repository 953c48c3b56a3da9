package wakes

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// Detector is a wake word detector whose thresholds can be moved while it listens.
type Detector interface {
	Thresholds() map[string]float64
	SetThresholds(by map[string]float64)
}

// KeeperConfig says what is kept, and where.
type KeeperConfig struct {
	Dir    string // the state directory; "": until the program ends
	Budget int    // false wakes a day; 0: thresholds stay
	Engine string // the configured engine, for what is said of it
	Words  []string
	Fixed  []string         // words whose threshold the user has set: they become no easier to hear than that
	Clock  func() time.Time // nil: the machine's
}

// Bounds of the keeping.
const (
	kept  = "wakes"     // its name in the state directory
	pause = time.Minute // between two looks at what was left open
	queue = 64          // events that wait; more come only from a gateway that hangs
)

// news is an event for the keeper.
type news struct {
	near *speech.Detection
	turn *record.Record
	at   time.Time // when the turn had ended
}

// Keeper keeps false wakes to their budget: it feeds the book of wakes from the turns, moves
// the thresholds of the running detector, saves them in the state directory and reports
// them. It is safe for concurrent use.
type Keeper struct {
	cfg    KeeperConfig
	log    *slog.Logger
	events chan news

	mu       sync.Mutex
	book     *Book       // nil: it does not run yet
	disk     *keep.Store // nil: in memory only
	detector Detector    // nil: its thresholds cannot be moved
	last     map[string]Moved
}

// NewKeeper makes a keeper that starts nothing.
func NewKeeper(cfg KeeperConfig, log *slog.Logger) *Keeper {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	return &Keeper{cfg: cfg, log: log, events: make(chan news, queue), last: map[string]Moved{}}
}

// Near notes sound that was nearly a wake word. It does not block.
func (k *Keeper) Near(d speech.Detection) { k.note(news{near: &d}) }

// TurnEnded notes a turn. It does not block.
func (k *Keeper) TurnEnded(r record.Record) {
	complaint := r.Intent != nil && r.Intent.Name == catalogue.NotForYou
	if r.Wake != nil || complaint {
		k.note(news{turn: &r, at: k.cfg.Clock()})
	}
}

// note hands an event to Run. If Run cannot take it, it is dropped: a count that is short
// by one does less harm than a turn that waits.
func (k *Keeper) note(h news) {
	select {
	case k.events <- h:
	default:
	}
}

// Run keeps the budget until ctx ends. engine may be a Detector; of any other one the
// wakes are counted only. show is called with the state at the start and whenever a
// wake was counted or a threshold moved; it must not block.
func (k *Keeper) Run(ctx context.Context, engine any, show func(State)) error {
	k.open(engine)
	k.settle()
	show(k.State())
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		var changed bool
		select {
		case <-ctx.Done():
			return nil
		case h := <-k.events:
			changed = k.record(h)
		case <-tick.C:
			changed = k.pass()
		}
		if moved := k.settle(); moved || changed {
			k.save()
			show(k.State())
		}
	}
}

// open reads what was kept and gives the detector its thresholds.
func (k *Keeper) open(engine any) {
	disk, words := keep.Recall[[]Word](k.cfg.Dir, kept, "counted wakes", k.log)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.disk = disk
	var thresholds map[string]float64
	if d, ok := engine.(Detector); ok {
		k.detector, thresholds = d, d.Thresholds()
	}
	k.book = NewBook(k.cfg.Budget, k.cfg.Words, thresholds, k.cfg.Fixed, words)
	k.book.Pass(k.cfg.Clock())
	if k.detector != nil && k.cfg.Budget > 0 {
		k.detector.SetThresholds(k.book.Thresholds())
	}
}

// record enters an event into the book, and reports whether that changed a count.
func (k *Keeper) record(h news) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case h.near != nil:
		k.book.Near(h.near.Word, h.near.Score, h.near.At)
		return false
	case h.turn.Wake == nil:
		return k.book.Told(h.at)
	default:
		k.book.Woke(Wake{Word: h.turn.Wake.Word, At: h.turn.Time, Ended: h.at, Verdict: Judge(*h.turn)})
		return true
	}
}

// pass lets time pass in the book, and reports whether that changed a count.
func (k *Keeper) pass() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.cfg.Clock()
	before := k.book.FalseOfDay(now)
	k.book.Pass(now)
	return k.book.FalseOfDay(now) != before
}

// settle carries out the moves of the book and logs them.
func (k *Keeper) settle() (moved bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	moves := k.book.Moves()
	for _, m := range moves {
		k.last[m.Word] = Moved{From: m.From, To: m.To, Why: m.Why, Time: k.cfg.Clock()}
		k.log.Info("the threshold of a wake word was moved", "word", m.Word, "from", m.From, "to", m.To, "why", string(m.Why),
			"false_today", k.book.FalseOfDay(k.cfg.Clock()), "budget", k.cfg.Budget)
	}
	if len(moves) > 0 && k.detector != nil {
		k.detector.SetThresholds(k.book.Thresholds())
	}
	return len(moves) > 0
}

func (k *Keeper) save() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.disk == nil {
		return
	}
	if err := k.disk.Save(kept, k.book.Words()); err != nil {
		k.log.Warn("the count of wakes could not be written", "err", err)
	}
}

// State is what is known now.
func (k *Keeper) State() State {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := State{Engine: k.cfg.Engine, Budget: k.cfg.Budget, Why: k.whyUnmoved(), Words: []Account{}}
	s.Adjustable = s.Why == ""
	if k.book == nil {
		return s
	}
	s.FalseToday = k.book.FalseOfDay(k.cfg.Clock())
	for _, w := range k.book.Words() {
		word := Account{Word: w}
		if m, ok := k.last[w.Word]; ok {
			word.Last = &m
		}
		s.Words = append(s.Words, word)
	}
	return s
}

// whyUnmoved says why thresholds are not moved, "" if they are. The caller holds mu.
func (k *Keeper) whyUnmoved() string {
	switch {
	case k.book == nil:
		return "the gateway does not listen for a wake word"
	case k.cfg.Budget == 0:
		return "wake.budget is 0: false wakes are counted, and the thresholds stay"
	case k.detector == nil:
		return "this engine's thresholds cannot be moved while it listens (wake.engine: micro can): false wakes are counted only"
	default:
		return ""
	}
}

// About says in a sentence how the budget is kept.
func (k *Keeper) About() string {
	s := k.State()
	parts := []string{fmt.Sprintf("%d false wakes in the last 24 hours, %d allowed", s.FalseToday, s.Budget)}
	for _, w := range s.Words {
		if w.Threshold != w.Usual {
			parts = append(parts, fmt.Sprintf("%s is heard from %.3f on instead of %.3f", w.Word.Word, w.Threshold, w.Usual))
		}
	}
	if !s.Adjustable {
		parts = append(parts, s.Why)
	}
	return strings.Join(parts, "; ")
}

// Trouble says that the budget cannot be kept, or "".
func (k *Keeper) Trouble() string {
	s := k.State()
	var why string
	switch some := func(is func(w Account) bool) bool { return slices.ContainsFunc(s.Words, is) }; {
	case !s.Adjustable || s.FalseToday <= s.Budget:
		return ""
	case some(func(w Account) bool { return w.Least > 0 && w.Threshold >= w.Most }):
		why = "the threshold is as high as it may be"
	case some(func(w Account) bool { return w.Least > 0 && w.AtItsLimit() }):
		why = "as many meant wakes are missed already as may be"
	default:
		return ""
	}
	return fmt.Sprintf("%d false wakes in the last 24 hours, %d allowed, and %s: try another wake word, or move the microphone away from the television", s.FalseToday, s.Budget, why)
}
