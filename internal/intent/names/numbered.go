package names

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// writeNumbers writes the ordinals of a text as plain numbers and leaves out the word
// "number" before a number, so that "2nd floor" and "second floor" are one name, and
// "sonoff number 1" is Sonoff 1.
func (x *Index) writeNumbers(text string) string {
	fields := strings.Fields(text)
	changed := false
	for i, f := range fields {
		plain := bareWord(f)
		n := x.words.ordinal(plain, f)
		switch {
		case n > 0:
			fields[i], changed = strconv.Itoa(n), true
		case x.words.numbering[plain] && i > 0 && i+1 < len(fields) && x.isNumber(bareWord(fields[i+1])):
			fields[i], changed = "", true
		}
	}
	if !changed {
		return text
	}
	return strings.Join(fields, " ")
}

// isNumber reports whether a word is a number from 0 to 100.
func (x *Index) isNumber(w string) bool {
	if w == "" {
		return false
	}
	var room [4]numbers.Reading
	return x.lang != nil && slices.ContainsFunc(x.lang.Read(room[:0], w, numbers.Range{From: 0, To: 100}), func(n numbers.Reading) bool { return n.Length == len(w) })
}

// bareWord is a word in lower case and plain letters, without the signs around it.
func bareWord(w string) string {
	return text.StripAccents(strings.ToLower(strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })))
}

// ordinal returns the number of a word such as "second" or "2nd", given without and with
// the signs around it; 0 if it is not an ordinal.
func (v *vocabulary) ordinal(plain, written string) int {
	if n := v.ordinals[plain]; n > 0 {
		return n
	}
	end := 0
	for end < len(written) && written[end] >= '0' && written[end] <= '9' {
		end++
	}
	if end == 0 || end > 2 || !slices.Contains(v.OrdinalEnds, strings.ToLower(written[end:])) {
		return 0
	}
	n, _ := strconv.Atoi(written[:end])
	return n
}

// OrdinalForms lists a name with its ordinal in words or in digits, as people say and
// write it: "second floor light" for "2nd Floor Light" and the reverse. A name without
// an ordinal has no such forms.
func OrdinalForms(lang, name string) []string {
	v := loadVocabulary(lang)
	fields := strings.Fields(name)
	var out []string
	for i, f := range fields {
		n := v.ordinal(bareWord(f), f)
		if n == 0 {
			continue
		}
		var forms []string
		if n <= len(v.Ordinals) {
			forms = slices.Clone(v.Ordinals[n-1])
		}
		for _, end := range v.OrdinalEnds {
			forms = append(forms, strconv.Itoa(n)+end)
		}
		for _, form := range forms {
			if form != strings.ToLower(f) {
				all := slices.Clone(fields)
				all[i] = form
				out = append(out, strings.Join(all, " "))
			}
		}
	}
	return out
}

// NumberForms lists a name that ends in a small number as people count such things: "second
// bedside lamp" and "bedside lamp no. 2" for "Bedside Lamp 2". Another name has no forms.
func NumberForms(lang, name string) []string {
	v := loadVocabulary(lang)
	head, last, ok := cutLast(strings.ToLower(name))
	n, err := strconv.Atoi(last)
	if !ok || err != nil || n < 1 {
		return nil
	}
	var out []string
	for _, w := range v.Numbering {
		out = append(out, head+" "+w+" "+last, head+" "+w+". "+last)
	}
	if n <= len(v.Ordinals) {
		for _, w := range v.Ordinals[n-1] {
			out = append(out, w+" "+head)
		}
	}
	return out
}

// cutLast cuts the last word off a text of several.
func cutLast(text string) (head, last string, ok bool) {
	i := strings.LastIndexByte(text, ' ')
	if i < 1 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// CompoundForms lists a name with its words in one or in two, as some people write them:
// "living room" for "Livingroom" and the reverse. A name without such words has no forms.
func CompoundForms(lang, name string) []string {
	const shortest = 3 // letters before the word that is glued
	v := loadVocabulary(lang)
	fields := strings.Fields(strings.ToLower(name))
	var out []string
	form := func(at, words int, as string) {
		out = append(out, strings.Join(slices.Concat(fields[:at], []string{as}, fields[at+words:]), " "))
	}
	isGlued := func(w string) bool { return slices.Contains(v.Glued, v.singular(w)) }
	for i, f := range fields {
		if i > 0 && isGlued(f) && len(fields[i-1]) >= shortest && !isGlued(fields[i-1]) && strings.IndexFunc(fields[i-1], notLetter) < 0 {
			form(i-1, 2, fields[i-1]+f)
		}
		for _, end := range v.Glued {
			for _, end := range []string{end, end + "s"} {
				if head, ok := strings.CutSuffix(f, end); ok && len(head) >= shortest {
					form(i, 1, head+" "+end)
				}
			}
		}
	}
	return out
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

func isDigits(w string) bool { return strings.Trim(w, "0123456789") == "" }

// Normalise returns a text in the form for comparing names: without articles, in the
// singular and in plain letters.
func (x *Index) Normalise(text string) string { return strings.Join(x.phrase(text).words, " ") }

// Holding lists the entries that hold all of the words in their names or the names of
// their places, without any likeness.
func (x *Index) Holding(heard string, allow func(int) bool) []int {
	if len(heard) > maxBytes {
		return nil
	}
	items, verdict, _ := x.literal(x.phrase(heard).words, allow)
	if verdict == Fuzzy {
		return nil
	}
	return items
}

// HoldingPart lists the entries whose names have all of the words, even if the words are
// the whole name of one of them.
func (x *Index) HoldingPart(heard string, allow func(int) bool) []int {
	var ids []int32
	for _, w := range x.phrase(heard).words {
		id, ok := x.word[w]
		if !ok || len(ids) == maxHeard {
			return nil
		}
		ids = append(ids, int32(id))
	}
	if len(ids) == 0 {
		return nil
	}
	return x.collect(allow, func(f *form) bool { return x.covers(f, ids, false) })
}

// OnlyKinds reports whether all words are words for kinds of things.
func (x *Index) OnlyKinds(heard string) bool {
	words := x.phrase(heard).words
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return x.words.kinds[w] == 0 })
}

// EndsIn reports whether a word is a compound whose last part is end.
func (x *Index) EndsIn(w, end string) bool {
	return x.words.Compounds && w != end && strings.HasSuffix(w, end)
}

// IsOneWord reports whether a text is a single word and so rather a kind of thing than a
// name: "the kettle". In a language with compounds, such as "Stehlampe", it must be a word
// for a thing that many houses have.
func (x *Index) IsOneWord(heard string) bool {
	words := x.words.cut(heard)
	return len(words) == 1 && (!x.words.Compounds || x.Household(words[0]))
}

// IsStrip reports whether a text names one thing that has several outlets.
func (x *Index) IsStrip(heard string) bool {
	words := x.phrase(heard).words
	if len(words) == 0 {
		return false
	}
	return slices.ContainsFunc([]string{words[0], words[len(words)-1]}, func(w string) bool {
		return slices.ContainsFunc(x.words.Strips, func(s string) bool {
			s = x.words.singular(text.StripAccents(s))
			return w == s || x.words.Compounds && strings.HasSuffix(w, s)
		})
	})
}

// WithoutNumber is a name without the number or the letter at its end: "workbench strip" for
// "Workbench Strip 2". It is "" for a name that has none.
func (x *Index) WithoutNumber(name string) string {
	all, cut := x.phrase(name).words, x.words.cut(name)
	if len(all) < 2 || len(cut) == 0 {
		return ""
	}
	if last := cut[len(cut)-1]; len([]rune(last)) != 1 && !x.isNumber(last) && !isDigits(last) {
		return ""
	}
	return strings.Join(all[:len(all)-1], " ")
}

// AnyStrip reports whether a text is a word of the language for a thing with several
// outlets, whatever the house calls it.
func (x *Index) AnyStrip(heard string) bool {
	said := x.Normalise(heard)
	return slices.ContainsFunc(x.words.Strips, func(s string) bool { return x.words.singular(text.StripAccents(s)) == said })
}

// IsPlural reports whether a word has the ending of a plural.
func (x *Index) IsPlural(w string) bool {
	return x.words.singular(text.StripAccents(w)) != text.StripAccents(w)
}

// PluralOf reports whether a word that was heard is the plural of a word of a name.
func (x *Index) PluralOf(heard, name string) bool {
	own := x.words.cut(name)
	return slices.ContainsFunc(x.words.cut(heard), func(w string) bool {
		one := x.words.singular(text.StripAccents(w))
		return one != text.StripAccents(w) && slices.ContainsFunc(own, func(o string) bool { return text.StripAccents(o) == one })
	})
}

// ordinalsOf numbers the ordinals of a language, in the form for comparing.
func ordinalsOf(names sentences.Names) map[string]int {
	out := make(map[string]int)
	for i, words := range names.Ordinals {
		for _, w := range words {
			out[text.StripAccents(w)] = i + 1
		}
	}
	return out
}

// loadVocabulary returns the words of a language, which are sorted once.
func loadVocabulary(lang string) *vocabulary {
	v, ok := vocabularies.Load(lang)
	if !ok {
		v, _ = vocabularies.LoadOrStore(lang, vocabularyOf(lang))
	}
	return v.(*vocabulary) //nolint:forcetypeassert // only known stores here
}

var vocabularies sync.Map // by language code
