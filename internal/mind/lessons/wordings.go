package lessons

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// ErrOurs means that a text is no wording, because the house has a sentence with its words.
var ErrOurs = errors.New("a sentence of the house has these words")

// GoneError means that a thing of a wording is not in the house any more.
type GoneError struct{ Name string }

func (e *GoneError) Error() string { return fmt.Sprintf("there is no %s any more", e.Name) }

// Acts returns actions in the form in which a wording keeps them. It is an error if one
// of them is not an act on things of the house, or is dangerous.
func Acts(h *home.House, actions []intent.Action) ([]record.KeptAct, error) {
	acts := make([]record.KeptAct, 0, len(actions))
	for _, a := range actions {
		kept := record.KeptAct{Intent: record.Intent{Name: a.Intent, Slots: maps.Clone(a.Slots)}}
		for _, id := range a.Devices {
			e := h.Entity(id)
			if e == nil {
				return nil, errors.New("it is about something that is no thing of the house")
			}
			kept.Things = append(kept.Things, record.KeptThing{ID: id, Name: e.Name, Domain: e.Domain})
		}
		acts = append(acts, kept)
	}
	_, err := Recall(h, acts)
	return acts, err
}

// Recall makes a decision of kept acts, for the house as it is now. Things are found by
// their ids, or by their names where the id is gone. It is an error if a thing is gone
// or cannot do it, and if an act has become dangerous.
func Recall(h *home.House, acts []record.KeptAct) (intent.Decision, error) {
	d := intent.Decision{Route: intent.Local, Reason: intent.ByWording}
	for _, kept := range acts {
		if catalogue.Of(kept.Name).Risk == tools.Read || len(kept.Things) == 0 {
			return intent.Decision{}, errors.New("it does nothing in the house")
		}
		a := intent.Action{Intent: kept.Name, Slots: maps.Clone(kept.Slots)}
		if a.Slots == nil {
			a.Slots = map[string]any{}
		}
		for _, thing := range kept.Things {
			e := find(h, thing)
			if e == nil {
				return intent.Decision{}, &GoneError{thing.Name}
			}
			a.Devices = append(a.Devices, e.ID)
		}
		d.Actions = append(d.Actions, a)
	}
	steps, err := plan.Calls(d, h, "")
	if err != nil {
		return intent.Decision{}, err
	}
	for _, s := range steps {
		switch {
		case s.Risk == tools.Dangerous:
			return intent.Decision{}, fmt.Errorf("%s is dangerous", kindly(s.Entity))
		case s.Err != nil:
			return intent.Decision{}, s.Err
		case s.Entity == nil || s.Risk == tools.Read:
			return intent.Decision{}, errors.New("it does nothing in the house")
		}
	}
	return d, nil
}

// kindly names a thing in an error.
func kindly(e *home.Entity) string {
	if e == nil {
		return "what it does"
	}
	return "what it does with " + e.Name
}

// find finds a thing by its id, if that is still a thing of the same kind, or else by
// its name, if only one thing of that kind has it.
func find(h *home.House, thing record.KeptThing) *home.Entity {
	if e := h.Entity(thing.ID); e != nil && e.Domain == thing.Domain {
		return e
	}
	var found []*home.Entity
	for i := range h.Entities {
		if e := &h.Entities[i]; e.Domain == thing.Domain && strings.EqualFold(e.Name, thing.Name) {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// Matcher understands what the sentences of a house do not, where it is a wording.
type Matcher struct {
	Sentences
	Kept *family.Wordings
	// Model reports whether a language model answers, which may understand a text that a
	// wording can no longer carry out; nil means never.
	Model func() bool
}

// Sentences are what a house understands by itself.
type Sentences interface {
	Match(text, area string) intent.Decision
	House() *home.House
}

// Match returns what a text means. A wording counts only if no sentence fits, so that it
// never replaces a sentence, or if it answers the question of one; and only if the text is
// an order.
func (m Matcher) Match(text, area string) intent.Decision {
	d := m.Sentences.Match(text, area)
	things := m.House()
	if d.Route != intent.Model && !d.AsksAboutOne() || !d.Act.MayAct() || things.Empty() {
		return d
	}
	w, ok := m.Kept.Find(text, area)
	if !ok {
		return d
	}
	recalled, err := Recall(things, w.Acts)
	var gone *GoneError
	switch model := m.Model != nil && m.Model(); {
	case d.AsksAboutOne() && (err != nil || len(recalled.Actions) != 1 || !slices.Equal(recalled.Actions[0].Devices, d.Options)):
	case err == nil:
		recalled.Act = d.Act
		return recalled
	case errors.As(err, &gone) && !model:
		return intent.Decision{Route: intent.Reject, Reason: intent.UnknownName, Heard: gone.Name, Act: d.Act}
	}
	return d
}

// List returns the wordings with what keeps them from being understood at present.
func (m Matcher) List() []record.Wording {
	list := m.Kept.List()
	for i := range list {
		list[i].Error = m.trouble(list[i])
	}
	return list
}

// trouble says why a wording is not understood; "" if it is.
func (m Matcher) trouble(w record.Wording) string {
	if m.House().Empty() {
		return "the house is not known yet"
	}
	d := m.Sentences.Match(w.Text, w.Area)
	if err := Ours(d, m.House()); err != nil {
		return err.Error()
	}
	if !d.Act.MayAct() {
		return "the words order nothing"
	}
	if _, err := Recall(m.House(), w.Acts); err != nil {
		return err.Error()
	}
	return ""
}

// Ours returns an error, which wraps ErrOurs, if a text with this decision is already a
// sentence of the house, and names what it does. It returns nil if it is not, so that the
// text can be a wording.
func Ours(d intent.Decision, h *home.House) error {
	var does []string
	for _, a := range d.Actions {
		words := []string{a.Intent}
		for _, id := range a.Devices {
			if e := h.Entity(id); e != nil {
				words = append(words, e.Name)
			}
		}
		does = append(does, strings.Join(words, " "))
	}
	switch {
	case d.Route == intent.Model, d.AsksAboutOne():
		return nil
	case len(does) > 0:
		return fmt.Errorf("%w: %s", ErrOurs, strings.Join(does, ", "))
	case d.Route == intent.Ask:
		return fmt.Errorf("%w: it asks back (%s)", ErrOurs, d.Reason)
	case d.Heard != "":
		return fmt.Errorf("%w: it is about “%s” (%s)", ErrOurs, d.Heard, d.Reason)
	}
	return fmt.Errorf("%w: nothing is done on it (%s)", ErrOurs, d.Reason)
}

// Describe says in words what a wording does, for lists.
func Describe(w record.Wording) string {
	parts := make([]string, 0, len(w.Acts))
	for _, a := range w.Acts {
		var about []string
		for _, name := range slices.Sorted(maps.Keys(a.Slots)) {
			about = append(about, fmt.Sprintf("%s=%v", name, a.Slots[name]))
		}
		for _, t := range a.Things {
			about = append(about, t.Name)
		}
		parts = append(parts, a.Name+" "+strings.Join(about, ", "))
	}
	return strings.Join(parts, "; ")
}
