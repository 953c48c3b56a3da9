package names

import (
	"slices"
	"strings"

	"voicegateway/internal/language/sentences"
)

// sounds says roughly how a language writes its sounds: words with equal keys are easily
// confused. Capital letters are classes of consonants.
type sounds struct {
	digraphs *strings.Replacer // letters that make one sound together, looked at first
	letters  [128]byte         // class of a single letter; 0: a vowel or silent
}

// usual are the classes that hold in all our languages: voiced and unvoiced
// consonants are one, because that is the commonest confusion.
const usual = "bP pP fF vF kK gK cK qK sS zS xS jJ tT dT lL mM nN rR"

// soundsOf returns the table of a language code. A language without one is read
// letter by letter.
func soundsOf(lang string) *sounds {
	own := sentences.WordsOf(lang).Sounds
	var digraphs []string
	for _, d := range own.Together {
		digraphs = append(digraphs, d.From, d.To)
	}
	s := &sounds{digraphs: strings.NewReplacer(digraphs...)}
	for _, pair := range slices.Concat(strings.Fields(usual), own.Letters) {
		s.letters[pair[0]] = pair[1]
	}
	for c := 'A'; c <= 'Z'; c++ {
		s.letters[c] = byte(c)
	}
	return s
}

// key returns a rough key of how a word sounds: its consonant classes without
// repeats, with a mark for a vowel, h or w in front.
func (s *sounds) key(word string) string {
	var b strings.Builder
	last := byte(0)
	for i, r := range s.digraphs.Replace(word) {
		class := byte(0)
		if r < 128 {
			class = s.letters[r]
		}
		switch {
		case class == 0 && i == 0 && strings.ContainsRune("aeiouy", r):
			class = 'A'
		case class == 0 && i == 0 && (r == 'h' || r == 'w'):
			class = byte(r)
		case class == 'W' && i > 0, class == 0:
			last = 0
			continue
		}
		if class != last {
			b.WriteByte(class)
		}
		last = class
	}
	return b.String()
}
