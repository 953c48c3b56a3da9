package mind_test

import (
	"context"
	"iter"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
)

// TestOrdersForStrangers: an order that no house can do is not for the house, and a
// text that forbids, tells or asks is not an order.
func TestOrdersForStrangers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{ // may act, and only elsewhere
		"add milk to the shopping list":              {true, true},
		"remember that grandmother likes tulips":     {true, true},
		"could you please send mum a message":        {true, true},
		"do me a favour and make it cosier":          {true, false},
		"never send a message to my mother":          {false, false},
		"what is on the shopping list":               {false, false},
		"tell me a story about a list":               {false, false},
		"she said to me add milk to the list please": {false, false},
	} {
		var got dialogue.Prompt
		model := &fake.Assistant{ReplyFunc: func(_ context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
			got = p
			return func(func(dialogue.Part, error) bool) {}
		}}
		n := needs(t, manyLamps(3), model, &fake.Caller{AwaitFunc: func(context.Context, mind.Need) error { return nil }})
		n.ask(t, text)
		if got.MayAct != want[0] || got.Elsewhere != want[1] {
			t.Errorf("%q: may act %v, elsewhere only %v; want %v", text, got.MayAct, got.Elsewhere, want)
		}
	}
}
