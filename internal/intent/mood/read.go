package mood

import (
	"strings"
	"unicode"

	"voicegateway/internal/language/text"
)

// word is one word of a text.
type word struct {
	text   string
	number bool
	hour   bool // a number that can be an hour
	clock  bool // written as an hour with its minutes: 20:30, 20h
	ends   rune // the mark after it: ',' '.' '!' '?', or 0
}

// keys are the words of phrases that this word may stand for.
func (w *word) keys() [4]string {
	keys := [4]string{w.text}
	if w.number {
		keys[1] = anyNumber
	}
	if w.hour {
		keys[2] = anHour
	}
	if w.clock {
		keys[3] = aClock
	}
	return keys
}

// splitWords takes a text apart.
func (r *Reader) splitWords(sentence string) []word {
	fields := strings.Fields(text.Lower(sentence))
	out := make([]word, 0, len(fields)+len(fields)/2)
	var parts []string
	for _, field := range fields {
		bare := strings.TrimFunc(field, isMark)
		end := mark(field[strings.LastIndex(field, bare)+len(bare):])
		if bare == "" {
			if last := len(out) - 1; last >= 0 && out[last].ends == 0 {
				out[last].ends = mark(field)
			}
			continue
		}
		parts = r.stripEnclitics(r.split(parts[:0], bare))
		for _, p := range parts {
			out = append(out, r.lookUp(p))
		}
		out[len(out)-1].ends = end
	}
	return r.joinNumbers(out)
}

func isMark(c rune) bool {
	return c != '%' && c != '\'' && (unicode.IsPunct(c) || unicode.IsSymbol(c) && c != '°')
}

// mark is the strongest mark after a word.
func mark(marks string) rune {
	end := rune(0)
	for _, c := range marks {
		switch c {
		case '.', '!', '?', '…', ';', '。', '？':
			if end != '?' {
				end = c
			}
		case ',', ':', '-', '–', '—', '，':
			if end == 0 {
				end = ','
			}
		}
	}
	return end
}

// stripEnclitics takes the pronouns off that are glued to the last part: "apágalas".
func (r *Reader) stripEnclitics(parts []string) []string {
	if len(parts) == 0 || len(r.enclitics) == 0 {
		return parts
	}
	last := parts[len(parts)-1]
	if r.phrases.after(last) != nil {
		return parts
	}
	plain := text.WithoutMarks(last)
	for _, pronoun := range r.enclitics {
		if stem, ok := strings.CutSuffix(plain, pronoun); ok && r.stems[stem] {
			return append(parts[:len(parts)-1], stem, pronoun)
		}
	}
	return parts
}

// lookUp returns a word in the form in which the phrases have it.
func (r *Reader) lookUp(as string) word {
	w := word{text: as}
	next := r.phrases.after(as)
	if next == nil {
		if written, found := r.folded[text.WithoutMarks(as)]; found {
			w.text = written
			next = r.phrases.after(written)
		}
	}
	switch digits := strings.TrimRight(as, "%°"); {
	case digits != "" && digits[0] >= '0' && digits[0] <= '9':
		w.number = true
		w.clock = strings.ContainsAny(digits, ":h")
		w.hour = w.clock || len(digits) == 1 || digits == "10" || digits == "11" || digits == "12"
	case next != nil && next.class&number != 0:
		w.number = true
		w.hour = r.hours[w.text]
	}
	return w
}

// joinNumbers makes one number of several words: "twenty five".
func (r *Reader) joinNumbers(words []word) []word {
	out := words[:0]
	for _, w := range words {
		if last := len(out) - 1; last >= 0 && w.number && out[last].number && out[last].ends == 0 {
			out[last].ends = w.ends
			continue
		}
		out = append(out, w)
	}
	return out
}

// segment is a phrase of a text, or a word that belongs to none.
type segment struct {
	class class
	text  string // of a word that no phrase has
	ends  rune
}

func (s *segment) is(c class) bool { return s.class&c != 0 }

// Names are what a house calls its rooms and things.
type Names struct{ whole *node }

// Names prepares the names of a house.
func (r *Reader) Names(all []string) *Names {
	n := &Names{whole: &node{}}
	for _, name := range all {
		var words []string
		for _, w := range r.splitWords(name) {
			words = append(words, w.text)
		}
		if len(words) == 0 {
			continue
		}
		n.whole.add(words, thing)
		for _, w := range words {
			if r.phrases.after(w) == nil && len(w) > 2 {
				n.whole.add([]string{w}, thing)
			}
		}
	}
	return n
}

// begins returns the place inside a phrase at which a name begins that has several words
// and continues after the phrase, or 0.
func (n *Names) begins(phrase, words []word) int {
	for i := 1; i < len(phrase); i++ {
		if named, _ := n.whole.longest(words[i:]); named > 1 && i+named > len(phrase) {
			return i
		}
	}
	return 0
}

// segments cuts words into the longest phrases.
func (r *Reader) segments(words []word, names *Names) []segment {
	out := make([]segment, 0, len(words))
	for i := 0; i < len(words); {
		n, c := r.phrases.longest(words[i:])
		if names != nil {
			if cut := names.begins(words[i:min(i+n, len(words))], words[i:]); cut > 0 {
				n, c = r.phrases.longest(words[i : i+cut])
			}
			if named, c2 := names.whole.longest(words[i:]); named > 0 && (named > n || named == n && named > 1 || c == 0) {
				n, c = named, c2
			}
		}
		s := segment{class: c}
		if n == 0 {
			n, s.class, s.text = 1, r.guess(&words[i]), words[i].text
		}
		if words[i].number && s.class == 0 {
			s.class = number
		}
		i += n
		s.ends = words[i-1].ends
		out = append(out, s)
	}
	return out
}

// guess classes a word that no phrase has.
func (r *Reader) guess(w *word) class {
	if w.number {
		return number
	}
	for _, end := range r.compounds {
		if strings.HasSuffix(w.text, end) && len(w.text) > len(end) {
			return thing
		}
	}
	return 0
}
