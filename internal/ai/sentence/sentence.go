// Package sentence cuts the growing text of a language model into sentences, so that
// each can be spoken as soon as it is whole. Before that it takes out what a model does not
// say: thoughts, calls that its server did not understand, marks of its training
// (aloud.go). It is pure. Another way of writing these is a case in marks.go.
package sentence

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/language/sentences"
)

// Longest bounds a sentence in characters. Speech starts when a sentence is
// complete, and a model that never ends one must not hold it up.
const Longest = 300

// Splitter cuts a growing text into sentences as soon as each is certainly complete.
// It has to look at the text that follows: "21." may become "21.5", and "Mr." never
// ends a sentence. The zero value is ready for use.
type Splitter struct {
	rest string
}

// Push adds text and returns the sentences it completes.
func (s *Splitter) Push(text string) []string {
	s.rest += text
	var done []string
	for {
		end := nextEnd(s.rest)
		if end == 0 {
			return done
		}
		if sentence := strings.TrimSpace(s.rest[:end]); sentence != "" {
			done = append(done, sentence)
		}
		s.rest = s.rest[end:]
	}
}

// Flush returns the rest after the text has ended; it may be empty.
func (s *Splitter) Flush() string {
	rest := strings.TrimSpace(s.rest)
	s.rest = ""
	return rest
}

// Whole returns the rest of a text that has broken off, if it is a whole sentence
// whatever would have followed. "It is 21." is not, because it may have become "It is
// 21.5".
func (s *Splitter) Whole() string {
	rest := strings.TrimSpace(s.rest)
	s.rest = ""
	end := strings.LastIndexFunc(rest, func(r rune) bool { return !closes(r) }) + 1
	before, mark := rest[:end], rest[end:]
	_, n := utf8.DecodeLastRuneInString(before)
	if before == "" || !strings.ContainsAny(mark, ".!?") {
		return ""
	}
	if last, _ := utf8.DecodeRuneInString(before[len(before)-n:]); strings.HasPrefix(mark, ".") && (unicode.IsDigit(last) || mayGoOn(before) || strings.HasPrefix(mark, "..")) {
		return ""
	}
	return rest
}

// closes reports whether a character ends a sentence or may follow such a mark.
func closes(r rune) bool { return strings.ContainsRune(`.!?…"'”’»)]*_`, r) }

// nextEnd is the length of the first sentence of text, 0 while it may be
// incomplete.
func nextEnd(text string) int {
	count := 0
	for i, r := range text {
		count++
		switch r {
		case '\n':
			return i + 1
		case '。', '！', '？': // no space follows these
			return i + utf8.RuneLen(r)
		case '.', '!', '?', '…':
			end, sure := endAt(text, i, r)
			if !sure {
				return 0 // the mark is the last character so far
			}
			if end > 0 {
				return end
			}
		}
		if count == Longest {
			_, n := utf8.DecodeRuneInString(text[i:])
			return cutAt(text[:i+n])
		}
	}
	return 0
}

// endAt judges the mark at i. end is where the sentence ends, 0 if it does not end
// here; sure is false while that depends on text still to come.
func endAt(text string, i int, mark rune) (end int, sure bool) {
	after := i + utf8.RuneLen(mark)
	// More marks, closing quotes and brackets belong to the sentence.
	for after < len(text) {
		r, n := utf8.DecodeRuneInString(text[after:])
		if !closes(r) {
			break
		}
		after += n
	}
	if after == len(text) {
		return 0, false
	}
	space, _ := utf8.DecodeRuneInString(text[after:])
	if !unicode.IsSpace(space) {
		return 0, true // 21.5, example.org, 3.Go
	}
	if mark == '!' || mark == '?' {
		return after, true
	}
	next := strings.TrimLeft(text[after:], " \t\u00a0")
	if next == "" {
		// "…" and abbreviations depend on the next word; any other end does not.
		if mark == '…' || after-i > 1 || mayGoOn(text[:i]) {
			return 0, false
		}
		return after, true
	}
	first, _ := utf8.DecodeRuneInString(next)
	ellipsis := mark == '…' || strings.HasPrefix(text[i:], "..") || strings.HasSuffix(text[:i], ".")
	return decide(text[:i], ellipsis, first, after)
}

// decide judges a dot, given the first letter of the next word.
func decide(before string, ellipsis bool, first rune, after int) (end int, sure bool) {
	word := lastWord(before)
	switch {
	case first == '\n' || first == '\r':
		return after, true
	case ellipsis:
		if unicode.IsLower(first) {
			return 0, true
		}
	case titles(word):
		return 0, true
	case numberWords(word):
		if unicode.IsDigit(first) {
			return 0, true
		}
	case abbreviation(word):
		if unicode.IsLower(first) || unicode.IsDigit(first) || strings.ContainsRune("(,;", first) {
			return 0, true
		}
	case initial(word):
		return 0, true
	case ordinal(before, word):
		return 0, true
	}
	return after, true
}

// mayGoOn reports whether the word before a dot makes its meaning depend on what
// follows.
func mayGoOn(before string) bool {
	word := lastWord(before)
	return titles(word) || numberWords(word) || abbreviation(word) || initial(word) || ordinal(before, word)
}

func lastWord(s string) string {
	return s[strings.LastIndexAny(s, " \t\n(\"'“‘«*_")+1:]
}

// dotted are words with a dot that does not end a sentence, in all our languages,
// because a model may answer in any.
type dotted struct{ titles, numbered, shortened map[string]bool }

var dots = sync.OnceValue(func() dotted {
	var all sentences.Writing
	for _, w := range sentences.EveryWords() {
		all.Titles = append(all.Titles, w.Writing.Titles...)
		all.Numbered = append(all.Numbered, w.Writing.Numbered...)
		all.Shortened = append(all.Shortened, w.Writing.Shortened...)
	}
	return dotted{all.Titles.Set(), all.Numbered.Set(), all.Shortened.Set()}
})

// titles reports whether a word is a title, which a name follows, so that its dot
// never ends a sentence.
func titles(word string) bool { return dots().titles[strings.ToLower(word)] }

// numberWords reports whether a word is an abbreviation that a number follows;
// "No." may also be a whole answer.
func numberWords(word string) bool { return dots().numbered[strings.ToLower(word)] }

// abbreviation reports whether a word is an abbreviation that may also end a
// sentence; a capital after it then starts the next sentence.
func abbreviation(word string) bool { return dots().shortened[strings.ToLower(word)] }

// initial reports whether a word is an initial, such as the J of "J. S. Bach"; "I"
// is a word.
func initial(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return n == len(word) && n > 0 && unicode.IsUpper(r) && r != 'I'
}

// ordinal reports whether a word is a number at the start of a line ("1. Bread"),
// whose dot does not end a sentence.
func ordinal(before, word string) bool {
	if len(word) == 0 || len(word) > 2 || strings.Trim(word, "0123456789") != "" {
		return false
	}
	start := strings.TrimSpace(before[:len(before)-len(word)])
	return start == "" || strings.HasSuffix(before[:len(before)-len(word)], "\n")
}

// cutAt is where to cut a text that is too long for a sentence: after the last
// comma, semicolon or colon in its second half, else at the last space.
func cutAt(text string) int {
	if i := strings.LastIndexAny(text, ",;:"); i > len(text)/2 {
		return i + 1
	}
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		return i + 1
	}
	return len(text)
}
