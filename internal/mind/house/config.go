package house

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
)

// Config is the home part of the configuration.
type Config struct {
	// Aliases are other names of things and rooms, by the name their server gives them, or
	// by a thing's id, which tells things of one name apart.
	Aliases map[string][]string `yaml:"aliases"`
	// Rehearse says that the names are rehearsed by themselves after they have changed.
	Rehearse bool `yaml:"rehearse"`
}

// Default has no other names.
func Default() Config { return Config{Aliases: map[string][]string{}, Rehearse: true} }

// Bounds of the aliases, as those of a house file.
const (
	mostAliases = 64  // of one thing
	longest     = 200 // bytes
)

// Validate says everything that is wrong.
func (c Config) Validate() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c.Aliases)) {
		also := c.Aliases[name]
		if strings.TrimSpace(name) == "" || len(also) == 0 || len(also) > mostAliases {
			errs = append(errs, fmt.Errorf("home.aliases: %q has %d names; expected a name as voice-gateway home shows it, with 1 to %d others", name, len(also), mostAliases))
		}
		for _, a := range also {
			if said := home.SpokenName(a); strings.TrimSpace(said) == "" || len(a) > longest || line(a) != a {
				errs = append(errs, fmt.Errorf("home.aliases: %q of %q is no name that can be said; expected words on one line, %d bytes at most", a, name, longest))
			}
		}
	}
	return errors.Join(errs...)
}

// Name gives the things and rooms of a house their other names, each once.
func (c Config) Name(h *home.House) {
	for _, name := range slices.Sorted(maps.Keys(c.Aliases)) {
		also := c.Aliases[name]
		for i, a := range h.Areas {
			if text.Same(a.Name, name) {
				h.Areas[i].Aliases = more(a.Aliases, also)
			}
		}
		for i, e := range h.Entities {
			if text.Same(e.Name, name) || e.ID == name {
				h.Entities[i].Aliases = more(e.Aliases, also)
			}
		}
	}
}

// more adds names to others, those that are not among them.
func more(names, also []string) []string {
	names = slices.Clone(names)
	for _, a := range also {
		if !slices.ContainsFunc(names, func(n string) bool { return text.Same(n, a) }) {
			names = append(names, a)
		}
	}
	return names
}
