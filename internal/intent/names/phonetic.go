package names

import "strings"

// digraphs are letters that make one sound together; the class letter replaces
// them before single letters are looked at.
var digraphs = strings.NewReplacer(
	"tch", "J", "sch", "J", "ch", "J", "sh", "J", "ph", "F", "gh", "", "kn", "N", "wr", "R", "ck", "K", "qu", "K",
	"ce", "S", "ci", "S", "cy", "S", "th", "T", "dg", "J", "wh", "W",
)

var classes = map[rune]rune{
	'b': 'P', 'p': 'P', 'f': 'F', 'v': 'F', 'k': 'K', 'g': 'K', 'c': 'K', 'q': 'K', 's': 'S', 'z': 'S', 'x': 'S',
	'j': 'J', 't': 'T', 'd': 'T', 'l': 'L', 'm': 'M', 'n': 'N', 'r': 'R',
	'P': 'P', 'F': 'F', 'K': 'K', 'S': 'S', 'J': 'J', 'T': 'T', 'N': 'N', 'R': 'R', 'W': 'W',
}

// Sound is a rough key of how a word sounds in English: its consonant classes
// without repeats, with a mark for a vowel, h or w in front. Words with equal
// keys are easily taken for each other.
func Sound(word string) string {
	var b strings.Builder
	last := rune(0)
	for i, r := range digraphs.Replace(word) {
		class, ok := classes[r]
		switch {
		case !ok && i == 0 && strings.ContainsRune("aeiouy", r):
			class = 'A'
		case !ok && i == 0 && (r == 'h' || r == 'w'):
			class = r
		case r == 'W' && i > 0, !ok:
			last = 0
			continue
		}
		if class != last {
			b.WriteRune(class)
		}
		last = class
	}
	return b.String()
}
