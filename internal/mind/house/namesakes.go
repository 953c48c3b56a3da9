package house

import (
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
)

// mostShared is how many names that several servers know are logged.
const mostShared = 10

// makeUnique gives things ids that are those of one thing in the whole house: of
// several with the same id, all but the first get their server's in front.
func makeUnique(h *home.House) {
	taken := map[string]bool{}
	for i := range h.Entities {
		e := &h.Entities[i]
		for taken[e.ID] {
			e.ID = e.Server + "/" + e.ID
		}
		taken[e.ID] = true
	}
}

// ownID is the id that a thing has on its server.
func ownID(e *home.Entity) string {
	return strings.TrimPrefix(e.ID, e.Server+"/")
}

// Thing finds a thing by its id on its own server; nil if that server has no such thing.
func (h *House) Thing(server, id string) *home.Entity {
	all := h.House().Entities
	for i := range all {
		if e := &all[i]; e.Server == server && ownID(e) == id {
			return e
		}
	}
	return nil
}

// warnOfNamesakes logs the names that several servers know, when these have changed.
// The caller holds mu.
func (h *House) warnOfNamesakes() {
	twice := sharedNames(h.House())
	if len(twice) > 0 && !slices.Equal(twice, h.twice) {
		h.log.Warn("several servers know things by the same names; which one is meant is asked", "names", twice)
	}
	h.twice = twice
}

// sharedNames are the names of things that several servers tell of, the first of them.
func sharedNames(h *home.House) []string {
	type thing struct{ name, domain string }
	first := map[thing]string{} // the server that tells of it
	var names []string
	for i := range h.Entities {
		e := &h.Entities[i]
		is := thing{text.Fold(e.Name), e.Domain}
		server, known := first[is]
		switch {
		case e.Server == "":
		case !known:
			first[is] = e.Server
		case server != e.Server && !slices.Contains(names, e.Name) && len(names) < mostShared:
			names = append(names, e.Name)
		}
	}
	return names
}

// onOneLine removes characters that end a line, or do worse, from the names of a house
// where they are shown. The name that a tool uses for a thing stays as it is.
func onOneLine(h *home.House) {
	for i := range h.Floors {
		f := &h.Floors[i]
		f.Name, f.Aliases = line(f.Name), lines(f.Aliases)
	}
	for i := range h.Areas {
		a := &h.Areas[i]
		a.Name, a.Floor, a.Aliases = line(a.Name), line(a.Floor), lines(a.Aliases)
	}
	for i := range h.Entities {
		e := &h.Entities[i]
		e.Name, e.Area, e.Aliases = line(e.Name), line(e.Area), lines(e.Aliases)
	}
}

func lines(names []string) []string {
	out := slices.Clone(names)
	for i := range out {
		out[i] = line(out[i])
	}
	return out
}

// line is a name without control characters and separators of lines.
func line(name string) string {
	breaks := func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }
	if !strings.ContainsFunc(name, breaks) {
		return name
	}
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return breaks(r) || unicode.IsSpace(r) }), " ")
}
