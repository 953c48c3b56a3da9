// Package names finds out which names of a house the gateway cannot tell apart, by how they
// are pronounced and by ear, and which other names would help (REQUIREMENTS L6). It exists
// so that a family learns it before a lamp does not come on. In a rehearsal the gateway's
// voice speaks the names and a recogniser of its own hears them; nothing sounds in a room,
// and nothing is carried out: the heard text is matched, and compared with what was said.
// Another kind of proposal is another line in Candidates.
package names

import (
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
)

// State is a rehearsal as it stands, and the last one that ended.
type State struct {
	Running bool    `json:"running"`
	Done    int     `json:"done"` // names heard so far
	Names   int     `json:"names"`
	Trouble string  `json:"trouble,omitempty"` // why the last one did not end
	Report  *Report `json:"report"`            // null before the first
}

// Report is what a rehearsal found.
type Report struct {
	Time     time.Time   `json:"time"`
	House    string      `json:"house,omitempty"` // a fingerprint of the names at that time
	Names    int         `json:"names"`           // that were spoken
	Skipped  int         `json:"skipped"`         // things that no sentence of the rehearsal is about
	Left     int         `json:"left,omitempty"`  // things and rooms whose names were not compared, as there are too many
	Confused []Confusion `json:"confused"`
	Unknown  []Word      `json:"unknown"` // words that no dictionary has
	Growing  []string    `json:"growing"` // sentences that may continue, and so do not end early
	// Voice is why nothing that was heard counts, and the names were only compared.
	Voice string `json:"voice,omitempty"`
}

// Confusion is a name that was heard as something else, or sounds like something else.
type Confusion struct {
	ID    string `json:"id"`            // "": a room
	Key   string `json:"key,omitempty"` // what stands for it where names are given: its id if others have its name; "": its name
	Name  string `json:"name"`
	Said  string `json:"said"`  // the sentence that was spoken
	Heard string `json:"heard"` // what the recogniser made of it; "" for nothing
	// With are the names of the things it was taken for, or may have been.
	With []string `json:"with"`
	// Alike says that the two are pronounced nearly alike, and that nothing was heard.
	Alike bool `json:"alike,omitempty"`
	// Alias is another name that was heard right; "" if none was found. Known says that
	// the house has it already.
	Alias string `json:"alias"`
	Known bool   `json:"known"`
}

// Mended reports whether the house has a name for the thing that is heard right.
func (c Confusion) Mended() bool { return c.Alias != "" && c.Known }

// Word is a word that no dictionary has.
type Word struct {
	Word  string   `json:"word"`
	Names []string `json:"names"`           // that use it
	Guess string   `json:"guess,omitempty"` // a guess at its pronunciation, in CMU phones; "" without one
}

// Sentences are commands about a thing of a name; the first that the house understands is
// rehearsed. None of them is carried out.
func Sentences(language, name string) []string {
	var all []string
	for _, s := range sentences.WordsOf(language).Rehearse.Said {
		all = append(all, strings.ReplaceAll(s, "%", strings.ToLower(home.SpokenName(name))))
	}
	return all
}

// Candidates returns other names for a thing: known are those that it already has,
// proposed are new ones, the nearest to its name first: with its room in front, with
// another word for its kind, or both. A name that another thing has is never proposed.
func Candidates(h *home.House, e home.Entity, language string) (known, proposed []string) {
	for _, a := range e.Aliases {
		if said := plainName(a); said != plainName(e.Name) {
			known = append(known, said)
		}
	}
	return known, proposals(names(h), e, language)
}

// proposals are the new ones of Candidates, beside the names that are taken.
func proposals(taken map[string]bool, e home.Entity, language string) (proposed []string) {
	add := func(words ...string) {
		name := plainName(strings.Join(words, " "))
		if name != plainName(e.Name) && !taken[name] && !slices.Contains(proposed, name) {
			proposed = append(proposed, name)
		}
	}
	own, area := strings.Fields(plainName(e.Name)), plainName(e.Area)
	if len(own) == 0 {
		return nil
	}
	inArea := area != "" && !strings.HasPrefix(plainName(e.Name), area+" ")
	last := len(own) - 1
	words := &sentences.WordsOf(language).Rehearse
	for _, kind := range words.Others[own[last]] {
		add(append(slices.Clone(own[:last]), kind)...)
	}
	if inArea {
		add(area, plainName(e.Name))
	}
	kind := words.Kinds[e.Domain]
	if kind != "" && own[last] != kind && words.Others[own[last]] == nil {
		add(plainName(e.Name), kind)
	}
	for _, extra := range words.Longer {
		add(extra, plainName(e.Name))
	}
	if kind != "" && area != "" {
		add(area, kind)
	}
	return proposed
}

// names are all names in a house, as they are spoken.
func names(h *home.House) map[string]bool {
	all := map[string]bool{}
	for _, a := range h.Areas {
		all[plainName(a.Name)] = true
		for _, x := range a.Aliases {
			all[plainName(x)] = true
		}
	}
	for _, e := range h.Entities {
		all[plainName(e.Name)] = true
		for _, x := range e.Aliases {
			all[plainName(x)] = true
		}
	}
	return all
}

func plainName(name string) string { return strings.ToLower(home.SpokenName(name)) }
