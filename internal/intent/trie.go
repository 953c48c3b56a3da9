package intent

import "slices"

// trie finds every entry that is a prefix of a text, in one walk.
type trie struct {
	nodes []trieNode
	count int32 // how many numbers number has given out
}

type trieNode struct {
	edges  []trieEdge
	values []int32 // the values of the entries that end here
}

type trieEdge struct {
	char byte
	to   int32
}

func (t *trie) add(text string, value int32) {
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, trieNode{})
	}
	at := int32(0)
	for i := range len(text) {
		to := t.nodes[at].follow(text[i])
		if to < 0 {
			to = int32(len(t.nodes))
			t.nodes = append(t.nodes, trieNode{})
			t.nodes[at].edges = append(t.nodes[at].edges, trieEdge{text[i], to})
		}
		at = to
	}
	n := &t.nodes[at]
	if !slices.Contains(n.values, value) {
		n.values = append(n.values, value)
	}
}

func (n *trieNode) follow(c byte) int32 {
	for _, e := range n.edges {
		if e.char == c {
			return e.to
		}
	}
	return -1
}

// begins reports whether an entry begins with a character.
func (t *trie) begins(c byte) bool { return len(t.nodes) > 0 && t.nodes[0].follow(c) >= 0 }

// step follows one character; a hyphen in the text may stand for a space.
func (t *trie) step(at int32, c byte) int32 {
	to := t.nodes[at].follow(c)
	if to < 0 && (c == '-' || c == '_') {
		to = t.nodes[at].follow(' ')
	}
	return to
}

// within reports whether an entry stands anywhere in a text.
func (t *trie) within(text string) bool {
	if len(t.nodes) == 0 {
		return false
	}
	for start := range len(text) {
		at := int32(0)
		for i := start; i < len(text); i++ {
			if at = t.step(at, text[i]); at < 0 {
				break
			}
			if len(t.nodes[at].values) > 0 {
				return true
			}
		}
	}
	return false
}
