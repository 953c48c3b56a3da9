package numbers

import "strings"

// trie finds the numbers a text begins with. A space in an entry is a border
// between the parts of a number, which recognisers write as a space, a hyphen or
// not at all: "twenty one", "twenty-one", "twentyone", "ein und zwanzig".
type trie struct{ nodes []trieNode }

// trieNode is one letter. Its children are a list linked by next, which keeps a
// node at sixteen bytes.
type trieNode struct {
	char        byte
	ends        bool
	tenths      int32 // the value, if an entry ends here
	child, next int32 // 0 means none, because the root is never a child
}

func (t *trie) add(text string, tenths int32) {
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, trieNode{})
	}
	at := int32(0)
	for i := range len(text) {
		to := t.child(at, text[i])
		if to == 0 {
			to = int32(len(t.nodes))
			t.nodes = append(t.nodes, trieNode{char: text[i], next: t.nodes[at].child})
			t.nodes[at].child = to
		}
		at = to
	}
	if n := &t.nodes[at]; !n.ends { // the first value entered is kept
		n.ends, n.tenths = true, tenths
	}
}

func (t *trie) child(at int32, c byte) int32 {
	for to := t.nodes[at].child; to != 0; to = t.nodes[to].next {
		if t.nodes[to].char == c {
			return to
		}
	}
	return 0
}

// hit is an entry that a text begins with.
type hit struct {
	tenths int32
	length int
}

// walk appends every entry that text begins with. No node is passed twice, so
// the work is bounded by the table whatever the text is.
func (t *trie) walk(hits []hit, text string) []hit {
	if len(t.nodes) == 0 {
		return hits
	}
	return t.from(hits, text, 0, 0)
}

func (t *trie) from(hits []hit, text string, at int32, i int) []hit {
	for i < len(text) {
		border := t.child(at, ' ')
		if isBorder(text[i]) {
			if border == 0 {
				return hits
			}
			at = border
			i++
			continue
		}
		to := t.child(at, text[i])
		if border != 0 {
			if to != 0 { // both continue: "sixteen", and "six thousand" written in one word
				hits = t.from(hits, text, border, i)
			} else {
				at = border
				continue
			}
		}
		if to == 0 {
			return hits
		}
		at = to
		i++
		if n := &t.nodes[at]; n.ends {
			hits = append(hits, hit{n.tenths, i})
		}
	}
	return hits
}

func isBorder(c byte) bool { return c == ' ' || c == '-' || c == '_' }

// prefix is the length of phrase at the start of text, its spaces being borders;
// 0 if it is not there.
func prefix(text, phrase string) int {
	i := 0
	for j := range len(phrase) {
		switch {
		case phrase[j] == ' ':
			if i < len(text) && isBorder(text[i]) {
				i++
			}
		case i >= len(text) || text[i] != phrase[j]:
			return 0
		default:
			i++
		}
	}
	return i
}

// wordEnds reports whether a word is complete at byte i.
func wordEnds(text string, i int) bool {
	return i >= len(text) || strings.IndexByte(" -_%", text[i]) >= 0
}
