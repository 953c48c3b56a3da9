package template

import "encoding/binary"

// Pool parses templates and keeps every equal part of them once: a pack has the same
// words and the same choices again and again. The nil pool shares nothing. It may be
// used by one goroutine at a time.
type Pool struct {
	texts  map[string]*Node
	leaves map[leaf]*Node
	groups map[string]*Node // by kind and the numbers of the items
	count  uint32
}

// leaf is what makes two nodes equal that are neither text nor groups.
type leaf struct {
	kind             Kind
	name, slot       string
	capture, wordEnd bool
	from, to, step   int
}

// NewPool returns a pool without nodes.
func NewPool() *Pool {
	return &Pool{texts: make(map[string]*Node), leaves: make(map[leaf]*Node), groups: make(map[string]*Node)}
}

// Parse is the function Parse, with the parts of the templates before it.
func (p *Pool) Parse(s string) (*Node, error) {
	n, err := Parse(s)
	if err != nil || p == nil {
		return n, err
	}
	return p.share(n), nil
}

// share returns the pool's node that equals n. The pool takes n itself if it has no such
// node.
func (p *Pool) share(n *Node) *Node {
	switch {
	case n.Kind == Text:
		return keep(p, p.texts, n.Text, n)
	case len(n.Items) == 0:
		return keep(p, p.leaves, leaf{n.Kind, n.Name, n.Slot, n.Capture, n.WordEnd, n.From, n.To, n.Step}, n)
	}
	var room [64]byte
	key := append(room[:0], byte(n.Kind))
	for i, item := range n.Items {
		n.Items[i] = p.share(item)
		key = binary.AppendUvarint(key, uint64(n.Items[i].number))
	}
	if known := p.groups[string(key)]; known != nil {
		return known
	}
	n.Items = append(make([]*Node, 0, len(n.Items)), n.Items...) // without the room to grow
	return keep(p, p.groups, string(key), n)
}

// keep returns the node that is known by a key: n, if there was none.
func keep[K comparable](p *Pool, known map[K]*Node, key K, n *Node) *Node {
	if old := known[key]; old != nil {
		return old
	}
	p.count++
	n.number = p.count
	known[key] = n
	return n
}
