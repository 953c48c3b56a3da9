package names

import "strings"

// sounds says how a language writes its sounds, roughly: words with equal keys
// are easily taken for each other. Capital letters are classes of consonants.
type sounds struct {
	digraphs *strings.Replacer // letters that make one sound together, looked at first
	letters  [128]byte         // class of a single letter; 0: a vowel or silent
}

// usual are the classes that hold in all our languages: voiced and unvoiced
// consonants are one, because that is the commonest confusion.
const usual = "bP pP fF vF kK gK cK qK sS zS xS jJ tT dT lL mM nN rR"

// soundsOf gives the table of a language code; a language without one is read
// letter by letter. To add a language, add a case.
func soundsOf(lang string) *sounds {
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	switch base {
	case "en":
		return newSounds(usual, "tch", "J", "sch", "J", "ch", "J", "sh", "J", "ph", "F", "gh", "", "kn", "N", "wr", "R",
			"ck", "K", "qu", "K", "ce", "S", "ci", "S", "cy", "S", "th", "T", "dg", "J", "wh", "W", "ge", "J", "mb", "M")
	case "de":
		return newSounds(usual+" wF jJ", "tsch", "J", "sch", "J", "chs", "KS", "ch", "J", "ph", "F", "ck", "K", "qu", "KF",
			"tz", "S", "th", "T", "dt", "T", "pf", "F", "st", "ST", "sp", "SP", "ce", "S", "ci", "S", "ah", "a", "eh", "e",
			"ih", "i", "oh", "o", "uh", "u")
	case "es":
		return newSounds(usual+" vP wW yJ jH", "ch", "J", "ll", "J", "rr", "R", "qu", "K", "gue", "Ke", "gui", "Ki",
			"ge", "He", "gi", "Hi", "ce", "Se", "ci", "Si", "h", "", "ñ", "N")
	case "fr":
		return newSounds(usual, "ch", "J", "ph", "F", "qu", "K", "gn", "N", "ge", "J", "gi", "J", "ce", "S", "ci", "S",
			"th", "T", "ill", "i", "h", "", "eau", "o", "aux", "o")
	}
	return newSounds(usual)
}

func newSounds(classes string, digraphs ...string) *sounds {
	s := &sounds{digraphs: strings.NewReplacer(digraphs...)}
	for pair := range strings.FieldsSeq(classes) {
		s.letters[pair[0]] = pair[1]
	}
	for c := 'A'; c <= 'Z'; c++ {
		s.letters[c] = byte(c)
	}
	return s
}

// key is a rough key of how a word sounds: its consonant classes without
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
