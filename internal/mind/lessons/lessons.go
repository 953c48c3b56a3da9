// Package lessons is what a family teaches its gateway: which turns were wrong, and
// which words of its own are to be understood (REQUIREMENTS L3, U15). It stands between
// the house and the mind, so that the mind asks one matcher and both books are filled
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

	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/marks"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/recorder"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/replay"
	"voicegateway/internal/mind/wordings"
)

// Rooms are the house and its sentences.
type Rooms interface {
	followup.Words
	Match(text, area string) intent.Decision
	Judge(partial string) speech.Completeness
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
	Dir        string                 // the state directory; "": they are kept until the end only
	Recordings string                 // where the recorder keeps sound; "": nowhere
	Turns      func() []record.Record // the last turns, the newest first
	Model      func() bool            // a language model answers
	Today      replay.Config          // what understands a turn that is run again; its wordings are the kept ones
	Log        *slog.Logger
}

// Lessons are the house as its family has taught it. It is safe for concurrent use.
type Lessons struct {
	Rooms
	cfg   Config
	words wordings.House
	marks *marks.Book

	replaying chan struct{} // of size one: a turn is run again

	mu       sync.Mutex
	keepable []candidate // the newest last
	told     []string    // texts for which the user has heard that they can be kept, the newest last
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
	mostTold       = 300
)

// justNow is how old a turn may be to count as the turn before, and talkedTime how long a
// language model remembers a turn.
const (
	justNow    = 2 * time.Minute
	talkedTime = 5 * time.Minute
)

// New makes the lessons of a house. Nothing is read before it is needed.
func New(rooms Rooms, cfg Config) *Lessons {
	book := wordings.New(cfg.Dir, rooms.Bare, rooms.Hear, cfg.Log)
	return &Lessons{
		Rooms: rooms, cfg: cfg, marks: marks.New(cfg.Dir, cfg.Log), replaying: make(chan struct{}, 1),
		words: wordings.House{Sentences: rooms, Book: book, Model: cfg.Model},
	}
}

// Open has the recogniser listen for the wordings that were kept before.
func (l *Lessons) Open() { l.words.Book.Open() }

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
	acts, err := wordings.Acts(l.House(), actions)
	if err != nil {
		l.cfg.Log.Debug("the words of a turn cannot be kept", "part", "lessons", "turn", turn, "err", err)
		return false, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keepable = append(l.keepable, candidate{turn, acts})
	l.keepable = slices.Clone(l.keepable[max(0, len(l.keepable)-mostCandidates):])
	text := l.Bare(q.Text)
	if tell = spoken && !slices.Contains(l.told, text); tell {
		l.told = append(l.told, text)
		l.told = slices.Clone(l.told[max(0, len(l.told)-mostTold):])
	}
	return true, tell
}

// ours returns an error that says which sentence of the house a text already is, alone or
// after another sentence; nil if it is none.
func (l *Lessons) ours(text, area string) error {
	h := l.House()
	if err := wordings.Ours(l.Rooms.Match(text, area), h); err != nil {
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
		if err := wordings.Ours(d, h); err != nil {
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
	case errors.Is(err, wordings.ErrOurs):
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

// turn finds one of the last turns.
func (l *Lessons) turn(id string) (record.Record, bool) {
	turns := l.cfg.Turns()
	if i := slices.IndexFunc(turns, func(r record.Record) bool { return r.ID == id }); i >= 0 && id != "" {
		return turns[i], true
	}
	return record.Record{}, false
}

// Wrong marks one of the last turns, or adds to a mark what should have happened.
func (l *Lessons) Wrong(id, should string) (record.Mark, error) {
	then, there := l.turn(id)
	if i := slices.IndexFunc(l.Marks(), func(m record.Mark) bool { return m.ID == id }); !there && i >= 0 {
		then, there = l.Marks()[i].Then, true
	}
	if !there {
		return record.Mark{}, unknownTurn(id)
	}
	return l.mark(then, should)
}

func (l *Lessons) mark(then record.Record, should string) (record.Mark, error) {
	if t := then.Transcript; t == nil || t.Text == record.ChallengeAnswer || t.Text == "" {
		return record.Mark{}, fmt.Errorf("%w: no words of it are known", httpapi.ErrConflict)
	}
	var sound []byte
	if l.cfg.Recordings != "" {
		sound, _ = recorder.Sound(l.cfg.Recordings, then) // it may be gone, or have none
	}
	return l.marks.Keep(then, should, l.House(), sound)
}

// Marks lists the marked turns, the newest first.
func (l *Lessons) Marks() []record.Mark { return l.marks.List() }

// Mark is a marked turn with the house as it was, which may be missing.
func (l *Lessons) Mark(id string) (record.Mark, home.Snapshot, error) {
	for _, m := range l.marks.List() {
		if m.ID == id {
			house, _ := l.marks.House(m) // the mark is shown without it
			return m, house, nil
		}
	}
	return record.Mark{}, home.Snapshot{}, fmt.Errorf("mark %q: %w", id, httpapi.ErrNotFound)
}

// Unmark removes a mark.
func (l *Lessons) Unmark(id string) error { return missing(l.marks.Delete(id), id) }

// Remember keeps the words of one of the last turns.
func (l *Lessons) Remember(id string) (record.Wording, error) {
	then, there := l.turn(id)
	if !there {
		return record.Wording{}, unknownTurn(id)
	}
	if said := then.Transcript; said != nil && said.Text != record.ChallengeAnswer {
		if err := l.ours(said.Text, then.Area); err != nil {
			return record.Wording{}, fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
		}
	}
	l.mu.Lock()
	i := slices.IndexFunc(l.keepable, func(c candidate) bool { return c.turn == id })
	if i < 0 {
		l.mu.Unlock()
		return record.Wording{}, fmt.Errorf("%w: only the words of a turn can be kept that a language model has carried out, with nothing but confirmed acts on the house", httpapi.ErrConflict)
	}
	acts := l.keepable[i].acts
	l.mu.Unlock()
	if _, err := wordings.Recall(l.House(), acts); err != nil {
		return record.Wording{}, fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
	}
	w := record.Wording{ID: id, Text: strings.TrimSpace(then.Transcript.Text), Area: then.Area, Acts: acts, Time: time.Now()}
	if err := l.words.Book.Keep(w); err != nil {
		return record.Wording{}, fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
	}
	l.cfg.Log.Info("a wording is kept", "part", "lessons", "turn", id)
	return w, nil
}

// Wordings lists the kept wordings, the newest first.
func (l *Lessons) Wordings() []record.Wording { return l.words.List() }

// Reword changes the words of a wording and the room to which it applies. Words that the
// house already understands are a conflict.
func (l *Lessons) Reword(id, text, area string) (record.Wording, error) {
	if !slices.ContainsFunc(l.words.Book.List(), func(w record.Wording) bool { return w.ID == id }) {
		return record.Wording{}, missing(wordings.ErrUnknown, id)
	}
	if err := l.ours(text, strings.TrimSpace(area)); err != nil {
		return record.Wording{}, fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
	}
	w, err := l.words.Book.Edit(id, text, area)
	if err != nil && !errors.Is(err, wordings.ErrUnknown) {
		return w, fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
	}
	return w, missing(err, id)
}

// Forget removes a wording.
func (l *Lessons) Forget(id string) error { return missing(l.words.Book.Delete(id), id) }

// missing marks the errors about what is not there.
func missing(err error, id string) error {
	if errors.Is(err, wordings.ErrUnknown) || errors.Is(err, marks.ErrUnknown) {
		return fmt.Errorf("%q: %w", id, httpapi.ErrNotFound)
	}
	return err
}
