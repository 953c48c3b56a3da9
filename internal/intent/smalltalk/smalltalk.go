// Package smalltalk answers what a family says that is not about the house, if no
// language model answers it: greetings, questions about the gateway, sums, and what only
// a language model or a service could do. It never acts. A language is its file
// <code>_talk.yaml in internal/language/sentences, whose head says how it is made; a topic
// is a block of sentences and a reply there.
package smalltalk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// Answer is what a text of small talk comes to.
type Answer struct {
	Topic  string // the name of the block whose sentence fits: "Weather"; "Sum" for a sum
	Say    string // the reply; "" where Repeat is set
	Repeat string // a sentence of the house's own pack that is to be understood instead
	Needs  bool   // the reply says that a language model or a service is missing
}

// Reader understands small talk in one language. It does not change and may be used by
// many goroutines.
type Reader struct {
	matcher *intent.Matcher
	words   *names.Index    // knows the words for what many houses have
	house   map[string]bool // other words for what a house is asked about
	loose   map[string]bool // topics whose sentences fit nearly any question or wish
	topicReplies
}

// topicReplies are the replies in a file of small talk, by topic.
type topicReplies struct {
	Says    map[string]string `yaml:"says"`
	Greets  map[string]byHour `yaml:"greets"`
	Repeats map[string]string `yaml:"repeats"`
	Needs   map[string]string `yaml:"needs"`
	How     string            `yaml:"how"`
	Loose   []string          `yaml:"loose"`
	House   []string          `yaml:"house"`
	Sums    sums              `yaml:"sums"`
}

// byHour are the replies of one topic, by the part of the day.
type byHour struct {
	Morning string `yaml:"morning"`
	Day     string `yaml:"day"`
	Evening string `yaml:"evening"`
	Night   string `yaml:"night"`
}

// at is the reply at a time of the day: it is morning from 5 to 11, evening from 17 to
// 22 and night until 5.
func (b byHour) at(t time.Time) string {
	switch h := t.Hour(); {
	case h < 5 || h >= 22:
		return b.Night
	case h < 11:
		return b.Morning
	case h < 17:
		return b.Day
	}
	return b.Evening
}

// readers are the readers that were made, by language.
var readers sync.Map

// Ours is the reader of one of our languages, which is made once. It is an error if the
// language has no small talk.
func Ours(language string) (*Reader, error) {
	if r, ok := readers.Load(language); ok {
		return r.(*Reader), nil
	}
	r, err := load(language)
	if err != nil {
		return nil, fmt.Errorf("small talk of the language %q: %w", language, err)
	}
	first, _ := readers.LoadOrStore(language, r)
	return first.(*Reader), nil
}

func load(language string) (*Reader, error) {
	data, err := sentences.Talk(language)
	if err != nil {
		return nil, errors.New("there is none")
	}
	pack, err := intent.LoadPack(data)
	if err != nil {
		return nil, err
	}
	pack.Exact = true // it names nothing of a house, so nothing is guessed
	r := &Reader{words: names.NewFor(language, nil)}
	if r.matcher, err = intent.New(pack, nil); err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(data, &r.topicReplies); err != nil {
		return nil, err
	}
	r.loose, r.house = set(r.Loose), set(r.House)
	return r, r.Sums.prepare(language)
}

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// Answer returns the answer to a text that is said at a time; false if it is not small
// talk. The time's location decides what part of the day it is. A loose sentence with a
// word for something in the house does not count, because it may have been an order or
// a question that was not understood.
func (r *Reader) Answer(text string, at time.Time, house *home.House) (Answer, bool) {
	if said, ok := r.Sums.answer(text); ok {
		return Answer{Topic: "Sum", Say: said}, true
	}
	d := r.matcher.Match(text, "")
	if d.Route != intent.Local || len(d.Actions) != 1 {
		return Answer{}, false
	}
	topic := d.Actions[0].Intent
	if r.loose[topic] && r.about(text, house) {
		return Answer{}, false
	}
	said := &r.topicReplies
	a := Answer{Topic: topic, Repeat: r.Repeats[topic], Say: cmp.Or(r.Says[topic], r.Greets[topic].at(at))}
	if needs := said.Needs[topic]; needs != "" {
		a.Needs, a.Say = true, needs+" "+r.How
	}
	return a, true
}

// about reports whether a text has a word for something of a house, or of this one.
func (r *Reader) about(text string, house *home.House) bool {
	if house == nil {
		house = &home.House{}
	}
	own := make(map[string]bool)
	add := func(called ...string) {
		for _, name := range called {
			for _, w := range apart(name) {
				own[w] = true
			}
		}
	}
	for i := range house.Areas {
		add(house.Areas[i].Name)
		add(house.Areas[i].Aliases...)
	}
	for i := range house.Entities {
		add(house.Entities[i].Name)
		add(house.Entities[i].Aliases...)
	}
	return slices.ContainsFunc(apart(text), func(w string) bool {
		return own[w] && len(w) >= shortestOwn || r.house[w] || r.words.Household(w) || r.compound(w)
	})
}

// compound reports whether a long word ends in one for something of a house: "Leselampe".
func (r *Reader) compound(word string) bool {
	for w := range r.house {
		if len(w) >= shortestOwn && strings.HasSuffix(word, w) {
			return true
		}
	}
	return false
}

// shortestOwn is how many letters a word of a name must have that counts: "de" is in
// many names.
const shortestOwn = 4

// apart are the words of a text, also those that an apostrophe joins.
func apart(said string) []string { return text.Words(intent.Plain(said)) }
