package grammar

import (
	"slices"
	"strings"
)

// nodeKind says what a node is.
type nodeKind uint8

const (
	wordNode nodeKind = iota
	sequence          // all items; none: nothing
	choice            // one of the items
)

// node is a piece of grammar made of words only.
type node struct {
	kind  nodeKind
	word  string
	items []*node
	rule  string // the name it is shared under, or ""
}

// empty reports whether the node stands for no word at all.
func (n *node) empty() bool { return n.kind == sequence && len(n.items) == 0 }

// addWords adds the words of a node to a set.
func (n *node) addWords(set map[string]bool) {
	if n.kind == wordNode {
		set[n.word] = true
	}
	for _, item := range n.items {
		item.addWords(set)
	}
}

// first appends the words of one text that the node stands for.
func (n *node) first(out []string) []string {
	switch n.kind {
	case wordNode:
		return append(out, n.word)
	case sequence:
		for _, item := range n.items {
			out = item.first(out)
		}
		return out
	case choice:
	}
	return n.items[0].first(out)
}

// phrasesNode is the choice of texts, with common beginnings shared and equal
// ends merged: "twenty|thirty [one|two]" instead of every number. nil for none.
func phrasesNode(texts []string) *node {
	if len(texts) == 0 {
		return nil
	}
	root := &prefix{next: map[string]*prefix{}}
	for _, text := range texts {
		at := root
		for word := range strings.FieldsSeq(text) {
			if at.next[word] == nil {
				at.next[word] = &prefix{next: map[string]*prefix{}}
				at.order = append(at.order, word)
			}
			at = at.next[word]
		}
		at.end = true
	}
	return root.node()
}

// prefix is a tree of words.
type prefix struct {
	next  map[string]*prefix
	order []string
	end   bool
	text  string // canonical form of what follows, once known
}

// key is equal for two trees with the same continuations.
func (p *prefix) key() string {
	if p.text != "" {
		return p.text
	}
	var b strings.Builder
	if p.end {
		b.WriteByte('.')
	}
	for _, word := range slices.Sorted(slices.Values(p.order)) {
		b.WriteString("(" + word + p.next[word].key() + ")")
	}
	b.WriteByte('/')
	p.text = b.String()
	return p.text
}

func (p *prefix) node() *node {
	out := &node{kind: choice}
	heads := map[string]*node{} // continuation -> the words that lead to it
	for _, word := range p.order {
		following := p.next[word]
		key := following.key()
		if head, ok := heads[key]; ok {
			head.items = append(head.items, &node{kind: wordNode, word: word})
			continue
		}
		head := &node{kind: choice, items: []*node{{kind: wordNode, word: word}}}
		heads[key] = head
		item := head
		if len(following.order) > 0 {
			item = &node{kind: sequence, items: []*node{head, following.node()}}
		}
		out.items = append(out.items, item)
	}
	if p.end {
		out.items = append(out.items, &node{kind: sequence})
	}
	return out
}
