// Package wordings keeps a family's own texts with the acts that a language model made of
// them, so that the same text is understood without a model the next time (REQUIREMENTS
// U15). It exists so that a kept text is treated as a sentence: its acts are planned,
// permitted and reported like those of any other. A wording holds intents and things,
// never calls; its risk is judged again at each use. To keep more of one, add a field to
// record.Wording.
package wordings

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/store"
)

// Bounds of what is kept. A text of more bytes is a story and no sentence.
const (
	mostWordings = 100
	longestText  = 200
)

// file is the name of the wordings in the state directory.
const file = "wordings"

// The errors that callers of this package branch on.
var (
	ErrUnknown = errors.New("there is no such wording")
	ErrTaken   = errors.New("there is another wording with these words")
	ErrOurs    = errors.New("a sentence of the house has these words")
)

// Book keeps wordings in the state directory; if that cannot be used, in memory until
// the program ends. It is safe for concurrent use.
type Book struct {
	dir     string
	log     *slog.Logger
	bare    func(text string) string
	changed func(texts []string)

	telling sync.Mutex // held while the texts are passed on, so that the last to come are the present ones

	mu     sync.Mutex
	loaded bool
	disk   *store.Store     // nil: in memory only
	kept   []record.Wording // the newest first
}

// New makes the book of a state directory, which is opened when it is first needed. bare
// returns the form in which texts are compared. changed is called with the texts whenever
// they may have changed; it may be nil.
func New(dir string, bare func(text string) string, changed func(texts []string), log *slog.Logger) *Book {
	return &Book{dir: dir, bare: bare, changed: changed, log: log}
}

// load reads what an earlier run kept. The caller holds mu.
func (b *Book) load() {
	if b.loaded {
		return
	}
	b.loaded = true
	b.disk, b.kept = store.Recall[[]record.Wording](b.dir, file, "wordings", b.log)
	b.kept = slices.DeleteFunc(b.kept, func(w record.Wording) bool { return check(w) != nil })
	b.kept = b.kept[:min(len(b.kept), mostWordings)]
}

// check says what is wrong with a wording in itself, whatever the house is.
func check(w record.Wording) error {
	switch {
	case w.ID == "":
		return errors.New("a wording without an id")
	case intent.Plain(w.Text) == "":
		return errors.New("a wording needs words")
	case len(w.Text) > longestText:
		return fmt.Errorf("a wording has at most %d bytes; this one has %d", longestText, len(w.Text))
	case len(w.Acts) == 0:
		return errors.New("a wording needs something to do")
	}
	return nil
}

// same reports whether two wordings are the same words in the same room.
func (b *Book) same(x, y record.Wording) bool {
	return b.bare(x.Text) == b.bare(y.Text) && strings.EqualFold(x.Area, y.Area)
}

// Keep keeps a wording in place of one with the same words in the same room.
func (b *Book) Keep(w record.Wording) error {
	if err := check(w); err != nil {
		return err
	}
	return b.change(func(list []record.Wording) ([]record.Wording, error) {
		list = slices.DeleteFunc(list, func(o record.Wording) bool { return o.ID == w.ID || b.same(o, w) })
		if len(list) >= mostWordings {
			return nil, fmt.Errorf("there are %d wordings already, and no more are kept; delete one", len(list))
		}
		return slices.Insert(list, 0, w), nil
	})
}

// Edit changes the words of a wording and the room to which it applies.
func (b *Book) Edit(id, text, area string) (w record.Wording, err error) {
	err = b.change(func(list []record.Wording) ([]record.Wording, error) {
		i := slices.IndexFunc(list, func(o record.Wording) bool { return o.ID == id })
		if i < 0 {
			return nil, ErrUnknown
		}
		list[i].Text, list[i].Area = strings.TrimSpace(text), strings.TrimSpace(area)
		w = list[i]
		if slices.ContainsFunc(list, func(o record.Wording) bool { return o.ID != id && b.same(o, w) }) {
			return nil, ErrTaken
		}
		return list, check(w)
	})
	return w, err
}

// Delete removes a wording.
func (b *Book) Delete(id string) error {
	return b.change(func(list []record.Wording) ([]record.Wording, error) {
		left := slices.DeleteFunc(list, func(o record.Wording) bool { return o.ID == id })
		if len(left) == len(list) {
			return nil, ErrUnknown
		}
		return left, nil
	})
}

// change replaces the list, on the disk first: if it cannot be written, the old list
// stays.
func (b *Book) change(how func(list []record.Wording) ([]record.Wording, error)) error {
	b.mu.Lock()
	b.load()
	list, err := how(slices.Clone(b.kept))
	if err == nil && b.disk != nil {
		err = b.disk.Save(file, list)
	}
	if err == nil {
		b.kept = list
	}
	b.mu.Unlock()
	if err == nil {
		b.tell()
	}
	return err
}

// tell passes the texts on.
func (b *Book) tell() {
	if b.changed == nil {
		return
	}
	b.telling.Lock()
	defer b.telling.Unlock()
	list := b.List()
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = w.Text
	}
	b.changed(texts)
}

// Open reads what was kept, and passes the texts on.
func (b *Book) Open() { b.tell() }

// List returns the wordings, the newest first.
func (b *Book) List() []record.Wording {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load()
	return append([]record.Wording{}, b.kept...)
}

// Find returns the wording that a text is in an area: one of that room before one that
// counts everywhere.
func (b *Book) Find(text, area string) (record.Wording, bool) {
	plain := b.bare(text)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load()
	for _, room := range []string{area, ""} {
		for _, w := range b.kept {
			if strings.EqualFold(w.Area, room) && b.bare(w.Text) == plain {
				return w, true
			}
		}
	}
	return record.Wording{}, false
}
