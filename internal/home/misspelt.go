package home

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"voicegateway/internal/edits"
	"voicegateway/internal/intent/sentences"
)

// A name is typed by hand, and whoever types "Siern" on a relay means the siren. So
// names are read twice: as they are written (NamesHazard), and with each word put
// right that is no word we know but is nearly one of the words for hazards
// (LikelyHazard). The rule for what is about a lamp, a room or a fan is the same for
// both.

// LikelyHazard returns the hazards that the names of a thing tell of when they are
// read as forgivingly as the matcher reads what was said: with letters swapped, lost
// or doubled, a letter replaced in a longer word, letters of other scripts and digits
// that look the same, and words joined or cut in two. The answers are kept, because
// the names of a house are asked about again and again.
func LikelyHazard(area string, names ...string) Hazard {
	return readings.get(area+between+strings.Join(names, between), func() Hazard {
		h := NamesHazard(area, names...)
		places := likelyPhrases(area)
		for _, name := range names {
			for _, p := range likelyPhrases(name) {
				for _, place := range places {
					h |= nameHazard(place, p)
				}
			}
		}
		return h
	})
}

// letsIn reports whether a room is called after what lets people in, perhaps misspelt.
func letsIn(area string) bool {
	return rooms.get(area, func() (h Hazard) {
		for _, p := range likelyPhrases(area) {
			h |= p.hazard()
		}
		return h
	})&Gate != 0
}

// between stands between the names of a key; no text of a house holds this byte.
const between = "\xff"

// readings are the hazards of the names that were read, and rooms those of the rooms.
var readings, rooms hazardCache

// keptReadings is how many readings are kept, enough for several large houses. When
// there are more, all are dropped.
const keptReadings = 4096

type hazardCache struct {
	mu   sync.RWMutex
	kept map[string]Hazard
}

func (c *hazardCache) get(key string, read func() Hazard) Hazard {
	c.mu.RLock()
	h, ok := c.kept[key]
	c.mu.RUnlock()
	if ok {
		return h
	}
	h = read()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= keptReadings {
		c.kept = make(map[string]Hazard)
	}
	c.kept[key] = h
	return h
}

// mostWords bounds a name that is read forgivingly; later words are left as they are.
const mostWords = 12

// likelyPhrases are the ways to read a name that may be misspelt; the first is as it
// is written.
func likelyPhrases(name string) []phrase {
	written := words(name)
	all := []phrase{written}
	add := func(p phrase) {
		if !slices.ContainsFunc(all, func(q phrase) bool { return slices.Equal(p, q) }) {
			all = append(all, p)
		}
	}
	ways := []phrase{written}
	if p := words(withoutDigits(name)); !slices.Equal(p, written) {
		ways = append(ways, p)
	}
	s := spelling()
	for _, p := range ways {
		right := make([]phrase, len(p)) // each word put right
		for i, w := range p {
			right[i] = phrase{w}
			if i < mostWords {
				right[i] = s.correct(w)
			}
		}
		add(slices.Concat(right...))
		for i := range min(len(p), mostWords) {
			for j := i + 2; j <= min(len(p), i+mostWords); j++ {
				if whole := s.join(p[i:j]); whole != nil {
					add(slices.Concat(slices.Concat(right[:i]...), whole, slices.Concat(right[j:]...)))
				}
			}
		}
	}
	return all
}

// alike are letters of other scripts and the Latin letters that they look like.
var alike = func() map[rune]rune {
	out := make(map[rune]rune)
	for latin, others := range map[rune]string{
		'a': "аαɑᴀ", 'A': "АΑ", 'b': "ьвʙ", 'B': "ВΒ", 'c': "сϲᴄ", 'C': "СϹ", 'd': "ԁɗᴅ", 'e': "еєεҽᴇ", 'E': "ЕΕЄ", 'f': "ƒϝ", 'F': "Ϝ",
		'g': "ɡցɢ", 'G': "Ԍ", 'h': "һհн", 'H': "НΗ", 'i': "іιɩɪ", 'I': "ІΙӀ", 'j': "јϳ", 'J': "ЈͿ", 'k': "кκ", 'K': "КΚ", 'l': "ӏʟ", 'L': "Ⅼ",
		'm': "мᴍ", 'M': "МΜ", 'n': "пηոɴ", 'N': "Ν", 'o': "оοσօᴏ", 'O': "ОΟՕ", 'p': "рρ", 'P': "РΡ", 'q': "ԛ", 'r': "гʀ", 's': "ѕꜱ",
		'S': "Ѕ", 't': "тτᴛ", 'T': "ТΤ", 'u': "υսᴜ", 'U': "Ս", 'v': "νѵᴠ", 'V': "Ѵ", 'w': "ωԝѡᴡ", 'W': "Ԝ", 'x': "хχ", 'X': "ХΧ", 'y': "уγү",
		'Y': "УΥҮ", 'z': "ᴢ", 'Z': "ΖᏃ",
	} {
		for _, r := range others {
			out[r] = latin
		}
	}
	return out
}()

// lookOf writes letters of other scripts as the Latin letters that they look like, and
// signs of other widths and weights as the usual ones.
func lookOf(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 }) < 0 {
		return name
	}
	return strings.Map(func(r rune) rune {
		if latin, ok := alike[r]; ok {
			return latin
		}
		return r
	}, norm.NFKC.String(name))
}

// asLetters are digits that look like letters.
var asLetters = map[rune]rune{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b'}

// withoutDigits writes the digits that touch letters as the letters that they look
// like: "G4rage".
func withoutDigits(name string) string {
	letters := []rune(lookOf(name))
	for i, r := range letters {
		touches := i > 0 && unicode.IsLetter(letters[i-1]) || i+1 < len(letters) && unicode.IsLetter(letters[i+1])
		if letter, ok := asLetters[r]; ok && touches {
			letters[i] = letter
		}
	}
	return string(letters)
}

// speller knows the words for hazards by their letters.
type speller struct {
	targets []target
	plain   map[string]bool     // words that are what they are
	glued   map[string][]string // what counts only together, without its blanks
}

// target is a word that a misspelt one may be.
type target struct {
	text, squeezed string
	letters        uint64 // see edits.Letters
}

// spelling returns the words, which are read when a name is first looked at.
var spelling = sync.OnceValue(func() *speller {
	s := &speller{plain: make(map[string]bool), glued: make(map[string][]string)}
	k := known()
	texts := make(map[string]bool)
	add := func(text string) {
		if len(text) >= shortestTarget {
			texts[text] = true
		}
	}
	for _, list := range []map[string]Hazard{k.alone, k.tails, k.begins} {
		for w := range list {
			add(w)
		}
	}
	for w := range k.openers {
		add(w)
	}
	for w := range k.together {
		parts := strings.Fields(w)
		whole := strings.Join(parts, "")
		s.glued[whole] = parts
		add(whole)
		for _, part := range parts {
			if len(part) >= shortestPart {
				add(part)
			}
		}
	}
	for _, language := range sentences.EveryWords() {
		h := &language.Hazards
		for _, head := range h.Heads {
			for _, by := range []sentences.ByHazard{h.Words, h.Tails} {
				for _, w := range slices.Concat(by.Gate, by.Hot, by.Wet, by.Loud) {
					if wordHazard(head+w) != 0 {
						add(head + w)
					}
				}
			}
		}
		s.know(language)
	}
	for text := range texts {
		s.targets = append(s.targets, target{text, squeeze(text), edits.Letters(text)})
	}
	slices.SortFunc(s.targets, func(a, b target) int { // what is dangerous alone comes first
		alone := func(t target) int { return map[bool]int{true: 0, false: 1}[wordHazard(t.text) != 0] }
		return cmp.Or(alone(a)-alone(b), strings.Compare(a.text, b.text))
	})
	return s
})

// know adds the words of a language that mean themselves, however like a hazard they
// look.
func (s *speller) know(language *sentences.Words) {
	h, n, o := &language.Hazards, &language.Names, &language.Openings
	lists := append(slices.Clone(n.Kinds), n.Household, n.Several, h.None, h.Rooms, h.Appliances, h.BeforeRoom, h.Carriers, h.Prepositions,
		h.Conjunctions, h.Articles, h.Heads, h.Unlike, h.NotLights, o.Door, o.Window, o.Garage, o.Gate, o.Hatch)
	for _, about := range []sentences.About{h.Lights, h.Shades, h.Harmless} {
		lists = append(lists, about.Last, about.First)
	}
	for _, list := range lists {
		for _, text := range list {
			for _, w := range words(text) {
				s.plain[w] = true
			}
		}
	}
}

// means reports whether a word is one that we know, and so is not misspelt.
func (s *speller) means(w string) bool {
	k := known()
	return s.plain[w] || s.plain[strings.TrimSuffix(w, "s")] || wordHazard(w) != 0 || k.begins[w] != 0 ||
		phrase{w}.about(&k.lights) || phrase{w}.about(&k.shades)
}

// correct is a word put right: itself if it is known or like nothing, else the word
// that it is a slip of, or the two words that are glued in it.
func (s *speller) correct(w string) phrase {
	if len(w) < shortestWord || len(w) > edits.MaxLetters || s.means(w) {
		return phrase{w}
	}
	if p := s.one(w); p != nil {
		return p
	}
	for n := shortestHead; n <= len(w)-shortestTarget; n++ { // "watervalve"
		head, tail := w[:n], w[n:]
		if !s.plain[head] && wordHazard(head) == 0 {
			continue
		}
		if known().alone[tail] != 0 {
			return phrase{head, tail}
		}
		if t := s.nearest(tail); t != "" && len(tail) >= surelyLong && !s.means(tail) {
			return phrase{head, t}
		}
	}
	return phrase{w}
}

// join is what words are that were one word before somebody cut it, nil if they were
// not: "Si ren", "Ba ckofen", "S i r e n".
func (s *speller) join(parts phrase) phrase {
	whole, single, strange := strings.Join(parts, ""), true, false
	for _, w := range parts {
		single = single && len(w) == 1
		strange = strange || !s.means(w)
	}
	switch {
	case len(whole) > edits.MaxLetters, len(parts) > 3 && !single, !single && len(parts[len(parts)-1]) == 1: // "Port E"
		return nil
	case s.glued[whole] != nil:
		return s.glued[whole]
	case known().alone[whole] != 0 && (strange || len(whole) > shortestTarget+1), strange && wordHazard(whole) != 0:
		return phrase{whole}
	case !strange || s.means(whole):
		return nil
	}
	return s.one(whole)
}

// one is what a word is a slip of, with its blanks where it counts only together with
// others; nil if it is like nothing.
func (s *speller) one(w string) phrase {
	t := s.nearest(w)
	if parts := s.glued[t]; parts != nil {
		return parts
	}
	if t == "" {
		return nil
	}
	return phrase{t}
}

// Lengths, in letters, from which a word may be misspelt, and by how much: with a
// letter more replaced or lost a short word is another word, and a long one is hardly
// ever.
const (
	shortestWord   = 2
	shortestHead   = 3
	shortestTarget = 3
	shortestPart   = 4  // of words that are dangerous only together; a word of these may also lack a letter
	barelyLong     = 5  // a letter may be replaced by one that is easily taken for it
	surelyLong     = 6  // the first letter may be lost
	veryLong       = 7  // there may be a letter too many
	twoSlips       = 8  // any letter but the first may be replaced; two slips, if no letter is new
	twoChanges     = 10 // two slips of any kind
)

// nearest is the target that a word is a slip of, or "".
func (s *speller) nearest(w string) string {
	squeezed, letters := squeeze(w), edits.Letters(w)
	twin := strings.ReplaceAll(strings.ReplaceAll(w, "rn", "m"), "vv", "w") // in some typefaces these look the same
	var pattern, squeezedPattern edits.Pattern
	pattern.Set(w)
	squeezedPattern.Set(squeezed)
	best, least := "", 3
	for i := range s.targets {
		t := &s.targets[i]
		longer := len(squeezed) - len(t.squeezed)
		switch {
		case longer < -2 || longer > 2:
			continue
		case squeezed == t.squeezed, twin == t.text:
			return t.text
		case bits.OnesCount64(letters&^t.letters) > 2, bits.OnesCount64(t.letters&^letters) > 2:
			continue
		}
		if d := pattern.Distance(t.text); d < least && slips(w, t.text, d) {
			best, least = t.text, d
		}
		if d := 1 + squeezedPattern.Distance(t.squeezed); squeezed != w && d < least && len(t.squeezed) >= veryLong && slips(squeezed, t.squeezed, d-1) {
			best, least = t.text, d // a letter doubled, and another slip
		}
	}
	return best
}

// slips reports whether a word that is d changes away from another may be that one
// misspelt.
func slips(w, right string, d int) bool {
	n, begins := len(right), w[0] == right[0]
	switch more := len(w) - n; {
	case d == 2:
		same := edits.Letters(w)&^edits.Letters(right) == 0
		return begins && (n >= twoChanges || n >= twoSlips && same && more >= -1 && more <= 1)
	case d != 1:
		return false
	case more == 1:
		return n >= veryLong
	case more == -1:
		return n >= surelyLong || n >= shortestPart && begins
	}
	i := 0
	for w[i] == right[i] {
		i++
	}
	if swaps(w[i:], right[i:]) {
		return n > shortestTarget || begins
	}
	return begins && (n >= twoSlips || n >= barelyLong && takenFor(w[i], right[i]))
}

// swaps reports whether two texts of one length begin with the same two letters in
// another order.
func swaps(a, b string) bool { return len(a) > 1 && a[0] == b[1] && a[1] == b[0] }

// takenFor reports whether a letter is easily written for another: a vowel for a
// vowel, one that sounds alike, or the one beside it on a keyboard.
func takenFor(a, b byte) bool {
	const vowels, pairs = "aeiouy", "bp dt gk ck cs sz vw fv fp mn gj jy qk qw we er rt ty tz yu ui io op as sd df fg gh hj jk kl zx yx xc cv vb bn nm"
	if strings.IndexByte(vowels, a) >= 0 && strings.IndexByte(vowels, b) >= 0 {
		return true
	}
	return strings.Contains(pairs, string([]byte{a, b})) || strings.Contains(pairs, string([]byte{b, a}))
}

// squeeze writes each run of one letter once.
func squeeze(w string) string { return string(slices.Compact([]byte(w))) }
