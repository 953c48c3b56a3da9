package house

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
)

// makeSayable gives everything with signs in its name an alias without them, and
// marks the things that only their rooms tell apart.
func makeSayable(h *home.House) {
	for i := range h.Areas {
		h.Areas[i].Aliases = withSpoken(h.Areas[i].Name, h.Areas[i].Aliases)
	}
	rooms := map[string][]string{}
	for i := range h.Entities {
		e := &h.Entities[i]
		e.Aliases = withSpoken(e.Name, e.Aliases)
		key := strings.ToLower(home.SpokenName(e.Name))
		if room := strings.ToLower(e.Area); !slices.Contains(rooms[key], room) {
			rooms[key] = append(rooms[key], room)
		}
	}
	for i := range h.Entities {
		e := &h.Entities[i]
		e.Namesakes = len(rooms[strings.ToLower(home.SpokenName(e.Name))]) > 1
	}
}

// withSpoken adds the spoken form of a thing's name to its other names, if it differs
// from the name.
func withSpoken(name string, aliases []string) []string {
	said := home.SpokenName(name)
	if text.Same(said, name) || slices.ContainsFunc(aliases, func(a string) bool { return text.Same(said, a) }) {
		return aliases
	}
	return append(slices.Clone(aliases), said)
}
