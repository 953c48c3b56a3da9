// Package lessons is what a family teaches its gateway: which turns were wrong, and
// which words of its own are to be understood (REQUIREMENTS L3, U15). It stands between
// the house and the mind, so that the mind asks one matcher and both lists are filled
// by the same few words, whether they are spoken, sent or pressed on a page. Another
// thing to learn is an intent with a case in Learn.
package lessons

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/followup"
)

// The errors of what is asked of lessons, each with more words before or after it.
var (
	ErrNotFound = errors.New("there is no such thing")
	ErrConflict = errors.New("this cannot be done now")
	ErrBusy     = errors.New("too many requests")
)

// UnknownTurn says that there is no such turn to look at; an ErrNotFound.
func UnknownTurn(id string) error {
	return fmt.Errorf("turn %q: %w among the last ones", id, ErrNotFound)
}

// Rooms are the house and its sentences.
type Rooms interface {
	followup.Words
	Match(text, area string) intent.Decision
	Judge(partial string) speech.Completeness
	Begins(text string) bool
	House() *home.House
	SpeechAct(text string) intent.SpeechAct
	Bare(text string) string
	// Respelt returns the corrections of a typed text with misspelt words.
	Respelt(text string) []string
	// Hear has the recogniser listen for texts beside the sentences.
	Hear(texts []string)
}

// Config says where lessons are kept and what they are about.
type Config struct {
	Dir   string                     // the state directory; "": they are kept until the end only
	Sound func(record.Record) []byte // the WAV file that was recorded of a turn, which may be missing; nil: nothing is recorded
	Turns func() []record.Record     // the last turns, the newest first
	Model func() bool                // a language model answers
	Log   *slog.Logger
}

// Lessons are the house as its family has taught it. It is safe for concurrent use.
type Lessons struct {
	Rooms
	cfg   Config
	words Matcher
	marks *family.Marks

	keepable *keep.List[candidate] // of the last turns
	offered  *keep.List[string]    // texts of which the user has heard that they can be kept
}

// candidate is a model's turn whose words can be kept.
type candidate struct {
	turn string
	acts []record.KeptAct
}

// Bounds of what is remembered of turns: as many candidates as there are turns to look
// at, and enough texts that the user hears of the same one at most once a week.
const (
	mostCandidates = 100
	mostOffered    = 300
)

// justNow is how old a turn may be to count as the turn before, and talkedTime how long a
// language model remembers a turn.
const (
	justNow    = 2 * time.Minute
	talkedTime = 5 * time.Minute
)

// New makes the lessons of a house. Nothing is read before it is needed.
func New(rooms Rooms, cfg Config) *Lessons {
	return &Lessons{
		Rooms: rooms, cfg: cfg, marks: family.NewMarks(cfg.Dir, cfg.Log),
		words:    Matcher{Sentences: rooms, Kept: family.NewWordings(cfg.Dir, rooms.Bare, rooms.Hear, cfg.Log), Model: cfg.Model},
		keepable: remember(mostCandidates, func(c candidate) string { return c.turn }),
		offered:  remember(mostOffered, func(text string) string { return text }),
	}
}

// remember makes a list that lasts until the program ends.
func remember[T any](most int, id func(T) string) *keep.List[T] {
	return keep.NewList(keep.ListConfig[T]{Most: most, Rolling: true, ID: id})
}

// Open has the recogniser listen for the wordings that were kept before.
func (l *Lessons) Open() { l.words.Kept.Open() }

// Match returns what a text means: by a sentence, or by a wording.
func (l *Lessons) Match(text, area string) intent.Decision { return l.words.Match(text, area) }

// Keepable notes the acts that a model has made of a text, if the text alone stands for
// them. tell says that the speaker should hear of it, once for each text.
func (l *Lessons) Keepable(q record.Request, turn string, actions []intent.Action) (can, tell bool) {
	spoken := q.Source == record.FromMic || q.Source == record.FromFile
	switch d := l.Rooms.Match(q.Text, q.Area); {
	case q.DryRun, q.Source == record.FromTimer, q.Source == record.FromButton:
		return false, false
	case !d.Act.MayAct(), l.pointsBack(q), l.ours(q.Text, q.Area) != nil:
		return false, false
	}
	acts, err := Acts(l.House(), actions)
	if err != nil {
		l.cfg.Log.Debug("the words of a turn cannot be kept", "part", "lessons", "turn", turn, "err", err)
		return false, false
	}
	if err := l.keepable.Put(candidate{turn, acts}); err != nil {
		return false, false
	}
	return true, spoken && l.offer(l.Bare(q.Text))
}

// Keep keeps words of which a person has said that they mean these acts, if they are acts on
// things of the house. The other words are asked about again.
func (l *Lessons) Keep(said, area, turn string, actions []intent.Action) {
	acts, err := Acts(l.House(), actions)
	if err == nil {
		err = l.ours(said, area)
	}
	if err == nil {
		err = l.words.Kept.Keep(record.Wording{ID: turn, Text: strings.TrimSpace(said), Area: area, Acts: acts, Time: time.Now()})
	}
	if err != nil {
		l.cfg.Log.Debug("the words of a turn are not kept", "part", "lessons", "turn", turn, "err", err)
		return
	}
	l.cfg.Log.Info("a wording is kept", "part", "lessons", "turn", turn)
}

// offer reports whether the user has not heard yet that a text can be kept, and notes it.
func (l *Lessons) offer(text string) bool {
	_, heard := l.offered.Get(text)
	return !heard && l.offered.Put(text) == nil
}

// ours returns an error that says which sentence of the house a text already is, alone or
// after another sentence; nil if it is none.
func (l *Lessons) ours(text, area string) error {
	h := l.House()
	if err := Ours(l.Rooms.Match(text, area), h); err != nil {
		return err
	}
	things := make([]string, len(h.Entities))
	for i := range h.Entities {
		things[i] = h.Entities[i].ID
	}
	about, _ := l.About(text, area, things)
	about.Actions = slices.Clone(about.Actions)
	for i := range about.Actions {
		about.Actions[i].Devices = nil // the things that the pronoun stands for are not known here
	}
	for _, d := range []intent.Decision{about, l.After(text, area)} {
		if err := Ours(d, h); err != nil {
			return fmt.Errorf("%w, after another sentence", err)
		}
	}
	return nil
}

// pointsBack reports whether a text may be about what was said before it: it follows
// another turn of the same source and room, and has a word that stands for something.
func (l *Lessons) pointsBack(q record.Request) bool {
	before := func(r record.Record) bool {
		return r.Source == q.Source && r.Area == q.Area && time.Since(r.Time) < talkedTime
	}
	if !slices.ContainsFunc(l.cfg.Turns(), before) {
		return false
	}
	return slices.ContainsFunc(strings.Fields(intent.Plain(q.Text)), func(w string) bool { return standIns()[w] })
}

// standIns are words of our languages that stand for what was said before. German
// articles are among them, so that after another turn a German text is rather not kept.
var standIns = sync.OnceValue(func() map[string]bool {
	return sentences.Every(func(w *sentences.Words) sentences.List { return w.Lookups.Back }).Set()
})

// Learn does what is said of the turn before: that it was wrong, or that its words are
// to be kept.
func (l *Lessons) Learn(q record.Request, said intent.Action) (phrase string, err error) {
	last, there := l.before(q)
	if said.Intent == catalogue.Wrong {
		should, _ := said.Slots["should"].(string)
		switch _, err := l.mark(last, should); {
		case !there:
			return "mark_nothing", nil
		case err != nil:
			return "mark_failed", err
		}
		return "marked", nil
	}
	switch _, err := l.Remember(last.ID); {
	case !there:
		return "keep_nothing", nil
	case errors.Is(err, ErrOurs):
		return "keep_ours", err
	case err != nil:
		return "keep_failed", err
	}
	return "kept", nil
}

// before returns the last turn of the same speaker, leaving out turns that are themselves
// about the turn before. ok is false if it is too old.
func (l *Lessons) before(q record.Request) (record.Record, bool) {
	for _, r := range l.cfg.Turns() {
		about := r.Intent != nil && slices.Contains([]string{catalogue.Wrong, catalogue.Remember}, r.Intent.Name)
		if r.Source == q.Source && r.Area == q.Area && !about {
			return r, time.Since(r.Time) < justNow
		}
	}
	return record.Record{}, false
}

// Turn finds one of the last turns.
func (l *Lessons) Turn(id string) (record.Record, bool) {
	turns := l.cfg.Turns()
	if i := slices.IndexFunc(turns, func(r record.Record) bool { return r.ID == id }); i >= 0 && id != "" {
		return turns[i], true
	}
	return record.Record{}, false
}

// Wrong marks one of the last turns, or adds to a mark what should have happened.
func (l *Lessons) Wrong(id, should string) (record.Mark, error) {
	then, there := l.Turn(id)
	if m, marked := l.marks.Get(id); !there && marked {
		then, there = m.Then, true
	}
	if !there {
		return record.Mark{}, UnknownTurn(id)
	}
	return l.mark(then, should)
}

func (l *Lessons) mark(then record.Record, should string) (record.Mark, error) {
	if t := then.Transcript; t == nil || t.Text == record.ChallengeAnswer || t.Text == "" {
		return record.Mark{}, fmt.Errorf("%w: no words of it are known", ErrConflict)
	}
	var sound []byte
	if l.cfg.Sound != nil {
		sound = l.cfg.Sound(then)
	}
	return l.marks.Keep(then, should, l.House(), sound)
}

// Marks lists the marked turns, the newest first.
func (l *Lessons) Marks() []record.Mark { return l.marks.List() }

// Mark is a marked turn with the house as it was, which may be missing.
func (l *Lessons) Mark(id string) (record.Mark, home.Snapshot, error) {
	m, marked := l.marks.Get(id)
	if !marked {
		return record.Mark{}, home.Snapshot{}, fmt.Errorf("mark %q: %w", id, ErrNotFound)
	}
	house, _ := l.marks.House(m) // the mark is shown without it
	return m, house, nil
}

// Unmark removes a mark.
func (l *Lessons) Unmark(id string) error { return missing(l.marks.Delete(id), id) }

// Remember keeps the words of one of the last turns.
func (l *Lessons) Remember(id string) (record.Wording, error) {
	then, there := l.Turn(id)
	if !there {
		return record.Wording{}, UnknownTurn(id)
	}
	if said := then.Transcript; said != nil && said.Text != record.ChallengeAnswer {
		if err := l.ours(said.Text, then.Area); err != nil {
			return record.Wording{}, fmt.Errorf("%w: %w", ErrConflict, err)
		}
	}
	c, ok := l.keepable.Get(id)
	if !ok {
		return record.Wording{}, fmt.Errorf("%w: only the words of a turn can be kept that a language model has carried out, with nothing but confirmed acts on the house", ErrConflict)
	}
	if _, err := Recall(l.House(), c.acts); err != nil {
		return record.Wording{}, fmt.Errorf("%w: %w", ErrConflict, err)
	}
	w := record.Wording{ID: id, Text: strings.TrimSpace(then.Transcript.Text), Area: then.Area, Acts: c.acts, Time: time.Now()}
	if err := l.words.Kept.Keep(w); err != nil {
		return record.Wording{}, fmt.Errorf("%w: %w", ErrConflict, err)
	}
	l.cfg.Log.Info("a wording is kept", "part", "lessons", "turn", id)
	return w, nil
}

// Wordings lists the kept wordings, the newest first.
func (l *Lessons) Wordings() []record.Wording { return l.words.List() }

// Reword changes the words of a wording and the room to which it applies. Words that the
// house already understands are a conflict.
func (l *Lessons) Reword(id, text, area string) (record.Wording, error) {
	if _, kept := l.words.Kept.Get(id); !kept {
		return record.Wording{}, missing(keep.ErrUnknown, id)
	}
	if err := l.ours(text, strings.TrimSpace(area)); err != nil {
		return record.Wording{}, fmt.Errorf("%w: %w", ErrConflict, err)
	}
	w, err := l.words.Kept.Edit(id, text, area)
	if err != nil && !errors.Is(err, keep.ErrUnknown) {
		return w, fmt.Errorf("%w: %w", ErrConflict, err)
	}
	return w, missing(err, id)
}

// Forget removes a wording.
func (l *Lessons) Forget(id string) error { return missing(l.words.Kept.Delete(id), id) }

// missing marks the errors about what is not there.
func missing(err error, id string) error {
	if errors.Is(err, keep.ErrUnknown) {
		return fmt.Errorf("%q: %w", id, ErrNotFound)
	}
	return err
}
