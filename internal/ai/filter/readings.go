package filter

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/language/sentences"
)

// reading is a line of what the turn has read: what it is about, and what it says.
type reading struct {
	words, states set
	numbers       []float64
}

// Read notes what was read of the house: the arguments of a call and the text of its
// answer. Text from outside the house proves nothing of it.
func (t *Turn) Read(args json.RawMessage, text string, outside bool) {
	if outside {
		t.outside = true
		return
	}
	var asked map[string]any
	_ = json.Unmarshal(args, &asked) // without arguments the text alone tells what it is about
	about := set{}
	for _, one := range asked {
		if name, ok := one.(string); ok {
			maps.Copy(about, t.wordsOf(name))
		}
	}
	for line := range strings.SplitSeq(strings.NewReplacer(". ", "\n", ";", "\n").Replace(text), "\n") {
		r := reading{words: t.wordsOf(line), states: set{}}
		if len(r.words) == 0 {
			maps.Copy(r.words, about)
		}
		for _, l := range t.languages {
			if l.code == sentences.OfTools || slices.Contains(t.fluent(line), l) { // servers speak English
				s := t.parse(l, line)
				maps.Copy(r.words, s.mentions)
				r.add(s)
			}
		}
		t.readings = append(t.readings, r)
	}
}

// add adds what a line says. What is locked is closed, and what stands at some percent is
// on or open.
func (r *reading) add(s *sentence) {
	states := s.states
	if s.denied {
		states = nil
	}
	if slices.Contains(states, "locked") {
		states = append(states, "closed")
	}
	for i, w := range s.text {
		if w.value == nil {
			continue
		}
		r.numbers = append(r.numbers, *w.value)
		if percent := i+1 < len(s.text) && (strings.HasPrefix(s.text[i+1].text, "percent") || s.text[i+1].text == "%"); percent && *w.value > 0 {
			states = append(states, "on", "open")
		} else if percent {
			states = append(states, "off", "closed")
		}
	}
	for _, state := range states {
		r.states[state] = true
	}
}

// hasRead reports whether the turn has read just what a sentence tells: at least one
// reading is about all that it names, and every such reading has all its states and
// numbers. What is denied, and what is said of several things, is not looked for.
func (t *Turn) hasRead(s *sentence) bool {
	if s.several || s.denied || s.acts > len(s.states) || s.starts(&s.Doing) {
		return false
	}
	about := 0
	for _, r := range t.readings {
		if !within(s.mentions, r.words) {
			continue
		}
		about++
		for _, state := range s.states {
			if !r.states[state] {
				return false
			}
		}
		for _, w := range s.text {
			if w.value != nil && !slices.ContainsFunc(r.numbers, func(known float64) bool { return math.Abs(*w.value-known) <= 0.5 }) {
				return false
			}
		}
	}
	return about > 0
}

func within(want, have set) bool {
	for w := range want {
		if !have[w] {
			return false
		}
	}
	return true
}
