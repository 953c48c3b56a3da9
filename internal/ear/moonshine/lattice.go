package moonshine

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/language/speech"
)

// lattice says letter by letter how the sentences of an automaton may continue. Its nodes
// are sets of places in the automaton; a node is made when a search first reaches it, and
// kept.
type lattice struct {
	states  []speech.AutomatonState
	words   []string          // without apostrophes
	spelt   map[string]string // words as the automaton has them, by their letters or figures
	percent int32             // the word that the sign % is said as; -1 for none
	later   int32             // the first state of a second sentence
	tree    []branch          // of the tokens
	nodes   []node
	ids     map[string]int32 // of the nodes, by their places
	ways    int              // kept in all nodes
}

// node is a set of places with what may follow.
type node struct {
	places []place
	after  map[byte]int32 // by letter; 0 where nothing follows
	ways   []way          // by token
	known  bool           // ways has been filled
	over   bool           // a word ends here
	accept bool           // a sentence may end here
	later  bool           // it belongs to a second sentence
}

// place is a place inside a word or between two.
type place struct {
	kind  placeKind
	state int32 // where the word leads; between words, the state reached
	word  int32 // while inside one
	done  int32 // letters of the word
}

type placeKind int32

const (
	opening placeKind = iota // of the text, where a space may stand
	before                   // the next letter begins a word
	inside
	behind // a word has ended
)

// way is a token that may come next, and the node it leads to.
type way struct {
	token, to int32
}

// mostWays bounds what a lattice remembers: some 100 MB would be ten million ways.
const mostWays = 1 << 20

// firstNode is the node before the first letter; node 0 is the one that leads
// nowhere.
const firstNode = 1

func newLattice(a speech.Automaton, tree []branch) *lattice {
	l := &lattice{states: a.States, later: a.Later, words: make([]string, len(a.Words)), tree: tree, spelt: make(map[string]string), percent: -1}
	if len(l.states) == 0 {
		l.states = make([]speech.AutomatonState, 1)
	}
	maps.Copy(l.spelt, a.Figures)
	for i, w := range a.Words {
		l.words[i] = strings.ReplaceAll(w, "'", "")
		if l.words[i] != w {
			l.spelt[l.words[i]] = w
		}
		if w == "percent" {
			l.percent = int32(i)
		}
	}
	l.forget()
	return l
}

// forget drops all nodes but the first.
func (l *lattice) forget() {
	l.nodes, l.ids, l.ways = make([]node, 1), make(map[string]int32), 0
	l.node([]place{{kind: opening}, {kind: before}})
}

// node returns the id of the node with these places.
func (l *lattice) node(places []place) int32 {
	if len(places) == 0 {
		return 0
	}
	slices.SortFunc(places, func(a, b place) int {
		for _, d := range []int32{int32(a.kind - b.kind), a.state - b.state, a.word - b.word, a.done - b.done} {
			if d != 0 {
				return int(d)
			}
		}
		return 0
	})
	places = slices.Compact(places)
	key := make([]byte, 0, 16*len(places))
	for _, p := range places {
		for _, v := range []int32{int32(p.kind), p.state, p.word, p.done} {
			key = binary.LittleEndian.AppendUint32(key, uint32(v))
		}
	}
	if id, ok := l.ids[string(key)]; ok {
		return id
	}
	n := node{places: places, after: make(map[byte]int32), later: true}
	for _, p := range places {
		n.later = n.later && p.state >= l.later
		if p.kind == behind {
			n.over = true
			n.accept = n.accept || l.states[p.state].Accept
		}
	}
	id := int32(len(l.nodes))
	l.nodes = append(l.nodes, n)
	l.ids[string(key)] = id
	return id
}

// step returns the node after a letter, or 0 if no sentence continues with it.
func (l *lattice) step(from int32, letter byte) int32 {
	if to, ok := l.nodes[from].after[letter]; ok {
		return to
	}
	var reached []place
	for _, p := range l.nodes[from].places {
		reached = l.follow(reached, p, letter)
	}
	to := l.node(reached)
	l.nodes[from].after[letter] = to
	return to
}

// follow adds the places that a letter leads to.
func (l *lattice) follow(reached []place, p place, letter byte) []place {
	switch p.kind {
	case opening:
		if letter == ' ' {
			return append(reached, place{kind: before})
		}
	case before:
		for _, m := range l.states[p.state].Moves {
			reached = l.within(reached, place{kind: inside, state: m.To, word: m.Word}, letter)
		}
	case inside:
		if letter == '\'' || letter == '.' {
			return append(reached, p)
		}
		return l.within(reached, p, letter)
	case behind:
		switch letter {
		case ' ', '-', ':':
			return append(reached, place{kind: before, state: p.state})
		case ',', '.', '?', '!', ';', '\'':
			return append(reached, p)
		case '%':
			for _, m := range l.states[p.state].Moves {
				if m.Word == l.percent {
					reached = append(reached, place{kind: behind, state: m.To})
				}
			}
		}
	}
	return reached
}

// within adds the place after the next letter of a word, if it is that letter.
func (l *lattice) within(reached []place, p place, letter byte) []place {
	word := l.words[p.word]
	if int(p.done) >= len(word) || word[p.done] != letter {
		return reached
	}
	p.done++
	if int(p.done) == len(word) {
		return append(reached, place{kind: behind, state: p.state})
	}
	return append(reached, p)
}

// next returns the tokens that may follow a node. The slice is the lattice's own.
func (l *lattice) next(id int32) []way {
	if !l.nodes[id].known {
		ways := l.through(nil, id, 0)
		l.nodes[id].ways, l.nodes[id].known = ways, true
		l.ways += len(ways)
	}
	return l.nodes[id].ways
}

// through adds the tokens below a branch of the tree whose letters can follow a node.
func (l *lattice) through(ways []way, at, from int32) []way {
	for b := l.tree[from].first; b != 0; b = l.tree[b].next {
		to := l.step(at, l.tree[b].letter)
		if to == 0 {
			continue
		}
		for _, token := range l.tree[b].tokens {
			ways = append(ways, way{token: token, to: to})
		}
		ways = l.through(ways, to, b)
	}
	return ways
}

// plainText returns a text as the automaton's words: lower case, without signs.
func plainText(text string) string {
	text = spelled.Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(signs.Replace(text)), " ")
}

// signs writes a text without the signs that the network puts between words and behind them.
var signs = strings.NewReplacer("-", " ", ":", " ", "%", " percent ", ",", "", ".", "", "?", "", "!", "", ";", "", "'", "")

// restoreWords returns a plain text in the automaton's own words.
func (l *lattice) restoreWords(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = cmp.Or(l.spelt[w], w)
	}
	return strings.Join(words, " ")
}
