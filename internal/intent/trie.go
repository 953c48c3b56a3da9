package intent

import (
	"bytes"
	"slices"
)

// trie finds every entry that is a prefix of a text, in one walk. It is packed into a few
// pieces of memory: what follows one node stands together, in the order of the nodes.
type trie struct {
	nodes  []trieNode // the first begins every entry; one more stands at the end
	chars  []byte     // by node: the last character of what has led to it
	values []int32
	starts [256]uint8 // the nodes that follow the first, by their characters, counted from one; most texts go no further
}

// trieNode tells where what belongs to it begins; it ends where that of the next node begins.
type trieNode struct {
	follow int32 // the nodes that are one character further
	values int32 // the values of the entries that end here
}

func (t *trie) empty() bool { return len(t.nodes) == 0 }

// follow returns the node that a character leads to, or -1.
func (t *trie) follow(at int32, c byte) int32 {
	from := t.nodes[at].follow
	i := bytes.IndexByte(t.chars[from:t.nodes[at+1].follow], c)
	if i < 0 {
		return -1
	}
	return from + int32(i)
}

// start returns the node that the first character of an entry leads to, or -1.
func (t *trie) start(c byte) int32 {
	if i := t.starts[c]; i != 0 {
		return t.nodes[0].follow + int32(i) - 1
	}
	return -1
}

// endingAt returns the values of the entries that end at a node.
func (t *trie) endingAt(at int32) []int32 {
	return t.values[t.nodes[at].values:t.nodes[at+1].values]
}

// begins reports whether an entry begins with a character.
func (t *trie) begins(c byte) bool { return t.starts[c] != 0 }

// step follows one character; a hyphen in the text may stand for a space.
func (t *trie) step(at int32, c byte) int32 {
	to := t.follow(at, c)
	if to < 0 && (c == '-' || c == '_') {
		to = t.follow(at, ' ')
	}
	return to
}

// within reports whether an entry stands anywhere in a text.
func (t *trie) within(text string) bool {
	if t.empty() {
		return false
	}
	for from := range len(text) {
		at := t.start(text[from])
		if at < 0 && (text[from] == '-' || text[from] == '_') {
			at = t.start(' ')
		}
		for i := from + 1; at >= 0; i++ {
			if len(t.endingAt(at)) > 0 {
				return true
			}
			if i == len(text) {
				break
			}
			at = t.step(at, text[i])
		}
	}
	return false
}

// growingTrie is a trie to which entries are added.
type growingTrie struct {
	nodes []growingNode
	count int32 // how many numbers number has given out
}

type growingNode struct {
	char    byte
	sibling int32 // the next node with the same beginning, 0: none
	follow  int32 // the first node that is one character further, 0: none
	values  []int32
}

func (g *growingTrie) add(text string, value int32) {
	if len(g.nodes) == 0 {
		g.nodes = append(g.nodes, growingNode{})
	}
	at := int32(0)
	for i := range len(text) {
		to := g.follow(at, text[i])
		if to == 0 {
			to = int32(len(g.nodes))
			g.nodes = append(g.nodes, growingNode{char: text[i], sibling: g.nodes[at].follow})
			g.nodes[at].follow = to
		}
		at = to
	}
	n := &g.nodes[at]
	if !slices.Contains(n.values, value) {
		n.values = append(n.values, value)
	}
}

// follow returns the node that a character leads to, or 0.
func (g *growingTrie) follow(at int32, c byte) int32 {
	to := g.nodes[at].follow
	for to != 0 && g.nodes[to].char != c {
		to = g.nodes[to].sibling
	}
	return to
}

// number returns the number of a piece of text, which is a new number for a new
// piece.
func (g *growingTrie) number(piece string) int32 {
	if len(g.nodes) > 0 {
		at, i := int32(0), 0
		for ; i < len(piece) && (i == 0 || at != 0); i++ {
			at = g.follow(at, piece[i])
		}
		if at != 0 && len(g.nodes[at].values) > 0 {
			return g.nodes[at].values[0]
		}
	}
	id := g.count
	g.count++
	g.add(piece, id)
	return id
}

// pack returns the trie of all entries.
func (g *growingTrie) pack() trie {
	if len(g.nodes) == 0 {
		return trie{}
	}
	order := make([]int32, 1, len(g.nodes)) // the first node, then what follows each
	t := trie{nodes: make([]trieNode, 0, len(g.nodes)+1), chars: make([]byte, 1, len(g.nodes))}
	values := 0
	for i := range g.nodes {
		values += len(g.nodes[i].values)
	}
	t.values = make([]int32, 0, values)
	for i := 0; i < len(order); i++ {
		n := &g.nodes[order[i]]
		t.nodes = append(t.nodes, trieNode{follow: int32(len(order)), values: int32(len(t.values))})
		t.values = append(t.values, n.values...)
		for to := n.follow; to != 0; to = g.nodes[to].sibling {
			order, t.chars = append(order, to), append(t.chars, g.nodes[to].char)
		}
	}
	t.nodes = append(t.nodes, trieNode{follow: int32(len(order)), values: int32(len(t.values))})
	for i, c := range t.chars[1:t.nodes[1].follow] {
		t.starts[c] = uint8(i + 1) // a text in UTF-8 does not have all of 256 bytes
	}
	return t
}
