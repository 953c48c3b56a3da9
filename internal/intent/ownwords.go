package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
)

// ownList is an ability that takes one of a thing's own words.
type ownList struct {
	ability   home.Ability
	attribute string // lists the words
}

// ownLists are those by the slot that holds the word.
var ownLists = map[string]ownList{"source": {home.Source, "sources"}, "preset": {home.Preset, "presets"}, "mode": {home.Mode, "modes"}}

// hasOwn reports whether a thing takes words of its own for a slot.
func hasOwn(e *home.Entity, slot string) bool {
	return slot == "" || e.Can(ownLists[slot].ability)
}

// chooseOwn writes what is chosen of a thing's own words as the thing has it. ok is false if
// it is none of them, so that a language model may know what is meant; where the thing does
// not list them, its server decides.
func (x *meaning) chooseOwn(item int32) (ok bool) {
	slot := x.p.block.Meta.Own
	said, isText := x.action.Slots[slot].(string)
	if slot == "" || !isText {
		return true
	}
	words := listWords(x.m.house.Entities[item].Attributes[ownLists[slot].attribute])
	key := strings.Join(names.Normalise(said), " ")
	at := slices.IndexFunc(words, func(w string) bool { return strings.Join(names.Normalise(w), " ") == key })
	if at >= 0 {
		x.action.Slots[slot] = words[at]
	}
	return at >= 0 || len(words) == 0
}

// listWords returns the words of a list, as a house or its document holds them.
func listWords(list any) []string {
	switch list := list.(type) {
	case []string:
		return list
	case []any:
		var out []string
		for _, v := range list {
			if text, ok := v.(string); ok {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}
