// Package choosing understands what people say to a question of the gateway or about its
// last turn: one, all or none of several things, a room, yes, what to do with a thing,
// "undo that". Such words mean nothing alone, so they are kept apart from the sentences
// that are matched. They are in the files of replies, sentences/<language>_replies.yaml,
// beside the questions they answer.
package choosing

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
)

// Words are the words of one language for answers to a question and for remarks about a
// turn. They never change after loading.
type Words struct {
	language string
	halves   halves
	yes      []string
	amends   map[string]Amendment // by what is said
	rung     map[string]Reaction  // by what is said
	choices  choices
	things   map[string][]string // what a thing may be called, by domain or class: one and many
	cancels  cancels
	names    home.Names
	secrets  []string // what is told to nobody
}

// cancels are what is said to cancel what an answer has just told to be set.
type cancels struct {
	It   []string `yaml:"it"`   // exactly this: the one that was told
	Them []string `yaml:"them"` // exactly this: each of those that were told
}

// choices are the words for choosing one of several things.
type choices struct {
	All    []string `yaml:"all"`    // exactly this: every one of them
	None   []string `yaml:"none"`   // exactly this: not one of them
	Filler []string `yaml:"filler"` // words that tell nothing: the, one
	Polite []string `yaml:"polite"` // phrases that tell nothing at either end
	Light  []string `yaml:"light"`  // what any lamp may be called
	First  []string `yaml:"first"`
	Second []string `yaml:"second"`
	Third  []string `yaml:"third"`
	Last   []string `yaml:"last"`
	It     []string `yaml:"it"`    // words that stand for a thing: it, that
	Glued  []string `yaml:"glued"` // the same at the end of a verb

	ByLength  []string `yaml:"by_length"`  // a sentence about the timer of the length that is answered
	Remind    []string `yaml:"remind"`     // a sentence that lacks what to remind of, with the answer
	RemindNew []string `yaml:"remind_new"` // a reminder of what is answered
	Wake      []string `yaml:"wake"`       // an alarm at the time that is answered
}

// ours caches our own words by language.
var ours sync.Map

// Ours returns our own words in a language, which are read once. It is an error if there
// are none.
func Ours(language string) (*Words, error) {
	if w, ok := ours.Load(language); ok {
		return w.(*Words), nil
	}
	data, err := sentences.Replies(language)
	if err != nil {
		return nil, fmt.Errorf("there are no words to answer a question with for the language %q", language)
	}
	w, err := load(data)
	if err != nil {
		return nil, err
	}
	first, _ := ours.LoadOrStore(language, w)
	return first.(*Words), nil
}

// load reads the words of a language from its table of replies.
func load(data []byte) (*Words, error) {
	var raw struct {
		Yes      []string               `yaml:"yes"`
		Amends   map[Amendment][]string `yaml:"amends"`
		Rung     map[Reaction][]string  `yaml:"rung"`
		Cancels  cancels                `yaml:"cancels"`
		Chooses  choices                `yaml:"chooses"`
		Halves   halves                 `yaml:"halves"`
		Language string                 `yaml:"language"`
		Things   map[string][]string    `yaml:"things"`
		Names    home.Names             `yaml:"names"`
		Secrets  []string               `yaml:"secrets"`
	}
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("reading the words that answer a question: %w", err)
	}
	return &Words{language: raw.Language, halves: raw.Halves, yes: raw.Yes, amends: amendTable(raw.Amends), rung: rungTable(raw.Amends, raw.Rung), cancels: raw.Cancels, choices: raw.Chooses, things: raw.Things, names: raw.Names, secrets: raw.Secrets}, nil
}

// Cancels reports whether a text, said right after an answer that tells what timers are
// set, cancels what was told; all reports whether it means each of several.
func (w *Words) Cancels(text string) (all, ok bool) {
	said := w.choices.bare(text)
	all = slices.Contains(w.cancels.Them, said)
	return all, all || slices.Contains(w.cancels.It, said)
}

// All reports whether a text means all the things that were asked about.
func (w *Words) All(text string) bool { return slices.Contains(w.choices.All, w.choices.bare(text)) }

// None reports whether a text means none of the things that were asked about.
func (w *Words) None(text string) bool { return slices.Contains(w.choices.None, w.choices.bare(text)) }

// Yes reports whether a text agrees to what was asked back.
func (w *Words) Yes(text string) bool {
	text = strings.ToLower(strings.Trim(strings.TrimSpace(text), ".,!?"))
	return slices.Contains(w.yes, text) || slices.Contains(w.yes, w.choices.bare(text))
}

// bare is a text without the polite phrases at its ends. It leaves the last of them.
func (c *choices) bare(text string) string {
	text = plainWords(text)
	for again := true; again; {
		again = false
		for _, polite := range c.Polite {
			if rest, ok := strings.CutPrefix(text, polite+" "); ok {
				text, again = rest, true
			}
			if rest, ok := strings.CutSuffix(text, " "+polite); ok {
				text, again = rest, true
			}
		}
	}
	return text
}
