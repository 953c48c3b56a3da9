package intent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/language/text"
)

// marks are what the template language counts as punctuation in a sentence.
const marks = ".。,，?¿？؟!¡！;；:：’"

func isMark(r rune) bool    { return strings.ContainsRune(marks, r) }
func isWord(r rune) bool    { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
func isStop(r rune) bool    { return r == '.' }
func isNotStop(r rune) bool { return r != '.' && isMark(r) }

// tidy brings a text into the form templates are written in.
func tidy(s string) string { return text.Tidy(s) }

// fold lowers a text letter by letter and keeps its length, so that a place in
// the lowered text is the same place in the original.
func fold(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return strings.Map(lower, strings.ToValidUTF8(text, "?"))
		}
	}
	return text
}

func lower(r rune) rune {
	if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
		return l
	}
	return r
}

// exactly prepares a sentence as the template language demands: punctuation goes
// at the edges of the text and of words and stays inside them (21.5, 10:30), the
// dots of initials at the end stay (A.C.).
func exactly(text string) string {
	if strings.ContainsAny(text, marks) {
		text = string(stripPunctuation([]rune(text)))
	}
	return tidy(strings.ToValidUTF8(text, "?"))
}

// stripPunctuation removes punctuation in a fixed order: outer rules see what the inner
// ones have left.
func stripPunctuation(text []rune) []rune {
	for len(text) > 0 && isMark(text[0]) {
		text = text[1:]
	}
	if !endsInInitials(text) {
		for len(text) > 0 && isMark(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
	}
	text = cut(text, isMark, func(before []rune, after rune) bool { return !lastIsWord(before) && isWord(after) })
	text = cut(text, isNotStop, func(before []rune, after rune) bool { return lastIsWord(before) && !isWord(after) })
	text = cut(text, isStop, func(before []rune, after rune) bool { return !endsInInitial(before) && !isWord(after) })
	return cut(text, isMark, func(before []rune, after rune) bool {
		return len(before) > 0 && !lastIsWord(before) && !isWord(after)
	})
}

// cut removes every run of marks inside the text for which goes returns true. goes gets
// the text before the run and the character after it.
func cut(text []rune, mark func(rune) bool, goes func(before []rune, after rune) bool) []rune {
	out := make([]rune, 0, len(text))
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && mark(text[end]) {
			end++
		}
		switch {
		case end == i:
			end++
		case end < len(text) && i > 0 && goes(text[:i], text[end]):
			i = end
			continue
		}
		out = append(out, text[i:end]...)
		i = end
	}
	return out
}

func lastIsWord(text []rune) bool { return len(text) > 0 && isWord(text[len(text)-1]) }

// endsInInitial reports whether the text ends like "A.C", so that the next dot
// belongs to it.
func endsInInitial(text []rune) bool {
	n := len(text)
	return n >= 3 && isWord(text[n-1]) && text[n-2] == '.' && isWord(text[n-3])
}

// endsInInitials reports whether the text ends in letters with a dot each.
func endsInInitials(text []rune) bool {
	n, pairs := len(text), 0
	for n >= 2 && text[n-1] == '.' && isWord(text[n-2]) {
		n -= 2
		pairs++
	}
	return pairs > 2 || pairs == 2 && (n == 0 || !isWord(text[n-1]))
}

// skipper removes words that mean nothing from sentences.
type skipper struct {
	words []string // lower case, longest first
	glued bool     // the language has no spaces
}

func newSkipper(words []string, glued bool) *skipper {
	s := &skipper{glued: glued}
	for _, w := range words {
		if w = fold(tidy(w)); w != "" {
			s.words = append(s.words, w)
		}
	}
	slices.SortStableFunc(s.words, func(a, b string) int { return utf8.RuneCountInString(b) - utf8.RuneCountInString(a) })
	s.words = slices.Compact(s.words)
	return s
}

// strip removes the words from the start, the end, or with both from everywhere.
// Raw is the text as written, of the same length as its lower form.
func (s *skipper) strip(raw string, start, end bool) string {
	switch {
	case start && end:
		return s.everywhere(raw)
	case start:
		return s.edge(raw, s.first)
	case end:
		return s.edge(raw, s.last)
	}
	return raw
}

func (s *skipper) everywhere(raw string) string {
	low := fold(raw)
	var b strings.Builder
	for i := 0; i < len(low); {
		if n := s.at(low, i); n > 0 {
			i += n
			if !s.glued {
				b.WriteByte(' ')
			}
			continue
		}
		_, size := utf8.DecodeRuneInString(low[i:])
		b.WriteString(raw[i : i+size])
		i += size
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// at is the length of the skip word at a place, 0 for none. It must stand alone
// unless the language has no spaces.
func (s *skipper) at(low string, i int) int {
	if !s.glued {
		if r, _ := utf8.DecodeLastRuneInString(low[:i]); i > 0 && isWord(r) {
			return 0
		}
	}
	for _, w := range s.words {
		if !strings.HasPrefix(low[i:], w) {
			continue
		}
		r, _ := utf8.DecodeRuneInString(low[i+len(w):])
		if s.glued || i+len(w) == len(low) || !isWord(r) {
			return len(w)
		}
	}
	return 0
}

func (s *skipper) edge(raw string, cut func(low string) (from, to int)) string {
	for raw != "" {
		from, to := cut(fold(raw))
		if from == 0 && to == len(raw) {
			break
		}
		raw = strings.TrimSpace(raw[from:to])
	}
	return raw
}

func (s *skipper) first(low string) (from, to int) { return s.at(low, 0), len(low) }

func (s *skipper) last(low string) (from, to int) {
	for _, w := range s.words {
		start := len(low) - len(w)
		if start < 0 || low[start:] != w {
			continue
		}
		if r, _ := utf8.DecodeLastRuneInString(low[:start]); s.glued || start == 0 || !isWord(r) {
			return 0, start
		}
	}
	return 0, len(low)
}
