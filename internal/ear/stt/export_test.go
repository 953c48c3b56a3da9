package stt

import (
	"slices"
	"time"

	"voicegateway/internal/audio"
)

// Chained makes the chain of a configuration with another engine in place of
// PocketSphinx.
func Chained(grammar Engine, cfg Config) (Engine, error) {
	open := cfg
	open.Engines = slices.DeleteFunc(slices.Clone(cfg.Engines), func(e string) bool { return e == "pocketsphinx" })
	e, err := newChain(open)
	if err != nil || grammar == nil {
		return e, err
	}
	c := e.(*chain)
	c.order, c.grammar, c.name = cfg.Engines, grammar, "pocketsphinx"
	if again, ok := grammar.(Reopener); ok && c.order[0] == c.name {
		return &reopenable{c, again}, nil
	}
	return c, nil
}

// Credible cleans a text that was written for speech of this length, this far
// above the room in dB, and returns why it is not believed.
func Credible(text string, speech time.Duration, above float64) (clean, why string) {
	return credible(answer{text: text}, loudness{speech: speech, span: speech, above: above})
}

// Spoken returns for how long sound stands out as speech.
func Spoken(c audio.Clip) time.Duration { return measure(c.Samples).speech }

// Prompt returns the names that a recogniser gets as its prompt.
func Prompt(names []string) string { return prompt(names) }

// AttestedBy makes an engine that needs a person.
func AttestedBy(v Voice, e Engine) Engine { return requireVoice(v, e) }
