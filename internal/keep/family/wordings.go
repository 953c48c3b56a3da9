package family

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"voicegateway/internal/keep"
	"voicegateway/internal/keep/record"
)

// Bounds of the wordings. A text of more bytes is a story and no sentence.
const (
	mostWordings = 100
	longestText  = 200
)

// ErrTaken means that another wording of the room has the words.
var ErrTaken = errors.New("there is another wording with these words")

// Wordings are the family's own texts with the acts that a language model made of them, so
// that the same text is understood without a model the next time (REQUIREMENTS U15). A
// wording has intents and things, never calls; its risk is judged again at each use.
// Wordings are safe for concurrent use.
type Wordings struct {
	bare func(text string) string
	list *keep.List[record.Wording]
}

// NewWordings makes the wordings of a state directory, which is opened when it is first
// needed. bare returns the form in which texts are compared, "" for a text without words.
// changed is called with the texts whenever they may have changed; it may be nil.
func NewWordings(dir string, bare func(text string) string, changed func(texts []string), log *slog.Logger) *Wordings {
	w := &Wordings{bare: bare}
	cfg := keep.ListConfig[record.Wording]{
		Dir: dir, Name: "wordings", What: "wordings", Most: mostWordings, ID: func(w record.Wording) string { return w.ID }, Check: w.check, Log: log,
	}
	if changed != nil {
		cfg.Changed = func(list []record.Wording) {
			texts := make([]string, len(list))
			for i, w := range list {
				texts[i] = w.Text
			}
			changed(texts)
		}
	}
	w.list = keep.NewList(cfg)
	return w
}

// check says what is wrong with a wording in itself, whatever the house is.
func (k *Wordings) check(w record.Wording) error {
	switch {
	case w.ID == "":
		return errors.New("a wording without an id")
	case k.bare(w.Text) == "":
		return errors.New("a wording needs words")
	case len(w.Text) > longestText:
		return fmt.Errorf("a wording has at most %d bytes; this one has %d", longestText, len(w.Text))
	case len(w.Acts) == 0:
		return errors.New("a wording needs something to do")
	}
	return nil
}

// same reports whether two wordings are the same words in the same room.
func (k *Wordings) same(x, y record.Wording) bool {
	return k.bare(x.Text) == k.bare(y.Text) && strings.EqualFold(x.Area, y.Area)
}

// Open reads what was kept, and passes the texts on.
func (k *Wordings) Open() { k.list.Open() }

// Keep keeps a wording in place of one with the same words in the same room.
func (k *Wordings) Keep(w record.Wording) error {
	if err := k.check(w); err != nil {
		return err
	}
	return k.list.Change(func(list []record.Wording) ([]record.Wording, error) {
		list = slices.DeleteFunc(list, func(o record.Wording) bool { return o.ID == w.ID || k.same(o, w) })
		return slices.Insert(list, 0, w), nil
	})
}

// Edit changes the words of a wording and the room to which it applies; keep.ErrUnknown
// or ErrTaken.
func (k *Wordings) Edit(id, text, area string) (w record.Wording, err error) {
	err = k.list.Change(func(list []record.Wording) ([]record.Wording, error) {
		i := slices.IndexFunc(list, func(o record.Wording) bool { return o.ID == id })
		if i < 0 {
			return nil, keep.ErrUnknown
		}
		list[i].Text, list[i].Area = strings.TrimSpace(text), strings.TrimSpace(area)
		w = list[i]
		if slices.ContainsFunc(list, func(o record.Wording) bool { return o.ID != id && k.same(o, w) }) {
			return nil, ErrTaken
		}
		return list, k.check(w)
	})
	return w, err
}

// Delete removes a wording. If no wording has the id, it returns keep.ErrUnknown.
func (k *Wordings) Delete(id string) error { return k.list.Remove(id) }

// List returns the wordings, the newest first.
func (k *Wordings) List() []record.Wording { return k.list.All() }

// Get returns the wording of an id.
func (k *Wordings) Get(id string) (record.Wording, bool) { return k.list.Get(id) }

// Find returns the wording that a text is in a room: one of that room before one that
// counts everywhere.
func (k *Wordings) Find(text, area string) (record.Wording, bool) {
	plain := k.bare(text)
	for _, room := range []string{area, ""} {
		if w, ok := k.list.Find(func(w record.Wording) bool { return strings.EqualFold(w.Area, room) && k.bare(w.Text) == plain }); ok {
			return w, true
		}
	}
	return record.Wording{}, false
}
