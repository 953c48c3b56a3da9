package template

import (
	"fmt"
	"iter"
)

// Spellings lists every text a template stands for, up to limit. It fails on
// lists, ranges, unknown rules, and when there are more.
func Spellings(n *Node, rules map[string]*Node, limit int) ([]string, error) {
	steps := maxSpellSteps
	return SpellingsWithin(n, rules, limit, &steps)
}

// SpellingsWithin is like Spellings and takes its work off steps, so that many
// calls can share one bound.
func SpellingsWithin(n *Node, rules map[string]*Node, limit int, steps *int) ([]string, error) {
	s := speller{rules: rules, limit: limit, steps: steps}
	return s.of(n, 0)
}

type speller struct {
	rules map[string]*Node
	limit int
	steps *int
}

// maxSpellSteps bounds the work of one text, because parts that are empty cost
// time without ever reaching the limit of spellings.
const maxSpellSteps = 100_000

func (s *speller) of(n *Node, depth int) ([]string, error) {
	if *s.steps--; *s.steps < 0 {
		return nil, s.tooMany()
	}
	if depth > 2*maxDepth {
		return nil, fmt.Errorf("rules nested deeper than %d, perhaps in a circle", maxDepth)
	}
	switch n.Kind {
	case Text:
		return []string{n.Text}, nil
	case Sequence:
		return s.sequence(n.Items, depth)
	case Choice:
		return s.union(n.Items, depth)
	case Shuffle:
		orders := make([]*Node, 0, len(n.Items))
		for order := range Orders(len(n.Items)) {
			items := make([]*Node, len(order))
			for i, j := range order {
				items[i] = n.Items[j]
			}
			orders = append(orders, &Node{Kind: Sequence, Items: items})
		}
		return s.union(orders, depth)
	case Rule:
		body, ok := s.rules[n.Name]
		if !ok {
			return nil, fmt.Errorf("unknown rule <%s>", n.Name)
		}
		return s.of(body, depth+1)
	case List, Range:
	}
	return nil, fmt.Errorf("{%s%s} is glued to letters or stands where only text can", n.Name, n.Slot)
}

// union returns everything that any of the nodes stands for.
func (s *speller) union(nodes []*Node, depth int) ([]string, error) {
	var out []string
	for _, n := range nodes {
		texts, err := s.of(n, depth+1)
		if err != nil {
			return nil, err
		}
		if out = append(out, texts...); len(out) > s.limit {
			return nil, s.tooMany()
		}
	}
	return out, nil
}

func (s *speller) sequence(items []*Node, depth int) ([]string, error) {
	out := []string{""}
	for _, item := range items {
		texts, err := s.of(item, depth+1)
		if err != nil {
			return nil, err
		}
		if len(out)*len(texts) > s.limit {
			return nil, s.tooMany()
		}
		*s.steps -= len(out) * len(texts)
		next := make([]string, 0, len(out)*len(texts))
		for _, head := range out {
			for _, tail := range texts {
				next = append(next, head+tail)
			}
		}
		out = next
	}
	return out, nil
}

func (s *speller) tooMany() error {
	return fmt.Errorf("more than %d spellings of one text", s.limit)
}

// Orders yields every order of n things. The slice is only valid until the
// next one.
func Orders(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		permute(order, 0, yield)
	}
}

func permute(order []int, from int, yield func([]int) bool) bool {
	if from == len(order) {
		return yield(order)
	}
	for i := from; i < len(order); i++ {
		order[from], order[i] = order[i], order[from]
		ok := permute(order, from+1, yield)
		order[from], order[i] = order[i], order[from]
		if !ok {
			return false
		}
	}
	return true
}
