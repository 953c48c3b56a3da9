//go:build cgo

package sphinx_test

import (
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/sphinx"
)

const twoCommands = "#JSGF V1.0;\ngrammar g;\npublic <s> = <c> [ [ and ] <c> ];\n<c> = turn ( on | off ) the ( kitchen light | living room lights ) ;\n"

// An utterance can continue after it was ended: the next Finish returns the text
// of the whole, as if there had been no first Finish, in a grammar that allows
// more.
func TestAnUtteranceIsGoneOnWith(t *testing.T) {
	c := start(t, nil)
	found, err := sphinx.Lookup(c.Dictionary(), append(strings.Fields("and"), words...))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetGrammar(within(t), grammar, found); err != nil {
		t.Fatal(err)
	}
	first, more := load(t, "cmd_flite-slt_clean_000.wav"), load(t, "cmd_flite-slt_clean_007.wav")
	for n := range 2 {
		u, err := c.Start(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Reopen(within(t), twoCommands); err == nil {
			t.Fatal("an utterance that is open can be gone on with")
		}
		for _, part := range []struct {
			samples []int16
			want    string
		}{
			{first, "turn on the kitchen light"},
			{make([]int16, 10*audio.FrameSamples), "turn on the kitchen light"},
			{more, "turn on the kitchen light turn off the living room lights"},
		} {
			for at := 0; at < len(part.samples); at += audio.FrameSamples {
				if _, err := u.Push(within(t), part.samples[at:min(at+audio.FrameSamples, len(part.samples))]); err != nil {
					t.Fatal(err)
				}
			}
			r, err := u.Finish(within(t))
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != part.want {
				t.Errorf("utterance %d: heard %q, expected %q", n, r.Text, part.want)
			}
			if err := u.Reopen(within(t), twoCommands); err != nil {
				t.Fatal(err)
			}
		}
	}
	// An utterance that was dropped half-way does no harm, and the grammar is the
	// original one again.
	if _, r := hear(t, c, append(slices.Clone(first), more...)); strings.Contains(r.Text, "light turn") {
		t.Errorf("the next utterance: heard %q, which only the other grammar allows", r.Text)
	}
	if _, r := hear(t, c, first); r.Text != "turn on the kitchen light" {
		t.Errorf("the next utterance: heard %q", r.Text)
	}
}
