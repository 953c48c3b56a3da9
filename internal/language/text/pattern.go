package text

import "math/bits"

// MaxLetters bounds a compared text; longer ones are cut. It is the width of the
// words in which a pattern is compared.
const MaxLetters = 64

// Pattern is a text made ready to be compared with many others, letter by letter
// in parallel: one bit of a word for each letter of the text.
type Pattern struct {
	text string
	at   [256]uint64 // by byte: where it stands in text
}

// Set makes a text the pattern; what is longer than MaxLetters is cut.
func (p *Pattern) Set(text string) {
	for i := range len(p.text) {
		p.at[p.text[i]] = 0
	}
	p.text = text[:min(len(text), MaxLetters)]
	for i := range len(p.text) {
		p.at[p.text[i]] |= 1 << i
	}
}

// Distance counts the letters to insert, delete, replace or swap with their
// neighbour to make b of the pattern, by Hyyrö's bit-parallel algorithm.
func (p *Pattern) Distance(b string) int {
	b = b[:min(len(b), MaxLetters)]
	if p.text == "" {
		return len(b)
	}
	last := uint64(1) << (len(p.text) - 1)
	plus, minus := ^uint64(0), uint64(0) // where a row of the table rises and falls
	var diagonal, before uint64
	d := len(p.text)
	for i := range len(b) {
		here := p.at[b[i]]
		swapped := (^diagonal & here) << 1 & before
		diagonal = ((here & plus) + plus) ^ plus | here | minus | swapped
		up, down := minus|^(diagonal|plus), diagonal&plus
		if up&last != 0 {
			d++
		}
		if down&last != 0 {
			d--
		}
		up, down = up<<1|1, down<<1
		plus, minus = down|^(diagonal|up), up&diagonal
		before = here
	}
	return d
}

// Likeness is one minus the distance to b as a share of the longer text.
func (p *Pattern) Likeness(b string) float64 {
	longest := max(len(p.text), min(len(b), MaxLetters))
	if longest == 0 {
		return 1
	}
	return 1 - float64(p.Distance(b))/float64(longest)
}

// JaroWinkler is the likeness to b, from 0 to 1, that favours the same beginning.
func (p *Pattern) JaroWinkler(b string) float64 {
	a := p.text
	b = b[:min(len(b), MaxLetters)]
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	window := max(max(len(a), len(b))/2-1, 0)
	var usedA, usedB uint64
	for j := range len(b) {
		from := max(0, j-window)
		reach := uint64(1)<<min(63, j+window+1-from) - 1
		if free := p.at[b[j]] &^ usedA & (reach << from); free != 0 {
			usedA |= free & -free
			usedB |= 1 << j
		}
	}
	common := bits.OnesCount64(usedA)
	if common == 0 {
		return 0
	}
	swaps := 0
	for x, y := usedA, usedB; x != 0; x, y = x&(x-1), y&(y-1) {
		if a[bits.TrailingZeros64(x)] != b[bits.TrailingZeros64(y)] {
			swaps++
		}
	}
	c := float64(common)
	jaro := (c/float64(len(a)) + c/float64(len(b)) + (c-float64(swaps)/2)/c) / 3
	prefix := 0
	for prefix < min(4, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return jaro + 0.1*float64(prefix)*(1-jaro)
}

// Letters is the set of the letters of a text, for a quick bound on distances:
// replacing one letter changes at most two members.
func Letters(text string) uint64 {
	var set uint64
	for i := range min(len(text), MaxLetters) {
		set |= 1 << (text[i] & 63)
	}
	return set
}
