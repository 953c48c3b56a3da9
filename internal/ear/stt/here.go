package stt

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

// here says of an engine with a grammar why it cannot hear on this machine: what it
// needs is not installed. An engine that is missing from it needs nothing.
var here = map[string]func(Config) error{
	"pocketsphinx": func(c Config) error {
		if _, err := os.Stat(c.ModelDir); err != nil {
			return fmt.Errorf("its model is not installed: %w", err)
		}
		return nil
	},
	"moonshine": func(c Config) error { _, err := c.moonshine(); return err },
}

// Here lists the engines that hear by a grammar and can do so on this machine with
// cfg, in alphabetical order, and says of the others what they lack.
func Here(cfg Config) (able []string, lack map[string]error) {
	lack = map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(engines)) {
		if check, ok := here[name]; ok {
			if err := check(cfg); err != nil {
				lack[name] = err
				continue
			}
		}
		able = append(able, name)
	}
	return able, lack
}
