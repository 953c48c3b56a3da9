package house_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/house"
)

// TestWordingsAreHeard: a wording is whole for the ear, and its words are in the grammar;
// the sentences understand no more than before.
func TestWordingsAreHeard(t *testing.T) {
	t.Parallel()
	pack, err := intent.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	h, err := house.New(pack, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	const text = "make the kitchen feel like christmas"
	if h.Judge(text) != speech.Incomplete {
		t.Fatal("it is a sentence before it is kept")
	}
	h.Hear([]string{"Please, make the kitchen feel like Christmas!", "<script> 7 up"})
	if got := h.Judge(text); got == speech.Incomplete {
		t.Errorf("judged %v", got)
	}
	if got := h.Judge("make the kitchen feel"); got != speech.Incomplete {
		t.Error("its beginning is judged complete")
	}
	if d := h.Match(text, ""); d.Route != intent.Model {
		t.Errorf("the sentences understand it: %+v", d)
	}
	if got := h.Bare("Please make it cosy."); got != "make it cosy" {
		t.Errorf("bare: %q", got)
	}
	if got := h.Bare("please"); got != "please" {
		t.Errorf("nothing but politeness: %q", got)
	}
	h.Hear(nil)
	if h.Judge(text) != speech.Incomplete {
		t.Error("it is heard after it was forgotten")
	}
	if same := pack.Hearing(nil); same != pack || slices.ContainsFunc(pack.Blocks, func(b intent.Block) bool { return b.Intent == "" }) {
		t.Error("the pack itself has changed")
	}
}

// listener is a recogniser that takes every grammar.
type listener struct{ speech.Grammar }

func (l *listener) SetGrammar(_ context.Context, g speech.Grammar) ([]string, error) {
	l.Grammar = g
	return nil, nil
}

// TestOtherWordsAreReadable: what a recogniser has written by itself and no sentence fits counts
// if it would be read as an order. Other talk, and what only tells or forbids, does not.
func TestOtherWordsAreReadable(t *testing.T) {
	t.Parallel()
	kitchen := &home.House{
		Areas:    []home.Area{{Name: "Kitchen"}},
		Entities: []home.Entity{{ID: "light.kitchen", Name: "Kitchen Light", Domain: "light", Area: "Kitchen", Abilities: []home.Ability{home.OnOff}}},
	}
	for language, texts := range map[string]map[string]bool{
		"en": {
			"would you extinguish the kitchen light":                 true,
			"would you extinguish the lights in the kitchen":         true,
			"turn on the kitchen light":                              false, // a sentence
			"she would extinguish the kitchen light":                 false,
			"don't you extinguish the kitchen light":                 false,
			"i think we should have pasta for dinner tonight":        false,
			"my favourite book is about a boy who sails around":      false,
			"please call my mother and tell her that i will be late": false,
		},
		"de": {"mach dem Kitchen Light den Garaus": false},
	} {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		h, err := house.New(pack, kitchen, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		p := &listener{}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- h.Teach(ctx, p) }()
		if err := h.Learnt(ctx); err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			if got := p.Readable(text); got != want {
				t.Errorf("%s: %q is readable: %v, want %v", language, text, got, want)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
