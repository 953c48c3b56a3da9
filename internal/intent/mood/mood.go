// Package mood decides what a sentence does: whether it gives the house an order, or
// asks, tells, forbids, reports or plans. It exists because only an order may change a
// house (U9), and a sentence that is not understood orders nothing.
//
// It knows no sentences. The words with which a language shows its intention are the acts
// of its file of words; the rules here are about classes of words and their places, and
// are the same for all languages. To correct a judgement, add a word to a class; to add a
// rule, write a method of clause and a line in its list of rules.
package mood

import (
	"fmt"
	"regexp"
	"sync"

	"voicegateway/internal/language/sentences"
)

// Act is what a sentence does.
type Act string

// The acts. Only the first three may change something.
const (
	Command   Act = "command"   // "turn on the lamp"
	Request   Act = "request"   // an order that has the form of a question: "can you …"
	Wish      Act = "wish"      // "I want it brighter"
	Question  Act = "question"  // asks for information
	Statement Act = "statement" // tells something, or is not understood
	Negation  Act = "negation"  // forbids or denies
	Condition Act = "condition" // is about another case: "if it rains …"
	Report    Act = "report"    // tells what somebody else said
	Future    Act = "future"    // is about another time: "tomorrow …"
	Past      Act = "past"      // tells what was done
)

// MayAct reports whether a sentence of this kind may change something.
func (a Act) MayAct() bool { return a == Command || a == Request || a == Wish }

// Asks reports whether a sentence of this kind asks for information.
func (a Act) Asks() bool { return a == Question }

// Withholds reports whether a sentence of this kind speaks of an act that should not be
// done, or not now.
func (a Act) Withholds() bool { return a == Negation || a == Condition || a == Future }

// Forbids reports whether a sentence of this kind changes nothing even if it has the
// words of a command.
func (a Act) Forbids() bool {
	switch a {
	case Negation, Condition, Report, Future, Past:
		return true
	case Command, Request, Wish, Question, Statement:
	}
	return false
}

// Reader reads the sentences of one language. It is never changed after New and may
// be used by many goroutines.
type Reader struct {
	phrases   *node
	folded    map[string]string // words without accents, with those they stand for
	stems     map[string]bool   // words that other words may be glued to
	hours     map[string]bool   // numbers that can be an hour
	enclitics []string
	compounds []string       // ends of words that name things
	noOrder   *regexp.Regexp // endings of words that are not orders
	adverbial *regexp.Regexp // ends of words that say how something is done
	owners    []string       // how a word ends that says whose something is
	apart     string
	verbLast  bool
}

// New prepares the words of a language.
func New(w *sentences.Words) (*Reader, error) {
	a := &w.Acts
	r := &Reader{phrases: &node{}, folded: map[string]string{}, stems: map[string]bool{}, hours: map[string]bool{}, enclitics: a.Enclitics, owners: a.Owners, apart: a.Apart, verbLast: a.VerbLast}
	var err error
	if r.noOrder, err = regexp.Compile(a.NoOrder); err != nil {
		return nil, fmt.Errorf("the words that begin no order: %w", err)
	}
	if r.adverbial, err = regexp.Compile(a.Adverbial); err != nil {
		return nil, fmt.Errorf("the ends of adverbs: %w", err)
	}
	for _, one := range classes(a) {
		for _, phrase := range one.phrases {
			if err := r.learn(phrase, one.class); err != nil {
				return nil, fmt.Errorf("the phrase %q: %w", phrase, err)
			}
		}
	}
	const lastHour = 12 // the hours come first
	for i, word := range a.Numbers {
		r.hours[word] = i < lastHour
	}
	for _, word := range w.Names.Household {
		r.phrases.add([]string{word}, thing)
	}
	r.phrases = r.phrases.shareEnds(map[tail]*node{}, map[string]string{})
	if w.Names.Compounds {
		r.compounds = compounds(a.Things)
	}
	return r, nil
}

// empty reads the sentences of a language for which we have no words: none is an order.
var empty = sync.OnceValue(func() *Reader { return &Reader{phrases: &node{}} })

var readers sync.Map // by language

// For returns the reader of a language by its code. The files of words are part of
// the program, and a test proves that they load.
func For(language string) *Reader {
	if r, ok := readers.Load(language); ok {
		return r.(*Reader)
	}
	r, err := New(sentences.WordsOf(language))
	if err != nil {
		r = empty()
	}
	got, _ := readers.LoadOrStore(language, r)
	return got.(*Reader)
}

// Verb reports whether a word can be what is to be done, whatever else it is: "switch".
func (r *Reader) Verb(word string) bool {
	next := r.phrases.after(word)
	return next != nil && next.class&(verb|general) != 0
}
