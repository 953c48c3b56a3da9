package template

import (
	"fmt"
	"strings"
)

// PhraseKind says what a Phrase is.
type PhraseKind uint8

// The forms of a phrase.
const (
	Word  PhraseKind = iota // one whole word
	All                     // its items one after the other; an empty text without items
	Any                     // one of its items
	Value                   // a value of a list or range
	Named                   // Items[0], shared under the name of a rule
)

// Phrase is a template cut into whole words: "light[s]" has become the choice
// between "light" and "lights". A recogniser knows words, not characters.
type Phrase struct {
	Kind  PhraseKind
	Text  string // Word: the word; Named: the rule
	Value *Node  // Value: a List or Range
	Items []*Phrase

	// Value: letters glued to the first and to the last word: "l'" in "l'{area}",
	// "'s" in "{area}'s".
	Before, After string
}

// maxSpellings bounds what one glued group such as "turn(s|ing)" may become.
const maxSpellings = 256

// Phrases cuts templates into words.
type Phrases struct {
	rules map[string]*Node
	done  map[string]*Phrase
	depth int
}

// NewPhrases prepares for templates that use these rules.
func NewPhrases(rules map[string]*Node) *Phrases {
	return &Phrases{rules: rules, done: make(map[string]*Phrase)}
}

// Of cuts one template into words. It fails on lists that can only be glued to
// letters, on unknown rules and on rules that contain themselves.
func (p *Phrases) Of(n *Node) (*Phrase, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > 4*maxDepth {
		return nil, fmt.Errorf("rules nested deeper than %d, perhaps in a circle", maxDepth)
	}
	switch n.Kind {
	case Text, Sequence:
		return p.sequence(n)
	case Choice:
		return p.choice(n.Items)
	case Shuffle:
		return p.shuffle(n.Items)
	case List, Range:
		return &Phrase{Kind: Value, Value: n}, nil
	case Rule:
	}
	if done, ok := p.done[n.Name]; ok {
		return done, nil
	}
	body, ok := p.rules[n.Name]
	if !ok {
		return nil, fmt.Errorf("unknown rule <%s>", n.Name)
	}
	inner, err := p.Of(body)
	if err != nil {
		return nil, fmt.Errorf("<%s>: %w", n.Name, err)
	}
	done := &Phrase{Kind: Named, Text: n.Name, Items: []*Phrase{inner}}
	p.done[n.Name] = done
	return done, nil
}

func (p *Phrases) choice(nodes []*Node) (*Phrase, error) {
	out := &Phrase{Kind: Any}
	for _, n := range nodes {
		item, err := p.Of(n)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

func (p *Phrases) shuffle(nodes []*Node) (*Phrase, error) {
	parts := make([]*Phrase, len(nodes))
	for i, n := range nodes {
		item, err := p.Of(n)
		if err != nil {
			return nil, err
		}
		parts[i] = item
	}
	out := &Phrase{Kind: Any}
	for order := range Orders(len(parts)) {
		all := &Phrase{Kind: All}
		for _, i := range order {
			all.Items = append(all.Items, parts[i])
		}
		out.Items = append(out.Items, all)
	}
	return out, nil
}

// sequence joins the parts that have no space between them and cuts the rest.
func (p *Phrases) sequence(n *Node) (*Phrase, error) {
	out := &Phrase{Kind: All}
	var run []*Node // parts without a space between them
	flush := func() error {
		err := p.run(out, run)
		run = run[:0]
		return err
	}
	for _, item := range split(n, nil) {
		if item.Kind == Text && item.Text == " " {
			if err := flush(); err != nil {
				return nil, err
			}
			continue
		}
		run = append(run, item)
	}
	if err := flush(); err != nil {
		return nil, err
	}
	if len(out.Items) == 1 {
		return out.Items[0], nil
	}
	return out, nil
}

// run appends parts that touch each other. If a letter may stand on both sides of
// a border, the parts are spelled out and become one.
func (p *Phrases) run(out *Phrase, nodes []*Node) error {
	for start := 0; start < len(nodes); {
		end := start + 1
		for end < len(nodes) && p.touch(nodes[start:end], nodes[end:]) {
			end++
		}
		part := nodes[start]
		if end-start > 1 {
			glued, err := p.glue(nodes[start:end])
			if err != nil {
				return err
			}
			out.Items = append(out.Items, glued)
		} else if part.Kind == Text {
			if part.Text != "" {
				out.Items = append(out.Items, &Phrase{Kind: Word, Text: part.Text})
			}
		} else {
			item, err := p.Of(part)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, item)
		}
		start = end
	}
	return nil
}

// touch reports whether a word can run across the border between two rows of parts.
func (p *Phrases) touch(left, right []*Node) bool {
	l := p.edge(&Node{Kind: Sequence, Items: left}, false, 0)
	r := p.edge(&Node{Kind: Sequence, Items: right}, true, 0)
	return l.letter && r.letter
}

type edge struct{ letter, space, empty bool }

// edge says what the first (or last) character of a node can be.
func (p *Phrases) edge(n *Node, first bool, depth int) edge {
	if depth > maxDepth {
		return edge{letter: true, space: true, empty: true}
	}
	switch n.Kind {
	case Text:
		if n.Text == "" {
			return edge{empty: true}
		}
		c := n.Text[len(n.Text)-1]
		if first {
			c = n.Text[0]
		}
		return edge{letter: c != ' ', space: c == ' '}
	case List, Range:
		return edge{letter: true}
	case Rule:
		if body, ok := p.rules[n.Name]; ok {
			return p.edge(body, first, depth+1)
		}
		return edge{letter: true}
	case Choice:
		var e edge
		for _, item := range n.Items {
			i := p.edge(item, first, depth+1)
			e = edge{e.letter || i.letter, e.space || i.space, e.empty || i.empty}
		}
		return e
	case Sequence:
		return p.sequenceEdge(n.Items, first, depth)
	case Shuffle:
	}
	return edge{space: true} // a permutation has spaces around each part
}

func (p *Phrases) sequenceEdge(items []*Node, first bool, depth int) edge {
	e := edge{empty: true}
	for i := range items {
		item := items[i]
		if !first {
			item = items[len(items)-1-i]
		}
		next := p.edge(item, first, depth+1)
		e.letter, e.space, e.empty = e.letter || next.letter, e.space || next.space, next.empty
		if !next.empty {
			break
		}
	}
	return e
}

// split flattens nested sequences and cuts texts into words and single spaces.
func split(n *Node, out []*Node) []*Node {
	switch n.Kind {
	case Sequence:
		for _, item := range n.Items {
			out = split(item, out)
		}
	case Text:
		for i, word := range strings.Split(n.Text, " ") {
			if i > 0 {
				out = append(out, &Node{Kind: Text, Text: " "})
			}
			if word != "" {
				out = append(out, &Node{Kind: Text, Text: word})
			}
		}
	default:
		out = append(out, n)
	}
	return out
}
