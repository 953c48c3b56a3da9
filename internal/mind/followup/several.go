package followup

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/sentences"
)

// slotWhich says which of several things a sentence means: both, all, the other, or the one
// on a side. slotDoes says what to do with them; without it that is what was done before.
const (
	slotWhich = "which"
	slotDoes  = "does"
	slotOnly  = "only" // what is said is meant and no other

	other = "other"
)

// counts are the words that say how many things are meant, with their number.
var counts = map[any]int{"both": 2, "three": 3, "four": 4}

// sides are the words for the sides of things by which their names differ, by side.
var sides = sync.OnceValue(func() map[string]string {
	out := make(map[string]string)
	for side, words := range map[string]sentences.List{
		"left":  sentences.Every(func(w *sentences.Words) sentences.List { return w.Lookups.Left }),
		"right": sentences.Every(func(w *sentences.Words) sentences.List { return w.Lookups.Right }),
	} {
		for _, word := range words {
			out[word] = side
		}
	}
	return out
})

// stem is the name of a thing without its number or side, and what was left out; mark is ""
// if it has neither.
func stem(e *home.Entity) (name, mark string) {
	var rest []string
	for _, word := range names.Normalise(e.Name) {
		_, err := strconv.Atoi(word)
		switch side := sides()[word]; {
		case mark == "" && side != "":
			mark = side
		case mark == "" && err == nil:
			mark = word
		default:
			rest = append(rest, word)
		}
	}
	return strings.Join(rest, " "), mark
}

// family are the things of a room whose names differ from that of a thing only by a number
// or a side, with itself; nil if it has neither.
func (s *Sentence) family(e *home.Entity) []*home.Entity {
	own, mark := stem(e)
	if mark == "" {
		return nil
	}
	var out []*home.Entity
	for i := range s.House.Entities {
		next := &s.House.Entities[i]
		if name, mark := stem(next); mark != "" && name == own && next.Domain == e.Domain && strings.EqualFold(next.Area, e.Area) {
			out = append(out, next)
		}
	}
	return out
}

// together are the things that "both" and "all" may mean: those of the sentence before if
// they are several, else the family of its one thing, else it and the things of the
// sentence before that.
func (s *Sentence) together() []string {
	all := s.Subject.Things
	if len(all) != 1 {
		return all
	}
	e := s.House.Entity(all[0])
	if e == nil {
		return nil
	}
	if kin := s.family(e); len(kin) > 1 {
		return idsOf(kin)
	}
	if slices.Contains(s.Subject.Earlier, e.ID) || len(s.Subject.Earlier) == 0 {
		return s.Subject.Earlier
	}
	return append(slices.Clone(s.Subject.Earlier), e.ID)
}

func idsOf(all []*home.Entity) []string {
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = e.ID
	}
	return out
}

// ofSeveral does what a sentence says, or else what was done before, to those of several
// things that it means: both, the other one, the left one, the second one. It asks where it
// is not clear which they are.
func (s *Sentence) ofSeveral(said intent.Action) (intent.Decision, bool) {
	meant := s.thingsMeant(said)
	if len(meant) == 0 {
		return s.ask(), true
	}
	if said.Slots[slotOnly] != nil {
		if len(s.Subject.Things) < 2 { // nothing else was meant
			return s.ask(), true
		}
		return s.except(intent.Action{Intent: catalogue.Except, Slots: map[string]any{slotOnly: true}, Devices: meant}), true
	}
	if does, ok := said.Slots[slotDoes].(string); ok {
		on := does == "on" || does == "open"
		for _, e := range things(s.House, meant) {
			if opens := does == "open" || does == "closed"; opens != (verbOf(e.Domain) != "") || e.Domain == "lock" {
				return s.wrongKind(e), true
			}
		}
		return s.switchTo(on, meant), true
	}
	if said.Slots[slotValue] != nil || said.Slots[slotColor] != nil {
		act := s.last()
		act.Devices, act.Slots = meant, maps.Clone(act.Slots)
		delete(act.Slots, "name")
		if catalogue.Of(act.Intent).Plan == catalogue.Switch {
			act.Intent = catalogue.TurnOn
		}
		if next, ok := withValue(s.dimmable(act, said), said); ok {
			return s.onto(next, meant), true
		}
		return s.ask(), true
	}
	if s.Subject.Asks() {
		return s.elsewhere(intent.Action{Intent: catalogue.Also, Slots: map[string]any{}, Devices: meant}), true
	}
	return s.onto(s.last(), meant), true
}

// thingsMeant are the things that a sentence means of several; nil if that is not clear.
func (s *Sentence) thingsMeant(said intent.Action) []string {
	which := said.Slots[slotWhich]
	if many := counts[which]; many > 0 {
		return s.countedThings(many)
	}
	all := s.together()
	switch which {
	case "all":
		if len(all) < 2 {
			return nil
		}
		return all
	case other:
		return s.theOther()
	case "left", "right":
		return s.marked(all, func(mark string) bool { return mark == which })
	case "nth":
		n, _ := said.Slots[slotNumber].(int)
		if n < 1 {
			return nil
		}
		if some := s.marked(all, func(mark string) bool { return mark == strconv.Itoa(n) }); some != nil {
			return some
		}
	}
	return nil
}

// countedThings are the things of a sentence that says how many it means: those that "both" may
// mean, and the things of the sentence before that where these are too few; nil if there are
// not so many.
func (s *Sentence) countedThings(many int) []string {
	all := slices.Clone(s.together())
	if len(all) < many {
		for _, id := range s.Subject.Earlier {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	if len(all) != many {
		return nil
	}
	return all
}

// theOther is the one thing beside that of the sentence before: of its family, or the only
// one of its kind in the room.
func (s *Sentence) theOther() []string {
	if len(s.Subject.Things) != 1 {
		return nil
	}
	e := s.House.Entity(s.Subject.Things[0])
	if e == nil {
		return nil
	}
	like := s.family(e)
	if len(like) < 2 {
		like = s.House.Like(e, func(next *home.Entity) bool { return next.In(e.Area) })
	}
	var out []string
	for _, next := range like {
		if next.ID != e.ID {
			out = append(out, next.ID)
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// marked is the one of some things, and of the families of things, whose name has a mark.
func (s *Sentence) marked(ids []string, is func(mark string) bool) []string {
	var found []string
	for _, e := range things(s.House, ids) {
		for _, next := range append(s.family(e), e) {
			if _, mark := stem(next); is(mark) && !slices.Contains(found, next.ID) {
				found = append(found, next.ID)
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found
}
