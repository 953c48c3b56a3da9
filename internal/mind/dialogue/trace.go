package dialogue

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/language/sentences"
)

// Sources are the texts that the arguments of a call may be made of once a turn holds
// text from outside (REQUIREMENTS M16, S6).
type Sources struct {
	Own    string          // what the user has said in this turn
	Sent   []string        // arguments that the server was sent before
	Theirs []string        // what the server has answered
	Schema json.RawMessage // of the tool: the names and the choices of its arguments
	Today  time.Time
	// Guarded says that a number was said which the server may not get: then it gets no
	// single digits either, with which the number could be spelled.
	Guarded bool
}

// Trace is what arguments hold beside the user's own words and what the server was sent
// before. Every piece is a choice of the model, and could stand for something that the
// model must not pass on: therefore the caller counts both.
type Trace struct {
	Pieces []string // runs of words from what the server has answered
	Small  int      // numbers of one digit, days, and answers that are as short
}

// Of traces arguments to the sources; ok is false if they hold anything else. Words in
// another order, glued together or cut are something else.
func (s *Sources) Of(args json.RawMessage) (t Trace, ok bool) {
	tracer := &tracer{
		own: wordsOf(s.Own), choices: map[string]bool{}, names: map[string]bool{}, today: s.Today, guarded: s.Guarded,
		known: strings.Join(slices.Concat([]string{s.Own}, s.Sent, s.Theirs), "\n"),
	}
	for _, text := range s.Sent {
		tracer.sent = append(tracer.sent, inOrder(text))
	}
	for _, text := range s.Theirs {
		tracer.theirs = append(tracer.theirs, inOrder(text))
	}
	tracer.learn(s.Schema)
	for _, v := range valuesOf(args) {
		if v.name && tracer.names[v.text] {
			continue
		}
		if !tracer.covers(v.text) {
			return Trace{}, false
		}
	}
	return tracer.found, true
}

// tracer traces the arguments of one call.
type tracer struct {
	own          map[string]bool
	sent, theirs [][]string // their words in order
	known        string     // all sources
	choices      map[string]bool
	names        map[string]bool
	today        time.Time
	guarded      bool
	found        Trace
}

// Bounds of what a schema may add. Of more, one could be found for any secret.
const (
	mostNames   = 64
	mostChoices = 32
)

// learn reads the names of arguments and their choices from a schema.
func (t *tracer) learn(schema json.RawMessage) {
	var value any
	if json.Unmarshal(schema, &value) != nil {
		return
	}
	names, choices := map[string]bool{}, map[string]bool{}
	for open := []any{value}; len(open) > 0; {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		switch v := last.(type) {
		case []any:
			open = append(open, v...)
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			for name := range properties {
				names[name] = true
			}
			list, _ := v["enum"].([]any)
			for _, one := range append(list, v["const"]) {
				if word, isText := one.(string); isText {
					choices[word] = true
				}
			}
			for _, one := range v {
				open = append(open, one)
			}
		}
	}
	if len(names) <= mostNames {
		t.names = names
	}
	if len(choices) <= mostChoices {
		t.choices = choices
	}
}

// covers reports whether a value is made of the sources, and counts what it takes of them.
func (t *tracer) covers(text string) bool {
	switch {
	case t.choices[text]:
		return true
	case t.isNear(text):
		t.found.Small++
		return true
	case !t.isPlain(text):
		return false
	}
	words := inOrder(text)
	const mostBare = 2 // signs without a word: "/"
	if len(words) == 0 {
		return len(text) <= mostBare
	}
	return t.coversWords(words, text)
}

// coversWords reports whether the words of a value are those of the sources.
func (t *tracer) coversWords(words []string, text string) bool {
	for len(words) > 0 {
		n := longestRun(words, t.sent)
		piece := longestRun(words, t.theirs)
		switch {
		case t.own[words[0]] && piece <= 1 || n >= max(piece, 1):
			n = max(n, 1)
		case piece > 0 && (!t.guarded || !isShort(words[:piece]) || digitsOf(words[0]) == ""):
			n = piece
			t.take(words[:n])
		case isDay(words[0]), !t.guarded && isRound(text):
			t.found.Small++
			n = 1
		default:
			return false
		}
		words = words[n:]
	}
	return true
}

// take counts a piece of what the server has answered.
func (t *tracer) take(words []string) {
	if isShort(words) {
		t.found.Small++
		return
	}
	t.found.Pieces = append(t.found.Pieces, strings.Join(words, " "))
}

// isRound reports whether a text is a digit with noughts behind it, such as a number of lines.
func isRound(text string) bool {
	digit := strings.TrimRight(text, "0")
	return text == "0" || len(digit) == 1 && digitsOf(digit) != ""
}

// isShort reports whether a piece is as short as what may stand anywhere.
func isShort(words []string) bool {
	return len(words) == 1 && utf8.RuneCountInString(words[0]) < shortWord
}

// isNear reports whether a text is the date of a day near today.
func (t *tracer) isNear(text string) bool {
	const before, after = 7, 15
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || t.today.IsZero() {
		return false
	}
	today := time.Date(t.today.Year(), t.today.Month(), t.today.Day(), 0, 0, 0, 0, time.UTC)
	return !day.Before(today.AddDate(0, 0, -before)) && !day.After(today.AddDate(0, 0, after))
}

// isDay reports whether a word names a day in one of our languages: a model translates
// what the user has said.
func isDay(word string) bool {
	return slices.ContainsFunc(sentences.EveryWords(), func(w *sentences.Words) bool { return slices.Contains(w.Claims.Days, word) })
}

// plainSigns are the signs that may stand between words although no source has them.
const plainSigns = " \t\n.,;:!?'\"()[]{}/\\_-+@&"

// mostSigns is how many of them may stand side by side.
const mostSigns = 3

// isPlain reports whether the signs of a text say nothing: a number of signs, or signs that
// no source has, could stand for a secret.
func (t *tracer) isPlain(text string) bool {
	run, all := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			run = 0
			continue
		case !strings.ContainsRune(plainSigns, r) && (!strings.ContainsRune(t.known, r) || unicode.Is(unicode.Cf, r)):
			return false
		}
		run, all = run+1, all+1
		if run > mostSigns && !strings.Contains(t.known, text) {
			return false
		}
	}
	return all <= 2*len(inOrder(text))+mostSigns || strings.Contains(t.known, text)
}

// longestRun is how many of the first words stand in one text side by side and in this
// order.
func longestRun(words []string, texts [][]string) (longest int) {
	for _, text := range texts {
		for at := range text {
			n := 0
			for n < len(words) && at+n < len(text) && text[at+n] == words[n] {
				n++
			}
			longest = max(longest, n)
		}
	}
	return longest
}

// inOrder are the words of a text, without case, in their order.
func inOrder(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// value is a text or a number in arguments, or the name of an argument.
type value struct {
	text string
	name bool
}

// valuesOf are the values and names in arguments, in their order. What cannot be read is
// one value.
func valuesOf(args json.RawMessage) (all []value) {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	type level struct{ object, value bool } // value: a value comes next in the object
	var open []level
	for {
		token, err := d.Token()
		if err != nil {
			if len(open) > 0 || d.InputOffset() < int64(len(bytes.TrimSpace(args))) {
				all = append(all, value{text: string(args) + "\x00"}) // no source has that
			}
			return all
		}
		last := len(open) - 1
		name := last >= 0 && open[last].object && !open[last].value
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				open = append(open, level{object: v == '{'})
				continue
			}
			open, last, name = open[:last], last-1, false
		case string:
			all = append(all, value{v, name})
		case json.Number:
			all = append(all, value{text: v.String()})
		}
		if last >= 0 && open[last].object {
			open[last].value = name
		}
	}
}
