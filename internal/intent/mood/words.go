package mood

import (
	"strings"

	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/template"
	"voicegateway/internal/language/text"
)

// class is a set of classes of words.
type class uint64

const (
	opener class = 1 << iota
	polite
	filler
	tag
	request
	supposing
	offer
	wish
	reason
	switching
	verb
	general
	form
	final
	asking
	you
	telling
	later
	question
	why
	auxiliary
	past
	future
	negator
	forbidding
	exception
	condition
	time
	report
	subject
	determiner
	object
	place
	state
	quality
	quantity
	thing
	foreign
	join
	pause
	number
	measure
	noVerb
	must
	leaving
	standing
	excess
	complaint
)

// about are the classes of what orders are about.
const about = thing | quality

type classed struct {
	class   class
	phrases sentences.Wordings
}

func classes(a *sentences.Acts) []classed {
	return []classed{
		{opener, a.Openers},
		{polite, a.Polite},
		{filler, a.Fillers},
		{tag, a.Tags},
		{request, a.Requests},
		{supposing, a.Supposing},
		{offer, a.Offers},
		{wish, a.Wishes},
		{reason, a.Reasons},
		{switching | verb, a.Switching},
		{verb, a.Verbs},
		{general, a.General},
		{form, a.Forms},
		{final, a.Finals},
		{asking, a.Asking},
		{you, a.You},
		{telling, a.Telling},
		{later, a.Later},
		{question, a.Questions},
		{why, a.Why},
		{auxiliary, a.Auxiliaries},
		{must, a.Must},
		{leaving, a.Leaving},
		{standing, a.Standing},
		{excess, a.Excess},
		{complaint, a.Complaints},
		{past, a.Past},
		{future, a.Future},
		{negator, a.Negators},
		{forbidding, a.Forbidding},
		{exception, a.Exceptions},
		{condition, a.Conditions},
		{time, a.Times},
		{report, a.Reports},
		{subject, a.Subjects},
		{determiner, a.Determiners},
		{object, a.Objects},
		{place, a.Places},
		{state, a.States},
		{quality, a.Qualities},
		{quantity, a.Quantities},
		{thing, a.Things},
		{foreign, a.Foreign},
		{join, a.Joins},
		{pause, a.Breaks},
		{number, a.Numbers},
		{measure, a.Measures},
		{noVerb, a.NoVerbs},
	}
}

// node is a place in the tree of all phrases, word by word. Its children are a list,
// which takes half the memory of a slice for each: most places have one or two.
type node struct {
	word           string           // that leads here
	first, sibling *node            // the first place below, and the next one beside this
	many           map[string]*node // all places below, where there are more than fewMost
	class          class            // of the phrase that ends here
}

// fewMost is how many words are looked through one by one.
const fewMost = 8

// after returns the place after a word, nil if no phrase has the word here.
func (n *node) after(word string) *node {
	if n.many != nil {
		return n.many[word]
	}
	for next := n.first; next != nil; next = next.sibling {
		if next.word == word {
			return next
		}
	}
	return nil
}

// grow makes the place after a word.
func (n *node) grow(word string) *node {
	next := &node{word: word, sibling: n.first}
	n.first = next
	if n.many != nil {
		n.many[word] = next
		return next
	}
	below := 0
	for one := next; one != nil; one = one.sibling {
		below++
	}
	if below > fewMost {
		n.many = make(map[string]*node, 2*fewMost)
		for one := next; one != nil; one = one.sibling {
			n.many[one.word] = one
		}
	}
	return next
}

// Words of phrases that stand for numbers.
const (
	anyNumber = "#"
	anHour    = "#t"
	aClock    = "#c"
)

func (n *node) add(words []string, c class) {
	for _, w := range words {
		next := n.after(w)
		if next == nil {
			next = n.grow(w)
		}
		n = next
	}
	n.class |= c
}

// tail is what makes two places equal that stand below different ones.
type tail struct {
	word           string
	first, sibling *node
	class          class
}

// shareEnds keeps equal ends of phrases once, and frees every word from the phrase it was
// read in. It returns the node that stands for n. Nothing may be added afterwards.
func (n *node) shareEnds(known map[tail]*node, words map[string]string) *node {
	if n == nil {
		return nil
	}
	word, ok := words[n.word]
	if !ok {
		word = strings.Clone(n.word)
		words[word] = word
	}
	n.word, n.first, n.sibling = word, n.first.shareEnds(known, words), n.sibling.shareEnds(known, words)
	if n.many != nil {
		clear(n.many)
		for one := n.first; one != nil; one = one.sibling {
			n.many[one.word] = one
		}
		return n
	}
	key := tail{n.word, n.first, n.sibling, n.class}
	if old := known[key]; old != nil {
		return old
	}
	known[key] = n
	return n
}

// longest returns how many of the words the longest phrase at their beginning has,
// and its classes.
func (n *node) longest(words []word) (int, class) {
	count, found := 0, class(0)
	if n.class != 0 {
		found = n.class
	}
	if len(words) == 0 {
		return count, found
	}
	for _, key := range words[0].keys() {
		if next := n.after(key); key != "" && next != nil {
			if more, c := next.longest(words[1:]); c != 0 && (more+1 > count) {
				count, found = more+1, c
			}
		}
	}
	return count, found
}

const mostSpellings = 2000

func (r *Reader) learn(phrase string, c class) error {
	parsed, err := template.Parse(phrase)
	if err != nil {
		return err
	}
	texts, err := template.Spellings(parsed, nil, mostSpellings)
	if err != nil {
		return err
	}
	for _, phrase := range texts {
		var words []string
		for w := range strings.FieldsSeq(phrase) {
			words = r.split(words, w)
		}
		if len(words) == 0 {
			continue
		}
		for _, w := range words {
			if plain := text.WithoutMarks(w); plain != w {
				r.folded[plain] = strings.Clone(w)
			}
			r.learnBare(w)
		}
		if c&(verb|general|telling|later|form) != 0 && len(words) == 1 && len(r.enclitics) > 0 {
			r.stems[text.WithoutMarks(words[0])] = true
		}
		r.phrases.add(words, c)
	}
	return nil
}

// learnBare also adds a word without its apostrophe, which people who type and
// recognisers leave out: "dont". In languages whose apostrophes separate words, none is
// left here.
func (r *Reader) learnBare(w string) {
	bare := text.WithoutMarks(strings.ReplaceAll(w, "'", ""))
	if _, known := r.folded[bare]; !known && bare != w && strings.Contains(strings.Trim(w, "'"), "'") {
		r.folded[bare] = strings.Clone(w)
	}
}

// longestElided is how many letters stand before an apostrophe at most, as in lorsqu'il.
const longestElided = 6

// split takes a word of a phrase apart where the language does so.
func (r *Reader) split(words []string, w string) []string {
	if r.apart != "" {
		w = strings.ReplaceAll(w, r.apart, " ")
	}
	for part := range strings.FieldsSeq(w) {
		for {
			before, after, ok := strings.Cut(part, "'")
			if !ok || r.apart == "" || after == "" || len(before) > longestElided {
				break
			}
			words, part = append(words, before+"'"), after
		}
		words = append(words, part)
	}
	return words
}

// compounds are the things that other words end in, where words are glued:
// Deckenlampe.
func compounds(things sentences.Wordings) []string {
	const shortest = 4
	var out []string
	for _, t := range things {
		if len(t) >= shortest && !strings.Contains(t, " ") {
			out = append(out, t)
		}
	}
	return out
}
