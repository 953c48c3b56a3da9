package house_test

import (
	"log/slog"
	"slices"
	"testing"

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
