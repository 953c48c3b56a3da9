package home

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// Names are typed by hand, and "Siern" on a relay means the siren. So names are read
// twice: as they are written (NamesHazard), and with each unknown word corrected that is
// nearly one of the words for hazards (LikelyHazard). The rule for names about a lamp, a
// room or a fan is the same for both.

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

// mostWords bounds how many words of a name are corrected; later words are left as they
// are.
const mostWords = 12

// likelyPhrases returns the ways to read a name that may be misspelt; the first is the
// name as it is written.
func likelyPhrases(name string) []phrase {
	written := splitName(name)
	all := []phrase{written}
	add := func(p phrase) {
		if !slices.ContainsFunc(all, func(q phrase) bool { return slices.Equal(p, q) }) {
			all = append(all, p)
		}
	}
	ways := []phrase{written}
	for _, one := range "il" {
		if p := splitName(withoutDigits(name, one)); !slices.Equal(p, ways[len(ways)-1]) {
			ways = append(ways, p)
		}
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

// asLetters are digits that look like letters; a 1 looks like two.
var asLetters = map[rune]rune{'0': 'o', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b'}

// withoutDigits writes the digits that touch letters as the letters that they look
// like, and a 1 as the given one: "G4rage".
func withoutDigits(name string, one rune) string {
	letters := []rune(lookOf(name))
	for i, r := range letters {
		touches := i > 0 && unicode.IsLetter(letters[i-1]) || i+1 < len(letters) && unicode.IsLetter(letters[i+1])
		if !touches {
			continue
		}
		if letter, ok := asLetters[r]; ok {
			letters[i] = letter
		} else if r == '1' {
			letters[i] = one
		}
	}
	return string(letters)
}

// speller knows the words for hazards by their letters.
type speller struct {
	targets []target
	drives  []target            // the long ones of what moves a thing: see en_words.yaml
	plain   map[string]bool     // words that are what they are
	glued   map[string][]string // what counts only together, without its blanks
}

// target is a correct word that a misspelt one may stand for.
type target struct {
	text     string
	bare     string // without what spells out an umlaut, because letters swapped in "Tür" are no neighbours in "tuer"
	squeezed string // bare, with each run of one letter written once
	letters  uint64 // see text.Letters
}

func newTarget(word string) target {
	bare := umlauts.Replace(word)
	return target{word, bare, string(slices.Compact([]byte(bare))), text.Letters(word)}
}

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// LoadHazards reads the words by which names are judged, in 25 ms on a server's core. Otherwise the
// first name that is judged waits for it.
func LoadHazards() { spelling() }

// spelling returns the words, which are read when a name is first looked at.
var spelling = sync.OnceValue(func() *speller {
	s := &speller{plain: make(map[string]bool), glued: make(map[string][]string)}
	texts := make(map[string]bool)
	for _, list := range [][]string{s.together(), alone(), compounds(), s.drivenForms()} {
		for _, w := range list {
			texts[w] = len(w) >= shortestTarget
		}
	}
	for text, long := range texts {
		if long {
			s.targets = append(s.targets, newTarget(text))
		}
	}
	slices.SortFunc(s.targets, func(a, b target) int { // what is dangerous alone comes first
		part := func(t target) int { return map[bool]int{true: 0, false: 1}[wordHazard(t.text) != 0] }
		return cmp.Or(part(a)-part(b), strings.Compare(a.text, b.text))
	})
	for _, language := range sentences.EveryWords() {
		s.know(language)
	}
	return s
})

// alone lists the words that are dangerous by themselves or in their room.
func alone() (all []string) {
	k := known()
	for _, list := range []map[string]Hazard{k.alone, k.tails, k.begins} {
		all = slices.AppendSeq(all, maps.Keys(list))
	}
	return slices.AppendSeq(all, maps.Keys(k.openers))
}

// together lists the words that are dangerous only together, each and as one.
func (s *speller) together() (all []string) {
	for w := range known().together {
		parts := strings.Fields(w)
		whole := strings.Join(parts, "")
		s.glued[whole] = parts
		all = append(all, whole)
		for _, part := range parts {
			if len(part) >= shortestPart {
				all = append(all, part)
			}
		}
	}
	return all
}

// compounds lists the words that are glued of a head and a hazard: "garagentor".
func compounds() (all []string) {
	for _, language := range sentences.EveryWords() {
		h := &language.Hazards
		for _, by := range []sentences.ByHazard{h.Words, h.Tails} {
			for _, w := range slices.Concat(by.Gate, by.Hot, by.Wet, by.Loud) {
				for _, head := range h.Heads {
					if wordHazard(head+w) != 0 {
						all = append(all, head+w)
					}
				}
			}
		}
	}
	return all
}

// drivenForms lists what is glued of a short word for a gate and what drives it, and keeps
// the long ones of these: "tueroeffner".
func (s *speller) drivenForms() (all []string) {
	k := known()
	for _, drive := range k.drives {
		if len(drive) < surelyLong {
			continue
		}
		s.drives = append(s.drives, newTarget(drive))
		for w := range k.alone {
			if len(w) <= barelyLong && wordHazard(w) == Gate {
				all = append(all, w+drive)
			}
		}
	}
	return all
}

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
			for _, w := range splitName(text) {
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

// correct returns a word as it was probably meant: itself if it is known or similar to no
// word, else the word it is a misspelling of, or the two words that are joined in it.
func (s *speller) correct(w string) phrase {
	if len(w) < shortestWord || len(w) > text.MaxLetters || s.means(w) {
		return phrase{w}
	}
	if p := s.one(w); p != nil {
		return p
	}
	for n := shortestWord; n <= len(w)-shortestTarget; n++ {
		if p := s.cut(w[:n], w[n:]); p != nil {
			return p
		}
	}
	return phrase{w}
}

// cut is what the two halves of a word are if it was glued of two: "watervalve",
// "laporte", "garagerelay", or a gate and what drives it; nil if it was not.
func (s *speller) cut(head, tail string) phrase {
	k := known()
	hazard := wordHazard(head) != 0
	begins := len(head) >= shortestHead && (hazard || s.plain[head])
	switch {
	case k.alone[tail] != 0:
		if k.articles[head] && len(tail) >= barelyLong || begins {
			return phrase{head, tail}
		}
	case slices.Contains(k.drives, tail):
		if right := strings.Join(s.correct(head), ""); right != head {
			return phrase{right + tail}
		}
	case s.means(tail):
		if hazard && s.plain[tail] && min(len(head)-1, len(tail)) >= shortestHead {
			return phrase{head, tail}
		}
	case begins && len(tail) >= surelyLong:
		return s.cutAndCorrect(head, tail, hazard)
	}
	return nil
}

// cutAndCorrect does the same where the second half is misspelt.
func (s *speller) cutAndCorrect(head, tail string, hazard bool) phrase {
	if t := nearest(s.targets, tail); t != "" {
		return phrase{head, t}
	}
	if drive := nearest(s.drives, tail); drive != "" && hazard {
		return phrase{head + drive}
	}
	return nil
}

// join puts the pieces of a word together that was cut by mistake: "Si ren", "Ba ckofen",
// "S i r e n". It returns nil if the pieces were not one word.
func (s *speller) join(parts phrase) phrase {
	whole, single, strange := strings.Join(parts, ""), true, false
	for _, w := range parts {
		single = single && len(w) == 1
		strange = strange || !s.means(w)
	}
	switch {
	case len(whole) > text.MaxLetters, len(parts) > 3 && !single, !single && len(parts[len(parts)-1]) == 1: // "Port E"
		return nil
	case s.glued[whole] != nil:
		return s.glued[whole]
	case known().alone[whole] != 0 && (strange || len(whole) > shortestTarget), strange && wordHazard(whole) != 0:
		return phrase{whole}
	case !strange || s.means(whole):
		return nil
	}
	return s.one(whole)
}

// one returns the word that w is a misspelling of, as a phrase of several words if it
// counts only in that phrase; nil if there is none.
func (s *speller) one(w string) phrase {
	t := nearest(s.targets, w)
	if parts := s.glued[t]; parts != nil {
		return parts
	}
	if t == "" {
		return nil
	}
	return phrase{t}
}

// Lengths, in letters, from which a word may be misspelt, and by how much. In a short
// word, one more replaced or lost letter makes another word; in a long one hardly ever.
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
func nearest(targets []target, word string) string {
	w := newTarget(word)
	twin := strings.ReplaceAll(strings.ReplaceAll(word, "rn", "m"), "vv", "w") // in some typefaces these look the same
	var pattern, bare, squeezed text.Pattern
	pattern.Set(w.text)
	bare.Set(w.bare)
	squeezed.Set(w.squeezed)
	best, least := "", 3
	for i := range targets {
		t := &targets[i]
		longer := len(w.squeezed) - len(t.squeezed)
		switch {
		case longer < -2 || longer > 2:
			continue
		case w.squeezed == t.squeezed, twin == t.text:
			return t.text
		case bits.OnesCount64(w.letters&^t.letters) > 2, bits.OnesCount64(t.letters&^w.letters) > 2:
			continue
		}
		if d, ok := t.distance(&w, &pattern, &bare, &squeezed); ok && d < least {
			best, least = t.text, d
		}
	}
	return best
}

// distance returns how many changes turn a word w into the target, and whether w may be a
// misspelling of it: as it is written, without umlauts, or with a letter doubled besides
// another slip. The patterns are those of w.
func (t *target) distance(w *target, text, bare, squeezed *text.Pattern) (int, bool) {
	if d := text.Distance(t.text); slips(w.text, t.text, d) {
		return d, true
	}
	if len(t.bare) < len(t.text) && len(t.bare) >= barelyLong && len(w.bare) >= len(t.bare) {
		if d := bare.Distance(t.bare); d == 1 && slips(w.bare, t.bare, d) {
			return d, true
		}
	}
	if len(w.squeezed) < len(w.bare) && len(t.squeezed) >= veryLong {
		d := squeezed.Distance(t.squeezed)
		return 1 + d, slips(w.squeezed, t.squeezed, d)
	}
	return 0, false
}

// slips reports whether a word that is d changes away from another may be that one
// misspelt.
func slips(w, right string, d int) bool {
	n, begins := len(right), w[0] == right[0]
	switch more := len(w) - n; {
	case d == 2:
		few := n >= twoSlips && more >= -1 && more <= 1 && text.Letters(w)&^text.Letters(right) == 0
		return begins && (few || n >= twoChanges)
	case d != 1:
		return false
	case more == 1:
		return n >= veryLong
	case more == -1:
		return n >= surelyLong || n >= shortestPart && begins
	}
	return replaces(w, right, begins)
}

// replaces does the same for words of one length: two letters are swapped, or one is
// another.
func replaces(w, right string, begins bool) bool {
	i, n := 0, len(right)
	for w[i] == right[i] {
		i++
	}
	if j := i + 1; j < n && w[i] == right[j] && w[j] == right[i] {
		return n > shortestTarget || begins
	}
	return begins && (n >= twoSlips || n >= barelyLong && takenFor(w[i], right[i]))
}

// takenFor reports whether a letter is easily written for another: a vowel for a
// vowel, one that sounds alike, or the one beside it on a keyboard.
func takenFor(a, b byte) bool {
	const vowels, pairs = "aeiouy", "bp dt gk ck cs sz vw fv fp mn gj jy qk qw we er rt ty tz yu ui io op as sd df fg gh hj jk kl zx yx xc cv vb bn nm"
	if strings.IndexByte(vowels, a) >= 0 && strings.IndexByte(vowels, b) >= 0 {
		return true
	}
	return strings.Contains(pairs, string([]byte{a, b})) || strings.Contains(pairs, string([]byte{b, a}))
}
