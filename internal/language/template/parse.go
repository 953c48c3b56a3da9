package template

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unique"

	"voicegateway/internal/language/text"
)

// Limits of one template; far above any real one, low enough that a hostile
// pack can neither exhaust the stack nor the memory.
const (
	maxBytes   = 4096
	maxDepth   = 40
	maxShuffle = 5 // parts of a permutation: 5! = 120 orders
)

// Parse reads one template. An error says where it went wrong and what was
// expected there.
func Parse(s string) (*Node, error) {
	if len(s) > maxBytes {
		return nil, fmt.Errorf("template of %d bytes, at most %d are allowed", len(s), maxBytes)
	}
	p := parser{text: text.Tidy(s)}
	n, err := p.group(0, 0)
	if err != nil {
		return nil, fmt.Errorf("template %q: %w", s, err)
	}
	return n, nil
}

type parser struct {
	text string
	pos  int
}

// group reads items up to the closing character (0: the end of the text).
func (p *parser) group(closing byte, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("groups nested deeper than %d", maxDepth)
	}
	var g grouping
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch c {
		case closing:
			p.pos++
			return g.close()
		case '|', ';':
			p.pos++
			g.separate(c)
			continue
		case ')', ']', '}', '>':
			return nil, fmt.Errorf("unexpected %q at byte %d", c, p.pos)
		}
		item, err := p.item(c, depth)
		if err != nil {
			return nil, err
		}
		g.part = append(g.part, item)
	}
	if closing != 0 {
		return nil, fmt.Errorf("missing %q at the end", closing)
	}
	return g.close()
}

func (p *parser) item(c byte, depth int) (*Node, error) {
	switch c {
	case '(':
		p.pos++
		return p.group(')', depth+1)
	case '[':
		p.pos++
		n, err := p.group(']', depth+1)
		if err != nil {
			return nil, err
		}
		if n.Kind == Choice {
			return &Node{Kind: Choice, Items: append(slices.Clip(n.Items), &Node{})}, nil
		}
		return &Node{Kind: Choice, Items: []*Node{n, {}}}, nil
	case '<':
		name, err := p.until('>')
		if err != nil {
			return nil, err
		}
		return &Node{Kind: Rule, Name: name}, nil
	case '{':
		inside, err := p.until('}')
		if err != nil {
			return nil, err
		}
		n, err := reference(inside)
		if err != nil {
			return nil, err
		}
		n.WordEnd = n.Kind == List && (p.pos == len(p.text) || strings.IndexByte(" )]|;", p.text[p.pos]) >= 0)
		return n, nil
	}
	return p.literal()
}

// until reads a name in brackets; p.pos stands on the opening one.
func (p *parser) until(closing byte) (string, error) {
	end := strings.IndexByte(p.text[p.pos:], closing)
	if end < 0 {
		return "", fmt.Errorf("missing %q after byte %d", closing, p.pos)
	}
	name := strings.TrimSpace(p.text[p.pos+1 : p.pos+end])
	if name == "" || strings.ContainsAny(name, `()[]{}<>|;\`) {
		return "", fmt.Errorf("%q is no name, at byte %d", name, p.pos)
	}
	p.pos += end + 1
	return name, nil
}

func (p *parser) literal() (*Node, error) {
	var b strings.Builder
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c == '\\' {
			p.pos++
			if p.pos == len(p.text) {
				return nil, errors.New("nothing after the last backslash")
			}
			c = p.text[p.pos]
		} else if strings.IndexByte("()[]{}<>|;", c) >= 0 {
			break
		}
		b.WriteByte(c)
		p.pos++
	}
	return &Node{Kind: Text, Text: unique.Make(b.String()).Value()}, nil // a pack has the same words again and again
}

// reference reads what stands in braces: a list, a capture or a range.
func reference(s string) (*Node, error) {
	name, slot, named := strings.Cut(s, ":")
	n := &Node{Kind: List}
	if named && strings.HasPrefix(slot, "@") {
		n.Capture, slot = true, slot[1:]
	}
	if strings.HasPrefix(name, "@") {
		n.Capture, name = true, name[1:]
	}
	if !named {
		slot = name
	}
	if name == "" || slot == "" {
		return nil, fmt.Errorf("{%s}: expected {list}, {list:slot} or {from..to:slot}", s)
	}
	n.Name, n.Slot = name, slot
	if from, rest, isRange := strings.Cut(name, ".."); isRange {
		if err := n.bounds(from, rest); err != nil {
			return nil, fmt.Errorf("{%s}: %w", s, err)
		}
	}
	return n, nil
}

// bounds reads the numbers of a range: from, and "to" or "to,step".
func (n *Node) bounds(from, rest string) error {
	to, step, stepped := strings.Cut(rest, ",")
	n.Kind, n.Name, n.Step = Range, "", 1
	var errs [3]error
	n.From, errs[0] = strconv.Atoi(strings.TrimSpace(from))
	n.To, errs[1] = strconv.Atoi(strings.TrimSpace(to))
	if stepped {
		n.Step, errs[2] = strconv.Atoi(strings.TrimSpace(step))
	}
	const most = 1_000_000 // neither percent, minutes nor kelvin come near it
	if errors.Join(errs[:]...) != nil || n.From > n.To || n.Step < 1 || n.From < -most || n.To > most {
		return errors.New("expected {from..to:slot} or {from..to,step:slot} with from <= to within a million")
	}
	return nil
}

// grouping collects the parts of one group as the separators come.
type grouping struct {
	separator byte
	parts     []*Node
	part      []*Node
}

func (g *grouping) separate(c byte) {
	done := sequence(g.part)
	g.part = nil
	if g.separator != 0 && g.separator != c {
		done = wrap(g.separator, append(g.parts, done))
		g.parts = nil
	}
	g.separator = c
	g.parts = append(g.parts, done)
}

func (g *grouping) close() (*Node, error) {
	last := sequence(g.part)
	if g.separator == 0 {
		return last, nil
	}
	n := wrap(g.separator, append(g.parts, last))
	if n.Kind == Shuffle && len(n.Items) > maxShuffle {
		return nil, fmt.Errorf("a permutation of %d parts, at most %d are allowed", len(n.Items), maxShuffle)
	}
	return n, nil
}

func wrap(separator byte, parts []*Node) *Node {
	if separator == '|' {
		return &Node{Kind: Choice, Items: parts}
	}
	space := &Node{Kind: Text, Text: " "}
	for i, p := range parts {
		parts[i] = &Node{Kind: Sequence, Items: []*Node{space, p, space}}
	}
	return &Node{Kind: Shuffle, Items: parts}
}

func sequence(items []*Node) *Node {
	switch len(items) {
	case 0:
		return &Node{}
	case 1:
		return items[0]
	}
	return &Node{Kind: Sequence, Items: items}
}
