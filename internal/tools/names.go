package tools

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// maxName is the longest tool name the model APIs take; their pattern is
// ^[a-zA-Z0-9_-]{1,64}$.
const maxName = 64

func validName(name string) bool {
	return name != "" && len(name) <= maxName && strings.IndexFunc(name, func(c rune) bool { return !nameRune(c) }) < 0
}

func nameRune(c rune) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// offeredName is the name under which a server's tool is offered: its own, mapped
// to what a model accepts, if that is free; else with the server's prefix; else
// also numbered.
func offeredName(server, remote string, taken func(string) bool) string {
	name := mapName(remote)
	if !taken(name) {
		return name
	}
	name = mapName(server + "_" + remote)
	for n := 2; taken(name); n++ {
		name = mapName(fmt.Sprintf("%s_%s_%d", server, remote, n))
	}
	return name
}

// mapName replaces the characters that a model does not accept. A name that is too
// long keeps its beginning and gets a hash of the whole, so that two long names
// stay different.
func mapName(name string) string {
	mapped := strings.Map(func(c rune) rune {
		if nameRune(c) {
			return c
		}
		return '_'
	}, name)
	if mapped == "" {
		return "tool"
	}
	if len(mapped) > maxName {
		h := fnv.New32a()
		_, _ = h.Write([]byte(name))
		suffix := fmt.Sprintf("_%08x", h.Sum32())
		mapped = mapped[:maxName-len(suffix)] + suffix
	}
	return mapped
}

// Named finds the tool that a model means by a name, with what models put around
// it: "functions.control", "tool:control", "control:0" and "`control`()" are
// control. Another spelling counts if only one tool has it.
func Named(specs []Spec, written string) (Spec, bool) {
	byName := func(name string) (Spec, bool) {
		if i := slices.IndexFunc(specs, func(s Spec) bool { return s.Name == name }); i >= 0 {
			return specs[i], true
		}
		return Spec{}, false
	}
	if spec, ok := byName(written); ok {
		return spec, true
	}
	written, _, _ = strings.Cut(written, "<|")
	pieces := strings.FieldsFunc(written, func(c rune) bool { return !nameRune(c) })
	for len(pieces) > 1 && strings.Trim(pieces[len(pieces)-1], "0123456789") == "" {
		pieces = pieces[:len(pieces)-1]
	}
	if len(pieces) == 0 {
		return Spec{}, false
	}
	name := pieces[len(pieces)-1]
	if spec, ok := byName(name); ok {
		return spec, true
	}
	var found []Spec
	for _, s := range specs {
		if form(s.Name) == form(name) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return Spec{}, false
	}
	return found[0], true
}

// form is a name without its spelling: device_name, deviceName and Device-Name
// have the same form.
func form(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '_' || c == '-' || c == ' ' || c == '.':
			return -1
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return c
	}, name)
}
