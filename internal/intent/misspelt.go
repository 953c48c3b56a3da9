package intent

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// Limits of a text whose slips are put right.
const (
	longestMisspelt = 20 // words
	mostMisspelt    = 3  // of them with slips; accents that are left out do not count
	mostReadings    = 16 // texts that are tried
	shortestSlip    = 4  // letters of a word that a slip may be of, except where one is in lookups.misspelt
)

// spelling knows the words of a language.
type spelling struct {
	known  map[string]bool  // words that are spelt right
	said   *home.Vocabulary // the words of sentences, for accents that are left out
	right  *home.Vocabulary // what a slip may be of
	denies *home.Vocabulary // words that forbid, except or set a condition
	short  []string         // those of them that are too short for a vocabulary
}

// spellings are those of our languages, made when one is first asked for.
var spellings sync.Map

func spellingOf(language string) *spelling {
	if s, ok := spellings.Load(language); ok {
		return s.(*spelling)
	}
	s, _ := spellings.LoadOrStore(language, newSpelling(language))
	return s.(*spelling)
}

func newSpelling(language string) *spelling {
	s := &spelling{known: make(map[string]bool)}
	var right []string
	short := sentences.WordsOf(language).Lookups.Misspelt
	targets := make(map[string]bool)
	learn := func(text string) {
		for _, w := range wordsOf(text) {
			s.known[w] = true
			if !targets[w] && (utf8.RuneCountInString(w) >= shortestSlip || slices.Contains(short, w)) {
				targets[w] = true
				right = append(right, w)
			}
		}
	}
	var understood, spelt map[string]any
	if data, err := sentences.Pack(language); err == nil && yaml.Unmarshal(data, &understood) == nil {
		texts(understood, learn)
	}
	s.said = home.NewVocabulary(slices.Sorted(maps.Keys(s.known)))
	if data, err := sentences.Spelt(language); err == nil && yaml.Unmarshal(data, &spelt) == nil {
		texts(spelt["acts"], learn)
		texts(spelt, func(text string) {
			for _, w := range wordsOf(text) {
				s.known[w] = true
			}
		})
	}
	acts := &sentences.WordsOf(language).Acts
	var denies []string
	for _, list := range []sentences.Wordings{acts.Negators, acts.Forbidding, acts.Exceptions, acts.Conditions} {
		for _, w := range list {
			if strings.Contains(w, " ") {
				continue
			}
			denies = append(denies, w)
			if len(w) < shortestSlip {
				s.short = append(s.short, w)
			}
		}
	}
	s.right, s.denies = home.NewVocabulary(right), home.NewVocabulary(denies)
	return s
}

// texts calls learn for every text of a file.
func texts(node any, learn func(string)) {
	switch n := node.(type) {
	case string:
		learn(n)
	case []any:
		for _, v := range n {
			texts(v, learn)
		}
	case map[string]any:
		for key, v := range n {
			if key != "metadata" && key != "slots" && key != "requires_context" && key != "out" && key != "range" {
				texts(v, learn)
			}
		}
	}
}

var (
	marked = regexp.MustCompile(`\{[^}]*\}|<[^>]*>`)             // lists and rules of a template
	ending = regexp.MustCompile(`([\pL']+)[\[(]([\pL|']+)[\])]`) // "light[s]", "est(-elle|-il)"
	begun  = regexp.MustCompile(`[\[(]([\pL|']+)[\])]([\pL']+)`) // "[be]leuchte"
	word   = regexp.MustCompile(`\pL[\pL']*`)                    // also one with an apostrophe
)

// wordsOf lists the words of a template or a plain text, in lower case.
func wordsOf(text string) []string {
	text = marked.ReplaceAllString(strings.ToLower(text), " ")
	out := word.FindAllString(text, -1)
	for _, m := range ending.FindAllStringSubmatch(text, -1) {
		for end := range strings.SplitSeq(m[2], "|") {
			out = append(out, m[1]+end)
		}
	}
	for _, m := range begun.FindAllStringSubmatch(text, -1) {
		for begin := range strings.SplitSeq(m[1], "|") {
			out = append(out, begin+m[2])
		}
	}
	return out
}

// Respelt returns the corrections of a text with misspelt words: letters swapped, lost
// or doubled, a letter replaced in a longer word, accents left out. It is for written
// texts that fit no sentence. It returns nil if no word is misspelt, or if a word
// resembles one that forbids something or sets a condition. Short words such as "on" and
// "off" are never guessed.
func (m *Matcher) Respelt(text string) []string {
	plain := strings.Fields(normalise(text))
	if m.pack.Exact || len(plain) > longestMisspelt || len(text) > maxText {
		return nil
	}
	s := spellingOf(m.pack.Language)
	readings := []string{""}
	slips := 0
	for i, w := range plain {
		ways, slip := m.readings(s, w)
		if slip {
			slips++
		}
		guessed := slip && i+1 < len(plain) && plain[i+1] == "of" // "swich of" may be either
		if len(ways) == 0 || guessed || slips > mostMisspelt || len(readings)*len(ways) > mostReadings {
			return nil
		}
		longer := make([]string, 0, len(readings)*len(ways))
		for _, r := range readings {
			for _, way := range ways {
				longer = append(longer, strings.TrimSpace(r+" "+way))
			}
		}
		readings = longer
	}
	return slices.DeleteFunc(readings, func(r string) bool { return r == strings.Join(plain, " ") })
}

// readings returns the words that a word may stand for, which is the word itself if it is
// spelt right. slip reports whether more than an accent is wrong. It returns none for a
// word that may forbid something.
func (m *Matcher) readings(s *spelling, w string) (ways []string, slip bool) {
	switch {
	case m.isNumber(w):
		return []string{w}, false
	case s.known[w], m.ownWords()[w]:
		ways = []string{w}
		for _, accented := range s.said.ByAccent(w) {
			if accented != w {
				ways = append(ways, accented)
			}
		}
		return ways, false
	case s.mayDeny(w):
		return nil, false
	}
	if all := s.said.ByAccent(w); len(all) > 0 {
		return all, false
	}
	if home.LikelyHazard("", w) == 0 { // a dangerous word is never guessed
		if all := s.right.Misspelt(w); len(all) > 0 {
			return all, true
		}
	}
	return []string{w}, false
}

// mayDeny reports whether an unknown word may be one that forbids something or sets a
// condition, with a slip. A short one is like more words than a long one.
func (s *spelling) mayDeny(w string) bool {
	if len(s.denies.ByAccent(w)) > 0 || len(s.denies.Misspelt(w)) > 0 {
		return true
	}
	bare := strings.ReplaceAll(w, "'", "")
	var p text.Pattern
	p.Set(bare)
	return slices.ContainsFunc(s.short, func(no string) bool { return len(no) > 1 && p.Distance(strings.ReplaceAll(no, "'", "")) <= 1 })
}

// ownWords are the words of the names of the house and its rooms.
func (m *Matcher) ownWords() map[string]bool {
	m.own.once.Do(func() {
		m.own.words = make(map[string]bool)
		for _, name := range m.house.Names() {
			for w := range strings.FieldsSeq(normalise(name)) {
				m.own.words[w] = true
			}
		}
	})
	return m.own.words
}

// ownWords are words of a house, made when they are first asked for.
type ownWords struct {
	once  sync.Once
	words map[string]bool
}
