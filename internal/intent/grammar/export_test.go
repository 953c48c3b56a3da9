package grammar

import (
	"math/rand/v2"
	"strings"
)

// Sample is one random sentence of the grammar.
func (g *Grammar) Sample(r *rand.Rand) string {
	return strings.Join(sample(g.root, r, nil), " ")
}

func sample(n *node, r *rand.Rand, out []string) []string {
	switch n.kind {
	case wordNode:
		return append(out, n.word)
	case sequence:
		for _, item := range n.items {
			out = sample(item, r, out)
		}
		return out
	case choice:
	}
	return sample(n.items[r.IntN(len(n.items))], r, out)
}
