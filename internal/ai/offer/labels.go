package offer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
)

// Bounds of a label, in words unless said otherwise. Small words, such as "of the", do
// not count as words, but only a few may stand in a label.
const (
	nameWords  = 5
	placeWords = 4
	smallWords = 2
	nameLength = 40 // in characters
	tailWords  = 2  // in brackets or after a dash
)

// Labels are the names of a house as a language model is given them. Names come from
// others, and a long one can say anything; a label is its beginning, and too short for
// a sentence. No two names have the same label.
type Labels struct {
	labels  map[string]string // by name
	names   map[string]string // by folded label
	renamed []string          // the names that differ from their labels, long ones first
}

// LabelsOf makes the labels of a house. Names that need no cutting are their own.
func LabelsOf(h *home.House) *Labels {
	l := &Labels{labels: map[string]string{}, names: map[string]string{}}
	most := namesIn(h)
	var cut []string
	for name, words := range most {
		if shortenName(name, words) == name {
			l.note(name, name)
		} else {
			cut = append(cut, name)
		}
	}
	slices.Sort(cut)
	for _, name := range cut {
		l.note(name, l.free(name, most[name]))
	}
	l.renamed = l.replacedNames()
	return l
}

// namesIn are the names in a house, with how many words each may have.
func namesIn(h *home.House) map[string]int {
	most := map[string]int{}
	if h == nil {
		return most
	}
	note := func(words int, names ...string) {
		for _, name := range names {
			if _, known := most[name]; !known && strings.TrimSpace(name) != "" {
				most[name] = words
			}
		}
	}
	for _, a := range h.Areas {
		note(placeWords, append(a.Aliases, a.Name)...)
	}
	for _, f := range h.Floors {
		note(placeWords, append(f.Aliases, f.Name)...)
	}
	for i := range h.Entities {
		note(placeWords, h.Entities[i].Area)
	}
	for i := range h.Entities {
		note(nameWords, h.Entities[i].Name)
		note(nameWords, h.Entities[i].Aliases...)
	}
	return most
}

func (l *Labels) note(name, label string) { l.labels[name], l.names[text.Simple(label)] = label, name }

// free is a label for a name that no other name has: its beginning, with its last word
// or a number where that is taken.
func (l *Labels) free(name string, words int) string {
	label := shortenName(name, words)
	if label == "" {
		label = "unnamed"
	}
	if _, taken := l.names[text.Simple(label)]; !taken {
		return label
	}
	all := strings.Fields(name)
	last := strings.TrimFunc(all[len(all)-1], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	told := label + " " + last
	if _, taken := l.names[text.Simple(told)]; !taken && last != "" && !telling(last) && len(last) < nameLength/2 {
		return told
	}
	for n := 2; ; n++ {
		told = fmt.Sprintf("%s %d", label, n)
		if _, taken := l.names[text.Simple(told)]; !taken {
			return told
		}
	}
}

// Of returns the label of a name, also of a name that is not in the house.
func (l *Labels) Of(name string) string {
	if label, known := l.labels[name]; known {
		return label
	}
	return shortenName(name, placeWords)
}

// Meant returns the name that a label stands for. ok is false for a text that is not a
// label, and for a label that equals its name.
func (l *Labels) Meant(label string) (name string, ok bool) {
	name, ok = l.names[text.Simple(strings.TrimSpace(label))]
	return name, ok && l.labels[name] != name
}

// replacedNames lists the names that differ from their labels, long ones first. Names of up to
// three bytes are left out: they occur within other words.
func (l *Labels) replacedNames() []string {
	const few = 3
	var out []string
	for name, label := range l.labels {
		if name != label && len(name) > few {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return out
}

// shortenName returns the beginning of a name, up to the end of a sentence or to a number of
// words. A name that holds an order keeps only the words before the order.
func shortenName(name string, most int) string {
	orders := HoldsOrder(name)
	if orders {
		most = longName - 1
	}
	words := strings.Fields(name[:sentenceEnd(name)])
	if len(words) > 0 && len([]rune(words[0])) > nameLength {
		return string([]rune(words[0])[:nameLength])
	}
	kept := words[:namingWords(words, most, orders)]
	for len(kept) < len(words) && len(kept) > 1 && isSmall(kept[len(kept)-1]) {
		kept = kept[:len(kept)-1]
	}
	return strings.Trim(strings.Join(kept, " "), " ,-–—")
}

// namingWords is how many words at the beginning of a name only name something.
func namingWords(words []string, most int, orders bool) int {
	told, length := 0, -1
	for i, w := range words {
		length += 1 + len([]rune(w))
		if !isSmall(w) {
			told++
		}
		sentence := orders && isOrder(w) || i > 0 && i < len(words)-1 && isFinite(w)
		if sentence || told > most || i >= most+smallWords || length > nameLength {
			return i
		}
	}
	return len(words)
}

// sentenceEnd is where a name stops being one: at the first sign that ends or opens a
// sentence.
func sentenceEnd(name string) int {
	for i, r := range name {
		_, size := utf8.DecodeRuneInString(name[i:])
		if endsName(name[:i], r, name[i+size:]) {
			return i
		}
	}
	return len(name)
}

// endsName reports whether a sign between two texts ends the name before it.
func endsName(before string, sign rune, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch sign {
	case ';', '!', '?', '…', '\n', '\r', '[', ']', '{', '}', '<', '>', '。', '！', '？', '：':
		return true
	case ':':
		return !unicode.IsDigit(last) || !unicode.IsDigit(next)
	case '.':
		return (after == "" || unicode.IsSpace(next)) && !isNumbered(before, after)
	case '-', '–', '—':
		return unicode.IsSpace(last) && unicode.IsSpace(next) && !isTail(after)
	case '(':
		inside, _, closed := strings.Cut(after, ")")
		return !closed || !isTail(inside)
	}
	return false
}

// isNumbered reports whether a dot belongs to a number: "No. 3", "1. OG".
func isNumbered(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimSpace(after))
	return unicode.IsDigit(next) || before != "" && strings.TrimFunc(before, unicode.IsDigit) == ""
}

// isTail reports whether what stands in brackets or after a dash belongs to a name:
// "left", but not "is on".
func isTail(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && len(words) <= tailWords && !strings.ContainsAny(text, ".:;!?…\n") && !slices.ContainsFunc(words, telling)
}

// telling reports whether a word tells of a state or of an act.
func telling(w string) bool {
	return isOrder(w) || isFinite(w) || spoken().states[bareWord(w)]
}

// isFinite reports whether a word makes a sentence of a name: "has", "must".
func isFinite(w string) bool {
	return spoken().finite[bareWord(w)]
}

// isSmall reports whether a word of a name tells nothing: "of", "the".
func isSmall(w string) bool {
	return spoken().common[bareWord(w)]
}

func bareWord(w string) string {
	return text.Simple(strings.Trim(w, ".,:;!?()[]{}<>\"'„“”«»*_/\\"))
}

// Clean puts labels in the place of names in a text.
func (l *Labels) Clean(text string) string {
	for _, name := range l.renamed {
		text = strings.ReplaceAll(text, name, l.Of(name))
	}
	return text
}
