package intent

import (
	"fmt"
	"slices"
	"sync"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/template"
)

// program is a pack ready for matching in any house.
type program struct {
	steps
	sentences []sentence
	clauses   []clause    // what sentences demand, each once
	demands   demandIndex // which sentences a text may be
	pieces    trie        // the pieces of text that sentences demand
	all       []*list     // by number; the first are the lists of the house, which are nil here
	skipper   *skipper
}

// sentence is a template ready for matching.
type sentence struct {
	start   int32
	clauses []int32 // by their number in the program
	block   *block
	names   bool  // it has {name} or {area}, so an unknown one may stand there
	strip   edges // where it keeps its skip words
}

// block is a Block with its place in the pack.
type block struct {
	*Block
	order int
}

// once compiles a pack when it is first needed and keeps the result, because a
// house changes more often than its language.
type once struct {
	sync.Once
	program *program
	err     error
	spell   int            // steps left for the values of lists while loading
	nodes   *template.Pool // keeps equal parts of the templates once; nil when all are compiled
}

func newOnce() *once { return &once{spell: maxSpellSteps, nodes: template.NewPool()} }

func (p *Pack) program() (*program, error) {
	if p.compiled == nil {
		return compile(p)
	}
	p.compiled.Do(func() {
		p.compiled.program, p.compiled.err = compile(p)
		p.compiled.nodes = nil
	})
	return p.compiled.program, p.compiled.err
}

func compile(pack *Pack) (*program, error) {
	lang, _ := numbers.For(pack.Language)
	c := &compiler{
		pack: pack, lang: lang, ends: newEnds(), spelled: make(map[wordsKey]*list),
		all: make([]*list, houseListCount),
	}
	if err := c.compileLists(); err != nil {
		return nil, fmt.Errorf("compiling the lists: %w", err)
	}
	p := &program{skipper: newSkipper(pack.Skip, pack.IgnoreSpace)}
	var pieces growingTrie
	for i := range pack.Blocks {
		if err := p.add(c, &pieces, &block{Block: &pack.Blocks[i], order: i}); err != nil {
			return nil, err
		}
	}
	p.steps, p.all, p.clauses = c.ends.steps(), c.all, c.clauses.all
	p.pieces = pieces.pack()
	p.demands = p.indexDemands(pieces.count, !pack.IgnoreSpace)
	return p, nil
}

func (p *program) add(c *compiler, pieces *growingTrie, b *block) error {
	if err := c.enter(b.Block); err != nil {
		return fmt.Errorf("compiling %s: %w", b.Intent, err)
	}
	for j, n := range b.Sentences {
		s, err := c.sentence(b, n, pieces)
		if err != nil {
			return fmt.Errorf("compiling %s, %q: %w", b.Intent, b.Source[j], err)
		}
		p.sentences = append(p.sentences, s)
	}
	return nil
}

func (c *compiler) sentence(b *block, n *template.Node, pieces *growingTrie) (sentence, error) {
	c.total += c.count
	c.count = 0
	start, err := c.compile(n, last)
	if err != nil {
		return sentence{}, err
	}
	if k := c.captures(n); k > maxCaptures {
		return sentence{}, fmt.Errorf("%d lists in one sentence, at most %d are allowed", k, maxCaptures)
	}
	demanded := c.demandsOf(n, pieces)
	slices.SortStableFunc(demanded, c.sharper)
	s := sentence{start: start, block: b, clauses: c.clauses.numbers(demanded), strip: c.edges(n)}
	s.names = c.holdsName(n)
	return s, nil
}
