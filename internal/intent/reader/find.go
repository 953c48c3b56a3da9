package reader

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/numbers"
)

// piece is a part of a text whose meaning is known.
type piece struct {
	class    string
	text     string // as it is written in a sentence of ours
	from, to int    // its words
	things   []*home.Entity
}

// The classes of pieces that are not in the lexicon of a family.
const (
	className   = "name"
	classArea   = "area"
	classFloor  = "floor"
	classTime   = "time"
	classNumber = "number"
	classLevel  = "level_number" // of ten
	classTo     = "to"           // a percentage
	classBy     = "by"           // a step
)

// bound stands before the first and after the last word, so that a phrase can be of words
// at the end: "on ." is "on" as the last word.
const bound = "."

// search finds the pieces of one text.
type search struct {
	words  []string // with a bound at both ends
	taken  []bool
	pieces []piece
}

// find returns the pieces of a text, for a family of kinds.
func (w *Words) find(text string, h *home.House, f *family) *search {
	words := strings.Fields(text)
	if f.clock && !f.dates {
		words = w.withoutHundreds(words)
	}
	s := &search{words: append(append([]string{bound}, words...), bound)}
	s.taken = make([]bool, len(s.words))
	known := w.houseNames(h)
	s.each(func(i int) (int, []piece) { return namedAt(known, s.words[i:]) })
	if !f.dates {
		w.findTimes(s, f)
	}
	s.each(func(i int) (int, []piece) {
		n, classes := f.lexicon.longestAt(s.free(i))
		var found []piece
		for _, class := range classes {
			name, value, _ := strings.Cut(class, ":")
			found = append(found, piece{class: name, text: value})
		}
		return n, found
	})
	if f.dates {
		w.findTimes(s, f)
	}
	s.each(func(i int) (int, []piece) {
		if number := w.numberAt(s.free(i)); number > 0 {
			return w.amountAt(s, i, number)
		}
		return 0, nil
	})
	return s
}

// withoutHundreds leaves out the hundreds of hours: "eight hundred" and "five hundred and
// thirty" are times of the day as eight and five thirty are. A hundred minutes are not.
func (w *Words) withoutHundreds(words []string) []string {
	const lastHour = 23
	var out []string
	for i := 0; i < len(words); i++ {
		rest := words[i+1:]
		switch {
		case !w.time.hundred[words[i]] || i == 0 || !w.isWithin(words[i-1], 1, lastHour):
			out = append(out, words[i])
		case len(rest) > 1 && w.joins[rest[0]] && w.numberAt(rest[1:2]) > 0:
			i++ // "and" too
		case len(rest) > 0 && w.time.units[rest[0]]:
			out = append(out, words[i])
		}
	}
	return out
}

// each asks at every free place for what begins there.
func (s *search) each(at func(i int) (int, []piece)) {
	for i := 0; i < len(s.words); {
		if s.taken[i] {
			i++
			continue
		}
		n, found := at(i)
		n = min(n, len(s.free(i)))
		for _, p := range found {
			p.from, p.to = i, i+n
			s.pieces = append(s.pieces, p)
		}
		if len(found) == 0 {
			n = 1
		} else {
			s.take(i, i+n)
		}
		i += max(n, 1)
	}
}

func (s *search) take(from, to int) {
	for i := from; i < to; i++ {
		s.taken[i] = s.words[i] != bound
	}
}

// free returns the words from a place on that belong to nothing yet.
func (s *search) free(from int) []string {
	to := from
	for to < len(s.words) && !s.taken[to] {
		to++
	}
	return s.words[from:to]
}

// of returns the pieces of a class.
func (s *search) of(class string) []piece {
	var out []piece
	for _, p := range s.pieces {
		if p.class == class {
			out = append(out, p)
		}
	}
	return out
}

// naming is what a house calls something.
type naming struct {
	class  string
	name   string
	things []*home.Entity
}

// namedHouse is a house, which is never changed, with the names of its rooms and things.
type namedHouse struct {
	house *home.House
	names map[string]*naming
}

// houseNames returns the names of a house's rooms and things, as they are compared. They are
// kept for the texts to come: in a house of fifty things they take longer than the text.
func (w *Words) houseNames(h *home.House) map[string]*naming {
	if last := w.last.Load(); last != nil && last.house == h {
		return last.names
	}
	known := nameHouse(h)
	w.last.Store(&namedHouse{h, known})
	return known
}

func nameHouse(h *home.House) map[string]*naming {
	out := map[string]*naming{}
	add := func(class, name string, e *home.Entity, written ...string) {
		for _, text := range written {
			for _, said := range append(names.SpokenForms(text), text) {
				key := intent.Plain(said)
				c := out[key]
				if c == nil {
					c = &naming{class: class, name: name}
					out[key] = c
				}
				if e != nil && c.class == className && !slices.Contains(c.things, e) {
					c.things = append(c.things, e)
				}
			}
		}
	}
	for i := range h.Entities {
		e := &h.Entities[i]
		add(className, e.Name, e, append([]string{e.Name}, e.Aliases...)...)
	}
	for i := range h.Areas {
		add(classArea, h.Areas[i].Name, nil, append([]string{h.Areas[i].Name}, h.Areas[i].Aliases...)...)
	}
	for i := range h.Floors {
		add(classFloor, h.Floors[i].Name, nil, append([]string{h.Floors[i].Name}, h.Floors[i].Aliases...)...)
	}
	return out
}

// mostNameWords bounds the words of a name.
const mostNameWords = 6

// namedAt returns how many of the words at the start of a text are a name, and whose.
func namedAt(known map[string]*naming, words []string) (n int, found []piece) {
	for n := min(mostNameWords, len(words)); n > 0; n-- {
		if c := known[strings.Join(words[:n], " ")]; c != nil {
			return n, []piece{{class: c.class, text: c.name, things: c.things}}
		}
	}
	return 0, nil
}

// numberAt returns how many words at the start of a text are a number.
func (w *Words) numberAt(words []string) int {
	const most = 4
	text := strings.Join(words[:min(most, len(words))], " ")
	longest := 0
	for _, r := range w.numbers.Read(nil, text, numbers.Range{From: 0, To: 1000}) {
		if r.Length == len(text) || text[r.Length] == ' ' {
			longest = max(longest, len(strings.Fields(text[:r.Length])))
		}
	}
	return longest
}

// isWithin reports whether a text is a number between two others.
func (w *Words) isWithin(text string, from, to int) bool {
	readings := w.numbers.Read(nil, text, numbers.Range{From: from, To: to})
	return slices.ContainsFunc(readings, func(r numbers.Reading) bool { return r.Length == len(text) })
}

// mostOfTen is the highest number that may be a level of ten.
const mostOfTen = 10

// amountAt returns the number that begins at a place with its unit, as the level to which,
// or the step by which, something is to change.
func (w *Words) amountAt(s *search, at, number int) (n int, found []piece) {
	p := piece{class: classNumber, text: strings.Join(s.words[at:at+number], " ")}
	unit, _ := w.percent.longestAt(s.words[at+number:])
	small := unit == 0 && w.isWithin(p.text, 0, mostOfTen)
	switch before := s.words[at-1]; {
	case w.level[before]:
		p.class, p.from = classLevel, at-1
	case w.to[before] && !small: // "to seven" may be of ten, or of a hundred
		p.class = classTo
	case w.by[before], unit > 0:
		p.class = classBy
	}
	return number + unit, []piece{p}
}

// findTimes finds the times of a text: runs of words of which times are made.
func (w *Words) findTimes(s *search, f *family) {
	for i := 0; i < len(s.words); {
		end, isTime := w.timeAt(s, i, f)
		if !isTime {
			i = max(i, end) + 1
			continue
		}
		if p, ok := w.trimTime(s, i, end); ok {
			s.pieces = append(s.pieces, p)
			s.take(p.from, p.to)
			end = max(end, p.to)
		}
		i = end
	}
}

// timeAt returns where the run of words of which times are made ends that begins at a place,
// and whether it is a time: only words that join the others are none.
func (w *Words) timeAt(s *search, from int, f *family) (end int, isTime bool) {
	figures := 0
	for end = from; end < len(s.words) && !s.taken[end]; end++ {
		word := s.words[end]
		figure := w.numberAt(s.words[end:end+1]) > 0
		if !figure && !w.time.anchors[word] && !w.time.joins[word] {
			break
		}
		if figure {
			figures++
		}
		clock := figure && f.clock && (figures > 1 || end > 0 && w.time.links[s.words[end-1]])
		isTime = isTime || clock || w.time.anchors[word] || f.dates && w.time.ordinals[word]
	}
	return end, isTime
}

// trimTime makes a piece of a run of words without those at its ends that are no part of a
// time; ok is false if nothing is left.
func (w *Words) trimTime(s *search, from, to int) (p piece, ok bool) {
	for from < to && !w.beginsTime(s.words[from:to]) {
		from++
	}
	for to > from && w.time.joins[s.words[to-1]] && !w.time.ordinals[s.words[to-1]] {
		to--
	}
	p = piece{class: classTime, text: strings.Join(s.words[from:to], " "), from: from, to: to}
	if n, _ := w.time.ago.longestAt(s.words[to:]); n > 0 { // "two hours from now"
		p.to, p.text = to+n, w.texts["in"]+" "+w.bareTime(p.text)
	}
	return p, from < to
}

// beginsTime reports whether a time can begin with the first of some words. Of two words that
// can, the second one does if the first is only a join: "on at seven".
func (w *Words) beginsTime(words []string) bool {
	first := words[0]
	switch {
	case w.time.anchors[first], w.time.ordinals[first], w.numberAt(words[:1]) > 0:
		return true
	case !w.time.starts[first]:
		return false
	}
	return !w.time.loose[first] || len(words) < 2 || !w.time.starts[words[1]]
}
