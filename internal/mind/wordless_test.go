package mind_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
)

// TestATypedTurnEndsWithASentence types texts that are answered with silence when they
// are spoken: texts that sound overheard, "stop", and texts without words.
func TestATypedTurnEndsWithASentence(t *testing.T) {
	t.Parallel()
	all := map[string][]string{
		"en": {"we would like it at seventy one please", "he said turn on the light", "turn your home into a smart home today", "ok", "hmm", "stop", "be quiet", "...", "   ", "👍"},
		"de": {"er sagte mach das Licht an", "ich habe das Licht ausgeschaltet", "stopp", "ruhe", "?!"},
		"fr": {"il a dit allume la lumière", "stop", "tais-toi", "…"},
		"es": {"ella dijo apaga la luz", "para", "cállate", "¿?"},
	}
	for language, texts := range all {
		for _, text := range texts {
			for _, source := range []record.Source{record.FromCLI, record.FromHTTP, record.FromMQTT, record.FromPage, record.FromMCP} {
				f := move(t, language)
				rec := f.answer.Turn(t.Context(), record.Request{Text: text, Source: source})
				if rec.Reply == "" || rec.Outcome == record.Ignored || len(f.world.Calls) > 0 {
					t.Errorf("%s %q over %s: %q, %s, calls %v", language, text, source, rec.Reply, rec.Outcome, f.world.Calls)
				}
			}
		}
	}
}

// TestASpokenTurnMayEndInSilence says texts that are not meant for the house.
func TestASpokenTurnMayEndInSilence(t *testing.T) {
	t.Parallel()
	f := move(t, "en")
	f.source = record.FromMic
	for _, text := range []string{"he said turn on the light", "stop"} {
		if calls, said := f.say(text); calls != "-" || said != "" {
			t.Errorf("%q does %s and says %q", text, calls, said)
		}
	}
}

// TestAModelThatSaysNothing lets a model end without a word, with an error, and with
// signs that cannot be spoken: each turn ends with a sentence.
func TestAModelThatSaysNothing(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string]func(yield func(dialogue.Part, error) bool){
		"nothing":     func(func(dialogue.Part, error) bool) {},
		"blanks":      func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{Sentence: "  "}, nil) },
		"signs":       func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{Sentence: "***"}, nil) },
		"cancelled":   func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, context.Canceled) },
		"out of time": func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, context.DeadlineExceeded) },
		"an error":    func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, errors.New("broken")) },
	} {
		model := &fake.Assistant{ReplyFunc: func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] { return parts }}
		n := needs(t, manyLamps(3), model, &fake.Caller{AwaitFunc: func(context.Context, mind.Need) error { return nil }})
		for _, source := range []record.Source{record.FromHTTP, record.FromMic} {
			rec := n.Turn(t.Context(), record.Request{Text: "how do cats purr", Source: source})
			if rec.Reply == "" || rec.Outcome != record.Failed {
				t.Errorf("%s over %s: %q, %s", name, source, rec.Reply, rec.Outcome)
			}
		}
	}
}

// TestASentenceOfAnotherPackIsAnswered types a sentence whose intent nothing here can do.
func TestASentenceOfAnotherPackIsAnswered(t *testing.T) {
	t.Parallel()
	model := &fake.Assistant{}
	n := needs(t, manyLamps(3), model, &fake.Caller{AwaitFunc: func(context.Context, mind.Need) error { return nil }})
	n.matcher.MatchFunc = func(string, string) intent.Decision {
		return intent.Decision{Route: intent.Local, Reason: intent.BySentence, Foreign: true, Actions: []intent.Action{{Intent: "OrderDrink", Slots: map[string]any{}}}}
	}
	if rec := n.ask(t, "make me a mocha"); rec.Reply != "I understood you, but I have no way to do that yet." || rec.Outcome != record.Ignored {
		t.Errorf("%q, %s", rec.Reply, rec.Outcome)
	}
}

// TestAGreetingWaitsForNoHouse greets while the house is not known yet.
func TestAGreetingWaitsForNoHouse(t *testing.T) {
	t.Parallel()
	n := needs(t, nil, &fake.Assistant{}, &fake.Caller{AwaitFunc: func(context.Context, mind.Need) error { return nil }})
	for text, waits := range map[string]int{"how are you": 0, "what's 12 times 7": 0, "why is the sky blue": 1, "make it cosier": 1} {
		if rec := n.ask(t, text); len(n.needs) < waits || waits == 0 && len(n.needs) > 0 || rec.Reply == "" {
			t.Errorf("%q waits for %v and is answered with %q", text, n.needs, rec.Reply)
		}
	}
}
