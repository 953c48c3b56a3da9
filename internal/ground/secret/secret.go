// Package secret keeps passwords, keys and the like out of everything that is shown: logs,
// states, records, errors, and the requests of a language model. It knows where such values stand
// in a configuration (Args, AddAddresses, InPlaceOf, Telling), keeps them (Set), and makes texts
// of others fit to be shown (RedactLine, RedactTail, RedactError). It is pure: the code that has
// the values makes the set, and the code that shows something asks it. A further place where
// secrets stand is a function in find.go.
package secret

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

const (
	// Least is the length in bytes from which every configured value counts as a secret,
	// whatever its key.
	Least = 8
	// leastNamed is the length from which a value counts as a secret if its key says so.
	// Hiding shorter values would only garble the texts.
	leastNamed = 4
	// mask stands in a text where a secret stood.
	mask = "***"
)

// Set is values that must not be shown. A nil Set is empty. Once it is in use, only Grow
// changes it.
type Set struct {
	kept  atomic.Pointer[[]value] // the longest first, because one may be part of another
	spare func(string) bool       // reports whether a value may be shown after all; nil: none may
}

// value is a secret in one of its forms.
type value struct {
	text  string // as it may stand in a text
	plain string // as it was configured
	named bool   // it is a secret for certain, and not only by the place where it stands
}

// values are what the set holds now.
func (s *Set) values() []value {
	if kept := s.kept.Load(); kept != nil {
		return *kept
	}
	return nil
}

// Grow adds the values of another set to one that is in use. Only one goroutine at a time
// may call it.
func (s *Set) Grow(more *Set) {
	for _, v := range more.values() {
		s.keep(v)
	}
}

// Of returns a set of values that are secrets for certain.
func Of(values ...string) *Set {
	s := &Set{}
	for _, v := range values {
		s.Add(v)
	}
	return s
}

// Join returns a set with the values of several.
func Join(sets ...*Set) *Set {
	all := &Set{}
	for _, s := range sets {
		if s == nil {
			continue
		}
		for _, v := range s.values() {
			all.keep(v)
		}
		if all.spare == nil {
			all.spare = s.spare
		}
	}
	return all
}

// Add adds a value that is a secret for certain, in all its forms.
func (s *Set) Add(plain string) { s.add(plain, leastNamed, true) }

// AddUnnamed adds a value that is a secret because of the place where it stands. It
// may be spared.
func (s *Set) AddUnnamed(plain string) { s.add(plain, Least, false) }

// Spare says which of the unnamed values may be shown after all. It is asked each
// time, because what is known changes.
func (s *Set) Spare(may func(string) bool) { s.spare = may }

func (s *Set) add(plain string, least int, named bool) {
	for _, text := range forms(plain) {
		if len(text) >= least {
			s.keep(value{text, plain, named})
		}
	}
}

func (s *Set) keep(v value) {
	all := slices.Clone(s.values()) // readers hold the old list
	if at := slices.IndexFunc(all, func(have value) bool { return have.text == v.text }); at >= 0 {
		all[at].named = all[at].named || v.named
	} else {
		all = append(all, v)
		slices.SortStableFunc(all, func(a, b value) int { return cmp.Compare(len(b.text), len(a.text)) })
	}
	s.kept.Store(&all)
}

// forms lists how a value may stand in a text: as it is, cleaned as texts are before
// they are shown, on one line or line by line, in an address, in JSON, in quotes.
func forms(plain string) []string {
	trimmed := strings.TrimSpace(plain)
	all := []string{plain, trimmed, clean(trimmed), onOneLine(clean(trimmed)), url.QueryEscape(trimmed), url.PathEscape(trimmed)}
	if lines := strings.Split(clean(trimmed), "\n"); len(lines) > 1 {
		for _, line := range lines {
			if line = strings.TrimSpace(line); len(line) >= Least {
				all = append(all, line)
			}
		}
	}
	all = append(all, inner(strconv.Quote(trimmed)))
	if escaped, err := json.Marshal(trimmed); err == nil {
		all = append(all, inner(string(escaped)))
	}
	return all
}

// inner returns a quoted text without its quotes.
func inner(quoted string) string { return quoted[1 : len(quoted)-1] }

// Long returns the values that are long enough to be looked for in what the family
// says and hears, too.
func (s *Set) Long() *Set {
	return s.filtered(func(v value) bool { return len(v.plain) >= Least })
}

// Certain returns the values that are secrets for certain.
func (s *Set) Certain() *Set { return s.filtered(func(v value) bool { return v.named }) }

func (s *Set) filtered(keep func(value) bool) *Set {
	if s == nil {
		return nil
	}
	part := &Set{spare: s.spare}
	var kept []value
	for _, v := range s.values() {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	part.kept.Store(&kept)
	return part
}

// In reports whether a text holds a secret.
func (s *Set) In(text string) bool { return s.Hide(text) != text }

// Hide returns a text with its secrets replaced.
func (s *Set) Hide(text string) string {
	if s == nil || len(s.values()) == 0 {
		return text
	}
	text = s.replace(text)
	if strings.IndexFunc(text, func(c rune) bool { return printable(c) != c }) >= 0 {
		// What cannot be seen may stand in the middle of a secret.
		if seen := clean(text); s.replace(seen) != seen {
			return s.replace(seen)
		}
	}
	return text
}

func (s *Set) replace(text string) string {
	for _, v := range s.values() {
		if strings.Contains(text, v.text) && !s.spares(v) {
			text = strings.ReplaceAll(text, v.text, mask)
		}
	}
	return text
}

func (s *Set) spares(v value) bool { return !v.named && s.spare != nil && s.spare(v.plain) }

// longest is the length of the longest value.
func (s *Set) longest() int {
	if s == nil || len(s.values()) == 0 {
		return 0
	}
	return len(s.values()[0].text)
}
