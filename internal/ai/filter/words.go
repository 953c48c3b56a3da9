package filter

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// language is a language with the words by which its sentences claim something.
type language struct {
	*sentences.Claims
	code       string
	numbers    *numbers.Language
	glued      bool                           // words are joined to one: Küchenlicht
	verbLast   bool                           // infinitives stand at the end
	infinitive string                         // and end so
	lists      map[*sentences.List][][]string // the folded words of every list
	sets       map[*sentences.List]set        // the lists' entries of one word
	states     map[string][]string            // what a word says that something is
	kinds      map[string]string              // what a word names
}

type set map[string]bool

// languages are all our languages, read when first asked for.
var languages = sync.OnceValue(func() (all []*language) {
	for _, w := range sentences.EveryWords() {
		l := &language{
			Claims: &w.Claims, code: w.Language, glued: w.Names.Compounds, verbLast: w.Acts.VerbLast, infinitive: w.Acts.Infinitive,
			lists: map[*sentences.List][][]string{}, sets: map[*sentences.List]set{}, states: map[string][]string{}, kinds: map[string]string{},
		}
		l.numbers, _ = numbers.For(w.Language)
		for _, field := range reflect.ValueOf(l.Claims).Elem().Fields() {
			if list, ok := reflect.TypeAssert[*sentences.List](field.Addr()); ok {
				l.sets[list] = set{}
				for _, words := range *list {
					l.lists[list] = append(l.lists[list], strings.Fields(text.Simple(words)))
					l.sets[list][text.Simple(words)] = true
				}
			}
		}
		for _, lists := range []map[string]sentences.List{l.Kinds, l.Rooms, l.Kept} {
			for kind, list := range lists {
				for _, word := range list {
					l.kinds[text.Simple(word)] = kind
				}
			}
		}
		for state, list := range l.States {
			for _, word := range list {
				l.states[text.Simple(word)] = append(l.states[text.Simple(word)], state)
			}
		}
		all = append(all, l)
	}
	return all
})

// is reports whether a word stands in one of some lists.
func (l *language) is(w word, lists ...*sentences.List) bool {
	return slices.ContainsFunc(lists, func(list *sentences.List) bool { return l.sets[list][w.text] })
}

// at returns how many words of a text its longest beginning in a list has.
func (l *language) at(text []word, list *sentences.List) (longest int) {
	for _, words := range l.lists[list] {
		if len(words) > longest && begins(text, words) {
			longest = len(words)
		}
	}
	return longest
}

func begins(text []word, words []string) bool {
	return len(words) > 0 && len(text) >= len(words) && slices.EqualFunc(text[:len(words)], words, func(w word, s string) bool { return w.text == s })
}

// isLittle reports whether a word tells nothing alone.
func (l *language) isLittle(w word) bool {
	return l.is(w, &l.Common, &l.First, &l.Have, &l.Will, &l.Am, &l.Able, &l.Been, &l.Acts, &l.Happens, &l.Denials, &l.Pronouns, &l.Definite, &l.Indefinite,
		&l.Yours, &l.Adverbs, &l.Every, &l.None, &l.Measures, &l.Hours, &l.Unless, &l.Joins, &l.Yes, &l.No)
}

// kind returns what a word names, or "". Where words are glued the last part counts.
func (l *language) kind(w string) string {
	const short = 4 // shorter words end many others
	for from := 0; from == 0 || l.glued && from+short <= len(w); from++ {
		if kind := l.kinds[w[from:]]; kind != "" {
			return kind
		}
	}
	return ""
}

// fluent lists the languages that a text may be in, that of the house if in doubt.
func (k *House) fluent(said string) (best []*language) {
	score := make([]int, len(k.languages))
	for i, l := range k.languages {
		for _, w := range l.cut(said) {
			if l.is(w, &l.Common) {
				score[i] += 2
			}
			if len(l.states[w.text]) > 0 || l.is(w, &l.Been, &l.Acts, &l.Thinking, &l.Pronouns, &l.Definite, &l.Denials) {
				score[i]++
			}
		}
	}
	for i, l := range k.languages {
		if most := slices.Max(score); score[i] == most && most > 0 || i == 0 && 2*score[i] >= most {
			best = append(best, l)
		}
	}
	return best
}

// word is a word, a number or a sign of a sentence.
type word struct {
	said, text string   // text has no accents
	value      *float64 // of a number
	stop       bool     // a sign that parts a sentence
}

var (
	// parts matches the numbers, words, units and signs of a text.
	parts  = regexp.MustCompile(`\d(?:[\d.,:]*\d)?|\p{L}[\p{L}\d]*(?:['_-]\p{L}[\p{L}\d]*)*|'s\b|[°%]\p{L}*|[,;.!?…()\n—–:]|- `)
	quoted = regexp.MustCompile(`["“„«][^"“”„«»]*["”“»]`)
)

// cut parts a text, with the contractions of the language written out. What is quoted as
// something to say to the house is left out.
func (l *language) cut(said string) (out []word) {
	said = quoted.ReplaceAllStringFunc(said, func(q string) string {
		if words := text.Words(q); len(words) > 0 && l.sets[&l.Orders][text.Simple(words[0])] {
			return " "
		}
		return q
	})
	said = " " + text.Lower(said) + " "
	for _, s := range l.Short {
		from, to := s.From, s.To
		if from[0] >= 'a' && to[0] != ' ' { // a whole word, not an ending
			from, to = " "+from, " "+to
		}
		said = strings.ReplaceAll(said, from, to)
	}
	for _, part := range parts.FindAllString(said, -1) {
		w := word{said: part, text: text.Simple(part), stop: strings.ContainsAny(part[:1], ",;.!?()\n:-") || strings.ContainsAny(part, "…—–")}
		if value, n := numbers.Digits(part, true); n > 0 {
			w.value = &value
		} else if read := l.numbers.Read(nil, part, numbers.Range{To: 1000, Halves: true}); !w.stop && !l.isLittle(w) && len(read) > 0 && read[len(read)-1].Length == len(part) {
			w.value = &read[len(read)-1].Value
		}
		out = append(out, w)
	}
	return out
}
