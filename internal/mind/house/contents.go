package house

import (
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// sensorWords are the words for sensors in our languages. The rest of a sensor's name
// says what it is in.
var sensorWords = sync.OnceValue(func() sentences.List {
	return sentences.Every(func(w *sentences.Words) sentences.List { return w.Lookups.Sensors })
})

// nameContents names sensors after the thing they are in, because a family asks how cold
// the freezer is, not the freezer sensor. A name that another thing or a room already
// has is not used.
func nameContents(h *home.House) {
	taken := map[string]int{}
	for i := range h.Areas {
		for _, name := range append([]string{h.Areas[i].Name}, h.Areas[i].Aliases...) {
			taken[text.Fold(name)]++
		}
	}
	found := map[int]string{}
	for i := range h.Entities {
		e := &h.Entities[i]
		taken[text.Fold(e.Area)]++
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			taken[text.Fold(name)]++
		}
		if e.Domain != "sensor" || !slices.Contains(e.Abilities, home.Temperature) && e.DeviceClass() != "temperature" {
			continue
		}
		if name := contents(e.Name); name != "" {
			found[i] = name
			taken[text.Fold(name)]++
		}
	}
	for i, name := range found {
		if taken[text.Fold(name)] == 1 {
			h.Entities[i].Aliases = append(slices.Clone(h.Entities[i].Aliases), name)
		}
	}
}

// contents returns the name of a sensor without the words for a sensor; "" if nothing is
// left, or if the name has no such word.
func contents(name string) string {
	words := strings.Fields(name)
	rest := words
	for _, w := range sensorWords() {
		n := len(strings.Fields(w))
		switch {
		case n >= len(rest) || n >= len(words):
		case text.Fold(strings.Join(rest[len(rest)-n:], " ")) == w:
			rest = rest[:len(rest)-n]
		case text.Fold(strings.Join(rest[:n], " ")) == w:
			rest = rest[n:]
		}
	}
	if len(rest) == len(words) {
		return ""
	}
	return strings.Join(rest, " ")
}
